; RUN: %opt -kernel=warp_sum -passes='narrow-lanes,llvm(instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=SUM
; RUN: %opt -kernel=carried -passes=narrow-lanes %s | %check %s --check-prefix=CARRIED
; RUN: %opt -kernel=maximum -passes='narrow-lanes,llvm(instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=MAXIMUM
; RUN: %opt -kernel=all_used -passes=narrow-lanes %s | %check %s --check-prefix=ALL
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; The steps of a reduction by __shfl_down_sync, of which lane 0 is stored: each on half as many lanes, down to a
; register.
; SUM-LABEL: @warp_sum(
; SUM-DAG: shufflevector <16 x float> %v, <16 x float> poison, <8 x i32> <i32 0,
; SUM-DAG: shufflevector <16 x float> %v, <16 x float> poison, <8 x i32> <i32 8,
; SUM: fadd <8 x float>
; SUM: fadd <4 x float>
; SUM-NOT: fadd <16 x float>
; SUM: ret void
define void @warp_sum(ptr %x, ptr %out) {
  %v = load <16 x float>, ptr %x
  %up8 = shufflevector <16 x float> %v, <16 x float> poison, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v8 = fadd <16 x float> %v, %up8
  %up4 = shufflevector <16 x float> %v8, <16 x float> poison, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 12, i32 13, i32 14, i32 15>
  %v4 = fadd <16 x float> %v8, %up4
  %up2 = shufflevector <16 x float> %v4, <16 x float> poison, <16 x i32> <i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 14, i32 15>
  %v2 = fadd <16 x float> %v4, %up2
  %sum = extractelement <16 x float> %v2, i64 0
  store float %sum, ptr %out
  ret void
}

; Through the turns of a loop.
; CARRIED-LABEL: @carried(
; CARRIED: fadd <4 x float>
define void @carried(ptr %x, i32 %n, ptr %out) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi <16 x float> [ zeroinitializer, %entry ], [ %s1, %loop ]
  %at = getelementptr <16 x float>, ptr %x, i32 %i
  %v = load <16 x float>, ptr %at
  %s1 = fadd <16 x float> %s, %v
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %first = extractelement <16 x float> %s1, i64 1
  store float %first, ptr %out
  ret void
}

; What is stored is looked at; a lane of which nobody knows the number may be any; bytes fill a register.
; ALL-LABEL: @all_used(
; ALL: fadd <16 x float>
; ALL: fmul <16 x float>
; ALL: add <16 x i8>
define void @all_used(ptr %x, ptr %y, i32 %lane, ptr %out) {
  %v = load <16 x float>, ptr %x
  %s = fadd <16 x float> %v, %v
  store <16 x float> %s, ptr %x
  %p = fmul <16 x float> %v, %v
  %any = extractelement <16 x float> %p, i32 %lane
  store float %any, ptr %out
  %b = load <16 x i8>, ptr %y
  %c = add <16 x i8> %b, %b
  %first = extractelement <16 x i8> %c, i64 0
  store i8 %first, ptr %y
  ret void
}

; A maximum with PTX's zeros: bits and comparisons are as long as what they are of.
; MAXIMUM-LABEL: @maximum(
; MAXIMUM-DAG: fcmp oeq <8 x float>
; MAXIMUM-DAG: and <8 x i32>
; MAXIMUM-DAG: call <8 x float> @llvm.maxnum.v8f32(
; MAXIMUM-NOT: fcmp oeq <16 x float>
; MAXIMUM: select <8 x i1>
; MAXIMUM-NOT: and <16 x i32>
; MAXIMUM: ret void
define void @maximum(ptr %x, ptr %out) {
  %v = load <16 x float>, ptr %x
  %bits = bitcast <16 x float> %v to <16 x i32>
  %up = shufflevector <16 x i32> %bits, <16 x i32> poison, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %w = bitcast <16 x i32> %up to <16 x float>
  %m = call <16 x float> @llvm.maxnum.v16f32(<16 x float> %v, <16 x float> %w)
  %equal = fcmp oeq <16 x float> %v, %w
  %both = and <16 x i32> %bits, %up
  %zero = bitcast <16 x i32> %both to <16 x float>
  %r = select <16 x i1> %equal, <16 x float> %zero, <16 x float> %m
  %first = shufflevector <16 x float> %r, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  store <8 x float> %first, ptr %out
  ret void
}

declare <16 x float> @llvm.maxnum.v16f32(<16 x float>, <16 x float>)
