; RUN: %opt -kernel=rows -passes='step-rows,llvm(verify)' %s | %check %s
; RUN: %opt -kernel=few -passes='step-rows,llvm(verify)' %s | %check %s --check-prefix=FEW
; RUN: %opt -kernel=may_wrap -passes='step-rows,llvm(verify)' %s | %check %s --check-prefix=WRAPS
; RUN: %opt -kernel=late -passes='step-rows,llvm(verify)' %s | %check %s --check-prefix=LATE
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Rows y - 1, y, y + 1 and y + 2 of n elements: steps of n where that is known, one product with y in the loop, and one
; address for each array. What else is made of an index is the sum.
; CHECK-LABEL: define void @rows(
; CHECK: entry:
; CHECK-NEXT: [[N:%.*]] = sext i32 %n to i64
; CHECK-DAG: mul nsw i64 [[N]], -4
; CHECK-DAG: mul nsw i64 [[N]], 4
; CHECK-DAG: [[TWO:%.*]] = mul nsw i64 [[N]], 2
; CHECK-DAG: [[BYTES:%.*]] = mul nsw i64 [[N]], 8
; CHECK: loop:
; CHECK: [[Y:%.*]] = sext i32 %y to i64
; CHECK: [[FIRST:%.*]] = mul nsw i64 [[Y]], [[N]]
; CHECK: [[ROW:%.*]] = getelementptr float, ptr %x, i64 [[FIRST]]
; CHECK-NOT: mul
; CHECK: load <16 x float>, ptr [[ROW]]
; CHECK-DAG: getelementptr i8, ptr [[ROW]], i64 [[BYTES]]
; CHECK-DAG: [[SUM:%.*]] = add nsw i64 [[FIRST]], [[TWO]]
; CHECK: store i64 [[SUM]]
; CHECK: ret void
define void @rows(ptr %x, ptr %to, i32 %n, i32 %last) {
entry:
  br label %loop
loop:
  %y = phi i32 [ 4, %entry ], [ %next, %loop ]
  %before = add nsw i32 %y, -1
  %m0 = mul nsw i32 %before, %n
  %i0 = sext i32 %m0 to i64
  %p0 = getelementptr float, ptr %x, i64 %i0
  %v0 = load <16 x float>, ptr %p0
  %m1 = mul nsw i32 %y, %n
  %i1 = sext i32 %m1 to i64
  %p1 = getelementptr float, ptr %x, i64 %i1
  %v1 = load <16 x float>, ptr %p1
  %behind = or disjoint i32 %y, 1
  %m2 = mul nsw i32 %n, %behind
  %i2 = sext i32 %m2 to i64
  %p2 = getelementptr float, ptr %x, i64 %i2
  %v2 = load <16 x float>, ptr %p2
  %further = add nuw nsw i32 %y, 2
  %m3 = mul nsw i32 %further, %n
  %i3 = sext i32 %m3 to i64
  %p3 = getelementptr float, ptr %x, i64 %i3
  %v3 = load <16 x float>, ptr %p3
  store i64 %i3, ptr %to
  %a = fadd <16 x float> %v0, %v1
  %b = fadd <16 x float> %v2, %v3
  %c = fadd <16 x float> %a, %b
  store <16 x float> %c, ptr %p1
  %next = add nuw nsw i32 %y, 4
  %more = icmp slt i32 %next, %last
  br i1 %more, label %loop, label %done
done:
  ret void
}

; Three rows: as many operations either way.
; FEW-LABEL: define void @few(
; FEW-COUNT-3: mul nsw i32
; FEW: ret void
define void @few(ptr %x, i32 %n, i32 %y) {
  %r1 = add nsw i32 %y, 1
  %m1 = mul nsw i32 %r1, %n
  %i1 = sext i32 %m1 to i64
  %p1 = getelementptr float, ptr %x, i64 %i1
  store float 0.0, ptr %p1
  %r2 = add nsw i32 %y, 2
  %m2 = mul nsw i32 %r2, %n
  %i2 = sext i32 %m2 to i64
  %p2 = getelementptr float, ptr %x, i64 %i2
  store float 0.0, ptr %p2
  %r3 = add nsw i32 %y, 3
  %m3 = mul nsw i32 %r3, %n
  %i3 = sext i32 %m3 to i64
  %p3 = getelementptr float, ptr %x, i64 %i3
  store float 0.0, ptr %p3
  ret void
}

; A sum that may wrap is not y and a constant in 64 bits; nor is a product.
; WRAPS-LABEL: define void @may_wrap(
; WRAPS-NOT: i64 %n
; WRAPS: ret void
define void @may_wrap(ptr %x, i32 %n, i32 %y) {
  %m0 = mul nsw i32 %y, %n
  %i0 = sext i32 %m0 to i64
  %p0 = getelementptr float, ptr %x, i64 %i0
  store float 0.0, ptr %p0
  %r1 = add i32 %y, 1
  %m1 = mul nsw i32 %r1, %n
  %i1 = sext i32 %m1 to i64
  %p1 = getelementptr float, ptr %x, i64 %i1
  store float 0.0, ptr %p1
  %r2 = add nsw i32 %y, 2
  %m2 = mul i32 %r2, %n
  %i2 = sext i32 %m2 to i64
  %p2 = getelementptr float, ptr %x, i64 %i2
  store float 0.0, ptr %p2
  %r3 = add i32 %y, 3
  %m3 = mul nsw i32 %r3, %n
  %i3 = sext i32 %m3 to i64
  %p3 = getelementptr float, ptr %x, i64 %i3
  store float 0.0, ptr %p3
  ret void
}

; Where n is known later than y there is no place for their product.
; LATE-LABEL: define void @late(
; LATE-COUNT-4: mul nsw i32
; LATE: ret void
define void @late(ptr %x, ptr %size, i32 %y) {
  %y0 = add nsw i32 %y, 7
  %n = load i32, ptr %size
  %m0 = mul nsw i32 %y0, %n
  %i0 = sext i32 %m0 to i64
  %p0 = getelementptr float, ptr %x, i64 %i0
  store float 0.0, ptr %p0
  %r1 = add nsw i32 %y0, 1
  %m1 = mul nsw i32 %r1, %n
  %i1 = sext i32 %m1 to i64
  %p1 = getelementptr float, ptr %x, i64 %i1
  store float 0.0, ptr %p1
  %r2 = add nsw i32 %y0, 2
  %m2 = mul nsw i32 %r2, %n
  %i2 = sext i32 %m2 to i64
  %p2 = getelementptr float, ptr %x, i64 %i2
  store float 0.0, ptr %p2
  %r3 = add nsw i32 %y0, 3
  %m3 = mul nsw i32 %r3, %n
  %i3 = sext i32 %m3 to i64
  %p3 = getelementptr float, ptr %x, i64 %i3
  store float 0.0, ptr %p3
  ret void
}
