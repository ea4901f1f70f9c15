; What a turn stores and the next one loads.
; RUN: %opt -passes=carry-stored %s | %check %s
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; A row of an edit distance: indices are extended each in its way.
; CHECK-LABEL: define void @row(
; CHECK: before:
; CHECK-NEXT: [[FIRST:%.*]] = load i8, ptr %row
; CHECK: loop:
; CHECK-NEXT: [[LEFT:%.*]] = phi i8 [ [[FIRST]], %before ], [ %stored, %loop ]
; CHECK: %up = load i8
; CHECK-NOT: load i8
; CHECK: call i8 @llvm.umin.i8(i8 [[LEFT]], i8 %up)
define void @row(i32 %m, ptr %row) {
entry:
  %none = icmp slt i32 %m, 1
  br i1 %none, label %end, label %before
before:
  br label %loop
loop:
  %j = phi i32 [ %next, %loop ], [ 1, %before ]
  %wide = zext nneg i32 %j to i64
  %here = getelementptr inbounds i8, ptr %row, i64 %wide
  %up = load i8, ptr %here
  %less = add nsw i32 %j, -1
  %wide.less = sext i32 %less to i64
  %beside = getelementptr inbounds i8, ptr %row, i64 %wide.less
  %left = load i8, ptr %beside
  %stored = call i8 @llvm.umin.i8(i8 %left, i8 %up)
  store i8 %stored, ptr %here
  %next = add nuw nsw i32 %j, 1
  %goes = icmp slt i32 %j, %m
  br i1 %goes, label %loop, label %exit
exit:
  br label %end
end:
  ret void
}

; By a step that is known when it runs. What was loaded is stored again.
; CHECK-LABEL: define void @column(
; CHECK: loop:
; CHECK: [[CARRIED:%.*]] = phi float [ %{{.*}}, %entry ], [ [[CARRIED]], %loop ]
; CHECK-NOT: load
; CHECK: store float [[CARRIED]]
define void @column(i64 %n, i64 %step, ptr %p) {
entry:
  br label %loop
loop:
  %k = phi i64 [ %next, %loop ], [ 0, %entry ]
  %at = mul i64 %k, %step
  %here = getelementptr float, ptr %p, i64 %at
  %value = load float, ptr %here
  %next = add nuw nsw i64 %k, 1
  %at.next = mul i64 %next, %step
  %there = getelementptr float, ptr %p, i64 %at.next
  store float %value, ptr %there
  %goes = icmp slt i64 %next, %n
  br i1 %goes, label %loop, label %end
end:
  ret void
}

; Another pointer may lead to where is loaded.
; CHECK-LABEL: define void @another(
; CHECK: loop:
; CHECK-NOT: phi float
; CHECK: load float
define void @another(i64 %n, ptr %p, ptr %q) {
entry:
  br label %loop
loop:
  %k = phi i64 [ %next, %loop ], [ 0, %entry ]
  %here = getelementptr float, ptr %p, i64 %k
  %value = load float, ptr %here
  %next = add nuw nsw i64 %k, 1
  %there = getelementptr float, ptr %p, i64 %next
  store float %value, ptr %there
  %other = getelementptr float, ptr %q, i64 %k
  store float 0.0, ptr %other
  %goes = icmp slt i64 %next, %n
  br i1 %goes, label %loop, label %end
end:
  ret void
}

; Other threads may write at a barrier.
; CHECK-LABEL: define void @waits(
; CHECK: loop:
; CHECK-NOT: phi float
; CHECK: load float
define void @waits(i64 %n, ptr %p) {
entry:
  br label %loop
loop:
  %k = phi i64 [ %next, %loop ], [ 0, %entry ]
  call void @wait()
  %here = getelementptr float, ptr %p, i64 %k
  %value = load float, ptr %here
  %next = add nuw nsw i64 %k, 1
  %there = getelementptr float, ptr %p, i64 %next
  store float %value, ptr %there
  %goes = icmp slt i64 %next, %n
  br i1 %goes, label %loop, label %end
end:
  ret void
}

; Not in each turn; the turn before the last; a volatile load; a store in front of the load, which may meet it.
; CHECK-LABEL: define void @not_each(
; CHECK-NOT: phi float
; CHECK: store float
define void @not_each(i64 %n, ptr %p, i1 %c) {
entry:
  br label %loop
loop:
  %k = phi i64 [ %next, %latch ], [ 0, %entry ]
  %here = getelementptr float, ptr %p, i64 %k
  %value = load float, ptr %here
  %next = add nuw nsw i64 %k, 1
  %there = getelementptr float, ptr %p, i64 %next
  br i1 %c, label %stores, label %latch
stores:
  store float %value, ptr %there
  br label %latch
latch:
  %goes = icmp slt i64 %next, %n
  br i1 %goes, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: define void @two_before(
; CHECK-NOT: phi float
; CHECK: store float
define void @two_before(i64 %n, ptr %p) {
entry:
  br label %loop
loop:
  %k = phi i64 [ %next, %loop ], [ 0, %entry ]
  %here = getelementptr float, ptr %p, i64 %k
  %value = load float, ptr %here
  %next = add nuw nsw i64 %k, 1
  %further = add nuw nsw i64 %k, 2
  %there = getelementptr float, ptr %p, i64 %further
  store float %value, ptr %there
  %goes = icmp slt i64 %next, %n
  br i1 %goes, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: define void @volatile(
; CHECK-NOT: phi float
; CHECK: load volatile float
define void @volatile(i64 %n, ptr %p) {
entry:
  br label %loop
loop:
  %k = phi i64 [ %next, %loop ], [ 0, %entry ]
  %here = getelementptr float, ptr %p, i64 %k
  %value = load volatile float, ptr %here
  %next = add nuw nsw i64 %k, 1
  %there = getelementptr float, ptr %p, i64 %next
  store float %value, ptr %there
  %goes = icmp slt i64 %next, %n
  br i1 %goes, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: define void @stored_first(
; CHECK-NOT: phi float
; CHECK: load float
define void @stored_first(i64 %n, i64 %step, ptr %p, float %x) {
entry:
  br label %loop
loop:
  %k = phi i64 [ %next, %loop ], [ 0, %entry ]
  %next = add nuw nsw i64 %k, 1
  %at.next = mul i64 %next, %step
  %there = getelementptr float, ptr %p, i64 %at.next
  store float %x, ptr %there
  %at = mul i64 %k, %step
  %here = getelementptr float, ptr %p, i64 %at
  %value = load float, ptr %here
  call void @use(float %value)
  %goes = icmp slt i64 %next, %n
  br i1 %goes, label %loop, label %end
end:
  ret void
}

declare void @wait()
declare void @use(float) memory(none)
declare i8 @llvm.umin.i8(i8, i8)
