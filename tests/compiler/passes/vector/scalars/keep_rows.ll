; RUN: %opt -kernel=nearest -block=256 -lanes=16 -passes='llvm(loop-simplify,lcssa),keep-rows' %s | %check %s --check-prefix=NEAREST
; RUN: %opt -kernel=written -block=256 -lanes=16 -passes='llvm(loop-simplify,lcssa),keep-rows' %s | %check %s --check-prefix=WRITTEN
; RUN: %opt -kernel=other -block=256 -lanes=16 -passes='llvm(loop-simplify,lcssa),keep-rows' %s | %check %s --check-prefix=OTHER
; RUN: %opt -kernel=columns -block=256 -lanes=16 -passes='llvm(loop-simplify,lcssa),keep-rows' %s | %check %s --check-prefix=COLUMNS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; A point of each lane against all others: its row is read once, where it is short, not empty, and needed often.
; NEAREST-LABEL: @nearest(
; NEAREST: %row = alloca [128 x float]
; NEAREST: [[SHORT:%.*]] = icmp ult i64 {{%.*}}, 128
; NEAREST: [[OFTEN:%.*]] = icmp uge i64 {{%.*}}, 3
; NEAREST: [[BOTH:%.*]] = and i1 [[SHORT]], [[OFTEN]]
; NEAREST: [[ALL:%.*]] = and i1 [[BOTH]], %some
; NEAREST: br i1 [[ALL]], label %row.start, label %row.end
; NEAREST: [[V:%.*]] = load float, ptr
; NEAREST: [[TO:%.*]] = getelementptr inbounds [128 x float], ptr %row, i32 0, i32 %element
; NEAREST: store float [[V]], ptr [[TO]]
; NEAREST: before:
; NEAREST: br i1 [[ALL]], label %kept, label %inner
; NEAREST: inner.kept:
; NEAREST-NOT: load float, ptr %x
; NEAREST: load float, ptr %y.at
; NEAREST: inner:
; NEAREST: load float, ptr %x.at
define void @nearest(i64 %n, i64 %count, ptr %x, ptr %y, ptr %out) {
entry:
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %x.row = mul i64 %i, %n
  %some = icmp sgt i64 %n, 0
  br label %outer
outer:
  %c = phi i64 [ 0, %entry ], [ %c.next, %latch ]
  %all = phi float [ 0.0, %entry ], [ %sum.all, %latch ]
  %y.row = mul i64 %c, %n
  br i1 %some, label %before, label %latch
before:
  br label %inner
inner:
  %j = phi i64 [ 0, %before ], [ %j.next, %inner ]
  %sum = phi float [ %all, %before ], [ %sum.next, %inner ]
  %x.j = add i64 %x.row, %j
  %x.at = getelementptr float, ptr %x, i64 %x.j
  %x.v = load float, ptr %x.at
  %y.j = add i64 %y.row, %j
  %y.at = getelementptr float, ptr %y, i64 %y.j
  %y.v = load float, ptr %y.at
  %product = fmul float %x.v, %y.v
  %sum.next = fadd float %sum, %product
  %j.next = add nuw nsw i64 %j, 1
  %done = icmp eq i64 %j.next, %n
  br i1 %done, label %latch, label %inner
latch:
  %sum.all = phi float [ %all, %outer ], [ %sum.next, %inner ]
  %c.next = add nuw nsw i64 %c, 1
  %end = icmp eq i64 %c.next, %count
  br i1 %end, label %exit, label %outer
exit:
  %at = getelementptr float, ptr %out, i64 %i
  store float %sum.all, ptr %at
  ret void
}

; Each turn may change the row of the next one.
; WRITTEN-LABEL: @written(
; WRITTEN-NOT: alloca
define void @written(i64 %n, i64 %count, ptr %x, ptr %out) {
entry:
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %x.row = mul i64 %i, %n
  %at = getelementptr float, ptr %out, i64 %i
  br label %outer
outer:
  %c = phi i64 [ 0, %entry ], [ %c.next, %latch ]
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %sum = phi float [ 0.0, %outer ], [ %sum.next, %inner ]
  %x.j = add i64 %x.row, %j
  %x.at = getelementptr float, ptr %x, i64 %x.j
  %x.v = load float, ptr %x.at
  %sum.next = fadd float %sum, %x.v
  %j.next = add nuw nsw i64 %j, 1
  %done = icmp eq i64 %j.next, %n
  br i1 %done, label %latch, label %inner
latch:
  store float %sum.next, ptr %at
  %c.next = add nuw nsw i64 %c, 1
  %end = icmp eq i64 %c.next, %count
  br i1 %end, label %exit, label %outer
exit:
  ret void
}

; The row is another one in each turn.
; OTHER-LABEL: @other(
; OTHER-NOT: alloca
define void @other(i64 %n, i64 %count, ptr %x, ptr %out) {
entry:
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  br label %outer
outer:
  %c = phi i64 [ 0, %entry ], [ %c.next, %latch ]
  %all = phi float [ 0.0, %entry ], [ %sum.next, %latch ]
  %which = add i64 %i, %c
  %x.row = mul i64 %which, %n
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %sum = phi float [ %all, %outer ], [ %sum.next, %inner ]
  %x.j = add i64 %x.row, %j
  %x.at = getelementptr float, ptr %x, i64 %x.j
  %x.v = load float, ptr %x.at
  %sum.next = fadd float %sum, %x.v
  %j.next = add nuw nsw i64 %j, 1
  %done = icmp eq i64 %j.next, %n
  br i1 %done, label %latch, label %inner
latch:
  %c.next = add nuw nsw i64 %c, 1
  %end = icmp eq i64 %c.next, %count
  br i1 %end, label %exit, label %outer
exit:
  %at = getelementptr float, ptr %out, i64 %i
  store float %sum.next, ptr %at
  ret void
}

; Neighbours in memory are one load, as good as one from the stack.
; COLUMNS-LABEL: @columns(
; COLUMNS-NOT: alloca
define void @columns(i64 %n, i64 %count, ptr %x, ptr %out) {
entry:
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  br label %outer
outer:
  %c = phi i64 [ 0, %entry ], [ %c.next, %latch ]
  %all = phi float [ 0.0, %entry ], [ %sum.next, %latch ]
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %sum = phi float [ %all, %outer ], [ %sum.next, %inner ]
  %column = mul i64 %j, %n
  %x.j = add i64 %column, %i
  %x.at = getelementptr float, ptr %x, i64 %x.j
  %x.v = load float, ptr %x.at
  %sum.next = fadd float %sum, %x.v
  %j.next = add nuw nsw i64 %j, 1
  %done = icmp eq i64 %j.next, %n
  br i1 %done, label %latch, label %inner
latch:
  %c.next = add nuw nsw i64 %c, 1
  %end = icmp eq i64 %c.next, %count
  br i1 %end, label %exit, label %outer
exit:
  %at = getelementptr float, ptr %out, i64 %i
  store float %sum.next, ptr %at
  ret void
}
