; RUN: %opt -kernel=first -passes=narrow-masks %s | %check %s --check-prefix=FIRST
; RUN: %opt -kernel=others -passes=narrow-masks %s | %check %s --check-prefix=OTHERS

declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)

; FIRST-LABEL: define void @first(
; FIRST: [[FOUR:%.*]] = load <4 x float>, ptr %p, align 4
; FIRST: [[WIDE:%.*]] = shufflevector <4 x float> [[FOUR]], <4 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 poison
; FIRST: [[JOINED:%.*]] = shufflevector <8 x float> [[WIDE]], <8 x float> %rest, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 12, i32 13, i32 14, i32 15>
; FIRST: [[TWO:%.*]] = shufflevector <8 x float> [[JOINED]], <8 x float> poison, <2 x i32> <i32 0, i32 1>
; FIRST: store <2 x float> [[TWO]], ptr %q, align 8
; FIRST: [[ONE:%.*]] = load float, ptr %q, align 4
; FIRST: [[IN:%.*]] = insertelement <8 x float> poison, float [[ONE]], i64 0
; FIRST: [[OUT:%.*]] = extractelement <8 x float> [[IN]], i64 0
; FIRST: store float [[OUT]], ptr %p, align 4
define void @first(ptr %p, ptr %q, <8 x float> %rest) {
  %four = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %p, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> %rest)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %four, ptr %q, i32 8, <8 x i1> <i1 1, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>)
  %one = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %q, i32 4, <8 x i1> <i1 1, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>, <8 x float> poison)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %one, ptr %p, i32 4, <8 x i1> <i1 1, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>)
  ret void
}

; Three lanes, lanes that are not the first, and a mask that is not constant.
; OTHERS-LABEL: define void @others(
; OTHERS-COUNT-3: call void @llvm.masked.store.v8f32.p0(
define void @others(ptr %p, <8 x float> %value, <8 x i1> %mask) {
  call void @llvm.masked.store.v8f32.p0(<8 x float> %value, ptr %p, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0>)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %value, ptr %p, i32 4, <8 x i1> <i1 0, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0>)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %value, ptr %p, i32 4, <8 x i1> %mask)
  ret void
}
