; RUN: %opt -passes=zero-choices %s | %check %s
; RUN: %opt -passes=choose-extrema,zero-choices %s | %check %s --check-prefix=CHOSEN

; Equal numbers that are no zeros have the same bits: their extremum needs no choice of a sign.
; CHECK-LABEL: define float @clamped(
; CHECK-NEXT: [[LARGER:%.*]] = call float @llvm.maxnum.f32(float %x, float -3.000000e+00)
; CHECK: ret float [[LARGER]]
; CHOSEN-LABEL: define float @clamped(
; CHOSEN-NEXT: fcmp ogt float %x, -3.000000e+00
; CHOSEN-NEXT: [[LARGER:%.*]] = select
; CHOSEN: ret float [[LARGER]]
define float @clamped(float %x) {
  %larger = call float @llvm.maxnum.f32(float %x, float -3.0)
  %bits = bitcast float %x to i32
  %both = and i32 %bits, -1069547520
  %same = bitcast i32 %both to float
  %equal = fcmp oeq float %x, -3.0
  %raised = select i1 %equal, float %same, float %larger
  ret float %raised
}

; Zeros need it.
; CHECK-LABEL: define float @capped(
; CHECK: [[LEAST:%.*]] = select i1 %equal, float %x, float
; CHECK: ret float [[LEAST]]
define float @capped(float %x) {
  %smaller = call float @llvm.minnum.f32(float %x, float 0.0)
  %equal = fcmp oeq float %x, 0.0
  %least = select i1 %equal, float %x, float %smaller
  ret float %least
}
