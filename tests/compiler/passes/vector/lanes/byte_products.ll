; RUN: %opt -kernel=signed -target=znver4 -passes='byte-products,llvm(verify)' %s | %check %s --check-prefix=VNNI
; RUN: %opt -kernel=signed -target=x86-64-v4 -passes='byte-products,llvm(verify)' %s | %check %s --check-prefix=WORDS
; RUN: %opt -kernel=signed -target=x86-64-v3 -passes='byte-products,llvm(verify)' %s | %check %s --check-prefix=HALVES
; RUN: %opt -kernel=signed -target=x86-64 -passes='byte-products,llvm(verify)' %s | %check %s --check-prefix=SSE
; RUN: %opt -kernel=mixed -target=znver4 -passes='byte-products,llvm(verify)' %s | %check %s --check-prefix=MIXED
; RUN: %opt -kernel=shared -target=znver4 -passes='byte-products,llvm(verify)' %s | %check %s --check-prefix=SHARED
; RUN: %opt -kernel=three -target=znver4 -passes='byte-products,llvm(verify)' %s | %check %s --check-prefix=THREE
; RUN: %opt -kernel=of_some_bits -target=znver4 -passes='byte-products,llvm(verify)' %s | %check %s --check-prefix=BITS
; RUN: %opt -kernel=chained -target=znver4 -passes='byte-products,llvm(verify)' %s | %check %s --check-prefix=CHAIN
; RUN: %opt -kernel=crossed -target=znver4 -passes='byte-products,llvm(verify)' %s | %check %s --check-prefix=CROSSED
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; The first word's bytes lose their signs, and 128 times the second's are taken off.
; VNNI-LABEL: define <16 x i32> @signed(
; VNNI: [[EXCESS:%.*]] = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> zeroinitializer, <16 x i32> {{.*}}-2139062144{{.*}}, <16 x i32> %b)
; VNNI: [[A:%.*]] = xor <16 x i32> %a, {{.*}}-2139062144
; VNNI: [[MORE:%.*]] = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %sum, <16 x i32> [[A]], <16 x i32> %b)
; VNNI: [[ALL:%.*]] = sub <16 x i32> [[MORE]], [[EXCESS]]
; VNNI-NEXT: ret <16 x i32> [[ALL]]
; Without that instruction every other byte.
; WORDS-LABEL: define <16 x i32> @signed(
; WORDS: [[S:%.*]] = bitcast <16 x i32> %a to <32 x i16>
; WORDS: [[L:%.*]] = shl <32 x i16> [[S]],
; WORDS: ashr <32 x i16> [[L]],
; WORDS: call <16 x i32> @llvm.x86.avx512.pmaddw.d.512(
; WORDS: call <16 x i32> @llvm.x86.avx512.pmaddw.d.512(
; WORDS-NOT: mul
; WORDS: ret
; HALVES-LABEL: define <16 x i32> @signed(
; HALVES-COUNT-4: call <8 x i32> @llvm.x86.avx2.pmadd.wd(
; HALVES-NOT: mul
; HALVES: ret
; SSE-LABEL: define <16 x i32> @signed(
; SSE-COUNT-4: mul nsw <16 x i32>
define <16 x i32> @signed(<16 x i32> %a, <16 x i32> %b, <16 x i32> %sum) {
  %al = shl <16 x i32> %a, splat (i32 24)
  %a0 = ashr exact <16 x i32> %al, splat (i32 24)
  %bl = shl <16 x i32> %b, splat (i32 24)
  %b0 = ashr exact <16 x i32> %bl, splat (i32 24)
  %p0 = mul nsw <16 x i32> %a0, %b0
  %s0 = add nsw <16 x i32> %sum, %p0
  %am = shl <16 x i32> %a, splat (i32 16)
  %a1 = ashr <16 x i32> %am, splat (i32 24)
  %bm = shl <16 x i32> %b, splat (i32 16)
  %b1 = ashr <16 x i32> %bm, splat (i32 24)
  %p1 = mul nsw <16 x i32> %b1, %a1
  %s1 = add <16 x i32> %s0, %p1
  %ah = lshr <16 x i32> %a, splat (i32 16)
  %at = trunc <16 x i32> %ah to <16 x i8>
  %a2 = sext <16 x i8> %at to <16 x i32>
  %bh = shl <16 x i32> %b, splat (i32 8)
  %b2 = ashr <16 x i32> %bh, splat (i32 24)
  %p2 = mul nsw <16 x i32> %a2, %b2
  %s2 = add <16 x i32> %s1, %p2
  %a3 = ashr <16 x i32> %a, splat (i32 24)
  %b3 = ashr <16 x i32> %b, splat (i32 24)
  %p3 = mul nsw <16 x i32> %a3, %b3
  %s3 = add <16 x i32> %p3, %s2
  ret <16 x i32> %s3
}

; One with a sign, one without: the instruction itself.
; MIXED-LABEL: define <8 x i32> @mixed(
; MIXED-NEXT: [[ALL:%.*]] = call <8 x i32> @llvm.x86.avx512.vpdpbusd.256(<8 x i32> %sum, <8 x i32> %b, <8 x i32> %a)
; MIXED-NEXT: ret <8 x i32> [[ALL]]
define <8 x i32> @mixed(<8 x i32> %a, <8 x i32> %b, <8 x i32> %sum) {
  %al = shl <8 x i32> %a, splat (i32 24)
  %a0 = ashr exact <8 x i32> %al, splat (i32 24)
  %b0 = and <8 x i32> %b, splat (i32 255)
  %p0 = mul nsw <8 x i32> %a0, %b0
  %am = shl <8 x i32> %a, splat (i32 16)
  %a1 = ashr <8 x i32> %am, splat (i32 24)
  %bm = lshr <8 x i32> %b, splat (i32 8)
  %b1 = and <8 x i32> %bm, splat (i32 255)
  %p1 = mul nsw <8 x i32> %a1, %b1
  %ah = shl <8 x i32> %a, splat (i32 8)
  %a2 = ashr <8 x i32> %ah, splat (i32 24)
  %bh = lshr <8 x i32> %b, splat (i32 16)
  %b2 = and <8 x i32> %bh, splat (i32 255)
  %p2 = mul nsw <8 x i32> %a2, %b2
  %a3 = ashr <8 x i32> %a, splat (i32 24)
  %b3 = lshr <8 x i32> %b, splat (i32 24)
  %p3 = mul nsw <8 x i32> %a3, %b3
  %s0 = add <8 x i32> %p0, %p1
  %s1 = add <8 x i32> %p2, %p3
  %s2 = add <8 x i32> %s0, %s1
  %s3 = add <8 x i32> %s2, %sum
  ret <8 x i32> %s3
}

; A word that all lanes share, whose bytes are scalars.
; SHARED-LABEL: define <8 x i32> @shared(
; SHARED: insertelement <8 x i32> poison, i32 %w, i64 0
; SHARED: call <8 x i32> @llvm.x86.avx512.vpdpbusd.256(
; SHARED-NOT: mul
; SHARED: ret
define <8 x i32> @shared(<8 x i32> %a, i32 %w) {
  %b0 = and i32 %w, 255
  %i0 = insertelement <8 x i32> poison, i32 %b0, i64 0
  %v0 = shufflevector <8 x i32> %i0, <8 x i32> poison, <8 x i32> zeroinitializer
  %bm = lshr i32 %w, 8
  %b1 = and i32 %bm, 255
  %i1 = insertelement <8 x i32> poison, i32 %b1, i64 0
  %v1 = shufflevector <8 x i32> %i1, <8 x i32> poison, <8 x i32> zeroinitializer
  %bh = lshr i32 %w, 16
  %b2 = and i32 %bh, 255
  %i2 = insertelement <8 x i32> poison, i32 %b2, i64 0
  %v2 = shufflevector <8 x i32> %i2, <8 x i32> poison, <8 x i32> zeroinitializer
  %b3 = lshr i32 %w, 24
  %i3 = insertelement <8 x i32> poison, i32 %b3, i64 0
  %v3 = shufflevector <8 x i32> %i3, <8 x i32> poison, <8 x i32> zeroinitializer
  %a0 = and <8 x i32> %a, splat (i32 255)
  %am = lshr <8 x i32> %a, splat (i32 8)
  %a1 = and <8 x i32> %am, splat (i32 255)
  %ah = lshr <8 x i32> %a, splat (i32 16)
  %a2 = and <8 x i32> %ah, splat (i32 255)
  %a3 = lshr <8 x i32> %a, splat (i32 24)
  %p0 = mul <8 x i32> %a0, %v0
  %p1 = mul <8 x i32> %a1, %v1
  %p2 = mul <8 x i32> %a2, %v2
  %p3 = mul <8 x i32> %a3, %v3
  %s0 = add <8 x i32> %p0, %p1
  %s1 = add <8 x i32> %s0, %p2
  %s2 = add <8 x i32> %s1, %p3
  ret <8 x i32> %s2
}

; Three bytes of four are none of the business of an instruction that takes all.
; THREE-LABEL: define <8 x i32> @three(
; THREE-NOT: vpdpbusd
; THREE-COUNT-3: mul <8 x i32>
; THREE: ret
define <8 x i32> @three(<8 x i32> %a, <8 x i32> %b) {
  %a0 = and <8 x i32> %a, splat (i32 255)
  %b0 = and <8 x i32> %b, splat (i32 255)
  %p0 = mul <8 x i32> %a0, %b0
  %am = lshr <8 x i32> %a, splat (i32 8)
  %a1 = and <8 x i32> %am, splat (i32 255)
  %bm = lshr <8 x i32> %b, splat (i32 8)
  %b1 = and <8 x i32> %bm, splat (i32 255)
  %p1 = mul <8 x i32> %a1, %b1
  %a3 = lshr <8 x i32> %a, splat (i32 24)
  %b3 = lshr <8 x i32> %b, splat (i32 24)
  %p3 = mul <8 x i32> %a3, %b3
  %s0 = add <8 x i32> %p0, %p1
  %s1 = add <8 x i32> %s0, %p3
  ret <8 x i32> %s1
}

; Nor are bytes of different places.
; CROSSED-LABEL: define <8 x i32> @crossed(
; CROSSED-NOT: vpdpbusd
; CROSSED-COUNT-4: mul <8 x i32>
define <8 x i32> @crossed(<8 x i32> %a, <8 x i32> %b) {
  %a0 = and <8 x i32> %a, splat (i32 255)
  %am = lshr <8 x i32> %a, splat (i32 8)
  %a1 = and <8 x i32> %am, splat (i32 255)
  %ah = lshr <8 x i32> %a, splat (i32 16)
  %a2 = and <8 x i32> %ah, splat (i32 255)
  %a3 = lshr <8 x i32> %a, splat (i32 24)
  %b0 = and <8 x i32> %b, splat (i32 255)
  %bm = lshr <8 x i32> %b, splat (i32 8)
  %b1 = and <8 x i32> %bm, splat (i32 255)
  %bh = lshr <8 x i32> %b, splat (i32 16)
  %b2 = and <8 x i32> %bh, splat (i32 255)
  %b3 = lshr <8 x i32> %b, splat (i32 24)
  %p0 = mul <8 x i32> %a0, %b3
  %p1 = mul <8 x i32> %a1, %b2
  %p2 = mul <8 x i32> %a2, %b1
  %p3 = mul <8 x i32> %a3, %b0
  %s0 = add <8 x i32> %p0, %p1
  %s1 = add <8 x i32> %s0, %p2
  %s2 = add <8 x i32> %s1, %p3
  ret <8 x i32> %s2
}

; Of some bits of the bytes of a word, which have no sign then, the word without the others.
; BITS-LABEL: define <16 x i32> @of_some_bits(
; BITS: [[A:%.*]] = and <16 x i32> %a, {{.*}}252645135
; BITS: call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %sum, <16 x i32> [[A]], <16 x i32> %b)
define <16 x i32> @of_some_bits(<16 x i32> %a, <16 x i32> %b, <16 x i32> %sum) {
  %a0 = and <16 x i32> %a, splat (i32 15)
  %bl = shl <16 x i32> %b, splat (i32 24)
  %b0 = ashr exact <16 x i32> %bl, splat (i32 24)
  %p0 = mul nsw <16 x i32> %a0, %b0
  %s0 = add nsw <16 x i32> %sum, %p0
  %am = lshr <16 x i32> %a, splat (i32 8)
  %a1 = and <16 x i32> %am, splat (i32 15)
  %bm = shl <16 x i32> %b, splat (i32 16)
  %b1 = ashr <16 x i32> %bm, splat (i32 24)
  %p1 = mul nsw <16 x i32> %b1, %a1
  %s1 = add <16 x i32> %s0, %p1
  %ah = lshr <16 x i32> %a, splat (i32 16)
  %a2 = and <16 x i32> %ah, splat (i32 15)
  %bh = shl <16 x i32> %b, splat (i32 8)
  %b2 = ashr <16 x i32> %bh, splat (i32 24)
  %p2 = mul nsw <16 x i32> %a2, %b2
  %s2 = add <16 x i32> %s1, %p2
  %at = lshr <16 x i32> %a, splat (i32 24)
  %a3 = and <16 x i32> %at, splat (i32 15)
  %b3 = ashr <16 x i32> %b, splat (i32 24)
  %p3 = mul nsw <16 x i32> %a3, %b3
  %s3 = add <16 x i32> %p3, %s2
  ret <16 x i32> %s3
}

; Of several, one behind the other, what is too much is added up and taken off once.
; CHAIN-LABEL: define <16 x i32> @chained(
; CHAIN: [[EXCESS:%.*]] = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> zeroinitializer, <16 x i32> {{.*}}-2139062144{{.*}}, <16 x i32> %d)
; CHAIN: [[MORE:%.*]] = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %sum,
; CHAIN: [[ALL:%.*]] = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> [[EXCESS]], <16 x i32> {{.*}}-2139062144{{.*}}, <16 x i32> %b)
; CHAIN: [[SUM:%.*]] = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> [[MORE]],
; CHAIN: [[RESULT:%.*]] = sub <16 x i32> [[SUM]], [[ALL]]
; CHAIN: ret <16 x i32> [[RESULT]]
define <16 x i32> @chained(<16 x i32> %a, <16 x i32> %b, <16 x i32> %c, <16 x i32> %d, <16 x i32> %sum) {
  %al = shl <16 x i32> %a, splat (i32 24)
  %a0 = ashr exact <16 x i32> %al, splat (i32 24)
  %bl = shl <16 x i32> %b, splat (i32 24)
  %b0 = ashr exact <16 x i32> %bl, splat (i32 24)
  %p0 = mul nsw <16 x i32> %a0, %b0
  %s0 = add nsw <16 x i32> %sum, %p0
  %am = shl <16 x i32> %a, splat (i32 16)
  %a1 = ashr <16 x i32> %am, splat (i32 24)
  %bm = shl <16 x i32> %b, splat (i32 16)
  %b1 = ashr <16 x i32> %bm, splat (i32 24)
  %p1 = mul nsw <16 x i32> %b1, %a1
  %s1 = add <16 x i32> %s0, %p1
  %ah = lshr <16 x i32> %a, splat (i32 16)
  %at = trunc <16 x i32> %ah to <16 x i8>
  %a2 = sext <16 x i8> %at to <16 x i32>
  %bh = shl <16 x i32> %b, splat (i32 8)
  %b2 = ashr <16 x i32> %bh, splat (i32 24)
  %p2 = mul nsw <16 x i32> %a2, %b2
  %s2 = add <16 x i32> %s1, %p2
  %a3 = ashr <16 x i32> %a, splat (i32 24)
  %b3 = ashr <16 x i32> %b, splat (i32 24)
  %p3 = mul nsw <16 x i32> %a3, %b3
  %s3 = add <16 x i32> %p3, %s2
  %t.al = shl <16 x i32> %c, splat (i32 24)
  %t.a0 = ashr exact <16 x i32> %t.al, splat (i32 24)
  %t.bl = shl <16 x i32> %d, splat (i32 24)
  %t.b0 = ashr exact <16 x i32> %t.bl, splat (i32 24)
  %t.p0 = mul nsw <16 x i32> %t.a0, %t.b0
  %t.s0 = add nsw <16 x i32> %s3, %t.p0
  %t.am = shl <16 x i32> %c, splat (i32 16)
  %t.a1 = ashr <16 x i32> %t.am, splat (i32 24)
  %t.bm = shl <16 x i32> %d, splat (i32 16)
  %t.b1 = ashr <16 x i32> %t.bm, splat (i32 24)
  %t.p1 = mul nsw <16 x i32> %t.b1, %t.a1
  %t.s1 = add <16 x i32> %t.s0, %t.p1
  %t.ah = lshr <16 x i32> %c, splat (i32 16)
  %t.at = trunc <16 x i32> %t.ah to <16 x i8>
  %t.a2 = sext <16 x i8> %t.at to <16 x i32>
  %t.bh = shl <16 x i32> %d, splat (i32 8)
  %t.b2 = ashr <16 x i32> %t.bh, splat (i32 24)
  %t.p2 = mul nsw <16 x i32> %t.a2, %t.b2
  %t.s2 = add <16 x i32> %t.s1, %t.p2
  %t.a3 = ashr <16 x i32> %c, splat (i32 24)
  %t.b3 = ashr <16 x i32> %d, splat (i32 24)
  %t.p3 = mul nsw <16 x i32> %t.a3, %t.b3
  %t.s3 = add <16 x i32> %t.p3, %t.s2
  ret <16 x i32> %t.s3
}
