; RUN: %opt -passes=guard-division %s | %check %s
target triple = "nvptx64-nvidia-cuda"

; Divisors that cannot trap cost nothing.
; CHECK-LABEL: @constant(
; CHECK-NEXT: %q = sdiv i32 %x, 7
; CHECK-NEXT: ret i32 %q
define i32 @constant(i32 %x) {
  %q = sdiv i32 %x, 7
  ret i32 %q
}

; CHECK-LABEL: @unsigned(
; CHECK: [[D:%.*]] = freeze i32 %y
; CHECK: [[Z:%.*]] = icmp eq i32 [[D]], 0
; CHECK: [[S:%.*]] = select i1 [[Z]], i32 1, i32 [[D]]
; CHECK: [[Q:%.*]] = udiv i32 %x, [[S]]
; CHECK: select i1 [[Z]], i32 -1, i32 [[Q]]
define i32 @unsigned(i32 %x, i32 %y) {
  %q = udiv i32 %x, %y
  ret i32 %q
}

; The smallest integer by -1 is its own negation.
; CHECK-LABEL: @signed(
; CHECK: [[M:%.*]] = icmp eq i64 [[D:%.*]], -1
; CHECK: [[Q:%.*]] = sdiv i64
; CHECK: [[N:%.*]] = sub i64 0, %x
; CHECK: [[R:%.*]] = select i1 [[M]], i64 [[N]], i64 [[Q]]
; CHECK: [[FEW:%.*]] = icmp ule i64 %x, 4294967295
; CHECK: [[BY_ZERO:%.*]] = select i1 [[FEW]], i64 4294967295, i64 -1
; CHECK: select i1 {{%.*}}, i64 [[BY_ZERO]], i64 [[R]]
define i64 @signed(i64 %x, i64 %y) {
  %q = sdiv i64 %x, %y
  ret i64 %q
}

; CHECK-LABEL: @remainder(
; CHECK: [[Q:%.*]] = srem i32
; CHECK: [[R:%.*]] = select i1 {{%.*}}, i32 0, i32 [[Q]]
; CHECK: select i1 {{%.*}}, i32 -1, i32 [[R]]
define i32 @remainder(i32 %x, i32 %y) {
  %q = srem i32 %x, %y
  ret i32 %q
}
