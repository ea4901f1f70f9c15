; RUN: %opt -kernel=greatest -lanes=8 -passes=prepare-control,outline-serial-loops,linearise,widen %s | %check %s --check-prefix=GREATEST
; RUN: %opt -kernel=sum -lanes=8 -passes=prepare-control,outline-serial-loops,linearise,widen %s | %check %s --check-prefix=SUM
; RUN: %opt -kernel=places -lanes=8 -passes=prepare-control,outline-serial-loops,linearise,widen %s | %check %s --check-prefix=PLACES
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @llvm.maxnum.f32(float, float)

; All lanes ask at once; the first one that changes something does so, and those behind it ask again. Where many would,
; one after the other does.
; GREATEST-LABEL: define void @greatest(
; GREATEST: br label %[[ASK:.+]]
; GREATEST: [[ASK]]:
; GREATEST: [[LEFT:%.+]] = phi i8 [ -1, {{.*}} ], [ [[NEXT:%.+]], %[[CHANGE:.+]] ]
; GREATEST: [[OLD:%.+]] = load float, ptr %p
; GREATEST: [[NEW:%.+]] = call <8 x float> @llvm.maxnum.v8f32(<8 x float>
; GREATEST: icmp ne <8 x i32>
; GREATEST: [[WHO:%.+]] = and i8 {{.*}}, [[LEFT]]
; GREATEST: [[NONE:%.+]] = icmp eq i8 [[WHO]], 0
; GREATEST: br i1 [[NONE]], label %[[AFTER:.+]], label
; GREATEST: call i8 @llvm.ctpop.i8(i8 [[WHO]])
; GREATEST: br i1 {{.*}}, label %[[EACH:.+]], label %[[CHANGE]]
; GREATEST: [[CHANGE]]:
; GREATEST: [[LANE:%.+]] = call i8 @llvm.cttz.i8(i8 [[WHO]], i1 true)
; GREATEST: [[BEHIND:%.+]] = shl i8 -2, [[LANE]]
; GREATEST: [[NEXT]] = and i8 [[LEFT]], [[BEHIND]]
; GREATEST: br label %[[ASK]]
; GREATEST: [[EACH]]:
; GREATEST: phi i8 [ [[LEFT]],
; GREATEST: ret void
define void @greatest(ptr %p, ptr %in) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr float, ptr %in, i32 %t
  %v = load float, ptr %q
  %first = load i32, ptr %p
  br label %loop
loop:
  %seen = phi i32 [ %first, %entry ], [ %old, %loop ]
  %f = bitcast i32 %seen to float
  %m = call float @llvm.maxnum.f32(float %v, float %f)
  %new = bitcast float %m to i32
  %swap = cmpxchg ptr %p, i32 %seen, i32 %new syncscope("singlethread") monotonic monotonic
  %old = extractvalue { i32, i1 } %swap, 0
  %same = icmp eq i32 %old, %seen
  br i1 %same, label %exit, label %loop
exit:
  ret void
}

; A sum always changes.
; SUM-LABEL: define void @sum(
; SUM-NOT: icmp ne <8 x i32>
; SUM: ret void
define void @sum(ptr %p, ptr %in) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr float, ptr %in, i32 %t
  %v = load float, ptr %q
  %first = load i32, ptr %p
  br label %loop
loop:
  %seen = phi i32 [ %first, %entry ], [ %old, %loop ]
  %f = bitcast i32 %seen to float
  %m = fadd float %v, %f
  %new = bitcast float %m to i32
  %swap = cmpxchg ptr %p, i32 %seen, i32 %new syncscope("singlethread") monotonic monotonic
  %old = extractvalue { i32, i1 } %swap, 0
  %same = icmp eq i32 %old, %seen
  br i1 %same, label %exit, label %loop
exit:
  ret void
}

; Places of their own.
; PLACES-LABEL: define void @places(
; PLACES-NOT: icmp ne <8 x i32>
; PLACES: ret void
define void @places(ptr %p, ptr %in) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr i32, ptr %in, i32 %t
  %v = load i32, ptr %q
  %place = getelementptr i32, ptr %p, i32 %v
  %first = load i32, ptr %place
  br label %loop
loop:
  %seen = phi i32 [ %first, %entry ], [ %old, %loop ]
  %new = call i32 @llvm.smax.i32(i32 %t, i32 %seen)
  %swap = cmpxchg ptr %place, i32 %seen, i32 %new syncscope("singlethread") monotonic monotonic
  %old = extractvalue { i32, i1 } %swap, 0
  %same = icmp eq i32 %old, %seen
  br i1 %same, label %exit, label %loop
exit:
  ret void
}
declare i32 @llvm.smax.i32(i32, i32)
