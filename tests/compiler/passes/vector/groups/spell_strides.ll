; RUN: %opt -kernel=by_strides -passes=spell-strides %s | %check %s
; RUN: %opt -kernel=two -passes=spell-strides %s | %check %s --check-prefix=TWO
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; i / s0, i % s0 / s1, i % s0 % s1 / s2: by s2 * (s1 / s2) * (s0 / s1), and so on, whose quotients are arguments.
; CHECK-LABEL: define void @by_strides(ptr %0, i32 %1, ptr byval([3 x i32]) %2, i32 %3, i32 %4)
; CHECK: [[P2:%.*]] = getelementptr i8, ptr %2, i64 8
; CHECK: [[S2:%.*]] = load i32, ptr [[P2]]
; CHECK: [[S1:%.*]] = mul nsw i32 [[S2]], %4
; CHECK: [[S0:%.*]] = mul nsw i32 [[S1]], %3
; CHECK: sdiv i32 %1, [[S0]]
; CHECK: [[R0:%.*]] = srem i32 %1, [[S0]]
; CHECK: sdiv i32 [[R0]], [[S1]]
; CHECK: [[R1:%.*]] = srem i32 [[R0]], [[S1]]
; CHECK: sdiv i32 [[R1]], %s2
; CHECK: }
define void @by_strides(ptr %x, i32 %i, ptr byval([3 x i32]) %s) {
  %s0 = load i32, ptr %s
  %p1 = getelementptr i8, ptr %s, i64 4
  %s1 = load i32, ptr %p1
  %p2 = getelementptr i8, ptr %s, i64 8
  %s2 = load i32, ptr %p2
  %a = sdiv i32 %i, %s0
  %r0 = srem i32 %i, %s0
  %b = sdiv i32 %r0, %s1
  %r1 = srem i32 %r0, %s1
  %c = sdiv i32 %r1, %s2
  %ab = add i32 %a, %b
  %abc = add i32 %ab, %c
  store i32 %abc, ptr %x
  ret void
}

; A row's width and a step.
; TWO-LABEL: define void @two(ptr %x, i32 %i, i32 %w, i32 %s)
; TWO-NOT: mul
; TWO: }
define void @two(ptr %x, i32 %i, i32 %w, i32 %s) {
  %a = srem i32 %i, %w
  %b = sdiv i32 %a, %s
  %c = srem i32 %a, %s
  %sum = add i32 %b, %c
  store i32 %sum, ptr %x
  ret void
}
