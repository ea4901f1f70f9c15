; RUN: %opt -kernel=three -passes=carry-taps %s | %check %s --check-prefix=THREE
; RUN: %opt -kernel=written -passes=carry-taps %s | %check %s --check-prefix=WRITTEN
; RUN: %opt -kernel=apart -passes=carry-taps %s | %check %s --check-prefix=APART
; RUN: %opt -kernel=ordered -passes=carry-taps %s | %check %s --check-prefix=ORDERED
; RUN: %opt -kernel=other -passes=carry-taps %s | %check %s --check-prefix=OTHER
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; in[x - 1], in[x], in[x + 1]: one load a turn, and the end of the one before. Nothing is read that was not: the first
; turn has its lowest one.
; THREE-LABEL: define void @three(
; THREE: [[LOWEST:%.*]] = getelementptr {{.*}}, ptr %p, i64 -4
; THREE: [[FIRST:%.*]] = load <16 x i32>, ptr [[LOWEST]], align 4
; THREE: [[END:%.*]] = shufflevector <16 x i32> [[FIRST]], <16 x i32> poison, <16 x i32> <{{.*}}i32 poison, i32 0, i32 1>
; THREE: group:
; THREE: [[KEPT:%kept]] = phi <16 x i32> [ [[END]], %0 ], [ [[LAST:%.*]], %group ]
; THREE: [[AT:%.*]] = getelementptr i8, ptr %here, i64 4
; THREE: [[LAST]] = load <16 x i32>, ptr [[AT]], align 4
; THREE: shufflevector <16 x i32> [[KEPT]], <16 x i32> [[LAST]], <16 x i32> <i32 15, i32 16,
; THREE: shufflevector <16 x i32> [[KEPT]], <16 x i32> [[LAST]], <16 x i32> <i32 14, i32 15,
; THREE-NOT: load
; THREE: ret void
define void @three(ptr %p, ptr %o, i64 %end) {
  br label %group
group:
  %lane = phi i64 [ 0, %0 ], [ %next, %group ]
  %here = getelementptr float, ptr %p, i64 %lane
  %b = load <16 x float>, ptr %here, align 4
  %left = getelementptr i8, ptr %here, i64 -4
  %a = load <16 x float>, ptr %left, align 4
  %right = getelementptr i8, ptr %here, i64 4
  %c = load <16 x float>, ptr %right, align 4
  %ab = fadd <16 x float> %a, %b
  %abc = fadd <16 x float> %ab, %c
  %q = getelementptr float, ptr %o, i64 %lane
  store <16 x float> %abc, ptr %q, align 4
  %next = add nuw i64 %lane, 16
  %more = icmp ult i64 %next, %end
  br i1 %more, label %group, label %done, !llvm.loop !0
done:
  ret void
}

; Behind a store a lane may read what it wrote itself.
; WRITTEN-LABEL: define void @written(
; WRITTEN-NOT: %kept
; WRITTEN: ret void
define void @written(ptr %p, ptr %o, i64 %end) {
  br label %group
group:
  %lane = phi i64 [ 0, %0 ], [ %next, %group ]
  %here = getelementptr float, ptr %p, i64 %lane
  %b = load <16 x float>, ptr %here, align 4
  %q = getelementptr float, ptr %o, i64 %lane
  store <16 x float> %b, ptr %q, align 4
  %right = getelementptr i8, ptr %here, i64 4
  %c = load <16 x float>, ptr %right, align 4
  store <16 x float> %c, ptr %q, align 4
  %next = add nuw i64 %lane, 16
  %more = icmp ult i64 %next, %end
  br i1 %more, label %group, label %done, !llvm.loop !0
done:
  ret void
}

; Vectors that do not overlap, or of other rows.
; APART-LABEL: define void @apart(
; APART-NOT: %kept
; APART: ret void
define void @apart(ptr %p, ptr %r, ptr %o, i64 %end) {
  br label %group
group:
  %lane = phi i64 [ 0, %0 ], [ %next, %group ]
  %here = getelementptr float, ptr %p, i64 %lane
  %a = load <16 x float>, ptr %here, align 4
  %far = getelementptr i8, ptr %here, i64 64
  %b = load <16 x float>, ptr %far, align 4
  %there = getelementptr float, ptr %r, i64 %lane
  %c = load <16 x float>, ptr %there, align 4
  %ab = fadd <16 x float> %a, %b
  %abc = fadd <16 x float> %ab, %c
  %q = getelementptr float, ptr %o, i64 %lane
  store <16 x float> %abc, ptr %q, align 4
  %next = add nuw i64 %lane, 16
  %more = icmp ult i64 %next, %end
  br i1 %more, label %group, label %done, !llvm.loop !0
done:
  ret void
}

; Volatile loads are each thread's own.
; ORDERED-LABEL: define void @ordered(
; ORDERED-NOT: %kept
; ORDERED: ret void
define void @ordered(ptr %p, ptr %o, i64 %end) {
  br label %group
group:
  %lane = phi i64 [ 0, %0 ], [ %next, %group ]
  %here = getelementptr float, ptr %p, i64 %lane
  %a = load volatile <16 x float>, ptr %here, align 4
  %right = getelementptr i8, ptr %here, i64 4
  %b = load volatile <16 x float>, ptr %right, align 4
  %ab = fadd <16 x float> %a, %b
  %q = getelementptr float, ptr %o, i64 %lane
  store <16 x float> %ab, ptr %q, align 4
  %next = add nuw i64 %lane, 16
  %more = icmp ult i64 %next, %end
  br i1 %more, label %group, label %done, !llvm.loop !0
done:
  ret void
}

; A loop of the user's: its turns are one thread's.
; OTHER-LABEL: define void @other(
; OTHER-NOT: %kept
; OTHER: ret void
define void @other(ptr %p, ptr %o, i64 %end) {
  br label %group
group:
  %lane = phi i64 [ 0, %0 ], [ %next, %group ]
  %here = getelementptr float, ptr %p, i64 %lane
  %a = load <16 x float>, ptr %here, align 4
  %right = getelementptr i8, ptr %here, i64 4
  %b = load <16 x float>, ptr %right, align 4
  %ab = fadd <16 x float> %a, %b
  %q = getelementptr float, ptr %o, i64 %lane
  store <16 x float> %ab, ptr %q, align 4
  %next = add nuw i64 %lane, 16
  %more = icmp ult i64 %next, %end
  br i1 %more, label %group, label %done
done:
  ret void
}


!0 = distinct !{!0, !1}
!1 = !{!"lanza.lanes"}
