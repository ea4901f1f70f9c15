; RUN: %opt -kernel=by_constant -passes=share-divisors %s | %check %s --check-prefix=CONSTANT
; RUN: %opt -kernel=of_integers -passes=share-divisors %s | %check %s --check-prefix=INTEGERS
; RUN: %opt -kernel=in_a_loop -passes=share-divisors %s | %check %s --check-prefix=LOOP
; RUN: %opt -kernel=changing -passes=share-divisors %s | %check %s --check-prefix=CHANGING
; RUN: %opt -kernel=of_the_turn -passes=share-divisors %s | %check %s --check-prefix=TURN
; RUN: %opt -kernel=too_small -passes=share-divisors %s | %check %s --check-prefix=SMALL
; RUN: %opt -kernel=other_work -passes=share-divisors %s | %check %s --check-prefix=OTHER
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; A product with the inverse in two parts, and what it lacks. Lanes beyond 2^-60 to 2^60 but for zeros: a division.
; CONSTANT-LABEL: define void @by_constant(
; CONSTANT: %x = load <16 x float>
; CONSTANT: [[T:%.*]] = fmul <16 x float> %x, <float [[LOW:0x[0-9A-F]+]],
; CONSTANT-NEXT: [[Q:%.*]] = call <16 x float> @llvm.fma.v16f32(<16 x float> %x, <16 x float> <float 0x3F70101020000000,
; CONSTANT-NEXT: [[N:%.*]] = fneg <16 x float> [[Q]]
; CONSTANT-NEXT: [[R:%.*]] = call <16 x float> @llvm.fma.v16f32(<16 x float> [[N]], <16 x float> <float 2.550000e+02,
; CONSTANT-NEXT: [[P:%.*]] = call <16 x float> @llvm.fma.v16f32(<16 x float> [[R]], <16 x float> <float 0x3F70101020000000,{{.*}}, <16 x float> [[Q]])
; CONSTANT-NEXT: [[S:%.*]] = call <16 x float> @llvm.copysign.v16f32(<16 x float> [[P]], <16 x float> %x)
; CONSTANT: [[FAR:%.*]] = icmp ugt <16 x i32>
; CONSTANT: [[SOME:%.*]] = icmp ne <16 x i32>
; CONSTANT: and <16 x i1> [[SOME]], [[FAR]]
; CONSTANT: br i1
; CONSTANT: fdiv <16 x float> %x, <float 2.550000e+02,
; CONSTANT: phi <16 x float> [ [[S]], {{.*}} ], [
define void @by_constant(ptr %p) {
  %x = load <16 x float>, ptr %p
  %q = fdiv <16 x float> %x, splat (float 255.0)
  store <16 x float> %q, ptr %p
  ret void
}

; Integers are zero, or large enough.
; INTEGERS-LABEL: define void @of_integers(
; INTEGERS: uitofp
; INTEGERS-NOT: copysign
; INTEGERS-NOT: br
; INTEGERS-NOT: fdiv
; INTEGERS: ret void
define void @of_integers(ptr %p) {
  %i = load <16 x i32>, ptr %p
  %x = uitofp <16 x i32> %i to <16 x float>
  %q = fdiv <16 x float> %x, splat (float 255.0)
  store <16 x float> %q, ptr %p
  ret void
}

; The inverse is there before the loop, and so is whether the divisor is neither too large nor too small.
; LOOP-LABEL: define void @in_a_loop(
; LOOP: [[WIDE:%.*]] = fpext float %c to double
; LOOP: fdiv double 1.000000e+00, [[WIDE]]
; LOOP: [[FITS:%.*]] = and i1
; LOOP: loop:
; LOOP-NOT: fdiv
; LOOP: [[BEYOND:%.*]] = xor i1 [[FITS]], true
; LOOP: or i1 {{.*}}, [[BEYOND]]
define void @in_a_loop(ptr %p, float %c, i64 %n) {
  %one = insertelement <16 x float> poison, float %c, i64 0
  %all = shufflevector <16 x float> %one, <16 x float> poison, <16 x i32> zeroinitializer
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %at = getelementptr <16 x float>, ptr %p, i64 %i
  %x = load <16 x float>, ptr %at
  %q = fdiv <16 x float> %x, %all
  store <16 x float> %q, ptr %at
  %next = add i64 %i, 1
  %goes = icmp ult i64 %next, %n
  br i1 %goes, label %loop, label %end
end:
  ret void
}

; CHANGING-LABEL: define void @changing(
; CHANGING-NOT: fma
; CHANGING: fdiv <16 x float>
define void @changing(ptr %p, ptr %d, i64 %n) {
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %from = getelementptr float, ptr %d, i64 %i
  %c = load float, ptr %from
  %one = insertelement <16 x float> poison, float %c, i64 0
  %all = shufflevector <16 x float> %one, <16 x float> poison, <16 x i32> zeroinitializer
  %at = getelementptr <16 x float>, ptr %p, i64 %i
  %x = load <16 x float>, ptr %at
  %q = fdiv <16 x float> %x, %all
  store <16 x float> %q, ptr %at
  %next = add i64 %i, 1
  %goes = icmp ult i64 %next, %n
  br i1 %goes, label %loop, label %end
end:
  ret void
}

; A divisor below 2^-60.
; SMALL-LABEL: define void @too_small(
; SMALL: fdiv <16 x float>
; SMALL-NOT: fma
define void @too_small(ptr %p) {
  %x = load <16 x float>, ptr %p
  %q = fdiv <16 x float> %x, splat (float 0x3C20000000000000)
  store <16 x float> %q, ptr %p
  ret void
}

; The divider works while others do: twenty operations on two registers each take as long as both quotients.
; OTHER-LABEL: define void @other_work(
; OTHER: fdiv <32 x float>
; OTHER-NOT: fma
define void @other_work(ptr %p) {
  %x = load <32 x float>, ptr %p
  %q = fdiv <32 x float> %x, splat (float 255.0)
  %a0 = fadd <32 x float> %x, %q
  %a1 = fadd <32 x float> %a0, %x
  %a2 = fmul <32 x float> %a1, %x
  %a3 = fadd <32 x float> %a2, %x
  %a4 = fmul <32 x float> %a3, %x
  %a5 = fadd <32 x float> %a4, %x
  %a6 = fmul <32 x float> %a5, %x
  %a7 = fadd <32 x float> %a6, %x
  %a8 = fmul <32 x float> %a7, %x
  %a9 = fadd <32 x float> %a8, %x
  %b0 = fmul <32 x float> %a9, %x
  %b1 = fadd <32 x float> %b0, %x
  %b2 = fmul <32 x float> %b1, %x
  %b3 = fadd <32 x float> %b2, %x
  %b4 = fmul <32 x float> %b3, %x
  %b5 = fadd <32 x float> %b4, %x
  %b6 = fmul <32 x float> %b5, %x
  %b7 = fadd <32 x float> %b6, %x
  %b8 = fmul <32 x float> %b7, %x
  %b9 = fadd <32 x float> %b8, %x
  store <32 x float> %b9, ptr %p
  ret void
}

; Doubles by a number of the turn: its inverse is made in it, the second part by what the first one lacks.
; TURN-LABEL: define void @of_the_turn(
; TURN: loop:
; TURN: [[C:%.*]] = sitofp i64 %next to double
; TURN-NEXT: [[HIGH:%.*]] = fdiv double 1.000000e+00, [[C]]
; TURN-NEXT: [[N:%.*]] = fneg double [[C]]
; TURN-NEXT: [[REST:%.*]] = call double @llvm.fma.f64(double [[N]], double [[HIGH]], double 1.000000e+00)
; TURN-NEXT: fmul double [[REST]], [[HIGH]]
; TURN: call <16 x double> @llvm.fma.v16f64(
; TURN: icmp ugt <16 x i64>
define void @of_the_turn(ptr %p, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %next = add i64 %i, 1
  %c = sitofp i64 %next to double
  %one = insertelement <16 x double> poison, double %c, i64 0
  %all = shufflevector <16 x double> %one, <16 x double> poison, <16 x i32> zeroinitializer
  %at = getelementptr [16 x double], ptr %p, i64 %i
  %x = load <16 x double>, ptr %at
  %q = fdiv <16 x double> %x, %all
  store <16 x double> %q, ptr %at
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
