; RUN: %opt -kernel=tree -lanes=16 -block=32 -passes=device-pipeline,retarget,linearise,widen,build-groups %s | %check %s --check-prefix=TREE
; RUN: %opt -kernel=bounded -lanes=1 -block=64 -passes=device-pipeline,retarget,uniform-barriers,run-form %s | %check %s --check-prefix=BOUNDED
; RUN: %opt -kernel=guarded -lanes=1 -block=64 -passes=device-pipeline,retarget,uniform-barriers,run-form %s | %check %s --check-prefix=GUARDED
; RUN: %opt -kernel=by_value -lanes=1 -block=64 -passes=device-pipeline,retarget,uniform-barriers,run-form %s | %check %s --check-prefix=VALUE
; RUN: %opt -kernel=given_away -lanes=1 -block=64 -passes=device-pipeline,retarget,uniform-barriers,run-form %s | %check %s --check-prefix=AWAY
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@fixed = internal addrspace(3) global [8 x i32] undef, align 4
@s = external addrspace(3) global [0 x float], align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; All indices are bounded by blockDim: dynamic shared memory is a local of the block, and the steps of a tree that are
; shorter than a vector stay in registers. Which row of threads runs is noted once.
; TREE-LABEL: define internal i32 @run(
; TREE-NOT: alloca
; TREE: store volatile i64 4294967328
; TREE-NOT: store volatile
; TREE: [[A:%.*]] = load <16 x float>
; TREE: [[B:%.*]] = load <16 x float>
; TREE: fadd <16 x float> [[A]], [[B]]
; TREE: fadd <8 x float>
; TREE: fadd <4 x float>
; TREE: [[S:%.*]] = fadd float
; TREE: store float [[S]]
define void @tree(ptr %x, ptr %out) {
entry:
  %t = call range(i32 0, 32) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr %x, i32 %t
  %v = load float, ptr %p
  %q = getelementptr float, ptr addrspace(3) @s, i32 %t
  store float %v, ptr addrspace(3) %q
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %is16 = icmp ult i32 %t, 16
  br i1 %is16, label %step16, label %after16
step16:
  %q16 = getelementptr float, ptr addrspace(3) %q, i32 16
  %a16 = load float, ptr addrspace(3) %q16
  %b16 = load float, ptr addrspace(3) %q
  %c16 = fadd float %b16, %a16
  store float %c16, ptr addrspace(3) %q
  br label %after16
after16:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %is8 = icmp ult i32 %t, 8
  br i1 %is8, label %step8, label %after8
step8:
  %q8 = getelementptr float, ptr addrspace(3) %q, i32 8
  %a8 = load float, ptr addrspace(3) %q8
  %b8 = load float, ptr addrspace(3) %q
  %c8 = fadd float %b8, %a8
  store float %c8, ptr addrspace(3) %q
  br label %after8
after8:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %is4 = icmp ult i32 %t, 4
  br i1 %is4, label %step4, label %after4
step4:
  %q4 = getelementptr float, ptr addrspace(3) %q, i32 4
  %a4 = load float, ptr addrspace(3) %q4
  %b4 = load float, ptr addrspace(3) %q
  %c4 = fadd float %b4, %a4
  store float %c4, ptr addrspace(3) %q
  br label %after4
after4:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %is0 = icmp eq i32 %t, 0
  br i1 %is0, label %last, label %end
last:
  %p3 = getelementptr float, ptr addrspace(3) @s, i32 3
  %a3 = load float, ptr addrspace(3) %p3
  %b3 = load float, ptr addrspace(3) @s
  %sum = fadd float %a3, %b3
  store float %sum, ptr %out
  br label %end
end:
  ret void
}

; Dynamic shared memory lies behind the static one: 64 bytes, aligned, then 4 * 64.
; BOUNDED-LABEL: define internal i32 @run(
; BOUNDED: alloca [320 x i8]
define void @bounded(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %f = and i32 %t, 7
  %k = getelementptr i32, ptr addrspace(3) @fixed, i32 %f
  store i32 %t, ptr addrspace(3) %k
  %q = getelementptr float, ptr addrspace(3) @s, i32 %t
  store float 1.0, ptr addrspace(3) %q
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %v = load float, ptr addrspace(3) %q
  store float %v, ptr %x
  ret void
}

; An index that comes from memory may be anything.
; VALUE-LABEL: define internal i32 @run(
; VALUE-NOT: %shared = alloca
; VALUE: ret i32
define void @by_value(ptr %x) {
  %i = load i32, ptr %x
  %q = getelementptr float, ptr addrspace(3) @s, i32 %i
  store float 1.0, ptr addrspace(3) %q
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %v = load float, ptr addrspace(3) @s
  store float %v, ptr %x
  ret void
}

; AWAY-LABEL: define internal i32 @run(
; AWAY-NOT: %shared = alloca
; AWAY: ret i32
define void @given_away(ptr %x) {
  %q = addrspacecast ptr addrspace(3) @s to ptr
  store ptr %q, ptr %x
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  store float 1.0, ptr addrspace(3) @s
  ret void
}

; A guard bounds an index, too: of the threads that go far there are two.
; GUARDED-LABEL: define internal i32 @run(
; GUARDED: alloca [8196 x i8]
define void @guarded(ptr %x) {
entry:
  %t = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %few = icmp ult i32 %t, 2
  br i1 %few, label %far, label %rest
far:
  %i = shl i32 %t, 11
  %q = getelementptr float, ptr addrspace(3) @s, i32 %i
  store float 1.0, ptr addrspace(3) %q
  br label %rest
rest:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %p = getelementptr float, ptr addrspace(3) @s, i32 %t
  %v = load float, ptr addrspace(3) %p
  %o = getelementptr float, ptr %x, i32 %t
  store float %v, ptr %o
  ret void
}
