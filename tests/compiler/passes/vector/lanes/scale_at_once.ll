; RUN: %opt -kernel=scaled -target=x86-64-v4 -passes=scale-at-once %s | %check %s --check-prefix=V4
; RUN: %opt -kernel=scaled -target=x86-64-v3 -passes=scale-at-once %s | %check %s --check-prefix=V3
; RUN: %opt -kernel=kept -target=x86-64-v4 -passes=scale-at-once %s | %check %s --check-prefix=KEPT
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; As exp multiplies by 2^n in two steps: floats of two registers, doubles of one.
; V4-LABEL: define void @scaled(
; V4: [[N:%.*]] = fadd <32 x float> %t, <float 0xC168001FC0000000,
; V4: call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> {{.*}}, <16 x float> {{.*}}, <16 x float> poison, i16 -1, i32 4)
; V4: call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(
; V4-NOT: fmul <32 x float>
; V4: call <4 x double> @llvm.x86.avx512.mask.scalef.pd.256(<4 x double> %y, <4 x double> {{.*}}, <4 x double> poison, i8 -1)
; V4-NOT: fmul <4 x double>
; V4: ret void
; V3-LABEL: define void @scaled(
; V3: fmul <32 x float>
; V3: fmul <4 x double>
define void @scaled(<32 x float> %s, <32 x float> %x, <4 x double> %ds, <4 x double> %y, ptr %p, ptr %q) {
  %t = fadd <32 x float> %s, splat (float 0x4168001FC0000000)
  %bits = bitcast <32 x float> %t to <32 x i32>
  %half = lshr <32 x i32> %bits, splat (i32 1)
  %first.bits = shl <32 x i32> %half, splat (i32 23)
  %first = bitcast <32 x i32> %first.bits to <32 x float>
  %rest = sub <32 x i32> %bits, %half
  %second.bits = shl <32 x i32> %rest, splat (i32 23)
  %second = bitcast <32 x i32> %second.bits to <32 x float>
  %once = fmul <32 x float> %first, %x
  %twice = fmul <32 x float> %once, %second
  store <32 x float> %twice, ptr %p
  %dt = fadd <4 x double> %ds, splat (double 6755399441057790.0)
  %dbits = bitcast <4 x double> %dt to <4 x i64>
  %dhalf = lshr <4 x i64> %dbits, splat (i64 1)
  %dfirst.bits = shl <4 x i64> %dhalf, splat (i64 52)
  %dfirst = bitcast <4 x i64> %dfirst.bits to <4 x double>
  %drest = sub <4 x i64> %dbits, %dhalf
  %dsecond.bits = shl <4 x i64> %drest, splat (i64 52)
  %dsecond = bitcast <4 x i64> %dsecond.bits to <4 x double>
  %donce = fmul <4 x double> %y, %dfirst
  %dtwice = fmul <4 x double> %donce, %dsecond
  store <4 x double> %dtwice, ptr %q
  ret void
}

; Another bias: who knows what is scaled there.
; KEPT-LABEL: define void @kept(
; KEPT-NOT: scalef
; KEPT: ret void
define void @kept(<16 x float> %s, <16 x float> %x, ptr %p) {
  %t = fadd <16 x float> %s, splat (float 12582912.0)
  %bits = bitcast <16 x float> %t to <16 x i32>
  %half = lshr <16 x i32> %bits, splat (i32 1)
  %first.bits = shl <16 x i32> %half, splat (i32 23)
  %first = bitcast <16 x i32> %first.bits to <16 x float>
  %rest = sub <16 x i32> %bits, %half
  %second.bits = shl <16 x i32> %rest, splat (i32 23)
  %second = bitcast <16 x i32> %second.bits to <16 x float>
  %once = fmul <16 x float> %x, %first
  %twice = fmul <16 x float> %once, %second
  store <16 x float> %twice, ptr %p
  ret void
}
