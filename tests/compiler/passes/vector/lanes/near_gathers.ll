; RUN: %opt -kernel=strides -target=znver4 -passes='near-gathers,llvm(verify)' %s | %check %s
; RUN: %opt -kernel=masked -target=znver4 -passes='near-gathers,llvm(verify)' %s | %check %s --check-prefix=MASKED
; RUN: %opt -kernel=bytes -target=znver4 -passes='near-gathers,llvm(verify)' %s | %check %s --check-prefix=BYTES
; RUN: %opt -kernel=bytes -passes='near-gathers,llvm(verify)' %s | %check %s --check-prefix=PLAIN
; RUN: %opt -kernel=pointers -target=znver4 -passes='near-gathers,llvm(verify)' %s | %check %s --check-prefix=POINTERS
; RUN: %opt -kernel=words -target=znver4 -passes='near-gathers,llvm(verify)' %s | %check %s --check-prefix=WORDS
; RUN: %opt -kernel=columns -target=znver4 -passes='near-gathers,llvm(verify)' %s | %check %s --check-prefix=COLUMNS
; RUN: %opt -kernel=written -target=znver4 -passes='near-gathers,llvm(verify)' %s | %check %s --check-prefix=WRITTEN
; RUN: %opt -kernel=table -target=znver4 -passes='near-gathers,llvm(verify)' %s | %check %s --check-prefix=TABLE
; RUN: %opt -kernel=next -target=znver4 -passes='near-gathers,llvm(verify)' %s | %check %s --check-prefix=NEXT
; RUN: %opt -kernel=next -passes='near-gathers,llvm(verify)' %s | %check %s --check-prefix=PARTS
; RUN: %opt -kernel=some -target=znver4 -passes='near-gathers,llvm(verify)' %s | %check %s --check-prefix=SOME
; RUN: %opt -kernel=doubles -target=znver4 -passes='near-gathers,llvm(verify)' %s | %check %s --check-prefix=DOUBLES
; RUN: %opt -kernel=short_rows -target=znver4 -passes='near-gathers,llvm(verify)' %s | %check %s --check-prefix=ROWS
; RUN: %opt -kernel=shorts -target=znver4 -passes='near-gathers,llvm(verify)' %s | %check %s --check-prefix=SHORTS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x float>)
declare <16 x i32> @llvm.smin.v16i32(<16 x i32>, <16 x i32>)
declare <16 x i8> @llvm.masked.gather.v16i8.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x i8>)
declare <16 x i16> @llvm.masked.gather.v16i16.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x i16>)
declare <16 x double> @llvm.masked.gather.v16f64.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x double>)

