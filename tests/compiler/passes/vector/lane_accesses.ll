; RUN: %opt -kernel=column -passes=lane-accesses %s | %check %s --check-prefix=COLUMN
; RUN: %opt -kernel=any -passes=lane-accesses %s | %check %s --check-prefix=ANY
; RUN: %opt -kernel=scattered -passes=lane-accesses %s | %check %s --check-prefix=SCATTERED
; RUN: %opt -kernel=some -passes=lane-accesses %s | %check %s --check-prefix=SOME
; RUN: %opt -kernel=column -target=x86-64-v4 -passes=lane-accesses %s | %check %s --check-prefix=GATHERS
; RUN: %opt -kernel=zen -target=znver4 -passes=lane-accesses %s | %check %s --check-prefix=ZEN

declare <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr>, i32, <4 x i1>, <4 x float>)
declare void @llvm.masked.scatter.v4f32.v4p0(<4 x float>, <4 x ptr>, i32, <4 x i1>)

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

attributes #0 = { "target-cpu"="znver4" }
