; RUN: %opt -kernel=k -lanes=8 -block=64 -passes=prepare-control,linearise,widen %s | %check %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; Code for warps that go in step reads and writes shared memory through volatile pointers.
; CHECK-LABEL: define {{.*}}@k
; CHECK: [[OTHER:%.*]] = load volatile <8 x i32>, ptr
; CHECK: [[FLAG:%.*]] = load volatile i32, ptr %flag
; CHECK: insertelement <8 x i32> {{.*}}, i32 [[FLAG]]
; CHECK: store volatile <8 x i32> {{.*}}, ptr
; Relaxed atomic loads of neighbouring words are a vector, others go lane by lane.
; CHECK: load <8 x i32>, ptr
; CHECK: each:
; CHECK: load atomic i32, ptr {{.*}} acquire
define void @k(ptr %s, ptr %flag, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %mine = getelementptr inbounds i32, ptr %s, i64 %i
  %next = getelementptr inbounds i32, ptr %mine, i64 8
  %other = load volatile i32, ptr %next, align 4
  %f = load volatile i32, ptr %flag, align 4
  %sum = add i32 %other, %f
  store volatile i32 %sum, ptr %mine, align 4
  %seen = load atomic i32, ptr %next monotonic, align 4
  %place = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %seen, ptr %place, align 4
  %acquired = load atomic i32, ptr %next acquire, align 4
  store i32 %acquired, ptr %place, align 4
  ret void
}
