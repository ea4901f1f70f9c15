; RUN: %opt -kernel=neighbours -lanes=16 -block=500 -passes=device-pipeline,retarget,linearise,widen,whole-loads,build-groups %s | %check %s
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = internal addrspace(3) global [500 x float] undef, align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; Of 32 groups the last one has four threads: shared memory is registers all the same.
; CHECK-LABEL: define internal i32 @run(
; CHECK-NOT: alloca [
; CHECK: ret i32
define void @neighbours(ptr %x, ptr %y) {
entry:
  %t = call range(i32 0, 100) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr %x, i32 %t
  %v = load float, ptr %p
  %q = getelementptr float, ptr addrspace(3) @s, i32 %t
  store float %v, ptr addrspace(3) %q
  %sync = call i64 @__lanza_sync(i32 0, i32 0, i32 -1, i64 0, i32 0)
  %inner = icmp ne i32 %t, 0
  br i1 %inner, label %left, label %end

left:
  %before = getelementptr i8, ptr addrspace(3) %q, i64 -4
  %l = load float, ptr addrspace(3) %before
  br label %end

end:
  %n = phi float [ 0.0, %entry ], [ %l, %left ]
  %m = load float, ptr addrspace(3) %q
  %sum = fadd float %m, %n
  %r = getelementptr float, ptr %y, i32 %t
  store float %sum, ptr %r
  ret void
}

!llvm.module.flags = !{!0}
!0 = !{i32 7, !"lanza.reads_gaps", i32 1}
