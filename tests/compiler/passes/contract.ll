; RUN: %opt -passes=contract %s | %check %s --check-prefixes=CHECK,ON
; RUN: %opt -no-fmad -passes=contract %s | %check %s --check-prefixes=CHECK,OFF
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: @sum(
; ON-NEXT: [[F:%.*]] = call float @llvm.fma.f32(float %a, float %b, float %c)
; ON-NEXT: ret float [[F]]
; OFF-NEXT: %p = fmul float %a, %b
; OFF-NEXT: %s = fadd float %p, %c
define float @sum(float %a, float %b, float %c) {
  %p = fmul contract float %a, %b
  %s = fadd contract float %p, %c
  ret float %s
}

; The first of two products is fused.
; CHECK-LABEL: @two(
; ON: [[Q:%.*]] = fmul float %c, %d
; ON: call float @llvm.fma.f32(float %a, float %b, float [[Q]])
define float @two(float %a, float %b, float %c, float %d) {
  %p = fmul contract float %a, %b
  %q = fmul contract float %c, %d
  %s = fadd contract float %p, %q
  ret float %s
}

; CHECK-LABEL: @subtract_product(
; ON: [[N:%.*]] = fneg double %a
; ON: call double @llvm.fma.f64(double [[N]], double %b, double %c)
define double @subtract_product(double %a, double %b, double %c) {
  %p = fmul contract double %a, %b
  %s = fsub contract double %c, %p
  ret double %s
}

; Code that did not ask for it (error-free transformations) is left alone.
; CHECK-LABEL: @exact(
; CHECK-NEXT: fmul float
; CHECK-NEXT: fadd float
define float @exact(float %a, float %b, float %c) {
  %p = fmul float %a, %b
  %s = fadd contract float %p, %c
  ret float %s
}

; CHECK-LABEL: @builtin(
; ON: call float @llvm.fma.f32
; OFF: fmul float
; OFF: fadd float
define float @builtin(float %a, float %b, float %c) {
  %s = call float @llvm.fmuladd.f32(float %a, float %b, float %c)
  ret float %s
}
declare float @llvm.fmuladd.f32(float, float, float)
