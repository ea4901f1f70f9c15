; The maximum of fabs(x) and -5 is -5 where x is NaN: InstCombine must not take it for not negative.
; RUN: %opt -passes=choose-extrema %s | %check %s
; RUN: %opt "-passes=llvm(instcombine<no-verify-fixpoint>)" %s | %check %s --check-prefix=WRONG
; RUN: %opt "-passes=choose-extrema,llvm(instcombine<no-verify-fixpoint>)" %s | %check %s --check-prefix=RIGHT

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

; A variable that is no NaN, and one that none of a branch's is.
define i1 @maximum_of_integer(float %x, i32 %i) {
; CHECK-LABEL: @maximum_of_integer
; CHECK: %[[BEYOND:.*]] = fcmp oge float %p, %n
; CHECK: select i1 %[[BEYOND]], float %p, float %n
; WRONG-LABEL: @maximum_of_integer
; WRONG: ret i1 false
; RIGHT-LABEL: @maximum_of_integer
; RIGHT-NOT: ret i1 false
; RIGHT: ret i1 %
  %p = call float @llvm.fabs.f32(float %x)
  %n = sitofp i32 %i to float
  %m = call float @llvm.maxnum.f32(float %n, float %p)
  %negative = fcmp olt float %m, 0.000000e+00
  ret i1 %negative
}

define i1 @minimum_in_a_branch(float %x, float %y) {
; CHECK-LABEL: @minimum_in_a_branch
; CHECK: %[[BEYOND:.*]] = fcmp ole float %p, %y
; CHECK: select i1 %[[BEYOND]], float %p, float %y
; WRONG-LABEL: @minimum_in_a_branch
; WRONG: ret i1 false
; RIGHT-LABEL: @minimum_in_a_branch
; RIGHT: select
  %p = call float @llvm.copysign.f32(float %x, float -1.0)
  %c = fcmp ogt float %y, 0.0
  br i1 %c, label %then, label %end
then:
  %m = call float @llvm.minnum.f32(float %p, float %y)
  %positive = fcmp ogt float %m, 0.0
  ret i1 %positive
end:
  ret i1 false
}

; Both of one sign: what LLVM knows is right.
define float @of_sizes(float %x, i32 %i) {
; CHECK-LABEL: @of_sizes
; CHECK-NOT: fcmp
; CHECK: ret float
  %p = call float @llvm.fabs.f32(float %x)
  %n = uitofp i32 %i to float
  %m = call float @llvm.maxnum.f32(float %p, float %n)
  ret float %m
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
