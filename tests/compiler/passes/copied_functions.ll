; Functions with many calls (here two) and what they call, unless a pass has yet to say what an operation means.
; RUN: %opt -passes=copied-functions %s | %check %s
target triple = "nvptx64-nvidia-cuda"

%half = type { i16 }
%pair = type { %half, %half }

; Reads through its parameter, and so needs no copy of it.
; CHECK-LABEL: define internal i16 @second(ptr byval(%pair) %x)
; CHECK-SAME: [[READS:#[0-9]+]]
; CHECK: [[PLACE:%.*]] = getelementptr {{.*}} %x
; CHECK-NEXT: [[VALUE:%.*]] = load i16, ptr [[PLACE]]
; CHECK-NEXT: ret i16 [[VALUE]]
define internal i16 @second(ptr byval(%pair) %x) {
  %copy = alloca %half
  %member = getelementptr %pair, ptr %x, i32 0, i32 1
  call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr %member, i64 2, i1 false)
  %known = icmp ne i32 1, 0
  br label %next
next:
  %value = load i16, ptr %copy
  ret i16 %value
}

; A pair that is put together half by half.
; CHECK-LABEL: define internal %pair @swapped(
; CHECK-NOT: alloca
; CHECK: ret %pair
define internal %pair @swapped(i16 %x, i16 %y) {
  %pair = alloca %pair
  %half = alloca i16
  store i16 %y, ptr %half
  call void @llvm.memcpy.p0.p0.i64(ptr %pair, ptr %half, i64 2, i1 false)
  %member = getelementptr %pair, ptr %pair, i32 0, i32 1
  store i16 %x, ptr %member
  %value = load %pair, ptr %pair
  ret %pair %value
}

; A shift within the width is what it is anywhere.
; CHECK-LABEL: define internal i32 @eightfold(
; CHECK-NOT: alloca
; CHECK: shl i32 %x, 3
define internal i32 @eightfold(i32 %x) {
  %a = alloca i32
  store i32 %x, ptr %a
  %value = load i32, ptr %a
  %shifted = shl i32 %value, 3
  ret i32 %shifted
}

; CHECK-LABEL: define internal i32 @shifted(
; CHECK: alloca
define internal i32 @shifted(i32 %x, i32 %by) {
  %a = alloca i32
  store i32 %by, ptr %a
  %value = load i32, ptr %a
  %shifted = shl i32 %x, %value
  ret i32 %shifted
}

; CHECK-LABEL: define internal i32 @too_far(
; CHECK: alloca
define internal i32 @too_far(i32 %x) {
  %a = alloca i32
  store i32 %x, ptr %a
  %value = load i32, ptr %a
  %shifted = shl i32 %value, 32
  ret i32 %shifted
}

; CHECK-LABEL: define internal i32 @quotient(
; CHECK: alloca
define internal i32 @quotient(i32 %x, i32 %y) {
  %a = alloca i32
  store i32 %y, ptr %a
  %value = load i32, ptr %a
  %quotient = sdiv i32 %x, %value
  ret i32 %quotient
}

; clang says that a bool is 0 or 1, where any byte may be.
; CHECK-LABEL: define internal i1 @flag(
; CHECK: alloca
define internal i1 @flag(ptr %p) {
  %a = alloca i8
  %byte = load i8, ptr %p, !range !0
  store i8 %byte, ptr %a
  %value = load i8, ptr %a
  %bit = trunc i8 %value to i1
  ret i1 %bit
}

; Nor more than 0 or 1 where the variable is given a condition only.
; CHECK-LABEL: define internal i32 @chosen(
; CHECK-NOT: alloca
; CHECK: select i1
define internal i32 @chosen(i32 %x, i32 %y) {
  %a = alloca i8
  %less = icmp slt i32 %x, %y
  %byte = zext i1 %less to i8
  store i8 %byte, ptr %a
  %value = load i8, ptr %a, !range !0
  %bit = trunc i8 %value to i1
  br i1 %bit, label %lesser, label %end
lesser:
  br label %end
end:
  %result = phi i32 [ %y, %0 ], [ %x, %lesser ]
  ret i32 %result
}

; What it calls is anything, but its own values are in registers.
; CHECK-LABEL: define internal i32 @outer(
; CHECK-NOT: alloca
define internal i32 @outer(i32 %x) {
  %a = alloca i32
  store i32 %x, ptr %a
  %value = load i32, ptr %a
  %result = call i32 @quotient(i32 %value, i32 7)
  ret i32 %result
}

; CHECK-LABEL: define internal i32 @called_once(
; CHECK: alloca
define internal i32 @called_once(i32 %x) {
  %a = alloca i32
  store i32 %x, ptr %a
  %value = load i32, ptr %a
  ret i32 %value
}

define void @caller(ptr %p, i32 %n) {
  %a = call i16 @second(ptr byval(%pair) %p)
  %b = call i16 @second(ptr byval(%pair) %p)
  %c = call %pair @swapped(i16 %a, i16 %b)
  %d = call %pair @swapped(i16 %b, i16 %a)
  %e = call i32 @eightfold(i32 %n)
  %f = call i32 @eightfold(i32 %e)
  %g = call i32 @shifted(i32 %f, i32 %n)
  %h = call i32 @shifted(i32 %g, i32 %e)
  %i = call i32 @too_far(i32 %h)
  %j = call i32 @too_far(i32 %i)
  %k = call i1 @flag(ptr %p)
  %l = call i1 @flag(ptr %p)
  %m = call i32 @outer(i32 %j)
  %o = call i32 @outer(i32 %m)
  %r = call i32 @chosen(i32 %o, i32 %n)
  %s = call i32 @chosen(i32 %r, i32 %m)
  %q = call i32 @called_once(i32 %s)
  store %pair %c, ptr %p
  store %pair %d, ptr %p
  store i32 %q, ptr %p
  store i1 %k, ptr %p
  store i1 %l, ptr %p
  ret void
}

; CHECK: attributes [[READS]] = { memory(read) }
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

!0 = !{i8 0, i8 2}
