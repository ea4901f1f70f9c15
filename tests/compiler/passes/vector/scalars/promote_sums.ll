; RUN: %opt -kernel=beside -block=256 -lanes=16 -passes='llvm(loop-simplify,lcssa),promote-sums' %s | %check %s --check-prefix=BESIDE
; RUN: %opt -kernel=rows -block=256 -lanes=16 -passes='llvm(loop-simplify,lcssa),promote-sums' %s | %check %s --check-prefix=ROWS
; RUN: %opt -kernel=rows -block=32,8 -lanes=16 -passes='llvm(loop-simplify,lcssa),promote-sums' %s | %check %s --check-prefix=ROWS
; RUN: %opt -kernel=nested -block=32,8 -lanes=16 -passes='llvm(loop-simplify,lcssa),promote-sums' %s | %check %s --check-prefix=NESTED
; RUN: %opt -kernel=scattered -block=256 -lanes=16 -passes='llvm(loop-simplify,lcssa),promote-sums' %s | %check %s --check-prefix=SCATTERED
; RUN: %opt -kernel=not_negative -block=256 -lanes=16 -passes='llvm(loop-simplify,lcssa),promote-sums' %s | %check %s --check-prefix=POSITIVE
; RUN: %opt -kernel=wraps -block=256 -lanes=16 -passes='llvm(loop-simplify,lcssa),promote-sums' %s | %check %s --check-prefix=WRAPS
; RUN: %opt -kernel=written -block=256 -lanes=16 -passes='llvm(loop-simplify,lcssa),promote-sums' %s | %check %s --check-prefix=WRITTEN
; RUN: %opt -kernel=columns -block=256 -lanes=16 -passes='llvm(loop-simplify,lcssa),promote-sums' %s | %check %s --check-prefix=COLUMNS
; RUN: %opt -kernel=members -block=256 -lanes=16 -passes='llvm(loop-simplify,lcssa),promote-sums' %s | %check %s --check-prefix=MEMBERS
; RUN: %opt -kernel=scatters -block=256 -lanes=16 -passes='llvm(loop-simplify,lcssa),promote-sums' %s | %check %s --check-prefix=SCATTERS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare ptr @__lanza_shared()

