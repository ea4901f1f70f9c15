; RUN: %opt -passes=fold-launch-rings %s | %check %s
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @lanza.ring(i32, i32, i32, i1, i1) memory(none) speculatable willreturn nounwind

; A step to a neighbour is a choice; a counter that was not unrolled leaves the remainder.
; CHECK-LABEL: define void @steps(
; CHECK: [[LAST:%.*]] = sub nuw nsw i32 %n, 1
; CHECK: [[WRAPS:%.*]] = icmp eq i32 %x, [[LAST]]
; CHECK: [[NEXT:%.*]] = add nuw nsw i32 %x, 1
; CHECK: [[AFTER:%.*]] = select i1 [[WRAPS]], i32 0, i32 [[NEXT]]
; CHECK: store i32 [[AFTER]], ptr %out
; CHECK: icmp eq i32 %x, 0
; CHECK-NOT: urem
; CHECK: [[REST:%.*]] = srem i32 %around, %n
; CHECK: store i32 [[REST]], ptr %out
define void @steps(ptr %out, i32 %n, i32 %x, i32 %dx) {
  %after = add nsw i32 %x, 1
  %r1 = call i32 @lanza.ring(i32 %after, i32 %n, i32 %x, i1 true, i1 false)
  store i32 %r1, ptr %out
  %before0 = add i32 %x, -1
  %before = add i32 %before0, %n
  %r2 = call i32 @lanza.ring(i32 %before, i32 %n, i32 %x, i1 false, i1 false)
  store i32 %r2, ptr %out
  %side = add nsw i32 %x, %dx
  %around = add nsw i32 %side, %n
  %r3 = call i32 @lanza.ring(i32 %around, i32 %n, i32 %x, i1 true, i1 false)
  store i32 %r3, ptr %out
  ret void
}

; Of threads beyond the ring's end x - n is on it.
; CHECK-LABEL: define void @beyond(
; CHECK: [[REST:%.*]] = sub nsw i32 %x, %n
; CHECK: [[INSIDE:%.*]] = icmp slt i32 %x, %n
; CHECK: [[ON:%.*]] = select i1 [[INSIDE]], i32 %x, i32 [[REST]]
; CHECK: [[WRAPS:%.*]] = icmp eq i32 [[ON]],
; CHECK: [[NEXT:%.*]] = add nuw nsw i32 [[ON]], 1
; CHECK: [[AFTER:%.*]] = select i1 [[WRAPS]], i32 0, i32 [[NEXT]]
; CHECK: store i32 [[AFTER]], ptr %out
; CHECK: [[SAME:%.*]] = select i1 %{{.*}}, i32 %x, i32 %{{.*}}
; CHECK: store i32 [[SAME]], ptr %out
define void @beyond(ptr %out, i32 %n, i32 %x) {
  %after = add nsw i32 %x, 1
  %r1 = call i32 @lanza.ring(i32 %after, i32 %n, i32 %x, i1 true, i1 true)
  store i32 %r1, ptr %out
  %around = add nsw i32 %x, %n
  %r2 = call i32 @lanza.ring(i32 %around, i32 %n, i32 %x, i1 true, i1 true)
  store i32 %r2, ptr %out
  ret void
}
