; RUN: %opt -kernel=scale -passes=device-pipeline,retarget,lane-loop %s | %check %s
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare void @llvm.assume(i1)

; Arguments are loaded once, before the loops; the block's index is kept for the executor; the lane loop asks to be vectorised.
; What is promised of one thread says nothing of the loop.
; CHECK-LABEL: define internal i32 @run(ptr %0, ptr %1, ptr %2)
; CHECK: load i64, {{.*}}
; CHECK: [[N:%.*]] = load i32, {{.*}} !invariant.load
; CHECK: %block = phi i64
; CHECK: store volatile i32 %ctaid
; CHECK-NOT: @llvm.assume(
; CHECK: icmp slt i32 {{.*}}, [[N]]
; CHECK: br i1 {{.*}} !llvm.loop [[LOOP:![0-9]+]]
; CHECK: ret i32 0
; CHECK: [[LOOP]] = distinct !{[[LOOP]], [[ENABLE:![0-9]+]], [[LANES:![0-9]+]]}
; CHECK: [[ENABLE]] = !{!"llvm.loop.vectorize.enable", i1 true}
; CHECK: [[LANES]] = !{!"lanza.lanes"}
define void @scale(i32 %n, ptr %x) {
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %c, %d
  %i = add i32 %m, %t
  %promised = icmp ult i32 %t, 9
  call void @llvm.assume(i1 %promised)
  %in = icmp slt i32 %i, %n
  br i1 %in, label %then, label %end
then:
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  %w = fmul float %v, 2.0
  store float %w, ptr %p
  br label %end
end:
  ret void
}
