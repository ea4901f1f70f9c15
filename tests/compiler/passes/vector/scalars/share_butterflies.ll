; RUN: %opt -kernel=sums -lanes=32 -passes=share-butterflies %s | %check %s --check-prefix=SUMS
; RUN: %opt -kernel=sums -lanes=32 -block=48 -passes=share-butterflies %s | %check %s --check-prefix=PARTS
; RUN: sed -E 's/store float (.)s5, ptr .p$/\1q = fdiv float \1s5, 3.0\n  \1d = fsub float \1s0, \1q\n  store float \1d, ptr \1p/' %s > %t.ll
; RUN: %opt -kernel=sums -lanes=32 -passes=share-butterflies %t.ll | %check %s --check-prefix=MEAN
; RUN: %opt -kernel=sums -lanes=32 -passes=share-butterflies,prepare-control,linearise,widen %s | %check %s --check-prefix=WIDE
; RUN: %opt -kernel=largest -lanes=32 -passes=share-butterflies %s | %check %s --check-prefix=LARGEST
; RUN: %opt -kernel=halves -lanes=32 -passes=share-butterflies %s | %check %s --check-prefix=HALVES
; RUN: %opt -kernel=differences -lanes=32 -passes=share-butterflies %s | %check %s --check-prefix=DIFFERENCES
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)
declare float @llvm.maxnum.f32(float, float)

; Over all five distances, in any order: lane 0's sum is everybody's.
; SUMS-LABEL: define void @sums(
; SUMS: [[S:%s.*]] = fadd float %s4, %m5
; SUMS: [[BITS:%.*]] = bitcast float [[S]] to i32
; SUMS: [[WORD:%.*]] = zext i32 [[BITS]] to i64
; SUMS: [[POINT:%.*]] = call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 [[WORD]], i32 0)
; SUMS: [[SHARED:%.*]] = bitcast i32 {{.*}} to float
; SUMS: store float [[SHARED]],
;
; Where lanes of the last warp are missing, those that miss a partner have a sum of their own.
; PARTS-LABEL: define void @sums(
; PARTS: store float %s5,
;
; So it is where only what follows from it is used: the mean is computed once.
; MEAN-LABEL: define void @sums(
; MEAN: call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 {{.*}}, i32 0)
; MEAN: [[SHARED:%.*]] = bitcast i32 {{.*}} to float
; MEAN: fdiv float [[SHARED]], 3.0
;
; WIDE-LABEL: define void @sums(
; WIDE-COUNT-5: fadd <32 x float>
; WIDE: extractelement <32 x i32> {{.*}}, i32 0
define void @sums(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr float, ptr %x, i64 %i
  %s0 = load float, ptr %p
  %lane = and i32 %t, 31
  %l1 = xor i32 %lane, 16
  %l2 = xor i32 %lane, 1
  %l3 = xor i32 %lane, 8
  %l4 = xor i32 %lane, 4
  %l5 = xor i32 %lane, 2
  %b1 = bitcast float %s0 to i32
  %w1 = zext i32 %b1 to i64
  %r1 = call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 %w1, i32 %l1)
  %t1 = trunc i64 %r1 to i32
  %m1 = bitcast i32 %t1 to float
  %s1 = fadd float %s0, %m1
  %b2 = bitcast float %s1 to i32
  %w2 = zext i32 %b2 to i64
  %r2 = call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 %w2, i32 %l2)
  %t2 = trunc i64 %r2 to i32
  %m2 = bitcast i32 %t2 to float
  %s2 = fadd float %m2, %s1
  %b3 = bitcast float %s2 to i32
  %w3 = zext i32 %b3 to i64
  %r3 = call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 %w3, i32 %l3)
  %t3 = trunc i64 %r3 to i32
  %m3 = bitcast i32 %t3 to float
  %s3 = fadd float %s2, %m3
  %b4 = bitcast float %s3 to i32
  %w4 = zext i32 %b4 to i64
  %r4 = call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 %w4, i32 %l4)
  %t4 = trunc i64 %r4 to i32
  %m4 = bitcast i32 %t4 to float
  %s4 = fadd float %s3, %m4
  %b5 = bitcast float %s4 to i32
  %w5 = zext i32 %b5 to i64
  %r5 = call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 %w5, i32 %l5)
  %t5 = trunc i64 %r5 to i32
  %m5 = bitcast i32 %t5 to float
  %s5 = fadd float %s4, %m5
  store float %s5, ptr %p
  ret void
}

