; RUN: %opt -kernel=columns -passes=transpose-gathers %s | %check %s --check-prefix=COLUMNS
; RUN: %opt -kernel=some_lanes -passes=transpose-gathers %s | %check %s --check-prefix=SOME
; RUN: %opt -kernel=two_masks -passes=transpose-gathers %s | %check %s --check-prefix=MASKS
; RUN: %opt -kernel=written -passes=transpose-gathers %s | %check %s --check-prefix=WRITTEN
; RUN: %opt -kernel=leaks -passes=transpose-gathers %s | %check %s --check-prefix=LEAKS
; RUN: %opt -kernel=rows -passes=transpose-gathers %s | %check %s --check-prefix=ROWS
; RUN: %opt -kernel=may_wrap -passes=transpose-gathers %s | %check %s --check-prefix=WRAP
; RUN: %opt -kernel=scattered -passes=transpose-gathers %s | %check %s --check-prefix=SCATTERED
; RUN: %opt -kernel=bits_of_rows -passes=transpose-gathers %s | %check %s --check-prefix=BITS
; RUN: %opt -kernel=backwards -passes=transpose-gathers %s | %check %s --check-prefix=BACK
; RUN: %opt -kernel=meet -passes=transpose-gathers %s | %check %s --check-prefix=MEET
; RUN: %opt -kernel=wide -passes=transpose-gathers %s | %check %s --check-prefix=WIDE
; RUN: %opt -kernel=apart -passes=transpose-gathers %s | %check %s --check-prefix=APART

declare <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr>, i32, <8 x i1>, <8 x float>)

