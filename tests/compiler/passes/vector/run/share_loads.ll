; RUN: %opt -kernel=first -passes=share-loads %s | %check %s --check-prefix=FIRST
; RUN: %opt -kernel=behind -passes=share-loads %s | %check %s --check-prefix=BEHIND
; RUN: %opt -kernel=ordered -passes=share-loads %s | %check %s --check-prefix=ORDERED
; RUN: %opt -kernel=some -passes=share-loads %s | %check %s --check-prefix=SOME
; RUN: %opt -kernel=other -passes=share-loads %s | %check %s --check-prefix=OTHER
; RUN: %opt -kernel=raised -passes=share-loads %s | %check %s --check-prefix=RAISED
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; One load and its broadcast for all groups, though they store who knows where.
; FIRST-LABEL: define void @first(
; FIRST: load float, ptr %f
; FIRST: shufflevector
; FIRST: group:
; FIRST-NOT: load float, ptr %f
; FIRST: store <16 x float>
define void @first(ptr %p, ptr %f, i64 %end) {
  br label %group
group:
  %lane = phi i64 [ 0, %0 ], [ %next, %group ]
  %x = load float, ptr %f, align 4
  %one = insertelement <16 x float> poison, float %x, i64 0
  %all = shufflevector <16 x float> %one, <16 x float> poison, <16 x i32> zeroinitializer
  %q = getelementptr float, ptr %p, i64 %lane
  store <16 x float> %all, ptr %q, align 4
  %next = add nuw i64 %lane, 16
  %more = icmp ult i64 %next, %end
  br i1 %more, label %group, label %done, !llvm.loop !0
done:
  ret void
}

; A greatest value, which the groups raise: each looks at what it is by then.
; RAISED-LABEL: define void @raised(
; RAISED: group:
; RAISED: load float, ptr %f
define void @raised(ptr %p, ptr %f, i64 %end) {
  br label %group
group:
  %lane = phi i64 [ 0, %0 ], [ %next, %after ]
  %greatest = load float, ptr %f, align 4
  %q = getelementptr float, ptr %p, i64 %lane
  %x = load float, ptr %q, align 4
  %rises = fcmp ogt float %x, %greatest
  br i1 %rises, label %raise, label %after
raise:
  store float %x, ptr %f, align 4
  br label %after
after:
  %next = add nuw i64 %lane, 16
  %more = icmp ult i64 %next, %end
  br i1 %more, label %group, label %done, !llvm.loop !0
done:
  ret void
}

; The thread itself may have written there.
; BEHIND-LABEL: define void @behind(
; BEHIND: group:
; BEHIND: load float, ptr %f
define void @behind(ptr %p, ptr %f, i64 %end) {
  br label %group
group:
  %lane = phi i64 [ 0, %0 ], [ %next, %group ]
  %q = getelementptr float, ptr %p, i64 %lane
  store <16 x float> zeroinitializer, ptr %q, align 4
  %x = load float, ptr %f, align 4
  %r = getelementptr float, ptr %q, i64 1024
  store float %x, ptr %r, align 4
  %next = add nuw i64 %lane, 16
  %more = icmp ult i64 %next, %end
  br i1 %more, label %group, label %done, !llvm.loop !0
done:
  ret void
}

; Volatile and atomic loads are each thread's own.
; ORDERED-LABEL: define void @ordered(
; ORDERED: group:
; ORDERED: load volatile float, ptr %f
; ORDERED: load atomic float, ptr %f
define void @ordered(ptr %p, ptr %f, i64 %end) {
  br label %group
group:
  %lane = phi i64 [ 0, %0 ], [ %next, %group ]
  %x = load volatile float, ptr %f, align 4
  %y = load atomic float, ptr %f monotonic, align 4
  %z = fadd float %x, %y
  %q = getelementptr float, ptr %p, i64 %lane
  store float %z, ptr %q, align 4
  %next = add nuw i64 %lane, 16
  %more = icmp ult i64 %next, %end
  br i1 %more, label %group, label %done, !llvm.loop !0
done:
  ret void
}

; Not every group loads: there may be nothing.
; SOME-LABEL: define void @some(
; SOME: work:
; SOME: load float, ptr %f
define void @some(ptr %p, ptr %f, i64 %n, i64 %end) {
  br label %group
group:
  %lane = phi i64 [ 0, %0 ], [ %next, %latch ]
  %in = icmp ult i64 %lane, %n
  br i1 %in, label %work, label %latch
work:
  %x = load float, ptr %f, align 4
  %q = getelementptr float, ptr %p, i64 %lane
  store float %x, ptr %q, align 4
  br label %latch
latch:
  %next = add nuw i64 %lane, 16
  %more = icmp ult i64 %next, %end
  br i1 %more, label %group, label %done, !llvm.loop !0
done:
  ret void
}

; A loop of the kernel itself: its turns are one thread's.
; OTHER-LABEL: define void @other(
; OTHER: turn:
; OTHER: load float, ptr %f
define void @other(ptr %p, ptr %f, i64 %end) {
  br label %turn
turn:
  %i = phi i64 [ 0, %0 ], [ %next, %turn ]
  %x = load float, ptr %f, align 4
  %q = getelementptr float, ptr %p, i64 %i
  store float %x, ptr %q, align 4
  %next = add nuw i64 %i, 1
  %more = icmp ult i64 %next, %end
  br i1 %more, label %turn, label %done
done:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"lanza.lanes"}
