; RUN: %opt -block=64 -passes='ask-in-front,llvm(verify)' %s | %check %s
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Members of a record at a border are copied, others are computed: two loops.
; CHECK-LABEL: define void @border(
; CHECK: br i1 %border, label %turn, label %[[NO:.*]]
; CHECK: turn:
; CHECK: br i1 true, label %copy, label %work
; CHECK: [[NO]]:
; CHECK: br i1 false, label %{{.*}}, label %{{.*}}
define void @border(ptr %in, ptr %out, i1 %border) {
entry:
  br label %turn
turn:
  %c = phi i64 [ 0, %entry ], [ %next, %join ]
  %p = getelementptr i8, ptr %in, i64 %c
  %q = getelementptr i8, ptr %out, i64 %c
  br i1 %border, label %copy, label %work
copy:
  %a = load i8, ptr %p
  store i8 %a, ptr %q
  br label %join
work:
  %b = load i8, ptr %p
  %twice = shl i8 %b, 1
  store i8 %twice, ptr %q
  br label %join
join:
  %next = add nuw nsw i64 %c, 1
  %more = icmp ult i64 %next, 3
  br i1 %more, label %turn, label %end
end:
  ret void
}

; A way without memory becomes a choice, and one question a turn is no one question.
; CHECK-LABEL: define void @choice(
; CHECK: entry:
; CHECK-NEXT: br label %turn
; CHECK-LABEL: define void @each(
; CHECK: entry:
; CHECK-NEXT: br label %turn
; CHECK-LABEL: define void @many(
; CHECK: entry:
; CHECK-NEXT: br label %turn
define void @choice(ptr %in, ptr %out, i1 %border) {
entry:
  br label %turn
turn:
  %c = phi i64 [ 0, %entry ], [ %next, %join ]
  %p = getelementptr i8, ptr %in, i64 %c
  %a = load i8, ptr %p
  br i1 %border, label %join, label %work
work:
  %twice = shl i8 %a, 1
  br label %join
join:
  %v = phi i8 [ %a, %turn ], [ %twice, %work ]
  store i8 %v, ptr %p
  %next = add nuw nsw i64 %c, 1
  %more = icmp ult i64 %next, 3
  br i1 %more, label %turn, label %end
end:
  ret void
}

define void @each(ptr %in, ptr %out, i64 %n) {
entry:
  br label %turn
turn:
  %c = phi i64 [ 0, %entry ], [ %next, %join ]
  %p = getelementptr i8, ptr %in, i64 %c
  %q = getelementptr i8, ptr %out, i64 %c
  %is = icmp eq i64 %c, %n
  br i1 %is, label %copy, label %work
copy:
  %a = load i8, ptr %p
  store i8 %a, ptr %q
  br label %join
work:
  store i8 0, ptr %q
  br label %join
join:
  %next = add nuw nsw i64 %c, 1
  %more = icmp ult i64 %next, 3
  br i1 %more, label %turn, label %end
end:
  ret void
}

; So many turns stay a loop.
define void @many(ptr %in, ptr %out, i1 %border) {
entry:
  br label %turn
turn:
  %c = phi i64 [ 0, %entry ], [ %next, %join ]
  %p = getelementptr i8, ptr %in, i64 %c
  %q = getelementptr i8, ptr %out, i64 %c
  br i1 %border, label %copy, label %work
copy:
  %a = load i8, ptr %p
  store i8 %a, ptr %q
  br label %join
work:
  store i8 0, ptr %q
  br label %join
join:
  %next = add nuw nsw i64 %c, 1
  %more = icmp ult i64 %next, 100
  br i1 %more, label %turn, label %end
end:
  ret void
}
