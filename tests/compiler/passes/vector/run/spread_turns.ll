; RUN: %opt -kernel=constant -passes=spread-turns %s | %check %s --check-prefix=CONSTANT
; RUN: %opt -kernel=of_the_launch -passes=spread-turns %s | %check %s --check-prefix=LAUNCH
; RUN: %opt -kernel=short_work -passes=spread-turns %s | %check %s --check-prefix=NONE
; RUN: %opt -kernel=far_apart -passes=spread-turns %s | %check %s --check-prefix=NONE
; RUN: %opt -kernel=written -passes=spread-turns %s | %check %s --check-prefix=NONE
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare float @llvm.fabs.f32(float)
declare float @llvm.fma.f32(float, float, float)

; Twelve turns: a register of eight, and four of another one, which reads no more than there is.
; CONSTANT-LABEL: @constant(
; CONSTANT: [[TURNS:%.*]] = alloca [16 x float], align 32
; CONSTANT: load <8 x float>, ptr {{.*}}, align 4
; CONSTANT: fsub <8 x float>
; CONSTANT: [[LAST:%.*]] = fmul <8 x float>
; CONSTANT: store <8 x float> [[LAST]], ptr
; CONSTANT: [[FROM:%.*]] = getelementptr inbounds float, ptr %x, i64 8
; CONSTANT: call <8 x float> @llvm.masked.load.v8f32.p0(ptr [[FROM]], i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false>
; CONSTANT: loop:
; CONSTANT: [[TURN:%.*]] = phi i64 [ 0, %entry ]
; CONSTANT-NOT: fmul float
; CONSTANT: [[PLACE:%.*]] = getelementptr inbounds float, ptr [[TURNS]], i64 [[TURN]]
; CONSTANT: [[W:%.*]] = load float, ptr [[PLACE]]
; CONSTANT: insertelement <8 x float> poison, float [[W]]
; CONSTANT: ret void
define void @constant(ptr noalias %x, ptr noalias %out, <8 x float> %v, float %c) {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %sum = phi <8 x float> [ zeroinitializer, %entry ], [ %sum1, %loop ]
  %at = getelementptr float, ptr %x, i64 %k
  %a = load float, ptr %at, align 4
  %b = fadd float %a, %c
  %d = fmul float %b, %b
  %e = call float @llvm.fabs.f32(float %d)
  %f = call float @llvm.fma.f32(float %e, float %a, float 2.0)
  %more = fcmp ogt float %f, 1.0
  %g = select i1 %more, float %f, float %b
  %h = fsub float %g, %a
  %w = fmul float %h, %c
  %one = insertelement <8 x float> poison, float %w, i64 0
  %all = shufflevector <8 x float> %one, <8 x float> poison, <8 x i32> zeroinitializer
  %product = fmul <8 x float> %all, %v
  %sum1 = fadd <8 x float> %sum, %product
  %k1 = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k1, 12
  br i1 %again, label %loop, label %end
end:
  %total = phi <8 x float> [ %sum1, %loop ]
  store <8 x float> %total, ptr %out
  ret void
}

; Every eighth turn makes what eight need, by the turn's number.
; LAUNCH-LABEL: @of_the_launch(
; LAUNCH: [[TURNS:%.*]] = alloca [8 x float], align 32
; LAUNCH: loop:
; LAUNCH: [[TURN:%.*]] = phi i64 [ 0, %entry ]
; LAUNCH: [[LANE:%.*]] = and i64 [[TURN]], 7
; LAUNCH: [[FIRST:%.*]] = icmp eq i64 [[LANE]], 0
; LAUNCH: br i1 [[FIRST]], label %make, label %rest
; LAUNCH: make:
; LAUNCH: add <8 x i32> {{.*}}, <i32 0, i32 3, i32 6, i32 9, i32 12, i32 15, i32 18, i32 21>
; LAUNCH: sitofp <8 x i32>
; LAUNCH: store <8 x float>
; LAUNCH: br label %rest
; LAUNCH: rest:
; LAUNCH: [[PLACE:%.*]] = getelementptr inbounds float, ptr [[TURNS]], i64 [[LANE]]
; LAUNCH: load float, ptr [[PLACE]]
; LAUNCH: ret float
define float @of_the_launch(i32 %from, i32 %n, float %c) {
entry:
  br label %loop
loop:
  %k = phi i32 [ %from, %entry ], [ %k1, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum1, %loop ]
  %a = sitofp i32 %k to float
  %b = fadd float %a, %c
  %d = fmul float %b, %b
  %e = call float @llvm.fabs.f32(float %d)
  %f = call float @llvm.fma.f32(float %e, float %a, float 2.0)
  %g = fdiv float %f, %b
  %h = fsub float %g, %a
  %w = fmul float %h, %c
  %sum1 = fadd float %sum, %w
  %k1 = add nsw i32 %k, 3
  %again = icmp slt i32 %k1, %n
  br i1 %again, label %loop, label %end
end:
  %total = phi float [ %sum1, %loop ]
  ret float %total
}

; To fetch it would take as long.
; NONE-NOT: alloca
define float @short_work(float %c) {
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum1, %loop ]
  %a = sitofp i32 %k to float
  %b = fadd float %a, %c
  %w = fmul float %b, %b
  %sum1 = fadd float %sum, %w
  %k1 = add nsw i32 %k, 1
  %again = icmp slt i32 %k1, 100
  br i1 %again, label %loop, label %end
end:
  %total = phi float [ %sum1, %loop ]
  ret float %total
}

; What turns read lies apart.
define float @far_apart(ptr %x, float %c) {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum1, %loop ]
  %at = getelementptr float, ptr %x, i64 %k
  %a = load float, ptr %at, align 4
  %b = fadd float %a, %c
  %d = fmul float %b, %b
  %e = fmul float %d, %b
  %f = fmul float %e, %b
  %g = fdiv float %f, %a
  %h = fsub float %g, %a
  %i = fmul float %h, %h
  %w = fmul float %i, %c
  %sum1 = fadd float %sum, %w
  %k1 = add nuw nsw i64 %k, 2
  %again = icmp ult i64 %k1, 100
  br i1 %again, label %loop, label %end
end:
  %total = phi float [ %sum1, %loop ]
  ret float %total
}

; A turn might read what the one before has written.
define void @written(ptr %x, ptr %y, float %c) {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %at = getelementptr float, ptr %x, i64 %k
  %a = load float, ptr %at, align 4
  %b = fadd float %a, %c
  %d = fmul float %b, %b
  %e = fmul float %d, %b
  %f = fmul float %e, %b
  %g = fdiv float %f, %a
  %h = fsub float %g, %a
  %i = fmul float %h, %h
  %w = fmul float %i, %c
  %to = getelementptr float, ptr %y, i64 %k
  store float %w, ptr %to, align 4
  %k1 = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k1, 100
  br i1 %again, label %loop, label %end
end:
  ret void
}
