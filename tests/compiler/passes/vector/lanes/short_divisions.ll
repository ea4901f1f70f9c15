; RUN: %opt -kernel=run -passes=short-divisions %s | %check %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; By the inverse, rounded up; remainders are what is left. What may have more bits stays, as do powers of two and elements of another size.
; CHECK-LABEL: define void @run(
; CHECK: [[X:%.*]] = lshr <8 x i32> %a, <i32 10,
; CHECK: [[F:%.*]] = sitofp <8 x i32> [[X]] to <8 x float>
; CHECK-NEXT: [[P:%.*]] = fmul <8 x float> [[F]], <float 0x3F70101020000000,
; CHECK-NEXT: [[Q:%.*]] = fptosi <8 x float> [[P]] to <8 x i32>
; CHECK-NEXT: store <8 x i32> [[Q]]
; CHECK: [[Y:%.*]] = ashr <8 x i32> %a, <i32 11,
; CHECK: [[R:%.*]] = fptosi
; CHECK-NEXT: [[M:%.*]] = mul <8 x i32> [[R]], <i32 28,
; CHECK-NEXT: [[REST:%.*]] = sub <8 x i32> [[Y]], [[M]]
; CHECK-NEXT: store <8 x i32> [[REST]]
; CHECK: udiv <8 x i32> %{{.*}}, <i32 255,
; CHECK: udiv <8 x i32> %{{.*}}, <i32 64,
; CHECK: udiv <8 x i32> %{{.*}}, %n
; CHECK: sdiv <8 x i32> %{{.*}}, <i32 -3,
; CHECK: udiv <8 x i16>
define void @run(ptr %p, <8 x i32> %a, <8 x i32> %n, <8 x i16> %s) {
  %x = lshr <8 x i32> %a, <i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10>
  %q = udiv <8 x i32> %x, <i32 255, i32 255, i32 255, i32 255, i32 255, i32 255, i32 255, i32 255>
  store <8 x i32> %q, ptr %p
  %y = ashr <8 x i32> %a, <i32 11, i32 11, i32 11, i32 11, i32 11, i32 11, i32 11, i32 11>
  %r = srem <8 x i32> %y, <i32 28, i32 28, i32 28, i32 28, i32 28, i32 28, i32 28, i32 28>
  store <8 x i32> %r, ptr %p
  %z = lshr <8 x i32> %a, <i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9>
  %t = udiv <8 x i32> %z, <i32 255, i32 255, i32 255, i32 255, i32 255, i32 255, i32 255, i32 255>
  store <8 x i32> %t, ptr %p
  %u = udiv <8 x i32> %x, <i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  store <8 x i32> %u, ptr %p
  %v = udiv <8 x i32> %x, %n
  store <8 x i32> %v, ptr %p
  %w = sdiv <8 x i32> %y, <i32 -3, i32 -3, i32 -3, i32 -3, i32 -3, i32 -3, i32 -3, i32 -3>
  store <8 x i32> %w, ptr %p
  %o = udiv <8 x i16> %s, <i16 255, i16 255, i16 255, i16 255, i16 255, i16 255, i16 255, i16 255>
  store <8 x i16> %o, ptr %p
  ret void
}
