; RUN: %opt -kernel=places -block=64 -lanes=16 -passes=narrow-bytes %s | %check %s --check-prefix=PLACES
; RUN: %opt -kernel=ranges -block=64 -lanes=16 -passes=narrow-bytes %s | %check %s --check-prefix=RANGES
; RUN: %opt -kernel=cut -block=64 -lanes=16 -passes=narrow-bytes %s | %check %s --check-prefix=HIGHBYTE
; RUN: %opt -kernel=bytes -block=256 -lanes=16 -passes=narrow-bytes %s | %check %s --check-prefix=BYTES
; RUN: %opt -kernel=difference -block=256 -lanes=16 -passes='narrow-bytes,llvm(instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=DIFFERENCE
; RUN: %opt -kernel=distance -block=256 -lanes=16 -passes=narrow-bytes %s | %check %s --check-prefix=DISTANCE
; RUN: %opt -kernel=limits -block=256 -lanes=16 -passes=narrow-bytes %s | %check %s --check-prefix=LIMITS
; RUN: %opt -kernel=product -block=256 -lanes=16 -passes=narrow-bytes %s | %check %s --check-prefix=PRODUCT
; RUN: %opt -kernel=chain -block=256 -lanes=16 -passes=narrow-bytes %s | %check %s --check-prefix=CHAIN
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.abs.i32(i32, i1)
declare i32 @llvm.smax.i32(i32, i32)

