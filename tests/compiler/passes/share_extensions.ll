; RUN: %opt -kernel=run -passes=share-extensions %s | %check %s
target triple = "x86_64-unknown-linux-gnu"

; One register holds both: other blocks look at its lower half, which each of them takes once.
; CHECK-LABEL: @run(
; CHECK: %narrow = mul i32 %a, %b
; CHECK-NEXT: %wide = sext i32 %narrow to i64
; CHECK-NEXT: %near = add i32 %narrow, 1
; CHECK: first:
; CHECK-NEXT: [[HALF:%.*]] = trunc i64 %wide to i32
; CHECK-NEXT: %x = add i32 [[HALF]], 1
; CHECK-NEXT: %y = mul i32 [[HALF]], [[HALF]]
; CHECK: second:
; CHECK-NEXT: [[THERE:%.*]] = trunc i64 %wide to i32
; CHECK-NEXT: %z = add i32 [[THERE]], %near

; What is stored keeps its register.
; CHECK-NEXT: store i32 %kept, ptr %p
define i64 @run(i32 %a, i32 %b, ptr %p, i1 %c) {
  %narrow = mul i32 %a, %b
  %wide = sext i32 %narrow to i64
  %near = add i32 %narrow, 1
  %kept = add i32 %a, %b
  %kept.wide = zext i32 %kept to i64
  br i1 %c, label %first, label %second

first:
  %x = add i32 %narrow, 1
  %y = mul i32 %narrow, %narrow
  %xy = add i32 %x, %y
  %long = sext i32 %xy to i64
  %sum = add i64 %long, %wide
  ret i64 %sum

second:
  %z = add i32 %narrow, %near
  store i32 %kept, ptr %p, align 4
  %end = sext i32 %z to i64
  %both = add i64 %end, %kept.wide
  ret i64 %both
}
