; RUN: %opt -block=256 -kernel=fills -passes=pad-rows %s | %check %s --check-prefix=FILLS
; RUN: %opt -block=256 -kernel=reads_own -passes=pad-rows %s | %check %s --check-prefix=STAYS
; RUN: %opt -block=256 -kernel=whole_vectors -passes=pad-rows %s | %check %s --check-prefix=STAYS
; RUN: %opt -block=128 -kernel=fills -passes=pad-rows %s | %check %s --check-prefix=STAYS
; RUN: %opt -block=256 -kernel=in_a_line -passes=pad-rows %s | %check %s --check-prefix=LINE
; RUN: %opt -block=256 -kernel=apart -passes=pad-rows %s | %check %s --check-prefix=APART
; RUN: %opt -block=256 -kernel=short_rows -passes=pad-rows %s | %check %s --check-prefix=SHORT
; RUN: %opt -block=256 -kernel=bytes -passes=pad-rows %s | %check %s --check-prefix=BYTES
; RUN: %opt -block=256 -kernel=overlaps -passes=pad-rows %s | %check %s --check-prefix=STAYS
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [18 x [18 x float]] undef
@line = internal addrspace(3) global [400 x float] undef
@bytes_tile = internal addrspace(3) global [10 x [34 x i8]] undef
@short = internal addrspace(3) global [30 x [12 x float]] undef
@wide = internal addrspace(3) global [16 x [32 x float]] undef

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32) convergent

; Rows of 18 become two pieces of 16, the second of which ends where the row does: 36 groups, each in a row.
; FILLS-LABEL: @fills(
; FILLS: %i = phi i32 [ %t, %entry ]
; FILLS-NEXT: [[PIECE:%.*]] = lshr i32 %i, 4
; FILLS-NEXT: [[ROW:%.*]] = udiv i32 [[PIECE]], 2
; FILLS-NEXT: [[IN_ROW:%.*]] = urem i32 [[PIECE]], 2
; FILLS-NEXT: [[LANE:%.*]] = and i32 %i, 15
; FILLS-NEXT: [[PIECES:%.*]] = shl nuw nsw i32 [[IN_ROW]], 4
; FILLS-NEXT: [[IS_LAST:%.*]] = icmp eq i32 [[IN_ROW]], 1
; FILLS-NEXT: [[FIRST:%.*]] = select i1 [[IS_LAST]], i32 2, i32 [[PIECES]]
; FILLS-NEXT: [[COLUMN:%.*]] = add nuw nsw i32 [[FIRST]], [[LANE]]
; FILLS-NOT: br i1
; FILLS-NOT: div
; FILLS: [[START:%.*]] = mul i32 [[ROW]], %pitch
; FILLS: add i32 [[START]], [[COLUMN]]
; FILLS: [[AFTER:%.*]] = add nuw i32 %i, 256
; FILLS: icmp ult i32 [[AFTER]], 576
define void @fills(ptr %in, ptr %out, i32 %pitch) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %i1, %loop ]
  %row = udiv i32 %i, 18
  %column = urem i32 %i, 18
  %start = mul i32 %row, %pitch
  %at = add i32 %start, %column
  %wide.at = sext i32 %at to i64
  %from = getelementptr float, ptr %in, i64 %wide.at
  %v = load float, ptr %from
  %wide.row = zext i32 %row to i64
  %wide.column = zext i32 %column to i64
  %to = getelementptr [18 x [18 x float]], ptr addrspace(3) @tile, i64 0, i64 %wide.row, i64 %wide.column
  store float %v, ptr addrspace(3) %to
  %i1 = add nuw nsw i32 %i, 256
  %more = icmp ult i32 %i, 68
  br i1 %more, label %loop, label %filled
filled:
  %met = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %own = getelementptr float, ptr addrspace(3) @tile, i32 %t
  %w = load float, ptr addrspace(3) %own
  %wide.t = zext i32 %t to i64
  %result = getelementptr float, ptr %out, i64 %wide.t
  store float %w, ptr %result
  ret void
}

; What a thread has filled it reads before the others are there.
; STAYS-LABEL: define void @
; STAYS-NOT: phi
; STAYS: phi i32
; STAYS-NEXT: udiv i32 %i, {{18|32}}
define void @reads_own(ptr %in, ptr %out, i32 %pitch) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %i1, %loop ]
  %row = udiv i32 %i, 18
  %column = urem i32 %i, 18
  %wide.row = zext i32 %row to i64
  %wide.column = zext i32 %column to i64
  %to = getelementptr [18 x [18 x float]], ptr addrspace(3) @tile, i64 0, i64 %wide.row, i64 %wide.column
  store float 1.0, ptr addrspace(3) %to
  %i1 = add nuw nsw i32 %i, 256
  %more = icmp ult i32 %i, 68
  br i1 %more, label %loop, label %filled
filled:
  %own = getelementptr float, ptr addrspace(3) @tile, i32 %t
  %w = load float, ptr addrspace(3) %own
  %met = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %wide.t = zext i32 %t to i64
  %result = getelementptr float, ptr %out, i64 %wide.t
  store float %w, ptr %result
  ret void
}

; Groups lie in a row each as it is.
define void @whole_vectors(ptr %in, ptr %out, i32 %pitch) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %i1, %loop ]
  %row = udiv i32 %i, 32
  %column = urem i32 %i, 32
  %wide.row = zext i32 %row to i64
  %wide.column = zext i32 %column to i64
  %to = getelementptr [16 x [32 x float]], ptr addrspace(3) @wide, i64 0, i64 %wide.row, i64 %wide.column
  store float 1.0, ptr addrspace(3) %to
  %i1 = add nuw nsw i32 %i, 256
  %more = icmp ult i32 %i, 256
  br i1 %more, label %loop, label %filled
