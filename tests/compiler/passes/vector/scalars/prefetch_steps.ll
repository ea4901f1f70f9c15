; RUN: %opt -target=znver4 -kernel=planes -block=256 -lanes=16 -passes=prefetch-steps %s | %check %s
; RUN: %opt -target=sapphirerapids -kernel=planes -block=256 -lanes=16 -passes=prefetch-steps %s | %check %s --check-prefix=INTEL
; RUN: %opt -target=znver5 -kernel=planes -block=256 -lanes=16 -passes=prefetch-steps %s | %check %s --check-prefix=ZEN5
; RUN: %opt -target=znver4 -kernel=planes -block=256 -lanes=16 -passes=prefetch-steps,prepare-control,linearise,widen %s | %check %s --check-prefix=WIDE
; RUN: %opt -target=znver4 -kernel=halo -block=256 -lanes=16 -passes=prefetch-steps %s | %check %s --check-prefix=HALO
; RUN: %opt -target=znver4 -kernel=halo -block=256 -lanes=16 -passes=prefetch-steps,prepare-control,linearise,widen %s | %check %s --check-prefix=LAST
; RUN: %opt -target=znver4 -kernel=rows -block=256 -lanes=16 -passes=prefetch-steps %s | %check %s --check-prefix=ROWS
; RUN: %opt -target=znver4 -kernel=alone -block=256 -lanes=16 -passes=prefetch-steps %s | %check %s --check-prefix=ALONE
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32) convergent

; A plane further with each turn, by a step that is not known: both the load and the store ask two turns ahead,
; what only some threads do does not. A line is asked for once. Zen 4 takes it into its second cache, and reads what
; will be written.
; CHECK-LABEL: define void @planes(
; CHECK: [[AHEAD:%.*]] = shl i64 %plane, 3
; CHECK: loop:
; CHECK: [[NEXT:%.*]] = getelementptr i8, ptr %p, i64 [[AHEAD]]
; CHECK: call void @llvm.prefetch.p0(ptr [[NEXT]], i32 0, i32 2, i32 1)
; CHECK-NEXT: load float, ptr %p
; CHECK: [[TO:%.*]] = getelementptr i8, ptr %q, i64
; CHECK: call void @llvm.prefetch.p0(ptr [[TO]], i32 0, i32 2, i32 1)
; CHECK-NEXT: store float
; CHECK-NOT: call void @llvm.prefetch
; CHECK: ret void
; On Intel's cores one turn, and what will be written as that.
; INTEL-LABEL: define void @planes(
; INTEL: [[AHEAD:%.*]] = shl i64 %plane, 2
; INTEL: [[NEXT:%.*]] = getelementptr i8, ptr %p, i64 [[AHEAD]]
; INTEL: call void @llvm.prefetch.p0(ptr [[NEXT]], i32 0, i32 3, i32 1)
; INTEL: call void @llvm.prefetch.p0(ptr {{.*}}, i32 1, i32 3, i32 1)
; Zen 5 takes both into its first cache, two turns ahead.
; ZEN5-LABEL: define void @planes(
; ZEN5: [[AHEAD:%.*]] = shl i64 %plane, 3
; ZEN5: call void @llvm.prefetch.p0(ptr {{.*}}, i32 0, i32 3, i32 1)
; ZEN5: call void @llvm.prefetch.p0(ptr {{.*}}, i32 1, i32 3, i32 1)
; WIDE-LABEL: define void @planes(
; WIDE-COUNT-2: call void @llvm.prefetch
; WIDE-NOT: call void @llvm.prefetch
; WIDE: ret void
define void @planes(ptr %x, ptr %y, i64 %plane, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = zext nneg i32 %t to i64
  br label %loop
loop:
  %z = phi i32 [ 0, %entry ], [ %next, %latch ]
  %at = phi i64 [ %start, %entry ], [ %further, %latch ]
  %p = getelementptr float, ptr %x, i64 %at
  %v = load float, ptr %p
  %wait = call i64 @__lanza_sync(i32 1, i32 0, i32 -1, i64 0, i32 0)
  %q = getelementptr float, ptr %y, i64 %at
  store float %v, ptr %q
  %first = icmp eq i32 %t, 0
  br i1 %first, label %edge, label %latch
edge:
  %r = getelementptr i8, ptr %q, i64 -4
  store float %v, ptr %r
  br label %latch
latch:
  %further = add nsw i64 %at, %plane
  %next = add nsw i32 %z, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; What the same threads do in each turn asks ahead, what depends on the turn does not. Of some lanes it may be the last
; one alone.
; HALO-LABEL: define void @halo(
; HALO: edge:
; HALO: call void @llvm.prefetch
; HALO: turn:
; HALO-NOT: call void @llvm.prefetch
; HALO: ret void
; LAST-LABEL: define void @halo(
; LAST: call void @llvm.prefetch.p0(ptr [[FIRST:%.*]], i32 0, i32 2, i32 1)
; LAST: [[LAST:%.*]] = getelementptr i8, ptr [[FIRST]], i64 60
; LAST: call void @llvm.prefetch.p0(ptr [[LAST]], i32 0, i32 2, i32 1)
; LAST-NOT: call void @llvm.prefetch
; LAST: ret void
define void @halo(ptr %y, i64 %plane, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = zext nneg i32 %t to i64
  br label %loop
loop:
  %z = phi i32 [ 0, %entry ], [ %next, %latch ]
  %at = phi i64 [ %start, %entry ], [ %further, %latch ]
  %wait = call i64 @__lanza_sync(i32 1, i32 0, i32 -1, i64 0, i32 0)
  %q = getelementptr float, ptr %y, i64 %at
  switch i32 %t, label %check [ i32 15, label %edge ]
edge:
  store float 0.0, ptr %q
  br label %check
check:
  %odd = icmp eq i32 %z, 1
  br i1 %odd, label %turn, label %latch
turn:
  store float 1.0, ptr %q
  br label %latch
latch:
  %further = add nsw i64 %at, %plane
  %next = add nsw i32 %z, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Neighbouring lines the processor finds by itself.
; ROWS-LABEL: define void @rows(
; ROWS-NOT: call void @llvm.prefetch
; ROWS: ret void
define void @rows(ptr %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = zext nneg i32 %t to i64
  br label %loop
loop:
  %z = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = phi i64 [ %start, %entry ], [ %further, %loop ]
  %p = getelementptr float, ptr %x, i64 %at
  store float 0.0, ptr %p
  %wait = call i64 @__lanza_sync(i32 1, i32 0, i32 -1, i64 0, i32 0)
  %further = add nsw i64 %at, 256
  %next = add nsw i32 %z, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; A loop without barriers may run over what the cache has.
; ALONE-LABEL: define void @alone(
; ALONE-NOT: call void @llvm.prefetch
; ALONE: ret void
define void @alone(ptr %x, i64 %plane, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = zext nneg i32 %t to i64
  br label %loop
loop:
  %z = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = phi i64 [ %start, %entry ], [ %further, %loop ]
  %p = getelementptr float, ptr %x, i64 %at
  store float 0.0, ptr %p
  %further = add nsw i64 %at, %plane
  %next = add nsw i32 %z, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
