; RUN: %opt -kernel=columns -block=64 -lanes=4 -passes=gather-bases %s | %check %s --check-prefix=COLUMNS
; RUN: %opt -kernel=indices -block=64 -lanes=4 -passes=gather-bases %s | %check %s --check-prefix=INDICES
; RUN: %opt -kernel=elsewhere -block=64 -lanes=4 -passes=gather-bases %s | %check %s --check-prefix=ELSEWHERE
; RUN: %opt -kernel=anywhere -block=64 -lanes=4 -passes=gather-bases %s | %check %s --check-prefix=ANYWHERE
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr>, i32 immarg, <4 x i1>, <4 x float>)
declare void @llvm.masked.scatter.v4f32.v4p0(<4 x float>, <4 x ptr>, i32 immarg, <4 x i1>)

; One column after the other: the lanes' distances do not change, only where lane 0 is.
; COLUMNS-LABEL: define void @columns(
; COLUMNS: loop:
; COLUMNS: [[FIRST:%.*]] = getelementptr float, ptr %{{.*}}, i64 %j
; COLUMNS-NEXT: [[ALL:%.*]] = getelementptr i8, ptr [[FIRST]], <4 x i32> <i32 0, i32 64, i32 128, i32 192>
; COLUMNS-NEXT: call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> [[ALL]],
; COLUMNS: [[ALL:%.*]] = getelementptr i8, ptr %{{.*}}, <4 x i32> <i32 0, i32 64, i32 128, i32 192>
; COLUMNS-NEXT: call void @llvm.masked.scatter.v4f32.v4p0(<4 x float> %v, <4 x ptr> [[ALL]],
define void @columns(ptr %tile, i64 %n) {
  %rows = getelementptr i8, ptr %tile, <4 x i64> <i64 0, i64 64, i64 128, i64 192>
  br label %loop
loop:
  %j = phi i64 [ 0, %0 ], [ %next, %loop ]
  %at = getelementptr float, <4 x ptr> %rows, i64 %j
  %v = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %at, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> zeroinitializer)
  %next = add nuw nsw i64 %j, 1
  %to = getelementptr float, <4 x ptr> %rows, i64 %next
  call void @llvm.masked.scatter.v4f32.v4p0(<4 x float> %v, <4 x ptr> %to, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>)
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret void
}

; What goes by the lanes' own numbers stays.
; ANYWHERE-LABEL: define <4 x float> @anywhere(
; ANYWHERE: %at = getelementptr float, ptr %p, <4 x i64> %i
; ANYWHERE-NEXT: call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %at,
define <4 x float> @anywhere(ptr %p, <4 x i64> %i) {
  %at = getelementptr float, ptr %p, <4 x i64> %i
  %v = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %at, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> zeroinitializer)
  ret <4 x float> %v
}

; Indices of 32 bits that are not negative have their sign; others may be large.
; INDICES-LABEL: define <4 x float> @indices(
; INDICES: [[SIGNED:%.*]] = sext <4 x i32> %i to <4 x i64>
; INDICES: %at = getelementptr float, ptr %p, <4 x i64> [[SIGNED]]
; INDICES: %large = zext <4 x i32> %k to <4 x i64>
; INDICES: getelementptr float, ptr %p, <4 x i64> %large
define <4 x float> @indices(ptr %p, <4 x i32> %i, <4 x i32> %k) {
  %wide = zext nneg <4 x i32> %i to <4 x i64>
  %at = getelementptr float, ptr %p, <4 x i64> %wide
  %v = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %at, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> zeroinitializer)
  %large = zext <4 x i32> %k to <4 x i64>
  %there = getelementptr float, ptr %p, <4 x i64> %large
  %w = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %there, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> zeroinitializer)
  %sum = fadd <4 x float> %v, %w
  ret <4 x float> %sum
}

; What was extended in another basic block is extended in front of each access.
; ELSEWHERE-LABEL: define <4 x float> @elsewhere(
; ELSEWHERE: then:
; ELSEWHERE-NEXT: [[SIGNED:%.*]] = sext <4 x i32> %i to <4 x i64>
; ELSEWHERE-NEXT: %at = getelementptr [64 x float], ptr %p, i64 0, <4 x i64> [[SIGNED]]
define <4 x float> @elsewhere(ptr %p, <4 x i32> %k, i1 %asks) {
  %i = and <4 x i32> %k, splat (i32 63)
  %wide = zext <4 x i32> %i to <4 x i64>
  br i1 %asks, label %then, label %end
then:
  %at = getelementptr [64 x float], ptr %p, i64 0, <4 x i64> %wide
  %v = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %at, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> zeroinitializer)
  ret <4 x float> %v
end:
  ret <4 x float> zeroinitializer
}