; y[i] += a[i * n + j]: where y[i] lies outside of the row it is a register.
; ROWS-LABEL: @rows(
; ROWS: [[LOW:%.*]] = call i64 @llvm.umin.i64(
; ROWS: [[HIGH:%.*]] = call i64 @llvm.umax.i64(
; ROWS: [[BEHIND:%.*]] = add i64 [[HIGH]], 4
; ROWS: [[ALL:%.*]] = call i1 @lanza.all(
; ROWS: br i1 [[ALL]], label %sums, label %loop
; ROWS: sums:
; ROWS: [[START:%.*]] = load float, ptr %y.i
; ROWS: loop.sums:
; ROWS: [[SUM:%.*]] = phi float [ [[START]], %sums ], [ [[NEXT:%.*]], %loop.sums ]
; ROWS-NOT: %y.i
; ROWS: [[NEXT]] = fadd float [[SUM]], %
; ROWS-NOT: store
; ROWS: br i1
; ROWS: loop:
; ROWS: load float, ptr %y.i
; ROWS: store float %{{.*}}, ptr %y.i
; ROWS: sums.end:
; ROWS: [[END:%.*]] = phi float [ [[NEXT]], %loop.sums ]
; ROWS: store float [[END]], ptr %y.i
define void @rows(i64 %n, ptr %y, ptr %a) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %row = mul i64 %i, %n
  %y.i = getelementptr float, ptr %y, i64 %i
  br label %loop
loop:
  %j = phi i64 [ 0, %0 ], [ %j.next, %loop ]
  %k = add i64 %row, %j
  %at = getelementptr float, ptr %a, i64 %k
  %v = load float, ptr %at
  %before = load float, ptr %y.i
  %sum = fadd float %before, %v
  store float %sum, ptr %y.i
  %j.next = add nuw nsw i64 %j, 1
  %done = icmp eq i64 %j.next, %n
  br i1 %done, label %end, label %loop
end:
  ret void
}

; What is in a register already is only written behind the loop.
; WRITTEN-LABEL: @written(
; WRITTEN: loop.sums:
; WRITTEN-NOT: store
; WRITTEN: br i1
; WRITTEN: sums.end:
; WRITTEN: %sum.end = phi float [ %sum.sums, %loop.sums ]
; WRITTEN: [[SUM:%.*]] = phi float [ %sum.sums, %loop.sums ]
; WRITTEN: store float %sum.end
; WRITTEN: br label %end
; WRITTEN: phi float [ %sum{{.*}}, %loop ], [ [[SUM]], %sums.end ]
define float @written(i64 %n, ptr %y, ptr %a) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %row = mul i64 %i, %n
  %y.i = getelementptr float, ptr %y, i64 %i
  br label %loop
loop:
  %j = phi i64 [ 0, %0 ], [ %j.next, %loop ]
  %before = phi float [ 0.0, %0 ], [ %sum, %loop ]
  %k = add i64 %row, %j
  %at = getelementptr float, ptr %a, i64 %k
  %v = load float, ptr %at
  %sum = fadd float %before, %v
  store float %sum, ptr %y.i
  %j.next = add nuw nsw i64 %j, 1
  %done = icmp eq i64 %j.next, %n
  br i1 %done, label %end, label %loop
end:
  ret float %sum
}

; Nobody has a row of its own: groups that walk together gain more.
; COLUMNS-LABEL: @columns(
; COLUMNS-NOT: lanza.all
; COLUMNS: ret
define void @columns(i64 %n, ptr %y, ptr %a) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %y.i = getelementptr float, ptr %y, i64 %i
  %a.i = getelementptr float, ptr %a, i64 %i
  br label %loop
loop:
  %j = phi i64 [ 0, %0 ], [ %j.next, %loop ]
  %k = mul i64 %j, %n
  %at = getelementptr float, ptr %a.i, i64 %k
  %v = load float, ptr %at
  %before = load float, ptr %y.i
  %sum = fadd float %before, %v
  store float %sum, ptr %y.i
  %j.next = add nuw nsw i64 %j, 1
  %done = icmp eq i64 %j.next, %n
  br i1 %done, label %end, label %loop
end:
  ret void
}

; Something else is written, too.
; SCATTERS-LABEL: @scatters(
; SCATTERS-NOT: lanza.all
; SCATTERS: ret
define void @scatters(i64 %n, ptr %y, ptr %a) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %row = mul i64 %i, %n
  %y.i = getelementptr float, ptr %y, i64 %i
  br label %loop
loop:
  %j = phi i64 [ 0, %0 ], [ %j.next, %loop ]
  %k = add i64 %row, %j
  %at = getelementptr float, ptr %a, i64 %k
  %v = load float, ptr %at
  store float 0.0, ptr %at
  %before = load float, ptr %y.i
  %sum = fadd float %before, %v
  store float %sum, ptr %y.i
  %j.next = add nuw nsw i64 %j, 1
  %done = icmp eq i64 %j.next, %n
  br i1 %done, label %end, label %loop
end:
  ret void
}

; Blocks of several rows ask where the kernel begins, or walk together.
; NESTED-LABEL: @nested(
; NESTED-NOT: lanza.all
; NESTED: ret void
define void @nested(i64 %n, ptr %y, ptr %a) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %row = mul i64 %i, %n
  br label %outer
outer:
  %o = phi i64 [ 0, %0 ], [ %o.next, %outer.end ]
  %y.i = getelementptr float, ptr %y, i64 %o
  br label %loop
loop:
  %j = phi i64 [ 0, %outer ], [ %j.next, %loop ]
  %k = add i64 %row, %j
  %at = getelementptr float, ptr %a, i64 %k
  %v = load float, ptr %at
  %before = load float, ptr %y.i
  %sum = fadd float %before, %v
  store float %sum, ptr %y.i
  %j.next = add nuw nsw i64 %j, 1
  %done = icmp eq i64 %j.next, %n
  br i1 %done, label %outer.end, label %loop
outer.end:
  %o.next = add nuw nsw i64 %o, 1
  %all = icmp eq i64 %o.next, %n
  br i1 %all, label %end, label %outer
end:
  ret void
}

; Each turn would gather and scatter the places. An index that goes down a column does not wrap.
; SCATTERED-LABEL: @scattered(
; SCATTERED: call i64 @llvm.umin.i64(
; SCATTERED: [[ALL:%.*]] = call i1 @lanza.all(
; SCATTERED: br i1 [[ALL]], label %sums, label %loop
; SCATTERED: loop.sums:
; SCATTERED-NOT: store
; SCATTERED: loop:
define void @scattered(i32 %n, ptr %y, ptr %a) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul nsw i32 %t, %n
  %place = sext i32 %row to i64
  %y.i = getelementptr float, ptr %y, i64 %place
  br label %loop
loop:
  %j = phi i32 [ 0, %0 ], [ %j.next, %loop ]
  %down = mul nsw i32 %j, %n
  %k = add nsw i32 %down, %t
  %wide = sext i32 %k to i64
  %at = getelementptr float, ptr %a, i64 %wide
  %v = load float, ptr %at
  %before = load float, ptr %y.i
  %sum = fadd float %before, %v
  store float %sum, ptr %y.i
  %j.next = add nuw nsw i32 %j, 1
  %done = icmp eq i32 %j.next, %n
  br i1 %done, label %end, label %loop
end:
  ret void
}

; Nor does one that is extended with zeros, but is not negative, of bits that are apart.
; POSITIVE-LABEL: @not_negative(
; POSITIVE: [[ALL:%.*]] = call i1 @lanza.all(
; POSITIVE: br i1 [[ALL]], label %sums, label %loop
; POSITIVE: loop.sums:
; POSITIVE-NOT: store
; POSITIVE: loop:
define void @not_negative(i32 %n, ptr %y, ptr %a) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul nuw nsw i32 %t, 513
  %place = zext nneg i32 %row to i64
  %y.i = getelementptr float, ptr %y, i64 %place
  br label %loop
loop:
  %j = phi i32 [ 0, %0 ], [ %j.next, %loop ]
  %down = shl nuw nsw i32 %j, 9
  %k = or disjoint i32 %down, %t
  %wide = zext nneg i32 %k to i64
  %at = getelementptr float, ptr %a, i64 %wide
  %v = load float, ptr %at
  %before = load float, ptr %y.i
  %sum = fadd float %before, %v
  store float %sum, ptr %y.i
  %j.next = add nuw nsw i32 %j, 1
  %done = icmp eq i32 %j.next, %n
  br i1 %done, label %end, label %loop
end:
  ret void
}

; One that may wrap has no ends.
; WRAPS-LABEL: @wraps(
; WRAPS-NOT: lanza.all
; WRAPS: ret void
define void @wraps(i32 %n, ptr %y, ptr %a) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul nsw i32 %t, %n
  %place = sext i32 %row to i64
  %y.i = getelementptr float, ptr %y, i64 %place
  br label %loop
loop:
  %j = phi i32 [ 0, %0 ], [ %j.next, %loop ]
  %down = mul i32 %j, %n
  %k = add i32 %down, %t
  %wide = sext i32 %k to i64
  %at = getelementptr float, ptr %a, i64 %wide
  %v = load float, ptr %at
  %before = load float, ptr %y.i
  %sum = fadd float %before, %v
  store float %sum, ptr %y.i
  %j.next = add nuw nsw i32 %j, 1
  %done = icmp eq i32 %j.next, %n
  br i1 %done, label %end, label %loop
end:
  ret void
}

; Members of records, where all that is read lies in shared memory: they are registers, and only of the two it is asked.
; MEMBERS-LABEL: @members(
; MEMBERS: loop.sums:
; MEMBERS: phi float
; MEMBERS: phi float
; MEMBERS-NOT: store
; MEMBERS: br i1
; MEMBERS: sums.end:
; MEMBERS: store float
; MEMBERS: store float
define void @members(i64 %n, ptr %f) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %s = call ptr @__lanza_shared()
  %x = getelementptr { float, float }, ptr %f, i64 %i, i32 0
  %y = getelementptr { float, float }, ptr %f, i64 %i, i32 1
  br label %loop
loop:
  %j = phi i64 [ 0, %0 ], [ %j.next, %loop ]
  %at = getelementptr float, ptr %s, i64 %j
  %v = load float, ptr %at
  %x.before = load float, ptr %x
  %x.sum = fadd float %x.before, %v
  store float %x.sum, ptr %x
  %y.before = load float, ptr %y
  %y.sum = fsub float %y.before, %v
  store float %y.sum, ptr %y
  %j.next = add nuw nsw i64 %j, 1
  %done = icmp eq i64 %j.next, %n
  br i1 %done, label %end, label %loop
end:
  ret void
}

; a[i + 1][t] -= a[i + 1][j] * a[j][t] for t > i: what all lanes load next lies in the vector that some of them have just
; stored.
; BESIDE-LABEL: @beside(
; BESIDE: call i1 @lanza.all(
; BESIDE: loop.sums:
; BESIDE-NOT: store
; BESIDE: loop:
define void @beside(i64 %i) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %column = zext nneg i32 %t to i64
  %a = call ptr @__lanza_shared()
  %below = add nuw nsw i64 %i, 1
  %place = getelementptr [256 x float], ptr %a, i64 %below, i64 %column
  %works = icmp ugt i64 %column, %i
  br i1 %works, label %before, label %end
before:
  br label %loop
loop:
  %j = phi i64 [ 0, %before ], [ %j.next, %loop ]
  %p = getelementptr [256 x float], ptr %a, i64 %below, i64 %j
  %x = load float, ptr %p
  %q = getelementptr [256 x float], ptr %a, i64 %j, i64 %column
  %y = load float, ptr %q
  %old = load float, ptr %place
  %product = fmul float %x, %y
  %new = fsub float %old, %product
  store float %new, ptr %place
  %j.next = add nuw nsw i64 %j, 1
  %done = icmp eq i64 %j.next, %below
  br i1 %done, label %end, label %loop
end:
  ret void
}
