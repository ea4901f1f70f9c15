; RUN: %opt -kernel=known -target=sapphirerapids -passes=known-masks %s | %check %s --check-prefix=KNOWN
; RUN: %opt -kernel=others -target=sapphirerapids -passes=known-masks %s | %check %s --check-prefix=OTHERS
; RUN: %opt -kernel=known -target=x86-64-v3 -passes=known-masks %s | %check %s --check-prefix=VECTORS
target triple = "x86_64-pc-linux-gnu"

; KNOWN-LABEL: define <8 x i1> @known(
; KNOWN-NEXT: [[M:%.*]] = freeze <8 x i1> %m
; KNOWN-NEXT: [[OFF:%.*]] = and <8 x i1> [[M]], <i1 true, i1 false, i1 true, i1 false, i1 true, i1 true, i1 true, i1 true>
; KNOWN-NEXT: [[O:%.*]] = freeze <8 x i1> [[OFF]]
; KNOWN-NEXT: [[KEPT:%.*]] = and <8 x i1> [[O]], <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false>
; KNOWN-NEXT: or <8 x i1> [[KEPT]], <i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 true, i1 false>
; VECTORS-LABEL: define <8 x i1> @known(
; VECTORS-NEXT: shufflevector
; VECTORS-NEXT: shufflevector
define <8 x i1> @known(<8 x i1> %m) {
  %off = shufflevector <8 x i1> %m, <8 x i1> zeroinitializer, <8 x i32> <i32 0, i32 9, i32 2, i32 11, i32 4, i32 5, i32 6, i32 poison>
  %on = shufflevector <8 x i1> <i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 1, i1 0>, <8 x i1> %off, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 6, i32 7>
  ret <8 x i1> %on
}

; Lanes that change places, two masks, a mask's part, and numbers.
; OTHERS-LABEL: define <8 x i1> @others(
; OTHERS-COUNT-4: shufflevector
define <8 x i1> @others(<8 x i1> %m, <8 x i1> %o, ptr %p, <8 x i8> %n) {
  %turned = shufflevector <8 x i1> %m, <8 x i1> zeroinitializer, <8 x i32> <i32 1, i32 9, i32 2, i32 11, i32 4, i32 5, i32 6, i32 7>
  %two = shufflevector <8 x i1> %turned, <8 x i1> %o, <8 x i32> <i32 0, i32 9, i32 2, i32 11, i32 4, i32 5, i32 6, i32 7>
  %part = shufflevector <8 x i1> %m, <8 x i1> zeroinitializer, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x i1> %part, ptr %p
  %bytes = shufflevector <8 x i8> %n, <8 x i8> zeroinitializer, <8 x i32> <i32 0, i32 9, i32 2, i32 11, i32 4, i32 5, i32 6, i32 7>
  store <8 x i8> %bytes, ptr %p
  ret <8 x i1> %two
}
