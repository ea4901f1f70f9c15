; RUN: %opt -kernel=update -passes=update-addresses %s | %check %s
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @update(
define void @update(ptr %bins, <2 x i64> %wide, <4 x i32> %narrow, i64 %integer) {
; CHECK: %p0 = getelementptr inbounds [64 x i32], ptr %bins, i64 0, i64 %i0
; CHECK-NEXT: [[P0:%.*]] = call ptr asm "", "=r,0"(ptr %p0)
; CHECK-NEXT: %old0 = load i32, ptr [[P0]]
; CHECK: store i32 %new0, ptr [[P0]]
  %i0 = extractelement <2 x i64> %wide, i64 0
  %p0 = getelementptr inbounds [64 x i32], ptr %bins, i64 0, i64 %i0
  %old0 = load i32, ptr %p0
  %new0 = add i32 %old0, 1
  store i32 %new0, ptr %p0
; CHECK: %p1 = getelementptr
; CHECK-NEXT: call ptr asm "", "=r,0"(ptr %p1)
  %i1 = extractelement <4 x i32> %narrow, i64 1
  %w1 = zext i32 %i1 to i64
  %p1 = getelementptr inbounds [64 x i32], ptr %bins, i64 0, i64 %w1
  %old1 = load i32, ptr %p1
  %new1 = add i32 %old1, 1
  store i32 %new1, ptr %p1
; What an integer operation gave, and what is only written, stays.
; CHECK-NOT: asm
; CHECK: store i32 %new2, ptr %p2
; CHECK: store i32 0, ptr %p3
  %i2 = lshr i64 %integer, 32
  %p2 = getelementptr inbounds [64 x i32], ptr %bins, i64 0, i64 %i2
  %old2 = load i32, ptr %p2
  %new2 = add i32 %old2, 1
  store i32 %new2, ptr %p2
  %i3 = extractelement <2 x i64> %wide, i64 1
  %p3 = getelementptr inbounds [64 x i32], ptr %bins, i64 0, i64 %i3
  store i32 0, ptr %p3
  ret void
}