; Four columns side by side are eight rows of four, two of them in a register, and four times two shuffles. What is
; written between goes elsewhere: the tile's address is known to nobody else.
; COLUMNS-LABEL: define void @columns(
; COLUMNS-COUNT-8: load <4 x float>
; COLUMNS-NOT: masked.gather
; COLUMNS: [[LOW:%.*]] = shufflevector <8 x float> {{.*}}, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
; COLUMNS: [[HIGH:%.*]] = shufflevector <8 x float> {{.*}}, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
; COLUMNS: [[NEXT:%.*]] = shufflevector <8 x float> {{.*}}, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
; COLUMNS: [[A:%.*]] = shufflevector <8 x float> [[LOW]], <8 x float> [[NEXT]], <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
; COLUMNS: [[B:%.*]] = shufflevector <8 x float> [[LOW]], <8 x float> [[NEXT]], <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
; COLUMNS: store <8 x float> [[A]], ptr %q0
; COLUMNS: store <8 x float> [[B]], ptr %q1
; COLUMNS-NOT: masked.gather
; COLUMNS: ret void

; Under one mask: rows of lanes that are on; the others load that of the first one, or what nobody looks at.
; SOME-LABEL: define void @some_lanes(
; SOME: %nobodys = alloca <4 x float>
; SOME: [[ON:%.*]] = bitcast <8 x i1> %mask to i8
; SOME: [[LANE:%.*]] = call i8 @llvm.cttz.i8(i8 [[ON]], i1 false)
; SOME: [[LONE:%.*]] = extractelement <8 x ptr>
; SOME: [[BASE:%.*]] = getelementptr i8, ptr [[LONE]], i64 0
; SOME: [[FIRST:%.*]] = select i1 {{.*}}, ptr [[BASE]], ptr %nobodys
; SOME: and i8 [[ON]], 1
; SOME: [[ROW:%.*]] = select i1 {{.*}}, ptr {{.*}}, ptr [[FIRST]]
; SOME: load <4 x float>, ptr [[ROW]], align 1
; SOME-COUNT-7: load <4 x float>
; SOME-NOT: masked.gather
; SOME: ret void
define void @some_lanes(<8 x ptr> %p, <8 x i1> %mask, ptr %q) {
  %p1 = getelementptr float, <8 x ptr> %p, i64 1
  %p2 = getelementptr float, <8 x ptr> %p, i64 2
  %p3 = getelementptr float, <8 x ptr> %p, i64 3
  %a = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %p, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
  %b = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %p1, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
  %c = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %p2, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
  %d = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %p3, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
  %ab = fadd <8 x float> %a, %b
  %cd = fadd <8 x float> %c, %d
  %all = fadd <8 x float> %ab, %cd
  store <8 x float> %all, ptr %q
  ret void
}

; MASKS-LABEL: define void @two_masks(
; MASKS-COUNT-4: masked.gather
define void @two_masks(<8 x ptr> %p, <8 x i1> %mask, <8 x i1> %other, ptr %q) {
  %p1 = getelementptr float, <8 x ptr> %p, i64 1
  %p2 = getelementptr float, <8 x ptr> %p, i64 2
  %p3 = getelementptr float, <8 x ptr> %p, i64 3
  %a = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %p, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
  %b = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %p1, i32 4, <8 x i1> %other, <8 x float> zeroinitializer)
  %c = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %p2, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
  %d = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %p3, i32 4, <8 x i1> %other, <8 x float> zeroinitializer)
  %ab = fadd <8 x float> %a, %b
  %cd = fadd <8 x float> %c, %d
  %all = fadd <8 x float> %ab, %cd
  store <8 x float> %all, ptr %q
  ret void
}

; Where the tile is written between, the columns stay.
; WRITTEN-LABEL: define void @written(
; WRITTEN-COUNT-4: call <8 x float> @llvm.masked.gather
; WRITTEN: ret void

; Where somebody else may have its address, too.
; LEAKS-LABEL: define void @leaks(
; LEAKS-COUNT-4: call <8 x float> @llvm.masked.gather
; LEAKS: ret void
define void @columns(ptr %out, i64 %x, ptr %other) {
  %tile = alloca [32 x [33 x float]], align 64
  %p0 = getelementptr [32 x [33 x float]], ptr %tile, i64 0, i64 %x, i64 0
  %a0 = getelementptr i8, ptr %p0, <8 x i64> <i64 0, i64 132, i64 264, i64 396, i64 528, i64 660, i64 792, i64 924>
  %v0 = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %a0, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <8 x float> poison)
  %q0 = getelementptr <8 x float>, ptr %out, i64 0
  store <8 x float> %v0, ptr %q0
  %p1 = getelementptr [32 x [33 x float]], ptr %tile, i64 0, i64 %x, i64 1
  %a1 = getelementptr i8, ptr %p1, <8 x i64> <i64 0, i64 132, i64 264, i64 396, i64 528, i64 660, i64 792, i64 924>
  %v1 = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %a1, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <8 x float> poison)
  %q1 = getelementptr <8 x float>, ptr %out, i64 1
  store <8 x float> %v1, ptr %q1
  %p2 = getelementptr [32 x [33 x float]], ptr %tile, i64 0, i64 %x, i64 2
  %a2 = getelementptr i8, ptr %p2, <8 x i64> <i64 0, i64 132, i64 264, i64 396, i64 528, i64 660, i64 792, i64 924>
  %v2 = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %a2, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <8 x float> poison)
  %q2 = getelementptr <8 x float>, ptr %out, i64 2
  store <8 x float> %v2, ptr %q2
  %p3 = getelementptr [32 x [33 x float]], ptr %tile, i64 0, i64 %x, i64 3
  %a3 = getelementptr i8, ptr %p3, <8 x i64> <i64 0, i64 132, i64 264, i64 396, i64 528, i64 660, i64 792, i64 924>
  %v3 = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %a3, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <8 x float> poison)
  %q3 = getelementptr <8 x float>, ptr %out, i64 3
  store <8 x float> %v3, ptr %q3
  ret void
}
define void @written(ptr %out, i64 %x, ptr %other) {
  %tile = alloca [32 x [33 x float]], align 64
  %p0 = getelementptr [32 x [33 x float]], ptr %tile, i64 0, i64 %x, i64 0
  %a0 = getelementptr i8, ptr %p0, <8 x i64> <i64 0, i64 132, i64 264, i64 396, i64 528, i64 660, i64 792, i64 924>
  %v0 = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %a0, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <8 x float> poison)
  %q0 = getelementptr <8 x float>, ptr %tile, i64 0
  store <8 x float> %v0, ptr %q0
  %p1 = getelementptr [32 x [33 x float]], ptr %tile, i64 0, i64 %x, i64 1
  %a1 = getelementptr i8, ptr %p1, <8 x i64> <i64 0, i64 132, i64 264, i64 396, i64 528, i64 660, i64 792, i64 924>
  %v1 = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %a1, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <8 x float> poison)
  %q1 = getelementptr <8 x float>, ptr %tile, i64 1
  store <8 x float> %v1, ptr %q1
  %p2 = getelementptr [32 x [33 x float]], ptr %tile, i64 0, i64 %x, i64 2
  %a2 = getelementptr i8, ptr %p2, <8 x i64> <i64 0, i64 132, i64 264, i64 396, i64 528, i64 660, i64 792, i64 924>
  %v2 = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %a2, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <8 x float> poison)
  %q2 = getelementptr <8 x float>, ptr %tile, i64 2
  store <8 x float> %v2, ptr %q2
  %p3 = getelementptr [32 x [33 x float]], ptr %tile, i64 0, i64 %x, i64 3
  %a3 = getelementptr i8, ptr %p3, <8 x i64> <i64 0, i64 132, i64 264, i64 396, i64 528, i64 660, i64 792, i64 924>
  %v3 = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %a3, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <8 x float> poison)
  %q3 = getelementptr <8 x float>, ptr %tile, i64 3
  store <8 x float> %v3, ptr %q3
  ret void
}
define void @leaks(ptr %out, i64 %x, ptr %other) {
  %tile = alloca [32 x [33 x float]], align 64
  store ptr %tile, ptr %other
  %p0 = getelementptr [32 x [33 x float]], ptr %tile, i64 0, i64 %x, i64 0
  %a0 = getelementptr i8, ptr %p0, <8 x i64> <i64 0, i64 132, i64 264, i64 396, i64 528, i64 660, i64 792, i64 924>
  %v0 = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %a0, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <8 x float> poison)
  %q0 = getelementptr <8 x float>, ptr %out, i64 0
  store <8 x float> %v0, ptr %q0
  %p1 = getelementptr [32 x [33 x float]], ptr %tile, i64 0, i64 %x, i64 1
  %a1 = getelementptr i8, ptr %p1, <8 x i64> <i64 0, i64 132, i64 264, i64 396, i64 528, i64 660, i64 792, i64 924>
  %v1 = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %a1, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <8 x float> poison)
  %q1 = getelementptr <8 x float>, ptr %out, i64 1
  store <8 x float> %v1, ptr %q1
  %p2 = getelementptr [32 x [33 x float]], ptr %tile, i64 0, i64 %x, i64 2
  %a2 = getelementptr i8, ptr %p2, <8 x i64> <i64 0, i64 132, i64 264, i64 396, i64 528, i64 660, i64 792, i64 924>
  %v2 = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %a2, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <8 x float> poison)
  %q2 = getelementptr <8 x float>, ptr %out, i64 2
  store <8 x float> %v2, ptr %q2
  %p3 = getelementptr [32 x [33 x float]], ptr %tile, i64 0, i64 %x, i64 3
  %a3 = getelementptr i8, ptr %p3, <8 x i64> <i64 0, i64 132, i64 264, i64 396, i64 528, i64 660, i64 792, i64 924>
  %v3 = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %a3, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <8 x float> poison)
  %q3 = getelementptr <8 x float>, ptr %out, i64 3
  store <8 x float> %v3, ptr %q3
  ret void
}

