; RUN: %opt -kernel=pairs -block=64 -lanes=16 -passes='store-words,llvm(verify)' %s | %check %s
; RUN: %opt -kernel=four -block=64 -lanes=16 -passes='store-words,llvm(verify)' %s | %check %s --check-prefix=FOUR
; RUN: %opt -kernel=askew -block=64 -lanes=16 -passes='store-words,llvm(verify)' %s | %check %s --check-prefix=ASKEW
; RUN: %opt -kernel=apart -block=64 -lanes=16 -passes='store-words,llvm(verify)' %s | %check %s --check-prefix=APART
; RUN: %opt -kernel=neighbours -block=64 -lanes=16 -passes='store-words,llvm(verify)' %s | %check %s --check-prefix=BESIDE
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; out[at[t]] = make_uchar2(a, b)
; CHECK-LABEL: define void @pairs(
; CHECK: [[LOW:%.*]] = zext i8 %a to i16
; CHECK: [[BYTE:%.*]] = zext i8 %b to i16
; CHECK: [[HIGH:%.*]] = shl i16 [[BYTE]], 8
; CHECK: [[BOTH:%.*]] = or i16 [[LOW]], [[HIGH]]
; CHECK: store i16 [[BOTH]], ptr %p, align 2
; CHECK-NOT: store
; CHECK: ret void
define void @pairs(ptr %out, ptr %at, i8 %a, i8 %b) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %ap = getelementptr i32, ptr %at, i64 %wide
  %i = load i32, ptr %ap
  %far = sext i32 %i to i64
  %p = getelementptr i16, ptr %out, i64 %far
  store i8 %a, ptr %p, align 2
  %q = getelementptr i8, ptr %p, i64 1
  store i8 %b, ptr %q, align 1
  ret void
}

; Four bytes are a word, a short and two bytes as well.
; FOUR-LABEL: define void @four(
; FOUR: store i32 {{.*}}, ptr %p, align 4
; FOUR-NOT: store
; FOUR: ret void
define void @four(ptr %out, ptr %at, half %a, i8 %b, i8 %c) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %ap = getelementptr i32, ptr %at, i64 %wide
  %i = load i32, ptr %ap
  %far = sext i32 %i to i64
  %p = getelementptr i32, ptr %out, i64 %far
  store half %a, ptr %p, align 4
  %q = getelementptr i8, ptr %p, i64 2
  store i8 %b, ptr %q, align 2
  %r = getelementptr i8, ptr %p, i64 3
  store i8 %c, ptr %r, align 1
  ret void
}

; What is not known to be aligned may lie across a line.
; ASKEW-LABEL: define void @askew(
; ASKEW: store i8
; ASKEW: store i8
define void @askew(ptr %out, ptr %at, i8 %a, i8 %b) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %ap = getelementptr i32, ptr %at, i64 %wide
  %i = load i32, ptr %ap
  %far = sext i32 %i to i64
  %p = getelementptr i8, ptr %out, i64 %far
  store i8 %a, ptr %p, align 1
  %q = getelementptr i8, ptr %p, i64 1
  store i8 %b, ptr %q, align 1
  ret void
}

; What is read between them may be what the first one wrote.
; APART-LABEL: define void @apart(
; APART: store i8
; APART: load i8
; APART: store i8
define void @apart(ptr %out, ptr %at, i8 %a, ptr %from) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %ap = getelementptr i32, ptr %at, i64 %wide
  %i = load i32, ptr %ap
  %far = sext i32 %i to i64
  %p = getelementptr i16, ptr %out, i64 %far
  store i8 %a, ptr %p, align 2
  %b = load i8, ptr %from
  %q = getelementptr i8, ptr %p, i64 1
  store i8 %b, ptr %q, align 1
  ret void
}

; Neighbours' records are vectors.
; BESIDE-LABEL: define void @neighbours(
; BESIDE: store i8
; BESIDE: store i8
define void @neighbours(ptr %out, i8 %a, i8 %b) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %p = getelementptr i16, ptr %out, i64 %wide
  store i8 %a, ptr %p, align 2
  %q = getelementptr i8, ptr %p, i64 1
  store i8 %b, ptr %q, align 1
  ret void
}
