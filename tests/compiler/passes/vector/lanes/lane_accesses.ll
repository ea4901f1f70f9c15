; RUN: %opt -kernel=column -passes=lane-accesses %s | %check %s --check-prefix=COLUMN
; RUN: %opt -kernel=any -passes=lane-accesses %s | %check %s --check-prefix=ANY
; RUN: %opt -kernel=scattered -passes=lane-accesses %s | %check %s --check-prefix=SCATTERED
; RUN: %opt -kernel=some -passes=lane-accesses %s | %check %s --check-prefix=SOME
; RUN: %opt -kernel=column -target=x86-64-v4 -passes=lane-accesses %s | %check %s --check-prefix=GATHERS
; RUN: %opt -kernel=zen -target=znver4 -passes=lane-accesses %s | %check %s --check-prefix=ZEN
; RUN: %opt -kernel=seldom -target=znver4 -passes=lane-accesses %s | %check %s --check-prefix=SELDOM
; RUN: %opt -kernel=outside -target=znver4 -passes=lane-accesses %s | %check %s --check-prefix=OUTSIDE
; RUN: %opt -kernel=counts -target=x86-64-v4 -passes=lane-accesses %s | %check %s --check-prefix=COUNTS
; RUN: %opt -kernel=volatile_counts -target=x86-64-v4 -passes=lane-accesses %s | %check %s --check-prefix=VOLATILE
; RUN: %opt -kernel=written_between -target=x86-64-v4 -passes=lane-accesses %s | %check %s --check-prefix=BETWEEN
; RUN: %opt -kernel=far -target=znver4 -passes=lane-accesses %s | %check %s --check-prefix=FAR
; RUN: %opt -kernel=reversed -target=znver4 -passes=lane-accesses %s | %check %s --check-prefix=REVERSED
; RUN: %opt -kernel=scattered_zen -target=znver4 -passes=lane-accesses %s | %check %s --check-prefix=STAYS
; RUN: %opt -kernel=constants -target=znver4 -passes=lane-accesses %s | %check %s --check-prefix=CONSTANTS

declare <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr>, i32, <4 x i1>, <4 x float>)
declare void @llvm.masked.scatter.v4f32.v4p0(<4 x float>, <4 x ptr>, i32, <4 x i1>)
declare <4 x i8> @llvm.masked.gather.v4i8.v4p0(<4 x ptr>, i32, <4 x i1>, <4 x i8>)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.masked.scatter.v4i8.v4p0(<4 x i8>, <4 x ptr>, i32, <4 x i1>)

