; What is expected of a condition is the condition.
; RUN: %opt -passes=drop-expectations %s | %check %s

declare i64 @llvm.expect.i64(i64, i64)
declare i64 @llvm.expect.with.probability.i64(i64, i64, double)

; CHECK-LABEL: define i1 @k(
; CHECK-NEXT: %a = icmp eq i64 %x, 0
; CHECK-NEXT: %b = icmp ne i64 %x, 5
; CHECK-NEXT: %c = and i1 %a, %b
; CHECK-NEXT: ret i1 %c
define i1 @k(i64 %x) {
  %e = call i64 @llvm.expect.i64(i64 %x, i64 0)
  %a = icmp eq i64 %e, 0
  %f = call i64 @llvm.expect.with.probability.i64(i64 %x, i64 1, double 9.000000e-01)
  %b = icmp ne i64 %f, 5
  %c = and i1 %a, %b
  ret i1 %c
}
