; RUN: %opt -kernel=tile -block=32,8 -lanes=16 -passes=prefetch-blocks %s | %check %s
; RUN: %opt -kernel=tile -block=32,8 -lanes=16 -passes=prefetch-blocks,prepare-control,linearise,widen %s | %check %s --check-prefix=WIDE
; RUN: %opt -kernel=tile -block=256 -lanes=16 -passes=prefetch-blocks %s | %check %s --check-prefix=NONE
; RUN: %opt -kernel=tile -block=64,4 -lanes=16 -passes=prefetch-blocks %s | %check %s --check-prefix=NONE
; RUN: %opt -kernel=planes -block=32,8 -lanes=16 -passes=prefetch-blocks %s | %check %s --check-prefix=NONE
; RUN: %opt -kernel=alone -block=32,8 -lanes=16 -passes=prefetch-blocks %s | %check %s --check-prefix=NONE
; RUN: %opt -kernel=others -block=32,8 -lanes=16 -passes=prefetch-blocks %s | %check %s --check-prefix=NONE
; RUN: %opt -kernel=along -block=32,8 -lanes=16 -target=znver4 -passes=prefetch-blocks %s | %check %s --check-prefix=ASKS
; RUN: %opt -kernel=along -block=32,8 -lanes=16 -target=sapphirerapids -passes=prefetch-blocks %s | %check %s --check-prefix=NONE
; RUN: %opt -kernel=apart -block=32,8 -lanes=16 -target=sapphirerapids -passes=prefetch-blocks %s | %check %s --check-prefix=ASKS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare range(i32 0, 32) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32) convergent

; NONE-NOT: call void @llvm.prefetch

; What the block after the next one loads, by sums and products; what it stores is not asked for.
; CHECK-LABEL: define void @tile(
; CHECK: %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
; CHECK-NEXT: [[B:%.*]] = add i32 %b, 2
; CHECK: [[ROW:%.*]] = mul nsw i32 [[B]], %n
; CHECK: [[AT:%.*]] = add nsw i32 [[ROW]], %t
; CHECK: [[LONG:%.*]] = sext i32 [[AT]] to i64
; CHECK: [[THERE:%.*]] = getelementptr inbounds float, ptr %x, i64 [[LONG]]
; CHECK: call void @llvm.prefetch.p0(ptr [[THERE]], i32 0, i32 2, i32 1)
; CHECK-NEXT: load float, ptr %p
; CHECK-NOT: call void @llvm.prefetch
; CHECK: ret void
; WIDE-LABEL: define void @tile(
; WIDE-COUNT-1: call void @llvm.prefetch
; WIDE-NOT: call void @llvm.prefetch
; WIDE: ret void
define void @tile(ptr %x, ptr %y, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %row = mul nsw i32 %b, %n
  %at = add nsw i32 %row, %t
  %wide = sext i32 %at to i64
  %p = getelementptr inbounds float, ptr %x, i64 %wide
  %v = load float, ptr %p
  %wait = call i64 @__lanza_sync(i32 1, i32 0, i32 -1, i64 0, i32 0)
  %q = getelementptr inbounds float, ptr %y, i64 %wide
  store float %v, ptr %q
  ret void
}

; Without a barrier the processor runs ahead by itself.
define void @alone(ptr %x, ptr %y, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %row = mul nsw i32 %b, %n
  %at = add nsw i32 %row, %t
  %wide = sext i32 %at to i64
  %p = getelementptr inbounds float, ptr %x, i64 %wide
  %v = load float, ptr %p
  %q = getelementptr inbounds float, ptr %y, i64 %wide
  store float %v, ptr %q
  ret void
}

; The same for all blocks, by a quotient that might be by 0, and in a loop.
define void @others(ptr %x, ptr %y, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %p = getelementptr float, ptr %x, i32 %t
  %v = load float, ptr %p
  %part = udiv i32 %n, %b
  %q = getelementptr float, ptr %x, i32 %part
  %w = load float, ptr %q
  %wait = call i64 @__lanza_sync(i32 1, i32 0, i32 -1, i64 0, i32 0)
  br label %loop
loop:
  %i = phi i32 [ %b, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %r = getelementptr float, ptr %x, i32 %i
  %u = load float, ptr %r
  %s = fadd float %u, %v
  %z = fadd float %s, %w
  %to = getelementptr float, ptr %y, i32 %t
  store float %z, ptr %to
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The cache loses it while this block goes round.
define void @planes(ptr %x, ptr %y, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %row = mul nsw i32 %b, %n
  %at = add nsw i32 %row, %t
  %p = getelementptr inbounds float, ptr %x, i32 %at
  %v = load float, ptr %p
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %wait = call i64 @__lanza_sync(i32 1, i32 0, i32 -1, i64 0, i32 0)
  %to = getelementptr float, ptr %y, i32 %i
  store float %v, ptr %to
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Blocks of a row that write side by side Intel's cores follow by themselves; those of a transposition they do not.
; ASKS: call void @llvm.prefetch
define void @along(ptr %x, ptr %y, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = shl i32 %b, 5
  %at = add nsw i32 %first, %t
  %p = getelementptr inbounds float, ptr %x, i32 %at
  %v = load float, ptr %p
  %wait = call i64 @__lanza_sync(i32 1, i32 0, i32 -1, i64 0, i32 0)
  %q = getelementptr inbounds float, ptr %y, i32 %at
  store float %v, ptr %q
  ret void
}

define void @apart(ptr %x, ptr %y, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = shl i32 %b, 5
  %at = add nsw i32 %first, %t
  %p = getelementptr inbounds float, ptr %x, i32 %at
  %v = load float, ptr %p
  %wait = call i64 @__lanza_sync(i32 1, i32 0, i32 -1, i64 0, i32 0)
  %row = mul nsw i32 %first, %n
  %there = add nsw i32 %row, %t
  %q = getelementptr inbounds float, ptr %y, i32 %there
  store float %v, ptr %q
  ret void
}