; A column of a tile, its addresses made in two steps: one scalar address, and bytes that are constant.
; COLUMN-LABEL: define <4 x float> @column(
; COLUMN-NEXT: [[P:%.*]] = getelementptr [33 x float], ptr %tile, i64 1, i64 0
; COLUMN-NEXT: [[Q:%.*]] = getelementptr [33 x float], ptr [[P]], i64 0, i64 %x
; COLUMN-NEXT: [[A:%.*]] = load float, ptr [[Q]], align 4
; COLUMN-NEXT: insertelement <4 x float> poison, float [[A]], i64 0
; COLUMN-NEXT: [[Q1:%.*]] = getelementptr i8, ptr [[Q]], i64 132
; COLUMN-NEXT: load float, ptr [[Q1]], align 4
; COLUMN: [[Q3:%.*]] = getelementptr i8, ptr [[Q]], i64 396
; COLUMN-NEXT: [[D:%.*]] = load float, ptr [[Q3]], align 4
; COLUMN-NEXT: [[V:%.*]] = insertelement <4 x float> {{.*}}, float [[D]], i64 3
; COLUMN-NEXT: ret <4 x float> [[V]]

; With AVX-512 it stays what it is.
; GATHERS-LABEL: define <4 x float> @column(
; GATHERS: call <4 x float> @llvm.masked.gather
define <4 x float> @column(ptr %tile, i64 %x) {
  %rows = getelementptr [33 x float], ptr %tile, <4 x i64> <i64 1, i64 2, i64 3, i64 4>, i64 0
  %lanes = getelementptr [33 x float], <4 x ptr> %rows, i64 0, i64 %x
  %v = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %lanes, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> poison)
  ret <4 x float> %v
}

; Any element: what leaves the vector is the short index.
; ANY-LABEL: define <4 x float> @any(
; ANY: [[I:%.*]] = extractelement <4 x i32> %index, i64 0
; ANY-NEXT: [[L:%.*]] = sext i32 [[I]] to i64
; ANY-NEXT: [[P:%.*]] = getelementptr float, ptr %table, i64 [[L]]
; ANY-NEXT: load float, ptr [[P]], align 4
; ANY: extractelement <4 x i32> %index, i64 3
; ANY-NOT: masked.gather
; ANY: ret
define <4 x float> @any(ptr %table, <4 x i32> %index) {
  %wide = sext <4 x i32> %index to <4 x i64>
  %lanes = getelementptr float, ptr %table, <4 x i64> %wide
  %v = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %lanes, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> poison)
  ret <4 x float> %v
}

; In the order of lanes: where two meet the last one stays.
; SCATTERED-LABEL: define void @scattered(
; SCATTERED: [[V0:%.*]] = extractelement <4 x float> %v, i64 0
; SCATTERED: store float [[V0]]
; SCATTERED: [[V3:%.*]] = extractelement <4 x float> %v, i64 3
; SCATTERED: store float [[V3]]
; SCATTERED-NEXT: ret void
define void @scattered(ptr %p, <4 x float> %v, <4 x i32> %index) {
  %wide = zext <4 x i32> %index to <4 x i64>
  %lanes = getelementptr float, ptr %p, <4 x i64> %wide
  call void @llvm.masked.scatter.v4f32.v4p0(<4 x float> %v, <4 x ptr> %lanes, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>)
  ret void
}

; Those of some lanes are left.
; SOME-LABEL: define <4 x float> @some(
; SOME: call <4 x float> @llvm.masked.gather
define <4 x float> @some(ptr %table, <4 x i64> %index, <4 x i1> %mask) {
  %lanes = getelementptr float, ptr %table, <4 x i64> %index
  %v = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %lanes, i32 4, <4 x i1> %mask, <4 x float> zeroinitializer)
  ret <4 x float> %v
}

; Zen's gathers are slower than loads; where some lanes are idle they stay.
; ZEN-LABEL: define <4 x float> @zen(
; ZEN-COUNT-4: load float
; ZEN-NOT: load float
; ZEN: call <4 x float> @llvm.masked.gather.v4f32.v4p0({{.*}}, <4 x i1> %some
; ZEN-NOT: masked.gather
; ZEN: ret
define <4 x float> @zen(ptr %table, <4 x i32> %index, <4 x i1> %some) #0 {
  %wide = sext <4 x i32> %index to <4 x i64>
  %lanes = getelementptr float, ptr %table, <4 x i64> %wide
  %v = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %lanes, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> poison)
  %w = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %lanes, i32 4, <4 x i1> %some, <4 x float> %v)
  ret <4 x float> %w
}

; What few blocks run is kept short.
; SELDOM-LABEL: define void @seldom(
; SELDOM: edge:
; SELDOM-NEXT: getelementptr
; SELDOM-NEXT: call <4 x float> @llvm.masked.gather
; SELDOM: inside:
; SELDOM-COUNT-4: load float
; SELDOM-NOT: masked.gather
; SELDOM: ret void
define void @seldom(ptr %table, ptr %out, <4 x i64> %index, i32 %last, i32 %n) #0 {
entry:
  br label %block
block:
  %i = phi i32 [ 0, %entry ], [ %i1, %next ]
  %is_edge = icmp eq i32 %i, %last
  br i1 %is_edge, label %edge, label %inside, !prof !1
edge:
  %lanes = getelementptr float, ptr %table, <4 x i64> %index
  %v = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %lanes, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> poison)
  store <4 x float> %v, ptr %out
  br label %next
inside:
  %all = getelementptr float, ptr %table, <4 x i64> %index
  %w = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %all, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> poison)
  store <4 x float> %w, ptr %out
  br label %next
next:
  %i1 = add nuw i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %block, label %end
end:
  ret void
}

