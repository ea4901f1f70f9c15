; RUN: %opt -kernel=triangle -block=256 -lanes=16 -passes='llvm(loop-simplify,lcssa),split-row-loops' %s | %check %s --check-prefix=TRIANGLE
; RUN: %opt -kernel=ragged -block=256 -lanes=16 -passes='llvm(loop-simplify,lcssa),split-row-loops' %s | %check %s --check-prefix=RAGGED
; RUN: %opt -kernel=alike -block=256 -lanes=16 -passes='llvm(loop-simplify,lcssa),split-row-loops' %s | %check %s --check-prefix=ALIKE
; RUN: %opt -kernel=strides -block=256 -lanes=16 -passes='llvm(loop-simplify,lcssa),split-row-loops' %s | %check %s --check-prefix=STRIDES
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; All lanes go on in pieces of 16 turns while the shortest row has more; then each to its own end.
; TRIANGLE-LABEL: @triangle(
; TRIANGLE: [[MORE:%.*]] = icmp uge i64 %i, 16
; TRIANGLE: [[ALL:%.*]] = call i1 @lanza.all(i1 [[MORE]])
; TRIANGLE: br i1 [[ALL]], label %piece.preheader, label
; TRIANGLE: piece:
; TRIANGLE: [[LEFT:%.*]] = phi i64
; TRIANGLE: piece.end:
; TRIANGLE: [[LESS:%.*]] = sub i64 [[LEFT]], 16
; TRIANGLE: [[STILL:%.*]] = icmp uge i64 [[LESS]], 16
; TRIANGLE: [[GO:%.*]] = call i1 @lanza.all(i1 [[STILL]])
; TRIANGLE: br i1 [[GO]], label %piece, label %rest
; TRIANGLE: loop:
; TRIANGLE: icmp eq i64 %j, %i
; TRIANGLE: loop.together:
; TRIANGLE: [[LAST:%.*]] = icmp eq i32 %turn, 15
; TRIANGLE: br i1 [[LAST]], label %piece.end, label %loop.together
define void @triangle(i64 %n, ptr %y, ptr %a) {
entry:
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %row = mul i64 %i, %n
  br label %loop
loop:
  %j = phi i64 [ 0, %entry ], [ %j.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %k = add i64 %row, %j
  %at = getelementptr float, ptr %a, i64 %k
  %v = load float, ptr %at
  %more = fadd float %sum, %v
  %j.next = add nuw nsw i64 %j, 1
  %done = icmp eq i64 %j, %i
  br i1 %done, label %end, label %loop
end:
  %y.i = getelementptr float, ptr %y, i64 %i
  store float %more, ptr %y.i
  ret void
}

; Some lanes have nothing to do: it is asked in front of that, as what no lane without a row may answer.
; RAGGED-LABEL: @ragged(
; RAGGED: %some = icmp slt i64 %first, %last
; RAGGED: [[MORE:%.*]] = icmp uge i64 {{%.*}}, 16
; RAGGED: [[ENTERS:%.*]] = select i1 %some, i1 [[MORE]], i1 false
; RAGGED: [[ALL:%.*]] = call i1 @lanza.all(i1 [[ENTERS]])
; RAGGED: br i1 [[ALL]], label %piece.preheader, label %entry.split
; RAGGED: entry.split:
; RAGGED: br i1 %some, label
; RAGGED: piece:
define void @ragged(ptr %starts, ptr %y, ptr %a) {
entry:
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %p = getelementptr i64, ptr %starts, i64 %i
  %first = load i64, ptr %p
  %q = getelementptr i64, ptr %p, i64 1
  %last = load i64, ptr %q
  %some = icmp slt i64 %first, %last
  br i1 %some, label %loop, label %end
loop:
  %j = phi i64 [ %first, %entry ], [ %j.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %at = getelementptr float, ptr %a, i64 %j
  %v = load float, ptr %at
  %more = fadd float %sum, %v
  %j.next = add nsw i64 %j, 1
  %again = icmp slt i64 %j.next, %last
  br i1 %again, label %loop, label %end
end:
  %all = phi float [ 0.0, %entry ], [ %more, %loop ]
  %y.i = getelementptr float, ptr %y, i64 %i
  store float %all, ptr %y.i
  ret void
}

; All lanes end together anyway.
; ALIKE-LABEL: @alike(
; ALIKE-NOT: piece
define void @alike(i64 %n, ptr %y, ptr %a) {
entry:
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %row = mul i64 %i, %n
  br label %loop
loop:
  %j = phi i64 [ 0, %entry ], [ %j.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %k = add i64 %row, %j
  %at = getelementptr float, ptr %a, i64 %k
  %v = load float, ptr %at
  %more = fadd float %sum, %v
  %j.next = add nuw nsw i64 %j, 1
  %done = icmp eq i64 %j.next, %n
  br i1 %done, label %end, label %loop
end:
  %y.i = getelementptr float, ptr %y, i64 %i
  store float %more, ptr %y.i
  ret void
}

; In front of the guard the stride may be zero: how many turns there are is not asked there.
; STRIDES-LABEL: @strides(
; STRIDES-NOT: udiv
; STRIDES-NOT: piece
define void @strides(ptr %starts, ptr %y, ptr %a, i32 %step) {
entry:
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %at.start = getelementptr i64, ptr %starts, i64 %i
  %first = load i64, ptr %at.start
  %row = getelementptr float, ptr %a, i64 %first
  %n = trunc i64 %first to i32
  %moves = icmp sgt i32 %step, 0
  %has = icmp sgt i32 %n, 0
  %some = and i1 %moves, %has
  br i1 %some, label %ahead, label %end
ahead:
  br label %loop
loop:
  %k = phi i32 [ 0, %ahead ], [ %k.next, %loop ]
  %at = phi ptr [ %row, %ahead ], [ %at.next, %loop ]
  %sum = phi float [ 0.0, %ahead ], [ %more, %loop ]
  %v = load float, ptr %at
  %more = fadd float %sum, %v
  %at.next = getelementptr float, ptr %at, i64 1
  %k.next = add nsw i32 %k, %step
  %goes = icmp slt i32 %k.next, %n
  br i1 %goes, label %loop, label %after, !llvm.loop !0
after:
  br label %end
end:
  %result = phi float [ 0.0, %entry ], [ %more, %after ]
  %y.i = getelementptr float, ptr %y, i64 %i
  store float %result, ptr %y.i
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.mustprogress"}