filled:
  %met = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  ret void
}

; A tile of one dimension: the place is the flat index, which goes row by row, too.
; LINE-LABEL: @in_a_line(
; LINE: [[ROW:%.*]] = udiv i32
; LINE: [[COLUMN:%.*]] = add nuw nsw i32
; LINE: [[FIRST:%.*]] = mul nuw nsw i32 [[ROW]], 18
; LINE: [[FLAT:%.*]] = add nuw nsw i32 [[FIRST]], [[COLUMN]]
; LINE: %wide = zext i32 [[FLAT]] to i64
; LINE: getelementptr [400 x float], ptr addrspace(3) @line, i64 0, i64 %wide
define void @in_a_line(ptr %in, ptr %out, i32 %pitch) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %i1, %loop ]
  %row = udiv i32 %i, 18
  %column = urem i32 %i, 18
  %start = mul i32 %row, %pitch
  %at = add i32 %start, %column
  %wide.at = sext i32 %at to i64
  %from = getelementptr float, ptr %in, i64 %wide.at
  %v = load float, ptr %from
  %wide = zext i32 %i to i64
  %to = getelementptr [400 x float], ptr addrspace(3) @line, i64 0, i64 %wide
  store float %v, ptr addrspace(3) %to
  %i1 = add nuw nsw i32 %i, 256
  %more = icmp ult i32 %i, 68
  br i1 %more, label %loop, label %filled
filled:
  %met = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  ret void
}

; Rows that are further apart in the tile.
; APART-LABEL: @apart(
; APART: [[COLUMN:%.*]] = add nuw nsw i32
; APART: mul i32 %{{.*}}, 20
; APART: add i32 %{{.*}}, [[COLUMN]]
define void @apart(ptr %in, ptr %out, i32 %pitch) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %i1, %loop ]
  %row = udiv i32 %i, 18
  %column = urem i32 %i, 18
  %start = mul i32 %row, %pitch
  %at = add i32 %start, %column
  %wide.at = sext i32 %at to i64
  %from = getelementptr float, ptr %in, i64 %wide.at
  %v = load float, ptr %from
  %first = mul i32 %row, 20
  %place = add i32 %first, %column
  %wide = zext i32 %place to i64
  %to = getelementptr [400 x float], ptr addrspace(3) @line, i64 0, i64 %wide
  store float %v, ptr addrspace(3) %to
  %i1 = add nuw nsw i32 %i, 256
  %more = icmp ult i32 %i, 68
  br i1 %more, label %loop, label %filled
filled:
  %met = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  ret void
}

; Rows that overlap: who writes last decides.
define void @overlaps(ptr %in, ptr %out, i32 %pitch) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %i1, %loop ]
  %row = udiv i32 %i, 18
  %column = urem i32 %i, 18
  %start = mul i32 %row, %pitch
  %at = add i32 %start, %column
  %wide.at = sext i32 %at to i64
  %from = getelementptr float, ptr %in, i64 %wide.at
  %v = load float, ptr %from
  %first = mul i32 %row, 17
  %place = add i32 %first, %column
  %wide = zext i32 %place to i64
  %to = getelementptr [400 x float], ptr addrspace(3) @line, i64 0, i64 %wide
  store float %v, ptr addrspace(3) %to
  %i1 = add nuw nsw i32 %i, 256
  %more = icmp ult i32 %i, 68
  br i1 %more, label %loop, label %filled
filled:
  %met = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  ret void
}

; Rows of less than a vector: some threads have no element.
; SHORT-LABEL: @short_rows(
; SHORT: [[COLUMN:%.*]] = add nuw nsw i32
; SHORT: [[INSIDE:%.*]] = icmp ult i32 [[COLUMN]], 12
; SHORT: br i1 [[INSIDE]]
; SHORT: icmp ult i32 %{{.*}}, 480
define void @short_rows(ptr %in) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %i1, %loop ]
  %row = udiv i32 %i, 12
  %column = urem i32 %i, 12
  %from = getelementptr float, ptr %in, i32 %i
  %v = load float, ptr %from
  %wide.row = zext i32 %row to i64
  %wide.column = zext i32 %column to i64
  %to = getelementptr [30 x [12 x float]], ptr addrspace(3) @short, i64 0, i64 %wide.row, i64 %wide.column
  store float %v, ptr addrspace(3) %to
  %i1 = add nuw nsw i32 %i, 256
  %more = icmp ult i32 %i, 104
  br i1 %more, label %loop, label %filled
filled:
  %met = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  ret void
}

; Of bytes a register holds 32.
; BYTES-LABEL: @bytes(
; BYTES: lshr i32 %i, 5
; BYTES: and i32 %i, 31
; BYTES: select i1 %{{.*}}, i32 2, i32 %{{.*}}
; BYTES: icmp ult i32 %{{.*}}, 640
define void @bytes(ptr %in) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %i1, %loop ]
  %row = udiv i32 %i, 34
  %column = urem i32 %i, 34
  %from = getelementptr i8, ptr %in, i32 %i
  %v = load i8, ptr %from
  %wide.row = zext i32 %row to i64
  %wide.column = zext i32 %column to i64
  %to = getelementptr [10 x [34 x i8]], ptr addrspace(3) @bytes_tile, i64 0, i64 %wide.row, i64 %wide.column
  store i8 %v, ptr addrspace(3) %to
  %i1 = add nuw nsw i32 %i, 256
  %more = icmp ult i32 %i, 84
  br i1 %more, label %loop, label %filled
filled:
  %met = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  ret void
}
