; RUN: %opt -kernel=nearest -block=256 -lanes=16 -passes='llvm(loop-simplify,lcssa),keep-rows' %s | %check %s --check-prefix=NEAREST
; RUN: %opt -kernel=written -block=256 -lanes=16 -passes='llvm(loop-simplify,lcssa),keep-rows' %s | %check %s --check-prefix=WRITTEN
; RUN: %opt -kernel=scores -block=256 -lanes=16 -passes='llvm(loop-simplify,lcssa),keep-rows' %s | %check %s --check-prefix=SCORES
; RUN: %opt -kernel=some -block=256 -lanes=16 -passes='llvm(loop-simplify,lcssa),keep-rows' %s | %check %s --check-prefix=SOME
; RUN: %opt -kernel=other -block=256 -lanes=16 -passes='llvm(loop-simplify,lcssa),keep-rows' %s | %check %s --check-prefix=OTHER
; RUN: %opt -kernel=columns -block=256 -lanes=16 -passes='llvm(loop-simplify,lcssa),keep-rows' %s | %check %s --check-prefix=COLUMNS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; A point of each lane against all others: its row is read once, where it is short, not empty, and needed often.
; NEAREST-LABEL: @nearest(
; NEAREST: %row = alloca [128 x float], align 4, !lanza.seldom-full
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

; What each turn writes goes up by the same: whether that is the row is asked in front of the loop, of all lanes.
; SCORES-LABEL: @scores(
; SCORES: %row = alloca [128 x float]
; SCORES: [[LOW:%.*]] = call i64 @llvm.umin.i64(i64 [[FIRST:%.*]], i64 [[LAST:%.*]])
; SCORES: [[HIGH:%.*]] = call i64 @llvm.umax.i64(i64 [[FIRST]], i64 [[LAST]])
; SCORES: [[END:%.*]] = add i64 [[HIGH]], 4
; SCORES: [[BEFORE:%.*]] = icmp ule i64 {{%.*}}, [[LOW]]
; SCORES: [[BEHIND:%.*]] = icmp ule i64 [[END]], {{%.*}}
; SCORES: [[EITHER:%.*]] = or i1 [[BEHIND]], [[BEFORE]]
; SCORES: [[APART:%.*]] = and i1 true, [[EITHER]]
; SCORES: [[ALL:%.*]] = call i1 @lanza.all(i1 [[APART]])
; SCORES: [[ASKED:%.*]] = and i1 {{%.*}}, [[ALL]]
; SCORES: br i1 [[ASKED]], label %row.start, label %row.end
define void @scores(i32 %n, i32 %count, ptr %x, ptr %y, ptr %out) {
entry:
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x.row = mul nsw i32 %t, %n
  %out.row = mul nsw i32 %t, %count
  br label %outer
outer:
  %c = phi i32 [ 0, %entry ], [ %c.next, %latch ]
  %y.row = mul nsw i32 %c, %n
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner ]
  %sum = phi float [ 0.0, %outer ], [ %sum.next, %inner ]
  %x.j = add nsw i32 %x.row, %j
  %x.wide = sext i32 %x.j to i64
  %x.at = getelementptr inbounds float, ptr %x, i64 %x.wide
  %x.v = load float, ptr %x.at
  %y.j = add nsw i32 %y.row, %j
  %y.wide = sext i32 %y.j to i64
  %y.at = getelementptr inbounds float, ptr %y, i64 %y.wide
  %y.v = load float, ptr %y.at
  %product = fmul float %x.v, %y.v
  %sum.next = fadd float %sum, %product
  %j.next = add nuw nsw i32 %j, 1
  %done = icmp eq i32 %j.next, %n
  br i1 %done, label %latch, label %inner
latch:
  %out.c = add nsw i32 %out.row, %c
  %out.wide = sext i32 %out.c to i64
  %out.at = getelementptr inbounds float, ptr %out, i64 %out.wide
  store float %sum.next, ptr %out.at
  %c.next = add nuw nsw i32 %c, 1
  %end = icmp eq i32 %c.next, %count
  br i1 %end, label %exit, label %outer
exit:
  ret void
}

; Where only some turns write, nobody says that the others' places are any.
; SOME-LABEL: @some(
; SOME-NOT: alloca
define void @some(i32 %n, i32 %count, ptr %x, ptr %out) {
entry:
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x.row = mul nsw i32 %t, %n
  br label %outer
outer:
  %c = phi i32 [ 0, %entry ], [ %c.next, %latch ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner ]
  %sum = phi float [ 0.0, %outer ], [ %sum.next, %inner ]
  %x.j = add nsw i32 %x.row, %j
  %x.wide = sext i32 %x.j to i64
  %x.at = getelementptr inbounds float, ptr %x, i64 %x.wide
  %x.v = load float, ptr %x.at
  %sum.next = fadd float %sum, %x.v
  %j.next = add nuw nsw i32 %j, 1
  %done = icmp eq i32 %j.next, %n
  br i1 %done, label %end, label %inner
end:
  %writes = icmp eq i32 %c, %n
  br i1 %writes, label %write, label %latch
write:
  %out.c = add nsw i32 %t, %c
  %out.wide = sext i32 %out.c to i64
  %out.at = getelementptr inbounds float, ptr %out, i64 %out.wide
  store float %sum.next, ptr %out.at
  br label %latch
latch:
  %c.next = add nuw nsw i32 %c, 1
  %last = icmp eq i32 %c.next, %count
  br i1 %last, label %exit, label %outer
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
