; RUN: %opt -kernel=sum -passes=lift-over-barriers %s | %check %s
; RUN: %opt -kernel=stays -passes=lift-over-barriers %s | %check %s --check-prefix=STAYS
; RUN: awk '{print} /^  store float .sum/{for (i = 0; i < 1100; ++i) print "fence seq_cst"}' %s | %opt -kernel=sum -passes=lift-over-barriers | %check %s
; RUN: awk '/^  .bits = trunc/{for (i = 0; i < 1100; ++i) print "fence seq_cst"} {print}' %s | %opt -kernel=sum -passes=lift-over-barriers | %check %s --check-prefix=FAR
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; The number and its partner's would wait at the barrier; their sum does instead, though one thread alone wants it.
; CHECK: %bits = trunc i64 %moved to i32
; CHECK-NEXT: %other = bitcast i32 %bits to float
; CHECK-NEXT: %sum = fadd float %v, %other
; CHECK-NEXT: br label %barrier
; CHECK: first:
; CHECK-NEXT: store float %sum
; What is further away than a thousand instructions stays, a long block does not hide what it begins with.
; FAR: first:
; FAR: %sum = fadd
define void @sum(ptr %p) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr float, ptr %p, i64 %i
  %v = load float, ptr %a
  %own = bitcast float %v to i32
  %word = zext i32 %own to i64
  %lane = xor i32 %t, 1
  %moved = call i64 @__lanza_sync(i32 11, i32 0, i32 -1, i64 %word, i32 %lane)
  br label %barrier
barrier:
  %b = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %after
after:
  %is = icmp eq i32 %t, 0
  br i1 %is, label %first, label %end
first:
  %bits = trunc i64 %moved to i32
  %other = bitcast i32 %bits to float
  %sum = fadd float %v, %other
  store float %sum, ptr %p
  br label %end
end:
  ret void
}

; What is wanted afterwards anyway, is made of an index, or divides: nothing is spared, or too much is done.
; STAYS: barrier:
; STAYS: after:
; STAYS: %product = fmul float %v, %w
; STAYS: %k = mul i64 %i, 3
; STAYS: %quotient = fdiv float %x, %y
define void @stays(ptr %p) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr float, ptr %p, i64 %i
  %v = load float, ptr %a
  %w = load float, ptr %p
  %x = load float, ptr %a
  %y = load float, ptr %p
  br label %barrier
barrier:
  %b = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %after
after:
  %product = fmul float %v, %w
  %k = mul i64 %i, 3
  %quotient = fdiv float %x, %y
  %c = getelementptr float, ptr %p, i64 %k
  store float %product, ptr %c
  store float %quotient, ptr %p
  store float %v, ptr %a
  ret void
}
