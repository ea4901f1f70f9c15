; RUN: %opt -kernel=apart -block=256 -lanes=16 -passes='llvm(loop-simplify,lcssa),exit-values' %s | %check %s --check-prefix=APART
; RUN: %opt -kernel=together -block=256 -lanes=16 -passes='llvm(loop-simplify,lcssa),exit-values' %s | %check %s --check-prefix=TOGETHER
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; Behind `for (j = 0; j <= i; ++j)` j is i: 2 * j + 1 is no value that each lane keeps from turn to turn. The sum is.
; APART-LABEL: @apart(
; APART: [[TWICE:%.*]] = shl i32 %i, 1
; APART: [[PLACE:%.*]] = add nuw nsw i32 [[TWICE]], 1
; APART: loop:
; APART: end:
; APART-NEXT: [[SUM:%.*]] = phi i32 [ %sum.next, %loop ]
; APART-NOT: phi
; APART: [[TO:%.*]] = getelementptr i32, ptr %out, i32 [[PLACE]]
; APART: store i32 [[SUM]], ptr [[TO]]
define void @apart(ptr %in, ptr %out) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %j = phi i32 [ 0, %0 ], [ %j.next, %loop ]
  %sum = phi i32 [ 0, %0 ], [ %sum.next, %loop ]
  %twice = shl nuw nsw i32 %j, 1
  %place = or disjoint i32 %twice, 1
  %from = getelementptr i32, ptr %in, i32 %place
  %value = load i32, ptr %from
  %sum.next = add i32 %sum, %value
  %j.next = add nuw nsw i32 %j, 1
  %last = icmp eq i32 %j, %i
  br i1 %last, label %end, label %loop
end:
  %to = getelementptr i32, ptr %out, i32 %place
  store i32 %sum.next, ptr %to
  ret void
}

; All lanes leave with one value: it costs nothing.
; TOGETHER-LABEL: @together(
; TOGETHER: [[PLACE:%.*]] = phi i32 [ %place, %loop ]
; TOGETHER: getelementptr i32, ptr %out, i32 [[PLACE]]
define void @together(ptr %in, ptr %out, i32 %n) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %j = phi i32 [ 0, %0 ], [ %j.next, %loop ]
  %place = shl nuw nsw i32 %j, 1
  %from = getelementptr i32, ptr %in, i32 %place
  store i32 %i, ptr %from
  %j.next = add nuw nsw i32 %j, 1
  %last = icmp eq i32 %j, %n
  br i1 %last, label %end, label %loop
end:
  %to = getelementptr i32, ptr %out, i32 %place
  store i32 %i, ptr %to
  ret void
}
