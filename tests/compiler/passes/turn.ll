; The example of docs/cpu-backend.md: a block turns its values around through shared memory.
; RUN: %opt -kernel=turn -passes=device-pipeline %s | %check %s --check-prefix=DEVICE
; RUN: %opt -kernel=turn -passes=device-pipeline,retarget %s | %check %s --check-prefix=HOST
; RUN: %opt -kernel=turn -passes=device-pipeline,retarget,thread-engine %s | %check %s --check-prefix=THREADS
; RUN: %opt -kernel=turn -block=64 -lanes=1 -passes=device-pipeline,retarget,run-form %s | %check %s --check-prefix=REGIONS
; RUN: %opt -kernel=turn -block=64 -lanes=16 -passes=device-pipeline,retarget,linearise,widen %s | %check %s --check-prefix=VECTOR
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = internal addrspace(3) global [64 x i32] undef, align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0()

; The barrier is a synchronisation point of kind 1, and shared memory has found its address space.
; DEVICE: store i32 %v, ptr addrspace(3) %q
; DEVICE: call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
; DEVICE: load i32, ptr addrspace(3) %r

; Shared memory is an offset from the block's own.
; HOST: call ptr @__lanza_shared()
; HOST: call i64 @__lanza_sync(i32 1
; HOST: call ptr @__lanza_shared()

; A thread costs 56 bytes. It writes the kind of the point and returns; behind the point nothing is read from the frame but the record.
; THREADS: @threads = internal constant { ptr, i64, i64, i32, i32 } { ptr @start, i64 56, i64 8, i32 0, i32 0 }
; THREADS: define {{.*}}void @start(
; THREADS: store i32 1, ptr %record.reload.addr
; THREADS: define internal void @start.resume(
; THREADS: %j = sub nsw i64 63
; THREADS: store i32 0, ptr %record.reload.addr
; THREADS: define internal i32 @run(
define void @turn(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %p
  %q = getelementptr [64 x i32], ptr addrspacecast (ptr addrspace(3) @s to ptr), i64 0, i64 %i
  store i32 %v, ptr %q
  call void @llvm.nvvm.barrier0()
  %j = sub i64 63, %i
  %r = getelementptr [64 x i32], ptr addrspacecast (ptr addrspace(3) @s to ptr), i64 0, i64 %j
  %w = load i32, ptr %r
  store i32 %w, ptr %p
  ret void
}

; REGIONS: define internal i32 @run(
; REGIONS: %shared = alloca [256 x i8], align 64
; REGIONS: region:
; REGIONS: region{{[0-9]+}}:
; REGIONS: phi i32 [ 0, %region ]
; REGIONS: store i32 %v{{[0-9]*}}, ptr %q
; REGIONS: phi i32 [ 0, %region{{[0-9]+}} ]
; REGIONS: store i32 %w{{[0-9]*}}, ptr %p

; VECTOR: call i32 @lanza.group(i32 0)
; VECTOR: load <16 x i32>
; VECTOR: store <16 x i32>
; VECTOR: call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
; VECTOR: xor i64 {{%.*}}, 63
; VECTOR: load <16 x i32>
; VECTOR: shufflevector <16 x i32> {{.*}} <i32 15, i32 14, i32 13,
; VECTOR: store <16 x i32>
; VECTOR-NOT: sync
; VECTOR: ret void
