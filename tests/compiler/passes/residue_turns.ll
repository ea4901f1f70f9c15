; RUN: %opt -passes=residue-turns %s | %check %s
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; for (k = 0; k < 4; ++k) { if (x - k < 0 || (x - k) % 2 != 0) continue; sum += a[(x - k) / 2]; }
; CHECK-LABEL: define void @filter(
; CHECK: [[FIRST:%.*]] = sub nsw i32 %x, 0
; CHECK: [[TURN:%.*]] = and i32 [[FIRST]], 1
; CHECK: [[EVEN:%.*]] = sub i32 [[FIRST]], [[TURN]]
; CHECK: [[MOST:%.*]] = ashr i32 [[EVEN]], 1
; CHECK: head:
; CHECK: %k = phi i32 [ 0, %entry ], [ %following, %latch ]
; CHECK: [[LEAPS:%.*]] = udiv exact i32 {{%.*}}, 2
; CHECK: [[QUOTIENT:%.*]] = sub nsw i32 [[MOST]], [[LEAPS]]
; CHECK: %goes = icmp ult i32 %k, 4
; CHECK: [[ASKS:%.*]] = icmp sge i32 [[QUOTIENT]], 0
; CHECK: br i1 [[ASKS]], label %body, label %latch
; CHECK: zext nneg i32 [[QUOTIENT]] to i64
; CHECK: %following = add nuw nsw i32 %k, 2
define void @filter(ptr %a, ptr %out, i32 %x) {
entry:
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %following, %latch ]
  %sum = phi float [ 0.0, %entry ], [ %kept, %latch ]
  %goes = icmp ult i32 %k, 4
  br i1 %goes, label %ask, label %exit
ask:
  %d = sub nsw i32 %x, %k
  %low = and i32 %d, -2147483647
  %even = icmp eq i32 %low, 0
  br i1 %even, label %body, label %latch
body:
  %half = lshr exact i32 %d, 1
  %wide = zext nneg i32 %half to i64
  %p = getelementptr float, ptr %a, i64 %wide
  %v = load float, ptr %p
  %more = fadd float %sum, %v
  br label %latch
latch:
  %kept = phi float [ %sum, %ask ], [ %more, %body ]
  %following = add nuw nsw i32 %k, 1
  br label %head
exit:
  store float %sum, ptr %out
  ret void
}

; Every third of four, by a remainder with a sign: the last turn may be beyond the end. What is used of the counter is
; that of the turn.
; CHECK-LABEL: define void @thirds(
; CHECK: [[LEFT:%.*]] = srem i32 {{%.*}}, 3
; CHECK: [[TURN:%.*]] = select i1 {{%.*}}, i32 {{%.*}}, i32 [[LEFT]]
; CHECK: head:
; CHECK: [[COUNTER:%.*]] = add nuw nsw i32 %k, [[TURN]]
; CHECK: [[INSIDE:%.*]] = icmp ult i32 [[COUNTER]], 4
; CHECK: [[ASKS:%.*]] = and i1 true, [[INSIDE]]
; CHECK: [[NOT:%.*]] = xor i1 [[ASKS]], true
; CHECK: br i1 [[NOT]], label %latch, label %body
; CHECK: zext nneg i32 [[COUNTER]] to i64
; CHECK: %following = add nuw nsw i32 %k, 3
define void @thirds(ptr %a, ptr %out, i32 %x) {
entry:
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %following, %latch ]
  %goes = icmp ult i32 %k, 4
  br i1 %goes, label %ask, label %exit
ask:
  %d = sub nsw i32 %x, %k
  %left = srem i32 %d, 3
  %other = icmp ne i32 %left, 0
  br i1 %other, label %latch, label %body
body:
  %third = sdiv i32 %d, 3
  %wide = zext nneg i32 %k to i64
  %p = getelementptr i32, ptr %a, i64 %wide
  store i32 %third, ptr %p
  br label %latch
latch:
  %following = add nuw nsw i32 %k, 1
  br label %head
exit:
  ret void
}

; Without a quotient neighbours would gain nothing; a turn that counts those that it leaves out does something.
; CHECK-LABEL: define void @checkered(
; CHECK: %following = add nuw nsw i32 %k, 1
; CHECK-LABEL: define void @counts(
; CHECK: %following = add nuw nsw i32 %k, 1
define void @checkered(ptr %a, i32 %x) {
entry:
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %following, %latch ]
  %goes = icmp ult i32 %k, 4
  br i1 %goes, label %ask, label %exit
ask:
  %d = sub nsw i32 %x, %k
  %low = and i32 %d, 1
  %even = icmp eq i32 %low, 0
  br i1 %even, label %body, label %latch
body:
  store i32 %k, ptr %a
  br label %latch
latch:
  %following = add nuw nsw i32 %k, 1
  br label %head
exit:
  ret void
}

define void @counts(ptr %a, i32 %x) {
entry:
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %following, %latch ]
  %n = phi i32 [ 0, %entry ], [ %m, %latch ]
  %goes = icmp ult i32 %k, 4
  br i1 %goes, label %ask, label %exit
ask:
  %d = sub nsw i32 %x, %k
  %next = add i32 %n, 1
  %low = and i32 %d, 1
  %even = icmp eq i32 %low, 0
  br i1 %even, label %body, label %latch
body:
  %half = ashr exact i32 %d, 1
  store i32 %half, ptr %a
  br label %latch
latch:
  %m = phi i32 [ %next, %ask ], [ %n, %body ]
  %following = add nuw nsw i32 %k, 1
  br label %head
exit:
  store i32 %n, ptr %a
  ret void
}
