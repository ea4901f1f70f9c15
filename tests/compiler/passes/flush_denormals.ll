; RUN: %opt -passes=flush-denormals %s | %check %s
target triple = "nvptx64-nvidia-cuda"

; Both operands and the result are flushed; the second operation knows that its operand is.
; CHECK-LABEL: @floats(
; CHECK-COUNT-2: fcmp olt float {{%.*}}, 0x3810000000000000
; CHECK: [[S:%.*]] = fadd float
; CHECK: [[A:%.*]] = call float @llvm.fabs.f32(float [[S]])
; CHECK: [[SMALL:%.*]] = fcmp olt float [[A]], 0x3810000000000000
; CHECK: [[ZERO:%.*]] = call float @llvm.copysign.f32(float 0.0{{.*}}, float [[S]])
; CHECK: [[F:%.*]] = select i1 [[SMALL]], float [[ZERO]], float [[S]]
; CHECK-NEXT: fmul float [[F]], [[F]]
define float @floats(float %a, float %b) {
  %s = fadd float %a, %b
  %p = fmul float %s, %s
  ret float %p
}

; CHECK-LABEL: @doubles(
; CHECK-NEXT: fadd double
; CHECK-NEXT: ret
define double @doubles(double %a, double %b) {
  %s = fadd double %a, %b
  ret double %s
}
