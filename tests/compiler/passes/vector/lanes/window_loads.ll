; RUN: %opt -kernel=taps -target=znver5 -passes=window-loads %s | %check %s --check-prefix=TAPS
; RUN: %opt -kernel=next -target=znver5 -passes=window-loads %s | %check %s --check-prefix=NEXT
; RUN: %opt -kernel=written -target=znver5 -passes=window-loads %s | %check %s --check-prefix=WRITTEN
; RUN: %opt -kernel=written_elsewhere -target=znver5 -passes=window-loads %s | %check %s --check-prefix=ELSEWHERE
; RUN: %opt -kernel=others -target=znver5 -passes=window-loads %s | %check %s --check-prefix=OTHERS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Three taps, the middle one first: of what lies behind the first register two elements were read.
; TAPS-LABEL: define <16 x float> @taps(
; TAPS: [[FIRST:%.*]] = getelementptr i8, ptr %here, i64 -4
; TAPS: [[LOW:%.*]] = load <16 x i32>, ptr [[FIRST]], align 4
; TAPS: [[BEHIND:%.*]] = getelementptr i8, ptr %here, i64 60
; TAPS: [[HIGH:%.*]] = call <16 x i32> @llvm.masked.load.v16i32.p0(ptr [[BEHIND]], i32 4, <16 x i1> <i1 true, i1 true, i1 false,
; TAPS: [[B:%.*]] = shufflevector <16 x i32> [[LOW]], <16 x i32> [[HIGH]], <16 x i32> <i32 1, i32 2, {{.*}}, i32 16>
; TAPS: [[C:%.*]] = shufflevector <16 x i32> [[LOW]], <16 x i32> [[HIGH]], <16 x i32> <i32 2, i32 3, {{.*}}, i32 17>
; TAPS-DAG: [[A_:%.*]] = bitcast <16 x i32> [[LOW]] to <16 x float>
; TAPS-DAG: [[B_:%.*]] = bitcast <16 x i32> [[B]] to <16 x float>
; TAPS-DAG: [[C_:%.*]] = bitcast <16 x i32> [[C]] to <16 x float>
; TAPS-NOT: load
; TAPS: [[AB:%.*]] = fadd <16 x float> [[A_]], [[B_]]
; TAPS: fadd <16 x float> [[AB]], [[C_]]
define <16 x float> @taps(ptr %x, i64 %i) {
  %here = getelementptr float, ptr %x, i64 %i
  %b = load <16 x float>, ptr %here, align 4
  %before = getelementptr i8, ptr %here, i64 -4
  %a = load <16 x float>, ptr %before, align 4
  %behind = getelementptr i8, ptr %here, i64 4
  %c = load <16 x float>, ptr %behind, align 4
  %ab = fadd <16 x float> %a, %b
  %abc = fadd <16 x float> %ab, %c
  ret <16 x float> %abc
}

; The register behind is loaded anyway, and is the first of what follows.
; NEXT-LABEL: define void @next(
; NEXT-COUNT-2: load <8 x i64>
; NEXT: shufflevector <8 x i64>
; NEXT-NOT: load <8 x double>
; NEXT: call <8 x i64> @llvm.masked.load.v8i64.p0(ptr {{.*}}, i32 8, <8 x i1> <i1 true, i1 true, i1 true, i1 false,
; NEXT: shufflevector <8 x i64>
; NEXT: shufflevector <8 x i64>
; NEXT-NOT: load
; NEXT: ret void
define void @next(ptr %x, ptr %y) {
  %a = load <8 x double>, ptr %x, align 8
  %x1 = getelementptr double, ptr %x, i64 1
  %b = load <8 x double>, ptr %x1, align 8
  %x8 = getelementptr double, ptr %x, i64 8
  %c = load <8 x double>, ptr %x8, align 8
  %x9 = getelementptr double, ptr %x, i64 9
  %d = load <8 x double>, ptr %x9, align 8
  %x11 = getelementptr double, ptr %x, i64 11
  %e = load <8 x double>, ptr %x11, align 8
  %ab = fadd <8 x double> %a, %b
  %abc = fadd <8 x double> %ab, %c
  %abcd = fadd <8 x double> %abc, %d
  %abcde = fadd <8 x double> %abcd, %e
  store <8 x double> %abcde, ptr %y, align 8
  ret void
}

; What is written may be what the next one reads.
; WRITTEN-LABEL: define void @written(
; WRITTEN-NOT: shufflevector
; WRITTEN: ret void
define void @written(ptr %x, ptr %y, <16 x float> %v) {
  %a = load <16 x float>, ptr %x, align 4
  store <16 x float> %a, ptr %y, align 4
  %x1 = getelementptr float, ptr %x, i64 1
  %b = load <16 x float>, ptr %x1, align 4
  store <16 x float> %b, ptr %y, align 4
  %x2 = getelementptr float, ptr %x, i64 2
  %c = load <16 x float>, ptr %x2, align 4
  store <16 x float> %c, ptr %y, align 4
  ret void
}

; Written behind what the first ones read, where the last one does.
; ELSEWHERE-LABEL: define <16 x float> @written_elsewhere(
; ELSEWHERE: shufflevector
; ELSEWHERE: shufflevector
; ELSEWHERE: store <16 x float> %v, ptr %x30
; ELSEWHERE: [[D:%.*]] = load <16 x float>, ptr %x15
; ELSEWHERE: fadd <16 x float> %abc, [[D]]
define <16 x float> @written_elsewhere(ptr %x, <16 x float> %v) {
  %a = load <16 x float>, ptr %x, align 4
  %x1 = getelementptr float, ptr %x, i64 1
  %b = load <16 x float>, ptr %x1, align 4
  %x2 = getelementptr float, ptr %x, i64 2
  %c = load <16 x float>, ptr %x2, align 4
  %x30 = getelementptr float, ptr %x, i64 30
  store <16 x float> %v, ptr %x30, align 4
  %x15 = getelementptr float, ptr %x, i64 15
  %d = load <16 x float>, ptr %x15, align 4
  %ab = fadd <16 x float> %a, %b
  %abc = fadd <16 x float> %ab, %c
  %abcd = fadd <16 x float> %abc, %d
  ret <16 x float> %abcd
}

; Two do not pay; bytes, registers that are not full, and what a thread may not come to read.
; OTHERS-LABEL: define void @others(
; OTHERS-NOT: shufflevector
; OTHERS: ret void
define void @others(ptr %x, ptr %y) {
  %a = load <16 x float>, ptr %x, align 4
  %x1 = getelementptr float, ptr %x, i64 1
  %b = load <16 x float>, ptr %x1, align 4
  call void @may_end()
  %x2 = getelementptr float, ptr %x, i64 2
  %c = load <16 x float>, ptr %x2, align 4
  %k = load <64 x i8>, ptr %y, align 1
  %y1 = getelementptr i8, ptr %y, i64 1
  %l = load <64 x i8>, ptr %y1, align 1
  %y2 = getelementptr i8, ptr %y, i64 2
  %m = load <64 x i8>, ptr %y2, align 1
  %o = load <8 x i32>, ptr %y, align 4
  %y4 = getelementptr i8, ptr %y, i64 4
  %p = load <8 x i32>, ptr %y4, align 4
  %y8 = getelementptr i8, ptr %y, i64 8
  %q = load <8 x i32>, ptr %y8, align 4
  call void @use(<16 x float> %a, <16 x float> %b, <16 x float> %c)
  call void @use_bytes(<64 x i8> %k, <64 x i8> %l, <64 x i8> %m)
  call void @use_half(<8 x i32> %o, <8 x i32> %p, <8 x i32> %q)
  ret void
}

declare void @may_end() memory(none)
declare void @use(<16 x float>, <16 x float>, <16 x float>)
declare void @use_bytes(<64 x i8>, <64 x i8>, <64 x i8>)
declare void @use_half(<8 x i32>, <8 x i32>, <8 x i32>)
