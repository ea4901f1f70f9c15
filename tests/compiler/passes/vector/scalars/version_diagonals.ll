; RUN: %opt -kernel=row -block=256 -lanes=16 -passes='llvm(loop-simplify,lcssa),version-diagonals' %s | %check %s --check-prefix=ROW
; RUN: %opt -kernel=alike -block=256 -lanes=16 -passes='llvm(loop-simplify,lcssa),version-diagonals' %s | %check %s --check-prefix=ALIKE
; RUN: %opt -kernel=written -block=256 -lanes=16 -passes='llvm(loop-simplify,lcssa),version-diagonals' %s | %check %s --check-prefix=WRITTEN
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; Pieces of 16 turns: where no lane's own is among them nobody asks.
; ROW-LABEL: @row(
; ROW: piece:
; ROW: [[LEFT:%.*]] = phi i64 [ {{%.*}}, %entry ]
; ROW: [[J:%.*]] = phi i64 [ 0, %entry ]
; ROW: [[AHEAD:%.*]] = sub i64 %i, [[J]]
; ROW: [[NONE:%.*]] = icmp uge i64 [[AHEAD]], 16
; ROW: [[ALL:%.*]] = call i1 @lanza.all(i1 [[NONE]])
; ROW: [[WHOLE:%.*]] = icmp uge i64 [[LEFT]], 15
; ROW: [[BOTH:%.*]] = and i1 [[WHOLE]], [[ALL]]
; ROW: br i1 [[BOTH]], label %loop.apart
; ROW: loop:
; ROW: br i1 %own, label %latch, label %other
; ROW: latch:
; ROW: [[LAST:%.*]] = icmp eq i32 %turn, 15
; ROW: [[STOPS:%.*]] = or i1 %done, [[LAST]]
; ROW: br i1 [[STOPS]], label %piece.end, label %loop
; ROW: apart.end:
; ROW: [[END:%.*]] = icmp eq i64 {{.*}}, 15
; ROW: br i1 [[END]], label %end, label %piece
; ROW: piece.end:
; ROW: br i1 {{%.*}}, label %end, label %piece
; ROW: loop.apart:
; ROW: br i1 false, label %latch.apart, label %other.apart
define void @row(i64 %n, ptr %y, ptr %a) {
entry:
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %row = mul i64 %i, %n
  br label %loop
loop:
  %j = phi i64 [ 0, %entry ], [ %j.next, %latch ]
  %sum = phi float [ 0.0, %entry ], [ %more, %latch ]
  %own = icmp eq i64 %j, %i
  br i1 %own, label %latch, label %other
other:
  %k = add i64 %row, %j
  %at = getelementptr float, ptr %a, i64 %k
  %v = load float, ptr %at
  %sum.v = fadd float %sum, %v
  br label %latch
latch:
  %more = phi float [ %sum, %loop ], [ %sum.v, %other ]
  %j.next = add nuw nsw i64 %j, 1
  %done = icmp eq i64 %j.next, %n
  br i1 %done, label %end, label %loop
end:
  %y.i = getelementptr float, ptr %y, i64 %i
  store float %more, ptr %y.i
  ret void
}

; All lanes leave out the same one.
; ALIKE-LABEL: @alike(
; ALIKE-NOT: piece
define void @alike(i64 %n, i64 %i, ptr %y, ptr %a) {
entry:
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own.row = zext nneg i32 %t to i64
  %row = mul i64 %own.row, %n
  br label %loop
loop:
  %j = phi i64 [ 0, %entry ], [ %j.next, %latch ]
  %sum = phi float [ 0.0, %entry ], [ %more, %latch ]
  %own = icmp eq i64 %j, %i
  br i1 %own, label %latch, label %other
other:
  %k = add i64 %row, %j
  %at = getelementptr float, ptr %a, i64 %k
  %v = load float, ptr %at
  %sum.v = fadd float %sum, %v
  br label %latch
latch:
  %more = phi float [ %sum, %loop ], [ %sum.v, %other ]
  %j.next = add nuw nsw i64 %j, 1
  %done = icmp eq i64 %j.next, %n
  br i1 %done, label %end, label %loop
end:
  %y.i = getelementptr float, ptr %y, i64 %own.row
  store float %more, ptr %y.i
  ret void
}

; Loops that write are others' matter.
; WRITTEN-LABEL: @written(
; WRITTEN-NOT: piece
define void @written(i64 %n, ptr %y, ptr %a) {
entry:
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %row = mul i64 %i, %n
  br label %loop
loop:
  %j = phi i64 [ 0, %entry ], [ %j.next, %latch ]
  %own = icmp eq i64 %j, %i
  br i1 %own, label %latch, label %other
other:
  %k = add i64 %row, %j
  %at = getelementptr float, ptr %a, i64 %k
  %v = load float, ptr %at
  %twice = fadd float %v, %v
  store float %twice, ptr %at
  br label %latch
latch:
  %j.next = add nuw nsw i64 %j, 1
  %done = icmp eq i64 %j.next, %n
  br i1 %done, label %end, label %loop
end:
  ret void
}
