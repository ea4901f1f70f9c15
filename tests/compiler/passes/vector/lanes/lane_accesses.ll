; RUN: %opt -kernel=column -passes=lane-accesses %s | %check %s --check-prefix=COLUMN
; RUN: %opt -kernel=any -passes=lane-accesses %s | %check %s --check-prefix=ANY
; RUN: %opt -kernel=scattered -passes=lane-accesses %s | %check %s --check-prefix=SCATTERED
; RUN: %opt -kernel=some -passes=lane-accesses %s | %check %s --check-prefix=SOME
; RUN: %opt -kernel=column -target=x86-64-v4 -passes=lane-accesses %s | %check %s --check-prefix=GATHERS
; RUN: %opt -kernel=zen -target=znver4 -passes=lane-accesses %s | %check %s --check-prefix=ZEN
; RUN: %opt -kernel=seldom -target=znver4 -passes=lane-accesses %s | %check %s --check-prefix=SELDOM
; RUN: %opt -kernel=counts -target=x86-64-v4 -passes=lane-accesses %s | %check %s --check-prefix=COUNTS
; RUN: %opt -kernel=volatile_counts -target=x86-64-v4 -passes=lane-accesses %s | %check %s --check-prefix=VOLATILE
; RUN: %opt -kernel=written_between -target=x86-64-v4 -passes=lane-accesses %s | %check %s --check-prefix=BETWEEN
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

attributes #0 = { "target-cpu"="znver4" }
