; Conditions within conditions that keep one value are one mask.
; RUN: %opt -kernel=nested -target=x86-64-v3 -passes='join-choices,llvm(verify)' %s | %check %s --check-prefix=NESTED
; RUN: %opt -kernel=nested -target=x86-64-v4 -passes=join-choices %s | %check %s --check-prefix=MASKS
; RUN: %opt -kernel=shared -target=x86-64-v3 -passes='join-choices,llvm(verify)' %s | %check %s --check-prefix=SHARED
; RUN: %opt -kernel=looked_at -target=x86-64-v3 -passes='join-choices,llvm(verify)' %s | %check %s --check-prefix=LOOKED
; RUN: %opt -kernel=others -target=x86-64-v3 -passes='join-choices,llvm(verify)' %s | %check %s --check-prefix=OTHERS

; NESTED-LABEL: define <8 x float> @nested(
; NESTED: [[TURNED:%.*]] = fcmp ogt <8 x float> %x, %y
; NESTED-NEXT: [[BOTH:%.*]] = select <8 x i1> %a, <8 x i1> [[TURNED]], <8 x i1> zeroinitializer
; NESTED-NEXT: [[ALL:%.*]] = select <8 x i1> [[BOTH]], <8 x i1> %c, <8 x i1> zeroinitializer
; NESTED-NEXT: [[RESULT:%.*]] = select <8 x i1> [[ALL]], <8 x float> %new, <8 x float> %old
; NESTED-NEXT: ret <8 x float> [[RESULT]]
; AVX-512 blends as quickly as it joins masks.
; MASKS-LABEL: define <8 x float> @nested(
; MASKS: select <8 x i1> %within, <8 x float> %old
define <8 x float> @nested(<8 x i1> %a, <8 x float> %x, <8 x float> %y, <8 x i1> %c, <8 x float> %new, <8 x float> %old) {
  %within = fcmp ule <8 x float> %x, %y
  %inner = select <8 x i1> %c, <8 x float> %new, <8 x float> %old
  %middle = select <8 x i1> %within, <8 x float> %old, <8 x float> %inner
  %outer = select <8 x i1> %a, <8 x float> %middle, <8 x float> %old
  ret <8 x float> %outer
}

; A value and its number go by one mask.
; SHARED-LABEL: define void @shared(
; SHARED: xor <8 x i1> %b,
; SHARED-NEXT: [[BOTH:%.*]] = select <8 x i1> %a,
; SHARED-NEXT: select <8 x i1> [[BOTH]], <8 x float> %new, <8 x float> %old
; SHARED-NEXT: select <8 x i1> [[BOTH]], <8 x i32> %number, <8 x i32> %last
define void @shared(<8 x i1> %a, <8 x i1> %b, <8 x float> %new, <8 x float> %old, <8 x i32> %number, <8 x i32> %last, ptr %p) {
  %value.in = select <8 x i1> %b, <8 x float> %old, <8 x float> %new
  %value = select <8 x i1> %a, <8 x float> %value.in, <8 x float> %old
  %number.in = select <8 x i1> %b, <8 x i32> %last, <8 x i32> %number
  %number.out = select <8 x i1> %a, <8 x i32> %number.in, <8 x i32> %last
  store <8 x float> %value, ptr %p
  %q = getelementptr i8, ptr %p, i64 32
  store <8 x i32> %number.out, ptr %q
  ret void
}

; The inner choice is there in any case.
; LOOKED-LABEL: define <8 x float> @looked_at(
; LOOKED: select <8 x i1> %a, <8 x float> %inner, <8 x float> %old
define <8 x float> @looked_at(<8 x i1> %a, <8 x i1> %b, <8 x float> %new, <8 x float> %old, ptr %p) {
  %inner = select <8 x i1> %b, <8 x float> %old, <8 x float> %new
  store <8 x float> %inner, ptr %p
  %outer = select <8 x i1> %a, <8 x float> %inner, <8 x float> %old
  ret <8 x float> %outer
}

; What they keep differs.
; OTHERS-LABEL: define <8 x float> @others(
; OTHERS: select <8 x i1> %a, <8 x float> %inner, <8 x float> %z
define <8 x float> @others(<8 x i1> %a, <8 x i1> %b, <8 x float> %x, <8 x float> %y, <8 x float> %z) {
  %inner = select <8 x i1> %b, <8 x float> %x, <8 x float> %y
  %outer = select <8 x i1> %a, <8 x float> %inner, <8 x float> %z
  ret <8 x float> %outer
}
