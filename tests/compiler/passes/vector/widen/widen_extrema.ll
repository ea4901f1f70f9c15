; RUN: %opt -kernel=meet -passes=prepare-control,linearise,widen,inline-updates %s | %check %s --check-prefix=MEET
; RUN: %opt -kernel=keyed -passes=prepare-control,linearise,widen,inline-updates %s | %check %s --check-prefix=KEYED
; RUN: %opt -kernel=found -passes=prepare-control,linearise,widen,inline-updates %s | %check %s --check-prefix=FOUND
; RUN: %opt -kernel=ordered -passes=prepare-control,linearise,widen,inline-updates %s | %check %s --check-prefix=ORDERED
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; One address: what is there is read as an atomic, and the lanes are reduced only where one of them has more.
; MEET-LABEL: define void @meet(
; MEET: [[OLD:%.*]] = load atomic i32, ptr %x monotonic
; MEET: [[ALL:%.*]] = shufflevector
; MEET: [[MORE:%.*]] = icmp sgt <8 x i32> {{%.*}}, [[ALL]]
; MEET: [[NONE:%.*]] = icmp eq i8 {{%.*}}, 0
; MEET: br i1 [[NONE]], label %{{.*}}, label %{{change[.a-z]*}}
; MEET: {{change[.a-z]*}}:
; MEET: call i32 @llvm.vector.reduce.smax.v8i32(
; MEET: atomicrmw max ptr %x
define void @meet(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %y, i64 %i
  %v = load i32, ptr %p
  %o = atomicrmw max ptr %x, i32 %v monotonic
  ret void
}

; Many addresses: few lanes go one by one at once, else those that change what is there.
; KEYED-LABEL: define void @keyed(
; KEYED: [[COUNT:%.*]] = call i8 @llvm.ctpop.i8(i8 [[ACTIVE:%.*]])
; KEYED: [[FEW:%.*]] = icmp ule i8 [[COUNT]], 2
; KEYED: br i1 [[FEW]], label %{{change[.a-z]*}}, label %{{ask[.a-z]*}}
; KEYED: {{ask[.a-z]*}}:
; KEYED: [[OLD:%.*]] = call <8 x i32> @llvm.masked.gather
; KEYED: icmp ult <8 x i32> {{%.*}}, [[OLD]]
; KEYED: [[WOULD:%.*]] = and i8
; KEYED: br i1 {{%.*}}, label %{{.*}}, label %{{change[.a-z]*}}
; KEYED: {{each[.a-z]*}}:
; KEYED: atomicrmw umin ptr
define void @keyed(ptr %x, ptr %keys, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, %n
  br i1 %c, label %then, label %end
then:
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %keys, i64 %i
  %k = load i32, ptr %p
  %j = sext i32 %k to i64
  %q = getelementptr i32, ptr %x, i64 %j
  %o = atomicrmw umin ptr %q, i32 %t monotonic
  br label %end
end:
  ret void
}

; What was there is asked for: each lane in turn.
; FOUND-LABEL: define void @found(
; FOUND-NOT: @llvm.masked.gather
; FOUND: {{each[.a-z]*}}:
; FOUND: atomicrmw max ptr
define void @found(ptr %x, ptr %keys) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %keys, i64 %i
  %k = load i32, ptr %p
  %j = sext i32 %k to i64
  %q = getelementptr i32, ptr %x, i64 %j
  %o = atomicrmw max ptr %q, i32 %t monotonic
  store i32 %o, ptr %p
  ret void
}

; One that orders other accesses, too, is no mere question.
; ORDERED-LABEL: define void @ordered(
; ORDERED-NOT: load atomic
; ORDERED: atomicrmw max ptr %x, i32 {{%.*}} acq_rel
define void @ordered(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %o = atomicrmw max ptr %x, i32 %t acq_rel
  ret void
}
