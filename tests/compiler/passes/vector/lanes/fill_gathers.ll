; RUN: %opt -kernel=by_index -target=x86-64-v3 -passes='fill-gathers,llvm(verify)' %s | %check %s
; RUN: %opt -kernel=by_pointer -target=x86-64-v3 -passes='fill-gathers,llvm(verify)' %s | %check %s --check-prefix=POINTER
; RUN: %opt -kernel=by_all -target=x86-64-v3 -passes='fill-gathers,llvm(verify)' %s | %check %s --check-prefix=ALL
; RUN: %opt -kernel=by_index -target=x86-64-v4 -passes='fill-gathers,llvm(verify)' %s | %check %s --check-prefix=HAS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr>, i32, <8 x i1>, <8 x float>)
declare <8 x double> @llvm.masked.gather.v8f64.v8p0(<8 x ptr>, i32, <8 x i1>, <8 x double>)

; Lanes that are off load what the first one that is on does, and keep what they had; where all are on nobody looks for it.
; CHECK-LABEL: define <8 x float> @by_index(
; CHECK: [[BITS:%.*]] = bitcast <8 x i1> %mask to i8
; CHECK: [[ANY:%.*]] = icmp ne i8 [[BITS]], 0
; CHECK: br i1 [[ANY]], label %[[SOME:.*]], label
; CHECK: [[SOME]]:
; CHECK: [[PARTLY:%.*]] = icmp ne i8 [[BITS]], -1
; CHECK: br i1 [[PARTLY]], label %[[FILL:.*]], label %[[LOAD:.*]]
; CHECK: [[FILL]]:
; CHECK: [[FIRST:%.*]] = call i8 @llvm.cttz.i8(i8 [[BITS]], i1 true)
; CHECK: [[ONE:%.*]] = extractelement <8 x i32> %index, i8 [[FIRST]]
; CHECK: [[FILLED:%.*]] = select <8 x i1> %mask, <8 x i32> %index, <8 x i32>
; CHECK: [[LOAD]]:
; CHECK: [[INDEX:%.*]] = phi <8 x i32> [ %index, %[[SOME]] ], [ [[FILLED]], %[[FILL]] ]
; CHECK: [[WIDE:%.*]] = sext <8 x i32> [[INDEX]] to <8 x i64>
; CHECK: [[PLACES:%.*]] = getelementptr float, ptr %x, <8 x i64> [[WIDE]]
; CHECK: [[V:%.*]] = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> [[PLACES]], i32 4, <8 x i1> {{.*}}true{{.*}}, <8 x float> poison)
; CHECK: [[KEPT:%.*]] = select <8 x i1> %mask, <8 x float> [[V]], <8 x float> %others
; CHECK: phi <8 x float> [ [[KEPT]], %[[LOAD]] ], [ %others,
; HAS-LABEL: define <8 x float> @by_index(
; HAS-NOT: br
; HAS: call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %p, i32 4, <8 x i1> %mask, <8 x float> %others)
define <8 x float> @by_index(ptr %x, <8 x i32> %index, <8 x i1> %mask, <8 x float> %others) {
  %wide = sext <8 x i32> %index to <8 x i64>
  %p = getelementptr float, ptr %x, <8 x i64> %wide
  %v = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %p, i32 4, <8 x i1> %mask, <8 x float> %others)
  ret <8 x float> %v
}

; POINTER-LABEL: define <8 x double> @by_pointer(
; POINTER: select <8 x i1> %mask, <8 x ptr> %p, <8 x ptr>
; POINTER: [[V:%.*]] = call <8 x double> @llvm.masked.gather.v8f64.v8p0(
; POINTER: phi <8 x double> [ [[V]], {{.*}} ], [ poison,
define <8 x double> @by_pointer(<8 x ptr> %p, <8 x i1> %mask) {
  %v = call <8 x double> @llvm.masked.gather.v8f64.v8p0(<8 x ptr> %p, i32 8, <8 x i1> %mask, <8 x double> poison)
  ret <8 x double> %v
}

; ALL-LABEL: define <8 x double> @by_all(
; ALL-NOT: br
; ALL: ret
define <8 x double> @by_all(<8 x ptr> %p) {
  %v = call <8 x double> @llvm.masked.gather.v8f64.v8p0(<8 x ptr> %p, i32 8, <8 x i1> splat (i1 true), <8 x double> poison)
  ret <8 x double> %v
}
