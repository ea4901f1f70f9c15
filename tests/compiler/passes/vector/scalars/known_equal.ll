; RUN: %opt -kernel=first -passes=known-equal %s | %check %s --check-prefix=FIRST
; RUN: %opt -kernel=others -passes=known-equal %s | %check %s --check-prefix=OTHERS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; FIRST-LABEL: define void @first(
; FIRST: then:
; FIRST-NEXT: %w = zext nneg i32 0 to i64
; FIRST: %u = add i32 5, %n
; FIRST: %early = getelementptr i32, ptr %x, i64 5
; FIRST: end:
; FIRST-NEXT: %after = phi i32 [ %t, %entry ], [ 0, %then ]
; FIRST-NEXT: %z = add i32 %t, 1
define void @first(ptr %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %k = add i32 %t, %n
  %wk = sext i32 %k to i64
  %is_first = icmp eq i32 %t, 0
  %is_five = icmp eq i32 %k, 5
  %both = select i1 %is_first, i1 %is_five, i1 false
  br i1 %both, label %then, label %end
then:
  %w = zext nneg i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %w
  %u = add i32 %k, %n
  store i32 %u, ptr %p
  %early = getelementptr i32, ptr %x, i64 %wk
  store i32 %n, ptr %early
  br label %end
end:
  %after = phi i32 [ %t, %entry ], [ %t, %then ]
  %z = add i32 %t, 1
  %v = add i32 %z, %after
  store i32 %v, ptr %x
  ret void
}

; One of two suffices, and the way that others take.
; OTHERS-LABEL: define void @others(
; OTHERS: then:
; OTHERS-NEXT: store i32 %t, ptr %x
; OTHERS: rest:
; OTHERS-NEXT: store i32 %t, ptr %x
; OTHERS: last:
; OTHERS-NEXT: store i32 7, ptr %x
define void @others(ptr %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %is_first = icmp eq i32 %t, 0
  %is_some = icmp eq i32 %n, 3
  %either = or i1 %is_first, %is_some
  br i1 %either, label %then, label %rest
then:
  store i32 %t, ptr %x
  ret void
rest:
  store i32 %t, ptr %x
  %differs = icmp ne i32 %t, 7
  br i1 %differs, label %end, label %last
last:
  store i32 %t, ptr %x
  ret void
end:
  ret void
}