; A row for each lane, anywhere: the address of each is taken out of those of the first gather.
; ROWS-LABEL: define <8 x float> @rows(
; ROWS: [[P:%.*]] = getelementptr float, ptr %x, <8 x i64>
; ROWS: [[FIRST:%.*]] = extractelement <8 x ptr> [[P]], i64 0
; ROWS: load <4 x float>, ptr
; ROWS-COUNT-7: load <4 x float>
; ROWS-NOT: masked.gather
; ROWS: ret <8 x float>
define <8 x float> @rows(ptr %x, ptr %rows, i32 %j) {
  %start = load <8 x i32>, ptr %rows
  %first = insertelement <8 x i32> poison, i32 %j, i64 0
  %splat = shufflevector <8 x i32> %first, <8 x i32> poison, <8 x i32> zeroinitializer
  %i0 = add nsw <8 x i32> %start, %splat
  %w0 = sext <8 x i32> %i0 to <8 x i64>
  %p0 = getelementptr float, ptr %x, <8 x i64> %w0
  %v0 = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %p0, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <8 x float> zeroinitializer)
  %j1 = add nsw i32 %j, 1
  %f1 = insertelement <8 x i32> poison, i32 %j1, i64 0
  %s1 = shufflevector <8 x i32> %f1, <8 x i32> poison, <8 x i32> zeroinitializer
  %i1 = add nsw <8 x i32> %start, %s1
  %w1 = sext <8 x i32> %i1 to <8 x i64>
  %p1 = getelementptr float, ptr %x, <8 x i64> %w1
  %v1 = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %p1, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <8 x float> zeroinitializer)
  %j2 = add nsw i32 %j, 2
  %f2 = insertelement <8 x i32> poison, i32 %j2, i64 0
  %s2 = shufflevector <8 x i32> %f2, <8 x i32> poison, <8 x i32> zeroinitializer
  %i2 = add nsw <8 x i32> %start, %s2
  %w2 = sext <8 x i32> %i2 to <8 x i64>
  %p2 = getelementptr float, ptr %x, <8 x i64> %w2
  %v2 = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %p2, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <8 x float> zeroinitializer)
  %j3 = add nsw i32 %j, 3
  %f3 = insertelement <8 x i32> poison, i32 %j3, i64 0
  %s3 = shufflevector <8 x i32> %f3, <8 x i32> poison, <8 x i32> zeroinitializer
  %i3 = add nsw <8 x i32> %start, %s3
  %w3 = sext <8 x i32> %i3 to <8 x i64>
  %p3 = getelementptr float, ptr %x, <8 x i64> %w3
  %v3 = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %p3, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <8 x float> zeroinitializer)
  %a = fadd <8 x float> %v0, %v1
  %b = fadd <8 x float> %a, %v2
  %c = fadd <8 x float> %b, %v3
  ret <8 x float> %c
}

