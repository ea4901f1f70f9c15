; RUN: %opt -passes='saturate-conversions,llvm(function(instcombine<no-verify-fixpoint>)),clamp-conversions,llvm(verify)' %s | %check %s
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare float @llvm.rint.f32(float)

; One clamp, of floats; a NaN is 0.
; CHECK-LABEL: define i8 @quantised(
; CHECK: [[R:%.*]] = call float @llvm.rint.f32(float %x)
; CHECK-NEXT: [[LESS:%.*]] = fcmp olt float [[R]], 1.270000e+02
; CHECK-NEXT: [[MOST:%.*]] = select i1 [[LESS]], float [[R]], float 1.270000e+02
; CHECK-NEXT: [[MORE:%.*]] = fcmp ogt float [[MOST]], -1.270000e+02
; CHECK-NEXT: [[IN:%.*]] = select i1 [[MORE]], float [[MOST]], float -1.270000e+02
; CHECK-NEXT: [[I:%.*]] = fptosi float [[IN]] to i32
; CHECK-NEXT: [[NUMBER:%.*]] = fcmp ord float [[R]], 0.000000e+00
; CHECK-NEXT: [[OR_ZERO:%.*]] = select i1 [[NUMBER]], i32 [[I]], i32 0
; CHECK-NEXT: [[BYTE:%.*]] = trunc i32 [[OR_ZERO]] to i8
; CHECK-NEXT: ret i8 [[BYTE]]
define i8 @quantised(float %x) {
  %r = call float @llvm.rint.f32(float %x)
  %i = fptosi float %r to i32
  %low = call i32 @llvm.smax.i32(i32 %i, i32 -127)
  %in = call i32 @llvm.smin.i32(i32 %low, i32 127)
  %byte = trunc i32 %in to i8
  ret i8 %byte
}

; Where that is the lower end, the lower end comes first, which a NaN is not above.
; CHECK-LABEL: define i8 @pixel(
; CHECK: [[MORE:%.*]] = fcmp ogt float %x, 0.000000e+00
; CHECK-NEXT: [[LEAST:%.*]] = select i1 [[MORE]], float %x, float 0.000000e+00
; CHECK-NEXT: fcmp olt float [[LEAST]], 2.550000e+02
; CHECK: fptosi float
; CHECK-NEXT: trunc i32
; CHECK-NEXT: ret i8
define i8 @pixel(float %x) {
  %i = fptosi float %x to i32
  %low = call i32 @llvm.smax.i32(i32 %i, i32 0)
  %in = call i32 @llvm.smin.i32(i32 %low, i32 255)
  %byte = trunc i32 %in to i8
  ret i8 %byte
}

; A double's NaN is the least integer, so the lower end.
; CHECK-LABEL: define i32 @of_double(
; CHECK: fcmp ogt double %x, 5.000000e+00
; CHECK: fcmp olt double {{%.*}}, 9.000000e+00
; CHECK: [[I:%.*]] = fptosi double {{%.*}} to i32
; CHECK-NEXT: ret i32 [[I]]
define i32 @of_double(double %x) {
  %i = fptosi double %x to i32
  %low = call i32 @llvm.smax.i32(i32 %i, i32 5)
  %in = call i32 @llvm.smin.i32(i32 %low, i32 9)
  ret i32 %in
}

; An end that a float has not, and none on one side: guards stay.
; CHECK-LABEL: define i32 @no_floats(
; CHECK: fptosi float %x to i32
; CHECK: call i32 @llvm.smin.i32(
define i32 @no_floats(float %x) {
  %i = fptosi float %x to i32
  %low = call i32 @llvm.smax.i32(i32 %i, i32 0)
  %in = call i32 @llvm.smin.i32(i32 %low, i32 16777217)
  ret i32 %in
}

; CHECK-LABEL: define i32 @one_side(
; CHECK: fptosi float %x to i32
; CHECK: select
define i32 @one_side(float %x) {
  %i = fptosi float %x to i32
  %low = call i32 @llvm.smax.i32(i32 %i, i32 0)
  ret i32 %low
}
