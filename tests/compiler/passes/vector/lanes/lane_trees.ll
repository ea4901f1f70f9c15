; RUN: %opt -kernel=words -passes=lane-accesses %s | %check %s --check-prefix=WORDS
; RUN: %opt -kernel=written -passes=lane-accesses %s | %check %s --check-prefix=WRITTEN
; RUN: %opt -kernel=shared -passes=lane-accesses %s | %check %s --check-prefix=SHARED
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr>, i32, <4 x i1>, <4 x i32>)

; Each word is loaded and taken apart by itself, and what was found is combined before it becomes a vector, two lanes as
; a word.
; WORDS-LABEL: define <4 x i32> @words(
; WORDS-NEXT: [[V:%.*]] = load i32, ptr %in, align 16
; WORDS: [[A:%.*]] = and i32 [[V]], 255
; WORDS: [[AT:%.*]] = getelementptr i32, ptr %table, i64
; WORDS: [[X:%.*]] = load i32, ptr [[AT]], align 4
; WORDS: [[B:%.*]] = lshr i32 [[V]], 24
; WORDS: [[Y:%.*]] = load i32, ptr {{.*}}, align 4
; WORDS: [[FIRST:%.*]] = xor i32 [[X]], [[Y]]
; WORDS: [[NEXT:%.*]] = getelementptr i8, ptr %in, i64 4
; WORDS: load i32, ptr [[NEXT]], align 4
; WORDS: [[HIGH:%.*]] = shl i64 {{.*}}, 32
; WORDS: [[LOW:%.*]] = zext i32 [[FIRST]] to i64
; WORDS: [[PAIR:%.*]] = or i64 [[LOW]], [[HIGH]]
; WORDS: insertelement <2 x i64> poison, i64 [[PAIR]], i64 0
; WORDS: [[ALL:%.*]] = bitcast <2 x i64> {{.*}} to <4 x i32>
; WORDS-NEXT: ret <4 x i32> [[ALL]]
define <4 x i32> @words(ptr %table, ptr %in) {
  %v = load <4 x i32>, ptr %in, align 16
  %a = and <4 x i32> %v, <i32 255, i32 255, i32 255, i32 255>
  %b = lshr <4 x i32> %v, <i32 24, i32 24, i32 24, i32 24>
  %a64 = zext <4 x i32> %a to <4 x i64>
  %b64 = zext <4 x i32> %b to <4 x i64>
  %pa = getelementptr i32, ptr %table, <4 x i64> %a64
  %pb = getelementptr i32, ptr %table, <4 x i64> %b64
  %x = call <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr> %pa, i32 4, <4 x i1> <i1 1, i1 1, i1 1, i1 1>, <4 x i32> poison)
  %y = call <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr> %pb, i32 4, <4 x i1> <i1 1, i1 1, i1 1, i1 1>, <4 x i32> poison)
  %r = xor <4 x i32> %x, %y
  ret <4 x i32> %r
}

; What was gathered before a store is not loaded behind it.
; WRITTEN-LABEL: define <4 x i32> @written(
; WRITTEN-COUNT-4: insertelement <4 x i32>
; WRITTEN: store i32 7, ptr %table
; WRITTEN-COUNT-4: insertelement <4 x i32>
; WRITTEN: xor <4 x i32>
define <4 x i32> @written(ptr %table, <4 x i32> %a, <4 x i32> %b) {
  %pa = getelementptr i32, ptr %table, <4 x i32> %a
  %pb = getelementptr i32, ptr %table, <4 x i32> %b
  %x = call <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr> %pa, i32 4, <4 x i1> <i1 1, i1 1, i1 1, i1 1>, <4 x i32> poison)
  store i32 7, ptr %table, align 4
  %y = call <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr> %pb, i32 4, <4 x i1> <i1 1, i1 1, i1 1, i1 1>, <4 x i32> poison)
  %r = xor <4 x i32> %x, %y
  ret <4 x i32> %r
}

; Somebody else wants one of them as a vector.
; SHARED-LABEL: define <4 x i32> @shared(
; SHARED: xor <4 x i32>
define <4 x i32> @shared(ptr %table, ptr %out, <4 x i32> %a, <4 x i32> %b) {
  %pa = getelementptr i32, ptr %table, <4 x i32> %a
  %pb = getelementptr i32, ptr %table, <4 x i32> %b
  %x = call <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr> %pa, i32 4, <4 x i1> <i1 1, i1 1, i1 1, i1 1>, <4 x i32> poison)
  %y = call <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr> %pb, i32 4, <4 x i1> <i1 1, i1 1, i1 1, i1 1>, <4 x i32> poison)
  %r = xor <4 x i32> %x, %y
  store <4 x i32> %y, ptr %out
  ret <4 x i32> %r
}
