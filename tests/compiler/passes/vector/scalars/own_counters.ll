; RUN: %opt -kernel=count -block=256 -lanes=16 -passes=own-counters %s | %check %s --check-prefix=COUNT
; RUN: %opt -kernel=count -block=256 -lanes=8 -passes=own-counters,linearise,widen,run-form %s | %check %s --check-prefix=TABLE
; RUN: %opt -kernel=restricted -block=256 -passes=own-counters %s | %check %s --check-prefix=RESTRICTED
; RUN: %opt -kernel=variable -block=256 -passes=own-counters %s | %check %s --check-prefix=VARIABLE
; RUN: %opt -kernel=looks -block=256 -passes=own-counters %s | %check %s --check-prefix=LOOKS
; RUN: %opt -kernel=asks -block=256 -passes=own-counters %s | %check %s --check-prefix=ASKS
; RUN: %opt -kernel=waits -block=256 -passes=own-counters %s | %check %s --check-prefix=WAITS
; RUN: %opt -kernel=tells -block=256 -passes=own-counters %s | %check %s --check-prefix=TELLS
; RUN: %opt -kernel=grid -block=256 -passes=own-counters %s | %check %s --check-prefix=GRID
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare ptr @__lanza_globals() memory(none) nounwind willreturn
declare ptr @__lanza_shared() memory(none) nounwind willreturn
declare i64 @__lanza_sync(i32, i32, i32, i64, i32) convergent

