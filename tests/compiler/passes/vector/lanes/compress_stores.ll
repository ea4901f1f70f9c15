; RUN: %opt -kernel=kept -target=x86-64-v4 -passes='compress-stores,llvm(verify)' %s | %check %s --check-prefix=KEPT
; RUN: %opt -kernel=kept -target=x86-64-v3 -passes='compress-stores,llvm(verify)' %s | %check %s --check-prefix=PERMUTED
; RUN: %opt -kernel=kept -target=x86-64-v2 -passes=compress-stores %s | %check %s --check-prefix=OTHERS
; RUN: %opt -kernel=wraps -target=x86-64-v4 -passes='compress-stores,llvm(verify)' %s | %check %s --check-prefix=WRAPS
; RUN: %opt -kernel=scanned -target=x86-64-v4 -passes='compress-stores,llvm(verify)' %s | %check %s --check-prefix=SCANNED
; RUN: %opt -kernel=of_another -target=x86-64-v4 -passes=compress-stores %s | %check %s --check-prefix=OTHERS
; RUN: %opt -kernel=behind_others -target=x86-64-v4 -passes='compress-stores,llvm(verify)' %s | %check %s --check-prefix=BEHIND
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare <16 x i32> @llvm.ctpop.v16i32(<16 x i32>)
declare void @llvm.masked.scatter.v16f32.v16p0(<16 x float>, <16 x ptr>, i32, <16 x i1>)

