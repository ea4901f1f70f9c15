; RUN: %opt -kernel=local -target=znver3 -passes=blend-local-stores %s | %check %s
; RUN: %opt -kernel=pointers -target=znver3 -passes=blend-local-stores %s | %check %s --check-prefix=POINTERS
; RUN: %opt -kernel=constant -target=znver3 -passes=blend-local-stores %s | %check %s --check-prefix=CONSTANT
; RUN: %opt -kernel=others -target=znver3 -passes=blend-local-stores %s | %check %s --check-prefix=OTHERS
; RUN: %opt -kernel=many -target=znver3 -passes=blend-local-stores %s | %check %s --check-prefix=MANY
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

; 65 masks: nothing is asked of any.
; MANY-LABEL: define void @many(
; MANY-NOT: br i1
; MANY-COUNT-65: select <8 x i1>
; MANY-NOT: llvm.masked.store
; MANY: ret void
define void @many(<8 x float> %v, <8 x i32> %i, ptr %out) {
  %shared = alloca [64 x i8], align 32
  %m.0 = icmp slt <8 x i32> %i, splat (i32 0)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.0)
  %m.1 = icmp slt <8 x i32> %i, splat (i32 1)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.1)
  %m.2 = icmp slt <8 x i32> %i, splat (i32 2)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.2)
  %m.3 = icmp slt <8 x i32> %i, splat (i32 3)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.3)
  %m.4 = icmp slt <8 x i32> %i, splat (i32 4)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.4)
  %m.5 = icmp slt <8 x i32> %i, splat (i32 5)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.5)
  %m.6 = icmp slt <8 x i32> %i, splat (i32 6)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.6)
  %m.7 = icmp slt <8 x i32> %i, splat (i32 7)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.7)
  %m.8 = icmp slt <8 x i32> %i, splat (i32 8)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.8)
  %m.9 = icmp slt <8 x i32> %i, splat (i32 9)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.9)
  %m.10 = icmp slt <8 x i32> %i, splat (i32 10)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.10)
  %m.11 = icmp slt <8 x i32> %i, splat (i32 11)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.11)
  %m.12 = icmp slt <8 x i32> %i, splat (i32 12)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.12)
  %m.13 = icmp slt <8 x i32> %i, splat (i32 13)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.13)
  %m.14 = icmp slt <8 x i32> %i, splat (i32 14)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.14)
  %m.15 = icmp slt <8 x i32> %i, splat (i32 15)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.15)
  %m.16 = icmp slt <8 x i32> %i, splat (i32 16)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.16)
  %m.17 = icmp slt <8 x i32> %i, splat (i32 17)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.17)
  %m.18 = icmp slt <8 x i32> %i, splat (i32 18)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.18)
  %m.19 = icmp slt <8 x i32> %i, splat (i32 19)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.19)
  %m.20 = icmp slt <8 x i32> %i, splat (i32 20)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.20)
  %m.21 = icmp slt <8 x i32> %i, splat (i32 21)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.21)
  %m.22 = icmp slt <8 x i32> %i, splat (i32 22)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.22)
  %m.23 = icmp slt <8 x i32> %i, splat (i32 23)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.23)
  %m.24 = icmp slt <8 x i32> %i, splat (i32 24)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.24)
  %m.25 = icmp slt <8 x i32> %i, splat (i32 25)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.25)
  %m.26 = icmp slt <8 x i32> %i, splat (i32 26)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.26)
  %m.27 = icmp slt <8 x i32> %i, splat (i32 27)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.27)
  %m.28 = icmp slt <8 x i32> %i, splat (i32 28)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.28)
  %m.29 = icmp slt <8 x i32> %i, splat (i32 29)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.29)
  %m.30 = icmp slt <8 x i32> %i, splat (i32 30)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.30)
  %m.31 = icmp slt <8 x i32> %i, splat (i32 31)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.31)
  %m.32 = icmp slt <8 x i32> %i, splat (i32 32)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.32)
  %m.33 = icmp slt <8 x i32> %i, splat (i32 33)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.33)
  %m.34 = icmp slt <8 x i32> %i, splat (i32 34)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.34)
  %m.35 = icmp slt <8 x i32> %i, splat (i32 35)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.35)
  %m.36 = icmp slt <8 x i32> %i, splat (i32 36)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.36)
  %m.37 = icmp slt <8 x i32> %i, splat (i32 37)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.37)
  %m.38 = icmp slt <8 x i32> %i, splat (i32 38)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.38)
  %m.39 = icmp slt <8 x i32> %i, splat (i32 39)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.39)
  %m.40 = icmp slt <8 x i32> %i, splat (i32 40)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.40)
  %m.41 = icmp slt <8 x i32> %i, splat (i32 41)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.41)
  %m.42 = icmp slt <8 x i32> %i, splat (i32 42)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.42)
  %m.43 = icmp slt <8 x i32> %i, splat (i32 43)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.43)
  %m.44 = icmp slt <8 x i32> %i, splat (i32 44)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.44)
  %m.45 = icmp slt <8 x i32> %i, splat (i32 45)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.45)
  %m.46 = icmp slt <8 x i32> %i, splat (i32 46)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.46)
  %m.47 = icmp slt <8 x i32> %i, splat (i32 47)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.47)
  %m.48 = icmp slt <8 x i32> %i, splat (i32 48)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.48)
  %m.49 = icmp slt <8 x i32> %i, splat (i32 49)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.49)
  %m.50 = icmp slt <8 x i32> %i, splat (i32 50)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.50)
  %m.51 = icmp slt <8 x i32> %i, splat (i32 51)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.51)
  %m.52 = icmp slt <8 x i32> %i, splat (i32 52)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.52)
  %m.53 = icmp slt <8 x i32> %i, splat (i32 53)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.53)
  %m.54 = icmp slt <8 x i32> %i, splat (i32 54)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.54)
  %m.55 = icmp slt <8 x i32> %i, splat (i32 55)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.55)
  %m.56 = icmp slt <8 x i32> %i, splat (i32 56)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.56)
  %m.57 = icmp slt <8 x i32> %i, splat (i32 57)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.57)
  %m.58 = icmp slt <8 x i32> %i, splat (i32 58)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.58)
  %m.59 = icmp slt <8 x i32> %i, splat (i32 59)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.59)
  %m.60 = icmp slt <8 x i32> %i, splat (i32 60)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.60)
  %m.61 = icmp slt <8 x i32> %i, splat (i32 61)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.61)
  %m.62 = icmp slt <8 x i32> %i, splat (i32 62)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.62)
  %m.63 = icmp slt <8 x i32> %i, splat (i32 63)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.63)
  %m.64 = icmp slt <8 x i32> %i, splat (i32 64)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %shared, i32 4, <8 x i1> %m.64)
  %r = load <8 x float>, ptr %shared, align 32
  store <8 x float> %r, ptr %out
  ret void
}
