; RUN: %opt -kernel=bytes -target=znver4 -passes='permute-tables,llvm(verify)' %s | %check %s --check-prefix=BYTES
; RUN: %opt -kernel=bytes -target=x86-64-v4 -passes=permute-tables %s | %check %s --check-prefix=PLAIN
; RUN: %opt -kernel=words -target=x86-64-v4 -passes='permute-tables,llvm(verify)' %s | %check %s --check-prefix=WORDS
; RUN: %opt -kernel=words -target=x86-64-v2 -passes=permute-tables %s | %check %s --check-prefix=NONE
; RUN: %opt -kernel=words -target=x86-64-v3 -passes='permute-tables,llvm(verify)' %s | %check %s --check-prefix=AVX2-WORDS
; RUN: %opt -kernel=some -target=x86-64-v3 -passes='permute-tables,llvm(verify)' %s | %check %s --check-prefix=AVX2-SOME
; RUN: %opt -kernel=letters -target=x86-64-v3 -passes='permute-tables,llvm(verify)' %s | %check %s --check-prefix=LETTERS
; RUN: %opt -kernel=bytes -target=x86-64-v3 -passes=permute-tables %s | %check %s --check-prefix=PLAIN
; RUN: %opt -kernel=some -target=znver4 -passes='permute-tables,llvm(verify)' %s | %check %s --check-prefix=SOME
; RUN: %opt -kernel=long_table -target=znver4 -passes=permute-tables %s | %check %s --check-prefix=LONG
; RUN: %opt -kernel=joined -target=znver4 -passes='permute-tables,llvm(dce,verify)' %s | %check %s --check-prefix=JOINED
; RUN: %opt -kernel=part -target=znver4 -passes='permute-tables,llvm(dce,verify)' %s | %check %s --check-prefix=PART
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@squares = internal constant [4 x [8 x float]] zeroinitializer

declare <64 x i8> @llvm.masked.gather.v64i8.v64p0(<64 x ptr>, i32, <64 x i1>, <64 x i8>)
declare <16 x i8> @llvm.masked.gather.v16i8.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x i8>)
declare <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x float>)

