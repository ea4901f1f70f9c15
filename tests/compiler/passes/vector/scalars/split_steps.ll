; RUN: %opt -kernel=planes -block=256 -lanes=16 -passes=split-steps %s | %check %s
; RUN: %opt -kernel=narrow -block=256 -lanes=16 -passes=split-steps %s | %check %s --check-prefix=NARROW
; RUN: %opt -kernel=pointer -block=256 -lanes=16 -passes=split-steps %s | %check %s --check-prefix=POINTER
; RUN: %opt -kernel=kept -block=256 -lanes=16 -passes=split-steps %s | %check %s --check-prefix=KEPT
; RUN: %opt -kernel=rows -block=256 -lanes=16 -passes=prepare-scalars %s | %check %s --check-prefix=ROWS
; RUN: %opt -kernel=alone -block=256 -lanes=16 -passes=split-steps %s | %check %s --check-prefix=ALONE
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32) convergent

; The steps are the block's; a thread's address is where it began and they. Of sums, too, what all share is apart.
; CHECK-LABEL: define void @planes(
; CHECK: loop:
; CHECK: [[STEPS:%.*]] = phi i64 [ 0, %entry ], [ [[FURTHER:%.*]], %loop ]
; CHECK-NOT: phi i64
; CHECK: [[AT:%.*]] = add i64 %start, [[STEPS]]
; CHECK: getelementptr float, ptr %x, i64 [[AT]]
; CHECK: [[ABOVE:%.*]] = add i64 [[STEPS]], %plane
; CHECK: [[NEXT:%.*]] = add i64 %start, [[ABOVE]]
; CHECK: getelementptr float, ptr %x, i64 [[NEXT]]
; CHECK: [[FURTHER]] = add i64 [[STEPS]], %plane
; CHECK: ret void
define void @planes(ptr %x, i64 %plane, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = zext nneg i32 %t to i64
  br label %loop
loop:
  %z = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = phi i64 [ %start, %entry ], [ %further, %loop ]
  %p = getelementptr float, ptr %x, i64 %at
  %v = load float, ptr %p
  %wait = call i64 @__lanza_sync(i32 1, i32 0, i32 -1, i64 0, i32 0)
  %above = add i64 %at, %plane
  %q = getelementptr float, ptr %x, i64 %above
  store float %v, ptr %q
  %further = add i64 %at, %plane
  %next = add nsw i32 %z, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; What is extended does not wrap: the sums are made in 64 bits.
; NARROW-LABEL: define void @narrow(
; NARROW: [[START:%.*]] = sext i32 %t to i64
; NARROW: [[STEP:%.*]] = sext i32 %plane to i64
; NARROW: loop:
; NARROW: [[STEPS:%.*]] = phi i64
; NARROW: [[WEST:%.*]] = sub i64 [[STEPS]], 1
; NARROW: [[AT:%.*]] = add i64 [[START]], [[WEST]]
; NARROW: getelementptr float, ptr %x, i64 [[AT]]
; NARROW: ret void
define void @narrow(ptr %x, i32 %plane, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %z = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = phi i32 [ %t, %entry ], [ %further, %loop ]
  %west = sub nsw i32 %at, 1
  %wide = sext i32 %west to i64
  %p = getelementptr float, ptr %x, i64 %wide
  store float 0.0, ptr %p
  %wait = call i64 @__lanza_sync(i32 1, i32 0, i32 -1, i64 0, i32 0)
  %further = add nsw i32 %at, %plane
  %next = add nsw i32 %z, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Pointers go by bytes.
; POINTER-LABEL: define void @pointer(
; POINTER: [[STEP:%.*]] = mul i64 %plane, 4
; POINTER: loop:
; POINTER: [[STEPS:%.*]] = phi i64
; POINTER: [[AT:%.*]] = getelementptr i8, ptr %start, i64 [[STEPS]]
; POINTER: store float 0.000000e+00, ptr [[AT]]
; POINTER: [[FURTHER:%.*]] = add i64 [[STEPS]], [[STEP]]
; POINTER: ret void
define void @pointer(ptr %x, i64 %plane, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = getelementptr float, ptr %x, i32 %t
  br label %loop
loop:
  %z = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p = phi ptr [ %start, %entry ], [ %further, %loop ]
  store float 0.0, ptr %p
  %wait = call i64 @__lanza_sync(i32 1, i32 0, i32 -1, i64 0, i32 0)
  %further = getelementptr float, ptr %p, i64 %plane
  %next = add nsw i32 %z, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; A sum that may wrap, an index that is compared, and a step that threads have of their own.
; KEPT-LABEL: define void @kept(
; KEPT-NOT: phi i64
; KEPT: ret void
define void @kept(ptr %x, i32 %plane, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %z = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = phi i32 [ %t, %entry ], [ %further, %loop ]
  %bounded = phi i32 [ %t, %entry ], [ %behind, %loop ]
  %own = phi i32 [ 0, %entry ], [ %faster, %loop ]
  %wide = sext i32 %at to i64
  %p = getelementptr float, ptr %x, i64 %wide
  store float 0.0, ptr %p
  %wide.bounded = sext i32 %bounded to i64
  %q = getelementptr float, ptr %x, i64 %wide.bounded
  %inside = icmp slt i32 %bounded, %n
  %v = select i1 %inside, float 1.0, float 2.0
  store float %v, ptr %q
  %wide.own = sext i32 %own to i64
  %r = getelementptr float, ptr %x, i64 %wide.own
  store float 3.0, ptr %r
  %wait = call i64 @__lanza_sync(i32 1, i32 0, i32 -1, i64 0, i32 0)
  %further = add i32 %at, %plane
  %behind = add nsw i32 %bounded, %plane
  %faster = add nsw i32 %own, %t
  %next = add nsw i32 %z, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Rows beside a thread's own are asked for a step ahead as well, whatever sum of 32 bits leads to them.
; ROWS-LABEL: define void @rows(
; ROWS: call void @llvm.prefetch
; ROWS-NEXT: load float
; ROWS: call void @llvm.prefetch
; ROWS-NEXT: load float
; ROWS: ret void
define void @rows(ptr %x, ptr %out, i32 %width, i32 %plane, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %z = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = phi i32 [ %t, %entry ], [ %further, %loop ]
  %wait = call i64 @__lanza_sync(i32 1, i32 0, i32 -1, i64 0, i32 0)
  %further = add nsw i32 %at, %plane
  %south = sub nsw i32 %further, %width
  %wide.south = sext i32 %south to i64
  %p = getelementptr float, ptr %x, i64 %wide.south
  %v = load float, ptr %p
  %north = add nsw i32 %further, %width
  %wide.north = sext i32 %north to i64
  %q = getelementptr float, ptr %x, i64 %wide.north
  %w = load float, ptr %q
  %sum = fadd float %v, %w
  store float %sum, ptr %out
  %next = add nsw i32 %z, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Nothing crosses a barrier.
; ALONE-LABEL: define void @alone(
; ALONE: phi i64 [ %start
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
  %further = add i64 %at, %plane
  %next = add nsw i32 %z, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