; An index that may wrap between two columns.
; WRAP-LABEL: define <8 x float> @may_wrap(
; WRAP-COUNT-4: call <8 x float> @llvm.masked.gather
define <8 x float> @may_wrap(ptr %x, ptr %rows, i32 %j) {
  %start = load <8 x i32>, ptr %rows
  %first = insertelement <8 x i32> poison, i32 %j, i64 0
  %splat = shufflevector <8 x i32> %first, <8 x i32> poison, <8 x i32> zeroinitializer
  %i0 = add <8 x i32> %start, %splat
  %w0 = sext <8 x i32> %i0 to <8 x i64>
  %p0 = getelementptr float, ptr %x, <8 x i64> %w0
  %v0 = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %p0, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <8 x float> zeroinitializer)
  %j1 = add nsw i32 %j, 1
  %f1 = insertelement <8 x i32> poison, i32 %j1, i64 0
  %s1 = shufflevector <8 x i32> %f1, <8 x i32> poison, <8 x i32> zeroinitializer
  %i1 = add <8 x i32> %start, %s1
  %w1 = sext <8 x i32> %i1 to <8 x i64>
  %p1 = getelementptr float, ptr %x, <8 x i64> %w1
  %v1 = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %p1, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <8 x float> zeroinitializer)
  %j2 = add nsw i32 %j, 2
  %f2 = insertelement <8 x i32> poison, i32 %j2, i64 0
  %s2 = shufflevector <8 x i32> %f2, <8 x i32> poison, <8 x i32> zeroinitializer
  %i2 = add <8 x i32> %start, %s2
  %w2 = sext <8 x i32> %i2 to <8 x i64>
  %p2 = getelementptr float, ptr %x, <8 x i64> %w2
  %v2 = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %p2, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <8 x float> zeroinitializer)
  %j3 = add nsw i32 %j, 3
  %f3 = insertelement <8 x i32> poison, i32 %j3, i64 0
  %s3 = shufflevector <8 x i32> %f3, <8 x i32> poison, <8 x i32> zeroinitializer
  %i3 = add <8 x i32> %start, %s3
  %w3 = sext <8 x i32> %i3 to <8 x i64>
  %p3 = getelementptr float, ptr %x, <8 x i64> %w3
  %v3 = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %p3, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <8 x float> zeroinitializer)
  %a = fadd <8 x float> %v0, %v1
  %b = fadd <8 x float> %a, %v2
  %c = fadd <8 x float> %b, %v3
  ret <8 x float> %c
}

