; RUN: %opt -kernel=butterfly -block=64 -lanes=8 -passes=follow-barriers %s | %check %s
; RUN: %opt -kernel=no_stride -block=64 -lanes=8 -passes=follow-barriers %s | %check %s --check-prefix=NONE
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; Places are made of the stride again behind the barrier, each part once; what all lanes share stays in front of it.
; CHECK-LABEL: define void @butterfly(
; CHECK: %less = add i32 %s, -1
; CHECK: call i64 @__lanza_sync
; CHECK-NEXT: [[LOW:%.*]] = and i32 %t, %less
; CHECK-NEXT: [[HIGH:%.*]] = sub i32 %t, [[LOW]]
; CHECK-NEXT: [[TWICE:%.*]] = shl i32 [[HIGH]], 1
; CHECK-NEXT: [[I:%.*]] = add i32 [[TWICE]], [[LOW]]
; CHECK-NEXT: [[J:%.*]] = add i32 [[I]], %s
; CHECK-NEXT: zext i32 [[I]] to i64
; CHECK: zext i32 [[J]] to i64
; CHECK-NOT: and i32
; CHECK: ret void
define void @butterfly(ptr %x, i32 %s) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %less = add i32 %s, -1
  %low = and i32 %t, %less
  %high = sub i32 %t, %low
  %twice = shl i32 %high, 1
  %i = add i32 %twice, %low
  %j = add i32 %i, %s
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %wide_i = zext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide_i
  %a = load float, ptr %p
  %wide_j = zext i32 %j to i64
  %q = getelementptr float, ptr %x, i64 %wide_j
  %b = load float, ptr %q
  %sum = fadd float %a, %b
  store float %sum, ptr %p
  ret void
}

; Neither of a thread's own place alone, which is cheaply kept or made again later on, nor of what was loaded.
; NONE-LABEL: define void @no_stride(
; NONE: call i64 @__lanza_sync
; NONE-NEXT: %p = getelementptr float, ptr %x, i64 %wide
define void @no_stride(ptr %x, ptr %places) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %three = mul i32 %t, 3
  %own = zext i32 %three to i64
  %from = getelementptr i32, ptr %places, i64 %own
  %place = load i32, ptr %from
  %wide = zext i32 %place to i64
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %p = getelementptr float, ptr %x, i64 %wide
  store float 0.0, ptr %p
  ret void
}
