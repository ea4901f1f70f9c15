; RUN: %opt -kernel=scale -passes=device-pipeline,retarget,lane-loop,optimise-lanes %s | %check %s
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; Before the vector loop stands how many lanes an iteration has, at its head the first of them; so in the loop over the rest, lane by
; lane. `lane` is LanzaBlock's field 12, `lane_count` its field 14.
; CHECK-LABEL: define internal i32 @run(
; CHECK: store volatile i32 16, ptr {{.*}}
; CHECK: [[INDEX:%.*]] = phi i64 {{.*}} [ 0, {{.*}} ]
; CHECK: getelementptr {{.*}} ptr %2, i32 0, i32 12
; CHECK-NEXT: store volatile i64 [[INDEX]]
; CHECK: load <8 x float>
; CHECK: getelementptr {{.*}} ptr %2, i32 0, i32 14
; CHECK-NEXT: store volatile i32 1
; CHECK: [[LANE:%.*]] = phi i64
; CHECK: getelementptr {{.*}} ptr %2, i32 0, i32 12
; CHECK-NEXT: store volatile i64 [[LANE]]
; CHECK: load float
define void @scale(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = sext i32 %t to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  %w = fmul float %v, 2.0
  store float %w, ptr %p
  ret void
}
