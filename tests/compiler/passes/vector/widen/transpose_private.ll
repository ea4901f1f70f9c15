; RUN: %opt -kernel=uniform -passes=prepare-control,linearise,transpose-private %s | %check %s
; RUN: %opt -kernel=uniform -passes=prepare-control,linearise,transpose-private,widen %s | %check %s --check-prefix=WIDE
; RUN: %opt -kernel=varying -passes=prepare-control,linearise,transpose-private,widen %s | %check %s --check-prefix=VARYING
; RUN: %opt -kernel=some_lanes -passes=prepare-control,linearise,transpose-private,widen %s | %check %s --check-prefix=SOME
; RUN: %opt -kernel=filled -passes=prepare-control,linearise,transpose-private %s | %check %s --check-prefix=FILLED
; RUN: %opt -kernel=filled_long -passes=prepare-control,linearise,transpose-private,widen %s | %check %s --check-prefix=LONG
; RUN: %opt -kernel=escapes -passes=prepare-control,linearise,transpose-private %s | %check %s --check-prefix=ESCAPES
; RUN: %opt -kernel=behind -passes=prepare-lanes %s | %check %s --check-prefix=BEHIND
; RUN: %opt -kernel=parts -passes=prepare-control,linearise,transpose-private %s | %check %s --check-prefix=PARTS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @use(ptr)

