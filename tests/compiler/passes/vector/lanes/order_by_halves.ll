; Real and imaginary parts stay in the order in which one shuffle takes them out of two registers.
; RUN: %opt -kernel=scale -target=haswell -passes=order-by-halves %s | %check %s --check-prefix=SCALE
; RUN: %opt -kernel=magnitude -target=haswell -passes=order-by-halves %s | %check %s --check-prefix=MAGNITUDE
; RUN: %opt -kernel=weighted -target=haswell -passes=order-by-halves %s | %check %s --check-prefix=WEIGHTED
; RUN: %opt -kernel=none -target=haswell -passes=order-by-halves %s | %check %s --check-prefix=NONE
; RUN: %opt -kernel=scale -target=skylake-avx512 -passes=order-by-halves %s | %check %s --check-prefix=OTHERS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; What all lanes have alike needs no order.
; SCALE-LABEL: define void @scale
; SCALE: shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 0, i32 2, i32 8, i32 10, i32 4, i32 6, i32 12, i32 14>
; SCALE: shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 1, i32 3, i32 9, i32 11, i32 5, i32 7, i32 13, i32 15>
; SCALE-NEXT: {{.*}} = fmul <8 x float> %re, {{.*}}2.000000e+00
; SCALE-NEXT: {{.*}} = fsub <8 x float> %im, %re.2
; SCALE-NEXT: {{.*}} = shufflevector <8 x float> %re.2, <8 x float> %im.2, <16 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13, i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
; OTHERS-LABEL: define void @scale
; OTHERS: <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
define void @scale(<8 x float> %a, <8 x float> %b, ptr %p) {
  %re = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %im = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15>
  %re.2 = fmul <8 x float> %re, splat (float 2.0)
  %im.2 = fsub <8 x float> %im, %re.2
  %pairs = shufflevector <8 x float> %re.2, <8 x float> %im.2, <16 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11, i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  store <16 x float> %pairs, ptr %p
  ret void
}

; One result of two parts is put in order.
; MAGNITUDE-LABEL: define void @magnitude
; MAGNITUDE: [[SUM:%.*]] = fadd <8 x float>
; MAGNITUDE: [[ORDERED:%.*]] = shufflevector <8 x float> [[SUM]], <8 x float> poison, <8 x i32> <i32 0, i32 1, i32 4, i32 5, i32 2, i32 3, i32 6, i32 7>
; MAGNITUDE: store <8 x float> [[ORDERED]]
define void @magnitude(<8 x float> %a, <8 x float> %b, ptr %p) {
  %re = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %im = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15>
  %re.2 = fmul <8 x float> %re, %re
  %im.2 = fmul <8 x float> %im, %im
  %sum = fadd <8 x float> %re.2, %im.2
  store <8 x float> %sum, ptr %p
  ret void
}

; So is an operand, once.
; WEIGHTED-LABEL: define void @weighted
; WEIGHTED: [[WEIGHTS:%.*]] = shufflevector <8 x float> %w, <8 x float> poison, <8 x i32> <i32 0, i32 1, i32 4, i32 5, i32 2, i32 3, i32 6, i32 7>
; WEIGHTED: fmul <8 x float> %re, [[WEIGHTS]]
; WEIGHTED: <16 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4,
define void @weighted(<8 x float> %a, <8 x float> %b, <8 x float> %w, ptr %p) {
  %re = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %im = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15>
  %re.2 = fmul <8 x float> %re, %w
  %im.2 = fmul <8 x float> %im, %w
  %pairs = shufflevector <8 x float> %re.2, <8 x float> %im.2, <16 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11, i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  store <16 x float> %pairs, ptr %p
  ret void
}

; Nothing is spared where the result and an operand are in order; other distances and shorter lanes stay.
; NONE-LABEL: define void @none
; NONE: <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
; NONE: <i32 0, i32 3, i32 6, i32 9, i32 12, i32 15, i32 1, i32 4>
; NONE: shufflevector <8 x i16> %c, <8 x i16> %d, <8 x i32> <i32 0, i32 2, i32 4,
define void @none(<8 x float> %a, <8 x float> %b, <8 x i16> %c, <8 x i16> %d, <8 x float> %w, ptr %p, ptr %q) {
  %re = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %sum = fadd <8 x float> %re, %w
  store <8 x float> %sum, ptr %p
  %third = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 0, i32 3, i32 6, i32 9, i32 12, i32 15, i32 1, i32 4>
  store <8 x float> %third, ptr %q
  %shorts = shufflevector <8 x i16> %c, <8 x i16> %d, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  store <8 x i16> %shorts, ptr %q
  ret void
}
