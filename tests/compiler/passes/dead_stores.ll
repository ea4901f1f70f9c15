; RUN: %opt -passes=dead-stores %s | %check %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; Many stores to memory of others, no two at one base and distance: all stay as and where they were. What nobody reads of
; the function's own memory goes.
; CHECK-LABEL: define {{.*}}@distinct(
; CHECK-NOT: store float 1.0{{.*}}, ptr %own
; CHECK: store float 2.0{{.*}}, ptr %own
; CHECK: %read = load float, ptr %own
; CHECK: store float %read, ptr %a
; CHECK-COUNT-15: store float %x, ptr %p
; CHECK-NOT: llvm.donothing
; CHECK: ret void
define void @distinct(ptr %a, float %x) {
  %own = alloca float
  store float 1.0, ptr %own
  store float 2.0, ptr %own
  %read = load float, ptr %own
  store float %read, ptr %a
  %p1 = getelementptr float, ptr %a, i64 1
  store float %x, ptr %p1
  %p2 = getelementptr float, ptr %a, i64 2
  store float %x, ptr %p2
  %p3 = getelementptr float, ptr %a, i64 3
  store float %x, ptr %p3
  %p4 = getelementptr float, ptr %a, i64 4
  store float %x, ptr %p4
  %p5 = getelementptr float, ptr %a, i64 5
  store float %x, ptr %p5
  %p6 = getelementptr float, ptr %a, i64 6
  store float %x, ptr %p6
  %p7 = getelementptr float, ptr %a, i64 7
  store float %x, ptr %p7
  %p8 = getelementptr float, ptr %a, i64 8
  store float %x, ptr %p8
  %p9 = getelementptr float, ptr %a, i64 9
  store float %x, ptr %p9
  %p10 = getelementptr float, ptr %a, i64 10
  store float %x, ptr %p10
  %p11 = getelementptr float, ptr %a, i64 11
  store float %x, ptr %p11
  %p12 = getelementptr float, ptr %a, i64 12
  store float %x, ptr %p12
  %p13 = getelementptr float, ptr %a, i64 13
  store float %x, ptr %p13
  %p14 = getelementptr float, ptr %a, i64 14
  store float %x, ptr %p14
  %p15 = getelementptr float, ptr %a, i64 15
  store float %x, ptr %p15
  ret void
}

; One place is written twice, with more than a constant between the addresses and their base.
; CHECK-LABEL: define {{.*}}@twice(
; CHECK-NOT: store float 1.0
; CHECK: store float 2.0{{.*}}, ptr %q
; CHECK: ret void
define void @twice(ptr %a, i64 %i, float %x) {
  %q = getelementptr float, ptr %a, i64 %i
  store float 1.0, ptr %q
  %p0 = getelementptr float, ptr %a, i64 0
  store float %x, ptr %p0
  %p1 = getelementptr float, ptr %a, i64 1
  store float %x, ptr %p1
  %p2 = getelementptr float, ptr %a, i64 2
  store float %x, ptr %p2
  %p3 = getelementptr float, ptr %a, i64 3
  store float %x, ptr %p3
  %p4 = getelementptr float, ptr %a, i64 4
  store float %x, ptr %p4
  %p5 = getelementptr float, ptr %a, i64 5
  store float %x, ptr %p5
  %p6 = getelementptr float, ptr %a, i64 6
  store float %x, ptr %p6
  %p7 = getelementptr float, ptr %a, i64 7
  store float %x, ptr %p7
  %p8 = getelementptr float, ptr %a, i64 8
  store float %x, ptr %p8
  %p9 = getelementptr float, ptr %a, i64 9
  store float %x, ptr %p9
  %p10 = getelementptr float, ptr %a, i64 10
  store float %x, ptr %p10
  %p11 = getelementptr float, ptr %a, i64 11
  store float %x, ptr %p11
  %p12 = getelementptr float, ptr %a, i64 12
  store float %x, ptr %p12
  %p13 = getelementptr float, ptr %a, i64 13
  store float %x, ptr %p13
  %p14 = getelementptr float, ptr %a, i64 14
  store float %x, ptr %p14
  %p15 = getelementptr float, ptr %a, i64 15
  store float %x, ptr %p15
  store float 2.0, ptr %q
  ret void
}

; The store may come back to the memory that the call has seen: nothing is hidden from the elimination, and what `%b`
; is told again stays told, because `%p0` may be the same place.
; CHECK-LABEL: define {{.*}}@told_again(
; CHECK: call void @llvm.memset
; CHECK: call void @llvm.memset
; CHECK: ret float
define float @told_again(ptr %a, ptr %b, float %x) {
  call void @llvm.memset.p0.i64(ptr %b, i8 0, i64 4, i1 false)
  %seen = load float, ptr %b
  %p0 = getelementptr float, ptr %a, i64 0
  store float %x, ptr %p0
  %p1 = getelementptr float, ptr %a, i64 1
  store float %x, ptr %p1
  %p2 = getelementptr float, ptr %a, i64 2
  store float %x, ptr %p2
  %p3 = getelementptr float, ptr %a, i64 3
  store float %x, ptr %p3
  %p4 = getelementptr float, ptr %a, i64 4
  store float %x, ptr %p4
  %p5 = getelementptr float, ptr %a, i64 5
  store float %x, ptr %p5
  %p6 = getelementptr float, ptr %a, i64 6
  store float %x, ptr %p6
  %p7 = getelementptr float, ptr %a, i64 7
  store float %x, ptr %p7
  %p8 = getelementptr float, ptr %a, i64 8
  store float %x, ptr %p8
  %p9 = getelementptr float, ptr %a, i64 9
  store float %x, ptr %p9
  %p10 = getelementptr float, ptr %a, i64 10
  store float %x, ptr %p10
  %p11 = getelementptr float, ptr %a, i64 11
  store float %x, ptr %p11
  %p12 = getelementptr float, ptr %a, i64 12
  store float %x, ptr %p12
  %p13 = getelementptr float, ptr %a, i64 13
  store float %x, ptr %p13
  %p14 = getelementptr float, ptr %a, i64 14
  store float %x, ptr %p14
  %p15 = getelementptr float, ptr %a, i64 15
  store float %x, ptr %p15
  call void @llvm.memset.p0.i64(ptr %b, i8 0, i64 4, i1 false)
  ret float %seen
}

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; The function's own memory, at constant distances: two halves write over the vector, nobody reads between.
; CHECK-LABEL: define {{.*}}@halves(
; CHECK-NOT: store <4 x float> %v
; CHECK-COUNT-2: store <2 x float>
; CHECK: store <4 x float> %v, ptr %far
define <4 x float> @halves(<4 x float> %v, <2 x float> %x, <2 x float> %y, i64 %i, ptr %other) {
  %own = alloca [64 x float]
  %high = getelementptr i8, ptr %own, i64 8
  %far = getelementptr float, ptr %own, i64 %i
  store <4 x float> %v, ptr %own
  store float 1.0, ptr %other
  store <2 x float> %x, ptr %own
  store <2 x float> %y, ptr %high
  store <4 x float> %v, ptr %far
  %r = load <4 x float>, ptr %own
  ret <4 x float> %r
}

; Read in part, by a variable index, by a call that has the address, or not written over as a whole: it stays.
; CHECK-LABEL: define {{.*}}@seen(
; CHECK: store <4 x float> %v, ptr %own
; CHECK: load float
; CHECK: store <4 x float> %w, ptr %own
; CHECK: load float
; CHECK: store <4 x float> %v, ptr %own
; CHECK: call void @look
; CHECK: store <4 x float> %w, ptr %own
; CHECK: store <2 x float> %x, ptr %own
define <4 x float> @seen(<4 x float> %v, <4 x float> %w, <2 x float> %x, i64 %i, ptr %out) {
  %own = alloca [64 x float]
  %last = getelementptr i8, ptr %own, i64 12
  %any = getelementptr float, ptr %own, i64 %i
  store <4 x float> %v, ptr %own
  %a = load float, ptr %last
  store <4 x float> %w, ptr %own
  %b = load float, ptr %any
  %s = fadd float %a, %b
  store float %s, ptr %out
  store <4 x float> %v, ptr %own
  call void @look(ptr nocapture readonly %own)
  store <4 x float> %w, ptr %own
  store <2 x float> %x, ptr %own
  %r = load <4 x float>, ptr %own
  ret <4 x float> %r
}
declare void @look(ptr)