; A maximum that looks at the signs of zeros: of what the last step is made only its result is shared.
; LARGEST-LABEL: define void @largest(
; LARGEST: %best = select i1 %equal, float %zero, float %larger
; LARGEST: call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 {{.*}}, i32 0)
; LARGEST-NOT: call i64 @__lanza_sync
; LARGEST: store float %{{[0-9]+}},
define void @largest(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %p
  %lane = and i32 %t, 31
  %l1 = xor i32 %lane, 1
  %l2 = xor i32 %lane, 2
  %l4 = xor i32 %lane, 4
  %l8 = xor i32 %lane, 8
  %l16 = xor i32 %lane, 16
  %b1 = bitcast float %v to i32
  %w1 = zext i32 %b1 to i64
  %r1 = call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 %w1, i32 %l16)
  %t1 = trunc i64 %r1 to i32
  %m1 = bitcast i32 %t1 to float
  %v1 = call float @llvm.maxnum.f32(float %v, float %m1)
  %b2 = bitcast float %v1 to i32
  %w2 = zext i32 %b2 to i64
  %r2 = call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 %w2, i32 %l8)
  %t2 = trunc i64 %r2 to i32
  %m2 = bitcast i32 %t2 to float
  %v2 = call float @llvm.maxnum.f32(float %v1, float %m2)
  %b3 = bitcast float %v2 to i32
  %w3 = zext i32 %b3 to i64
  %r3 = call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 %w3, i32 %l4)
  %t3 = trunc i64 %r3 to i32
  %m3 = bitcast i32 %t3 to float
  %v3 = call float @llvm.maxnum.f32(float %v2, float %m3)
  %b4 = bitcast float %v3 to i32
  %w4 = zext i32 %b4 to i64
  %r4 = call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 %w4, i32 %l2)
  %t4 = trunc i64 %r4 to i32
  %m4 = bitcast i32 %t4 to float
  %v4 = call float @llvm.maxnum.f32(float %v3, float %m4)
  %b5 = bitcast float %v4 to i32
  %w5 = zext i32 %b5 to i64
  %r5 = call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 %w5, i32 %l1)
  %t5 = trunc i64 %r5 to i32
  %m5 = bitcast i32 %t5 to float
  %larger = call float @llvm.maxnum.f32(float %v4, float %m5)
  %both = and i32 %b5, %t5
  %sign = or i32 %both, 2147483647
  %bits = bitcast float %larger to i32
  %kept = and i32 %bits, %sign
  %zero = bitcast i32 %kept to float
  %equal = fcmp oeq float %v4, %m5
  %best = select i1 %equal, float %zero, float %larger
  store float %best, ptr %p
  ret void
}

; One distance is missing.
; HALVES-LABEL: define void @halves(
; HALVES: store i64 %s1,
define void @halves(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i64, ptr %x, i64 %i
  %v = load i64, ptr %p
  %lane = and i32 %t, 31
  %l1 = xor i32 %lane, 1
  %r1 = call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 %v, i32 %l1)
  %s1 = add i64 %v, %r1
  store i64 %s1, ptr %p
  ret void
}

; A difference is another number in the other lane, whatever follows.
; DIFFERENCES-LABEL: define void @differences(
; DIFFERENCES-NOT: i32 -1, i64 {{.*}}, i32 0)
; DIFFERENCES: store i32 %d5,
define void @differences(ptr %x, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %i
  %d0 = load i32, ptr %p
  %lane = and i32 %t, 31
  %l1 = xor i32 %lane, 16
  %l2 = xor i32 %lane, 8
  %l3 = xor i32 %lane, 4
  %l4 = xor i32 %lane, 2
  %l5 = xor i32 %lane, 1
  %w1 = zext i32 %d0 to i64
  %r1 = call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 %w1, i32 %l1)
  %t1 = trunc i64 %r1 to i32
  %d1 = add i32 %d0, %t1
  %w2 = zext i32 %d1 to i64
  %r2 = call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 %w2, i32 %l2)
  %t2 = trunc i64 %r2 to i32
  %d2 = add i32 %d1, %t2
  %w3 = zext i32 %d2 to i64
  %r3 = call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 %w3, i32 %l3)
  %t3 = trunc i64 %r3 to i32
  %d3 = add i32 %d2, %t3
  %w4 = zext i32 %d3 to i64
  %r4 = call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 %w4, i32 %l4)
  %t4 = trunc i64 %r4 to i32
  %d4 = sub i32 %d3, %t4
  %w5 = zext i32 %d4 to i64
  %r5 = call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 %w5, i32 %l5)
  %t5 = trunc i64 %r5 to i32
  %d5 = add i32 %d4, %t5
  store i32 %d5, ptr %p
  ret void
}
