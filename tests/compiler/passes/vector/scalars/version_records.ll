; RUN: %opt -kernel=pixels -block=64 -lanes=16 -passes=version-records %s | %check %s --check-prefix=PIXELS
; RUN: %opt -kernel=shared -block=64 -lanes=16 -passes=version-records %s | %check %s --check-prefix=SHARED
; RUN: %opt -kernel=planes -block=64 -lanes=16 -passes=version-records %s | %check %s --check-prefix=PLANES
; RUN: %opt -kernel=rows -block=64 -lanes=16 -passes=version-records %s | %check %s --check-prefix=ROWS
; RUN: %opt -kernel=table -block=64 -lanes=16 -passes=version-records %s | %check %s --check-prefix=TABLE
; RUN: %opt -kernel=far_table -block=64 -lanes=16 -passes=version-records %s | %check %s --check-prefix=SAME
; RUN: %opt -kernel=in_place -block=64 -lanes=16 -passes=version-records %s | %check %s --check-prefix=SAME
; RUN: %opt -kernel=any -block=64 -lanes=16 -passes=version-records %s | %check %s --check-prefix=SAME
; RUN: %opt -kernel=of_block -block=64 -lanes=16 -passes=version-records %s | %check %s --check-prefix=SAME
; RUN: %opt -kernel=filtered -block=64 -lanes=16 -passes=version-records %s | %check %s --check-prefix=FILTERED
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@constants = internal constant [2 x i8] c"\01\02"

declare range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; Two bytes of each pixel: the arrays are apart, or the copy would read what was just written.
; PIXELS-LABEL: define i8 @pixels(
; PIXELS: ptrtoint ptr %out to i64
; PIXELS: ptrtoint ptr %in to i64
; PIXELS: [[FAR:%.*]] = sub i64
; PIXELS: [[ABOVE:%.*]] = icmp sge i64 [[FAR]], 2
; PIXELS: [[BELOW:%.*]] = icmp sle i64 [[FAR]], 0
; PIXELS: [[APART:%.*]] = or i1 [[ABOVE]], [[BELOW]]
; PIXELS: [[ONE:%.*]] = icmp eq i64 [[FAR]], 0
; PIXELS: [[EITHER:%.*]] = or i1 [[APART]], [[ONE]]
; PIXELS: [[ALL:%.*]] = and i1 true, [[EITHER]]
; PIXELS: br i1 [[ALL]], label %[[COPY:.*]], label %[[PIECE:.*]]
; PIXELS: [[PIECE]]:
; PIXELS-NEXT: %a = load i8
; PIXELS-NEXT: store i8 %a
; PIXELS: %b = load i8
; PIXELS: store i8 %b
; PIXELS: phi i8 [ %b, %[[PIECE]] ], [ [[LATE:%.*]], %[[COPY]] ]
; PIXELS-NEXT: ret i8
; PIXELS: [[COPY]]:
; PIXELS-NEXT: [[EARLY:%.*]] = load i8
; PIXELS-NOT: store
; PIXELS: [[LATE]] = load i8
; PIXELS: store i8 [[EARLY]]
; PIXELS-NEXT: store i8 [[LATE]]
define i8 @pixels(ptr %in, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %at = mul nuw nsw i64 %wide, 3
  %p0 = getelementptr i8, ptr %in, i64 %at
  %q0 = getelementptr i8, ptr %out, i64 %at
  %a = load i8, ptr %p0
  store i8 %a, ptr %q0
  %p1 = getelementptr i8, ptr %p0, i64 1
  %b = load i8, ptr %p1
  %q1 = getelementptr i8, ptr %q0, i64 1
  store i8 %b, ptr %q1
  ret i8 %b
}

; Weights that all lanes share are read behind stores, which might change them; constants are not asked about.
; SHARED-LABEL: define void @shared(
; SHARED: ptrtoint ptr %out to i64
; SHARED: ptrtoint ptr %weights to i64
; SHARED: br i1 {{.*}}, label %[[COPY:.*]], label
; SHARED: [[COPY]]:
; SHARED-NOT: store
; SHARED: load i8, ptr
; SHARED: load i8, ptr
; SHARED: store i8
; SHARED-NOT: load
; SHARED: store i8
define void @shared(ptr %weights, ptr %out, i8 %v) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %at = mul nuw nsw i64 %wide, 2
  %q0 = getelementptr i8, ptr %out, i64 %at
  %w0 = load i8, ptr %weights
  %a = mul i8 %v, %w0
  store i8 %a, ptr %q0
  %p1 = getelementptr i8, ptr %weights, i64 1
  %w1 = load i8, ptr %p1
  %c = load i8, ptr getelementptr (i8, ptr @constants, i64 1)
  %b = mul i8 %c, %w1
  %q1 = getelementptr i8, ptr %q0, i64 1
  store i8 %b, ptr %q1
  ret void
}

; One array, whose members do not meet.
; SAME-LABEL: define void
; SAME-NOT: br
; SAME: ret void
define void @in_place(ptr %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %at = mul nuw nsw i64 %wide, 3
  %p0 = getelementptr i8, ptr %in, i64 %at
  %a = load i8, ptr %p0
  %c = add i8 %a, 1
  store i8 %c, ptr %p0
  %p1 = getelementptr i8, ptr %p0, i64 1
  %b = load i8, ptr %p1
  %d = add i8 %b, 1
  store i8 %d, ptr %p1
  ret void
}

; What is read in between lies anywhere.
define void @any(ptr %in, ptr %out, ptr %table) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %at = mul nuw nsw i64 %wide, 3
  %p0 = getelementptr i8, ptr %in, i64 %at
  %q0 = getelementptr i8, ptr %out, i64 %at
  %a = load i8, ptr %p0
  store i8 %a, ptr %q0
  %p1 = getelementptr i8, ptr %p0, i64 1
  %b = load i8, ptr %p1
  %where = zext i8 %b to i64
  %e = getelementptr i8, ptr %table, i64 %where
  %c = load i8, ptr %e
  %q1 = getelementptr i8, ptr %q0, i64 1
  store i8 %c, ptr %q1
  ret void
}