; Lanes that all load, between the first and the last and within two vectors: these are permuted. What all add to their
; indices does not count; an index that wraps between lanes is asked about.
; CHECK-LABEL: define <16 x float> @strides(
; CHECK: [[MOVING:%.*]] = freeze <16 x i32> %moving
; CHECK: [[LEAST:%.*]] = extractelement <16 x i32> [[MOVING]], i64 0
; CHECK: [[NUMBERS:%.*]] = sub <16 x i32> [[MOVING]],
; CHECK: add i32 %shared, [[LEAST]]
; CHECK: icmp slt i32 {{.*}}, 2147483583
; CHECK: [[LAST:%.*]] = extractelement <16 x i32> [[NUMBERS]], {{.*}}15
; CHECK: icmp ult i32 [[LAST]], 32
; CHECK: icmp ule <16 x i32> [[NUMBERS]],
; CHECK: br i1
; CHECK: [[LOW:%.*]] = call <16 x i32> @llvm.masked.load.v16i32.p0(
; CHECK: [[HIGH:%.*]] = call <16 x i32> @llvm.masked.load.v16i32.p0(
; CHECK: call <16 x i32> @llvm.x86.avx512.vpermi2var.d.512(<16 x i32> [[LOW]], <16 x i32> [[NUMBERS]], <16 x i32> [[HIGH]])
; CHECK: call <16 x float> @llvm.masked.gather.v16f32.v16p0(
; CHECK: phi <16 x float>
define <16 x float> @strides(ptr %x, i32 %stride, i32 %shared) {
  %s = insertelement <16 x i32> poison, i32 %stride, i64 0
  %strides = shufflevector <16 x i32> %s, <16 x i32> poison, <16 x i32> zeroinitializer
  %moving = mul <16 x i32> %strides, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %u = insertelement <16 x i32> poison, i32 %shared, i64 0
  %us = shufflevector <16 x i32> %u, <16 x i32> poison, <16 x i32> zeroinitializer
  %index = add <16 x i32> %moving, %us
  %wide = sext <16 x i32> %index to <16 x i64>
  %p = getelementptr float, ptr %x, <16 x i64> %wide
  %v = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p, i32 4, <16 x i1> splat (i1 true), <16 x float> poison)
  ret <16 x float> %v
}

; Where some load, neighbours do with the same mask.
; MASKED-LABEL: define <16 x float> @masked(
; MASKED: icmp eq <16 x i32> {{.*}}, <i32 0, i32 1, i32 2,
; MASKED: br i1
; MASKED: call <16 x float> @llvm.masked.load.v16f32.p0(ptr {{.*}}, i32 4, <16 x i1> %mask, <16 x float> zeroinitializer)
; MASKED: call <16 x float> @llvm.masked.gather.v16f32.v16p0(
define <16 x float> @masked(ptr %x, i32 %stride, <16 x i1> %mask) {
  %s = insertelement <16 x i32> poison, i32 %stride, i64 0
  %strides = shufflevector <16 x i32> %s, <16 x i32> poison, <16 x i32> zeroinitializer
  %index = mul <16 x i32> %strides, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %wide = zext <16 x i32> %index to <16 x i64>
  %p = getelementptr float, ptr %x, <16 x i64> %wide
  %v = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p, i32 4, <16 x i1> %mask, <16 x float> zeroinitializer)
  ret <16 x float> %v
}

; Bytes: one vector of 64. A host that does not permute bytes asks for neighbours only.
; BYTES-LABEL: define <16 x i8> @bytes(
; BYTES: icmp ult i32 {{.*}}, 64
; BYTES: [[FROM:%.*]] = call <64 x i8> @llvm.masked.load.v64i8.p0(
; BYTES: call <64 x i8> @llvm.x86.avx512.permvar.qi.512(<64 x i8> [[FROM]],
; PLAIN-LABEL: define <16 x i8> @bytes(
; PLAIN: icmp eq <16 x i32>
; PLAIN: load <16 x i8>, ptr
define <16 x i8> @bytes(ptr %x, float %scale) {
  %s = insertelement <16 x float> poison, float %scale, i64 0
  %scales = shufflevector <16 x float> %s, <16 x float> poison, <16 x i32> zeroinitializer
  %places = fmul <16 x float> %scales, <float 0.0, float 1.0, float 2.0, float 3.0, float 4.0, float 5.0, float 6.0, float 7.0, float 8.0, float 9.0, float 10.0, float 11.0, float 12.0, float 13.0, float 14.0, float 15.0>
  %index = fptosi <16 x float> %places to <16 x i32>
  %wide = sext <16 x i32> %index to <16 x i64>
  %p = getelementptr i8, ptr %x, <16 x i64> %wide
  %v = call <16 x i8> @llvm.masked.gather.v16i8.v16p0(<16 x ptr> %p, i32 1, <16 x i1> splat (i1 true), <16 x i8> poison)
  ret <16 x i8> %v
}

; Addresses that all lanes move on from: the question is about these.
; POINTERS-LABEL: define <16 x double> @pointers(
; POINTERS: [[BASE:%.*]] = freeze <16 x ptr> %base
; POINTERS: [[FIRST:%.*]] = extractelement <16 x ptr> [[BASE]], i64 0
; POINTERS: [[NEAR:%.*]] = getelementptr double, ptr [[FIRST]], i64 %k
; POINTERS: icmp eq <16 x i64> {{.*}}, <i64 0, i64 8, i64 16,
; POINTERS: load <16 x double>, ptr [[NEAR]], align 8
define <16 x double> @pointers(ptr %x, i64 %stride, i64 %k) {
  %s = insertelement <16 x i64> poison, i64 %stride, i64 0
  %strides = shufflevector <16 x i64> %s, <16 x i64> poison, <16 x i32> zeroinitializer
  %index = mul <16 x i64> %strides, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>
  %base = getelementptr [2 x double], ptr %x, <16 x i64> %index
  %p = getelementptr double, <16 x ptr> %base, i64 %k
  %v = call <16 x double> @llvm.masked.gather.v16f64.v16p0(<16 x ptr> %p, i32 8, <16 x i1> splat (i1 true), <16 x double> poison)
  ret <16 x double> %v
}

; Words at such addresses are permuted; what lies in between two of them turns into a great distance.
; WORDS-LABEL: define <16 x float> @words(
; WORDS: [[DISTANCES:%.*]] = sub <16 x i64>
; WORDS: [[ELEMENTS:%.*]] = call <16 x i64> @llvm.fshr.v16i64(<16 x i64> [[DISTANCES]], <16 x i64> [[DISTANCES]], <16 x i64> <i64 2, {{.*}})
; WORDS: icmp ule <16 x i64> [[ELEMENTS]],
; WORDS: [[ORDER:%.*]] = trunc <16 x i64> [[ELEMENTS]] to <16 x i32>
; WORDS: call <16 x i32> @llvm.x86.avx512.vpermi2var.d.512(<16 x i32> {{.*}}, <16 x i32> [[ORDER]],
define <16 x float> @words(ptr %x, i64 %stride, i64 %k) {
  %s = insertelement <16 x i64> poison, i64 %stride, i64 0
  %strides = shufflevector <16 x i64> %s, <16 x i64> poison, <16 x i32> zeroinitializer
  %index = mul <16 x i64> %strides, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>
  %base = getelementptr [2 x float], ptr %x, <16 x i64> %index
  %p = getelementptr float, <16 x ptr> %base, i64 %k
  %v = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p, i32 4, <16 x i1> splat (i1 true), <16 x float> poison)
  ret <16 x float> %v
}

; What is loaded says nothing about where its neighbours' lie.
; TABLE-LABEL: define <16 x float> @table(
; TABLE-NOT: br i1
define <16 x float> @table(ptr %x, ptr %indices) {
  %index = load <16 x i32>, ptr %indices
  %wide = sext <16 x i32> %index to <16 x i64>
  %p = getelementptr float, ptr %x, <16 x i64> %wide
  %v = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p, i32 4, <16 x i1> splat (i1 true), <16 x float> poison)
  ret <16 x float> %v
}

; Two columns of two rows: one question about all, whose second column is the first one's neighbour but for the edge.
; COLUMNS-LABEL: define <16 x float> @columns(
; COLUMNS: br i1
; COLUMNS-COUNT-4: call <16 x i32> @llvm.x86.avx512.vpermi2var.d.512(
; COLUMNS: br label
; COLUMNS-COUNT-4: call <16 x float> @llvm.masked.gather.v16f32.v16p0(
; COLUMNS: br label
; COLUMNS-COUNT-4: phi <16 x float>
; COLUMNS-NOT: br i1
define <16 x float> @columns(ptr %x, float %scale, i32 %row, i32 %next, i32 %last) {
  %s = insertelement <16 x float> poison, float %scale, i64 0
  %scales = shufflevector <16 x float> %s, <16 x float> poison, <16 x i32> zeroinitializer
  %places = fmul <16 x float> %scales, <float 0.0, float 1.0, float 2.0, float 3.0, float 4.0, float 5.0, float 6.0, float 7.0, float 8.0, float 9.0, float 10.0, float 11.0, float 12.0, float 13.0, float 14.0, float 15.0>
  %left = fptosi <16 x float> %places to <16 x i32>
  %more = add <16 x i32> %left, splat (i32 1)
  %l = insertelement <16 x i32> poison, i32 %last, i64 0
  %lasts = shufflevector <16 x i32> %l, <16 x i32> poison, <16 x i32> zeroinitializer
  %right = call <16 x i32> @llvm.smin.v16i32(<16 x i32> %more, <16 x i32> %lasts)
  %r = insertelement <16 x i32> poison, i32 %row, i64 0
  %rows = shufflevector <16 x i32> %r, <16 x i32> poison, <16 x i32> zeroinitializer
  %i0 = add <16 x i32> %rows, %left
  %w0 = sext <16 x i32> %i0 to <16 x i64>
  %p0 = getelementptr float, ptr %x, <16 x i64> %w0
  %v0 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p0, i32 4, <16 x i1> splat (i1 true), <16 x float> poison)
  %i1 = add <16 x i32> %rows, %right
  %w1 = sext <16 x i32> %i1 to <16 x i64>
  %p1 = getelementptr float, ptr %x, <16 x i64> %w1
  %v1 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p1, i32 4, <16 x i1> splat (i1 true), <16 x float> poison)
  %sum = fadd <16 x float> %v0, %v1
  %n = insertelement <16 x i32> poison, i32 %next, i64 0
  %nexts = shufflevector <16 x i32> %n, <16 x i32> poison, <16 x i32> zeroinitializer
  %i2 = add <16 x i32> %nexts, %left
  %w2 = sext <16 x i32> %i2 to <16 x i64>
  %p2 = getelementptr float, ptr %x, <16 x i64> %w2
  %v2 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p2, i32 4, <16 x i1> splat (i1 true), <16 x float> poison)
  %sum2 = fadd <16 x float> %sum, %v2
  %i3 = add <16 x i32> %nexts, %right
  %w3 = sext <16 x i32> %i3 to <16 x i64>
  %p3 = getelementptr float, ptr %x, <16 x i64> %w3
  %v3 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p3, i32 4, <16 x i1> splat (i1 true), <16 x float> poison)
  %sum3 = fadd <16 x float> %sum2, %v3
  ret <16 x float> %sum3
}

; What is written between two of them parts them.
; WRITTEN-LABEL: define <16 x float> @written(
; WRITTEN: br i1
; WRITTEN: store i32 0, ptr %y
; WRITTEN: br i1
define <16 x float> @written(ptr %x, ptr %y, float %scale, i32 %row) {
  %s = insertelement <16 x float> poison, float %scale, i64 0
  %scales = shufflevector <16 x float> %s, <16 x float> poison, <16 x i32> zeroinitializer
  %places = fmul <16 x float> %scales, <float 0.0, float 1.0, float 2.0, float 3.0, float 4.0, float 5.0, float 6.0, float 7.0, float 8.0, float 9.0, float 10.0, float 11.0, float 12.0, float 13.0, float 14.0, float 15.0>
  %left = fptosi <16 x float> %places to <16 x i32>
  %w0 = sext <16 x i32> %left to <16 x i64>
  %p0 = getelementptr float, ptr %x, <16 x i64> %w0
  %v0 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p0, i32 4, <16 x i1> splat (i1 true), <16 x float> poison)
  store i32 0, ptr %y
  %r = insertelement <16 x i32> poison, i32 %row, i64 0
  %rows = shufflevector <16 x i32> %r, <16 x i32> poison, <16 x i32> zeroinitializer
  %i1 = add <16 x i32> %rows, %left
  %w1 = sext <16 x i32> %i1 to <16 x i64>
  %p1 = getelementptr float, ptr %x, <16 x i64> %w1
  %v1 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p1, i32 4, <16 x i1> splat (i1 true), <16 x float> poison)
  %sum = fadd <16 x float> %v0, %v1
  ret <16 x float> %sum
}

; `x[i]` and `x[i + 1]`, as LLVM writes it, have the same lanes, and one question.
; NEXT-LABEL: define <16 x float> @next(
; NEXT: br i1
; NEXT-COUNT-2: call <16 x i32> @llvm.x86.avx512.vpermi2var.d.512(
; NEXT-COUNT-2: call <16 x float> @llvm.masked.gather.v16f32.v16p0(
; NEXT-NOT: br i1
; NEXT: ret
; With registers of 8 words each of them has its own first lane, and two registers of memory, or one where that is enough.
; PARTS-LABEL: define <16 x float> @next(
; PARTS: [[DISTANCES:%.*]] = sub <16 x i32>
; PARTS: [[LAST:%.*]] = extractelement <8 x i32> [[LOW:%.*]], i64 7
; PARTS: icmp ult i32 [[LAST]], 16
; PARTS: icmp ule <8 x i32> [[LOW]],
; PARTS: [[SECOND:%.*]] = extractelement <16 x i32> [[DISTANCES]], i64 8
; PARTS: icmp ult i32 [[SECOND]], 48
; PARTS: br i1
; PARTS: [[MOST:%.*]] = call i32 @llvm.umax.i32(
; PARTS: icmp ult i32 [[MOST]], 8
; PARTS: br i1
; PARTS-COUNT-4: call <8 x i32> @llvm.x86.avx2.permd(
; PARTS-NOT: select
; PARTS: br label
; PARTS-COUNT-8: call <8 x i32> @llvm.x86.avx2.permd(
; PARTS-NOT: @llvm.x86.avx2.permd(
; PARTS: call <16 x float> @llvm.masked.gather.v16f32.v16p0(
; PARTS-NOT: br i1
; PARTS: ret
define <16 x float> @next(ptr %x, float %scale) {
  %s = insertelement <16 x float> poison, float %scale, i64 0
  %scales = shufflevector <16 x float> %s, <16 x float> poison, <16 x i32> zeroinitializer
  %places = fmul <16 x float> %scales, <float 0.0, float 1.0, float 2.0, float 3.0, float 4.0, float 5.0, float 6.0, float 7.0, float 8.0, float 9.0, float 10.0, float 11.0, float 12.0, float 13.0, float 14.0, float 15.0>
  %i = fptosi <16 x float> %places to <16 x i32>
  %w = sext <16 x i32> %i to <16 x i64>
  %p = getelementptr float, ptr %x, <16 x i64> %w
  %a = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p, i32 4, <16 x i1> splat (i1 true), <16 x float> poison)
  %q = getelementptr i8, <16 x ptr> %p, i64 4
  %b = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %q, i32 4, <16 x i1> splat (i1 true), <16 x float> poison)
  %sum = fadd <16 x float> %a, %b
  ret <16 x float> %sum
}

; Some lanes of quotients: those that are off are taken to go where the last one does that is on; the first one has to be.
; SOME-LABEL: define <16 x float> @some(
; SOME: [[OFF:%.*]] = call i16 @llvm.ctlz.i16(
; SOME: [[LAST:%.*]] = sub i16 15, [[OFF]]
; SOME: [[IN:%.*]] = and i16 [[LAST]], 15
; SOME: [[ONE:%.*]] = extractelement <16 x i32> [[INDEX:%.*]], i16 [[IN]]
; SOME: select <16 x i1> %mask, <16 x i32> [[INDEX]],
; SOME: [[ON:%.*]] = extractelement <16 x i1> %mask, i64 0
; SOME: and i1 {{.*}}, [[ON]]
; SOME: call <16 x i32> @llvm.x86.avx512.vpermi2var.d.512(
; SOME: select <16 x i1> %mask, <16 x float> {{.*}}, <16 x float> %others
; SOME: call <16 x float> @llvm.masked.gather.v16f32.v16p0(
define <16 x float> @some(ptr %x, i32 %t, <16 x i1> %mask, <16 x float> %others) {
  %s = insertelement <16 x i32> poison, i32 %t, i64 0
  %ts = shufflevector <16 x i32> %s, <16 x i32> poison, <16 x i32> zeroinitializer
  %lanes = add <16 x i32> %ts, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %index = udiv <16 x i32> %lanes, splat (i32 6)
  %wide = zext nneg <16 x i32> %index to <16 x i64>
  %p = getelementptr float, ptr %x, <16 x i64> %wide
  %v = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p, i32 4, <16 x i1> %mask, <16 x float> %others)
  ret <16 x float> %v
}

; Doubles by quotients, in a row that all lanes share: eight lanes by themselves, in two vectors.
; DOUBLES-LABEL: define <16 x double> @doubles(
; DOUBLES: getelementptr [4 x [36 x double]], ptr %x, i64 0, i64 %row, i64
; DOUBLES-COUNT-2: call <8 x i64> @llvm.x86.avx512.vpermi2var.q.512(
; DOUBLES: call <16 x double> @llvm.masked.gather.v16f64.v16p0(
define <16 x double> @doubles(ptr %x, i64 %row, i32 %t) {
  %s = insertelement <16 x i32> poison, i32 %t, i64 0
  %ts = shufflevector <16 x i32> %s, <16 x i32> poison, <16 x i32> zeroinitializer
  %lanes = add <16 x i32> %ts, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %rest = urem <16 x i32> %lanes, splat (i32 6)
  %index = sub <16 x i32> %lanes, %rest
  %wide = zext nneg <16 x i32> %index to <16 x i64>
  %p = getelementptr [4 x [36 x double]], ptr %x, i64 0, i64 %row, <16 x i64> %wide
  %v = call <16 x double> @llvm.masked.gather.v16f64.v16p0(<16 x ptr> %p, i32 8, <16 x i1> splat (i1 true), <16 x double> poison)
  ret <16 x double> %v
}

; Rows shorter than a group end in each.
; ROWS-LABEL: define <16 x float> @short_rows(
; ROWS-NOT: br
; ROWS: ret
define <16 x float> @short_rows(ptr %x, i32 %t) {
  %s = insertelement <16 x i32> poison, i32 %t, i64 0
  %ts = shufflevector <16 x i32> %s, <16 x i32> poison, <16 x i32> zeroinitializer
  %lanes = add <16 x i32> %ts, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %rest = urem <16 x i32> %lanes, splat (i32 6)
  %index = add <16 x i32> %rest, %ts
  %wide = zext nneg <16 x i32> %index to <16 x i64>
  %p = getelementptr float, ptr %x, <16 x i64> %wide
  %v = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p, i32 4, <16 x i1> splat (i1 true), <16 x float> poison)
  ret <16 x float> %v
}

; Shorts of one register. What all lanes take off their indices does not count either.
; SHORTS-LABEL: define <16 x i16> @shorts(
; SHORTS: [[BACK:%.*]] = sub i32 0, %back
; SHORTS: [[BASE:%.*]] = freeze <16 x i32> %base
; SHORTS: [[FIRST:%.*]] = extractelement <16 x i32> [[BASE]], i64 0
; SHORTS: add i32 [[BACK]], [[FIRST]]
; SHORTS: icmp ult i32 {{.*}}, 32
; SHORTS: [[FROM:%.*]] = call <32 x i16> @llvm.masked.load.v32i16.p0(
; SHORTS: call <32 x i16> @llvm.x86.avx512.permvar.hi.512(<32 x i16> [[FROM]],
define <16 x i16> @shorts(ptr %x, i32 %stride, i32 %back) {
  %s = insertelement <16 x i32> poison, i32 %stride, i64 0
  %strides = shufflevector <16 x i32> %s, <16 x i32> poison, <16 x i32> zeroinitializer
  %moving = mul <16 x i32> %strides, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %base = udiv <16 x i32> %moving, splat (i32 3)
  %b = insertelement <16 x i32> poison, i32 %back, i64 0
  %backs = shufflevector <16 x i32> %b, <16 x i32> poison, <16 x i32> zeroinitializer
  %index = sub <16 x i32> %base, %backs
  %wide = zext <16 x i32> %index to <16 x i64>
  %p = getelementptr i16, ptr %x, <16 x i64> %wide
  %v = call <16 x i16> @llvm.masked.gather.v16i16.v16p0(<16 x ptr> %p, i32 2, <16 x i1> splat (i1 true), <16 x i16> poison)
  ret <16 x i16> %v
}
