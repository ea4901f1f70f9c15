; RUN: %opt -kernel=halo -block=16,8 -passes=align-tiles %s | %check %s --check-prefix=HALO
; RUN: %opt -kernel=halo -block=8,16 -passes=align-tiles %s | %check %s --check-prefix=NARROW
; RUN: %opt -kernel=guarded -block=16,8 -passes=align-tiles %s | %check %s --check-prefix=GUARDED
; RUN: %opt -kernel=window -block=16,8 -passes=align-tiles %s | %check %s --check-prefix=WINDOW
; RUN: %opt -kernel=beyond -block=16,8 -passes=align-tiles %s | %check %s --check-prefix=BEYOND
; RUN: %opt -kernel=flat -block=64 -passes=align-tiles %s | %check %s --check-prefix=FLAT
; RUN: %opt -kernel=quads -block=16,8 -passes=align-tiles %s | %check %s --check-prefix=QUADS
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@halos = internal addrspace(3) global [10 x [18 x float]] undef, align 4
@table = internal addrspace(3) global [8 x [20 x float]] undef, align 4
@windows = internal addrspace(3) global [8 x [20 x float]] undef, align 4
@wide = internal addrspace(3) global [8 x [20 x float]] undef, align 4
@line = internal addrspace(3) global [8 x [20 x float]] undef, align 4
@vectors = internal addrspace(3) global [8 x [20 x float]] undef, align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; tile[y + 1][x + 1]: rows begin 15 elements behind a line, so that column 1 begins the next one.
; HALO: @halos = internal addrspace(3) global [10 x [48 x float]] undef, align 64
; HALO-LABEL: define void @halo(
; HALO: %[[ROW:.*]] = add nuw nsw i32 %y, 1
; HALO: %[[R:.*]] = zext i32 %[[ROW]] to i64
; HALO: %[[COLUMN:.*]] = add nuw nsw i32 %x, 16
; HALO: %[[C:.*]] = zext i32 %[[COLUMN]] to i64
; HALO: getelementptr inbounds [10 x [48 x float]], ptr addrspace(3) @halos, i64 0, i64 %[[R]], i64 %[[C]]
; The left neighbour's.
; HALO: add nuw nsw i32 %x, 15
; A constant place: tile[9][17].
; HALO: load float, ptr addrspace(3) getelementptr inbounds ([10 x [48 x float]], ptr addrspace(3) @halos, i64 0, i64 9, i64 32)
; Rows of 8 threads are no lines.
; NARROW: @halos = internal addrspace(3) global [10 x [18 x float]] undef, align 4
define void @halo(float %v, ptr %out) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call range(i32 0, 8) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %wx = zext nneg i32 %x to i64
  %wy = zext nneg i32 %y to i64
  %y1 = add nuw nsw i64 %wy, 1
  %x1 = add nuw nsw i64 %wx, 1
  %p = getelementptr inbounds [10 x [18 x float]], ptr addrspace(3) @halos, i64 0, i64 %y1, i64 %x1
  store float %v, ptr addrspace(3) %p
  %s = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %q = getelementptr inbounds i8, ptr addrspace(3) %p, i64 -4
  %r = load float, ptr addrspace(3) %q
  store float %r, ptr %out
  %e = load float, ptr addrspace(3) getelementptr inbounds (i8, ptr addrspace(3) @halos, i64 716)
  store float %e, ptr %out
  ret void
}

; A column that a comparison bounds, x + 16 where x is below 4: padded to whole lines.
; GUARDED: @table = internal addrspace(3) global [8 x [32 x float]] undef, align 64
define void @guarded(float %v, ptr %out) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call range(i32 0, 8) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %wy = zext nneg i32 %y to i64
  %wx = zext nneg i32 %x to i64
  %p = getelementptr inbounds [8 x [20 x float]], ptr addrspace(3) @table, i64 0, i64 %wy, i64 %wx
  store float %v, ptr addrspace(3) %p
  %is_first = icmp ult i32 %x, 4
  br i1 %is_first, label %first, label %done
