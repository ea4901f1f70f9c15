; rsqrtf is one call in one thread's code; with AVX-512 it ends as the hardware's estimate and a step of Newton's method,
; of a number, a register or several, elsewhere as a division by a root.
; RUN: %opt -target=x86-64-v4 -kernel=k -lanes=16 -block=64 -passes=name-inverse-roots %s | %check %s --check-prefix=NAME
; RUN: %opt -target=x86-64-v4 -kernel=k -lanes=16 -block=64 -passes=name-inverse-roots,widen,lower-inverse-roots %s | %check %s --check-prefixes=CHECK,WIDE
; RUN: %opt -target=x86-64-v4 -kernel=k -lanes=32 -block=64 -passes=name-inverse-roots,widen,lower-inverse-roots %s | %check %s --check-prefix=TWO
; RUN: %opt -target=x86-64-v4 -passes=name-inverse-roots,lower-inverse-roots %s | %check %s --check-prefix=ONE
; RUN: %opt -target=x86-64-v3 -passes=name-inverse-roots,lower-inverse-roots %s | %check %s --check-prefix=EXACT
; RUN: %opt -target=x86-64-v4 -passes=lower-inverse-roots %s | %check %s --check-prefix=LENGTHS
; RUN: %opt -target=x86-64-v4 -kernel=doubles -lanes=16 -block=64 -passes=name-inverse-roots,widen,lower-inverse-roots %s | %check %s --check-prefix=DOUBLE
; RUN: %opt -target=x86-64-v4 -kernel=doubles -passes=name-inverse-roots,lower-inverse-roots %s | %check %s --check-prefix=DOUBLE_ONE
; RUN: %opt -target=x86-64-v3 -kernel=doubles -passes=name-inverse-roots,lower-inverse-roots %s | %check %s --check-prefix=DOUBLE_EXACT

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @llvm.nvvm.rsqrt.approx.f(float)

; NAME: call float @lanza.rsqrt(float %x) #[[VARIANTS:[0-9]+]]
; NAME: attributes #[[VARIANTS]] = { "vector-function-abi-variant"="_ZGV_LLVM_N8v_lanza.rsqrt(lanza.rsqrt.v8),_ZGV_LLVM_N16v_lanza.rsqrt(lanza.rsqrt.v16)" }

