; RUN: %opt -kernel=scans -lanes=16 -block=64 -passes=order-groups %s | %check %s --check-prefix=SCANS
; RUN: %opt -kernel=scans -lanes=16 -block=60 -passes=order-groups %s | %check %s --check-prefix=RAGGED
; RUN: %opt -kernel=scans -lanes=16 -block=60 -passes=order-groups,run-form %s | %check %s --check-prefix=LAST
; RUN: %opt -kernel=goes_up -lanes=16 -block=64 -passes=order-groups %s | %check %s --check-prefix=UP
; RUN: %opt -kernel=reads_both_sides -lanes=16 -block=64 -passes=order-groups %s | %check %s --check-prefix=BOTH
; RUN: %opt -kernel=reads_what_it_wrote -lanes=16 -block=64 -passes=order-groups %s | %check %s --check-prefix=WROTE
; RUN: %opt -kernel=two_orders -lanes=16 -block=64 -passes=order-groups %s | %check %s --check-prefix=TWO
; RUN: %opt -kernel=rows -lanes=16 -block=16,4 -passes=order-groups %s | %check %s --check-prefix=ROWS
; RUN: %opt -kernel=moves -lanes=16 -block=64 -passes=order-groups %s | %check %s --check-prefix=MOVES
; RUN: %opt -kernel=scans -lanes=16 -block=64 -passes=order-groups,run-form %s | %check %s --check-prefix=FORM
; RUN: %opt -kernel=alone -lanes=16 -block=64 -passes=order-groups,run-form %s | %check %s --check-prefix=ALONE
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"

declare i32 @lanza.group(i32) nounwind willreturn memory(none)
declare ptr @__lanza_shared() nounwind willreturn memory(none)
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)
declare <16 x i32> @llvm.masked.gather.v16i32.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x i32>)

