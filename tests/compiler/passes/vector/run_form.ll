; RUN: %opt -kernel=reverse -lanes=1 -block=64 -passes=retarget,uniform-barriers,run-form,"llvm(sroa,instcombine<no-verify-fixpoint>,simplifycfg)" %s | %check %s
; RUN: %opt -kernel=turns -lanes=1 -block=64 -passes=retarget,uniform-barriers,run-form,"llvm(sroa,instcombine<no-verify-fixpoint>,simplifycfg)" %s | %check %s --check-prefix=TURNS
; RUN: %opt -kernel=leaves -lanes=1 -block=8,4 -passes=retarget,uniform-barriers,run-form,"llvm(sroa,instcombine<no-verify-fixpoint>,simplifycfg)" %s | %check %s --check-prefix=LEAVES
; RUN: %opt -kernel=count -lanes=1 -block=64 -passes=retarget,uniform-barriers,run-form,"llvm(sroa,instcombine<no-verify-fixpoint>,simplifycfg)" %s | %check %s --check-prefix=COUNT
; RUN: %opt -kernel=private -lanes=1 -block=16 -passes=retarget,uniform-barriers,run-form,"llvm(sroa,instcombine<no-verify-fixpoint>,simplifycfg)" %s | %check %s --check-prefix=PRIVATE
; RUN: %opt -kernel=one_after_the_other -lanes=1 -block=64 -passes=retarget,uniform-barriers,run-form,"llvm(sroa,instcombine<no-verify-fixpoint>,simplifycfg)" %s | %check %s --check-prefix=SHARE
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = internal addrspace(3) global [64 x i32] undef, align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; A value that differs between threads crosses the barrier in a slot of its own; an index is computed again, and so is
; an address. Shared memory is a local of the block; no other memory is needed.
; CHECK-LABEL: define internal i32 @run(
; CHECK: [[SLOTS:%.*]] = alloca [256 x i8], align 16
; CHECK-NEXT: [[SHARED:%.*]] = alloca [256 x i8], align 64
; CHECK-NOT: alloca
; CHECK: call void @llvm.lifetime.start.p0(i64 -1, ptr {{.*}}[[SHARED]])
; CHECK: [[T:%.*]] = phi i32 [ 0, {{.*}} ], [ [[NEXT:%.*]],
; CHECK: [[V:%.*]] = load i32
; CHECK: store i32 [[T]],
; CHECK: getelementptr inbounds i32, ptr [[SLOTS]]
; CHECK: store i32 [[V]]
; CHECK: icmp ult i32 [[T]], 63
; CHECK: [[U:%.*]] = phi i32 [ 0,
; CHECK: getelementptr inbounds i32, ptr [[SLOTS]]
; CHECK: sub i32 63, [[U]]
; CHECK: store i32
define void @reverse(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %x, i32 %t
  %v = load i32, ptr %p
  %q = getelementptr i32, ptr addrspace(3) @s, i32 %t
  store i32 %t, ptr addrspace(3) %q
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %r = sub i32 63, %t
  %o = getelementptr i32, ptr addrspace(3) @s, i32 %r
  %w = load i32, ptr addrspace(3) %o
  %z = add i32 %v, %w
  store i32 %z, ptr %p
  ret void
}

; The counter of a loop around a barrier is kept once a block, in a register; the loop goes from the region to itself.
; TURNS-LABEL: define internal i32 @run(
; TURNS-NOT: alloca
; TURNS: [[REGION:region.*]]:{{ .*}}; preds =
; TURNS-NEXT: [[I:%.*]] = phi i32 [ [[J:%.*]], %[[REGIONED:.*]] ], [ 0,
; TURNS: [[REGIONED]]:
; TURNS: [[AGAIN:%.*]] = icmp eq i32 %{{.*}}, 1
; TURNS: br i1 [[AGAIN]], label %[[REGION]], label %next
define void @turns(i32 %n, ptr %x) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %j = add i32 %t, %i
  %p = getelementptr i32, ptr %x, i32 %j
  store i32 %i, ptr %p
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Threads that have left are skipped behind the barrier; rows are a loop around the loop over x.
; LEAVES-LABEL: define internal i32 @run(
; LEAVES: [[GONE:%.*]] = alloca [32 x i8]
; LEAVES: store i8 0
; LEAVES: getelementptr inbounds i8, ptr [[GONE]]
; LEAVES: load i8
; LEAVES: icmp eq i8
define void @leaves(i32 %n, ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %out = icmp uge i32 %t, %n
  br i1 %out, label %end, label %go
go:
  %p = getelementptr i32, ptr %x, i32 %y
  store i32 %t, ptr %p
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  store i32 %y, ptr %p
  br label %end
end:
  ret void
}

; The number is a sum over the first loop, and the same for all of the second.
; COUNT-LABEL: define internal i32 @run(
; COUNT: [[SUM:%.*]] = phi i64 [ 0, %{{.*}} ], [ [[MORE:%.*]],
; COUNT: [[ONE:%.*]] = zext i1 %{{.*}} to i64
; COUNT: [[MORE]] = add {{.*}}i64 {{.*}}[[ONE]]
; COUNT: store i64 {{.*}}, ptr
define void @count(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i64, ptr %x, i32 %t
  %v = load i64, ptr %p
  %c = call i64 @__lanza_sync(i32 2, i32 0, i32 0, i64 %v, i32 0)
  store i64 %c, ptr %p
  ret void
}

; Private memory that lives across a barrier: a piece for each thread.
; PRIVATE-LABEL: define internal i32 @run(
; PRIVATE: [[SLOTS:%.*]] = alloca [640 x i8]
; PRIVATE: getelementptr inbounds [40 x i8], ptr [[SLOTS]]
; PRIVATE: getelementptr inbounds [40 x i8], ptr [[SLOTS]]
define void @private(i32 %n, ptr %x) {
  %a = alloca [10 x i32]
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr [10 x i32], ptr %a, i32 0, i32 %t
  store i32 %t, ptr %p
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %q = getelementptr [10 x i32], ptr %a, i32 0, i32 %n
  %v = load i32, ptr %q
  store i32 %v, ptr %x
  ret void
}

; Two values that live across different barriers lie in the same slot, one after the other.
; SHARE-LABEL: define internal i32 @run(
; SHARE: alloca [256 x i8], align 16
; SHARE-NEXT: alloca [256 x i8], align 64
; SHARE-NOT: alloca
; SHARE: ret i32
define void @one_after_the_other(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %x, i32 %t
  %q = getelementptr i32, ptr addrspace(3) @s, i32 %t
  %v = load i32, ptr %p
  store i32 %t, ptr addrspace(3) %q
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %w = load i32, ptr addrspace(3) @s
  store i32 %v, ptr %p
  %u = load i32, ptr %p
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %z = add i32 %u, %w
  store i32 %z, ptr %p
  ret void
}
