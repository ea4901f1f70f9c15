; RUN: %opt -kernel=alike -passes=prepare-control,linearise,widen,keep-records,lower-record-shuffles %s | %check %s --check-prefix=ALIKE
; RUN: %opt -kernel=divided -passes=prepare-control,linearise,widen,keep-records,lower-record-shuffles %s | %check %s --check-prefix=DIVIDED
; RUN: %opt -kernel=others -passes=prepare-control,linearise,widen,keep-records,lower-record-shuffles %s | %check %s --check-prefix=WORDS
; RUN: %opt -kernel=swapped -passes=prepare-control,linearise,widen,keep-records,lower-record-shuffles %s | %check %s --check-prefix=WORDS
; RUN: %opt -kernel=seen -passes=prepare-control,linearise,widen,keep-records,lower-record-shuffles %s | %check %s --check-prefix=WORDS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; Shorts of a word that go through the same operations: nothing is taken apart, nor is a word loaded.
; ALIKE-LABEL: define void @alike(
; ALIKE: [[A:%.*]] = load <8 x i16>
; ALIKE: [[B:%.*]] = load <8 x i16>
; ALIKE: mul <8 x i16> [[A]], <i16 3, i16 5, i16 3, i16 5, i16 3, i16 5, i16 3, i16 5>
; ALIKE: mul <8 x i16> [[B]], <i16 3, i16 5,
; ALIKE-NOT: i32>
; ALIKE: store <8 x i16>
; ALIKE: store <8 x i16>
define void @alike(ptr %x, ptr %y) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %i
  %a = load i16, ptr %p, align 4
  %q = getelementptr i8, ptr %p, i64 2
  %b = load i16, ptr %q
  %fa = mul i16 %a, 3
  %fb = mul i16 %b, 5
  %r = getelementptr i32, ptr %y, i64 %i
  store i16 %fa, ptr %r, align 4
  %s = getelementptr i8, ptr %r, i64 2
  store i16 %fb, ptr %s
  ret void
}

; Quotients by one constant.
; DIVIDED-LABEL: define void @divided(
; DIVIDED: udiv <8 x i16> {{.*}}, <i16 159,
; DIVIDED: udiv <8 x i16> {{.*}}, <i16 159,
; DIVIDED-NOT: shufflevector
; DIVIDED: store <8 x i16>
define void @divided(ptr %x, ptr %y) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %i
  %a = load i16, ptr %p, align 4
  %q = getelementptr i8, ptr %p, i64 2
  %b = load i16, ptr %q
  %fa = udiv i16 %a, 159
  %fb = udiv i16 %b, 159
  %r = getelementptr i32, ptr %y, i64 %i
  store i16 %fa, ptr %r, align 4
  %s = getelementptr i8, ptr %r, i64 2
  store i16 %fb, ptr %s
  ret void
}

; Other operations, members that change places, or that somebody else looks at: parts of words.
; WORDS: load <8 x i32>
; WORDS: store <8 x i32>
define void @others(ptr %x, ptr %y) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %i
  %a = load i16, ptr %p, align 4
  %q = getelementptr i8, ptr %p, i64 2
  %b = load i16, ptr %q
  %fa = mul i16 %a, 3
  %fb = add i16 %b, 3
  %r = getelementptr i32, ptr %y, i64 %i
  store i16 %fa, ptr %r, align 4
  %s = getelementptr i8, ptr %r, i64 2
  store i16 %fb, ptr %s
  ret void
}

define void @swapped(ptr %x, ptr %y) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %i
  %a = load i16, ptr %p, align 4
  %q = getelementptr i8, ptr %p, i64 2
  %b = load i16, ptr %q
  %fa = mul i16 %a, 3
  %fb = mul i16 %b, 3
  %r = getelementptr i32, ptr %y, i64 %i
  store i16 %fb, ptr %r, align 4
  %s = getelementptr i8, ptr %r, i64 2
  store i16 %fa, ptr %s
  ret void
}

define void @seen(ptr %x, ptr %y, ptr %z) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %i
  %a = load i16, ptr %p, align 4
  %q = getelementptr i8, ptr %p, i64 2
  %b = load i16, ptr %q
  %fa = mul i16 %a, 3
  %fb = mul i16 %b, 3
  %both = xor i16 %a, %b
  %at = getelementptr i16, ptr %z, i64 %i
  store i16 %both, ptr %at
  %r = getelementptr i32, ptr %y, i64 %i
  store i16 %fa, ptr %r, align 4
  %s = getelementptr i8, ptr %r, i64 2
  store i16 %fb, ptr %s
  ret void
}
