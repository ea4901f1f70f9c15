; RUN: %opt -passes=saturate-conversions %s | %check %s
target triple = "nvptx64-nvidia-cuda"

; NaN fails both compares and becomes 0.
; CHECK-LABEL: @to_int(
; CHECK: [[HIGH:%.*]] = fcmp oge float %x, 0x41E0000000000000
; CHECK: [[LOW:%.*]] = fcmp oge float %x, 0xC1E0000000000000
; CHECK: [[IN:%.*]] = select i1 {{%.*}}, float %x, float 0.0
; CHECK: [[C:%.*]] = fptosi float [[IN]] to i32
; CHECK: select i1 [[HIGH]], i32 2147483647, i32 [[C]]
; CHECK: select i1 {{%.*}}, i32 -2147483648
; CHECK-NOT: fcmp uno
define i32 @to_int(float %x) {
  %r = fptosi float %x to i32
  ret i32 %r
}

; CHECK-LABEL: @to_unsigned_long(
; CHECK: fcmp oge double %x, 0x43F0000000000000
; CHECK: fptoui double
; CHECK: [[NAN:%.*]] = fcmp uno double %x, %x
; CHECK: select i1 [[NAN]], i64 -9223372036854775808
define i64 @to_unsigned_long(double %x) {
  %r = call i64 @llvm.fptoui.sat.i64.f64(double %x)
  ret i64 %r
}
declare i64 @llvm.fptoui.sat.i64.f64(double)

; CHECK-LABEL: @to_char(
; CHECK: [[WIDE:%.*]] = select i1 {{%.*}}, i32 -2147483648
; CHECK: trunc i32 [[WIDE]] to i8
define i8 @to_char(float %x) {
  %r = fptosi float %x to i8
  ret i8 %r
}
