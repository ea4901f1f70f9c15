; RUN: %opt -kernel=phases -passes='few-places,llvm(verify)' %s | %check %s
; RUN: %opt -kernel=alone -passes='few-places,llvm(verify)' %s | %check %s --check-prefix=ALONE
; RUN: %opt -kernel=many -passes='few-places,llvm(verify)' %s | %check %s --check-prefix=MANY
; RUN: %opt -kernel=some -passes='few-places,llvm(verify)' %s | %check %s --check-prefix=SOME
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x float>)

; weights[i % 3 * 24 + k]: three loads a turn. Nothing is read for a value that no lane has.
; CHECK-LABEL: define <16 x float> @phases(
; CHECK: [[PHASE:%.*]] = urem <16 x i32> %i, <i32 3, {{.*}}
; CHECK: [[KNOWN:%.*]] = freeze <16 x i32> [[PHASE]]
; CHECK: [[FIRST:%.*]] = extractelement <16 x i32> [[KNOWN]], i64 0
; CHECK: icmp eq <16 x i32> [[KNOWN]], zeroinitializer
; CHECK: [[NUMBER0:%.*]] = select i1 {{.*}}, i32 0, i32 [[FIRST]]
; CHECK: [[HAVE1:%.*]] = icmp eq <16 x i32> [[KNOWN]], <i32 1, {{.*}}
; CHECK: [[HAVE2:%.*]] = icmp eq <16 x i32> [[KNOWN]], <i32 2, {{.*}}
; CHECK: [[NUMBER2:%.*]] = select i1 {{.*}}, i32 2, i32 [[FIRST]]
; CHECK: mul i32 [[NUMBER0]], 24
; CHECK: load float, ptr
; CHECK: load float, ptr
; CHECK: select <16 x i1> [[HAVE1]],
; CHECK: [[ROW:%.*]] = mul i32 [[NUMBER2]], 24
; CHECK: [[PLACE:%.*]] = add i32 [[ROW]], %k
; CHECK: [[AT:%.*]] = zext i32 [[PLACE]] to i64
; CHECK: getelementptr float, ptr %x, i64 [[AT]]
; CHECK: load float, ptr
; CHECK: select <16 x i1> [[HAVE2]],
; CHECK-NOT: masked.gather
; CHECK: ret
define <16 x float> @phases(ptr %x, <16 x i32> %i, i32 %n) {
  %phase = urem <16 x i32> %i, splat (i32 3)
  %row = mul <16 x i32> %phase, splat (i32 24)
  br label %loop
loop:
  %k = phi i32 [ 0, %0 ], [ %next, %loop ]
  %sum = phi <16 x float> [ zeroinitializer, %0 ], [ %more, %loop ]
  %s = insertelement <16 x i32> poison, i32 %k, i64 0
  %ks = shufflevector <16 x i32> %s, <16 x i32> poison, <16 x i32> zeroinitializer
  %place = add <16 x i32> %row, %ks
  %wide = zext <16 x i32> %place to <16 x i64>
  %p = getelementptr float, ptr %x, <16 x i64> %wide
  %v = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p, i32 4, <16 x i1> splat (i1 true), <16 x float> poison)
  %more = fadd <16 x float> %sum, %v
  %next = add i32 %k, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret <16 x float> %more
}

; One gather, whose lanes nobody knows before, is as fast.
; ALONE-LABEL: define <16 x float> @alone(
; ALONE-NOT: load float
define <16 x float> @alone(ptr %x, <16 x i32> %i) {
  %phase = urem <16 x i32> %i, splat (i32 3)
  %row = mul <16 x i32> %phase, splat (i32 24)
  %wide = zext <16 x i32> %row to <16 x i64>
  %p = getelementptr float, ptr %x, <16 x i64> %wide
  %v = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p, i32 4, <16 x i1> splat (i1 true), <16 x float> poison)
  ret <16 x float> %v
}

; Five places are a gather.
; MANY-LABEL: define <16 x float> @many(
; MANY-NOT: load float
define <16 x float> @many(ptr %x, <16 x i32> %i, i32 %n) {
  %phase = urem <16 x i32> %i, splat (i32 5)
  %row = mul <16 x i32> %phase, splat (i32 24)
  br label %loop
loop:
  %k = phi i64 [ 0, %0 ], [ %next, %loop ]
  %sum = phi <16 x float> [ zeroinitializer, %0 ], [ %more, %loop ]
  %from = getelementptr float, ptr %x, i64 %k
  %wide = zext <16 x i32> %row to <16 x i64>
  %p = getelementptr float, ptr %from, <16 x i64> %wide
  %v = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p, i32 4, <16 x i1> splat (i1 true), <16 x float> poison)
  %more = fadd <16 x float> %sum, %v
  %next = add i64 %k, 1
  %done = icmp eq i64 %next, 24
  br i1 %done, label %end, label %loop
end:
  ret <16 x float> %more
}

; Of some lanes the first may be off.
; SOME-LABEL: define <16 x float> @some(
; SOME-NOT: load float
define <16 x float> @some(ptr %x, <16 x i32> %i, <16 x i1> %mask) {
  %phase = and <16 x i32> %i, splat (i32 3)
  br label %loop
loop:
  %k = phi i64 [ 0, %0 ], [ %next, %loop ]
  %sum = phi <16 x float> [ zeroinitializer, %0 ], [ %more, %loop ]
  %from = getelementptr float, ptr %x, i64 %k
  %p = getelementptr [24 x float], ptr %from, <16 x i32> %phase, i64 0
  %v = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p, i32 4, <16 x i1> %mask, <16 x float> zeroinitializer)
  %more = fadd <16 x float> %sum, %v
  %next = add i64 %k, 1
  %done = icmp eq i64 %next, 24
  br i1 %done, label %end, label %loop
end:
  ret <16 x float> %more
}
