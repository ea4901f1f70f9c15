; Loops that ask at their beginning ask at their end, the inner one and the outer one, behind each other or not.
; RUN: %opt -passes=rotate-loops %s | %check %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define i32 @nested(
; CHECK: entry:
; CHECK-NEXT: [[ANY:%.*]] = icmp slt i32 0, %n
; CHECK-NEXT: br i1 [[ANY]], label %[[OUTER:.*]], label %end
; CHECK: inner.body:
; CHECK: [[MORE:%.*]] = icmp slt i32 %{{.*}}, %m
; CHECK-NEXT: br i1 [[MORE]], label %inner.body, label
; CHECK: outer.next:
; CHECK: [[AGAIN:%.*]] = icmp slt i32 %{{.*}}, %n
; CHECK-NEXT: br i1 [[AGAIN]], label %outer.body, label
define i32 @nested(i32 %n, i32 %m, ptr %p) {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %outer.next ]
  %outer.goes = icmp slt i32 %i, %n
  br i1 %outer.goes, label %outer.body, label %end
outer.body:
  br label %inner
inner:
  %j = phi i32 [ %i, %outer.body ], [ %j.next, %inner.body ]
  %inner.goes = icmp slt i32 %j, %m
  br i1 %inner.goes, label %inner.body, label %outer.next
inner.body:
  store volatile i32 %j, ptr %p
  %j.next = add i32 %j, 1
  br label %inner
outer.next:
  %i.next = add i32 %i, 1
  br label %outer
end:
  %last = phi i32 [ %i, %outer ]
  br label %second
second:
  %k = phi i32 [ %last, %end ], [ %k.next, %second.body ]
  %second.goes = icmp ult i32 %k, 100
  br i1 %second.goes, label %second.body, label %exit
second.body:
  store volatile i32 %k, ptr %p
  %k.next = mul i32 %k, 3
  br label %second
exit:
  %result = phi i32 [ %k, %second ]
  ret i32 %result
}

; One that asks at its end stays as it is.
; CHECK-LABEL: define void @turned(
; CHECK: body:
; CHECK-NEXT: %i = phi i32
; CHECK: br i1 %goes, label %body, label %end
define void @turned(i32 %n, ptr %p) {
entry:
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  store volatile i32 %i, ptr %p
  %next = add i32 %i, 1
  %goes = icmp slt i32 %next, %n
  br i1 %goes, label %body, label %end
end:
  ret void
}
