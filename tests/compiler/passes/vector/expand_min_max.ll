; RUN: %opt -kernel=both -passes=expand-min-max %s | %check %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare <2 x float> @llvm.maxnum.v2f32(<2 x float>, <2 x float>)
declare <2 x double> @llvm.minnum.v2f64(<2 x double>, <2 x double>)
declare float @llvm.maxnum.f32(float, float)

; CHECK-LABEL: define void @both(
define void @both(<2 x float> %x, <2 x float> %y, <2 x double> %z, float %s, ptr %p) {
; One of them may be NaN.
; CHECK: [[MORE:%.*]] = fcmp ogt <2 x float> %y, %x
; CHECK: [[MAX:%.*]] = select <2 x i1> [[MORE]], <2 x float> %y, <2 x float> %x
; CHECK: [[NAN:%.*]] = fcmp uno <2 x float> %x, %x
; CHECK: select <2 x i1> [[NAN]], <2 x float> %y, <2 x float> [[MAX]]
  %a = call <2 x float> @llvm.maxnum.v2f32(<2 x float> %x, <2 x float> %y)
  store volatile <2 x float> %a, ptr %p
; A constant is not.
; CHECK: [[LESS:%.*]] = fcmp olt <2 x double> %z, <double 1.000000e+00, double 2.000000e+00>
; CHECK: select <2 x i1> [[LESS]], <2 x double> %z, <2 x double> <double 1.000000e+00, double 2.000000e+00>
  %b = call <2 x double> @llvm.minnum.v2f64(<2 x double> %z, <2 x double> <double 1.0, double 2.0>)
  store volatile <2 x double> %b, ptr %p
; CHECK: call float @llvm.maxnum.f32
  %c = call float @llvm.maxnum.f32(float %s, float 1.0)
  store volatile float %c, ptr %p
  ret void
}