; Keys below 0 are large unsigned ones.
; COUNT-LABEL: define void @count(
; COUNT: [[MOST:%.*]] = call i32 @lanza.counters()
; COUNT: [[OWN:%.*]] = icmp ult i32 %key, [[MOST]]
; COUNT: [[ALL:%.*]] = call i1 @lanza.all(i1 [[OWN]])
; COUNT: br i1 [[ALL]], label %[[YES:.*]], label %[[NO:.*]]
; COUNT: [[YES]]:
; COUNT: [[ITS:%.*]] = call ptr @lanza.own(ptr %bins, i32 32)
; COUNT: [[INDEX:%.*]] = zext i32 %key to i64
; COUNT: [[PLACE:%.*]] = getelementptr i32, ptr [[ITS]], i64 [[INDEX]]
; COUNT: atomicrmw add ptr [[PLACE]], i32 5 syncscope("singlethread") monotonic
; COUNT: [[NO]]:
; COUNT: atomicrmw add ptr %place, i32 5 monotonic
; The worker's table, if it has one. A call with no blocks adds it to the counters.
; TABLE-LABEL: i32 @run(
; TABLE: [[FIELD:%.*]] = getelementptr inbounds {{.*}}, ptr %2, i32 0, i32 16
; TABLE: %counters = load ptr, ptr [[FIELD]]
; TABLE: [[TABLE:%.*]] = getelementptr i8, ptr %counters, i64 64
; TABLE: [[NONE:%.*]] = icmp eq ptr %counters, null
; TABLE: [[MOST:%.*]] = select i1 [[NONE]], i32 0, i32 4096
; TABLE: br i1 %{{.*}}, label %first, label %idle
; TABLE: {{^}}idle:
; TABLE: br i1 %{{.*}}, label %done, label %counted
; TABLE: {{^}}counted:
; TABLE: load ptr, ptr %counters
; TABLE: load <16 x i32>, ptr %{{.*}}, align 64
; TABLE: atomicrmw add ptr %{{.*}}, i32 %{{.*}} monotonic
; TABLE: ret i32
; TABLE: store ptr %{{.*}}, ptr %counters
; TABLE: getelementptr i32, ptr [[TABLE]]
; TABLE: atomicrmw add ptr {{.*}}, i32 5 syncscope("singlethread")
define void @count(ptr %keys, ptr %bins) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr i32, ptr %keys, i64 %i
  %key = load i32, ptr %from
  %wide = sext i32 %key to i64
  %place = getelementptr i32, ptr %bins, i64 %wide
  %old = atomicrmw add ptr %place, i32 5 monotonic
  ret void
}

; In a loop the next key is read behind an addition: it must be no counter.
; RESTRICTED-LABEL: define void @restricted(
; RESTRICTED: call ptr @lanza.own(ptr %bins, i32 64)
define void @restricted(ptr noalias %keys, ptr %bins, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %next, %loop ]
  %wide.i = zext i32 %i to i64
  %from = getelementptr i64, ptr %keys, i64 %wide.i
  %key = load i64, ptr %from
  %place = getelementptr i64, ptr %bins, i64 %key
  %old = atomicrmw sub ptr %place, i64 1 monotonic
  %next = add i32 %i, 256
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; A variable of the device.
; VARIABLE-LABEL: define void @variable(
; VARIABLE: call ptr @lanza.own(ptr %counters, i32 32)
define void @variable(i64 %key) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %base = call ptr @__lanza_globals()
  %counters = getelementptr i8, ptr %base, i64 256
  %place = getelementptr i32, ptr %counters, i64 %i
  %old = atomicrmw add ptr %place, i32 1 monotonic
  ret void
}

; The thread reads what may be its counter.
; LOOKS-LABEL: define void @looks(
; LOOKS-NOT: lanza.own
; LOOKS: ret void
define void @looks(ptr %keys, ptr %bins, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %place = getelementptr i32, ptr %bins, i64 %i
  %old = atomicrmw add ptr %place, i32 5 monotonic
  %from = getelementptr i32, ptr %keys, i64 %i
  %key = load i32, ptr %from
  %to = getelementptr i32, ptr %out, i64 %i
  store i32 %key, ptr %to
  ret void
}

; One addition's result is asked for: it shows which others are done.
; ASKS-LABEL: define void @asks(
; ASKS-NOT: lanza.own
; ASKS: ret void
define void @asks(ptr %bins, ptr %total, i64 %key) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %place = getelementptr i32, ptr %bins, i64 %i
  %first = atomicrmw add ptr %place, i32 5 monotonic
  %old = atomicrmw add ptr %total, i32 1 monotonic
  %j = sext i32 %old to i64
  %other = getelementptr i32, ptr %bins, i64 %j
  %second = atomicrmw add ptr %other, i32 5 monotonic
  ret void
}

; A histogram in shared memory, merged behind a barrier; what a barrier lies between may have been added later.
; WAITS-LABEL: define void @waits(
; WAITS: call i64 @__lanza_sync(
; WAITS: call ptr @lanza.own(ptr %bins, i32 32)
define void @waits(ptr %bins, i32 %key) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %s = call ptr @__lanza_shared()
  %k = zext i32 %key to i64
  %mine = getelementptr i32, ptr %s, i64 %k
  %one = atomicrmw max ptr %mine, i32 1 syncscope("singlethread") monotonic
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %from = getelementptr i32, ptr %s, i64 %i
  %value = load i32, ptr %from
  %place = getelementptr i32, ptr %bins, i64 %i
  %old = atomicrmw add ptr %place, i32 %value monotonic
  ret void
}

; Behind a barrier another thread of the block looks.
; TELLS-LABEL: define void @tells(
; TELLS-NOT: lanza.own
; TELLS: ret void
define void @tells(ptr %bins, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %place = getelementptr i32, ptr %bins, i64 %i
  %old = atomicrmw add ptr %place, i32 5 monotonic
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %j = xor i64 %i, 1
  %other = getelementptr i32, ptr %bins, i64 %j
  %value = load i32, ptr %other
  %to = getelementptr i32, ptr %out, i64 %i
  store i32 %value, ptr %to
  ret void
}

; So do other blocks behind a barrier of the grid.
; GRID-LABEL: define void @grid(
; GRID-NOT: lanza.own
; GRID: ret void
define void @grid(ptr %bins) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %place = getelementptr i32, ptr %bins, i64 %i
  %old = atomicrmw add ptr %place, i32 5 monotonic
  call i64 @__lanza_sync(i32 13, i32 0, i32 0, i64 0, i32 0)
  ret void
}