; |a - b| * 3 >> 1, saturated: nothing of it has 32 bits. The difference has nine, its magnitude eight.
; DIFFERENCE-LABEL: @difference(
; DIFFERENCE: [[MOST:%.*]] = call i8 @llvm.umax.i8(i8 [[A:%.*]], i8 [[B:%.*]])
; DIFFERENCE: [[LEAST:%.*]] = call i8 @llvm.umin.i8(i8 [[A]], i8 [[B]])
; DIFFERENCE: [[D:%.*]] = sub {{.*}}i8 [[MOST]], [[LEAST]]
; DIFFERENCE: zext i8 [[D]] to i16
; DIFFERENCE: lshr i16
; DIFFERENCE: add {{.*}}i16
; DIFFERENCE: call i16 @llvm.umin.i16(
; DIFFERENCE-NOT: i32
; DIFFERENCE: store i8
define void @difference(ptr %x, ptr %y, i8 %k) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %p = getelementptr i8, ptr %x, i64 %wide
  %q = getelementptr i8, ptr %y, i64 %wide
  %a8 = load i8, ptr %p
  %b8 = load i8, ptr %q
  %a = zext i8 %a8 to i32
  %b = zext i8 %b8 to i32
  %d = sub nsw i32 %a, %b
  %d1 = call i32 @llvm.abs.i32(i32 %d, i1 true)
  %m = mul nuw nsw i32 %d1, 3
  %h = lshr i32 %m, 1
  %high = icmp ugt i32 %h, 255
  %s = select i1 %high, i32 255, i32 %h
  %r = trunc i32 %s to i8
  store i8 %r, ptr %q
  ret void
}

; Of shorts as signed; what has no bytes or shorts, and differences that are asked for themselves, stay.
; DISTANCE-LABEL: @distance(
; DISTANCE: call i16 @llvm.smax.i16(i16
; DISTANCE: call i16 @llvm.smin.i16(i16
; DISTANCE: [[D:%.*]] = sub i16
; DISTANCE: zext i16 [[D]] to i32
; DISTANCE: call i32 @llvm.abs.i32(i32 %e, i1 true)
define void @distance(ptr %x, ptr %y, i8 %k) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %p = getelementptr i16, ptr %x, i64 %wide
  %q = getelementptr i32, ptr %y, i64 %wide
  %a16 = load i16, ptr %p
  %c = load i32, ptr %q
  %a = sext i16 %a16 to i32
  %b8 = sext i8 %k to i32
  %d = sub nsw i32 %a, %b8
  %far = call i32 @llvm.abs.i32(i32 %d, i1 true)
  store i32 %far, ptr %q
  %e = sub nsw i32 %b8, %a
  %near = call i32 @llvm.abs.i32(i32 %e, i1 true)
  %both = xor i32 %near, %e
  store i32 %both, ptr %q
  ret void
}

; A bound that nobody knows is cut where that changes no comparison; an index stays what it is.
; LIMITS-LABEL: @limits(
; A byte has no bit to spare: what lies below it is asked, too.
; LIMITS: [[LOW:%.*]] = call i32 @llvm.smax.i32(i32 %n, i32 0)
; LIMITS: [[CUT:%.*]] = call i32 @llvm.smin.i32(i32 [[LOW]], i32 255)
; LIMITS: [[X:%.*]] = trunc i32 %a to i8
; LIMITS: [[N:%.*]] = trunc i32 [[CUT]] to i8
; LIMITS: [[ABOVE:%.*]] = icmp ugt i8 [[X]], [[N]]
; LIMITS: [[BESIDE:%.*]] = icmp slt i32 %n, 0
; LIMITS: [[ANSWER:%.*]] = or i1 [[ABOVE]], [[BESIDE]]
; LIMITS: [[LOW:%.*]] = call i32 @llvm.smax.i32(i32 %n, i32 -32768)
; LIMITS: [[CUT:%.*]] = call i32 @llvm.smin.i32(i32 [[LOW]], i32 32767)
; LIMITS: [[X:%.*]] = trunc i32 %short to i16
; LIMITS: [[N:%.*]] = trunc i32 [[CUT]] to i16
; LIMITS: [[BELOW:%.*]] = icmp sle i16 [[X]], [[N]]
; LIMITS: [[BESIDE:%.*]] = icmp slt i32 %n, -32768
; LIMITS: [[NOT:%.*]] = xor i1 [[BESIDE]], true
; LIMITS: [[INSIDE:%.*]] = and i1 [[BELOW]], [[NOT]]
; LIMITS: icmp slt i32 %i, %n
; LIMITS: and i1 [[ANSWER]], [[INSIDE]]
define void @limits(ptr %x, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %p = getelementptr i8, ptr %x, i64 %wide
  %a8 = load i8, ptr %p
  %a = zext i8 %a8 to i32
  %above = icmp sgt i32 %a, %n
  %s = load i16, ptr %p
  %short = sext i16 %s to i32
  %inside = icmp sle i32 %short, %n
  %odd = and i32 %t, 7
  %i = mul i32 %odd, 3
  %in = icmp slt i32 %i, %n
  %two = and i1 %above, %inside
  %both = and i1 %two, %in
  %r = zext i1 %both to i8
  store i8 %r, ptr %p
  ret void
}

; The product of two bytes fits as unsigned; of a third one it does not.
; PRODUCT-LABEL: @product(
; PRODUCT: [[P:%.*]] = mul {{.*}}i16
; PRODUCT: [[W:%.*]] = zext i16 [[P]] to i32
; PRODUCT: mul {{.*}}i32 [[W]], %a
define void @product(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %p = getelementptr i8, ptr %x, i64 %wide
  %q = getelementptr i32, ptr %y, i64 %wide
  %a8 = load i8, ptr %p
  %a = zext i8 %a8 to i32
  %s = mul nuw nsw i32 %a, %a
  %c = mul nuw nsw i32 %s, %a
  store i32 %c, ptr %q
  ret void
}

; The least of three bytes is one; their sum is not, nor is what is shifted left.
; BYTES-LABEL: @bytes(
; BYTES: [[TWO:%.*]] = call i8 @llvm.umin.i8(
; BYTES: [[THREE:%.*]] = call i8 @llvm.umin.i8(
; BYTES: store i8
; BYTES: add i16
; BYTES: shl i16
define void @bytes(ptr %x, ptr %y, ptr %z) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %p = getelementptr i8, ptr %x, i64 %wide
  %q = getelementptr i8, ptr %y, i64 %wide
  %r = getelementptr i16, ptr %z, i64 %wide
  %a8 = load i8, ptr %p
  %b8 = load i8, ptr %q
  %a = zext i8 %a8 to i32
  %b = zext i8 %b8 to i32
  %least = call i32 @llvm.smin.i32(i32 %a, i32 %b)
  %capped = call i32 @llvm.smin.i32(i32 %least, i32 77)
  %c = trunc i32 %capped to i8
  store i8 %c, ptr %q
  %sum = add nuw nsw i32 %a, %b
  %left = shl nuw nsw i32 %sum, 1
  %s = trunc i32 %left to i16
  store i16 %s, ptr %r
  ret void
}

; A long chain of them, too: each is one of its operands.
; CHAIN-LABEL: @chain(
; CHAIN-COUNT-11: call i8 @llvm.umin.i8(
; CHAIN: store i8
define void @chain(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %p0 = getelementptr i8, ptr %x, i64 %wide
  %b0 = load volatile i8, ptr %p0
  %a0 = zext i8 %b0 to i32
  %p1 = getelementptr i8, ptr %x, i64 %wide
  %b1 = load volatile i8, ptr %p1
  %a1 = zext i8 %b1 to i32
  %p2 = getelementptr i8, ptr %x, i64 %wide
  %b2 = load volatile i8, ptr %p2
  %a2 = zext i8 %b2 to i32
  %p3 = getelementptr i8, ptr %x, i64 %wide
  %b3 = load volatile i8, ptr %p3
  %a3 = zext i8 %b3 to i32
  %p4 = getelementptr i8, ptr %x, i64 %wide
  %b4 = load volatile i8, ptr %p4
  %a4 = zext i8 %b4 to i32
  %p5 = getelementptr i8, ptr %x, i64 %wide
  %b5 = load volatile i8, ptr %p5
  %a5 = zext i8 %b5 to i32
  %p6 = getelementptr i8, ptr %x, i64 %wide
  %b6 = load volatile i8, ptr %p6
  %a6 = zext i8 %b6 to i32
  %p7 = getelementptr i8, ptr %x, i64 %wide
  %b7 = load volatile i8, ptr %p7
  %a7 = zext i8 %b7 to i32
  %p8 = getelementptr i8, ptr %x, i64 %wide
  %b8 = load volatile i8, ptr %p8
  %a8 = zext i8 %b8 to i32
  %p9 = getelementptr i8, ptr %x, i64 %wide
  %b9 = load volatile i8, ptr %p9
  %a9 = zext i8 %b9 to i32
  %p10 = getelementptr i8, ptr %x, i64 %wide
  %b10 = load volatile i8, ptr %p10
  %a10 = zext i8 %b10 to i32
  %p11 = getelementptr i8, ptr %x, i64 %wide
  %b11 = load volatile i8, ptr %p11
  %a11 = zext i8 %b11 to i32
  %m1 = call i32 @llvm.smin.i32(i32 %a0, i32 %a1)
  %m2 = call i32 @llvm.smin.i32(i32 %m1, i32 %a2)
  %m3 = call i32 @llvm.smin.i32(i32 %m2, i32 %a3)
  %m4 = call i32 @llvm.smin.i32(i32 %m3, i32 %a4)
  %m5 = call i32 @llvm.smin.i32(i32 %m4, i32 %a5)
  %m6 = call i32 @llvm.smin.i32(i32 %m5, i32 %a6)
  %m7 = call i32 @llvm.smin.i32(i32 %m6, i32 %a7)
  %m8 = call i32 @llvm.smin.i32(i32 %m7, i32 %a8)
  %m9 = call i32 @llvm.smin.i32(i32 %m8, i32 %a9)
  %m10 = call i32 @llvm.smin.i32(i32 %m9, i32 %a10)
  %m11 = call i32 @llvm.smin.i32(i32 %m10, i32 %a11)
  %q = getelementptr i8, ptr %y, i64 %wide
  %c = trunc i32 %m11 to i8
  store i8 %c, ptr %q
  ret void
}

; A sum of products fits where each whole bit does not tell; what is shifted left may be negative.
; RANGES-LABEL: define void @ranges(
; RANGES: mul i16
; RANGES: mul i16
; RANGES: [[SUM:%.*]] = add i16
; RANGES: sub i16
; RANGES: shl i16
; RANGES: call i16 @llvm.abs.i16
define void @ranges(ptr %x, ptr %y, ptr %z) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %p = getelementptr i8, ptr %x, i64 %wide
  %a = load i8, ptr %p
  %pb = getelementptr i8, ptr %y, i64 %wide
  %b = load i8, ptr %pb
  %wa = zext i8 %a to i32
  %wb = zext i8 %b to i32
  %ma = mul i32 %wa, 66
  %mb = mul i32 %wb, 129
  %sum = add i32 %ma, %mb
  %d = sub i32 %wa, %wb
  %s = shl i32 %d, 3
  %m = call i32 @llvm.abs.i32(i32 %s, i1 true)
  %q = getelementptr i32, ptr %z, i64 %wide
  %both = xor i32 %sum, %m
  store i32 %both, ptr %q
  ret void
}

; The high byte of a short: what lies above is not asked for, as InstCombine's numbers for negative ones show.
; HIGHBYTE-LABEL: define void @cut(
; HIGHBYTE: [[A:%.*]] = mul i16 {{%.*}}, -38
; HIGHBYTE: [[S:%.*]] = add i16 [[A]],
; HIGHBYTE: [[H:%.*]] = lshr i16 [[S]], 8
; HIGHBYTE: trunc i16 [[H]] to i8
define void @cut(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %p = getelementptr i8, ptr %x, i64 %wide
  %a = load i8, ptr %p
  %wa = zext i8 %a to i32
  %m = mul i32 %wa, 65498
  %sum = add i32 %m, 128
  %high = lshr i32 %sum, 8
  %c = trunc i32 %high to i8
  %q = getelementptr i8, ptr %y, i64 %wide
  store i8 %c, ptr %q
  ret void
}

; Where the least of some bytes lies: compared and chosen from only, in bytes as what is asked; a place that memory is
; found by stays wide, and so do those that words choose.
; PLACES-LABEL: define void @places(
; PLACES: [[FIRST:%.*]] = select i1 %less, i8 2, i8 1
; PLACES: icmp eq i8 {{.*}}, 1
; PLACES: %index = select i1 %less, i32 3, i32 4
; PLACES: %other = select i1 %words, i32 3, i32 4
define void @places(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %p = getelementptr i8, ptr %x, i64 %wide
  %p1 = getelementptr i8, ptr %p, i64 64
  %a = load i8, ptr %p
  %b = load i8, ptr %p1
  %less = icmp ult i8 %a, %b
  %place = select i1 %less, i32 2, i32 1
  %is = icmp eq i32 %place, 1
  %v = select i1 %is, i8 %a, i8 %b
  %q = getelementptr i8, ptr %y, i64 %wide
  store i8 %v, ptr %q
  %index = select i1 %less, i32 3, i32 4
  %wide.index = zext i32 %index to i64
  %r = getelementptr i8, ptr %q, i64 %wide.index
  store i8 %v, ptr %r
  %words = icmp slt i32 %t, 7
  %other = select i1 %words, i32 3, i32 4
  %is.other = icmp eq i32 %other, 3
  %w = select i1 %is.other, i8 %a, i8 %b
  %s = getelementptr i8, ptr %q, i64 128
  store i8 %w, ptr %s
  ret void
}
