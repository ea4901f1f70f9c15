; RUN: %opt -passes=find-remainders %s | %check %s

; CHECK-LABEL: @of_constant(
; CHECK: %q = udiv i32 %i, 34
; CHECK-NEXT: [[R:%.*]] = urem i32 %i, 34
; CHECK-NEXT: add i32 %q, [[R]]
define i32 @of_constant(i32 %i) {
  %q = udiv i32 %i, 34
  %p = mul i32 %q, 34
  %r = sub i32 %i, %p
  %both = add i32 %q, %r
  ret i32 %both
}

; CHECK-LABEL: @of_number(
; CHECK: [[R:%.*]] = srem i32 %i, %n
; CHECK: ret i32 [[R]]
define i32 @of_number(i32 %i, i32 %n) {
  %q = sdiv i32 %i, %n
  %p = mul nsw i32 %n, %q
  %r = sub nsw i32 %i, %p
  ret i32 %r
}

; i - -1 * 0 is i, and i % 0 all ones.
; CHECK-LABEL: @guarded(
; CHECK-NOT: urem
define i32 @guarded(i32 %i, i32 %n) {
  %none = icmp eq i32 %n, 0
  %safe = select i1 %none, i32 1, i32 %n
  %d = udiv i32 %i, %safe
  %q = select i1 %none, i32 -1, i32 %d
  %p = mul i32 %q, %n
  %r = sub i32 %i, %p
  ret i32 %r
}

; CHECK-LABEL: @of_another(
; CHECK-NOT: urem
define i32 @of_another(i32 %i, i32 %j) {
  %q = udiv i32 %i, 34
  %p = mul i32 %q, 34
  %r = sub i32 %j, %p
  ret i32 %r
}
