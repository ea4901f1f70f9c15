; RUN: %opt -kernel=local -target=znver3 -passes=blend-local-stores %s | %check %s
; RUN: %opt -kernel=pointers -target=znver3 -passes=blend-local-stores %s | %check %s --check-prefix=POINTERS
; RUN: %opt -kernel=constant -target=znver3 -passes=blend-local-stores %s | %check %s --check-prefix=CONSTANT
; RUN: %opt -kernel=others -target=znver3 -passes=blend-local-stores %s | %check %s --check-prefix=OTHERS
; RUN: %opt -kernel=local -target=znver4 -passes=blend-local-stores %s | %check %s --check-prefix=MASKS

declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)
declare void @llvm.masked.store.v8i8.p0(<8 x i8>, ptr, i32, <8 x i1>)
declare void @llvm.masked.store.v4p0.p0(<4 x ptr>, ptr, i32, <4 x i1>)
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)

; The variable has room for the lanes that do not store; stores of one mask ask once whether there is one that does.
; CHECK-LABEL: define void @local(
; CHECK: [[LONGER:%.*]] = alloca [192 x i8], align 64
; CHECK: [[SHARED:%.*]] = getelementptr inbounds i8, ptr [[LONGER]], i64 64
; CHECK: call void @llvm.lifetime.start.p0(i64 192, ptr [[LONGER]])
; CHECK: [[ROW:%.*]] = getelementptr float, ptr [[SHARED]], i64 %x
; CHECK: [[BITS:%.*]] = zext i8 %{{.*}} to i64
; CHECK: [[NUMBERS:%.*]] = sext <8 x i1> %m to <8 x i32>
; CHECK: [[SOME:%.*]] = icmp ne i64 [[BITS]], 0
; CHECK: br i1 [[SOME]], label %[[STORE:.*]], label %[[ON:[^,]*]]
; CHECK: [[STORE]]:
; CHECK: [[COUNT:%.*]] = call i64 @llvm.ctpop.i64(i64 [[BITS]])
; CHECK: icmp ule i64 [[COUNT]], 3
; CHECK: [[FIRST:%.*]] = call i64 @llvm.cttz.i64(i64 [[BITS]], i1 false)
; CHECK: store <8 x float> %v, ptr [[KEPT:%.*]], align 32
; CHECK: [[LANE:%.*]] = getelementptr inbounds float, ptr [[KEPT]], i64 [[FIRST]]
; CHECK: [[ONE:%.*]] = load float, ptr [[LANE]], align 4
; CHECK: [[THERE:%.*]] = getelementptr float, ptr [[ROW]], i64 [[FIRST]]
; CHECK: store float [[ONE]], ptr [[THERE]], align 4
; CHECK-COUNT-2: store float
; CHECK: store <8 x float> %v, ptr %{{.*}}, align 32
; CHECK-COUNT-3: store float
; CHECK: icmp eq i64 [[BITS]], 255
; CHECK: store <8 x float> %v, ptr [[ROW]], align 4
; CHECK: store <8 x float> %v, ptr [[SHARED]], align 4
; CHECK: [[LANES:%.*]] = icmp slt <8 x i32> [[NUMBERS]], zeroinitializer
; CHECK: [[BEFORE:%.*]] = load <8 x float>, ptr [[ROW]], align 4
; CHECK: [[BLEND:%.*]] = select <8 x i1> [[LANES]], <8 x float> %v, <8 x float> [[BEFORE]]
; CHECK: store <8 x float> [[BLEND]], ptr [[ROW]], align 4
; CHECK: load <8 x float>, ptr [[SHARED]], align 4
; CHECK: store <8 x float> %{{.*}}, ptr [[SHARED]], align 4
; CHECK: [[ON]]:
; CHECK: load <8 x i8>, ptr [[SHARED]], align 1
; CHECK: store <8 x i8> %{{.*}}, ptr [[SHARED]], align 1
; CHECK: call void @llvm.lifetime.end.p0(i64 192, ptr [[LONGER]])

; MASKS-LABEL: define void @local(
; MASKS: alloca [64 x i8], align 16
; MASKS-COUNT-3: call void @llvm.masked.store
define void @local(<8 x float> %v, <8 x i8> %c, i64 %x, <8 x i1> %m, <8 x i1> %o) {
  %shared = alloca [64 x i8], align 16
  call void @llvm.lifetime.start.p0(i64 64, ptr %shared)
  %row = getelementptr float, ptr %shared, i64 %x
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %row, i32 4, <8 x i1> %m)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m)
  call void @llvm.masked.store.v8i8.p0(<8 x i8> %c, ptr %shared, i32 1, <8 x i1> %o)
  call void @llvm.lifetime.end.p0(i64 64, ptr %shared)
  ret void
}

; Which lanes store is known: no question.
; CONSTANT-LABEL: define void @constant(
; CONSTANT: [[BEFORE:%.*]] = load <8 x float>, ptr
; CONSTANT-NEXT: [[BLEND:%.*]] = select <8 x i1> <i1 false, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <8 x float> %v, <8 x float> [[BEFORE]]
; CONSTANT-NEXT: store <8 x float> [[BLEND]], ptr
; CONSTANT-NEXT: ret void
define void @constant(<8 x float> %v) {
  %shared = alloca [64 x i8], align 16
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> <i1 false, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>)
  ret void
}

; POINTERS-LABEL: define void @pointers(
; POINTERS: sext <4 x i1> %m to <4 x i64>
; POINTERS: load <4 x ptr>, ptr
; POINTERS: store <4 x ptr>
define void @pointers(<4 x ptr> %p, <4 x i1> %m) {
  %shared = alloca [64 x i8], align 16
  call void @llvm.masked.store.v4p0.p0(<4 x ptr> %p, ptr %shared, i32 8, <4 x i1> %m)
  ret void
}

; What others may own is not written, nor what may be theirs; a constant mask that makes one store is another pass's.
; OTHERS-LABEL: define void @others(
; OTHERS: alloca [64 x i8], align 16
; OTHERS-COUNT-3: call void @llvm.masked.store
; OTHERS-NEXT: ret void
define void @others(<8 x float> %v, ptr %global, i1 %which, <8 x i1> %m) {
  %shared = alloca [64 x i8], align 16
  %either = select i1 %which, ptr %shared, ptr %global
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %global, i32 4, <8 x i1> %m)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %either, i32 4, <8 x i1> %m)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> <i1 false, i1 false, i1 false, i1 false, i1 true, i1 true, i1 true, i1 true>)
  ret void
}
