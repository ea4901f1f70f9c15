; RUN: %opt -kernel=turn -block=40 -lanes=16 -passes=retarget,leave-beyond-block,prepare-control,linearise,widen,run-form,"llvm(sroa,instcombine<no-verify-fixpoint>,simplifycfg)" %s | %check %s
; RUN: %opt -kernel=turn -block=12 -lanes=16 -passes=retarget,leave-beyond-block,prepare-control,linearise,widen,run-form,"llvm(sroa,instcombine<no-verify-fixpoint>,simplifycfg)" %s | %check %s --check-prefix=ONE
; RUN: %opt -kernel=turn -block=40,2 -lanes=16 -passes=retarget,leave-beyond-block,prepare-control,linearise,widen,run-form,"llvm(sroa,instcombine<no-verify-fixpoint>,simplifycfg)" %s | %check %s --check-prefix=ROWS
; RUN: %opt -kernel=counts -block=40 -lanes=16 -passes=retarget,leave-beyond-block,prepare-control,linearise,widen,run-form,"llvm(sroa,instcombine<no-verify-fixpoint>,simplifycfg)" %s | %check %s --check-prefix=COUNTS
; RUN: %opt -kernel=turn -block=40 -lanes=16 -passes=retarget,leave-beyond-block,prepare-control,linearise,widen,run-form %s | %check %s --check-prefix=BEGUN
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = internal addrspace(3) global [64 x i32] undef, align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; Two groups lie in the block: whole vectors, in a loop. The third, at thread 32, has 8 threads, and code of its own.
; CHECK: masked.load{{.*}}i1 true, i1 false, i1 false
; CHECK: masked.store{{.*}}i1 true, i1 false, i1 false
; CHECK: %unmaskedload = load <16 x i32>
; CHECK: store <16 x i32> %unmaskedload
; CHECK: add nuw i32 %{{.*}}, 16
; CHECK: masked.store{{.*}}i1 true, i1 false, i1 false
; No group leaves as a whole: none is asked whether it is left.
; BEGUN-NOT: %gone
; BEGUN-NOT: load i8
; BEGUN: ret i32
; The only group of a block, and blocks of several rows, stay as they are.
; ONE: masked.load
; ONE: masked.store
; ONE: masked.store
; ONE-NOT: store <16 x i32>
; ROWS: masked.load
; ROWS-NOT: load <16 x i32>
define void @turn(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %p
  %q = getelementptr [64 x i32], ptr addrspace(3) @s, i64 0, i64 %i
  store i32 %v, ptr addrspace(3) %q
  %b = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %w = load i32, ptr addrspace(3) %q
  store i32 %w, ptr %p
  ret void
}

; What the barrier counts begins anew once, and is the same for both.
; COUNTS: %[[SUM:.*]] = add i64 %[[FULL:.*]], %
; COUNTS: %[[BEFORE:.*]] = phi i64 [ 0, %block ], [ %[[FULL]], %group ]
; COUNTS: %[[FULL]] = add i64 %[[BEFORE]], %
; COUNTS: trunc i64 %[[SUM]] to i32
; COUNTS: store <16 x i32>
define void @counts(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %p
  %is = icmp ne i32 %v, 0
  %one = zext i1 %is to i64
  %n = call i64 @__lanza_sync(i32 2, i32 0, i32 0, i64 %one, i32 0)
  %w = trunc i64 %n to i32
  store i32 %w, ptr %p
  ret void
}
