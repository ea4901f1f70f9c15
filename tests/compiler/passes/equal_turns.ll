; RUN: %opt -passes=equal-turns %s | %check %s
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; for (t = first + x; t < first + x + n; t += step), the end computed at the head: what both ends have in common goes.
; CHECK-LABEL: define void @together(
; CHECK: entry:
; CHECK: [[N:%.*]] = sext i32 %n to i64
; CHECK: [[STEP:%.*]] = sext i32 %step to i64
; CHECK: head:
; CHECK: %together = phi i64 [ 0, %entry ], [ [[FOLLOWING:%.*]], %body ]
; CHECK: %t = phi i32 [ %start, %entry ], [ %following, %body ]
; CHECK: icmp slt i64 %together, [[N]]
; CHECK: body:
; CHECK: [[FOLLOWING]] = add nsw i64 %together, [[STEP]]
define void @together(ptr %out, i32 %first, i32 %n, i32 %step) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = add nsw i32 %first, %x
  br label %head
head:
  %t = phi i32 [ %start, %entry ], [ %following, %body ]
  %last = add nsw i32 %first, %n
  %end = add nsw i32 %last, %x
  %goes = icmp slt i32 %t, %end
  br i1 %goes, label %body, label %exit
body:
  store i32 %t, ptr %out
  %following = add nsw i32 %t, %step
  br label %head
exit:
  ret void
}

; The end is the same for all, so that some make a turn more.
; CHECK-LABEL: define void @apart(
; CHECK: icmp slt i32 %t, %n
define void @apart(ptr %out, i32 %n, i32 %step) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %head
head:
  %t = phi i32 [ %x, %entry ], [ %following, %body ]
  %goes = icmp slt i32 %t, %n
  br i1 %goes, label %body, label %exit
body:
  store i32 %t, ptr %out
  %following = add nsw i32 %t, %step
  br label %head
exit:
  ret void
}

; Sums of unsigned numbers may wrap between start and end.
; CHECK-LABEL: define void @wraps(
; CHECK: icmp slt i32 %t, %end
define void @wraps(ptr %out, i32 %n, i32 %step) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %end = add i32 %x, %n
  br label %head
head:
  %t = phi i32 [ %x, %entry ], [ %following, %body ]
  %goes = icmp slt i32 %t, %end
  br i1 %goes, label %body, label %exit
body:
  store i32 %t, ptr %out
  %following = add nsw i32 %t, %step
  br label %head
exit:
  ret void
}

; A thread's own step: nobody leaves together.
; CHECK-LABEL: define void @own_steps(
; CHECK: icmp slt i32 %t, %end
define void @own_steps(ptr %out, i32 %n) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %end = add nsw i32 %x, %n
  br label %head
head:
  %t = phi i32 [ %x, %entry ], [ %following, %body ]
  %goes = icmp slt i32 %t, %end
  br i1 %goes, label %body, label %exit
body:
  store i32 %t, ptr %out
  %following = add nsw i32 %t, %x
  br label %head
exit:
  ret void
}

; for (p = a + x * n, end = p + n; p != end; ++p): as many elements for each thread.
; CHECK-LABEL: define void @pointers(
; CHECK: [[N:%.*]] = sext i32 %n to i64
; CHECK: [[BYTES:%.*]] = mul nsw i64 [[N]], 4
; CHECK: %together = phi i64 [ 0, %entry ], [ [[FOLLOWING:%.*]], %body ]
; CHECK: icmp eq i64 %together, [[BYTES]]
; CHECK: [[FOLLOWING]] = add nsw i64 %together, 4
define void @pointers(ptr %a, i32 %n) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul nsw i32 %x, %n
  %first = sext i32 %row to i64
  %start = getelementptr inbounds float, ptr %a, i64 %first
  %next_row = add nsw i32 %row, %n
  %last = sext i32 %next_row to i64
  %end = getelementptr inbounds float, ptr %a, i64 %last
  br label %head
head:
  %p = phi ptr [ %start, %entry ], [ %following, %body ]
  %is_done = icmp eq ptr %p, %end
  br i1 %is_done, label %exit, label %body
body:
  store float 0.0, ptr %p
  %following = getelementptr inbounds i8, ptr %p, i64 4
  br label %head
exit:
  ret void
}

; for (p = a + x; p < a + x + rows * n; p += n), by a number of elements that the launch knows.
; CHECK-LABEL: define void @columns(
; CHECK: icmp slt i64 %together
define void @columns(ptr %a, i32 %n, i32 %all) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = zext nneg i32 %x to i64
  %start = getelementptr inbounds float, ptr %a, i64 %first
  %distance = sext i32 %all to i64
  %end = getelementptr inbounds float, ptr %start, i64 %distance
  %step = sext i32 %n to i64
  br label %head
head:
  %p = phi ptr [ %start, %entry ], [ %following, %body ]
  %goes = icmp ult ptr %p, %end
  br i1 %goes, label %body, label %exit
body:
  store float 0.0, ptr %p
  %following = getelementptr inbounds float, ptr %p, i64 %step
  br label %head
exit:
  ret void
}

; To an end that all share some make more turns.
; CHECK-LABEL: define void @to_one_end(
; CHECK: icmp eq ptr %p, %end
define void @to_one_end(ptr %a, ptr %end) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = zext nneg i32 %x to i64
  %start = getelementptr inbounds float, ptr %a, i64 %first
  br label %head
head:
  %p = phi ptr [ %start, %entry ], [ %following, %body ]
  %is_done = icmp eq ptr %p, %end
  br i1 %is_done, label %exit, label %body
body:
  store float 0.0, ptr %p
  %following = getelementptr inbounds i8, ptr %p, i64 4
  br label %head
exit:
  ret void
}

; for (i = t * c; i < (t + 1) * c; ++i): c turns.
; CHECK-LABEL: define void @chunks(
; CHECK: [[C:%.*]] = sext i32 %c to i64
; CHECK: %together = phi i64 [ 0, %entry ]
; CHECK: icmp slt i64 %together, [[C]]
define void @chunks(ptr %out, i32 %c) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = mul nsw i32 %t, %c
  %next = add nuw nsw i32 %t, 1
  br label %head
head:
  %i = phi i32 [ %start, %entry ], [ %following, %body ]
  %end = mul nsw i32 %c, %next
  %goes = icmp slt i32 %i, %end
  br i1 %goes, label %body, label %exit
body:
  store i32 %i, ptr %out
  %following = add nsw i32 %i, 1
  br label %head
exit:
  ret void
}
