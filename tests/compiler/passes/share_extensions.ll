; RUN: %opt -kernel=run -passes=share-extensions %s | %check %s
; RUN: %opt -kernel=equals -passes=share-extensions %s | %check --check-prefix=EQUAL %s
; RUN: %opt -kernel=address -passes=share-extensions %s | %check --check-prefix=ADDRESS %s
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

; What the first block extends is extended nowhere else; nothing is extended twice in one block.
; EQUAL-LABEL: @equals(
; EQUAL: %wide = zext i32 %narrow to i64
; EQUAL: first:
; EQUAL-NEXT: [[HALF:%.*]] = trunc i64 %wide to i32
; EQUAL-NEXT: %p1 = getelementptr float, ptr %p, i64 %wide
; EQUAL-NEXT: %signed = sext i32 [[HALF]] to i64
; EQUAL-NEXT: %p2 = getelementptr float, ptr %p1, i64 %signed
; EQUAL-NEXT: %p3 = getelementptr float, ptr %p2, i64 %signed
; EQUAL: second:
; EQUAL-NEXT: [[LOW:%.*]] = trunc i64 %wide to i32
; EQUAL-NEXT: %less = icmp slt i32 [[LOW]], %n
define ptr @equals(i32 %a, i32 %n, ptr %p, i1 %c) {
  %narrow = mul i32 %a, %n
  %wide = zext nneg i32 %narrow to i64
  %x = add i64 %wide, 1
  br i1 %c, label %first, label %second

first:
  %again = zext i32 %narrow to i64
  %p1 = getelementptr float, ptr %p, i64 %again
  %signed = sext i32 %narrow to i64
  %p2 = getelementptr float, ptr %p1, i64 %signed
  %twice = sext i32 %narrow to i64
  %p3 = getelementptr float, ptr %p2, i64 %twice
  ret ptr %p3

second:
  %less = icmp slt i32 %narrow, %n
  %y = select i1 %less, i64 %x, i64 0
  %p4 = getelementptr float, ptr %p, i64 %y
  ret ptr %p4
}

; An address is computed where it is used, and what it is made of lives there.
; ADDRESS-LABEL: @address(
; ADDRESS: %wide = sext i32 %narrow to i64
; ADDRESS: elsewhere:
; ADDRESS-NEXT: [[HALF:%.*]] = trunc i64 %wide to i32
; ADDRESS-NEXT: %v = load i32, ptr %place
; ADDRESS-NEXT: %sum = add i32 [[HALF]], %v
define i32 @address(i32 %a, i32 %b, ptr %p, i1 %c) {
  %narrow = mul i32 %a, %b
  %wide = sext i32 %narrow to i64
  %row = getelementptr [64 x i32], ptr %p, i64 %wide
  %place = getelementptr i8, ptr %row, i64 16
  br i1 %c, label %elsewhere, label %end

elsewhere:
  %v = load i32, ptr %place, align 4
  %sum = add i32 %narrow, %v
  ret i32 %sum

end:
  ret i32 0
}