; s[t - 3] is read by all before s[t] is written: the last group goes first, and nobody waits in between.
; SCANS-LABEL: define void @scans(
; SCANS: load <16 x i32>
; SCANS-NOT: __lanza_sync
; SCANS: call void @lanza.downwards()
; SCANS: store <16 x i32>
; SCANS: __lanza_sync
; SCANS: ret void
; So it does where it has lanes beyond the block: its own code is in front of the loop over the others, then.
; RAGGED-LABEL: define void @scans(
; RAGGED: load <16 x i32>
; RAGGED-NOT: __lanza_sync
; RAGGED: call void @lanza.downwards()
; RAGGED: store <16 x i32>
; LAST: define {{.*}}i32 @
; LAST: store <16 x i32>
; LAST: %[[I:.*]] = phi i32 [ 0,
; LAST: sub nuw nsw i32 32, %[[I]]
; LAST: store <16 x i32>
; The region counts groups as ever, and takes them from the other end.
; FORM: define {{.*}}i32 @
; FORM: %[[I:.*]] = phi i32 [ 0,
; FORM: sub nuw nsw i32 48, %[[I]]
; FORM: store <16 x i32>
; FORM-NOT: sub nuw nsw i32 48
; FORM: store <16 x i32>
define void @scans(ptr %out) {
  %t = call i32 @lanza.group(i32 0)
  %i = sext i32 %t to i64
  %s = call ptr @__lanza_shared()
  %here = getelementptr i32, ptr %s, i64 %i
  %there = getelementptr i8, ptr %here, i64 -12
  %v = load <16 x i32>, ptr %there, align 4
  %b0 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %w = load <16 x i32>, ptr %here, align 4
  %sum = add <16 x i32> %v, %w
  store <16 x i32> %sum, ptr %here, align 4
  %b1 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %before = getelementptr i8, ptr %here, i64 -64
  %x = load <16 x i32>, ptr %before, align 4
  %o = getelementptr i32, ptr %out, i64 %i
  store <16 x i32> %x, ptr %o, align 4
  ret void
}

; UP-LABEL: define void @goes_up(
; UP-NOT: __lanza_sync
; UP-NOT: lanza.downwards
; UP: ret void
define void @goes_up() {
  %t = call i32 @lanza.group(i32 0)
  %s = call ptr @__lanza_shared()
  %next = add i32 %t, 1
  %j = sext i32 %next to i64
  %there = getelementptr i32, ptr %s, i64 %j
  %v = load <16 x i32>, ptr %there, align 4
  %b0 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %i = sext i32 %t to i64
  %here = getelementptr i32, ptr %s, i64 %i
  store <16 x i32> %v, ptr %here, align 4
  ret void
}

; BOTH-LABEL: define void @reads_both_sides(
; BOTH: __lanza_sync
; BOTH: store
define void @reads_both_sides() {
  %t = call i32 @lanza.group(i32 0)
  %i = sext i32 %t to i64
  %s = call ptr @__lanza_shared()
  %here = getelementptr i32, ptr %s, i64 %i
  %left = getelementptr i8, ptr %here, i64 -4
  %right = getelementptr i8, ptr %here, i64 4
  %v = load <16 x i32>, ptr %left, align 4
  %w = load <16 x i32>, ptr %right, align 4
  %sum = add <16 x i32> %v, %w
  %b0 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  store <16 x i32> %sum, ptr %here, align 4
  ret void
}

; A load of what two stores have just written would wait for them; of one, at the same place, it is a register. What is
; gathered might lie anywhere.
; WROTE-LABEL: define void @reads_what_it_wrote(
; WROTE: store
; WROTE: __lanza_sync
; WROTE: store
; WROTE-NOT: __lanza_sync
; WROTE: load
; WROTE: __lanza_sync
; WROTE: masked.gather
define void @reads_what_it_wrote(<16 x i32> %v, <16 x i32> %at) {
  %t = call i32 @lanza.group(i32 0)
  %i = sext i32 %t to i64
  %s = call ptr @__lanza_shared()
  %here = getelementptr i32, ptr %s, i64 %i
  store <16 x i32> %v, ptr %here, align 4
  %b0 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %left = getelementptr i8, ptr %here, i64 -4
  %w = load <16 x i32>, ptr %left, align 4
  %other = getelementptr i8, ptr %here, i64 4096
  store <16 x i32> %w, ptr %other, align 4
  %b1 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %x = load <16 x i32>, ptr %other, align 4
  %third = getelementptr i8, ptr %here, i64 8192
  store <16 x i32> %x, ptr %third, align 4
  %b2 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %p = getelementptr i32, ptr %s, <16 x i32> %at
  %y = call <16 x i32> @llvm.masked.gather.v16i32.v16p0(<16 x ptr> %p, i32 4, <16 x i1> splat (i1 true), <16 x i32> zeroinitializer)
  store <16 x i32> %y, ptr %here, align 4
  ret void
}

; The first barrier wants groups in one order, the second one in the other: one of them stays.
; TWO-LABEL: define void @two_orders(
; TWO-NOT: lanza.downwards
; TWO: load
; TWO-NOT: __lanza_sync
; TWO: store
; TWO: load
; TWO: __lanza_sync
; TWO: store
define void @two_orders() {
  %t = call i32 @lanza.group(i32 0)
  %i = sext i32 %t to i64
  %s = call ptr @__lanza_shared()
  %a = getelementptr i32, ptr %s, i64 %i
  %a1 = getelementptr i8, ptr %a, i64 4
  %v = load <16 x i32>, ptr %a1, align 4
  %b0 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  store <16 x i32> %v, ptr %a, align 4
  %q = getelementptr i8, ptr %a, i64 4096
  %q1 = getelementptr i8, ptr %q, i64 -4
  %w = load <16 x i32>, ptr %q1, align 4
  %b1 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  store <16 x i32> %w, ptr %q, align 4
  ret void
}

; A row is a group: what lies in the row before.
; ROWS-LABEL: define void @rows(
; ROWS-NOT: __lanza_sync
; ROWS: call void @lanza.downwards()
; ROWS-NOT: __lanza_sync
; ROWS: ret void
define void @rows() {
  %y = call i32 @lanza.group(i32 1)
  %row = zext i32 %y to i64
  %s = call ptr @__lanza_shared()
  %here = getelementptr [16 x i32], ptr %s, i64 %row
  %above = getelementptr i8, ptr %here, i64 -64
  %v = load <16 x i32>, ptr %above, align 4
  %b0 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  store <16 x i32> %v, ptr %here, align 4
  ret void
}

; The distance is another one in the store than in the load: %d is made again between them.
; MOVES-LABEL: define void @moves(
; MOVES: load
; MOVES: __lanza_sync
; MOVES: store
define void @moves(i64 %n) {
entry:
  %t = call i32 @lanza.group(i32 0)
  %i = sext i32 %t to i64
  %s = call ptr @__lanza_shared()
  br label %turn
turn:
  %d = phi i64 [ 0, %entry ], [ %next, %turn ]
  %sum = phi <16 x i32> [ zeroinitializer, %entry ], [ %more, %turn ]
  %at = add i64 %i, %d
  %here = getelementptr i32, ptr %s, i64 %at
  %v = load <16 x i32>, ptr %here, align 4
  %more = add <16 x i32> %sum, %v
  %next = add i64 %d, 1
  %on = icmp slt i64 %next, %n
  br i1 %on, label %turn, label %behind
behind:
  %b0 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  store <16 x i32> %more, ptr %here, align 4
  ret void
}

; No barrier is left, and the only region goes downwards all the same.
; ALONE: define {{.*}}i32 @run
; ALONE-NOT: lanza.downwards
; ALONE: sub nuw nsw i32 48
; ALONE-NOT: lanza.downwards
; ALONE: store <16 x i32>
define void @alone(ptr %a) {
  %t = call i32 @lanza.group(i32 0)
  %i = sext i32 %t to i64
  %here = getelementptr i32, ptr %a, i64 %i
  %before = getelementptr i8, ptr %here, i64 -4
  %v = load <16 x i32>, ptr %before, align 4
  %b0 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  store <16 x i32> %v, ptr %here, align 4
  ret void
}
