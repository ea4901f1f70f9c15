; RUN: %opt -kernel=rows -passes=join-loads %s | %check %s

; Rows of an image that two groups come to by sums of their own are loaded once; what was written is loaded again.
; CHECK-LABEL: define void @rows(
; CHECK: loop:
; CHECK-COUNT-8: load <8 x float>
; CHECK-NOT: load <8 x float>
; CHECK: call void @use(<8 x float> %v7, <8 x float> %v1)
; CHECK: [[AGAIN:%.*]] = load <8 x float>, ptr %q0
; CHECK-NEXT: call void @use(<8 x float> [[AGAIN]], <8 x float> [[AGAIN]])
declare void @use(<8 x float>, <8 x float>)
define void @rows(ptr %a, i32 %width, i32 %y, i32 %n) {
entry:
  br label %loop
loop:
  %c = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = add i32 %c, %y
  %r0 = mul i32 %at, %width
  %p0 = getelementptr float, ptr %a, i32 %r0
  %v0 = load <8 x float>, ptr %p0
  %y1 = add i32 %at, 1
  %r1 = mul i32 %y1, %width
  %p1 = getelementptr float, ptr %a, i32 %r1
  %v1 = load <8 x float>, ptr %p1
  %y2 = add i32 %at, 2
  %r2 = mul i32 %y2, %width
  %p2 = getelementptr float, ptr %a, i32 %r2
  %v2 = load <8 x float>, ptr %p2
  %y3 = add i32 %at, 3
  %r3 = mul i32 %y3, %width
  %p3 = getelementptr float, ptr %a, i32 %r3
  %v3 = load <8 x float>, ptr %p3
  %y4 = add i32 %at, 4
  %r4 = mul i32 %y4, %width
  %p4 = getelementptr float, ptr %a, i32 %r4
  %v4 = load <8 x float>, ptr %p4
  %y5 = add i32 %at, 5
  %r5 = mul i32 %y5, %width
  %p5 = getelementptr float, ptr %a, i32 %r5
  %v5 = load <8 x float>, ptr %p5
  %y6 = add i32 %at, 6
  %r6 = mul i32 %y6, %width
  %p6 = getelementptr float, ptr %a, i32 %r6
  %v6 = load <8 x float>, ptr %p6
  %y7 = add i32 %at, 7
  %r7 = mul i32 %y7, %width
  %p7 = getelementptr float, ptr %a, i32 %r7
  %v7 = load <8 x float>, ptr %p7
  %below = add i32 %y, 1
  %other = add i32 %below, %c
  %q = mul i32 %width, %other
  %q0 = getelementptr float, ptr %a, i32 %q
  %w0 = load <8 x float>, ptr %q0
  call void @use(<8 x float> %v7, <8 x float> %w0)
  %w1 = load <8 x float>, ptr %q0
  call void @use(<8 x float> %w1, <8 x float> %w1)
  %next = add i32 %c, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
