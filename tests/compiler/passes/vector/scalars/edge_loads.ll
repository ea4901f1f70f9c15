; RUN: %opt -kernel=in_order -block=16 -lanes=16 -passes=edge-loads,prepare-control,linearise,widen %s | %check %s --check-prefix=ORDER
; RUN: %opt -kernel=clamped -block=256 -lanes=16 -passes=edge-loads %s | %check %s
; RUN: %opt -kernel=clamped -block=256 -lanes=16 -passes=edge-loads,prepare-control,linearise,widen %s | %check %s --check-prefix=WIDE
; RUN: %opt -kernel=wrapped -block=256 -lanes=16 -passes=edge-loads %s | %check %s --check-prefix=WRAP
; RUN: %opt -kernel=together -block=256 -lanes=16 -passes=edge-loads %s | %check %s --check-prefix=TOGETHER
; RUN: %opt -kernel=writes -block=256 -lanes=16 -passes=edge-loads %s | %check %s --check-prefix=WRITES
; RUN: %opt -kernel=by_data -block=256 -lanes=16 -passes=edge-loads %s | %check %s --check-prefix=DATA
; RUN: %opt -kernel=may_wrap -block=256 -lanes=16 -passes=edge-loads %s | %check %s --check-prefix=MAYWRAP
; RUN: %opt -kernel=elsewhere -block=256 -lanes=16 -passes=edge-loads,prepare-control,linearise,widen %s | %check %s --check-prefix=ELSEWHERE
; RUN: %opt -kernel=anywhere -block=256 -lanes=16 -passes=edge-loads %s | %check %s --check-prefix=ANYWHERE
; RUN: %opt -kernel=of_one -block=32,8 -lanes=16 -passes=edge-loads %s | %check %s --check-prefix=CORNER
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)

