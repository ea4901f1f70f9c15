; RUN: %opt -kernel=sums -passes=pack-steps %s | %check %s --check-prefix=SUMS
; RUN: %opt -kernel=differences -passes=pack-steps %s | %check %s --check-prefix=DIFFERENCES
; RUN: %opt -kernel=looked_at -passes=pack-steps %s | %check %s --check-prefix=LOOKED
; RUN: %opt -kernel=taken_twice -passes=pack-steps %s | %check %s --check-prefix=TAKEN
; Steps are done for the lanes that are looked at in the end.
target triple = "x86_64-pc-linux-gnu"

; Sums of four of eight lanes.
; SUMS-LABEL: define <2 x float> @sums(
; SUMS: [[A:%.*]] = shufflevector <8 x float> %v, <8 x float> poison, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
; SUMS: [[B:%.*]] = shufflevector <8 x float> %v, <8 x float> poison, <4 x i32> <i32 2, i32 6, i32 3, i32 7>
; SUMS: [[AB:%.*]] = fadd <4 x float> [[A]], [[B]]
; SUMS: [[L:%.*]] = shufflevector <4 x float> [[AB]], <4 x float> poison, <2 x i32> <i32 0, i32 1>
; SUMS: [[H:%.*]] = shufflevector <4 x float> [[AB]], <4 x float> poison, <2 x i32> <i32 2, i32 3>
; SUMS: [[SUMS:%.*]] = fadd <2 x float> [[L]], [[H]]
; SUMS: ret <2 x float> [[SUMS]]
define <2 x float> @sums(ptr %p) {
  %v = load <8 x float>, ptr %p
  %across = shufflevector <8 x float> %v, <8 x float> poison, <8 x i32> <i32 2, i32 3, i32 0, i32 1, i32 6, i32 7, i32 4, i32 5>
  %pairs = fadd <8 x float> %v, %across
  %beside = shufflevector <8 x float> %pairs, <8 x float> poison, <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
  %fours = fadd <8 x float> %pairs, %beside
  %result = shufflevector <8 x float> %fours, <8 x float> poison, <2 x i32> <i32 0, i32 4>
  ret <2 x float> %result
}

; The order of operands stays.
; DIFFERENCES-LABEL: define <2 x i32> @differences(
; DIFFERENCES: [[A:%.*]] = shufflevector <4 x i32> %v, <4 x i32> poison, <2 x i32> <i32 1, i32 3>
; DIFFERENCES: [[B:%.*]] = shufflevector <4 x i32> %v, <4 x i32> poison, <2 x i32> <i32 0, i32 2>
; DIFFERENCES: [[D:%.*]] = sub nsw <2 x i32> [[A]], [[B]]
; DIFFERENCES: [[L:%.*]] = shufflevector <2 x i32> [[D]], <2 x i32> poison, <1 x i32> zeroinitializer
; DIFFERENCES: [[H:%.*]] = shufflevector <2 x i32> [[D]], <2 x i32> poison, <1 x i32> <i32 1>
; DIFFERENCES: call <1 x i32> @llvm.smax.v1i32(<1 x i32> [[L]], <1 x i32> [[H]])
define <2 x i32> @differences(ptr %p) {
  %v = load <4 x i32>, ptr %p
  %after = shufflevector <4 x i32> %v, <4 x i32> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
  %steps = sub nsw <4 x i32> %after, %v
  %across = shufflevector <4 x i32> %steps, <4 x i32> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 1>
  %most = call <4 x i32> @llvm.smax.v4i32(<4 x i32> %steps, <4 x i32> %across)
  %one = shufflevector <4 x i32> %most, <4 x i32> poison, <1 x i32> zeroinitializer
  %two = shufflevector <1 x i32> %one, <1 x i32> poison, <2 x i32> zeroinitializer
  ret <2 x i32> %two
}

; Somebody else looks at the pairs, too: one step is left, which is a matter of combining.
; LOOKED-LABEL: define <2 x float> @looked_at(
; LOOKED: %fours = fadd <8 x float> %pairs, %beside
define <2 x float> @looked_at(ptr %p, ptr %q) {
  %v = load <8 x float>, ptr %p
  %across = shufflevector <8 x float> %v, <8 x float> poison, <8 x i32> <i32 2, i32 3, i32 0, i32 1, i32 6, i32 7, i32 4, i32 5>
  %pairs = fadd <8 x float> %v, %across
  store <8 x float> %pairs, ptr %q
  %beside = shufflevector <8 x float> %pairs, <8 x float> poison, <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
  %fours = fadd <8 x float> %pairs, %beside
  %result = shufflevector <8 x float> %fours, <8 x float> poison, <2 x i32> <i32 0, i32 4>
  ret <2 x float> %result
}

; A lane is taken twice, by a scan's steps: no vector is packed for both.
; TAKEN-LABEL: define <2 x float> @taken_twice(
; TAKEN: %twos = fadd <8 x float>
; TAKEN: %threes = fadd <8 x float>
define <2 x float> @taken_twice(ptr %p) {
  %v = load <8 x float>, ptr %p
  %after = shufflevector <8 x float> %v, <8 x float> poison, <8 x i32> <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 7>
  %twos = fadd <8 x float> %v, %after
  %next = shufflevector <8 x float> %twos, <8 x float> poison, <8 x i32> <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 7>
  %threes = fadd <8 x float> %twos, %next
  %result = shufflevector <8 x float> %threes, <8 x float> poison, <2 x i32> <i32 0, i32 1>
  ret <2 x float> %result
}
