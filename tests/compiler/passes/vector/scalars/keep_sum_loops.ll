; RUN: %opt -block=16,16 -passes=keep-sum-loops %s | %check %s
; RUN: %opt -block=16,16 -passes='keep-sum-loops,mark-unroll,llvm(function(loop(loop-unroll-full)))' %s | %check %s --check-prefix=UNROLLED
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@as = internal addrspace(3) global [16 x [16 x float]] undef, align 4
@bs = internal addrspace(3) global [16 x [16 x float]] undef, align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare float @llvm.fma.f32(float, float, float)

; The loop of a tiled product stays one, whatever the user asks for.
; CHECK-LABEL: @tiled(
; CHECK: br i1 %more, label %loop, label %end, !llvm.loop [[KEPT:![0-9]+]]
; UNROLLED-LABEL: @tiled(
; UNROLLED-COUNT-1: call float @llvm.fma
; UNROLLED-NOT: call float @llvm.fma
; UNROLLED: ret float
define float @tiled() {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more.sum, %loop ]
  %p = getelementptr [16 x [16 x float]], ptr addrspace(3) @as, i32 0, i32 %y, i32 %i
  %a = load float, ptr addrspace(3) %p
  %q = getelementptr [16 x [16 x float]], ptr addrspace(3) @bs, i32 0, i32 %i, i32 %x
  %b = load float, ptr addrspace(3) %q
  %more.sum = call float @llvm.fma.f32(float %a, float %b, float %sum)
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 16
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret float %more.sum
}

; Where all that is read depends on x, no row shares anything with the next one: LLVM says.
; CHECK-LABEL: @own(
; CHECK: br i1 %more, label %loop, label %end{{$}}
define float @own() {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more.sum, %loop ]
  %p = getelementptr [16 x [16 x float]], ptr addrspace(3) @as, i32 0, i32 %x, i32 %i
  %a = load float, ptr addrspace(3) %p
  %q = getelementptr [16 x [16 x float]], ptr addrspace(3) @bs, i32 0, i32 %i, i32 %x
  %b = load float, ptr addrspace(3) %q
  %more.sum = call float @llvm.fma.f32(float %a, float %b, float %sum)
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 16
  br i1 %more, label %loop, label %end
end:
  ret float %more.sum
}

; Nor four turns.
; CHECK-LABEL: @short(
; CHECK: br i1 %more, label %loop, label %end{{$}}
define float @short() {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more.sum, %loop ]
  %p = getelementptr [16 x [16 x float]], ptr addrspace(3) @as, i32 0, i32 %y, i32 %i
  %a = load float, ptr addrspace(3) %p
  %q = getelementptr [16 x [16 x float]], ptr addrspace(3) @bs, i32 0, i32 %i, i32 %x
  %b = load float, ptr addrspace(3) %q
  %more.sum = call float @llvm.fma.f32(float %a, float %b, float %sum)
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 4
  br i1 %more, label %loop, label %end
end:
  ret float %more.sum
}

; CHECK: [[KEPT]] = distinct !{[[KEPT]], {{.*}}[[DISABLED:![0-9]+]]}
; CHECK: [[DISABLED]] = !{!"llvm.loop.unroll.disable"}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.enable"}
