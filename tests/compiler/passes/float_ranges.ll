; RUN: %opt -passes=float-ranges %s | %check %s
; RUN: %opt -passes=saturate-conversions,choose-extrema,float-ranges,"llvm(instcombine<no-verify-fixpoint>)" %s | %check %s --check-prefix=CONVERTED
target triple = "nvptx64-nvidia-cuda"

declare float @llvm.maxnum.f32(float, float)
declare float @llvm.minnum.f32(float, float)
declare float @llvm.rint.f32(float)
declare float @llvm.fma.f32(float, float, float)

; A clamped value is no NaN, and fits: nothing guards its conversion.
; CONVERTED-LABEL: define i8 @quantised(
; CONVERTED-NOT: {{fcmp.*e(38|41)}}
; CONVERTED: [[I:%.*]] = fptosi float %{{.*}} to i
; CONVERTED-NOT: select
; CONVERTED: ret i8
define i8 @quantised(float %x) {
  %low = call float @llvm.maxnum.f32(float %x, float -128.0)
  %in = call float @llvm.minnum.f32(float %low, float 127.0)
  %whole = call float @llvm.rint.f32(float %in)
  %i = fptosi float %whole to i8
  ret i8 %i
}

; A colour from 0 to 1, as choices; what fits a signed integer is converted to that.
; CONVERTED-LABEL: define i8 @colour(
; CONVERTED: fptosi
; CONVERTED-NOT: fptoui
; CONVERTED: ret i8
define i8 @colour(float %x) {
  %above = fcmp ogt float %x, 0.0
  %low = select i1 %above, float %x, float 0.0
  %below = fcmp olt float %low, 1.0
  %in = select i1 %below, float %low, float 1.0
  %scaled = call float @llvm.fma.f32(float %in, float 255.0, float 0.5)
  %i = fptoui float %scaled to i8
  ret i8 %i
}

; Roundings of the ends are those of the operation.
; CHECK-LABEL: define i1 @at_most(
; CHECK: ret i1 true
define i1 @at_most(float %x) {
  %in = call float @llvm.minnum.f32(float %x, float 16777216.0)
  %not_below = call float @llvm.maxnum.f32(float %in, float 0.0)
  %more = fadd float %not_below, 1.0
  %c = fcmp ole float %more, 16777216.0
  ret i1 %c
}

; CHECK-LABEL: define i1 @of_integers(
; CHECK: ret i1 true
define i1 @of_integers(i8 %a, i16 %b) {
  %x = uitofp i8 %a to float
  %y = sitofp i16 %b to float
  %sum = fmul float %x, %y
  %c = fcmp oge float %sum, -8355840.0
  ret i1 %c
}

; The value itself stands where the comparison is with NaN: it stays one.
; CHECK-LABEL: define i1 @nan_stays(
; CHECK: [[C:%.*]] = fcmp ord float %least, 0.0
; CHECK: ret i1 [[C]]
define i1 @nan_stays(float %x) {
  %above = fcmp ult float %x, 1.0
  %least = select i1 %above, float %x, float 1.0
  %c = fcmp ord float %least, 0.0
  ret i1 %c
}

; One side of an extremum may be anything, on the other it may not end.
; CHECK-LABEL: define i1 @one_sided(
; CHECK: [[C:%.*]] = fcmp olt float %larger, 8.0
; CHECK: select i1 false
define i1 @one_sided(float %x) {
  %larger = call float @llvm.maxnum.f32(float %x, float -8.0)
  %c = fcmp olt float %larger, 8.0
  %never = fcmp ult float %larger, -8.0
  %d = xor i1 %c, true
  %e = or i1 %d, %never
  %f = select i1 %never, i1 %e, i1 %d
  ret i1 %f
}

; What may overflow may be infinite, and infinities may meet: nothing is known.
; CHECK-LABEL: define i1 @overflows(
; CHECK: [[C:%.*]] = fcmp ord float %sum, 0.0
; CHECK: ret i1 [[C]]
define i1 @overflows(i64 %a) {
  %x = uitofp i64 %a to float
  %y = fmul float %x, 0x47EFFFFFE0000000
  %sum = fsub float %y, %y
  %c = fcmp ord float %sum, 0.0
  ret i1 %c
}
