; RUN: %opt -kernel=pixel -block=64 -lanes=16 -passes=whole-words %s | %check %s
; RUN: %opt -kernel=stays -block=64 -lanes=16 -passes=whole-words %s | %check %s --check-prefix=STAYS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; Members of a word from a place that comes from memory: also where one of them is not asked for, and halves.
; CHECK-LABEL: define void @pixel(
; CHECK: [[WORD:%.*]] = load i32, ptr %p, align 4
; CHECK: [[FIRST:%.*]] = lshr i32 [[WORD]], 0
; CHECK: trunc i32 [[FIRST]] to i8
; CHECK: [[SHIFTED:%.*]] = lshr i32 [[WORD]], 8
; CHECK: trunc i32 [[SHIFTED]] to i8
; CHECK: lshr i32 [[WORD]], 16
; CHECK: [[START:%.*]] = getelementptr i8, ptr %h2, i64 -2
; CHECK: [[PAIR:%.*]] = load i32, ptr [[START]], align 4
; CHECK: [[HIGH:%.*]] = lshr i32 [[PAIR]], 16
; CHECK: [[BITS:%.*]] = trunc i32 [[HIGH]] to i16
; CHECK: bitcast i16 [[BITS]] to half
; CHECK-NOT: load i8
; CHECK-NOT: load half
; CHECK: ret void
define void @pixel(ptr %image, ptr %places, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %place = getelementptr i64, ptr %places, i64 %wide
  %i = load i64, ptr %place
  %p = getelementptr i32, ptr %image, i64 %i
  %x = load i8, ptr %p, align 4
  %p1 = getelementptr i8, ptr %p, i64 1
  %y = load i8, ptr %p1
  %p2 = getelementptr i8, ptr %p, i64 2
  %z = load i8, ptr %p2, align 2
  %h = getelementptr i32, ptr %image, i64 %i
  %h0 = getelementptr i32, ptr %h, i64 5
  %h2 = getelementptr i8, ptr %h0, i64 2
  %b = load half, ptr %h2, align 2
  %a = load half, ptr %h0, align 4
  %xy = add i8 %x, %y
  %xyz = add i8 %xy, %z
  %to = getelementptr i8, ptr %out, i64 %wide
  store i8 %xyz, ptr %to
  %ab = fadd half %a, %b
  %to2 = getelementptr half, ptr %out, i64 %wide
  store half %ab, ptr %to2
  ret void
}

; Not neighbours, which are vectors; not what is not known to be of one word; not over a write; nor one member alone.
; STAYS-LABEL: define void @stays(
; STAYS-NOT: load i32
; STAYS: ret void
define void @stays(ptr %image, ptr %places, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %near = getelementptr i32, ptr %image, i64 %wide
  %near1 = getelementptr i8, ptr %near, i64 1
  %x = load i8, ptr %near, align 4
  %y = load i8, ptr %near1
  %place = getelementptr i64, ptr %places, i64 %wide
  %i = load i64, ptr %place
  %p = getelementptr i8, ptr %image, i64 %i
  %p1 = getelementptr i8, ptr %p, i64 1
  %x2 = load i8, ptr %p
  %y2 = load i8, ptr %p1
  %q = getelementptr i32, ptr %image, i64 %i
  %q1 = getelementptr i8, ptr %q, i64 1
  %x3 = load i8, ptr %q, align 4
  store i8 %x, ptr %out
  %y3 = load i8, ptr %q1
  %a = add i8 %x, %y
  %b = add i8 %a, %x2
  %c = add i8 %b, %y2
  %d = add i8 %c, %x3
  %e = add i8 %d, %y3
  %to = getelementptr i8, ptr %out, i64 %wide
  store i8 %e, ptr %to
  ret void
}
