; RUN: %opt -kernel=adds -passes=note-restrict %s | %check %s
; RUN: %opt -kernel=plain -passes=note-restrict %s | %check %s --check-prefix=PLAIN
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Each `__restrict__` argument has a scope; all others are in none of them, also where lanes gather. What comes from
; memory may lead anywhere.
; CHECK-LABEL: @adds(
; CHECK: load float, ptr %at, align 4, !alias.scope [[BIAS:![0-9]+]], !noalias [[OUT:![0-9]+]]
; CHECK: @llvm.masked.gather{{.*}}, !noalias [[BOTH:![0-9]+]]
; CHECK: load ptr, ptr %other, align 8, !noalias [[BOTH]]
; CHECK: load float, ptr %elsewhere, align 4{{$}}
; CHECK: store <16 x float> %sum, ptr %out, align 64, !alias.scope [[OUT]], !noalias [[BIAS]]
; CHECK-DAG: [[BIAS]] = !{[[FIRST:![0-9]+]]}
; CHECK-DAG: [[OUT]] = !{[[SECOND:![0-9]+]]}
; CHECK-DAG: [[BOTH]] = !{[[FIRST]], [[SECOND]]}
define void @adds(ptr noalias %bias, ptr noalias %out, ptr %other, <16 x i64> %i, i64 %c) {
  %at = getelementptr float, ptr %bias, i64 %c
  %b = load float, ptr %at
  %lanes = getelementptr float, ptr %other, <16 x i64> %i
  %v = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %lanes, i32 4, <16 x i1> splat (i1 true), <16 x float> zeroinitializer)
  %elsewhere = load ptr, ptr %other
  %e = load float, ptr %elsewhere
  %s = fadd float %b, %e
  %one = insertelement <16 x float> %v, float %s, i64 0
  %sum = fadd <16 x float> %one, %v
  store <16 x float> %sum, ptr %out
  ret void
}

; PLAIN-LABEL: @plain(
; PLAIN-NOT: noalias
; PLAIN: ret void
define void @plain(ptr %bias, ptr %out) {
  %b = load float, ptr %bias
  store float %b, ptr %out
  ret void
}

declare <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x float>)
