; RUN: %opt -kernel=rows -target=znver3 -passes=store-runs %s | %check %s
; RUN: %opt -kernel=data -target=znver3 -passes=store-runs %s | %check %s --check-prefix=DATA
; RUN: %opt -kernel=rows -target=znver4 -passes=store-runs %s | %check %s --check-prefix=MASKS
; RUN: %opt -kernel=rows -target=skylake -passes=store-runs %s | %check %s --check-prefix=MASKS

declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)
declare void @llvm.masked.store.v4f64.p0(<4 x double>, ptr, i32, <4 x i1>)
declare void @llvm.masked.store.v16f32.p0(<16 x float>, ptr, i32, <16 x i1>)

; Neighbours that store go by fours that overlap, fewer one by one; no lanes, all, and others as ever.
; CHECK-LABEL: define void @rows(
; CHECK: [[BITS:%.*]] = zext i8 %{{.*}} to i32
; CHECK: [[FIRST:%.*]] = call i32 @llvm.cttz.i32(i32 [[BITS]], i1 false)
; CHECK: [[NEGATIVE:%.*]] = sub i32 0, [[BITS]]
; CHECK: [[LEAST:%.*]] = and i32 [[BITS]], [[NEGATIVE]]
; CHECK: [[CARRIED:%.*]] = add i32 [[BITS]], [[LEAST]]
; CHECK: [[STAY:%.*]] = and i32 [[BITS]], [[CARRIED]]
; CHECK: [[TOGETHER:%.*]] = icmp eq i32 [[STAY]], 0
; CHECK: icmp ne i32 [[BITS]], 0
; CHECK: icmp eq i32 [[BITS]], 255
; CHECK: store <8 x float> %v, ptr %p, align 4
; CHECK: store <8 x float> %u, ptr %o, align 4
; CHECK: br i1 [[TOGETHER]], label %[[BESIDE:.*]], label %[[REST:[^,]*]]
; CHECK: [[BESIDE]]:
; CHECK: [[COUNT:%.*]] = call i32 @llvm.ctpop.i32(i32 [[BITS]])
; CHECK: store <8 x float> %v, ptr %{{kept.*}}, align 32
; CHECK: store <8 x float> %u, ptr %{{kept.*}}, align 32
; CHECK: icmp uge i32 [[COUNT]], 4
; CHECK: sub i32 [[COUNT]], 4
; CHECK-COUNT-4: store <4 x float>
; CHECK: lshr i32 [[COUNT]], 1
; CHECK: sub i32 [[COUNT]], 1
; CHECK-COUNT-6: store float
; CHECK: [[REST]]:
; CHECK-NEXT: call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %p, i32 4, <8 x i1> %m)
; CHECK-NEXT: call void @llvm.masked.store.v8f32.p0(<8 x float> %u, ptr %o, i32 4, <8 x i1> %m)
; CHECK: icmp eq i32 {{.*}}, 15
; CHECK: store <4 x double> %w, ptr %q, align 8
; CHECK: store <4 x double> %w, ptr %{{kept.*}}, align 32
; CHECK-NOT: icmp uge
; CHECK-COUNT-3: store double

; Two registers of lanes are others' work: a load of what two stores have written would wait for them.
; CHECK: call void @llvm.masked.store.v16f32.p0(<16 x float> %x16, ptr %p, i32 4, <16 x i1> %m16)
; CHECK-NEXT: ret void

; With AVX-512, and on Intel's cores, a mask costs little.
; MASKS-LABEL: define void @rows(
; MASKS-NOT: cttz
; MASKS: ret void
define void @rows(<8 x float> %v, <8 x float> %u, <4 x double> %w, <16 x float> %x16, ptr %o, ptr %p, ptr %q, i32 %n) {
  %end = insertelement <16 x i32> poison, i32 %n, i64 0
  %ends = shufflevector <16 x i32> %end, <16 x i32> poison, <16 x i32> zeroinitializer
  %m16 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %ends
  %m = shufflevector <16 x i1> %m16, <16 x i1> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %m4 = shufflevector <16 x i1> %m16, <16 x i1> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %p, i32 4, <8 x i1> %m)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %u, ptr %o, i32 4, <8 x i1> %m)
  call void @llvm.masked.store.v4f64.p0(<4 x double> %w, ptr %q, i32 8, <4 x i1> %m4)
  call void @llvm.masked.store.v16f32.p0(<16 x float> %x16, ptr %p, i32 4, <16 x i1> %m16)
  ret void
}

; Nobody foresees which lanes data choose.
; DATA-LABEL: define void @data(
; DATA-NOT: cttz
; DATA: ret void
define void @data(<8 x float> %v, ptr %p) {
  %zero = fcmp ogt <8 x float> %v, zeroinitializer
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %p, i32 4, <8 x i1> %zero)
  ret void
}
