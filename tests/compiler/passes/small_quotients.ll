; RUN: %opt -passes=small-quotients %s | %check %s

; A product with both parts of 1/255.
; CHECK-LABEL: @byte(
; CHECK-NOT: fdiv
; CHECK: %[[LOW:.*]] = fmul float %x, 0x
; CHECK: call float @llvm.fma.f32(float %x, float 0x3F70101020000000, float %[[LOW]])
define float @byte(i8 %b) {
  %i = zext i8 %b to i32
  %x = uitofp i32 %i to float
  %q = fdiv float %x, 255.0
  ret float %q
}

; CHECK-LABEL: @of_signed(
; CHECK-NOT: fdiv
; CHECK: ret float
define float @of_signed(i16 %s) {
  %i = sext i16 %s to i32
  %x = sitofp i32 %i to float
  %q = fdiv float %x, 32767.0
  ret float %q
}

; Of few integers 1/c may be as good as c.
; CHECK-LABEL: @few(
; CHECK: %[[Q:.*]] = fmul float %x, 0x3FD5555560000000
; CHECK-NEXT: ret float %[[Q]]
define float @few(i32 %n) {
  %i = and i32 %n, 3
  %x = uitofp i32 %i to float
  %q = fdiv float %x, 3.0
  ret float %q
}

; CHECK-LABEL: @of_double(
; CHECK-NOT: fdiv
; CHECK: ret double
define double @of_double(i8 %b) {
  %x = uitofp i8 %b to double
  %q = fdiv double %x, -10.0
  ret double %q
}

; Any integer.
; CHECK-LABEL: @many(
; CHECK: fdiv float
define float @many(i32 %i) {
  %x = sitofp i32 %i to float
  %q = fdiv float %x, 255.0
  ret float %q
}

; 1/c is no normal number.
; CHECK-LABEL: @large(
; CHECK: fdiv float
define float @large(i8 %b) {
  %x = uitofp i8 %b to float
  %q = fdiv float %x, 0x47E0000020000000
  ret float %q
}