; Four columns that are scattered: eight rows of four, at addresses of scalars.
; SCATTERED-LABEL: define void @scattered(
; SCATTERED-NOT: extractelement
; SCATTERED-COUNT-8: store <4 x float>
; SCATTERED-NOT: call void @llvm.masked.scatter
; SCATTERED: ret void
define void @scattered(ptr %x, i32 %first, i32 %height, i32 %y, <8 x float> %a, <8 x float> %b, <8 x float> %c, <8 x float> %d) {
  %h0 = insertelement <8 x i32> poison, i32 %height, i64 0
  %h = shufflevector <8 x i32> %h0, <8 x i32> poison, <8 x i32> zeroinitializer
  %l0 = insertelement <8 x i32> poison, i32 %first, i64 0
  %l1 = shufflevector <8 x i32> %l0, <8 x i32> poison, <8 x i32> zeroinitializer
  %l = add <8 x i32> %l1, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %row = mul nsw <8 x i32> %l, %h
  %y0 = add nuw nsw i32 %y, 0
  %f0 = insertelement <8 x i32> poison, i32 %y0, i64 0
  %s0 = shufflevector <8 x i32> %f0, <8 x i32> poison, <8 x i32> zeroinitializer
  %i0 = add nuw nsw <8 x i32> %row, %s0
  %w0 = zext nneg <8 x i32> %i0 to <8 x i64>
  %p0 = getelementptr float, ptr %x, <8 x i64> %w0
  call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %a, <8 x ptr> %p0, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>)
  %y1 = add nuw nsw i32 %y, 1
  %f1 = insertelement <8 x i32> poison, i32 %y1, i64 0
  %s1 = shufflevector <8 x i32> %f1, <8 x i32> poison, <8 x i32> zeroinitializer
  %i1 = add nuw nsw <8 x i32> %row, %s1
  %w1 = zext nneg <8 x i32> %i1 to <8 x i64>
  %p1 = getelementptr float, ptr %x, <8 x i64> %w1
  call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %b, <8 x ptr> %p1, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>)
  %y2 = add nuw nsw i32 %y, 2
  %f2 = insertelement <8 x i32> poison, i32 %y2, i64 0
  %s2 = shufflevector <8 x i32> %f2, <8 x i32> poison, <8 x i32> zeroinitializer
  %i2 = add nuw nsw <8 x i32> %row, %s2
  %w2 = zext nneg <8 x i32> %i2 to <8 x i64>
  %p2 = getelementptr float, ptr %x, <8 x i64> %w2
  call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %c, <8 x ptr> %p2, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>)
  %y3 = add nuw nsw i32 %y, 3
  %f3 = insertelement <8 x i32> poison, i32 %y3, i64 0
  %s3 = shufflevector <8 x i32> %f3, <8 x i32> poison, <8 x i32> zeroinitializer
  %i3 = add nuw nsw <8 x i32> %row, %s3
  %w3 = zext nneg <8 x i32> %i3 to <8 x i64>
  %p3 = getelementptr float, ptr %x, <8 x i64> %w3
  call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %d, <8 x ptr> %p3, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>)
  ret void
}

; What is read between them may be what they write.
; APART-LABEL: define void @apart(
; APART-COUNT-4: call void @llvm.masked.scatter
define void @apart(ptr %x, i32 %first, i32 %height, i32 %y, <8 x float> %a, <8 x float> %b, <8 x float> %c, <8 x float> %d) {
  %h0 = insertelement <8 x i32> poison, i32 %height, i64 0
  %h = shufflevector <8 x i32> %h0, <8 x i32> poison, <8 x i32> zeroinitializer
  %l0 = insertelement <8 x i32> poison, i32 %first, i64 0
  %l1 = shufflevector <8 x i32> %l0, <8 x i32> poison, <8 x i32> zeroinitializer
  %l = add <8 x i32> %l1, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %row = mul nsw <8 x i32> %l, %h
  %y0 = add nuw nsw i32 %y, 0
  %f0 = insertelement <8 x i32> poison, i32 %y0, i64 0
  %s0 = shufflevector <8 x i32> %f0, <8 x i32> poison, <8 x i32> zeroinitializer
  %i0 = add nuw nsw <8 x i32> %row, %s0
  %w0 = zext nneg <8 x i32> %i0 to <8 x i64>
  %p0 = getelementptr float, ptr %x, <8 x i64> %w0
  call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %a, <8 x ptr> %p0, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>)
  %y1 = add nuw nsw i32 %y, 1
  %f1 = insertelement <8 x i32> poison, i32 %y1, i64 0
  %s1 = shufflevector <8 x i32> %f1, <8 x i32> poison, <8 x i32> zeroinitializer
  %i1 = add nuw nsw <8 x i32> %row, %s1
  %w1 = zext nneg <8 x i32> %i1 to <8 x i64>
  %p1 = getelementptr float, ptr %x, <8 x i64> %w1
  call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %b, <8 x ptr> %p1, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>)
  %seen = load volatile float, ptr %x
  %y2 = add nuw nsw i32 %y, 2
  %f2 = insertelement <8 x i32> poison, i32 %y2, i64 0
  %s2 = shufflevector <8 x i32> %f2, <8 x i32> poison, <8 x i32> zeroinitializer
  %i2 = add nuw nsw <8 x i32> %row, %s2
  %w2 = zext nneg <8 x i32> %i2 to <8 x i64>
  %p2 = getelementptr float, ptr %x, <8 x i64> %w2
  call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %c, <8 x ptr> %p2, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>)
  %y3 = add nuw nsw i32 %y, 3
  %f3 = insertelement <8 x i32> poison, i32 %y3, i64 0
  %s3 = shufflevector <8 x i32> %f3, <8 x i32> poison, <8 x i32> zeroinitializer
  %i3 = add nuw nsw <8 x i32> %row, %s3
  %w3 = zext nneg <8 x i32> %i3 to <8 x i64>
  %p3 = getelementptr float, ptr %x, <8 x i64> %w3
  call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %d, <8 x ptr> %p3, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>)
  ret void
}

