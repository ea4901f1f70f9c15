; RUN: %opt -passes=window-loops %s | %check %s
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; for (j = max(x - 1, 0); j < min(x + 2, n); ++j) sum += a[j];
; Three turns, each for those whose place lies between the edges: InstCombine moved the first one's constant.
; CHECK-LABEL: define void @both(
; CHECK: head:
; CHECK: %turn = phi i32 [ 0, %entry ], [ [[FOLLOWING:%.*]], %next ]
; CHECK: [[SUM:%sum]] = phi float [ 0.000000e+00, %entry ], [ [[KEPT:%.*]], %next ]
; CHECK: [[ASKS:%.*]] = icmp ult i32 %turn, 3
; CHECK: br i1 [[ASKS]], label %window, label %exit
; CHECK: window:
; CHECK: [[OFFSET:%.*]] = add i32 %turn, -1
; CHECK: [[AT:%.*]] = add nsw i32 %x, [[OFFSET]]
; CHECK: [[LEAST:%.*]] = sub i32 1, %turn
; CHECK: [[AFTER:%.*]] = icmp sge i32 %x, [[LEAST]]
; CHECK: [[BEFORE:%.*]] = icmp slt i32 [[AT]], %n
; CHECK: [[BOTH:%.*]] = select i1 [[AFTER]], i1 [[BEFORE]], i1 false
; CHECK: br i1 [[BOTH]], label %inside, label %next
; CHECK: inside:
; CHECK: br label %body
; CHECK: next:
; CHECK: [[KEPT]] = phi float [ %more, %body ], [ [[SUM]], %window ]
; CHECK: [[FOLLOWING]] = add nuw nsw i32 %turn, 1
define void @both(ptr %a, ptr %out, i32 %n) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %low = call i32 @llvm.smax.i32(i32 %x, i32 1)
  %start = add nsw i32 %low, -1
  %behind = add nsw i32 %x, 2
  %end = call i32 @llvm.smin.i32(i32 %behind, i32 %n)
  br label %head
head:
  %j = phi i32 [ %start, %entry ], [ %following, %body ]
  %sum = phi float [ 0.0, %entry ], [ %more, %body ]
  %goes = icmp slt i32 %j, %end
  br i1 %goes, label %body, label %exit
body:
  %k = sext i32 %j to i64
  %p = getelementptr float, ptr %a, i64 %k
  %v = load float, ptr %p
  %more = fadd float %sum, %v
  %following = add nsw i32 %j, 1
  br label %head
exit:
  store float %sum, ptr %out
  ret void
}

; for (j = x; j <= min(n, x + 3); ++j): one edge, whose value is computed at the head; four turns, and no sum wraps.
; CHECK-LABEL: define void @inclusive(
; CHECK: call i32 @llvm.smin.i32
; CHECK: head:
; CHECK: icmp uge i32 %turn, 4
; CHECK: window:
; CHECK: [[AT:%.*]] = add nsw i32 %x
; CHECK: [[BEFORE:%.*]] = icmp sle i32 [[AT]], %n
; CHECK: br i1 [[BEFORE]], label %inside, label %next
; CHECK: store i32 [[AT]]
define void @inclusive(ptr %out, i32 %n) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %head
head:
  %j = phi i32 [ %x, %entry ], [ %following, %body ]
  %last = add nsw i32 %x, 3
  %end = call i32 @llvm.smin.i32(i32 %n, i32 %last)
  %ends = icmp sgt i32 %j, %end
  br i1 %ends, label %exit, label %body
body:
  store i32 %j, ptr %out
  %following = add nsw i32 %j, 1
  br label %head
exit:
  ret void
}

