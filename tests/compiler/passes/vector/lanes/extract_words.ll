; RUN: %opt -kernel=bytes -passes=extract-words %s | %check %s
; RUN: %opt -kernel=indices -passes=extract-words %s | %check --check-prefix=INDEX %s
; RUN: %opt -kernel=added -passes=extract-words %s | %check --check-prefix=ADDED %s
; RUN: %opt -kernel=known -target=x86-64-v3 -passes=extract-words %s | %check --check-prefix=KNOWN %s
; RUN: %opt -kernel=known_and_wide -target=x86-64-v3 -passes=extract-words %s | %check --check-prefix=WIDE %s
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

; Indices of 32 bits, but not numbers that are stored as they are.
; INDEX-LABEL: define void @indices(
define void @indices(<4 x i32> %v, <4 x i32> %values, ptr %p) {
; INDEX: [[WORDS:%.*]] = bitcast <4 x i32> %v to <2 x i64>
; INDEX: [[LOW:%.*]] = extractelement <2 x i64> [[WORDS]], i64 0
; INDEX: [[I1:%.*]] = lshr i64 [[LOW]], 32
; INDEX-NEXT: trunc i64 [[I1]] to i32
; INDEX: extractelement <4 x i32> %values, i64 3
  %i0 = extractelement <4 x i32> %v, i64 0
  %w0 = zext i32 %i0 to i64
  %p0 = getelementptr i32, ptr %p, i64 %w0
  %v0 = extractelement <4 x i32> %values, i64 0
  store i32 %v0, ptr %p0
  %i1 = extractelement <4 x i32> %v, i64 1
  %w1 = sext i32 %i1 to i64
  %p1 = getelementptr i32, ptr %p, i64 %w1
  %v1 = extractelement <4 x i32> %values, i64 1
  store i32 %v1, ptr %p1
  %i2 = extractelement <4 x i32> %v, i64 2
  %p2 = getelementptr i32, ptr %p, i32 %i2
  %v2 = extractelement <4 x i32> %values, i64 2
  store i32 %v2, ptr %p2
  %i3 = extractelement <4 x i32> %v, i64 3
  %p3 = getelementptr i32, ptr %p, i32 %i3
  %v3 = extractelement <4 x i32> %values, i64 3
  store i32 %v3, ptr %p3
  ret void
}

; Indices of which the upper bits are known are hidden first, as LLVM would take two of them for one; what no register
; holds stays as it is.
; KNOWN-LABEL: define void @known(
; KNOWN: [[HIDDEN:%.*]] = call <4 x i32> asm "", "=x,0"(<4 x i32> %low)
; KNOWN: bitcast <4 x i32> [[HIDDEN]] to <2 x i64>
; KNOWN-NOT: extractelement <4 x i32>
; KNOWN: ret void
define void @known(<4 x i32> %v, ptr %p) {
  %low = and <4 x i32> %v, <i32 31, i32 31, i32 31, i32 31>
  %i0 = extractelement <4 x i32> %low, i64 0
  %i1 = extractelement <4 x i32> %low, i64 1
  %i2 = extractelement <4 x i32> %low, i64 2
  %i3 = extractelement <4 x i32> %low, i64 3
  %p0 = getelementptr float, ptr %p, i32 %i0
  %p1 = getelementptr float, ptr %p, i32 %i1
  %p2 = getelementptr float, ptr %p, i32 %i2
  %p3 = getelementptr float, ptr %p, i32 %i3
  store float 0.0, ptr %p0
  store float 1.0, ptr %p1
  store float 2.0, ptr %p2
  store float 3.0, ptr %p3
  ret void
}

; Numbers that are added to others.
; ADDED-LABEL: define i32 @added(
; ADDED: [[WORDS:%.*]] = bitcast <4 x i32> %v to <2 x i64>
; ADDED-NOT: extractelement <4 x i32>
; ADDED: ret i32
define i32 @added(<4 x i32> %v, i32 %s0) {
  %v0 = extractelement <4 x i32> %v, i64 0
  %s1 = add i32 %s0, %v0
  %v1 = extractelement <4 x i32> %v, i64 1
  %s2 = mul i32 %s1, %v1
  %v2 = extractelement <4 x i32> %v, i64 2
  %s3 = add i32 %s2, %v2
  %v3 = extractelement <4 x i32> %v, i64 3
  %s4 = mul i32 %s3, %v3
  ret i32 %s4
}

; WIDE-LABEL: define void @known_and_wide(
; WIDE-NOT: i64>
; WIDE: ret void
define void @known_and_wide(<16 x i32> %v, ptr %p) {
  %low = and <16 x i32> %v, <i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31>
  %i0 = extractelement <16 x i32> %low, i64 0
  %i1 = extractelement <16 x i32> %low, i64 1
  %i2 = extractelement <16 x i32> %low, i64 2
  %i3 = extractelement <16 x i32> %low, i64 3
  %p0 = getelementptr float, ptr %p, i32 %i0
  %p1 = getelementptr float, ptr %p, i32 %i1
  %p2 = getelementptr float, ptr %p, i32 %i2
  %p3 = getelementptr float, ptr %p, i32 %i3
  store float 0.0, ptr %p0
  store float 1.0, ptr %p1
  store float 2.0, ptr %p2
  store float 3.0, ptr %p3
  ret void
}
