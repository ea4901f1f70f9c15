; RUN: %opt -kernel=some -passes='loop-gathers,llvm(verify)' %s | %check %s --check-prefix=SOME
; RUN: %opt -kernel=others -passes=loop-gathers %s | %check %s --check-prefix=OTHERS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare <64 x i8> @llvm.masked.gather.v64i8.v64p0(<64 x ptr>, i32, <64 x i1>, <64 x i8>)
declare <16 x i8> @llvm.masked.gather.v16i8.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x i8>)

; Lane after lane, of those that are on.
; SOME-LABEL: define <64 x i8> @some(
; SOME: store <64 x ptr> %p, ptr [[PLACES:%.*]], align
; SOME: store <64 x i8> %rest, ptr [[LANES:%.*]], align
; SOME: [[ALL:%.*]] = bitcast <64 x i1>
; SOME: br i1
; SOME: [[BITS:%.*]] = phi i64 [ [[ALL]],
; SOME: call i64 @llvm.cttz.i64(i64 [[BITS]], i1 true)
; SOME: load i8, ptr
; SOME: store i8
; SOME: br i1
; SOME: load <64 x i8>, ptr [[LANES]]
; SOME-NOT: gather
; SOME: ret
define <64 x i8> @some(<64 x ptr> %p, <64 x i1> %on, <64 x i8> %rest) {
  %r = call <64 x i8> @llvm.masked.gather.v64i8.v64p0(<64 x ptr> %p, i32 1, <64 x i1> %on, <64 x i8> %rest)
  ret <64 x i8> %r
}

; OTHERS-LABEL: define <16 x i8> @others(
; OTHERS-COUNT-2: @llvm.masked.gather
; OTHERS: ret
define <16 x i8> @others(<64 x ptr> %p, <16 x ptr> %q, <16 x i1> %on, ptr %to) {
  %all = call <64 x i8> @llvm.masked.gather.v64i8.v64p0(<64 x ptr> %p, i32 1, <64 x i1> splat (i1 true), <64 x i8> zeroinitializer)
  store <64 x i8> %all, ptr %to
  %few = call <16 x i8> @llvm.masked.gather.v16i8.v16p0(<16 x ptr> %q, i32 1, <16 x i1> %on, <16 x i8> zeroinitializer)
  ret <16 x i8> %few
}
