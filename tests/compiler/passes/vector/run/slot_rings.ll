; RUN: %opt -kernel=march -lanes=1 -block=512 -passes=retarget,uniform-barriers,run-form,"llvm(sroa)",drop-slot-copies,"llvm(instcombine<no-verify-fixpoint>,simplifycfg)" %s | %check %s
; RUN: %opt -kernel=march -lanes=1 -block=64 -passes=retarget,uniform-barriers,run-form,"llvm(sroa)",drop-slot-copies,"llvm(instcombine<no-verify-fixpoint>,simplifycfg)" %s | %check %s --check-prefix=FEW
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; Three values, of which each turn the first goes and a new one comes: a group stores the new one where the first one
; was, and behind the groups the slots' places go round.
; CHECK-LABEL: define internal i32 @run(
; CHECK: [[SLOTS:%.*]] = alloca [6336 x i8], align 64
; CHECK: {{^}}region{{.*}}; preds = %[[TURN:.*]], %group
; CHECK-DAG: [[FIRST:%.*]] = phi i64 [ 0, %group ], [ [[SECOND:%.*]], %[[TURN]] ]
; CHECK-DAG: [[SECOND]] = phi i64 [ 2112, %group ], [ [[THIRD:%.*]], %[[TURN]] ]
; CHECK-DAG: [[THIRD]] = phi i64 [ 4224, %group ], [ [[FIRST]], %[[TURN]] ]
; CHECK: [[AT:%.*]] = getelementptr inbounds i8, ptr {{%.*}}, i64 [[FIRST]]
; CHECK-NEXT: load i32, ptr [[AT]]
; CHECK: %in{{.*}} = getelementptr
; CHECK-NEXT: [[NEW:%.*]] = load i32
; CHECK-NOT: store
; CHECK: [[AT:%.*]] = getelementptr inbounds i8, ptr {{%.*}}, i64 [[FIRST]]
; CHECK-NEXT: store i32 [[NEW]], ptr [[AT]]
; CHECK-NOT: store
; CHECK: }

; Few values become registers, where they are: no place is kept.
; FEW-LABEL: define internal i32 @run(
; FEW-COUNT-3: alloca [256 x i8]
; FEW-NOT: phi i64 [ 0,
; FEW: }
define void @march(ptr %x, ptr %y, i32 %depth) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %x, i32 %t
  %out = getelementptr i32, ptr %y, i32 %t
  %start = load i32, ptr %out
  br label %plane
plane:
  %z = phi i32 [ 0, %entry ], [ %z1, %plane_end ]
  %below = phi i32 [ %start, %entry ], [ %here, %plane_end ]
  %here = phi i32 [ %t, %entry ], [ %above, %plane_end ]
  %in = getelementptr [512 x i32], ptr %at, i32 %z
  %above = load i32, ptr %in
  br label %wait
wait:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %plane_end
plane_end:
  %p = mul i32 %below, %here
  %q = mul i32 %p, %above
  store i32 %q, ptr %out
  %z1 = add i32 %z, 1
  %again = icmp slt i32 %z1, %depth
  br i1 %again, label %plane, label %end
end:
  ret void
}
