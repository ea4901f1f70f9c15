; Sums rounded down and up are one call in one thread's code, and an instruction of AVX-512 each at last: of a number, a
; register, part of one or several.
; RUN: %opt -target=x86-64-v4 -kernel=k -lanes=16 -block=64 -passes=name-directed-sums %s | %check %s --check-prefix=NAME
; RUN: %opt -target=x86-64-v4 -kernel=k -lanes=16 -block=64 -passes=name-directed-sums,widen,lower-directed-sums %s | %check %s --check-prefixes=CHECK,WIDE
; RUN: %opt -target=x86-64-v4 -kernel=k -lanes=8 -block=64 -passes=name-directed-sums,widen,lower-directed-sums %s | %check %s --check-prefixes=CHECK,PART
; RUN: %opt -target=x86-64-v4 -kernel=k -lanes=32 -block=64 -passes=name-directed-sums,widen,lower-directed-sums %s | %check %s --check-prefixes=CHECK,TWO
; RUN: %opt -target=x86-64-v4 -kernel=k -passes=name-directed-sums,lower-directed-sums %s | %check %s --check-prefixes=CHECK,ONE

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @llvm.nvvm.fma.rm.f(float, float, float)
declare float @llvm.nvvm.fma.rp.f(float, float, float)

; NAME: call float @lanza.fma.down(float %x, float 3.000000e+00, float %x) #[[DOWN:[0-9]+]]
; NAME: call float @lanza.fma.up(float %x, float 3.000000e+00, float %x) #[[UP:[0-9]+]]
; NAME-DAG: attributes #[[DOWN]] = { "vector-function-abi-variant"="_ZGV_LLVM_N8vvv_lanza.fma.down(lanza.fma.down.v8),_ZGV_LLVM_N16vvv_lanza.fma.down(lanza.fma.down.v16)" }
; NAME-DAG: attributes #[[UP]] = { "vector-function-abi-variant"="_ZGV_LLVM_N8vvv_lanza.fma.up(lanza.fma.up.v8),_ZGV_LLVM_N16vvv_lanza.fma.up(lanza.fma.up.v16)" }

; WIDE: %[[X:.*]] = load <16 x float>
; WIDE: call <16 x float> @llvm.x86.avx512.vfmadd.ps.512(<16 x float> %[[X]], <16 x float> <float 3.000000e+00{{.*}}, <16 x float> %[[X]], i32 9)
; WIDE: call <16 x float> @llvm.x86.avx512.vfmadd.ps.512(<16 x float> %[[X]], <16 x float> <float 3.000000e+00{{.*}}, <16 x float> %[[X]], i32 10)

; PART: %[[X:.*]] = load <8 x float>
; PART: %[[WHOLE:.*]] = shufflevector <8 x float> %[[X]], <8 x float> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 poison
; PART: %[[SUM:.*]] = call <16 x float> @llvm.x86.avx512.vfmadd.ps.512(<16 x float> %[[WHOLE]]
; PART: shufflevector <16 x float> %[[SUM]], <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>

; TWO-COUNT-2: call <16 x float> @llvm.x86.avx512.vfmadd.ps.512({{.*}}, i32 9)
; TWO-COUNT-2: call <16 x float> @llvm.x86.avx512.vfmadd.ps.512({{.*}}, i32 10)

; ONE: call float @llvm.x86.avx512.vfmadd.f32(float %x, float 3.000000e+00, float %x, i32 9)
; ONE: call float @llvm.x86.avx512.vfmadd.f32(float %x, float 3.000000e+00, float %x, i32 10)
; CHECK-NOT: lanza.fma
define void @k(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %at = getelementptr inbounds float, ptr %p, i64 %i
  %x = load float, ptr %at
  %below = call float @llvm.nvvm.fma.rm.f(float %x, float 3.0, float %x)
  %above = call float @llvm.nvvm.fma.rp.f(float %x, float 3.0, float %x)
  %sum = fadd float %below, %above
  store float %sum, ptr %at
  ret void
}
