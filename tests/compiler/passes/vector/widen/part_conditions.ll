; RUN: %opt -kernel=inside -block=16,16 -lanes=16 -passes=part-conditions %s | %check %s --check-prefix=INSIDE
; RUN: %opt -kernel=leaves -block=16,16 -lanes=16 -passes=part-conditions %s | %check %s --check-prefix=LEAVES
; RUN: %opt -kernel=either -block=16,16 -lanes=16 -passes=part-conditions %s | %check %s --check-prefix=SAME
; RUN: %opt -kernel=turns -block=16,16 -lanes=16 -passes=part-conditions %s | %check %s --check-prefix=SAME
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.y()

; Of a row all threads know whether it lies inside. What is asked where x is inside may be poison where it is not.
; INSIDE-LABEL: define void @inside(
; INSIDE: [[ROW:%.*]] = freeze i1 %below
; INSIDE: br i1 [[ROW]], label %[[OWN:.*]], label %behind
; INSIDE: [[OWN]]:
; INSIDE: br i1 %left, label %work, label %behind
; INSIDE: behind:
; INSIDE: phi i32 [ 0, %0 ], [ 1, %work ], [ 0, %[[OWN]] ]
define void @inside(ptr %p, i32 %n) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %left = icmp slt i32 %x, %n
  %below = icmp slt i32 %y, %n
  %both = select i1 %left, i1 %below, i1 false
  br i1 %both, label %work, label %behind
work:
  %at = zext nneg i32 %x to i64
  %q = getelementptr i32, ptr %p, i64 %at
  store i32 1, ptr %q
  br label %behind
behind:
  %worked = phi i32 [ 0, %0 ], [ 1, %work ]
  store i32 %worked, ptr %p
  ret void
}

; LEAVES-LABEL: define void @leaves(
; LEAVES: br i1 %below, label %end, label %[[OWN:.*]]
; LEAVES: [[OWN]]:
; LEAVES: br i1 %left, label %end, label %work
define void @leaves(ptr %p, i32 noundef %n) {
  %x = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %left = icmp sge i32 %x, %n
  %below = icmp sge i32 %y, %n
  %any = or i1 %left, %below
  br i1 %any, label %end, label %work
work:
  %at = zext nneg i32 %x to i64
  %q = getelementptr i32, ptr %p, i64 %at
  store i32 1, ptr %q
  br label %end
end:
  ret void
}

; What either way does would be reached by two branches; and loops have one way back.
; SAME-LABEL: define void @
; SAME-NOT: own:
; SAME: br i1 %both
define void @either(ptr %p, i32 %n) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %left = icmp slt i32 %x, %n
  %below = icmp slt i32 %y, %n
  %both = and i1 %left, %below
  %at = zext nneg i32 %x to i64
  %q = getelementptr i32, ptr %p, i64 %at
  br i1 %both, label %yes, label %no
yes:
  store i32 1, ptr %q
  br label %behind
no:
  store i32 2, ptr %q
  br label %behind
behind:
  ret void
}

define void @turns(ptr %p, i32 %n) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %turn
turn:
  %i = phi i32 [ 0, %entry ], [ %next, %turn ]
  %next = add nuw nsw i32 %i, 1
  %left = icmp slt i32 %next, %x
  %below = icmp slt i32 %next, %n
  %both = and i1 %left, %below
  br i1 %both, label %turn, label %end
end:
  ret void
}