declare void @llvm.masked.scatter.v8f32.v8p0(<8 x float>, <8 x ptr>, i32, <8 x i1>)

; A disjoint `or` is a sum, with whatever sign, also of what may be negative itself.
; BITS-LABEL: define void @bits_of_rows(
; BITS-COUNT-8: store <4 x float>
; BITS-NOT: call void @llvm.masked.scatter
; BITS: ret void
define void @bits_of_rows(<8 x ptr> %columns, i32 %row, i32 %group, <8 x float> %v0, <8 x float> %v1, <8 x float> %v2, <8 x float> %v3) {
  %y0 = or disjoint i32 %row, %group
  %i0 = sext i32 %y0 to i64
  %p0 = getelementptr float, <8 x ptr> %columns, i64 %i0
  call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %v0, <8 x ptr> %p0, i32 4, <8 x i1> splat (i1 true))
  %k1 = or disjoint i32 %group, 1
  %y1 = or disjoint i32 %row, %k1
  %i1 = sext i32 %y1 to i64
  %p1 = getelementptr float, <8 x ptr> %columns, i64 %i1
  call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %v1, <8 x ptr> %p1, i32 4, <8 x i1> splat (i1 true))
  %k2 = or disjoint i32 %group, 2
  %y2 = or disjoint i32 %row, %k2
  %i2 = sext i32 %y2 to i64
  %p2 = getelementptr float, <8 x ptr> %columns, i64 %i2
  call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %v2, <8 x ptr> %p2, i32 4, <8 x i1> splat (i1 true))
  %k3 = or disjoint i32 %group, 3
  %y3 = or disjoint i32 %row, %k3
  %i3 = sext i32 %y3 to i64
  %p3 = getelementptr float, <8 x ptr> %columns, i64 %i3
  call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %v3, <8 x ptr> %p3, i32 4, <8 x i1> splat (i1 true))
  ret void
}

; `row - 1 - (y + k)`, of which known bits were folded: columns from the last to the first.
; BACK-LABEL: define void @backwards(
; BACK: [[A:%.*]] = shufflevector <8 x float> %v3, <8 x float> %v2, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
; BACK-COUNT-8: store <4 x float>
; BACK-NOT: call void @llvm.masked.scatter
; BACK: ret void
define void @backwards(<8 x ptr> %columns, i32 %row, i32 %group, <8 x float> %v0, <8 x float> %v1, <8 x float> %v2, <8 x float> %v3) {
  %y = shl i32 %group, 2
  %y0 = xor i32 %y, -1
  %n0 = add nsw i32 %row, %y0
  %i0 = sext i32 %n0 to i64
  %p0 = getelementptr float, <8 x ptr> %columns, i64 %i0
  call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %v0, <8 x ptr> %p0, i32 4, <8 x i1> splat (i1 true))
  %y1 = xor i32 %y, -2
  %n1 = add nsw i32 %row, %y1
  %i1 = sext i32 %n1 to i64
  %p1 = getelementptr float, <8 x ptr> %columns, i64 %i1
  call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %v1, <8 x ptr> %p1, i32 4, <8 x i1> splat (i1 true))
  %y2 = xor i32 %y, -3
  %n2 = add nsw i32 %row, %y2
  %i2 = sext i32 %n2 to i64
  %p2 = getelementptr float, <8 x ptr> %columns, i64 %i2
  call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %v2, <8 x ptr> %p2, i32 4, <8 x i1> splat (i1 true))
  %y3 = xor i32 %y, -4
  %n3 = add nsw i32 %row, %y3
  %i3 = sext i32 %n3 to i64
  %p3 = getelementptr float, <8 x ptr> %columns, i64 %i3
  call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %v3, <8 x ptr> %p3, i32 4, <8 x i1> splat (i1 true))
  ret void
}

