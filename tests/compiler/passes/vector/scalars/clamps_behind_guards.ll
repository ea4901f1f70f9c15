; RUN: %opt -kernel=steps -block=256 -lanes=16 -passes='clamp-behind-guards,llvm(correlated-propagation,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=STEPS
; RUN: %opt -kernel=unguarded -block=256 -lanes=16 -passes=clamp-behind-guards %s | %check %s --check-prefix=UNGUARDED
; RUN: %opt -kernel=inside -block=256 -lanes=16 -passes=clamp-behind-guards %s | %check %s --check-prefix=INSIDE
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)

; Neighbours' indices, clamped once, where each step asks for more than the clamps do: nothing is left of them.
; STEPS-LABEL: @steps(
; STEPS-NOT: llvm.smax
; STEPS-NOT: llvm.smin
; STEPS: ret void
define void @steps(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %l = add nsw i32 %t, -1
  %w = call i32 @llvm.smax.i32(i32 %l, i32 0)
  %w.wide = zext nneg i32 %w to i64
  %left = getelementptr i32, ptr %x, i64 %w.wide
  %r = add nsw i32 %t, 1
  %e = call i32 @llvm.smin.i32(i32 %r, i32 255)
  %e.wide = zext nneg i32 %e to i64
  %right = getelementptr i32, ptr %x, i64 %e.wide
  %wide = zext nneg i32 %t to i64
  %to = getelementptr i32, ptr %y, i64 %wide
  %from = add i32 %t, -1
  %first = icmp ult i32 %from, 254
  br i1 %first, label %one, label %next
one:
  %a = load i32, ptr %left
  store i32 %a, ptr %to
  br label %next
next:
  %from2 = add i32 %t, -2
  %second = icmp ult i32 %from2, 252
  br i1 %second, label %two, label %end
two:
  %b = load i32, ptr %left
  %c = load i32, ptr %right
  %d = add i32 %b, %c
  store i32 %d, ptr %to
  br label %end
end:
  ret void
}

; Where nobody asks, the clamp stays where it is.
; UNGUARDED-LABEL: @unguarded(
; UNGUARDED: call i32 @llvm.smax.i32
; UNGUARDED: br label %behind
; UNGUARDED: behind:
; UNGUARDED-NEXT: load i32, ptr %left
define void @unguarded(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %l = add nsw i32 %t, -1
  %w = call i32 @llvm.smax.i32(i32 %l, i32 0)
  %wide = zext nneg i32 %w to i64
  %left = getelementptr i32, ptr %x, i64 %wide
  br label %behind
behind:
  %a = load i32, ptr %left
  store i32 %a, ptr %y
  ret void
}

; So does one that stands behind the guard already.
; INSIDE-LABEL: @inside(
; INSIDE-COUNT-1: call i32 @llvm.smax.i32
; INSIDE-NOT: llvm.smax
; INSIDE: ret void
define void @inside(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp ult i32 %t, 200
  br i1 %in, label %behind, label %end
behind:
  %l = add nsw i32 %t, -1
  %w = call i32 @llvm.smax.i32(i32 %l, i32 0)
  %wide = zext nneg i32 %w to i64
  %left = getelementptr i32, ptr %x, i64 %wide
  %a = load i32, ptr %left
  store i32 %a, ptr %y
  br label %end
end:
  ret void
}
