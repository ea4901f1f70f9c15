; RUN: %opt -kernel=differences -target=sapphirerapids -passes='byte-terms,llvm(verify)' %s | %check %s
; RUN: %opt -kernel=box -target=sapphirerapids -passes='byte-terms,llvm(verify)' %s | %check %s --check-prefix=BOX
; RUN: %opt -kernel=written -target=sapphirerapids -passes='byte-terms' %s | %check %s --check-prefix=WRITTEN
; RUN: %opt -kernel=apart -target=sapphirerapids -passes='byte-terms' %s | %check %s --check-prefix=APART
; RUN: %opt -kernel=differences -target=x86-64-v4 -passes='byte-terms' %s | %check %s --check-prefix=PLAIN
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare <16 x i8> @llvm.umax.v16i8(<16 x i8>, <16 x i8>)
declare <16 x i8> @llvm.umin.v16i8(<16 x i8>, <16 x i8>)

; Differences of a block of pixels, |a[k] - x[lane + k]|: the four bytes of each lane at once.
; CHECK-LABEL: define <16 x i32> @differences(
; CHECK: [[WORD:%.*]] = load i32, ptr %ap0, align 1
; CHECK: [[SHARED:%.*]] = bitcast <16 x i32> {{.*}} to <64 x i8>
; CHECK: [[ROW:%.*]] = call <32 x i8> @llvm.masked.load.v32i8.p0(ptr %xp0, i32 1, <32 x i1> <{{(i1 true, ){19}i1 false, .*}}>, <32 x i8> zeroinitializer)
; CHECK: [[WINDOW:%.*]] = call <64 x i8> @llvm.x86.avx512.permvar.qi.512({{.*}}, <64 x i8> <i8 0, i8 1, i8 2, i8 3, i8 1, i8 2, i8 3, i8 4,
; CHECK: [[MOST:%.*]] = call <64 x i8> @llvm.umax.v64i8(<64 x i8> [[SHARED]], <64 x i8> [[WINDOW]])
; CHECK: [[LEAST:%.*]] = call <64 x i8> @llvm.umin.v64i8(<64 x i8> [[SHARED]], <64 x i8> [[WINDOW]])
; CHECK: [[BYTES:%.*]] = sub <64 x i8> [[MOST]], [[LEAST]]
; CHECK: [[FOUR:%.*]] = bitcast <64 x i8> [[BYTES]] to <16 x i32>
; CHECK: [[ADDED:%.*]] = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> zeroinitializer, <16 x i32> [[FOUR]], <16 x i32> <i32 16843009,
; CHECK: add <16 x i32> {{.*}}[[ADDED]]
; CHECK-NOT: zext
; CHECK: ret
; PLAIN-LABEL: define <16 x i32> @differences(
; PLAIN-NOT: vpdpbusd
; PLAIN: ret
define <16 x i32> @differences(ptr %a, ptr %x, <16 x i32> %sum) {
  %ap0 = getelementptr i8, ptr %a, i64 0
  %a0 = load i8, ptr %ap0
  %ai0 = insertelement <16 x i8> poison, i8 %a0, i64 0
  %as0 = shufflevector <16 x i8> %ai0, <16 x i8> poison, <16 x i32> zeroinitializer
  %xp0 = getelementptr i8, ptr %x, i64 0
  %x0 = load <16 x i8>, ptr %xp0, align 1
  %most0 = call <16 x i8> @llvm.umax.v16i8(<16 x i8> %as0, <16 x i8> %x0)
  %least0 = call <16 x i8> @llvm.umin.v16i8(<16 x i8> %as0, <16 x i8> %x0)
  %d0 = sub <16 x i8> %most0, %least0
  %w0 = zext <16 x i8> %d0 to <16 x i32>
  %s0 = add <16 x i32> %sum, %w0
  %ap1 = getelementptr i8, ptr %a, i64 1
  %a1 = load i8, ptr %ap1
  %ai1 = insertelement <16 x i8> poison, i8 %a1, i64 0
  %as1 = shufflevector <16 x i8> %ai1, <16 x i8> poison, <16 x i32> zeroinitializer
  %xp1 = getelementptr i8, ptr %x, i64 1
  %x1 = load <16 x i8>, ptr %xp1, align 1
  %most1 = call <16 x i8> @llvm.umax.v16i8(<16 x i8> %as1, <16 x i8> %x1)
  %least1 = call <16 x i8> @llvm.umin.v16i8(<16 x i8> %as1, <16 x i8> %x1)
  %d1 = sub <16 x i8> %most1, %least1
  %w1 = zext <16 x i8> %d1 to <16 x i32>
  %s1 = add <16 x i32> %s0, %w1
  %ap2 = getelementptr i8, ptr %a, i64 2
  %a2 = load i8, ptr %ap2
  %ai2 = insertelement <16 x i8> poison, i8 %a2, i64 0
  %as2 = shufflevector <16 x i8> %ai2, <16 x i8> poison, <16 x i32> zeroinitializer
  %xp2 = getelementptr i8, ptr %x, i64 2
  %x2 = load <16 x i8>, ptr %xp2, align 1
  %most2 = call <16 x i8> @llvm.umax.v16i8(<16 x i8> %as2, <16 x i8> %x2)
  %least2 = call <16 x i8> @llvm.umin.v16i8(<16 x i8> %as2, <16 x i8> %x2)
  %d2 = sub <16 x i8> %most2, %least2
  %w2 = zext <16 x i8> %d2 to <16 x i32>
  %s2 = add <16 x i32> %s1, %w2
  %ap3 = getelementptr i8, ptr %a, i64 3
  %a3 = load i8, ptr %ap3
  %ai3 = insertelement <16 x i8> poison, i8 %a3, i64 0
  %as3 = shufflevector <16 x i8> %ai3, <16 x i8> poison, <16 x i32> zeroinitializer
  %xp3 = getelementptr i8, ptr %x, i64 3
  %x3 = load <16 x i8>, ptr %xp3, align 1
  %most3 = call <16 x i8> @llvm.umax.v16i8(<16 x i8> %as3, <16 x i8> %x3)
  %least3 = call <16 x i8> @llvm.umin.v16i8(<16 x i8> %as3, <16 x i8> %x3)
  %d3 = sub <16 x i8> %most3, %least3
  %w3 = zext <16 x i8> %d3 to <16 x i32>
  %s3 = add <16 x i32> %s2, %w3
  ret <16 x i32> %s3
}

; Bytes with a sign, and one that is left.
; BOX-LABEL: define <16 x i32> @box(
; BOX: call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> zeroinitializer, <16 x i32> <i32 16843009, {{.*}}>, <16 x i32>
; BOX-COUNT-2: add <16 x i32>
; BOX: ret
define <16 x i32> @box(ptr %x, <16 x i32> %sum) {
  %xp0 = getelementptr i8, ptr %x, i64 0
  %x0 = load <16 x i8>, ptr %xp0, align 1
  %w0 = sext <16 x i8> %x0 to <16 x i32>
  %s0 = add <16 x i32> %sum, %w0
  %xp1 = getelementptr i8, ptr %x, i64 1
  %x1 = load <16 x i8>, ptr %xp1, align 1
  %w1 = sext <16 x i8> %x1 to <16 x i32>
  %s1 = add <16 x i32> %s0, %w1
  %xp2 = getelementptr i8, ptr %x, i64 2
  %x2 = load <16 x i8>, ptr %xp2, align 1
  %w2 = sext <16 x i8> %x2 to <16 x i32>
  %s2 = add <16 x i32> %s1, %w2
  %xp3 = getelementptr i8, ptr %x, i64 3
  %x3 = load <16 x i8>, ptr %xp3, align 1
  %w3 = sext <16 x i8> %x3 to <16 x i32>
  %s3 = add <16 x i32> %s2, %w3
  %xp4 = getelementptr i8, ptr %x, i64 4
  %x4 = load <16 x i8>, ptr %xp4, align 1
  %w4 = sext <16 x i8> %x4 to <16 x i32>
  %s4 = add <16 x i32> %s3, %w4
  ret <16 x i32> %s4
}

; What is written between the loads may be what they read.
; WRITTEN-LABEL: define <16 x i32> @written(
; WRITTEN-NOT: vpdpbusd
; WRITTEN: ret
define <16 x i32> @written(ptr %x, ptr %y, <16 x i32> %sum) {
  %xp0 = getelementptr i8, ptr %x, i64 0
  %x0 = load <16 x i8>, ptr %xp0, align 1
  %w0 = zext <16 x i8> %x0 to <16 x i32>
  %s0 = add <16 x i32> %sum, %w0
  %xp1 = getelementptr i8, ptr %x, i64 1
  %x1 = load <16 x i8>, ptr %xp1, align 1
  %w1 = zext <16 x i8> %x1 to <16 x i32>
  %s1 = add <16 x i32> %s0, %w1
  store i8 1, ptr %y
  %xp2 = getelementptr i8, ptr %x, i64 2
  %x2 = load <16 x i8>, ptr %xp2, align 1
  %w2 = zext <16 x i8> %x2 to <16 x i32>
  %s2 = add <16 x i32> %s1, %w2
  %xp3 = getelementptr i8, ptr %x, i64 3
  %x3 = load <16 x i8>, ptr %xp3, align 1
  %w3 = zext <16 x i8> %x3 to <16 x i32>
  %s3 = add <16 x i32> %s2, %w3
  ret <16 x i32> %s3
}

; Every other byte.
; APART-LABEL: define <16 x i32> @apart(
; APART-NOT: vpdpbusd
; APART: ret
define <16 x i32> @apart(ptr %x, <16 x i32> %sum) {
  %xp0 = getelementptr i8, ptr %x, i64 0
  %x0 = load <16 x i8>, ptr %xp0, align 1
  %w0 = zext <16 x i8> %x0 to <16 x i32>
  %s0 = add <16 x i32> %sum, %w0
  %xp1 = getelementptr i8, ptr %x, i64 2
  %x1 = load <16 x i8>, ptr %xp1, align 1
  %w1 = zext <16 x i8> %x1 to <16 x i32>
  %s1 = add <16 x i32> %s0, %w1
  %xp2 = getelementptr i8, ptr %x, i64 4
  %x2 = load <16 x i8>, ptr %xp2, align 1
  %w2 = zext <16 x i8> %x2 to <16 x i32>
  %s2 = add <16 x i32> %s1, %w2
  %xp3 = getelementptr i8, ptr %x, i64 6
  %x3 = load <16 x i8>, ptr %xp3, align 1
  %w3 = zext <16 x i8> %x3 to <16 x i32>
  %s3 = add <16 x i32> %s2, %w3
  ret <16 x i32> %s3
}