; Beyond either edge one element is loaded for all, inside neighbours.
; CHECK-LABEL: define void @clamped(
; CHECK: [[BEHIND:%.*]] = icmp slt i32 %last, %low
; CHECK: br i1 [[BEHIND]]
; CHECK: [[P:%.*]] = getelementptr float, ptr %x, i64 {{%.*}}
; CHECK: load float, ptr [[P]]
; CHECK: [[BEFORE:%.*]] = icmp sgt i32 0, %left
; CHECK: br i1 [[BEFORE]]
; CHECK: sext i32 0 to i64
; CHECK: load float
; CHECK: sext i32 %left to i64
; CHECK: load float
; WIDE-LABEL: define void @clamped(
; WIDE-NOT: gather
; WIDE: call <16 x float> @llvm.masked.load
; WIDE-NOT: gather
; WIDE: ret void
define void @clamped(ptr %x, ptr %y, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %m = shl i32 %c, 8
  %i = or disjoint i32 %m, %t
  %left = add nsw i32 %i, -1
  %last = add nsw i32 %n, -1
  %low = call i32 @llvm.smax.i32(i32 %left, i32 0)
  %k = call i32 @llvm.smin.i32(i32 %low, i32 %last)
  %wide = sext i32 %k to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  %own = sext i32 %i to i64
  %q = getelementptr float, ptr %y, i64 %own
  store float %v, ptr %q
  ret void
}

; WRAP-LABEL: define void @wrapped(
; WRAP: [[FIRST:%.*]] = icmp eq i32 %i, 0
; WRAP: br i1 [[FIRST]]
; WRAP: sext i32 %last to i64
; WRAP: load float
; WRAP: sext i32 %left to i64
; WRAP: load float
define void @wrapped(ptr %x, ptr %y, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %m = shl i32 %c, 8
  %i = or disjoint i32 %m, %t
  %left = add nsw i32 %i, -1
  %last = add nsw i32 %n, -1
  %is = icmp eq i32 %i, 0
  %k = select i1 %is, i32 %last, i32 %left
  %wide = sext i32 %k to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  %own = sext i32 %i to i64
  %q = getelementptr float, ptr %y, i64 %own
  store float %v, ptr %q
  ret void
}

; Two rows, one branch.
; TOGETHER-LABEL: define void @together(
; TOGETHER: br i1
; TOGETHER-COUNT-2: load float
; TOGETHER: br label
; TOGETHER-COUNT-2: load float
; TOGETHER-NOT: br i1
; TOGETHER: ret void
define void @together(ptr %x, ptr %y, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %last = add nsw i32 %n, -1
  %k = call i32 @llvm.smin.i32(i32 %t, i32 %last)
  %wide = sext i32 %k to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  %twice = fadd float %v, %v
  %below = add nsw i32 %k, %n
  %wide.below = sext i32 %below to i64
  %r = getelementptr float, ptr %x, i64 %wide.below
  %w = load float, ptr %r
  %s = fadd float %twice, %w
  %own = zext i32 %t to i64
  %q = getelementptr float, ptr %y, i64 %own
  store float %s, ptr %q
  ret void
}

; What is written in between may be what the second one loads.
; WRITES-LABEL: define void @writes(
; WRITES: br i1
; WRITES: store float
; WRITES: br i1
define void @writes(ptr %x, ptr %y, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %last = add nsw i32 %n, -1
  %k = call i32 @llvm.smin.i32(i32 %t, i32 %last)
  %wide = sext i32 %k to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  %own = zext i32 %t to i64
  %q = getelementptr float, ptr %y, i64 %own
  store float %v, ptr %q
  %w = load float, ptr %p
  %r = getelementptr float, ptr %q, i64 %wide
  store float %w, ptr %r
  ret void
}

; An index out of memory has no neighbours, clamped or not.
; DATA-LABEL: define void @by_data(
; DATA-NOT: br i1
; DATA: ret void
define void @by_data(ptr %x, ptr %y, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = zext i32 %t to i64
  %q = getelementptr i32, ptr %y, i64 %own
  %index = load i32, ptr %q
  %k = call i32 @llvm.smin.i32(i32 %index, i32 %n)
  %wide = sext i32 %k to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  store float %v, ptr %q
  ret void
}

; Nor has one that may wrap within a group.
; MAYWRAP-LABEL: define void @may_wrap(
; MAYWRAP-NOT: br i1
; MAYWRAP: ret void
define void @may_wrap(ptr %x, ptr %y, i32 %n, i32 %start) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = add i32 %start, %t
  %k = call i32 @llvm.smin.i32(i32 %i, i32 %n)
  %wide = sext i32 %k to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  %own = zext i32 %t to i64
  %q = getelementptr float, ptr %y, i64 %own
  store float %v, ptr %q
  ret void
}

; One load from the halo or from the tile is two of neighbours, each under its mask.
; ELSEWHERE-LABEL: define void @elsewhere(
; ELSEWHERE-NOT: gather
; ELSEWHERE-COUNT-2: call <16 x float> @llvm.masked.load
; ELSEWHERE-NOT: gather
; ELSEWHERE: ret void
define void @elsewhere(ptr %halo, ptr %tile, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %left = add nsw i64 %wide, -1
  %own = getelementptr float, ptr %halo, i64 %wide
  %neighbour = getelementptr float, ptr %tile, i64 %left
  %first = icmp eq i32 %t, 0
  %p = select i1 %first, ptr %own, ptr %neighbour
  %v = load float, ptr %p
  %q = getelementptr float, ptr %y, i64 %wide
  store float %v, ptr %q
  ret void
}

; Neighbours here, others there: nothing is gained by a branch.
; ANYWHERE-LABEL: define void @anywhere(
; ANYWHERE-NOT: br i1
; ANYWHERE: ret void
define void @anywhere(ptr %halo, ptr %tile, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %far = mul nsw i64 %wide, 100
  %own = getelementptr float, ptr %halo, i64 %wide
  %other = getelementptr float, ptr %tile, i64 %far
  %first = icmp eq i32 %t, 0
  %p = select i1 %first, ptr %own, ptr %other
  %v = load float, ptr %p
  %q = getelementptr float, ptr %y, i64 %wide
  store float %v, ptr %q
  ret void
}

; A block as wide as a group: which lane loads what is known, a vector and a shuffle.
; ORDER-LABEL: define void @in_order(
; ORDER-NOT: br i1
; ORDER: [[ROW:%.*]] = call <16 x float> @llvm.masked.load.v16f32.p0(ptr {{%.*}}, i32 4, <16 x i1> <i1 true
; ORDER: shufflevector <16 x float> [[ROW]], <16 x float> poison, <16 x i32> <i32 0, i32 0, i32 1, i32 2, {{.*}}, i32 14>
; ORDER: ret void
define void @in_order(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %left = add nsw i32 %t, -1
  %low = call i32 @llvm.smax.i32(i32 %left, i32 0)
  %at = sext i32 %low to i64
  %p = getelementptr float, ptr %x, i64 %at
  %v = load float, ptr %p
  %own = zext nneg i32 %t to i64
  %q = getelementptr float, ptr %y, i64 %own
  store float %v, ptr %q
  ret void
}

; Of one lane, whose place is known: it has no neighbours.
; CORNER-LABEL: define void @of_one(
; CORNER: corner:
; CORNER-NOT: br i1
; CORNER: ret void
define void @of_one(ptr %a, ptr %b, i32 %last) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %u = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %either = or i32 %t, %u
  %is_corner = icmp eq i32 %either, 0
  br i1 %is_corner, label %corner, label %end
corner:
  %wraps = icmp eq i32 %t, 0
  %before = add nsw i32 %t, -1
  %at = select i1 %wraps, i32 %last, i32 %before
  %wide = sext i32 %at to i64
  %p = getelementptr i8, ptr %a, i64 %wide
  %v = load i8, ptr %p
  store i8 %v, ptr %b
  br label %end
end:
  ret void
}