; The base of shared memory has no value but where it is called.
declare ptr @__lanza_shared() nounwind willreturn memory(none)
define void @of_block(ptr %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %at = mul nuw nsw i64 %wide, 3
  %p0 = getelementptr i8, ptr %in, i64 %at
  %tile = call ptr @__lanza_shared()
  %q0 = getelementptr i8, ptr %tile, i64 %at
  %a = load i8, ptr %p0
  store i8 %a, ptr %q0
  %p1 = getelementptr i8, ptr %p0, i64 1
  %b = load i8, ptr %p1
  %q1 = getelementptr i8, ptr %q0, i64 1
  store i8 %b, ptr %q1
  ret void
}

; Neighbours are read: the distance of what a lane writes from what it reads grows by a byte from lane to lane.
; PLANES-LABEL: define void @planes(
; PLANES: call i32 @lanza.lane()
; PLANES: icmp sge i64 [[FAR:%.*]], 1
; PLANES: icmp sle i64 [[FAR]], -16
; PLANES: br i1 {{.*}}, label %[[COPY:.*]], label %[[PIECE:.*]]
; PLANES: [[PIECE]]:
; PLANES-NEXT: store i8 %a
; PLANES: %b = load i8
; PLANES: store i8 %b
; PLANES: {{^}}[[COPY]]:
; PLANES-NOT: store
; PLANES: [[LATE:%.*]] = load i8
; PLANES: store i8 %a
; PLANES-NEXT: store i8 [[LATE]]
define void @planes(ptr %in, ptr %out, i64 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %at = mul nuw nsw i64 %wide, 2
  %p0 = getelementptr i8, ptr %in, i64 %wide
  %q0 = getelementptr i8, ptr %out, i64 %at
  %a = load i8, ptr %p0
  store i8 %a, ptr %q0
  %p1 = getelementptr i8, ptr %p0, i64 %n
  %b = load i8, ptr %p1
  %q1 = getelementptr i8, ptr %q0, i64 1
  store i8 %b, ptr %q1
  ret void
}

; An index of planes that is made behind the first store is asked about in front of it.
; ROWS-LABEL: define void @rows(
; ROWS: mul nsw i64 %h, %w
; ROWS: br i1 {{.*}}, label %[[COPY:.*]], label %[[PIECE:.*]]
; ROWS: [[COPY]]:
; ROWS-NOT: store
; ROWS: load i8
; ROWS: store i8
; ROWS-NEXT: store i8
define void @rows(ptr %in, ptr %out, i64 %w, i64 %h) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %p0 = getelementptr i8, ptr %in, i64 %wide
  %a = load i8, ptr %p0
  %at = mul nuw nsw i64 %wide, 2
  %q0 = getelementptr i8, ptr %out, i64 %at
  store i8 %a, ptr %q0
  %plane = mul nsw i64 %h, %w
  %p1 = getelementptr i8, ptr %p0, i64 %plane
  %b = load i8, ptr %p1
  %q1 = getelementptr i8, ptr %q0, i64 1
  store i8 %b, ptr %q1
  ret void
}

; Members are found in a table by bytes: 256 of its elements are asked about. `!invariant.load`: no store changes it.
; TABLE-LABEL: define void @table(
; TABLE: ptrtoint ptr %out to i64
; TABLE: ptrtoint ptr %in to i64
; TABLE: ptrtoint ptr %out to i64
; TABLE: ptrtoint ptr %to to i64
; TABLE: [[FAR:%.*]] = sub i64
; TABLE-NEXT: icmp sge i64 [[FAR]], 512
; TABLE: br i1 {{.*}}, label %[[COPY:.*]], label %[[PIECE:.*]]
; TABLE: [[COPY]]:
; TABLE-NOT: store
; TABLE: load i8
; TABLE: load i16
; TABLE: store i16
; TABLE-NEXT: store i16
define void @table(ptr %in, ptr %to, ptr %out, ptr %known) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %at = mul nuw nsw i64 %wide, 2
  %p0 = getelementptr i8, ptr %in, i64 %at
  %q0 = getelementptr i16, ptr %out, i64 %at
  %a = load i8, ptr %p0
  %a.wide = zext i8 %a to i64
  %a.at = getelementptr i16, ptr %to, i64 %a.wide
  %a.found = load i16, ptr %a.at
  store i16 %a.found, ptr %q0
  %p1 = getelementptr i8, ptr %p0, i64 1
  %b = load i8, ptr %p1
  %b.wide = zext i8 %b to i64
  %b.at = getelementptr i16, ptr %to, i64 %b.wide
  %b.found = load i16, ptr %b.at
  %k.at = getelementptr i16, ptr %known, i16 %b.found
  %k = load i16, ptr %k.at, !invariant.load !0
  %sum = add i16 %k, %b.found
  %q1 = getelementptr i8, ptr %q0, i64 2
  store i16 %sum, ptr %q1
  ret void
}
!0 = !{}

; Shorts may be anywhere in 128 KiB.
define void @far_table(ptr %in, ptr %to, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %at = mul nuw nsw i64 %wide, 2
  %p0 = getelementptr i16, ptr %in, i64 %at
  %q0 = getelementptr i16, ptr %out, i64 %at
  %a = load i16, ptr %p0
  store i16 %a, ptr %q0
  %p1 = getelementptr i8, ptr %p0, i64 2
  %b = load i16, ptr %p1
  %b.wide = zext i16 %b to i64
  %b.at = getelementptr i16, ptr %to, i64 %b.wide
  %b.found = load i16, ptr %b.at
  %q1 = getelementptr i8, ptr %q0, i64 2
  store i16 %b.found, ptr %q1
  ret void
}

; Of a filter's first member the copy loads what it loads of the others, in one block.
; FILTERED-LABEL: define void @filtered(
; FILTERED: br i1 {{.*}}, label %[[COPY:.*]], label %[[PIECE:.*]]
; FILTERED: [[PIECE]]:
; FILTERED-NEXT: %a = load i8
; FILTERED: [[COPY]]:
; FILTERED-NEXT: load i8
; FILTERED: load i8
; FILTERED-NOT: load
; FILTERED: store i8
; FILTERED: store i8
define void @filtered(ptr %in, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %j = mul nuw nsw i64 %i, 2
  %p = getelementptr i8, ptr %in, i64 %j
  %q = getelementptr i8, ptr %out, i64 %j
  %a = load i8, ptr %p
  %fa = shl i8 %a, 1
  store i8 %fa, ptr %q
  %p1 = getelementptr i8, ptr %p, i64 1
  %b = load i8, ptr %p1
  %fb = shl i8 %b, 1
  %q1 = getelementptr i8, ptr %q, i64 1
  store i8 %fb, ptr %q1
  ret void
}