first:
  %column = or disjoint i32 %x, 16
  %w = zext nneg i32 %column to i64
  %f = getelementptr inbounds [8 x [20 x float]], ptr addrspace(3) @table, i64 0, i64 %wy, i64 %w
  store float %v, ptr addrspace(3) %f
  br label %done
done:
  %s = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %q = getelementptr inbounds [8 x [20 x float]], ptr addrspace(3) @table, i64 0, i64 %wy, i64 %wx
  %r = load float, ptr addrspace(3) %q
  store float %r, ptr %out
  ret void
}

; Most is read from anywhere in a row, as windows are: as it is.
; WINDOW: @windows = internal addrspace(3) global [8 x [20 x float]] undef, align 4
define void @window(float %v, ptr %out) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call range(i32 0, 8) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %wy = zext nneg i32 %y to i64
  %wx = zext nneg i32 %x to i64
  %p = getelementptr inbounds [8 x [20 x float]], ptr addrspace(3) @windows, i64 0, i64 %wy, i64 %wx
  store float %v, ptr addrspace(3) %p
  %s = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %p1 = getelementptr inbounds i8, ptr addrspace(3) %p, i64 4
  %r1 = load volatile float, ptr addrspace(3) %p1
  %p2 = getelementptr inbounds i8, ptr addrspace(3) %p, i64 8
  %r2 = load volatile float, ptr addrspace(3) %p2
  %p3 = getelementptr inbounds i8, ptr addrspace(3) %p, i64 12
  %r3 = load volatile float, ptr addrspace(3) %p3
  ret void
}

; A column that may lie in the next row: as it is.
; BEYOND: @wide = internal addrspace(3) global [8 x [20 x float]] undef, align 4
define void @beyond(float %v, ptr %out) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call range(i32 0, 8) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %wx = zext nneg i32 %x to i64
  %wy = zext nneg i32 %y to i64
  %p = getelementptr inbounds [8 x [20 x float]], ptr addrspace(3) @wide, i64 0, i64 %wy, i64 %wx
  store float %v, ptr addrspace(3) %p
  %s = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %x5 = add nuw nsw i64 %wx, 5
  %q = getelementptr inbounds [8 x [20 x float]], ptr addrspace(3) @wide, i64 0, i64 %wy, i64 %x5
  %r = load float, ptr addrspace(3) %q
  store float %r, ptr %out
  ret void
}

; tile[x / 20][x % 20], which is one index.
; FLAT: @line = internal addrspace(3) global [8 x [20 x float]] undef, align 4
define void @flat(float %v, ptr %out) {
  %x = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = udiv i32 %x, 20
  %column = urem i32 %x, 20
  %wr = zext nneg i32 %row to i64
  %wc = zext nneg i32 %column to i64
  %p = getelementptr inbounds [8 x [20 x float]], ptr addrspace(3) @line, i64 0, i64 %wr, i64 %wc
  store float %v, ptr addrspace(3) %p
  %s = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %r = load float, ptr addrspace(3) @line
  store float %r, ptr %out
  ret void
}

; Vectors of four want their alignment: tile[y][x + 1] stays where it was.
; QUADS: @vectors = internal addrspace(3) global [8 x [32 x float]] undef, align 64
; QUADS: add nuw nsw i32 %x, 1
define void @quads(float %v, ptr %out) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call range(i32 0, 8) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %wx = zext nneg i32 %x to i64
  %wy = zext nneg i32 %y to i64
  %x1 = add nuw nsw i64 %wx, 1
  %p = getelementptr inbounds [8 x [20 x float]], ptr addrspace(3) @vectors, i64 0, i64 %wy, i64 %x1
  store float %v, ptr addrspace(3) %p, align 4
  %s = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %q = getelementptr inbounds [8 x [20 x float]], ptr addrspace(3) @vectors, i64 0, i64 %wy, i64 4
  %r = load <4 x float>, ptr addrspace(3) %q, align 16
  store <4 x float> %r, ptr %out
  ret void
}
