; RUN: %opt -passes=nan-choices %s | %check %s

declare float @llvm.fma.f32(float, float, float)
declare float @llvm.copysign.f32(float, float)

; Halves computed with as floats: the result's NaN has bits of its own.
; CHECK-LABEL: @stored_as_half(
; CHECK-COUNT-1: select
; CHECK-NOT: select
; CHECK: ret void
define void @stored_as_half(ptr %p, float %x) {
  %h = load half, ptr %p
  %wide = fpext half %h to float
  %is_nan = fcmp uno half %h, 0xH0000
  %f = select i1 %is_nan, float 0x7FFFFFFFE0000000, float %wide
  %sum = call float @llvm.fma.f32(float %x, float %f, float %f)
  %narrow = fptrunc float %sum to half
  %bits = bitcast half %narrow to i16
  %sum_is_nan = fcmp uno float %sum, 0.0
  %result = select i1 %sum_is_nan, i16 32767, i16 %bits
  store i16 %result, ptr %p
  ret void
}

; Compared, or made an integer: also what a loop sums up.
; CHECK-LABEL: @summed(
; CHECK-NOT: select
; CHECK: %next = fadd float %sum, %wide
define i32 @summed(ptr %p, float %y) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %next, %loop ]
  %at = getelementptr half, ptr %p, i32 %i
  %h = load half, ptr %at
  %wide = fpext half %h to float
  %is_nan = fcmp uno half %h, %h
  %f = select i1 %is_nan, float 0x7FFFFFFFE0000000, float %wide
  %next = fadd float %sum, %f
  %i1 = add i32 %i, 1
  %more = fcmp olt float %next, %y
  br i1 %more, label %loop, label %end
end:
  %count = fptosi float %next to i32
  ret i32 %count
}

; A float in memory shows its bits, and so does a sign that is copied.
; CHECK-LABEL: @stored_as_float(
; CHECK: select
; CHECK: select
; CHECK: ret i1
define i1 @stored_as_float(ptr %p, half %h, half %k) {
  %wide = fpext half %h to float
  %is_nan = fcmp uno half %h, 0xH0000
  %f = select i1 %is_nan, float 0x7FFFFFFFE0000000, float %wide
  %twice = fadd float %f, %f
  store float %twice, ptr %p
  %wide_k = fpext half %k to float
  %k_is_nan = fcmp uno half %k, 0xH0000
  %g = select i1 %k_is_nan, float 0x7FFFFFFFE0000000, float %wide_k
  %sign = call float @llvm.copysign.f32(float 1.0, float %g)
  %less = fcmp olt float %sign, 0.0
  ret i1 %less
}

; Another value's NaN ends nothing.
; CHECK-LABEL: @other(
; CHECK: select
; CHECK: select
; CHECK: ret i16
define i16 @other(half %h, float %y) {
  %wide = fpext half %h to float
  %is_nan = fcmp uno half %h, 0xH0000
  %f = select i1 %is_nan, float 0x7FFFFFFFE0000000, float %wide
  %sum = fadd float %f, %y
  %narrow = fptrunc float %sum to half
  %bits = bitcast half %narrow to i16
  %y_is_nan = fcmp uno float %y, 0.0
  %result = select i1 %y_is_nan, i16 32767, i16 %bits
  ret i16 %result
}
