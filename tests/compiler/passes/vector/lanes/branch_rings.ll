; Loads from a ring ask whether all lanes stand before its end.
; RUN: %opt -kernel=whole -passes=branch-rings %s | %check %s --check-prefix=WHOLE
; RUN: %opt -kernel=some -passes=branch-rings %s | %check %s --check-prefix=SOME
; RUN: %opt -kernel=others -passes=branch-rings %s | %check %s --check-prefix=OTHERS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare <4 x float> @llvm.masked.load.v4f32.p0(ptr, i32, <4 x i1>, <4 x float>)

; WHOLE-LABEL: define <4 x float> @whole
; WHOLE: [[ALL:%.*]] = icmp ugt i32 %left, 3
; WHOLE: br i1 [[ALL]], label %[[ONE:.*]], label %[[TWO:.*]]
; WHOLE: [[ONE]]:
; WHOLE-NEXT: [[WHOLE:%.*]] = load <4 x float>, ptr %begin, align 4
; WHOLE: [[TWO]]:
; WHOLE-NEXT: [[FRONT:%.*]] = call <4 x float> @llvm.masked.load{{.*}}(ptr %begin, i32 4, <4 x i1> %before,
; WHOLE-NEXT: [[PARTS:%.*]] = call <4 x float> @llvm.masked.load{{.*}}(ptr %behind, i32 4, <4 x i1> %others, <4 x float> [[FRONT]])
; WHOLE: [[SUM:%.*]] = phi <4 x float> [ [[WHOLE]], %[[ONE]] ], [ [[PARTS]], %[[TWO]] ]
; WHOLE: ret <4 x float> [[SUM]]
define <4 x float> @whole(ptr %begin, ptr %behind, i32 %left) {
  %first = insertelement <4 x i32> poison, i32 %left, i64 0
  %lefts = shufflevector <4 x i32> %first, <4 x i32> poison, <4 x i32> zeroinitializer
  %before = icmp ugt <4 x i32> %lefts, <i32 0, i32 1, i32 2, i32 3>
  %others = icmp ult <4 x i32> %lefts, <i32 1, i32 2, i32 3, i32 4>
  %front = call <4 x float> @llvm.masked.load.v4f32.p0(ptr %begin, i32 4, <4 x i1> %before, <4 x float> zeroinitializer)
  %all = call <4 x float> @llvm.masked.load.v4f32.p0(ptr %behind, i32 4, <4 x i1> %others, <4 x float> %front)
  ret <4 x float> %all
}

; Lanes that take no part load nothing.
; SOME-LABEL: define <4 x float> @some
; SOME: icmp ugt i32 %left, 3
; SOME: call <4 x float> @llvm.masked.load{{.*}}(ptr %begin, i32 4, <4 x i1> %active, <4 x float> zeroinitializer)
; SOME: call <4 x float> @llvm.masked.load{{.*}}(ptr %begin, i32 4, <4 x i1> %front.lanes,
define <4 x float> @some(ptr %begin, ptr %behind, i32 %left, <4 x i1> %active) {
  %first = insertelement <4 x i32> poison, i32 %left, i64 0
  %lefts = shufflevector <4 x i32> %first, <4 x i32> poison, <4 x i32> zeroinitializer
  %before = icmp ult <4 x i32> <i32 0, i32 1, i32 2, i32 3>, %lefts
  %not.before = xor <4 x i1> %before, splat (i1 true)
  %front.lanes = and <4 x i1> %active, %before
  %other.lanes = and <4 x i1> %active, %not.before
  %front = call <4 x float> @llvm.masked.load.v4f32.p0(ptr %begin, i32 4, <4 x i1> %front.lanes, <4 x float> zeroinitializer)
  %all = call <4 x float> @llvm.masked.load.v4f32.p0(ptr %behind, i32 4, <4 x i1> %other.lanes, <4 x float> %front)
  ret <4 x float> %all
}

; Another number, a place further on: the second load might have lanes where the first one has all; memory that is
; written in between.
; OTHERS-LABEL: define <4 x float> @others
; OTHERS-NOT: br i1
; OTHERS: ret
define <4 x float> @others(ptr %begin, ptr %behind, i32 %left, i32 %right) {
  %first = insertelement <4 x i32> poison, i32 %left, i64 0
  %lefts = shufflevector <4 x i32> %first, <4 x i32> poison, <4 x i32> zeroinitializer
  %second = insertelement <4 x i32> poison, i32 %right, i64 0
  %rights = shufflevector <4 x i32> %second, <4 x i32> poison, <4 x i32> zeroinitializer
  %before = icmp ugt <4 x i32> %lefts, <i32 0, i32 1, i32 2, i32 3>
  %others = icmp ult <4 x i32> %rights, <i32 1, i32 2, i32 3, i32 4>
  %front = call <4 x float> @llvm.masked.load.v4f32.p0(ptr %begin, i32 4, <4 x i1> %before, <4 x float> zeroinitializer)
  %all = call <4 x float> @llvm.masked.load.v4f32.p0(ptr %behind, i32 4, <4 x i1> %others, <4 x float> %front)
  %further = icmp ult <4 x i32> %lefts, <i32 1, i32 2, i32 3, i32 5>
  %front.2 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr %begin, i32 4, <4 x i1> %before, <4 x float> %all)
  %all.2 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr %behind, i32 4, <4 x i1> %further, <4 x float> %front.2)
  %behind.lanes = icmp ult <4 x i32> %lefts, <i32 1, i32 2, i32 3, i32 4>
  %front.3 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr %begin, i32 4, <4 x i1> %before, <4 x float> %all.2)
  store i32 0, ptr %behind
  %all.3 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr %behind, i32 4, <4 x i1> %behind.lanes, <4 x float> %front.3)
  ret <4 x float> %all.3
}
