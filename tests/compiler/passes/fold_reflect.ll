; RUN: %opt -passes=fold-reflect %s | %check %s --check-prefixes=CHECK,HOST
; RUN: %opt -ptx -passes=fold-reflect %s | %check %s --check-prefixes=CHECK,GPU
target triple = "nvptx64-nvidia-cuda"

declare i32 @__lanza_reflect(i32)

; CHECK-NOT: __lanza_reflect
; CHECK-LABEL: @answers(
; HOST: store volatile i32 0
; GPU: store volatile i32 1
; CHECK: store volatile i32 1
; CHECK: store volatile i32 0
; CHECK: store volatile i32 1
; CHECK: store volatile i32 1
; CHECK: store volatile i32 0
define void @answers(ptr %p) {
  %ptx = call i32 @__lanza_reflect(i32 0)
  store volatile i32 %ptx, ptr %p
  %ftz = call i32 @__lanza_reflect(i32 1)
  store volatile i32 %ftz, ptr %p
  %prec_div = call i32 @__lanza_reflect(i32 2)
  store volatile i32 %prec_div, ptr %p
  %prec_sqrt = call i32 @__lanza_reflect(i32 3)
  store volatile i32 %prec_sqrt, ptr %p
  %halves = call i32 @__lanza_reflect(i32 5)
  store volatile i32 %halves, ptr %p
  %unknown = call i32 @__lanza_reflect(i32 99)
  store volatile i32 %unknown, ptr %p
  ret void
}

; A branch on the answer is decided: what only a GPU can do never reaches the host's code generator, not even unoptimised.
; CHECK-LABEL: @branch(
; HOST-NOT: call i32
; GPU: call i32 @llvm.nvvm.read.ptx.sreg.laneid()
define i32 @branch() {
  %ptx = call i32 @__lanza_reflect(i32 0)
  %is = icmp ne i32 %ptx, 0
  br i1 %is, label %gpu, label %host
gpu:
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  ret i32 %lane
host:
  ret i32 0
}
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()

!llvm.module.flags = !{!0, !1, !2}
!0 = !{i32 1, !"lanza.ftz", i32 1}
!1 = !{i32 1, !"lanza.prec_div", i32 0}
!2 = !{i32 7, !"lanza.computes_halves", i32 1}