; counts[digit][thread]++: each lane's byte is changed where it lies; only digits leave a vector.
; COUNTS-LABEL: define void @counts(
; COUNTS: [[D:%.*]] = extractelement <4 x i32> %digit, i64 0
; COUNTS-NEXT: [[L:%.*]] = zext i32 [[D]] to i64
; COUNTS-NEXT: [[T:%.*]] = add i64 %t, 0
; COUNTS-NEXT: [[P:%.*]] = getelementptr [128 x i8], ptr %c, i64 [[L]], i64 [[T]]
; COUNTS-NEXT: [[OLD:%.*]] = load i8, ptr [[P]], align 1
; COUNTS-NEXT: [[NEW:%.*]] = add i8 [[OLD]], 1
; COUNTS-NEXT: store i8 [[NEW]], ptr [[P]], align 1
; COUNTS: add i64 %t, 3
; COUNTS: store i8
; COUNTS-NOT: masked
; COUNTS: ret void
define void @counts(ptr %c, <4 x i32> %digit, i64 %t) {
  %one = insertelement <4 x i64> poison, i64 %t, i64 0
  %all = shufflevector <4 x i64> %one, <4 x i64> poison, <4 x i32> zeroinitializer
  %threads = add <4 x i64> %all, <i64 0, i64 1, i64 2, i64 3>
  %wide = zext <4 x i32> %digit to <4 x i64>
  %lanes = getelementptr [128 x i8], ptr %c, <4 x i64> %wide, <4 x i64> %threads
  %old = call <4 x i8> @llvm.masked.gather.v4i8.v4p0(<4 x ptr> %lanes, i32 1, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x i8> poison)
  %new = add <4 x i8> %old, <i8 1, i8 1, i8 1, i8 1>
  call void @llvm.masked.scatter.v4i8.v4p0(<4 x i8> %new, <4 x ptr> %lanes, i32 1, <4 x i1> <i1 true, i1 true, i1 true, i1 true>), !lanza.plain !0
  ret void
}

; All lanes read before any writes: a volatile one, and one with another store in between.
; VOLATILE-LABEL: define void @volatile_counts(
; VOLATILE-COUNT-4: load i8
; VOLATILE: add <4 x i8>
; VOLATILE-COUNT-4: store i8
; VOLATILE: ret void
define void @volatile_counts(ptr %c, <4 x i64> %digit) {
  %lanes = getelementptr i8, ptr %c, <4 x i64> %digit
  %old = call <4 x i8> @llvm.masked.gather.v4i8.v4p0(<4 x ptr> %lanes, i32 1, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x i8> poison)
  %new = add <4 x i8> %old, <i8 1, i8 1, i8 1, i8 1>
  call void @llvm.masked.scatter.v4i8.v4p0(<4 x i8> %new, <4 x ptr> %lanes, i32 1, <4 x i1> <i1 true, i1 true, i1 true, i1 true>)
  ret void
}

; BETWEEN-LABEL: define void @written_between(
; BETWEEN-COUNT-4: load i8
; BETWEEN: add <4 x i8>
; BETWEEN-COUNT-4: store i8
; BETWEEN: ret void
define void @written_between(ptr %c, <4 x i64> %digit) {
  %lanes = getelementptr i8, ptr %c, <4 x i64> %digit
  %old = call <4 x i8> @llvm.masked.gather.v4i8.v4p0(<4 x ptr> %lanes, i32 1, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x i8> poison)
  call void @llvm.memset.p0.i64(ptr %c, i8 0, i64 16, i1 false)
  %new = add <4 x i8> %old, <i8 1, i8 1, i8 1, i8 1>
  call void @llvm.masked.scatter.v4i8.v4p0(<4 x i8> %new, <4 x ptr> %lanes, i32 1, <4 x i1> <i1 true, i1 true, i1 true, i1 true>), !lanza.plain !0
  ret void
}

!0 = !{}
!1 = !{!"branch_weights", i32 1, i32 1048575}
; Addresses that are one constant expression.
; CONSTANTS-LABEL: define <4 x float> @constants(
; CONSTANTS: load float, ptr getelementptr inbounds ([4 x float], ptr @digits, i64 0, i64 3)
; CONSTANTS: load float, ptr @digits
; CONSTANTS: ret
@digits = internal constant [4 x float] [float 1.0, float 2.0, float 3.0, float 4.0]
define <4 x float> @constants() #0 {
  %v = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> getelementptr inbounds ([4 x float], ptr @digits, <4 x i64> zeroinitializer, <4 x i64> <i64 3, i64 1, i64 2, i64 0>), i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> poison)
  ret <4 x float> %v
}

; Bits in reverse order of a group's first thread and of its lanes: places in the block's memory are constants apart. Not
; where bits may be the same (no disjoint or), and in memory of others a scatter is one.
; REVERSED-LABEL: define void @reversed(
; REVERSED: [[A:%.*]] = getelementptr [256 x float], ptr %s, i64 0, i64 {{.*}}
; REVERSED: store float {{.*}}, ptr [[A]]
; REVERSED: [[B:%.*]] = getelementptr i8, ptr [[A]], i64 512
; REVERSED: store float {{.*}}, ptr [[B]]
; REVERSED: [[C:%.*]] = getelementptr i8, ptr [[A]], i64 256
; REVERSED: store float {{.*}}, ptr [[C]]
; REVERSED: [[D:%.*]] = getelementptr i8, ptr [[A]], i64 768
; REVERSED: store float {{.*}}, ptr [[D]]
; REVERSED-NEXT: call void @llvm.masked.scatter{{.*}} %v, <4 x ptr> %there
; REVERSED-NEXT: call void @llvm.masked.scatter{{.*}} %v, <4 x ptr> %same
define void @reversed(ptr %p, <4 x float> %v, i32 %first) #0 {
  %s = alloca [256 x float]
  %one = insertelement <4 x i32> poison, i32 %first, i64 0
  %all = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
  %thread = or disjoint <4 x i32> %all, <i32 0, i32 1, i32 2, i32 3>
  %turned = call <4 x i32> @llvm.bitreverse.v4i32(<4 x i32> %thread)
  %place = lshr <4 x i32> %turned, <i32 24, i32 24, i32 24, i32 24>
  %wide = sext <4 x i32> %place to <4 x i64>
  %mixed = or <4 x i32> %all, <i32 0, i32 1, i32 2, i32 3>
  %low = and <4 x i32> %mixed, <i32 255, i32 255, i32 255, i32 255>
  %here = getelementptr [256 x float], ptr %s, i64 0, <4 x i64> %wide
  %there = getelementptr [256 x float], ptr %p, i64 0, <4 x i64> %wide
  %same = getelementptr [256 x float], ptr %s, i64 0, <4 x i32> %low
  call void @llvm.masked.scatter.v4f32.v4p0(<4 x float> %v, <4 x ptr> %here, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>)
  call void @llvm.masked.scatter.v4f32.v4p0(<4 x float> %v, <4 x ptr> %there, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>)
  call void @llvm.masked.scatter.v4f32.v4p0(<4 x float> %v, <4 x ptr> %same, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>)
  ret void
}

; STAYS-LABEL: define void @scattered_zen(
; STAYS: call void @llvm.masked.scatter
define void @scattered_zen(ptr %p, <4 x float> %v) #0 {
  %lanes = getelementptr float, ptr %p, <4 x i64> <i64 0, i64 7, i64 14, i64 21>
  call void @llvm.masked.scatter.v4f32.v4p0(<4 x float> %v, <4 x ptr> %lanes, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>)
  ret void
}

attributes #0 = { "target-cpu"="znver4" }

; What a loop of the kernel's own does is done more often: of what stands outside of it few gathers are worth the code.
; OUTSIDE-LABEL: define void @outside(
; OUTSIDE-COUNT-64: load float
; OUTSIDE-COUNT-4: call <4 x float> @llvm.masked.gather
; OUTSIDE: block.turn:
; OUTSIDE-COUNT-4: load float
; OUTSIDE-NOT: masked.gather
; OUTSIDE: ret void
define void @outside(ptr %table, <4 x i32> %index, ptr %out, i32 %n) #0 {
entry:
  br label %block
block:
  %k = phi i32 [ 0, %entry ], [ %kn, %block.next ]
  %i0 = add <4 x i32> %index, %index
  %a0 = getelementptr float, ptr %table, <4 x i32> %i0
  %v0 = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %a0, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> poison)
  store <4 x float> %v0, ptr %out
  %i1 = add <4 x i32> %i0, %index
  %a1 = getelementptr float, ptr %table, <4 x i32> %i1
  %v1 = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %a1, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> poison)
  store <4 x float> %v1, ptr %out
  %i2 = add <4 x i32> %i1, %index
  %a2 = getelementptr float, ptr %table, <4 x i32> %i2
  %v2 = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %a2, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> poison)
  store <4 x float> %v2, ptr %out
  %i3 = add <4 x i32> %i2, %index
  %a3 = getelementptr float, ptr %table, <4 x i32> %i3
  %v3 = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %a3, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> poison)
  store <4 x float> %v3, ptr %out
  %i4 = add <4 x i32> %i3, %index
  %a4 = getelementptr float, ptr %table, <4 x i32> %i4
  %v4 = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %a4, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> poison)
  store <4 x float> %v4, ptr %out
  %i5 = add <4 x i32> %i4, %index
  %a5 = getelementptr float, ptr %table, <4 x i32> %i5
  %v5 = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %a5, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> poison)
  store <4 x float> %v5, ptr %out
  %i6 = add <4 x i32> %i5, %index
  %a6 = getelementptr float, ptr %table, <4 x i32> %i6
  %v6 = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %a6, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> poison)
  store <4 x float> %v6, ptr %out
  %i7 = add <4 x i32> %i6, %index
  %a7 = getelementptr float, ptr %table, <4 x i32> %i7
  %v7 = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %a7, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> poison)
  store <4 x float> %v7, ptr %out
  %i8 = add <4 x i32> %i7, %index
  %a8 = getelementptr float, ptr %table, <4 x i32> %i8
  %v8 = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %a8, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> poison)
  store <4 x float> %v8, ptr %out
  %i9 = add <4 x i32> %i8, %index
  %a9 = getelementptr float, ptr %table, <4 x i32> %i9
  %v9 = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %a9, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> poison)
  store <4 x float> %v9, ptr %out
  %i10 = add <4 x i32> %i9, %index
  %a10 = getelementptr float, ptr %table, <4 x i32> %i10
  %v10 = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %a10, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> poison)
  store <4 x float> %v10, ptr %out
  %i11 = add <4 x i32> %i10, %index
  %a11 = getelementptr float, ptr %table, <4 x i32> %i11
  %v11 = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %a11, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> poison)
  store <4 x float> %v11, ptr %out
  %i12 = add <4 x i32> %i11, %index
  %a12 = getelementptr float, ptr %table, <4 x i32> %i12
  %v12 = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %a12, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> poison)
  store <4 x float> %v12, ptr %out
  %i13 = add <4 x i32> %i12, %index
  %a13 = getelementptr float, ptr %table, <4 x i32> %i13
  %v13 = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %a13, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> poison)
  store <4 x float> %v13, ptr %out
  %i14 = add <4 x i32> %i13, %index
  %a14 = getelementptr float, ptr %table, <4 x i32> %i14
  %v14 = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %a14, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> poison)
  store <4 x float> %v14, ptr %out
  %i15 = add <4 x i32> %i14, %index
  %a15 = getelementptr float, ptr %table, <4 x i32> %i15
  %v15 = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %a15, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> poison)
  store <4 x float> %v15, ptr %out
  %i16 = add <4 x i32> %i15, %index
  %a16 = getelementptr float, ptr %table, <4 x i32> %i16
  %v16 = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %a16, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> poison)
  store <4 x float> %v16, ptr %out
  %i17 = add <4 x i32> %i16, %index
  %a17 = getelementptr float, ptr %table, <4 x i32> %i17
  %v17 = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %a17, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> poison)
  store <4 x float> %v17, ptr %out
  %i18 = add <4 x i32> %i17, %index
  %a18 = getelementptr float, ptr %table, <4 x i32> %i18
  %v18 = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %a18, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> poison)
  store <4 x float> %v18, ptr %out
  %i19 = add <4 x i32> %i18, %index
  %a19 = getelementptr float, ptr %table, <4 x i32> %i19
  %v19 = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %a19, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> poison)
  store <4 x float> %v19, ptr %out
  %i20 = add <4 x i32> %i19, %index
  br label %block.turn
