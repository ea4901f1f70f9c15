; RUN: %opt -kernel=masked -block=256 -lanes=16 -passes=version-guards %s | %check %s --check-prefix=MASKED
; RUN: %opt -kernel=masked_inside -block=256 -lanes=16 -passes='version-guards,llvm(simplifycfg)' %s | %check %s --check-prefix=INSIDE
; RUN: %opt -kernel=alike -block=256 -lanes=16 -passes=version-guards %s | %check %s --check-prefix=ALIKE
; RUN: %opt -kernel=pair -block=256 -lanes=16 -passes='version-guards,llvm(verify,simplifycfg,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=PAIR
; RUN: %opt -kernel=others -block=256 -lanes=16 -passes=version-guards %s | %check %s --check-prefix=OTHERS
; RUN: %opt -kernel=turns -block=256 -lanes=16 -passes='version-guards,llvm(verify,simplifycfg,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=TURNS
; RUN: %opt -kernel=border -block=256 -lanes=16 -passes='version-guards,llvm(verify,instcombine<no-verify-fixpoint>,simplifycfg)' %s | %check %s --check-prefix=BORDER
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; `if (column > row) out = 0; else { loop }`: groups all of whose lanes go through the loop have a copy of it, the others
; ask both ways.
; MASKED-LABEL: @masked(
; MASKED: call i1 @lanza.all(
; MASKED-NEXT: br i1 {{.*}}, label %work.fast, label %some
; MASKED: some:
; MASKED-NEXT: br i1 %beyond, label %mask, label %work
; MASKED: work.fast:
; MASKED: loop.fast:
define void @masked(i32 %row, i32 %n, ptr %x, ptr %y) {
  %column = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %column to i64
  %to = getelementptr i32, ptr %y, i64 %wide
  %beyond = icmp sgt i32 %column, %row
  br i1 %beyond, label %mask, label %work
mask:
  store i32 0, ptr %to
  br label %end
work:
  br label %loop
loop:
  %d = phi i32 [ 0, %work ], [ %next, %loop ]
  %sum = phi i32 [ 0, %work ], [ %more, %loop ]
  %offset = mul i32 %d, 256
  %index = add i32 %offset, %column
  %from = getelementptr i32, ptr %x, i32 %index
  %v = load i32, ptr %from
  %more = add i32 %sum, %v
  %next = add nsw i32 %d, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  store i32 %more, ptr %to
  br label %end
end:
  ret void
}

; Behind another guard both are asked in front of the one copy, in which nothing is left to ask.
; INSIDE-LABEL: @masked_inside(
; INSIDE-COUNT-2: call i1 @lanza.all(
; INSIDE: br i1 {{.*}}, label %inside.fast, label %some
; INSIDE: some:
; INSIDE: br i1 %beyond, label %mask, label %loop
; INSIDE: inside.fast:
; INSIDE-NEXT: zext
; INSIDE-NEXT: getelementptr
; INSIDE-NEXT: icmp
; INSIDE-NEXT: br label %loop.fast
; INSIDE-LABEL: @alike(
define void @masked_inside(i32 %row, i32 %n, i32 %columns, ptr %x, ptr %y) {
  %column = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %column, %columns
  br i1 %in, label %inside, label %end
inside:
  %wide = zext nneg i32 %column to i64
  %to = getelementptr i32, ptr %y, i64 %wide
  %beyond = icmp sgt i32 %column, %row
  br i1 %beyond, label %mask, label %work
mask:
  store i32 0, ptr %to
  br label %end
work:
  br label %loop
loop:
  %d = phi i32 [ 0, %work ], [ %next, %loop ]
  %sum = phi i32 [ 0, %work ], [ %more, %loop ]
  %offset = mul i32 %d, 256
  %index = add i32 %offset, %column
  %from = getelementptr i32, ptr %x, i32 %index
  %v = load i32, ptr %from
  %more = add i32 %sum, %v
  %next = add nsw i32 %d, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  store i32 %more, ptr %to
  br label %end
end:
  ret void
}

; Where neither way has a loop, nobody knows which is worth a copy.
; ALIKE-LABEL: @alike(
; ALIKE-NOT: lanza.all
; ALIKE: ret void
define void @alike(i32 %row, ptr %x, ptr %y) {
  %column = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %column to i64
  %from = getelementptr i32, ptr %x, i64 %wide
  %to = getelementptr i32, ptr %y, i64 %wide
  %beyond = icmp sgt i32 %column, %row
  br i1 %beyond, label %mask, label %work
mask:
  store i32 0, ptr %to
  br label %end
work:
  %a = load i32, ptr %from
  %b = mul i32 %a, %a
  %c = add i32 %b, %row
  %d = xor i32 %c, %a
  %e = mul i32 %d, %c
  store i32 %e, ptr %to
  br label %end
end:
  ret void
}

; Two elements of a thread's own, asked for one after the other, are asked for together.
; PAIR-LABEL: define void @pair(
; PAIR: call i1 @lanza.all(
; PAIR-NOT: lanza.all
; PAIR: br i1 {{.*}}, label %[[FAST:.*]], label %{{.*}}
; PAIR: [[FAST]]:
; PAIR-NOT: br i1
; PAIR: store float
; PAIR-NOT: br i1
; PAIR: store float
; PAIR: {{^[}]}}
define void @pair(ptr %x, ptr %o, i32 %n) {
entry:
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = shl nsw nuw i32 %t, 1
  %is0 = icmp slt i32 %first, %n
  br i1 %is0, label %work0, label %guard1
work0:
  %w0 = zext i32 %first to i64
  %p0 = getelementptr float, ptr %x, i64 %w0
  %v0 = load float, ptr %p0
  %q0 = getelementptr float, ptr %o, i64 %w0
  store float %v0, ptr %q0
  br label %guard1
guard1:
  %second = or disjoint i32 %first, 1
  %is1 = icmp slt i32 %second, %n
  br i1 %is1, label %work1, label %end
work1:
  %w1 = zext i32 %second to i64
  %p1 = getelementptr float, ptr %x, i64 %w1
  %v1 = load float, ptr %p1
  %q1 = getelementptr float, ptr %o, i64 %w1
  store float %v1, ptr %q1
  br label %end
end:
  ret void
}

; Not where they ask about different things: the one may fail where the other holds.
; OTHERS-LABEL: define void @others(
; OTHERS: br i1 %{{[0-9]+}}, label %work0.fast, label %some
; OTHERS: br i1 %{{[0-9]+}}, label %work1.fast, label %some
define void @others(ptr %x, ptr %o, i32 %n, i32 %m) {
entry:
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %is0 = icmp slt i32 %t, %n
  br i1 %is0, label %work0, label %guard1
work0:
  %p0 = getelementptr float, ptr %x, i64 %w
  %v0 = load float, ptr %p0
  %m0 = fmul float %v0, %v0
  %a0 = fadd float %m0, 1.0
  %b0 = fmul float %a0, %m0
  store float %b0, ptr %p0
  br label %guard1
guard1:
  %is1 = icmp slt i32 %t, %m
  br i1 %is1, label %work1, label %end
work1:
  %p1 = getelementptr float, ptr %o, i64 %w
  %v1 = load float, ptr %p1
  %m1 = fmul float %v1, %v1
  %a1 = fadd float %m1, 1.0
  %b1 = fmul float %a1, %m1
  store float %b1, ptr %p1
  br label %end
end:
  ret void
}

; A row of a thread's own, each element asked for: a group whose rows lie inside asks once.
; TURNS-LABEL: define void @turns(
; TURNS: call i1 @lanza.all(
; TURNS: br i1 {{.*}}, label %entry.split.fast, label %entry.split
; TURNS: {{^}}turn.fast:
; TURNS-NOT: icmp slt
; TURNS: store float
; TURNS-NOT: icmp slt
; TURNS: br i1 {{.*}}, label %{{.*}}, label %turn.fast
define void @turns(ptr %x, ptr %o, i32 %n) {
entry:
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = shl nsw nuw i32 %t, 5
  br label %turn
turn:
  %j = phi i32 [ 0, %entry ], [ %next, %latch ]
  %i = add nsw nuw i32 %first, %j
  %is = icmp slt i32 %i, %n
  br i1 %is, label %work, label %latch
work:
  %w = zext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %w
  %v = load float, ptr %p
  %q = getelementptr float, ptr %o, i64 %w
  store float %v, ptr %q
  br label %latch
latch:
  %next = add nsw nuw i32 %j, 1
  %ends = icmp eq i32 %next, 32
  br i1 %ends, label %end, label %turn
end:
  ret void
}

; Both ways of a border's question work on memory: the copy is for those inside, however often it is asked.
; BORDER-LABEL: @border(
; BORDER: call i1 @lanza.all(
; BORDER: br i1 {{.*}}, label %[[FAST:.*]], label %some
; BORDER: br i1 %at, label %copy, label %work
; BORDER: [[FAST]]:
; BORDER-NOT: br i1
; BORDER: br label %end
define void @border(i32 %n, ptr %x, ptr %y) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %ask, label %end
ask:
  %wide = zext nneg i32 %i to i64
  %from = getelementptr i32, ptr %x, i64 %wide
  %to = getelementptr i32, ptr %y, i64 %wide
  %last = add nsw i32 %n, -1
  %first = icmp eq i32 %i, 0
  %ends = icmp eq i32 %i, %last
  %at = or i1 %first, %ends
  br i1 %at, label %copy, label %work
copy:
  %same = load i32, ptr %from
  store i32 %same, ptr %to
  br label %next
work:
  %before = getelementptr i8, ptr %from, i64 -4
  %a = load i32, ptr %before
  %behind = getelementptr i8, ptr %from, i64 4
  %b = load i32, ptr %behind
  %sum = add i32 %a, %b
  store i32 %sum, ptr %to
  br label %next
next:
  br i1 %at, label %end, label %again
again:
  %old = load i32, ptr %to
  %twice = shl i32 %old, 1
  store i32 %twice, ptr %to
  br label %end
end:
  ret void
}
