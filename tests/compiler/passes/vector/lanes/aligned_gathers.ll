; RUN: %opt -kernel=scales -passes='aligned-gathers,llvm(verify)' %s | %check %s
; RUN: %opt -kernel=bytes -passes='aligned-gathers,llvm(verify)' %s | %check %s --check-prefix=BYTES
; RUN: %opt -kernel=backwards -passes='aligned-gathers,llvm(verify)' %s | %check %s --check-prefix=BACKWARDS
; RUN: %opt -kernel=many -passes='aligned-gathers,llvm(verify)' %s | %check %s --check-prefix=MANY
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%block = type { half, [16 x i8] }

declare <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr>, i32, <8 x i1>, <8 x float>)
declare <8 x i8> @llvm.masked.gather.v8i8.v8p0(<8 x ptr>, i32, <8 x i1>, <8 x i8>)

; Where the row begins at a multiple of four, four lanes each have one scale. A sum near the end of its bits may wrap.
; CHECK-LABEL: define <8 x float> @scales(
; CHECK: [[ROOM:%.*]] = icmp ule i32 %from, -8
; CHECK: [[REST:%.*]] = and i32 %from, 3
; CHECK: [[WHOLE:%.*]] = icmp eq i32 [[REST]], 0
; CHECK: and i1 [[ROOM]], [[WHOLE]]
; CHECK: br i1
; CHECK: load float, ptr
; CHECK: shufflevector <8 x float> {{.*}} zeroinitializer
; CHECK: load float, ptr
; CHECK: shufflevector <8 x float> {{.*}}, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 12, i32 13, i32 14, i32 15>
; CHECK: call <8 x float> @llvm.masked.gather.v8f32.v8p0(
; CHECK: phi <8 x float>
define <8 x float> @scales(ptr %x, i32 %from) {
  %f = insertelement <8 x i32> poison, i32 %from, i64 0
  %all = shufflevector <8 x i32> %f, <8 x i32> poison, <8 x i32> zeroinitializer
  %i = add <8 x i32> %all, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %q = lshr <8 x i32> %i, splat (i32 2)
  %wide = zext nneg <8 x i32> %q to <8 x i64>
  %p = getelementptr float, ptr %x, <8 x i64> %wide
  %v = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %p, i32 4, <8 x i1> splat (i1 true), <8 x float> poison)
  ret <8 x float> %v
}

; Members of records by a remainder, side by side within each.
; BYTES-LABEL: define <8 x i8> @bytes(
; BYTES: br i1
; BYTES: load <4 x i8>, ptr
; BYTES: load <4 x i8>, ptr
; BYTES: shufflevector <8 x i8> {{.*}}, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 12, i32 13, i32 14, i32 15>
; BYTES: call <8 x i8> @llvm.masked.gather.v8i8.v8p0(
define <8 x i8> @bytes(ptr %x, i64 %from) {
  %f = insertelement <8 x i64> poison, i64 %from, i64 0
  %all = shufflevector <8 x i64> %f, <8 x i64> poison, <8 x i32> zeroinitializer
  %i = add <8 x i64> %all, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
  %q = ashr <8 x i64> %i, splat (i64 2)
  %r = and <8 x i64> %i, splat (i64 3)
  %record = getelementptr %block, ptr %x, <8 x i64> %q
  %array = getelementptr i8, <8 x ptr> %record, i64 2
  %p = getelementptr [16 x i8], <8 x ptr> %array, i64 0, <8 x i64> %r
  %v = call <8 x i8> @llvm.masked.gather.v8i8.v8p0(<8 x ptr> %p, i32 1, <8 x i1> splat (i1 true), <8 x i8> poison)
  ret <8 x i8> %v
}

; Lanes below what they share may wrap at its other end.
; BACKWARDS-LABEL: define <8 x float> @backwards(
; BACKWARDS-NOT: br
; BACKWARDS-NOT: and
; BACKWARDS: ret
define <8 x float> @backwards(ptr %x, i32 %from) {
  %f = insertelement <8 x i32> poison, i32 %from, i64 0
  %all = shufflevector <8 x i32> %f, <8 x i32> poison, <8 x i32> zeroinitializer
  %i = add <8 x i32> %all, <i32 0, i32 -1, i32 -2, i32 -3, i32 -4, i32 -5, i32 -6, i32 -7>
  %q = lshr <8 x i32> %i, splat (i32 2)
  %wide = zext nneg <8 x i32> %q to <8 x i64>
  %p = getelementptr float, ptr %x, <8 x i64> %wide
  %v = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %p, i32 4, <8 x i1> splat (i1 true), <8 x float> poison)
  ret <8 x float> %v
}

; Pairs of lanes take as many loads as two lanes each by themselves.
; MANY-LABEL: define <8 x float> @many(
; MANY-NOT: br
; MANY-NOT: and
; MANY: ret
define <8 x float> @many(ptr %x, i32 %from) {
  %f = insertelement <8 x i32> poison, i32 %from, i64 0
  %all = shufflevector <8 x i32> %f, <8 x i32> poison, <8 x i32> zeroinitializer
  %i = add <8 x i32> %all, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %q = lshr <8 x i32> %i, splat (i32 1)
  %wide = zext nneg <8 x i32> %q to <8 x i64>
  %p = getelementptr float, ptr %x, <8 x i64> %wide
  %v = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %p, i32 4, <8 x i1> splat (i1 true), <8 x float> poison)
  ret <8 x float> %v
}