block.turn:
  %j = phi i32 [ 0, %block ], [ %jn, %block.turn ]
  %b = getelementptr float, ptr %table, <4 x i32> %index
  %w = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %b, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> poison)
  store <4 x float> %w, ptr %out
  %jn = add i32 %j, 1
  %jc = icmp slt i32 %jn, %n
  br i1 %jc, label %block.turn, label %block.next
block.next:
  %kn = add i32 %k, 1
  %kc = icmp slt i32 %kn, %n
  br i1 %kc, label %block, label %end
end:
  ret void
}

; A place that takes more arithmetic than leaving its vector leaves it.
; FAR-LABEL: define <4 x float> @far(
; FAR: mul <4 x i32>
; FAR-NEXT: [[AT:%.*]] = add <4 x i32>
; FAR-NOT: mul
; FAR: extractelement <4 x i32> [[AT]], i64 0
; FAR-NOT: mul
; FAR: ret <4 x float>
define <4 x float> @far(ptr %x, i32 %t, i32 %s) #0 {
  %one = insertelement <4 x i32> poison, i32 %t, i64 0
  %all = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
  %by = insertelement <4 x i32> poison, i32 %s, i64 0
  %factor = shufflevector <4 x i32> %by, <4 x i32> poison, <4 x i32> zeroinitializer
  %lanes = add <4 x i32> %all, <i32 0, i32 1, i32 2, i32 3>
  %product = mul <4 x i32> %lanes, %factor
  %at = add <4 x i32> %product, <i32 -1, i32 -1, i32 -1, i32 -1>
  %wide = sext <4 x i32> %at to <4 x i64>
  %places = getelementptr float, ptr %x, <4 x i64> %wide
  %v = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %places, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> poison)
  ret <4 x float> %v
}
