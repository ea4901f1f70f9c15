; RUN: %opt -passes=clamp-choices %s | %check %s
; RUN: %opt '-passes=clamp-choices,llvm(instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=KEPT

declare i32 @llvm.usub.sat.i32(i32, i32)
declare i8 @llvm.usub.sat.i8(i8, i8)

; `x > 0 ? x - 1 : 0`.
; CHECK-LABEL: define i32 @left(
; CHECK: [[LARGER:%.*]] = call i32 @llvm.umax.i32(i32 %x, i32 1)
; CHECK: add i32 [[LARGER]], -1
; KEPT-LABEL: define i32 @left(
; KEPT: @llvm.umax.i32
define i32 @left(i32 %x) {
  %left = call i32 @llvm.usub.sat.i32(i32 %x, i32 1)
  ret i32 %left
}

; Of what is never negative by as much as the launch says.
; CHECK-LABEL: define i32 @far_left(
; CHECK: [[LARGER:%.*]] = call i32 @llvm.smax.i32(i32 %x, i32 %far)
; CHECK: sub nuw nsw i32 [[LARGER]], %far
; KEPT-LABEL: define i32 @far_left(
; KEPT: @llvm.smax.i32
define i32 @far_left(i32 %y, i32 %r) {
  %x = lshr i32 %y, 1
  %far = lshr i32 %r, 1
  %left = call i32 @llvm.usub.sat.i32(i32 %x, i32 %far)
  ret i32 %left
}

; Bytes have an instruction of their own.
; CHECK-LABEL: define i8 @bytes(
; CHECK: usub.sat
define i8 @bytes(i8 %x) {
  %left = call i8 @llvm.usub.sat.i8(i8 %x, i8 20)
  ret i8 %left
}

; CHECK-LABEL: define i32 @right(
; CHECK: [[RIGHT:%.*]] = call i32 @llvm.smin.i32(i32 %right, i32 %last)
; CHECK: ret i32 [[RIGHT]]
define i32 @right(i32 %x, i32 %n) {
  %right = add nsw i32 %x, 1
  %last = add nsw i32 %n, -1
  %inside = icmp slt i32 %right, %n
  %clamped = select i1 %inside, i32 %right, i32 %last
  ret i32 %clamped
}

; Asked the other way round.
; CHECK-LABEL: define i32 @turned(
; CHECK: call i32 @llvm.smin.i32(i32 %x, i32 %last)
define i32 @turned(i32 %x, i32 %n) {
  %last = add nsw i32 %n, -1
  %inside = icmp sgt i32 %n, %x
  %clamped = select i1 %inside, i32 %x, i32 %last
  ret i32 %clamped
}

; n may be 0, and n - 1 the greatest number.
; CHECK-LABEL: define i32 @wraps(
; CHECK-NOT: umin
; CHECK: select
define i32 @wraps(i32 %x, i32 %n) {
  %last = add i32 %n, -1
  %inside = icmp ult i32 %x, %n
  %clamped = select i1 %inside, i32 %x, i32 %last
  ret i32 %clamped
}
; CHECK-LABEL: define i32 @wraps_not(
; CHECK: call i32 @llvm.umin.i32(i32 %x, i32 %last)
define i32 @wraps_not(i32 %x, i32 %last) {
  %n = add nuw i32 %last, 1
  %inside = icmp ult i32 %x, %n
  %clamped = select i1 %inside, i32 %x, i32 %last
  ret i32 %clamped
}

; One beyond another bound stays a choice.
; CHECK-LABEL: define i32 @two_below(
; CHECK-NOT: smin
; CHECK: select
define i32 @two_below(i32 %x, i32 %n) {
  %last = add nsw i32 %n, -2
  %inside = icmp slt i32 %x, %n
  %clamped = select i1 %inside, i32 %x, i32 %last
  ret i32 %clamped
}
