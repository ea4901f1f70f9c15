; The maximum of fabs(x) and -5 is -5 where x is NaN: InstCombine must not take it for not negative.
; RUN: %opt -passes=constant-extrema %s | %check %s
; RUN: %opt "-passes=llvm(instcombine<no-verify-fixpoint>)" %s | %check %s --check-prefix=WRONG
; RUN: %opt "-passes=constant-extrema,llvm(instcombine<no-verify-fixpoint>)" %s | %check %s --check-prefix=RIGHT

define i1 @maximum(float %x) {
; CHECK-LABEL: @maximum
; CHECK: %[[BEYOND:.*]] = fcmp ogt float %p, -5.000000e+00
; CHECK: select i1 %[[BEYOND]], float %p, float -5.000000e+00
; WRONG-LABEL: @maximum
; WRONG: ret i1 false
; RIGHT-LABEL: @maximum
; RIGHT-NOT: ret i1 false
; RIGHT: ret i1 %
  %p = call float @llvm.fabs.f32(float %x)
  %m = call float @llvm.maxnum.f32(float %p, float -5.000000e+00)
  %negative = fcmp olt float %m, 0.000000e+00
  ret i1 %negative
}

define double @minimum(double %x) {
; CHECK-LABEL: @minimum
; CHECK: %[[BEYOND:.*]] = fcmp olt double %x, 1.000000e+00
; CHECK: select i1 %[[BEYOND]], double %x, double 1.000000e+00
  %m = call double @llvm.minnum.f64(double 1.000000e+00, double %x)
  ret double %m
}

; The signs of zeros matter, and other numbers do no harm.
define float @others(float %x, float %y) {
; CHECK-LABEL: @others
; CHECK-NOT: fcmp
; CHECK: ret float
  %zero = call float @llvm.maxnum.f32(float %x, float 0.000000e+00)
  %negative_zero = call float @llvm.maxnum.f32(float %zero, float -0.000000e+00)
  %positive = call float @llvm.maxnum.f32(float %negative_zero, float 2.000000e+00)
  %negative = call float @llvm.minnum.f32(float %positive, float -2.000000e+00)
  %variable = call float @llvm.maxnum.f32(float %negative, float %y)
  ret float %variable
}
