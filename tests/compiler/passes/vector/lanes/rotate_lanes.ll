; Eight lanes side by side in two registers.
; RUN: %opt -kernel=behind -target=haswell -passes=rotate-lanes %s | %check %s --check-prefix=BEHIND
; RUN: %opt -kernel=before -target=haswell -passes=rotate-lanes %s | %check %s --check-prefix=BEFORE
; RUN: %opt -kernel=two -target=haswell -passes=rotate-lanes %s | %check %s --check-prefix=TWO
; RUN: %opt -kernel=even -target=haswell -passes=rotate-lanes %s | %check %s --check-prefix=EVEN
; RUN: %opt -kernel=behind -target=skylake-avx512 -passes=rotate-lanes %s | %check %s --check-prefix=NONE
; RUN: %opt -kernel=behind -target=sandybridge -passes=rotate-lanes %s | %check %s --check-prefix=NONE
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; From lane 1 on: the register between both comes behind the first.
; BEHIND-LABEL: define <8 x float> @behind
; BEHIND: [[BETWEEN:%.*]] = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11>
; BEHIND: [[LANES:%.*]] = call <8 x float> asm "vpalignr $$4, $2, $1, $0", "=x,x,x"(<8 x float> [[BETWEEN]], <8 x float> %a)
; BEHIND: ret <8 x float> [[LANES]]
; NONE-LABEL: define <8 x float> @behind
; NONE-NOT: asm
; NONE: ret
define <8 x float> @behind(<8 x float> %a, <8 x float> %b) {
  %r = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 1, i32 2, i32 3, i32 4, i32 poison, i32 6, i32 7, i32 8>
  ret <8 x float> %r
}

; From lane 7 on: before the second one.
; BEFORE-LABEL: define <8 x i32> @before
; BEFORE: [[BETWEEN:%.*]] = shufflevector <8 x i32> %a, <8 x i32> %b, <8 x i32> <i32 4,
; BEFORE: call <8 x i32> asm "vpalignr $$12, $2, $1, $0", "=x,x,x"(<8 x i32> %b, <8 x i32> [[BETWEEN]])
define <8 x i32> @before(<8 x i32> %a, <8 x i32> %b) {
  %r = shufflevector <8 x i32> %a, <8 x i32> %b, <8 x i32> <i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14>
  ret <8 x i32> %r
}

; Each register by itself: what a warp's last lane keeps is no row.
; TWO-LABEL: define <16 x float> @two
; TWO: [[LOW:%.*]] = shufflevector <16 x float> %a, <16 x float> poison, <8 x i32> <i32 0,
; TWO: [[HIGH:%.*]] = shufflevector <16 x float> %a, <16 x float> poison, <8 x i32> <i32 8,
; TWO: [[FIRST:%.*]] = call <8 x float> asm "vpalignr $$4, $2, $1, $0", "=x,x,x"(<8 x float> {{%.*}}, <8 x float> [[LOW]])
; TWO: [[LAST:%.*]] = shufflevector <16 x float> %a, <16 x float> poison, <8 x i32> <i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 15>
; TWO: shufflevector <8 x float> [[FIRST]], <8 x float> [[LAST]], <16 x i32> <i32 0,
define <16 x float> @two(<16 x float> %a) {
  %r = shufflevector <16 x float> %a, <16 x float> poison, <16 x i32> <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 15>
  ret <16 x float> %r
}

; Two instructions as it is; one operand; shorts.
; EVEN-LABEL: define <8 x float> @even
; EVEN-NOT: asm
; EVEN: ret
define <8 x float> @even(<8 x float> %a, <8 x float> %b, <8 x i16> %c, <8 x i16> %d, ptr %p) {
  %r = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9>
  %turned = shufflevector <8 x float> %r, <8 x float> poison, <8 x i32> <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 0>
  %shorts = shufflevector <8 x i16> %c, <8 x i16> %d, <8 x i32> <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8>
  store <8 x i16> %shorts, ptr %p
  ret <8 x float> %turned
}