; A byte counts at most 256 elements, which lie on one page nearly always.
; BYTES-LABEL: define <64 x i8> @bytes(
; BYTES: [[AT:%.*]] = getelementptr i8, ptr %table, i64 0
; BYTES: [[PLACE:%.*]] = ptrtoint ptr [[AT]] to i64
; BYTES: [[IN:%.*]] = and i64 [[PLACE]], 4095
; BYTES: icmp ule i64 [[IN]], 3840
; BYTES-COUNT-4: load <64 x i8>, ptr {{.*}}, align 1
; BYTES-COUNT-2: call <64 x i8> @llvm.x86.avx512.vpermi2var.qi.512(
; BYTES: icmp uge <64 x i8> {{.*}}, <i8 -128,
; BYTES: select <64 x i1>
; BYTES: call <64 x i8> @llvm.masked.gather{{.*}} !lanza.edge
; BYTES: ret
; PLAIN-LABEL: define <64 x i8> @bytes(
; PLAIN-NOT: vpermi2
; PLAIN: call <64 x i8> @llvm.masked.gather
define <64 x i8> @bytes(ptr %table, <64 x i8> %v) {
  %index = zext <64 x i8> %v to <64 x i64>
  %p = getelementptr i8, ptr %table, <64 x i64> %index
  %r = call <64 x i8> @llvm.masked.gather.v64i8.v64p0(<64 x ptr> %p, i32 1, <64 x i1> splat (i1 true), <64 x i8> zeroinitializer)
  ret <64 x i8> %r
}

; A row of a variable: all of it is there, whoever is on.
; WORDS-LABEL: define <16 x float> @words(
; WORDS: load <8 x i32>, ptr getelementptr ([4 x [8 x float]], ptr @squares, i64 0, i64 2, i64 0), align 4
; WORDS: [[R:%.*]] = call <16 x i32> @llvm.x86.avx512.permvar.si.512(
; WORDS: bitcast <16 x i32> [[R]] to <16 x float>
; WORDS: select <16 x i1> %on, <16 x float>
; WORDS-NOT: gather
; WORDS: ret
; AVX2-WORDS-LABEL: define <16 x float> @words(
; AVX2-WORDS-COUNT-2: call <8 x i32> @llvm.x86.avx2.permd(<8 x i32>
; AVX2-WORDS: select <16 x i1> %on, <16 x float>
; NONE-LABEL: define <16 x float> @words(
; NONE: call <16 x float> @llvm.masked.gather
define <16 x float> @words(<16 x i32> %v, <16 x i1> %on) {
  %low = and <16 x i32> %v, splat (i32 7)
  %index = zext <16 x i32> %low to <16 x i64>
  %p = getelementptr [4 x [8 x float]], ptr @squares, i64 0, i64 2, <16 x i64> %index
  %r = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p, i32 4, <16 x i1> %on, <16 x float> zeroinitializer)
  ret <16 x float> %r
}

; Where no lane is on, nothing may be touched.
; SOME-LABEL: define <16 x i8> @some(
; SOME: icmp ule i64
; SOME: [[ON:%.*]] = freeze <16 x i1> %on
; SOME: [[BITS:%.*]] = bitcast <16 x i1> [[ON]] to i16
; SOME: icmp ne i16 [[BITS]], 0
; SOME: load <16 x i8>
; SOME: call <64 x i8> @llvm.x86.avx512.permvar.qi.512(
; SOME: select <16 x i1> %on, <16 x i8>
; SOME: call <16 x i8> @llvm.masked.gather
; SOME: ret
; AVX2-SOME-LABEL: define <16 x i8> @some(
; AVX2-SOME: icmp ule i64
; AVX2-SOME: [[T:%.*]] = load <16 x i8>
; AVX2-SOME: [[TWICE:%.*]] = shufflevector <16 x i8> [[T]], <16 x i8> [[T]], <32 x i32>
; AVX2-SOME: call <32 x i8> @llvm.x86.avx2.pshuf.b(<32 x i8> [[TWICE]],
; AVX2-SOME: select <16 x i1> %on, <16 x i8>
; AVX2-SOME: call <16 x i8> @llvm.masked.gather
define <16 x i8> @some(ptr %table, <16 x i64> %v, <16 x i1> %on) {
  %index = and <16 x i64> %v, splat (i64 15)
  %p = getelementptr i8, ptr %table, <16 x i64> %index
  %r = call <16 x i8> @llvm.masked.gather.v16i8.v16p0(<16 x ptr> %p, i32 1, <16 x i1> %on, <16 x i8> zeroinitializer)
  ret <16 x i8> %r
}

; More than the registers hold.
; LONG-LABEL: define <16 x float> @long_table(
; LONG: call <16 x float> @llvm.masked.gather
; LONG-NOT: perm
; LONG: ret
define <16 x float> @long_table(ptr %table, <16 x i64> %v) {
  %index = and <16 x i64> %v, splat (i64 127)
  %p = getelementptr float, ptr %table, <16 x i64> %index
  %r = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p, i32 4, <16 x i1> splat (i1 true), <16 x float> zeroinitializer)
  ret <16 x float> %r
}

; 64 letters are four registers, of which two bits of the index choose.
; LETTERS-LABEL: define <64 x i8> @letters(
; LETTERS: icmp ule i64 {{.*}}, 4032
; LETTERS-COUNT-2: call <32 x i8> @llvm.x86.avx2.pshuf.b(
; LETTERS: [[BIT:%.*]] = and <32 x i8> {{.*}}, <i8 16,
; LETTERS: icmp ne <32 x i8> [[BIT]], zeroinitializer
; LETTERS-COUNT-2: call <32 x i8> @llvm.x86.avx2.pshuf.b(
; LETTERS: icmp uge <32 x i8> {{.*}}, <i8 32,
; LETTERS-COUNT-4: call <32 x i8> @llvm.x86.avx2.pshuf.b(
define <64 x i8> @letters(ptr %table, <64 x i8> %v) {
  %low = and <64 x i8> %v, splat (i8 63)
  %index = zext <64 x i8> %low to <64 x i64>
  %p = getelementptr i8, ptr %table, <64 x i64> %index
  %r = call <64 x i8> @llvm.masked.gather.v64i8.v64p0(<64 x ptr> %p, i32 1, <64 x i1> splat (i1 true), <64 x i8> zeroinitializer)
  ret <64 x i8> %r
}

; Six bits out of two of three joined bytes, computed in bytes; 20 bits of which nothing was shifted out.
; JOINED-LABEL: define <64 x i8> @joined(
; JOINED: [[HIGH:%.*]] = shl <64 x i8> %a, <i8 4,
; JOINED: [[LOW:%.*]] = lshr <64 x i8> %b, <i8 4,
; JOINED: [[BOTH:%.*]] = or <64 x i8> [[HIGH]], [[LOW]]
; JOINED: [[ORDER:%.*]] = and <64 x i8> [[BOTH]], <i8 63,
; JOINED: call <64 x i8> @llvm.x86.avx512.permvar.qi.512(<64 x i8> {{.*}}, <64 x i8> [[ORDER]])
define <64 x i8> @joined(ptr %table, <64 x i8> %a, <64 x i8> %b) {
  %high = zext <64 x i8> %a to <64 x i64>
  %up = shl nuw nsw <64 x i64> %high, splat (i64 16)
  %middle = zext <64 x i8> %b to <64 x i16>
  %next = shl nuw <64 x i16> %middle, splat (i16 8)
  %low = zext <64 x i16> %next to <64 x i64>
  %all = or disjoint <64 x i64> %up, %low
  %down = lshr <64 x i64> %all, splat (i64 12)
  %index = and <64 x i64> %down, splat (i64 63)
  %p = getelementptr i8, ptr %table, <64 x i64> %index
  %r = call <64 x i8> @llvm.masked.gather.v64i8.v64p0(<64 x ptr> %p, i32 1, <64 x i1> splat (i1 true), <64 x i8> zeroinitializer)
  ret <64 x i8> %r
}

; A row of a table behind what all lanes add: eight elements of which six are asked for, not 64.
; PART-LABEL: define <16 x float> @part(
; PART: getelementptr float, ptr %table, i64 36
; PART: icmp ule i64 {{.*}}, 4064
; PART: load <8 x i32>, ptr
; PART: call <16 x i32> @llvm.x86.avx512.permvar.si.512(
define <16 x float> @part(ptr %table, <16 x i32> %lane) {
  %rest = urem <16 x i32> %lane, splat (i32 6)
  %sum = add nuw nsw <16 x i32> %rest, splat (i32 36)
  %index = zext nneg <16 x i32> %sum to <16 x i64>
  %p = getelementptr float, ptr %table, <16 x i64> %index
  %r = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p, i32 4, <16 x i1> splat (i1 true), <16 x float> zeroinitializer)
  ret <16 x float> %r
}