; Each active lane comes behind those below it.
; KEPT-LABEL: define void @kept(
; KEPT: [[WIDE:%.*]] = sext i32 {{.*}} to i64
; KEPT: [[PLACE:%.*]] = getelementptr float, ptr %out, i64 [[WIDE]]
; KEPT: [[COUNT:%.*]] = call i16 @llvm.ctpop.i16(
; KEPT: shl i64 -1
; KEPT: [[PACKED:%.*]] = call <16 x float> @llvm.x86.avx512.mask.compress.v16f32(<16 x float> %v, <16 x float> zeroinitializer, <16 x i1> %keep)
; KEPT: call void @llvm.masked.store.v16f32.p0(<16 x float> [[PACKED]], ptr [[PLACE]], i32 4,
; KEPT-NOT: scatter
; KEPT: ret
; With AVX2 a table says in which order the lanes are packed, half of them at a time.
; PERMUTED: @lanza.packed.8 = private unnamed_addr constant [256 x i32] [i32 0, i32 0, i32 1, i32 16, i32 2,
; PERMUTED-LABEL: define void @kept(
; PERMUTED: icmp ugt <8 x i32> {{.*}}, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
; PERMUTED: [[ENTRY:%.*]] = getelementptr i32, ptr @lanza.packed.8, i64
; PERMUTED: load i32, ptr [[ENTRY]]
; PERMUTED: lshr <8 x i32> {{.*}}, <i32 0, i32 4, i32 8, i32 12, i32 16, i32 20, i32 24, i32 28>
; PERMUTED: call <8 x i32> @llvm.x86.avx2.permd(
; PERMUTED: call void @llvm.masked.store.v8f32.p0(
; PERMUTED: call void @llvm.masked.store.v8f32.p0(
; PERMUTED-NOT: scatter
; PERMUTED: ret
; OTHERS-LABEL: define void
; OTHERS-NOT: compress
; OTHERS: call void @llvm.masked.scatter
define void @kept(ptr %out, <16 x float> %v, <16 x i1> %keep, i32 %base) {
  %bits = bitcast <16 x i1> %keep to i16
  %votes = zext i16 %bits to i32
  %one = insertelement <16 x i32> poison, i32 %votes, i64 0
  %all = shufflevector <16 x i32> %one, <16 x i32> poison, <16 x i32> zeroinitializer
  %below = and <16 x i32> %all, <i32 0, i32 1, i32 3, i32 7, i32 15, i32 31, i32 63, i32 127, i32 255, i32 511, i32 1023, i32 2047, i32 4095, i32 8191, i32 16383, i32 32767>
  %rank = call <16 x i32> @llvm.ctpop.v16i32(<16 x i32> %below)
  %first = insertelement <16 x i32> poison, i32 %base, i64 0
  %bases = shufflevector <16 x i32> %first, <16 x i32> poison, <16 x i32> zeroinitializer
  %index = add nsw <16 x i32> %rank, %bases
  %wide = sext <16 x i32> %index to <16 x i64>
  %p = getelementptr float, ptr %out, <16 x i64> %wide
  call void @llvm.masked.scatter.v16f32.v16p0(<16 x float> %v, <16 x ptr> %p, i32 4, <16 x i1> %keep)
  ret void
}

; The sum may wrap between two lanes, which is asked.
; WRAPS-LABEL: define void @wraps(
; WRAPS: [[GOES:%.*]] = icmp ule i32 {{.*}}, -17
; WRAPS: br i1 [[GOES]], label %[[PACKED:.*]], label %[[SCATTERED:.*]]
; WRAPS: [[PACKED]]:
; WRAPS: compress
; WRAPS: masked.store
; WRAPS: [[SCATTERED]]:
; WRAPS: masked.scatter
define void @wraps(ptr %out, <16 x float> %v, <16 x i1> %keep, i32 %base) {
  %bits = bitcast <16 x i1> %keep to i16
  %votes = zext i16 %bits to i32
  %one = insertelement <16 x i32> poison, i32 %votes, i64 0
  %all = shufflevector <16 x i32> %one, <16 x i32> poison, <16 x i32> zeroinitializer
  %below = and <16 x i32> %all, <i32 0, i32 1, i32 3, i32 7, i32 15, i32 31, i32 63, i32 127, i32 255, i32 511, i32 1023, i32 2047, i32 4095, i32 8191, i32 16383, i32 32767>
  %rank = call <16 x i32> @llvm.ctpop.v16i32(<16 x i32> %below)
  %first = insertelement <16 x i32> poison, i32 %base, i64 0
  %bases = shufflevector <16 x i32> %first, <16 x i32> poison, <16 x i32> zeroinitializer
  %index = add <16 x i32> %rank, %bases
  %wide = zext <16 x i32> %index to <16 x i64>
  %p = getelementptr float, ptr %out, <16 x i64> %wide
  call void @llvm.masked.scatter.v16f32.v16p0(<16 x float> %v, <16 x ptr> %p, i32 4, <16 x i1> %keep)
  ret void
}

; Votes of other lanes than those that store.
define void @of_another(ptr %out, <16 x float> %v, <16 x i1> %keep, <16 x i1> %other) {
  %bits = bitcast <16 x i1> %other to i16
  %votes = zext i16 %bits to i32
  %one = insertelement <16 x i32> poison, i32 %votes, i64 0
  %all = shufflevector <16 x i32> %one, <16 x i32> poison, <16 x i32> zeroinitializer
  %below = and <16 x i32> %all, <i32 0, i32 1, i32 3, i32 7, i32 15, i32 31, i32 63, i32 127, i32 255, i32 511, i32 1023, i32 2047, i32 4095, i32 8191, i32 16383, i32 32767>
  %rank = call <16 x i32> @llvm.ctpop.v16i32(<16 x i32> %below)
  %wide = zext <16 x i32> %rank to <16 x i64>
  %p = getelementptr float, ptr %out, <16 x i64> %wide
  call void @llvm.masked.scatter.v16f32.v16p0(<16 x float> %v, <16 x ptr> %p, i32 4, <16 x i1> %keep)
  ret void
}

; Places that sums in memory are may follow on each other, which is asked.
; SCANNED-LABEL: define void @scanned(
; SCANNED: [[PACKED:%.*]] = call <16 x i32> @llvm.x86.avx512.mask.compress.v16i32(<16 x i32> %index,
; SCANNED: [[FIRST:%.*]] = extractelement <16 x i32> [[PACKED]], i64 0
; SCANNED: icmp ne <16 x i32> [[PACKED]],
; SCANNED: br i1 {{%.*}}, label %[[SIDE:.*]], label %[[APART:.*]]
; SCANNED: [[SIDE]]:
; SCANNED: call void @llvm.masked.store.v16f32.p0(
; SCANNED: [[APART]]:
; SCANNED: call void @llvm.masked.scatter
define void @scanned(ptr %out, ptr %sums, <16 x float> %v, <16 x i1> %keep) {
  %sum = load <16 x i32>, ptr %sums
  %index = add nsw <16 x i32> %sum, splat (i32 -1)
  %wide = sext <16 x i32> %index to <16 x i64>
  %p = getelementptr float, ptr %out, <16 x i64> %wide
  call void @llvm.masked.scatter.v16f32.v16p0(<16 x float> %v, <16 x ptr> %p, i32 4, <16 x i1> %keep)
  ret void
}

; A base that was computed in a vector's first lanes.
; BEHIND-LABEL: define void @behind_others(
; BEHIND: [[BASE:%.*]] = extractelement <4 x i32> %bases, i64 0
; BEHIND: [[SUM:%.*]] = add i32 0, [[BASE]]
; BEHIND: [[WIDE:%.*]] = sext i32 [[SUM]] to i64
; BEHIND: getelementptr float, ptr %out, i64 [[WIDE]]
; BEHIND: call <16 x float> @llvm.x86.avx512.mask.compress.v16f32(
; BEHIND-NOT: scatter
define void @behind_others(ptr %out, <16 x float> %v, <16 x i1> %keep, <4 x i32> %bases) {
  %bits = bitcast <16 x i1> %keep to i16
  %votes = zext i16 %bits to i32
  %one = insertelement <16 x i32> poison, i32 %votes, i64 0
  %all = shufflevector <16 x i32> %one, <16 x i32> poison, <16 x i32> zeroinitializer
  %below = and <16 x i32> %all, <i32 0, i32 1, i32 3, i32 7, i32 15, i32 31, i32 63, i32 127, i32 255, i32 511, i32 1023, i32 2047, i32 4095, i32 8191, i32 16383, i32 32767>
  %rank = call <16 x i32> @llvm.ctpop.v16i32(<16 x i32> %below)
  %base = shufflevector <4 x i32> %bases, <4 x i32> poison, <16 x i32> zeroinitializer
  %index = add nsw <16 x i32> %base, %rank
  %wide = sext <16 x i32> %index to <16 x i64>
  %p = getelementptr float, ptr %out, <16 x i64> %wide
  call void @llvm.masked.scatter.v16f32.v16p0(<16 x float> %v, <16 x ptr> %p, i32 4, <16 x i1> %keep)
  ret void
}
