; RUN: %opt -kernel=sorted -target=x86-64-v3 -passes=plain-extrema %s | %check %s
; RUN: %opt -kernel=sorted -target=x86-64-v4 -passes=plain-extrema %s | %check %s --check-prefix=V4
; RUN: %opt -kernel=looked_at -target=x86-64-v3 -passes=plain-extrema %s | %check %s --check-prefix=LOOKED
; RUN: %opt -kernel=few -target=x86-64-v3 -passes=plain-extrema %s | %check %s --check-prefix=FEW
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare <8 x float> @llvm.maxnum.v8f32(<8 x float>, <8 x float>)
declare <8 x float> @llvm.minnum.v8f32(<8 x float>, <8 x float>)

; Three numbers are asked once, not each extremum of them.
; CHECK-LABEL: define void @sorted(
; CHECK: [[LEAST:%.*]] = call <8 x i32> @llvm.smin.v8i32(
; CHECK: fcmp uno <8 x float> %a, %b
; CHECK: [[ALL:%.*]] = call <8 x i32> @llvm.smin.v8i32(<8 x i32> [[LEAST]],
; CHECK: fcmp uno <8 x float> %c, %c
; CHECK: icmp eq <8 x i32> [[ALL]], <i32 -2147483648, i32 -2147483648,
; CHECK: [[LANES:%.*]] = freeze <8 x i1>
; CHECK-NEXT: bitcast <8 x i1> [[LANES]] to i8
; CHECK-NEXT: [[ANY:%.*]] = icmp ne i8 %{{.*}}, 0
; CHECK-NEXT: br i1 [[ANY]], label %[[EXACT:.*]], label %[[PLAIN:.*]]
; CHECK: [[EXACT]]:
; CHECK-COUNT-4: call <8 x float> @llvm.m{{..}}num.v8f32(
; CHECK: [[PLAIN]]:
; CHECK-NEXT: fcmp olt <8 x float> %a, %b
; CHECK-NEXT: select
; CHECK-NEXT: fcmp ogt <8 x float> %a, %b
; CHECK-NEXT: select
; CHECK-NOT: call
; CHECK: phi <8 x float>
; CHECK-NEXT: phi <8 x float>
; CHECK-NEXT: phi <8 x float>
; CHECK-NOT: call
; CHECK: ret void
; V4-LABEL: define void @sorted(
; V4-NOT: br
; V4: ret void
define void @sorted(<8 x float> %a, <8 x float> %b, <8 x float> %c, ptr %p) {
  %a.bits = bitcast <8 x float> %a to <8 x i32>
  %b.bits = bitcast <8 x float> %b to <8 x i32>
  %equal = fcmp oeq <8 x float> %a, %b
  %low.number = call <8 x float> @llvm.minnum.v8f32(<8 x float> %a, <8 x float> %b)
  %low.zeros = or <8 x i32> %a.bits, %b.bits
  %low.zero = bitcast <8 x i32> %low.zeros to <8 x float>
  %low = select <8 x i1> %equal, <8 x float> %low.zero, <8 x float> %low.number
  %high.number = call <8 x float> @llvm.maxnum.v8f32(<8 x float> %a, <8 x float> %b)
  %high.zeros = and <8 x i32> %a.bits, %b.bits
  %high.zero = bitcast <8 x i32> %high.zeros to <8 x float>
  %high = select <8 x i1> %equal, <8 x float> %high.zero, <8 x float> %high.number
  %middle = call <8 x float> @llvm.minnum.v8f32(<8 x float> %high, <8 x float> %c)
  %highest = call <8 x float> @llvm.maxnum.v8f32(<8 x float> %high, <8 x float> %c)
  %lowest = call <8 x float> @llvm.minnum.v8f32(<8 x float> %low, <8 x float> %middle)
  %between = call <8 x float> @llvm.maxnum.v8f32(<8 x float> %low, <8 x float> %middle)
  store volatile <8 x float> %lowest, ptr %p
  store volatile <8 x float> %between, ptr %p
  store volatile <8 x float> %highest, ptr %p
  ret void
}

; What is computed of an extremum is another number, and what is stored in between ends the question.
; LOOKED-LABEL: define void @looked_at(
; LOOKED-NOT: br
; LOOKED: ret void
define void @looked_at(<8 x float> %a, <8 x float> %b, <8 x float> %c, ptr %p) {
  %low = call <8 x float> @llvm.minnum.v8f32(<8 x float> %a, <8 x float> %b)
  store volatile <8 x float> %low, ptr %p
  %high = call <8 x float> @llvm.maxnum.v8f32(<8 x float> %a, <8 x float> %b)
  %twice = fadd <8 x float> %high, %high
  %middle = call <8 x float> @llvm.minnum.v8f32(<8 x float> %twice, <8 x float> %c)
  store volatile <8 x float> %middle, ptr %p
  %highest = call <8 x float> @llvm.maxnum.v8f32(<8 x float> %middle, <8 x float> %a)
  store volatile <8 x float> %highest, ptr %p
  ret void
}

; Each number needs as much to ask of as its extremum.
; FEW-LABEL: define <8 x float> @few(
; FEW-NOT: br
; FEW: ret
define <8 x float> @few(<8 x float> %a, <8 x float> %b, <8 x float> %c, <8 x float> %d) {
  %ab = call <8 x float> @llvm.maxnum.v8f32(<8 x float> %a, <8 x float> %b)
  %abc = call <8 x float> @llvm.maxnum.v8f32(<8 x float> %ab, <8 x float> %c)
  %all = call <8 x float> @llvm.maxnum.v8f32(<8 x float> %abc, <8 x float> %d)
  ret <8 x float> %all
}
