; RUN: %opt -kernel=columns -block=16,16 -passes=transpose-tiles %s | %check %s --check-prefix=COLUMNS
; RUN: %opt -kernel=rows -block=16,16 -passes=transpose-tiles %s | %check %s --check-prefix=ROWS
; RUN: %opt -kernel=beyond -block=16,16 -passes=transpose-tiles %s | %check %s --check-prefix=BEYOND
; RUN: %opt -kernel=flat -block=16,16 -passes=transpose-tiles %s | %check %s --check-prefix=FLAT
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [16 x [17 x float]] undef, align 4
@kept = internal addrspace(3) global [16 x [17 x float]] undef, align 4
@wide = internal addrspace(3) global [16 x [17 x float]] undef, align 4
@line = internal addrspace(3) global [16 x [17 x float]] undef, align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()

; tile[x][y] = ..., and .. = tile[y][x].
; COLUMNS: @tile = internal addrspace(3) global [17 x [16 x float]] undef, align 4
; COLUMNS-LABEL: define void @columns(
; COLUMNS: getelementptr inbounds [17 x [16 x float]], ptr addrspace(3) @tile, i64 0, i64 %wy, i64 %wx
; COLUMNS: getelementptr inbounds [17 x [16 x float]], ptr addrspace(3) @tile, i64 0, i64 %wx, i64 %wy
define void @columns(float %v, ptr %out) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %wx = zext nneg i32 %x to i64
  %wy = zext nneg i32 %y to i64
  %p = getelementptr inbounds [16 x [17 x float]], ptr addrspace(3) @tile, i64 0, i64 %wx, i64 %wy
  store float %v, ptr addrspace(3) %p
  %q = getelementptr inbounds [16 x [17 x float]], ptr addrspace(3) @tile, i64 0, i64 %wy, i64 %wx
  %r = load float, ptr addrspace(3) %q
  store float %r, ptr %out
  ret void
}

; Written by rows and read by columns: as it is.
; ROWS: @kept = internal addrspace(3) global [16 x [17 x float]] undef
define void @rows(float %v, ptr %out) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %wx = zext nneg i32 %x to i64
  %wy = zext nneg i32 %y to i64
  %p = getelementptr inbounds [16 x [17 x float]], ptr addrspace(3) @kept, i64 0, i64 %wy, i64 %wx
  store float %v, ptr addrspace(3) %p
  %q = getelementptr inbounds [16 x [17 x float]], ptr addrspace(3) @kept, i64 0, i64 %wx, i64 %wy
  %r = load float, ptr addrspace(3) %q
  store float %r, ptr %out
  ret void
}

; A column beyond the row's end is an element of the next row.
; BEYOND: @wide = internal addrspace(3) global [16 x [17 x float]] undef
define void @beyond(float %v, ptr %out) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call range(i32 0, 32) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %wx = zext nneg i32 %x to i64
  %wy = zext nneg i32 %y to i64
  %p = getelementptr inbounds [16 x [17 x float]], ptr addrspace(3) @wide, i64 0, i64 %wx, i64 %wy
  store float %v, ptr addrspace(3) %p
  %q = getelementptr inbounds [16 x [17 x float]], ptr addrspace(3) @wide, i64 0, i64 0, i64 %wx
  %r = load float, ptr addrspace(3) %q
  store float %r, ptr %out
  ret void
}

; Someone goes through the tile as one row.
; FLAT: @line = internal addrspace(3) global [16 x [17 x float]] undef
define void @flat(float %v, ptr %out) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %wx = zext nneg i32 %x to i64
  %wy = zext nneg i32 %y to i64
  %p = getelementptr inbounds [16 x [17 x float]], ptr addrspace(3) @line, i64 0, i64 %wx, i64 %wy
  store float %v, ptr addrspace(3) %p
  %q = getelementptr inbounds float, ptr addrspace(3) @line, i64 %wx
  %r = load float, ptr addrspace(3) %q
  store float %r, ptr %out
  ret void
}
