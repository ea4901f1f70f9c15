; RUN: %opt -kernel=halves -passes=compare-floats %s | %check %s
; RUN: %opt -kernel=native -passes=compare-floats %s | %check --check-prefix=NATIVE %s
; RUN: %opt -kernel=ordered -passes=compare-floats %s | %check --check-prefix=ORDERED %s
; RUN: %opt -kernel=scalar -passes=compare-floats %s | %check --check-prefix=SCALAR %s

; CHECK-LABEL: define <8 x i1> @halves(
; CHECK-NEXT: [[A:%.*]] = fpext <8 x half> %a to <8 x float>
; CHECK-NEXT: [[B:%.*]] = fpext <8 x half> %b to <8 x float>
; CHECK-NEXT: fcmp uno <8 x float> [[A]], [[B]]
define <8 x i1> @halves(<8 x half> %a, <8 x half> %b) {
  %c = fcmp uno <8 x half> %a, %b
  ret <8 x i1> %c
}

; NATIVE: fcmp uno <8 x half> %a, %b
define <8 x i1> @native(<8 x half> %a, <8 x half> %b) #0 {
  %c = fcmp uno <8 x half> %a, %b
  ret <8 x i1> %c
}

; ORDERED: fcmp ogt <8 x float>
define <8 x i1> @ordered(<8 x half> %a, <8 x half> %b) #0 {
  %c = fcmp ogt <8 x half> %a, %b
  ret <8 x i1> %c
}

; SCALAR: fcmp uno half %a, %b
define i1 @scalar(half %a, half %b) {
  %c = fcmp uno half %a, %b
  ret i1 %c
}

attributes #0 = { "target-features"="+avx512f,+avx512fp16" }