; A window of a row that neighbours share, one that may wrap, and a loop with a barrier stay as they are.
; CHECK-LABEL: define void @shared(
; CHECK-NOT: %turn
; CHECK-LABEL: define void @wraps(
; CHECK-NOT: %turn
; CHECK-LABEL: define void @waits(
; CHECK-NOT: %turn
define void @shared(ptr %out, i32 %n) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %behind = add nsw i32 %x, 2
  %end = call i32 @llvm.smin.i32(i32 %behind, i32 %n)
  br label %head
head:
  %j = phi i32 [ %x, %entry ], [ %following, %body ]
  %goes = icmp slt i32 %j, %end
  br i1 %goes, label %body, label %exit
body:
  store i32 %j, ptr %out
  %following = add nsw i32 %j, 1
  br label %head
exit:
  ret void
}

define void @wraps(ptr %out, i32 %n) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %behind = add i32 %x, 2
  %end = call i32 @llvm.smin.i32(i32 %behind, i32 %n)
  br label %head
head:
  %j = phi i32 [ %x, %entry ], [ %following, %body ]
  %goes = icmp slt i32 %j, %end
  br i1 %goes, label %body, label %exit
body:
  store i32 %j, ptr %out
  %following = add nsw i32 %j, 1
  br label %head
exit:
  ret void
}

define void @waits(ptr %out, i32 %n) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %behind = add nsw i32 %x, 2
  %end = call i32 @llvm.smin.i32(i32 %behind, i32 %n)
  br label %head
head:
  %j = phi i32 [ %x, %entry ], [ %following, %body ]
  %goes = icmp slt i32 %j, %end
  br i1 %goes, label %body, label %exit
body:
  %s = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %following = add nsw i32 %j, 1
  br label %head
exit:
  ret void
}

; for (j = max(x - r, 0); j <= min(x + r, last); ++j) of a launch for which that is little: 2 r + 1 turns, none if r is
; negative.
; CHECK-LABEL: define void @of_launch(
; CHECK: [[REACH:%.*]] = add i32 {{.*}}%r
; CHECK: [[TURNS:%.*]] = add i32 [[REACH]], %r
; CHECK: head:
; CHECK: [[ASKS:%.*]] = icmp sge i32 %turn, [[TURNS]]
; CHECK: br i1 [[ASKS]], label %exit, label %window
; CHECK: window:
; CHECK: [[AT:%.*]] = add nsw i32 %first, %{{.*}}
; CHECK: [[AFTER:%.*]] = icmp sge i32 [[AT]], 0
; CHECK: [[BEFORE:%.*]] = icmp sle i32 [[AT]], %last
; CHECK: select i1 [[AFTER]], i1 [[BEFORE]], i1 false
define void @of_launch(ptr %out, i32 %last, i32 %r) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = sub nsw i32 %x, %r
  %start = call i32 @llvm.smax.i32(i32 %first, i32 0)
  %reach = add nsw i32 %x, %r
  %end = call i32 @llvm.smin.i32(i32 %reach, i32 %last)
  br label %head
head:
  %j = phi i32 [ %start, %entry ], [ %following, %body ]
  %ends = icmp sgt i32 %j, %end
  br i1 %ends, label %exit, label %body, !lanza.window !0
body:
  store i32 %j, ptr %out
  %following = add nsw i32 %j, 1
  br label %head
exit:
  ret void
}

; The same, not marked: it may be far more than lies between the edges.
; CHECK-LABEL: define void @of_any_launch(
; CHECK-NOT: window:
; CHECK: ret void
define void @of_any_launch(ptr %out, i32 %last, i32 %r) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = sub nsw i32 %x, %r
  %start = call i32 @llvm.smax.i32(i32 %first, i32 0)
  %reach = add nsw i32 %x, %r
  %end = call i32 @llvm.smin.i32(i32 %reach, i32 %last)
  br label %head
head:
  %j = phi i32 [ %start, %entry ], [ %following, %body ]
  %ends = icmp sgt i32 %j, %end
  br i1 %ends, label %exit, label %body
body:
  store i32 %j, ptr %out
  %following = add nsw i32 %j, 1
  br label %head
exit:
  ret void
}

!0 = !{}