; Unless y may have the bits of k.
; MEET-LABEL: define void @meet(
; MEET-COUNT-4: call void @llvm.masked.scatter
; MEET: ret void
define void @meet(<8 x ptr> %columns, i32 %row, i32 %group, <8 x float> %v0, <8 x float> %v1, <8 x float> %v2, <8 x float> %v3) {
  %y = shl i32 %group, 1
  %y0 = xor i32 %y, -1
  %n0 = add nsw i32 %row, %y0
  %i0 = sext i32 %n0 to i64
  %p0 = getelementptr float, <8 x ptr> %columns, i64 %i0
  call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %v0, <8 x ptr> %p0, i32 4, <8 x i1> splat (i1 true))
  %y1 = xor i32 %y, -2
  %n1 = add nsw i32 %row, %y1
  %i1 = sext i32 %n1 to i64
  %p1 = getelementptr float, <8 x ptr> %columns, i64 %i1
  call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %v1, <8 x ptr> %p1, i32 4, <8 x i1> splat (i1 true))
  %y2 = xor i32 %y, -3
  %n2 = add nsw i32 %row, %y2
  %i2 = sext i32 %n2 to i64
  %p2 = getelementptr float, <8 x ptr> %columns, i64 %i2
  call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %v2, <8 x ptr> %p2, i32 4, <8 x i1> splat (i1 true))
  %y3 = xor i32 %y, -4
  %n3 = add nsw i32 %row, %y3
  %i3 = sext i32 %n3 to i64
  %p3 = getelementptr float, <8 x ptr> %columns, i64 %i3
  call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %v3, <8 x ptr> %p3, i32 4, <8 x i1> splat (i1 true))
  ret void
}

