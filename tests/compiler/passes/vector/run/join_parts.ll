; RUN: %opt -kernel=product -block=16,16 -lanes=16 -passes=retarget,version-blocks,linearise,widen,build-inside %s | %check %s --check-prefix=INSIDE
; RUN: %opt -kernel=product -block=16,16 -lanes=16 -passes=retarget,version-blocks,linearise,widen,build-edges %s | %check %s --check-prefix=EDGES
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@as = internal addrspace(3) global [16 x [16 x float]] undef, align 4
@bs = internal addrspace(3) global [16 x [16 x float]] undef, align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare float @llvm.fma.f32(float, float, float)
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; Inside rows walk together, and what the edges do does not hinder them; few blocks are at the edges: theirs go one by one.
; INSIDE-LABEL: define internal i32 @run(
; INSIDE-NOT: call void @lanza.leave
; INSIDE-COUNT-2: call <16 x float> @llvm.fma.v16f32
; INSIDE-NOT: call void @lanza.leave
; INSIDE: }

; EDGES-LABEL: define internal i32 @run(
; EDGES-NOT: call void @lanza.leave
; EDGES: call <16 x float> @llvm.fma.v16f32
; EDGES-NOT: call <16 x float> @llvm.fma.v16f32
; EDGES-NOT: call void @lanza.leave
; EDGES: }
define void @product(ptr %a, ptr %b, ptr %c, i32 %n) {
entry:
  %block = call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %first = mul nuw nsw i32 %block, 16
  %row = add nuw nsw i32 %first, %y
  %line = mul nuw nsw i32 %row, 16
  %place = add nuw nsw i32 %line, %x
  %p = getelementptr float, ptr %a, i32 %place
  %in = icmp slt i32 %row, %n
  br i1 %in, label %load, label %store
load:
  %v = load float, ptr %p
  br label %store
store:
  %w = phi float [ %v, %load ], [ 0.0, %entry ]
  %sa = getelementptr [16 x [16 x float]], ptr addrspace(3) @as, i32 0, i32 %y, i32 %x
  store float %w, ptr addrspace(3) %sa
  %t = mul nuw nsw i32 %y, 16
  %u = add nuw nsw i32 %t, %x
  %q = getelementptr float, ptr %b, i32 %u
  %z = load float, ptr %q
  %sb = getelementptr [16 x [16 x float]], ptr addrspace(3) @bs, i32 0, i32 %y, i32 %x
  store float %z, ptr addrspace(3) %sb
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %loop
loop:
  %i = phi i32 [ 0, %store ], [ %next, %loop ]
  %sum = phi float [ 0.0, %store ], [ %more.sum, %loop ]
  %pa = getelementptr [16 x [16 x float]], ptr addrspace(3) @as, i32 0, i32 %y, i32 %i
  %la = load float, ptr addrspace(3) %pa
  %pb = getelementptr [16 x [16 x float]], ptr addrspace(3) @bs, i32 0, i32 %i, i32 %x
  %lb = load float, ptr addrspace(3) %pb
  %more.sum = call float @llvm.fma.f32(float %la, float %lb, float %sum)
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 16
  br i1 %more, label %loop, label %done
done:
  br i1 %in, label %write, label %end
write:
  %r = getelementptr float, ptr %c, i32 %place
  store float %more.sum, ptr %r
  br label %end
end:
  ret void
}
