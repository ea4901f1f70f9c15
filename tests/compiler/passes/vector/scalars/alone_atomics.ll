; RUN: %opt -kernel=add -block=256 -lanes=16 -passes=ask-whether-alone %s | %check %s --check-prefix=ADD
; RUN: %opt -kernel=add -block=256 -lanes=16 -passes=ask-whether-alone,prepare-control,linearise,widen %s | %check %s --check-prefix=LANES
; RUN: %opt -kernel=add -block=256 -lanes=16 -passes=ask-whether-alone,prepare-control,linearise,widen,run-form %s | %check %s --check-prefix=CALL
; RUN: %opt -kernel=exchange -block=256 -lanes=16 -passes=ask-whether-alone %s | %check %s --check-prefix=EXCHANGE
; RUN: %opt -kernel=others -block=256 -lanes=16 -passes=ask-whether-alone %s | %check %s --check-prefix=OTHERS
; RUN: %opt -kernel=leaders -block=256 -lanes=16 -passes=ask-whether-alone %s | %check %s --check-prefix=LEADERS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; ADD-LABEL: define void @add(
; ADD: [[ALONE:%.*]] = call i1 @lanza.alone()
; ADD: br i1 [[ALONE]], label %[[YES:.*]], label %[[NO:.*]]
; ADD: [[YES]]:
; ADD: atomicrmw fadd ptr %p, float %v syncscope("singlethread") monotonic
; ADD: [[NO]]:
; ADD: atomicrmw fadd ptr %p, float %v syncscope("device") monotonic
; Neighbours are a vector for who is alone.
; LANES-LABEL: define void @add(
; LANES: call i1 @lanza.alone()
; LANES-COUNT-16: atomicrmw fadd ptr {{.*}} syncscope("device")
; LANES: [[OLD:%.*]] = load <16 x float>, ptr [[P:%.*]], align 4
; LANES: [[NEW:%.*]] = fadd <16 x float> [[OLD]]
; LANES: store <16 x float> [[NEW]], ptr [[P]]
; Asked once a call.
; CALL-LABEL: i32 @run(
; CALL: [[FIELD:%.*]] = getelementptr inbounds {{.*}}, ptr %2, i32 0, i32 1
; CALL: [[IS:%.*]] = load i32, ptr [[FIELD]]
; CALL: [[ALONE:%.*]] = icmp ne i32 [[IS]], 0
; CALL: br i1 [[ALONE]]
; CALL-NOT: lanza.alone
define void @add(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr float, ptr %y, i64 %i
  %v = load float, ptr %from
  %p = getelementptr float, ptr %x, i64 %i
  %old = atomicrmw fadd ptr %p, float %v syncscope("device") monotonic
  ret void
}

; EXCHANGE-LABEL: define void @exchange(
; EXCHANGE: [[A:%.*]] = cmpxchg ptr %x, i32 %t, i32 7 syncscope("singlethread") monotonic monotonic
; EXCHANGE: [[B:%.*]] = cmpxchg ptr %x, i32 %t, i32 7 syncscope("device") monotonic monotonic
; EXCHANGE: [[BOTH:%.*]] = phi { i32, i1 } [ [[A]], {{.*}} ], [ [[B]], {{.*}} ]
; EXCHANGE: extractvalue { i32, i1 } [[BOTH]], 0
define void @exchange(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %both = cmpxchg ptr %x, i32 %t, i32 7 syncscope("device") monotonic monotonic
  %old = extractvalue { i32, i1 } %both, 0
  store i32 %old, ptr %y
  ret void
}

; Of the system's scope, of one thread's, of the block's first thread, or never reached.
; OTHERS-LABEL: define void @others(
; OTHERS-NOT: lanza.alone
; OTHERS: ret void
define void @others(ptr %x) {
  %a = atomicrmw add ptr %x, i32 1 monotonic
  %b = atomicrmw add ptr %x, i32 1 syncscope("singlethread") monotonic
  %c = atomicrmw add ptr %x, i32 1 acq_rel
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %t, 0
  br i1 %first, label %then, label %end
then:
  %d = atomicrmw add ptr %x, i32 1 syncscope("device") monotonic
  br label %end
never:
  %e = atomicrmw add ptr %x, i32 1 syncscope("device") monotonic
  br label %end
end:
  ret void
}

; Of each warp's first thread.
; LEADERS-LABEL: define void @leaders(
; LEADERS: call i1 @lanza.alone()
; LEADERS: atomicrmw add ptr %x, i32 1 syncscope("singlethread") monotonic
define void @leaders(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %t, 31
  %first = icmp eq i32 %lane, 0
  br i1 %first, label %then, label %end
then:
  %d = atomicrmw add ptr %x, i32 1 syncscope("device") monotonic
  br label %end
end:
  ret void
}
