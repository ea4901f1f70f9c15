; RUN: %opt -kernel=least -passes='saturate-extrema,llvm(dce,verify)' %s | %check %s --check-prefix=LEAST
; RUN: %opt -kernel=greatest -passes='saturate-extrema,llvm(dce,verify)' %s | %check %s --check-prefix=GREATEST
; RUN: %opt -kernel=ends -passes='saturate-extrema,llvm(dce,verify)' %s | %check %s --check-prefix=ENDS
; RUN: %opt -kernel=wraps -passes='saturate-extrema,llvm(dce,verify)' %s | %check %s --check-prefix=WRAPS
; RUN: %opt -kernel=unsigned_difference -passes='saturate-extrema,llvm(dce,verify)' %s | %check %s --check-prefix=LESS
; RUN: %opt -kernel=greater_sum -passes='saturate-extrema,llvm(dce,verify)' %s | %check %s --check-prefix=GREATERSUM
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)

; As an edit distance has it: `if (up + 1 < v) v = up + 1`.
; LEAST-LABEL: define i8 @least(
; LEAST-NEXT: [[SUM:%.*]] = call i8 @llvm.uadd.sat.i8(i8 %up, i8 1)
; LEAST-NEXT: [[LEAST:%.*]] = call i8 @llvm.umin.i8(i8 [[SUM]], i8 %v)
; LEAST-NEXT: ret i8 [[LEAST]]
define i8 @least(i8 %up, i8 %v) {
  %wide = zext i8 %up to i32
  %sum = add nuw nsw i32 %wide, 1
  %other = zext i8 %v to i32
  %is_less = icmp ult i32 %sum, %other
  %cut = trunc i32 %sum to i8
  %r = select i1 %is_less, i8 %cut, i8 %v
  ret i8 %r
}

; A difference below zero is less than all there is; asked the other way round.
; GREATEST-LABEL: define i16 @greatest(
; GREATEST-NEXT: [[REST:%.*]] = call i16 @llvm.usub.sat.i16(i16 %a, i16 7)
; GREATEST-NEXT: [[MOST:%.*]] = call i16 @llvm.umax.i16(i16 [[REST]], i16 %v)
; GREATEST-NEXT: ret i16 [[MOST]]
define i16 @greatest(i16 %a, i16 %v) {
  %wide = zext i16 %a to i32
  %rest = add nsw i32 %wide, -7
  %other = zext i16 %v to i32
  %is_less = icmp sge i32 %other, %rest
  %cut = add i16 %a, -7
  %r = select i1 %is_less, i16 %v, i16 %cut
  ret i16 %r
}

; What LLVM has made minima and maxima of; 255 and 0 are numbers as others.
; ENDS-LABEL: define i32 @ends(
; ENDS: [[A:%.*]] = call i8 @llvm.uadd.sat.i8(i8 %a, i8 %b)
; ENDS: [[B:%.*]] = call i8 @llvm.umin.i8(i8 [[A]], i8 -1)
; ENDS: [[C:%.*]] = zext i8 [[B]] to i32
; ENDS: [[D:%.*]] = call i8 @llvm.usub.sat.i8(i8 %a, i8 %b)
; ENDS: [[E:%.*]] = call i8 @llvm.umax.i8(i8 [[D]], i8 0)
; ENDS: [[F:%.*]] = zext i8 [[E]] to i32
; ENDS: add i32 [[C]], [[F]]
define i32 @ends(i8 %a, i8 %b) {
  %x = zext i8 %a to i32
  %y = zext i8 %b to i32
  %sum = add nuw nsw i32 %x, %y
  %least = call i32 @llvm.smin.i32(i32 %sum, i32 255)
  %rest = sub nsw i32 %x, %y
  %most = call i32 @llvm.smax.i32(i32 %rest, i32 0)
  %r = add i32 %least, %most
  ret i32 %r
}

; Nine bits would not hold all sums.
; WRAPS-LABEL: define i8 @wraps(
; WRAPS-NOT: sat
define i8 @wraps(i8 %up, i8 %v) {
  %wide = zext i8 %up to i9
  %sum = add i9 %wide, 1
  %other = zext i8 %v to i9
  %is_less = icmp slt i9 %sum, %other
  %cut = trunc i9 %sum to i8
  %r = select i1 %is_less, i8 %cut, i8 %v
  ret i8 %r
}

; LESS-LABEL: define i8 @unsigned_difference(
; LESS-NOT: sat
define i8 @unsigned_difference(i8 %a, i8 %v) {
  %wide = zext i8 %a to i32
  %rest = add i32 %wide, -1
  %other = zext i8 %v to i32
  %is_more = icmp ugt i32 %rest, %other
  %cut = trunc i32 %rest to i8
  %r = select i1 %is_more, i8 %cut, i8 %v
  ret i8 %r
}

; The greater of both may be above 255, and is cut.
; GREATERSUM-LABEL: define i8 @greater_sum(
; GREATERSUM-NOT: sat
define i8 @greater_sum(i8 %a, i8 %v) {
  %wide = zext i8 %a to i32
  %sum = add nuw nsw i32 %wide, 1
  %other = zext i8 %v to i32
  %is_more = icmp ugt i32 %sum, %other
  %cut = trunc i32 %sum to i8
  %r = select i1 %is_more, i8 %cut, i8 %v
  ret i8 %r
}
