; RUN: %opt -kernel=swap -block=64 -lanes=16 -passes=choose-values %s | %check %s --check-prefix=SWAP
; RUN: %opt -kernel=works -block=64 -lanes=16 -passes=choose-values %s | %check %s --check-prefix=WORKS
; RUN: %opt -kernel=both -block=64 -lanes=16 -passes=choose-values %s | %check %s --check-prefix=BOTH
; RUN: %opt -kernel=written -block=64 -lanes=16 -passes=choose-values %s | %check %s --check-prefix=WRITTEN
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Four values, one question.
; SWAP-LABEL: define void @swap(
; SWAP-NOT: br i1
; SWAP: select i1 %c, i32 %a, i32 %b
; SWAP: select i1 %c, i32 %b, i32 %a
; SWAP: select i1 %c, i32 %x, i32 %y
; SWAP: select i1 %c, i32 %y, i32 %x
; SWAP-NOT: br
; SWAP: ret void
define void @swap(ptr %p, i1 %c, i32 %a, i32 %b, i32 %x, i32 %y) {
  br i1 %c, label %yes, label %end
yes:
  br label %end
end:
  %e = phi i32 [ %a, %yes ], [ %b, %0 ]
  %f = phi i32 [ %b, %yes ], [ %a, %0 ]
  %g = phi i32 [ %x, %yes ], [ %y, %0 ]
  %h = phi i32 [ %y, %yes ], [ %x, %0 ]
  %s = add i32 %e, %f
  %t = add i32 %g, %h
  %u = xor i32 %s, %t
  store i32 %u, ptr %p
  ret void
}

; A way with code of its own stays one.
; WORKS-LABEL: define void @works(
; WORKS: br i1 %c
define void @works(ptr %p, ptr %q, i1 %c, i32 %a, i32 %b) {
  br i1 %c, label %yes, label %end
yes:
  store i32 %a, ptr %q
  br label %end
end:
  %e = phi i32 [ %a, %yes ], [ %b, %0 ]
  store i32 %e, ptr %p
  ret void
}

; What both ways load is loaded once.
; BOTH-LABEL: define void @both(
; BOTH: [[P:%.*]] = getelementptr float, ptr %p, i64 %i
; BOTH: [[V:%.*]] = load float, ptr [[P]]
; BOTH: br i1 %c
; BOTH: store float [[V]], ptr %q
; BOTH: fneg float [[V]]
define void @both(ptr %p, ptr %q, i1 %c, i64 %i) {
  br i1 %c, label %yes, label %no
yes:
  %a = getelementptr float, ptr %p, i64 %i
  %v = load float, ptr %a
  store float %v, ptr %q
  br label %end
no:
  %b = getelementptr float, ptr %p, i64 %i
  %w = load float, ptr %b
  %n = fneg float %w
  store float %n, ptr %q
  br label %end
end:
  ret void
}

; Not what is loaded behind a store.
; WRITTEN-LABEL: define void @written(
; WRITTEN-NEXT: br i1 %c
define void @written(ptr %p, ptr %q, i1 %c) {
  br i1 %c, label %yes, label %no
yes:
  store float 1.0, ptr %q
  %v = load float, ptr %p
  store float %v, ptr %q
  br label %end
no:
  %w = load float, ptr %p
  store float %w, ptr %q
  br label %end
end:
  ret void
}