; Zeros and infinities make the error NaN: the step takes 1 for it.
; WIDE: %[[X:.*]] = load <16 x float>
; WIDE: %[[Y:.*]] = call <16 x float> @llvm.x86.avx512.rsqrt14.ps.512(<16 x float> %[[X]], <16 x float> zeroinitializer, i16 -1)
; WIDE: %[[XY:.*]] = fmul <16 x float> %[[X]], %[[Y]]
; WIDE: %[[MINUS:.*]] = fneg <16 x float> %[[Y]]
; WIDE: %[[ERROR:.*]] = call <16 x float> @llvm.fma.v16f32(<16 x float> %[[XY]], <16 x float> %[[MINUS]], <16 x float> <float 1.000000e+00
; WIDE: %[[SMALL:.*]] = fcmp olt <16 x float> %[[ERROR]], <float 1.000000e+00
; WIDE: %[[KNOWN:.*]] = select <16 x i1> %[[SMALL]], <16 x float> %[[ERROR]], <16 x float> <float 1.000000e+00
; WIDE: %[[WORDS:.*]] = bitcast <16 x float> %[[Y]] to <32 x i16>
; WIDE: %[[LESS:.*]] = call <32 x i16> @llvm.usub.sat.v32i16(<32 x i16> %[[WORDS]], <32 x i16> bitcast (<16 x i32> <i32 8388608
; WIDE: %[[HALF:.*]] = bitcast <32 x i16> %[[LESS]] to <16 x float>
; WIDE: %[[ROOT:.*]] = call <16 x float> @llvm.fma.v16f32(<16 x float> %[[HALF]], <16 x float> %[[KNOWN]], <16 x float> %[[Y]])
; WIDE: store <16 x float> %[[ROOT]]
; CHECK-NOT: lanza.rsqrt

; TWO-COUNT-2: call <16 x float> @llvm.x86.avx512.rsqrt14.ps.512
; TWO: fmul <32 x float>
; TWO: store <32 x float>

; ONE: %[[V:.*]] = insertelement <4 x float> poison, float %x, i64 0
; ONE: %[[R:.*]] = call <4 x float> @llvm.x86.avx512.rsqrt14.ss(<4 x float> %[[V]], <4 x float> %[[V]], <4 x float> %[[V]], i8 -1)
; ONE: %[[Y:.*]] = extractelement <4 x float> %[[R]], i64 0
; ONE: call float @llvm.fma.f32

; EXACT: %[[ROOT:.*]] = call float @llvm.sqrt.f32(float %x)
; EXACT: %[[ALL:.*]] = fdiv float 1.000000e+00, %[[ROOT]]
; EXACT: store float %[[ALL]]
define void @k(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %at = getelementptr inbounds float, ptr %p, i64 %i
  %x = load float, ptr %at
  %r = call float @llvm.nvvm.rsqrt.approx.f(float %x)
  store float %r, ptr %at
  ret void
}

declare <16 x float> @lanza.rsqrt.v16(<16 x float>)

; A sum with a positive number is not 0: the largest number serves for infinity, beside the estimate.
; LENGTHS-LABEL: define <16 x float> @softened
; LENGTHS: %[[X:.*]] = fadd <16 x float>
; LENGTHS: %[[Y:.*]] = call <16 x float> @llvm.x86.avx512.rsqrt14.ps.512(<16 x float> %[[X]]
; LENGTHS: %[[LESS:.*]] = fcmp olt <16 x float> %[[X]], <float 0x47EFFFFFE0000000
; LENGTHS: %[[FINITE:.*]] = select <16 x i1> %[[LESS]], <16 x float> %[[X]], <16 x float> <float 0x47EFFFFFE0000000
; LENGTHS: fmul <16 x float> %[[FINITE]], %[[Y]]
; LENGTHS-NOT: select
; LENGTHS: ret
define <16 x float> @softened(<16 x float> %d) {
  %square = fmul <16 x float> %d, %d
  %x = fadd <16 x float> %square, splat (float 0x3F50624DE0000000)
  %r = call <16 x float> @lanza.rsqrt.v16(<16 x float> %x)
  ret <16 x float> %r
}

; Of a number that may be less, or with one that may vanish, it may be.
; LENGTHS-LABEL: define <16 x float> @any_sum
; LENGTHS: %[[ERROR:.*]] = call <16 x float> @llvm.fma.v16f32
; LENGTHS: fcmp olt <16 x float> %[[ERROR]], <float 1.000000e+00
define <16 x float> @any_sum(<16 x float> %d) {
  %x = fadd <16 x float> %d, splat (float 0x3F50624DE0000000)
  %r = call <16 x float> @lanza.rsqrt.v16(<16 x float> %x)
  ret <16 x float> %r
}

; LENGTHS-LABEL: define <16 x float> @denormal
; LENGTHS: %[[ERROR:.*]] = call <16 x float> @llvm.fma.v16f32
; LENGTHS: fcmp olt <16 x float> %[[ERROR]], <float 1.000000e+00
define <16 x float> @denormal(<16 x float> %d) {
  %square = fmul <16 x float> %d, %d
  %x = fadd <16 x float> %square, splat (float 0x3800000000000000)
  %r = call <16 x float> @lanza.rsqrt.v16(<16 x float> %x)
  ret <16 x float> %r
}

declare double @llvm.nvvm.rsqrt.approx.d(double)

; Of doubles it is the estimate, with which the prelude's rsqrt begins.
; DOUBLE: call <8 x double> @llvm.x86.avx512.rsqrt14.pd.512(
; DOUBLE: call <8 x double> @llvm.x86.avx512.rsqrt14.pd.512(
; DOUBLE: store <16 x double>
; DOUBLE-NOT: lanza.rsqrt
; DOUBLE_ONE: call <2 x double> @llvm.x86.avx512.rsqrt14.sd(
; DOUBLE_EXACT: %[[ROOT:.*]] = call double @llvm.sqrt.f64(double %x)
; DOUBLE_EXACT: fdiv double 1.000000e+00, %[[ROOT]]
define void @doubles(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %at = getelementptr inbounds double, ptr %p, i64 %i
  %x = load double, ptr %at
  %r = call double @llvm.nvvm.rsqrt.approx.d(double %x)
  store double %r, ptr %at
  ret void
}
