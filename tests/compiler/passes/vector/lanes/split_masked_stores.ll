; RUN: %opt -kernel=members -passes=split-masked-stores %s | %check %s
; RUN: %opt -kernel=members -target=x86-64-v4 -passes=split-masked-stores %s | %check %s --check-prefix=MASKS

declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)

; Three members and one further on: two, one and one; nothing else is touched.
; CHECK-LABEL: define void @members(
; CHECK-NEXT: [[XY:%.*]] = shufflevector <8 x float> %v, <8 x float> poison, <2 x i32> <i32 0, i32 1>
; CHECK-NEXT: [[P:%.*]] = getelementptr i8, ptr %p, i64 0
; CHECK-NEXT: store <2 x float> [[XY]], ptr [[P]], align 4
; CHECK-NEXT: [[Z:%.*]] = extractelement <8 x float> %v, i64 2
; CHECK-NEXT: [[Q:%.*]] = getelementptr i8, ptr %p, i64 8
; CHECK-NEXT: store float [[Z]], ptr [[Q]], align 4
; CHECK-NEXT: [[VY:%.*]] = extractelement <8 x float> %v, i64 4
; CHECK-NEXT: [[R:%.*]] = getelementptr i8, ptr %p, i64 16
; CHECK-NEXT: store float [[VY]], ptr [[R]], align 4
; CHECK-NEXT: call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %p, i32 4, <8 x i1> %m)
; CHECK-NEXT: ret void

; With AVX-512 a mask costs little.
; MASKS-LABEL: define void @members(
; MASKS: call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %p, i32 4, <8 x i1> <i1 true, i1 true,
define void @members(<8 x float> %v, ptr %p, <8 x i1> %m) {
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %p, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 false, i1 true, i1 false, i1 false, i1 false>)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %p, i32 4, <8 x i1> %m)
  ret void
}