; Sixteen columns of 128 bytes would fill all registers that there are: two times eight.
; WIDE-LABEL: define void @wide(
; WIDE-COUNT-32: load <8 x double>
; WIDE-NOT: masked.gather
; WIDE: ret void
declare <16 x double> @llvm.masked.gather.v16f64.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x double>)
define void @wide(ptr %out, <16 x ptr> %rows) {
  %a0 = getelementptr i8, <16 x ptr> %rows, i64 0
  %v0 = call <16 x double> @llvm.masked.gather.v16f64.v16p0(<16 x ptr> %a0, i32 8, <16 x i1> splat (i1 true), <16 x double> poison)
  %a1 = getelementptr i8, <16 x ptr> %rows, i64 8
  %v1 = call <16 x double> @llvm.masked.gather.v16f64.v16p0(<16 x ptr> %a1, i32 8, <16 x i1> splat (i1 true), <16 x double> poison)
  %a2 = getelementptr i8, <16 x ptr> %rows, i64 16
  %v2 = call <16 x double> @llvm.masked.gather.v16f64.v16p0(<16 x ptr> %a2, i32 8, <16 x i1> splat (i1 true), <16 x double> poison)
  %a3 = getelementptr i8, <16 x ptr> %rows, i64 24
  %v3 = call <16 x double> @llvm.masked.gather.v16f64.v16p0(<16 x ptr> %a3, i32 8, <16 x i1> splat (i1 true), <16 x double> poison)
  %a4 = getelementptr i8, <16 x ptr> %rows, i64 32
  %v4 = call <16 x double> @llvm.masked.gather.v16f64.v16p0(<16 x ptr> %a4, i32 8, <16 x i1> splat (i1 true), <16 x double> poison)
  %a5 = getelementptr i8, <16 x ptr> %rows, i64 40
  %v5 = call <16 x double> @llvm.masked.gather.v16f64.v16p0(<16 x ptr> %a5, i32 8, <16 x i1> splat (i1 true), <16 x double> poison)
  %a6 = getelementptr i8, <16 x ptr> %rows, i64 48
  %v6 = call <16 x double> @llvm.masked.gather.v16f64.v16p0(<16 x ptr> %a6, i32 8, <16 x i1> splat (i1 true), <16 x double> poison)
  %a7 = getelementptr i8, <16 x ptr> %rows, i64 56
  %v7 = call <16 x double> @llvm.masked.gather.v16f64.v16p0(<16 x ptr> %a7, i32 8, <16 x i1> splat (i1 true), <16 x double> poison)
  %a8 = getelementptr i8, <16 x ptr> %rows, i64 64
  %v8 = call <16 x double> @llvm.masked.gather.v16f64.v16p0(<16 x ptr> %a8, i32 8, <16 x i1> splat (i1 true), <16 x double> poison)
  %a9 = getelementptr i8, <16 x ptr> %rows, i64 72
  %v9 = call <16 x double> @llvm.masked.gather.v16f64.v16p0(<16 x ptr> %a9, i32 8, <16 x i1> splat (i1 true), <16 x double> poison)
  %a10 = getelementptr i8, <16 x ptr> %rows, i64 80
  %v10 = call <16 x double> @llvm.masked.gather.v16f64.v16p0(<16 x ptr> %a10, i32 8, <16 x i1> splat (i1 true), <16 x double> poison)
  %a11 = getelementptr i8, <16 x ptr> %rows, i64 88
  %v11 = call <16 x double> @llvm.masked.gather.v16f64.v16p0(<16 x ptr> %a11, i32 8, <16 x i1> splat (i1 true), <16 x double> poison)
  %a12 = getelementptr i8, <16 x ptr> %rows, i64 96
  %v12 = call <16 x double> @llvm.masked.gather.v16f64.v16p0(<16 x ptr> %a12, i32 8, <16 x i1> splat (i1 true), <16 x double> poison)
  %a13 = getelementptr i8, <16 x ptr> %rows, i64 104
  %v13 = call <16 x double> @llvm.masked.gather.v16f64.v16p0(<16 x ptr> %a13, i32 8, <16 x i1> splat (i1 true), <16 x double> poison)
  %a14 = getelementptr i8, <16 x ptr> %rows, i64 112
  %v14 = call <16 x double> @llvm.masked.gather.v16f64.v16p0(<16 x ptr> %a14, i32 8, <16 x i1> splat (i1 true), <16 x double> poison)
  %a15 = getelementptr i8, <16 x ptr> %rows, i64 120
  %v15 = call <16 x double> @llvm.masked.gather.v16f64.v16p0(<16 x ptr> %a15, i32 8, <16 x i1> splat (i1 true), <16 x double> poison)
  %q0 = getelementptr <16 x double>, ptr %out, i64 0
  store <16 x double> %v0, ptr %q0
  %q1 = getelementptr <16 x double>, ptr %out, i64 1
  store <16 x double> %v1, ptr %q1
  %q2 = getelementptr <16 x double>, ptr %out, i64 2
  store <16 x double> %v2, ptr %q2
  %q3 = getelementptr <16 x double>, ptr %out, i64 3
  store <16 x double> %v3, ptr %q3
  %q4 = getelementptr <16 x double>, ptr %out, i64 4
  store <16 x double> %v4, ptr %q4
  %q5 = getelementptr <16 x double>, ptr %out, i64 5
  store <16 x double> %v5, ptr %q5
  %q6 = getelementptr <16 x double>, ptr %out, i64 6
  store <16 x double> %v6, ptr %q6
  %q7 = getelementptr <16 x double>, ptr %out, i64 7
  store <16 x double> %v7, ptr %q7
  %q8 = getelementptr <16 x double>, ptr %out, i64 8
  store <16 x double> %v8, ptr %q8
  %q9 = getelementptr <16 x double>, ptr %out, i64 9
  store <16 x double> %v9, ptr %q9
  %q10 = getelementptr <16 x double>, ptr %out, i64 10
  store <16 x double> %v10, ptr %q10
  %q11 = getelementptr <16 x double>, ptr %out, i64 11
  store <16 x double> %v11, ptr %q11
  %q12 = getelementptr <16 x double>, ptr %out, i64 12
  store <16 x double> %v12, ptr %q12
  %q13 = getelementptr <16 x double>, ptr %out, i64 13
  store <16 x double> %v13, ptr %q13
  %q14 = getelementptr <16 x double>, ptr %out, i64 14
  store <16 x double> %v14, ptr %q14
  %q15 = getelementptr <16 x double>, ptr %out, i64 15
  store <16 x double> %v15, ptr %q15
  ret void
}
