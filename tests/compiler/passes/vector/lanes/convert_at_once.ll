; RUN: %opt -kernel=words -target=x86-64-v4 -passes=convert-at-once %s | %check %s --check-prefix=WORDS
; RUN: %opt -kernel=words -target=x86-64-v3 -passes=convert-at-once %s | %check %s --check-prefix=V3
; RUN: %opt -kernel=bytes -target=x86-64-v4 -passes=convert-at-once %s | %check %s --check-prefix=BYTES
; RUN: %opt -kernel=unsigned -target=x86-64-v4 -passes=convert-at-once %s | %check %s --check-prefix=UNSIGNED
; RUN: %opt -kernel=kept -target=x86-64-v4 -passes=convert-at-once %s | %check %s --check-prefix=KEPT
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare <32 x float> @llvm.rint.v32f32(<32 x float>)

; NaN is 0 by a mask; what is too small is what the instruction gives.
; WORDS-LABEL: define void @words(
; WORDS: [[ORD:%.*]] = fcmp ord <16 x float> %x, zeroinitializer
; WORDS: [[BITS:%.*]] = bitcast <16 x i1> [[ORD]] to i16
; WORDS: [[C:%.*]] = call <16 x i32> @llvm.x86.avx512.mask.cvttps2dq.512(<16 x float> %x, <16 x i32> zeroinitializer, i16 [[BITS]], i32 4)
; WORDS: [[HIGH:%.*]] = fcmp oge <16 x float> %x, <float 0x41E0000000000000,
; WORDS: [[R:%.*]] = select <16 x i1> [[HIGH]], <16 x i32> <i32 2147483647,{{.*}}, <16 x i32> [[C]]
; WORDS-NEXT: store <16 x i32> [[R]]
; V3-LABEL: define void @words(
; V3: fptosi
define void @words(<16 x float> %x, ptr %p) {
  %high = fcmp ult <16 x float> %x, splat (float 2147483648.0)
  %low = fcmp oge <16 x float> %x, splat (float -2147483648.0)
  %in = and <16 x i1> %low, %high
  %inside = select <16 x i1> %in, <16 x float> %x, <16 x float> zeroinitializer
  %c = fptosi <16 x float> %inside to <16 x i32>
  %top = select <16 x i1> %high, <16 x i32> %c, <16 x i32> splat (i32 2147483647)
  %under = fcmp olt <16 x float> %x, splat (float -2147483648.0)
  %r = select <16 x i1> %under, <16 x i32> splat (i32 -2147483648), <16 x i32> %top
  store <16 x i32> %r, ptr %p
  ret void
}

; Of NaN and of what is too small the lowest byte is 0; the instruction rounds, too.
; BYTES-LABEL: define void @bytes(
; BYTES-COUNT-2: call <16 x i32> @llvm.x86.avx512.mask.cvtps2dq.512(<16 x float> {{.*}}, <16 x i32> zeroinitializer, i16 -1, i32 4)
; BYTES: [[HIGH:%.*]] = fcmp oge <32 x float> %y, <float 0x41E0000000000000,
; BYTES: [[W:%.*]] = select <32 x i1> [[HIGH]], <32 x i32> <i32 -1,
; BYTES: [[R:%.*]] = trunc <32 x i32> [[W]] to <32 x i8>
; BYTES-NEXT: store <32 x i8> [[R]]
define void @bytes(<32 x float> %y, ptr %p) {
  %x = call <32 x float> @llvm.rint.v32f32(<32 x float> %y)
  %high = fcmp ult <32 x float> %x, splat (float 2147483648.0)
  %low = fcmp oge <32 x float> %x, splat (float -2147483648.0)
  %in = and <32 x i1> %low, %high
  %c = fptosi <32 x float> %x to <32 x i32>
  %t = trunc <32 x i32> %c to <32 x i8>
  %inside = select <32 x i1> %in, <32 x i8> %t, <32 x i8> zeroinitializer
  %top = select <32 x i1> %high, <32 x i8> %inside, <32 x i8> splat (i8 -1)
  %under = fcmp olt <32 x float> %x, splat (float -2147483648.0)
  %r = select <32 x i1> %under, <32 x i8> zeroinitializer, <32 x i8> %top
  store <32 x i8> %r, ptr %p
  ret void
}

; What is negative is 0 first, and so is NaN.
; UNSIGNED-LABEL: define void @unsigned(
; UNSIGNED: [[ABOVE:%.*]] = fcmp ogt <16 x float> %x, zeroinitializer
; UNSIGNED: [[POSITIVE:%.*]] = select <16 x i1> [[ABOVE]], <16 x float> %x, <16 x float> zeroinitializer
; UNSIGNED: [[R:%.*]] = call <16 x i32> @llvm.x86.avx512.mask.cvttps2udq.512(<16 x float> [[POSITIVE]],
; UNSIGNED-NEXT: store <16 x i32> [[R]]
define void @unsigned(<16 x float> %x, ptr %p) {
  %high = fcmp ult <16 x float> %x, splat (float 4294967296.0)
  %low = fcmp oge <16 x float> %x, zeroinitializer
  %in = and <16 x i1> %low, %high
  %inside = select <16 x i1> %in, <16 x float> %x, <16 x float> zeroinitializer
  %c = fptoui <16 x float> %inside to <16 x i32>
  %r = select <16 x i1> %high, <16 x i32> %c, <16 x i32> splat (i32 -1)
  store <16 x i32> %r, ptr %p
  ret void
}

; Another value for NaN, another end.
; KEPT-LABEL: define void @kept(
; KEPT-NOT: x86.avx512
; KEPT: ret void
define void @kept(<16 x float> %x, ptr %p, ptr %q) {
  %low = fcmp oge <16 x float> %x, splat (float -2147483648.0)
  %high = fcmp olt <16 x float> %x, splat (float 2147483648.0)
  %in = and <16 x i1> %low, %high
  %inside = select <16 x i1> %in, <16 x float> %x, <16 x float> zeroinitializer
  %c = fptosi <16 x float> %inside to <16 x i32>
  %top = select <16 x i1> %high, <16 x i32> %c, <16 x i32> splat (i32 2147483647)
  %under = fcmp olt <16 x float> %x, splat (float -2147483648.0)
  %r = select <16 x i1> %under, <16 x i32> splat (i32 -2147483648), <16 x i32> %top
  store <16 x i32> %r, ptr %p
  %less = fcmp ult <16 x float> %x, splat (float 100.0)
  %few = select <16 x i1> %less, <16 x float> %x, <16 x float> zeroinitializer
  %d = fptosi <16 x float> %few to <16 x i32>
  %s = select <16 x i1> %less, <16 x i32> %d, <16 x i32> splat (i32 2147483647)
  store <16 x i32> %s, ptr %q
  ret void
}
