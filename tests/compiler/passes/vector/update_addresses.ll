; RUN: %opt -kernel=many -passes=update-addresses %s | %check %s --check-prefixes=MANY
; RUN: %opt -kernel=few -passes=update-addresses %s | %check %s --check-prefixes=FEW
target triple = "x86_64-pc-linux-gnu"

; MANY-LABEL: define void @many(
; MANY: %p0 = getelementptr inbounds [64 x i32], ptr %bins, i64 0, i64 %i0
; MANY-NEXT: [[P0:%.*]] = call ptr asm "", "=r,0"(ptr %p0)
; MANY-NEXT: %old0 = load i32, ptr [[P0]]
; MANY: store i32 %new0, ptr [[P0]]
; MANY: %p8 = getelementptr
; MANY-NEXT: call ptr asm "", "=r,0"(ptr %p8)
; What is only written, or at a constant place, stays.
; MANY: store i32 0, ptr %written
; MANY: store i32 %sum, ptr %first
define void @many(ptr %bins, i64 %i0, i64 %i1, i64 %i2, i64 %i3, i64 %i4, i64 %i5, i64 %i6, i64 %i7, i64 %i8) {
  %p0 = getelementptr inbounds [64 x i32], ptr %bins, i64 0, i64 %i0
  %old0 = load i32, ptr %p0
  %new0 = add i32 %old0, 1
  store i32 %new0, ptr %p0
  %p1 = getelementptr inbounds [64 x i32], ptr %bins, i64 0, i64 %i1
  %old1 = load i32, ptr %p1
  %new1 = add i32 %old1, 1
  store i32 %new1, ptr %p1
  %p2 = getelementptr inbounds [64 x i32], ptr %bins, i64 0, i64 %i2
  %old2 = load i32, ptr %p2
  %new2 = add i32 %old2, 1
  store i32 %new2, ptr %p2
  %p3 = getelementptr inbounds [64 x i32], ptr %bins, i64 0, i64 %i3
  %old3 = load i32, ptr %p3
  %new3 = add i32 %old3, 1
  store i32 %new3, ptr %p3
  %p4 = getelementptr inbounds [64 x i32], ptr %bins, i64 0, i64 %i4
  %old4 = load i32, ptr %p4
  %new4 = add i32 %old4, 1
  store i32 %new4, ptr %p4
  %p5 = getelementptr inbounds [64 x i32], ptr %bins, i64 0, i64 %i5
  %old5 = load i32, ptr %p5
  %new5 = add i32 %old5, 1
  store i32 %new5, ptr %p5
  %p6 = getelementptr inbounds [64 x i32], ptr %bins, i64 0, i64 %i6
  %old6 = load i32, ptr %p6
  %new6 = add i32 %old6, 1
  store i32 %new6, ptr %p6
  %p7 = getelementptr inbounds [64 x i32], ptr %bins, i64 0, i64 %i7
  %old7 = load i32, ptr %p7
  %new7 = add i32 %old7, 1
  store i32 %new7, ptr %p7
  %p8 = getelementptr inbounds [64 x i32], ptr %bins, i64 0, i64 %i8
  %old8 = load i32, ptr %p8
  %new8 = add i32 %old8, 1
  store i32 %new8, ptr %p8
  %written = getelementptr inbounds [64 x i32], ptr %bins, i64 0, i64 %i3
  store i32 0, ptr %written
  %first = getelementptr inbounds [64 x i32], ptr %bins, i64 0, i64 1
  %sum = load i32, ptr %first
  store i32 %sum, ptr %first
  ret void
}

; FEW-LABEL: define void @few(
; FEW-NOT: asm
; FEW: ret void
define void @few(ptr %bins, i64 %i0, i64 %i1, i64 %i2, i64 %i3, i64 %i4, i64 %i5, i64 %i6, i64 %i7, i64 %i8) {
  %p0 = getelementptr inbounds [64 x i32], ptr %bins, i64 0, i64 %i0
  %old0 = load i32, ptr %p0
  %new0 = add i32 %old0, 1
  store i32 %new0, ptr %p0
  %p1 = getelementptr inbounds [64 x i32], ptr %bins, i64 0, i64 %i1
  %old1 = load i32, ptr %p1
  %new1 = add i32 %old1, 1
  store i32 %new1, ptr %p1
  %p2 = getelementptr inbounds [64 x i32], ptr %bins, i64 0, i64 %i2
  %old2 = load i32, ptr %p2
  %new2 = add i32 %old2, 1
  store i32 %new2, ptr %p2
  %p3 = getelementptr inbounds [64 x i32], ptr %bins, i64 0, i64 %i3
  %old3 = load i32, ptr %p3
  %new3 = add i32 %old3, 1
  store i32 %new3, ptr %p3
  %p4 = getelementptr inbounds [64 x i32], ptr %bins, i64 0, i64 %i4
  %old4 = load i32, ptr %p4
  %new4 = add i32 %old4, 1
  store i32 %new4, ptr %p4
  %p5 = getelementptr inbounds [64 x i32], ptr %bins, i64 0, i64 %i5
  %old5 = load i32, ptr %p5
  %new5 = add i32 %old5, 1
  store i32 %new5, ptr %p5
  %p6 = getelementptr inbounds [64 x i32], ptr %bins, i64 0, i64 %i6
  %old6 = load i32, ptr %p6
  %new6 = add i32 %old6, 1
  store i32 %new6, ptr %p6
  %p7 = getelementptr inbounds [64 x i32], ptr %bins, i64 0, i64 %i7
  %old7 = load i32, ptr %p7
  %new7 = add i32 %old7, 1
  store i32 %new7, ptr %p7
  ret void
}
