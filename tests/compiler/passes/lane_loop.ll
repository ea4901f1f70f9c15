; RUN: %opt -kernel=scale -passes=device-pipeline,retarget,lane-loop %s | %check %s
; RUN: %opt -kernel=adds -passes=device-pipeline,retarget,ask-whether-alone,lane-loop,lower-inner-atomics %s | %check %s --check-prefix=ADDS
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

; Alone, a thread's turns may be vectors, of one register each.
; ADDS-LABEL: define internal i32 @run(
; ADDS: call i1 @lanza.alone()
; ADDS-NOT: syncscope("singlethread")
; ADDS: fadd float
; ADDS: store float
; ADDS: atomicrmw fadd {{.*}} syncscope("device")
; ADDS: !{!"llvm.loop.interleave.count", i32 1}
define void @adds(ptr %sums, ptr %values, ptr %numbers, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %numbers, i32 %t
  %number = load i32, ptr %at
  %row = mul nsw i32 %number, %n
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %loop, label %end
loop:
  %j = phi i32 [ 0, %entry ], [ %next, %loop ]
  %wide = zext nneg i32 %j to i64
  %from = getelementptr float, ptr %values, i64 %wide
  %value = load float, ptr %from
  %index = add nsw i32 %j, %row
  %far = sext i32 %index to i64
  %to = getelementptr float, ptr %sums, i64 %far
  %old = atomicrmw fadd ptr %to, float %value syncscope("device") monotonic
  %next = add nuw nsw i32 %j, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}
