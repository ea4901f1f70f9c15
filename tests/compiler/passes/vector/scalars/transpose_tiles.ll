; RUN: %opt -kernel=columns -block=16,16 -passes=transpose-tiles %s | %check %s --check-prefix=COLUMNS
; RUN: %opt -kernel=rows -block=16,16 -passes=transpose-tiles %s | %check %s --check-prefix=ROWS
; RUN: %opt -kernel=beyond -block=16,16 -passes=transpose-tiles %s | %check %s --check-prefix=BEYOND
; RUN: %opt -kernel=flat -block=16,16 -passes=transpose-tiles %s | %check %s --check-prefix=FLAT
; RUN: %opt -kernel=product -block=16,16 -passes=transpose-tiles %s | %check %s --check-prefix=PRODUCT
; RUN: %opt -kernel=read_by_x -block=16,16 -passes=transpose-tiles %s | %check %s --check-prefix=BYX
; RUN: %opt -kernel=one_line -block=256 -passes='transpose-tiles,llvm(instcombine<no-verify-fixpoint>,early-cse,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=ONELINE
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [16 x [17 x float]] undef, align 4
@kept = internal addrspace(3) global [16 x [17 x float]] undef, align 4
@wide = internal addrspace(3) global [16 x [17 x float]] undef, align 4
@line = internal addrspace(3) global [16 x [17 x float]] undef, align 4

@factor = internal addrspace(3) global [16 x [65 x float]] undef, align 4
@both = internal addrspace(3) global [16 x [65 x float]] undef, align 4
@elements = internal addrspace(3) global [1024 x float] undef, align 4

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

; tile[i % 16][i / 16] = ... by a flat index, and ... = tile[k][y], the same for a row of threads.
; PRODUCT: @factor = internal addrspace(3) global [65 x [16 x float]] undef
; PRODUCT-LABEL: define void @product(
; PRODUCT: getelementptr inbounds [65 x [16 x float]], ptr addrspace(3) @factor, i64 0, i64 %wr, i64 %wc
; PRODUCT: getelementptr inbounds [65 x [16 x float]], ptr addrspace(3) @factor, i64 0, i64 %wy, i64 %k
define void @product(float %v, ptr %out) {
entry:
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %s = shl nuw nsw i32 %y, 4
  %t = or disjoint i32 %s, %x
  br label %copy
copy:
  %i = phi i32 [ %t, %entry ], [ %i1, %copy ]
  %row = lshr i32 %i, 4
  %column = and i32 %i, 15
  %wr = zext nneg i32 %row to i64
  %wc = zext nneg i32 %column to i64
  %p = getelementptr inbounds [16 x [65 x float]], ptr addrspace(3) @factor, i64 0, i64 %wc, i64 %wr
  store float %v, ptr addrspace(3) %p
  %i1 = add nuw nsw i32 %i, 256
  %more = icmp ult i32 %i, 768
  br i1 %more, label %copy, label %sums
sums:
  %k = phi i64 [ 0, %copy ], [ %k1, %sums ]
  %wy = zext nneg i32 %y to i64
  %q = getelementptr inbounds [16 x [65 x float]], ptr addrspace(3) @factor, i64 0, i64 %k, i64 %wy
  %r = load float, ptr addrspace(3) %q
  store float %r, ptr %out
  %k1 = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k1, 16
  br i1 %again, label %sums, label %end
end:
  ret void
}

; Neighbours that read next to each other would not any more; nor would all of it be a transposition.
; BYX: @both = internal addrspace(3) global [16 x [65 x float]] undef
define void @read_by_x(float %v, ptr %out) {
entry:
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %s = shl nuw nsw i32 %y, 4
  %t = or disjoint i32 %s, %x
  br label %copy
copy:
  %i = phi i32 [ %t, %entry ], [ %i1, %copy ]
  %row = lshr i32 %i, 4
  %column = and i32 %i, 15
  %wr = zext nneg i32 %row to i64
  %wc = zext nneg i32 %column to i64
  %p = getelementptr inbounds [16 x [65 x float]], ptr addrspace(3) @both, i64 0, i64 %wc, i64 %wr
  store float %v, ptr addrspace(3) %p
  %i1 = add nuw nsw i32 %i, 256
  %more = icmp ult i32 %i, 768
  br i1 %more, label %copy, label %sums
sums:
  %k = phi i64 [ 0, %copy ], [ %k1, %sums ]
  %near = lshr i32 %t, 2
  %wx = zext nneg i32 %near to i64
  %q = getelementptr inbounds [16 x [65 x float]], ptr addrspace(3) @both, i64 0, i64 %k, i64 %wx
  %r = load float, ptr addrspace(3) %q
  store float %r, ptr %out
  %k1 = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k1, 16
  br i1 %again, label %sums, label %end
end:
  ret void
}

; A line of 16 rows of 64, written a column of four threads each: t / 4 * 16 + t % 4 * 4 is t * 4.
; ONELINE: @elements = internal addrspace(3) global [1024 x float] undef
; ONELINE-LABEL: define void @one_line(
; ONELINE: [[AT:%.*]] = shl nuw nsw i32 %t, 2
; ONELINE: [[WIDE:%.*]] = zext nneg i32 [[AT]] to i64
; ONELINE: getelementptr inbounds [1024 x float], ptr addrspace(3) @elements, i64 0, i64 [[WIDE]]
define void @one_line(float %v, ptr %out, i32 %k) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %column = lshr i32 %t, 2
  %part = and i32 %t, 3
  %row = shl nuw nsw i32 %part, 2
  %begin = shl nuw nsw i32 %row, 6
  %i = or disjoint i32 %begin, %column
  %wi = zext nneg i32 %i to i64
  %p = getelementptr inbounds [1024 x float], ptr addrspace(3) @elements, i64 0, i64 %wi
  store float %v, ptr addrspace(3) %p
  %one = and i32 %k, 15
  %first = shl nuw nsw i32 %one, 6
  %sixteen = lshr i32 %t, 4
  %j = or disjoint i32 %first, %sixteen
  %wj = zext nneg i32 %j to i64
  %q = getelementptr inbounds [1024 x float], ptr addrspace(3) @elements, i64 0, i64 %wj
  %r = load float, ptr addrspace(3) %q
  store float %r, ptr %out
  ret void
}
