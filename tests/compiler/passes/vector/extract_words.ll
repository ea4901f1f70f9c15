; RUN: %opt -kernel=bytes -passes=extract-words %s | %check %s
; RUN: %opt -kernel=few -passes=extract-words %s | %check --check-prefix=FEW %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @see(i8, i8, i8, i8, i8)

; CHECK-LABEL: define void @bytes(
define void @bytes(<16 x i8> %v) {
; CHECK: [[WORDS:%.*]] = bitcast <16 x i8> %v to <2 x i64>
; CHECK-DAG: [[LOW:%.*]] = extractelement <2 x i64> [[WORDS]], i64 0
; CHECK-DAG: [[HIGH:%.*]] = extractelement <2 x i64> [[WORDS]], i64 1
; CHECK: trunc i64 [[LOW]] to i8
; CHECK: [[THIRD:%.*]] = lshr i64 [[LOW]], 24
; CHECK: trunc i64 [[THIRD]] to i8
; CHECK: [[TENTH:%.*]] = lshr i64 [[HIGH]], 16
; CHECK: trunc i64 [[TENTH]] to i8
; CHECK-NOT: extractelement <16 x i8>
; CHECK: ret void
  %a = extractelement <16 x i8> %v, i64 0
  %b = extractelement <16 x i8> %v, i64 3
  %c = extractelement <16 x i8> %v, i64 10
  %d = extractelement <16 x i8> %v, i64 15
  %e = extractelement <16 x i8> %v, i64 7
  call void @see(i8 %a, i8 %b, i8 %c, i8 %d, i8 %e)
  ret void
}

; Two elements, and vectors that are no whole words, stay as they are.
; FEW-LABEL: define void @few(
define void @few(<16 x i8> %v, <6 x i8> %odd) {
; FEW-NOT: i64>
  %a = extractelement <16 x i8> %v, i64 0
  %b = extractelement <16 x i8> %v, i64 3
  %c = extractelement <6 x i8> %odd, i64 0
  call void @see(i8 %a, i8 %b, i8 %c, i8 %a, i8 %b)
  %d = extractelement <6 x i8> %odd, i64 1
  %e = extractelement <6 x i8> %odd, i64 2
  %f = extractelement <6 x i8> %odd, i64 3
  call void @see(i8 %d, i8 %e, i8 %f, i8 %a, i8 %b)
  ret void
}
