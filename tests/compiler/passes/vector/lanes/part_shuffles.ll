; RUN: %opt -kernel=layers -passes=part-shuffles %s | %check %s --check-prefix=LAYERS
; RUN: %opt -kernel=ints -passes=part-shuffles %s | %check %s --check-prefix=INTS
; RUN: %opt -kernel=ends -passes=part-shuffles %s | %check %s --check-prefix=ENDS
; RUN: %opt -kernel=bytes -passes=part-shuffles %s | %check %s --check-prefix=BYTES

; Every second layer ends in a fence.
; LAYERS-LABEL: define <4 x float> @layers(
; LAYERS-NEXT: [[A:%.*]] = shufflevector <4 x float> %x, <4 x float> %y
; LAYERS-NEXT: [[B:%.*]] = shufflevector <4 x float> [[A]], <4 x float> %y
; LAYERS-NEXT: [[F:%.*]] = call <4 x float> @llvm.arithmetic.fence.v4f32(<4 x float> [[B]])
; LAYERS-NEXT: [[C:%.*]] = shufflevector <4 x float> [[F]], <4 x float> [[A]]
; LAYERS-NEXT: [[G:%.*]] = call <4 x float> @llvm.arithmetic.fence.v4f32(<4 x float> [[C]])
; LAYERS-NEXT: [[D:%.*]] = shufflevector <4 x float> [[F]], <4 x float> [[G]]
; LAYERS-NEXT: ret <4 x float> [[D]]
define <4 x float> @layers(<4 x float> %x, <4 x float> %y) {
  %a = shufflevector <4 x float> %x, <4 x float> %y, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  %b = shufflevector <4 x float> %a, <4 x float> %y, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  %c = shufflevector <4 x float> %b, <4 x float> %a, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  %d = shufflevector <4 x float> %b, <4 x float> %c, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  ret <4 x float> %d
}

; INTS: [[B:%.*]] = shufflevector <4 x i32> %a, <4 x i32> %y
; INTS-NEXT: [[S:%.*]] = bitcast <4 x i32> [[B]] to <4 x float>
; INTS-NEXT: [[F:%.*]] = call <4 x float> @llvm.arithmetic.fence.v4f32(<4 x float> [[S]])
; INTS-NEXT: [[T:%.*]] = bitcast <4 x float> [[F]] to <4 x i32>
; INTS-NEXT: shufflevector <4 x i32> [[T]], <4 x i32> %a
define <4 x i32> @ints(<4 x i32> %x, <4 x i32> %y) {
  %a = shufflevector <4 x i32> %x, <4 x i32> %y, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  %b = shufflevector <4 x i32> %a, <4 x i32> %y, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  %c = shufflevector <4 x i32> %b, <4 x i32> %a, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  ret <4 x i32> %c
}

; Nothing is made of the last layer; the halves of one vector are none.
; ENDS-NOT: fence
define <2 x float> @ends(<4 x float> %x, <4 x float> %y) {
  %a = shufflevector <4 x float> %x, <4 x float> %y, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  %b = shufflevector <4 x float> %a, <4 x float> %y, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  %c = shufflevector <4 x float> %b, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  ret <2 x float> %c
}

; BYTES-NOT: fence
define <4 x i8> @bytes(<4 x i8> %x, <4 x i8> %y) {
  %a = shufflevector <4 x i8> %x, <4 x i8> %y, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  %b = shufflevector <4 x i8> %a, <4 x i8> %y, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  %c = shufflevector <4 x i8> %b, <4 x i8> %a, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  ret <4 x i8> %c
}