; An element of all lanes lies side by side.
; CHECK-LABEL: define void @uniform(
; CHECK: %a = alloca [80 x i32], align 32, !lanza.of_group
; CHECK: [[I:%.*]] = mul nsw i32 %i, 8
; CHECK: [[LANE:%.*]] = call i32 @lanza.lane()
; CHECK: [[E:%.*]] = add nsw i32 [[I]], [[LANE]]
; CHECK: [[W:%.*]] = sext i32 [[E]] to i64
; CHECK: [[P:%.*]] = getelementptr i32, ptr %a, i64 [[W]]
; CHECK: store float 1.000000e+00, ptr [[P]], align 4
; WIDE-LABEL: define void @uniform(
; WIDE: %a = alloca [80 x i32], align 32
; WIDE: store <8 x float>
; WIDE: load <8 x float>
define void @uniform(ptr %x, i32 %i, i32 %j) {
  %a = alloca [10 x float], align 16
  %k = sext i32 %i to i64
  %p = getelementptr [10 x float], ptr %a, i64 0, i64 %k
  store float 1.0, ptr %p, align 16
  %l = zext nneg i32 %j to i64
  %q = getelementptr [10 x float], ptr %a, i64 0, i64 %l
  %v = load float, ptr %q, align 4
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %u = zext i32 %t to i64
  %r = getelementptr float, ptr %x, i64 %u
  store float %v, ptr %r
  ret void
}

; A gather from one base, by indices of 32 bits.
; VARYING-LABEL: define void @varying(
; VARYING: [[I:%.*]] = add nsw <8 x i32> {{%.*}}, <i32 0, i32 1, i32 2,
; VARYING: [[J:%.*]] = sext <8 x i32> [[I]] to <8 x i64>
; VARYING: [[P:%.*]] = getelementptr i32, ptr %a, <8 x i64> [[J]]
; VARYING: masked.gather.v8f32.v8p0(<8 x ptr> [[P]]
define void @varying(ptr %x) {
  %a = alloca [10 x float], align 16
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %u = zext i32 %t to i64
  %r = getelementptr i32, ptr %x, i64 %u
  %i = load i32, ptr %r
  %k = sext i32 %i to i64
  %p = getelementptr [10 x float], ptr %a, i64 0, i64 %k
  %v = load float, ptr %p, align 4
  store float %v, ptr %r
  ret void
}

; Some lanes store to an element that is there as a whole: behind a question whether one does, as the index may mean
; nothing otherwise. A masked store would be waited for by the next load.
; SOME-LABEL: define void @some_lanes(
; SOME: [[MASK:%.*]] = fcmp ogt <8 x float>
; SOME: br i1 {{.*}}, label %[[THERE:.*]], label
; SOME: [[THERE]]:
; SOME: [[OLD:%.*]] = load <8 x float>, ptr
; SOME: [[NEW:%.*]] = fadd <8 x float> [[OLD]],
; SOME: [[AT:%.*]] = getelementptr i32, ptr %a
; SOME: [[BEFORE:%.*]] = load <8 x float>, ptr [[AT]], align 4
; SOME: [[BOTH:%.*]] = select <8 x i1> [[MASK]], <8 x float> [[NEW]], <8 x float> [[BEFORE]]
; SOME: store <8 x float> [[BOTH]], ptr [[AT]], align 4
; SOME-NOT: masked.store
define void @some_lanes(ptr %x, i32 %i, i32 %j) {
  %a = alloca [10 x float], align 16
  call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 40, i1 false)
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %u = zext i32 %t to i64
  %r = getelementptr float, ptr %x, i64 %u
  %y = load float, ptr %r
  %stores = fcmp ogt float %y, 0.0
  br i1 %stores, label %then, label %end
then:
  %k = sext i32 %i to i64
  %p = getelementptr [10 x float], ptr %a, i64 0, i64 %k
  %old = load float, ptr %p
  %new = fadd float %old, %y
  store float %new, ptr %p
  br label %end
end:
  %l = sext i32 %j to i64
  %q = getelementptr [10 x float], ptr %a, i64 0, i64 %l
  %v = load float, ptr %q
  store float %v, ptr %r
  ret void
}

; Of many elements, in a loop.
; LONG-LABEL: define void @filled_long(
; LONG: %a = alloca [800 x i32]
; LONG: [[K:%.*]] = phi i64 [ 0,
; LONG: store <8 x i32> zeroinitializer, ptr
; LONG: icmp eq i64 {{%.*}}, 100
; LONG: ret void
define void @filled_long(ptr %x, i32 %i) {
  %a = alloca [100 x float], align 16
  call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 400, i1 false)
  %k = sext i32 %i to i64
  %p = getelementptr [100 x float], ptr %a, i64 0, i64 %k
  %v = load float, ptr %p, align 4
  store float %v, ptr %x
  ret void
}

; FILLED-LABEL: define void @filled(
; FILLED-COUNT-4: store i32 0, ptr
; FILLED-NOT: memset
define void @filled(ptr %x, i32 %i) {
  %a = alloca [4 x float], align 16
  call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 16, i1 false)
  %k = sext i32 %i to i64
  %p = getelementptr [4 x float], ptr %a, i64 0, i64 %k
  %v = load float, ptr %p, align 4
  store float %v, ptr %x
  ret void
}

; ESCAPES-LABEL: define void @escapes(
; ESCAPES-NOT: lanza.of_group
define void @escapes(ptr %x, i32 %i) {
  %a = alloca [4 x float], align 16
  call void @use(ptr %a)
  %k = sext i32 %i to i64
  %p = getelementptr [4 x float], ptr %a, i64 0, i64 %k
  %v = load float, ptr %p, align 4
  store float %v, ptr %x
  ret void
}

; Elements of two sizes.
; PARTS-LABEL: define void @parts(
; PARTS-NOT: lanza.of_group
define void @parts(ptr %x, i32 %i) {
  %a = alloca [4 x float], align 16
  store i8 1, ptr %a
  %k = sext i32 %i to i64
  %p = getelementptr [4 x float], ptr %a, i64 0, i64 %k
  %v = load float, ptr %p, align 4
  store float %v, ptr %x
  ret void
}

; Variables come first, so that they stay in the first block when it is split behind them.
; BEHIND-LABEL: define void @behind(
; BEHIND-NEXT: alloca [4 x float]
; BEHIND-NEXT: %t = call
define void @behind(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = alloca [4 x float], align 16
  %k = sext i32 %t to i64
  %p = getelementptr [4 x float], ptr %a, i64 0, i64 %k
  store float 1.0, ptr %p
  ret void
}
