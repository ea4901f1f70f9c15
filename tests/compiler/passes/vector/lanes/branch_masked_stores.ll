; RUN: %opt -kernel=words -passes=branch-masked-stores %s | %check %s
; RUN: %opt -kernel=apart -passes=branch-masked-stores %s | %check %s --check-prefix=APART
; RUN: %opt -kernel=words -target=x86-64-v4 -passes=branch-masked-stores %s | %check %s --check-prefix=MASKS

declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)
declare void @llvm.masked.store.v8i64.p0(<8 x i64>, ptr, i32, <8 x i1>)
declare void @llvm.masked.store.v8i8.p0(<8 x i8>, ptr, i32, <8 x i1>)

; Two stores of one mask: nothing where no lane stores, plain ones where all do, else as they were.
; CHECK-LABEL: define void @words(
; CHECK: [[BITS:%.*]] = bitcast <8 x i1> %m to i8
; CHECK: [[STORES:%.*]] = sext <8 x i1> %m to <8 x i64>
; CHECK: [[ANY:%.*]] = icmp ne i8 [[BITS]], 0
; CHECK: br i1 [[ANY]], label %[[SOME:.*]], label %[[AFTER:.*]]
; CHECK: [[SOME]]:
; CHECK: icmp eq i8 [[BITS]], -1
; CHECK: br i1 {{.*}}, label %[[ALL:.*]], label %[[PART:.*]]
; CHECK: [[ALL]]:
; CHECK-NEXT: store <8 x float> %v, ptr %p, align 4
; CHECK-NEXT: store <8 x i64> %w, ptr %q, align 8
; CHECK: [[PART]]:
; CHECK-NEXT: [[REST:%.*]] = icmp slt <8 x i64> [[STORES]], zeroinitializer
; CHECK-NEXT: call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %p, i32 4, <8 x i1> [[REST]])
; CHECK-NEXT: call void @llvm.masked.store.v8i64.p0(<8 x i64> %w, ptr %q, i32 8, <8 x i1> [[REST]])
; CHECK: [[AFTER]]:
; CHECK-NEXT: ret void

; With AVX-512 a mask costs little.
; MASKS-LABEL: define void @words(
; MASKS-NEXT: call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %p, i32 4, <8 x i1> %m)
define void @words(<8 x float> %v, <8 x i64> %w, ptr %p, ptr %q, <8 x i1> %m) {
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %p, i32 4, <8 x i1> %m)
  call void @llvm.masked.store.v8i64.p0(<8 x i64> %w, ptr %q, i32 8, <8 x i1> %m)
  ret void
}

; A load between two stores stays between them; a constant mask and bytes are others' work.
; APART-LABEL: define float @apart(
; APART: store <8 x float> %v, ptr %p
; APART: load float, ptr %q
; APART: icmp ne i8
; APART: store <8 x float> %v, ptr %p
; APART: call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %q, i32 4, <8 x i1> <i1 true, i1 true,
; APART-NEXT: call void @llvm.masked.store.v8i8.p0(<8 x i8> %b, ptr %q, i32 1, <8 x i1> %m)
; APART-NEXT: ret float
define float @apart(<8 x float> %v, <8 x i8> %b, ptr %p, ptr %q, <8 x i1> %m) {
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %p, i32 4, <8 x i1> %m)
  %x = load float, ptr %q
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %p, i32 4, <8 x i1> %m)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %q, i32 4, <8 x i1> <i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  call void @llvm.masked.store.v8i8.p0(<8 x i8> %b, ptr %q, i32 1, <8 x i1> %m)
  ret float %x
}
