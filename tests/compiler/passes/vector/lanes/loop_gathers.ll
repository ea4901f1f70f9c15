; RUN: %opt -kernel=some -passes='loop-gathers,llvm(verify)' %s | %check %s --check-prefix=SOME
; RUN: %opt -kernel=others -passes=loop-gathers %s | %check %s --check-prefix=OTHERS
; RUN: %opt -kernel=edge -target=x86-64-v3 -passes='loop-gathers,llvm(verify)' %s | %check %s --check-prefix=EDGE
; RUN: %opt -kernel=edge -target=x86-64-v4 -passes=loop-gathers %s | %check %s --check-prefix=HAS
; RUN: %opt -kernel=written -target=x86-64-v3 -passes='loop-gathers,llvm(verify)' %s | %check %s --check-prefix=WRITTEN
; RUN: %opt -kernel=few -target=x86-64-v3 -passes=loop-gathers %s | %check %s --check-prefix=FEW
; RUN: %opt -kernel=parts -passes='loop-gathers,llvm(verify)' %s | %check %s --check-prefix=PARTS
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

declare <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x float>)
declare void @llvm.masked.scatter.v16f32.v16p0(<16 x float>, <16 x ptr>, i32, <16 x i1>)

; At an edge, where the host has no gathers: one loop for those that nothing is written between, however far behind
; their addresses are made, and one for the scatter.
; EDGE-LABEL: define void @edge(
; EDGE-COUNT-4: getelementptr float, <16 x ptr> %p
; EDGE: phi i16
; EDGE-COUNT-5: load float, ptr
; EDGE: br i1
; EDGE-COUNT-5: load <16 x float>
; EDGE: fadd <16 x float>
; EDGE: store <16 x ptr> %p
; EDGE: phi i16
; EDGE: load float, ptr
; EDGE: store float
; EDGE: br i1
; EDGE-NOT: phi
; EDGE: ret
; HAS-LABEL: define void @edge(
; HAS-COUNT-5: call <16 x float> @llvm.masked.gather
; HAS: call void @llvm.masked.scatter
define void @edge(<16 x ptr> %p, <16 x i1> %on) {
  %x0 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p, i32 4, <16 x i1> %on, <16 x float> zeroinitializer), !lanza.lanes-at-edge !0
  %s0 = fmul <16 x float> %x0, splat (float 2.0)
  %p1 = getelementptr float, <16 x ptr> %p, i64 1
  %x1 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p1, i32 4, <16 x i1> %on, <16 x float> zeroinitializer), !lanza.lanes-at-edge !0
  %s1 = fadd <16 x float> %s0, %x1
  %p2 = getelementptr float, <16 x ptr> %p, i64 2
  %x2 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p2, i32 4, <16 x i1> %on, <16 x float> zeroinitializer), !lanza.lanes-at-edge !0
  %s2 = fadd <16 x float> %s1, %x2
  %p3 = getelementptr float, <16 x ptr> %p, i64 3
  %x3 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p3, i32 4, <16 x i1> %on, <16 x float> zeroinitializer), !lanza.lanes-at-edge !0
  %s3 = fadd <16 x float> %s2, %x3
  %p4 = getelementptr float, <16 x ptr> %p, i64 4
  %x4 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p4, i32 4, <16 x i1> %on, <16 x float> zeroinitializer), !lanza.lanes-at-edge !0
  %s4 = fadd <16 x float> %s3, %x4
  call void @llvm.masked.scatter.v16f32.v16p0(<16 x float> %s4, <16 x ptr> %p, i32 4, <16 x i1> %on), !lanza.lanes-at-edge !0
  ret void
}

; What is read behind a store is read behind it.
; WRITTEN-LABEL: define void @written(
; WRITTEN-COUNT-3: load <16 x float>
; WRITTEN: store i32 0, ptr %to
; WRITTEN: phi i16
; WRITTEN-COUNT-3: load float
define void @written(<16 x ptr> %p, <16 x i1> %on, ptr %to, ptr %out) {
  %x0 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p, i32 4, <16 x i1> %on, <16 x float> zeroinitializer), !lanza.lanes-at-edge !0
  %o0 = getelementptr float, ptr %out, i64 0
  %x1 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p, i32 4, <16 x i1> %on, <16 x float> zeroinitializer), !lanza.lanes-at-edge !0
  %o1 = getelementptr float, ptr %out, i64 16
  %x2 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p, i32 4, <16 x i1> %on, <16 x float> zeroinitializer), !lanza.lanes-at-edge !0
  %o2 = getelementptr float, ptr %out, i64 32
  store i32 0, ptr %to
  %x3 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p, i32 4, <16 x i1> %on, <16 x float> zeroinitializer), !lanza.lanes-at-edge !0
  %o3 = getelementptr float, ptr %out, i64 48
  %x4 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p, i32 4, <16 x i1> %on, <16 x float> zeroinitializer), !lanza.lanes-at-edge !0
  %o4 = getelementptr float, ptr %out, i64 64
  %x5 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p, i32 4, <16 x i1> %on, <16 x float> zeroinitializer), !lanza.lanes-at-edge !0
  %o5 = getelementptr float, ptr %out, i64 80
  store <16 x float> %x0, ptr %o0
  store <16 x float> %x1, ptr %o1
  store <16 x float> %x2, ptr %o2
  store <16 x float> %x3, ptr %o3
  store <16 x float> %x4, ptr %o4
  store <16 x float> %x5, ptr %o5
  ret void
}

; Few at an edge stay.
; FEW-LABEL: define <16 x float> @few(
; FEW: call <16 x float> @llvm.masked.gather
define <16 x float> @few(<16 x ptr> %p, <16 x i1> %on) {
  %x = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p, i32 4, <16 x i1> %on, <16 x float> zeroinitializer), !lanza.lanes-at-edge !0
  ret <16 x float> %x
}

!0 = !{}

declare void @llvm.masked.scatter.v16i16.v16p0(<16 x i16>, <16 x ptr>, i32, <16 x i1>)

; Shorts of some lanes, which no host scatters; all lanes are stores one after the other.
; PARTS-LABEL: define void @parts(
; PARTS: store <16 x i16> %v, ptr [[VALUES:%.*]], align
; PARTS: phi i16
; PARTS: load i16, ptr
; PARTS: store i16
; PARTS: br i1
; PARTS: call void @llvm.masked.scatter.v16i16.v16p0(<16 x i16> %v, <16 x ptr> %p, i32 2, <16 x i1> <i1 true,
define void @parts(<16 x ptr> %p, <16 x i16> %v, <16 x i1> %on) {
  call void @llvm.masked.scatter.v16i16.v16p0(<16 x i16> %v, <16 x ptr> %p, i32 2, <16 x i1> %on)
  call void @llvm.masked.scatter.v16i16.v16p0(<16 x i16> %v, <16 x ptr> %p, i32 2, <16 x i1> splat (i1 true))
  ret void
}
