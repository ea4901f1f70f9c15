; RUN: %opt -kernel=rows -block=64 -passes=own-slots %s | %check %s --check-prefix=ROWS
; RUN: %opt -kernel=columns -block=64 -passes=own-slots %s | %check %s --check-prefix=COLUMNS
; RUN: %opt -kernel=planes -block=8,4 -passes=own-slots %s | %check %s --check-prefix=PLANES
; RUN: %opt -kernel=planes -block=16,4 -passes=own-slots %s | %check %s --check-prefix=MEET
; RUN: %opt -kernel=found -block=64 -passes=own-slots %s | %check %s --check-prefix=FOUND
; RUN: %opt -kernel=flat -block=64 -passes=own-slots %s | %check %s --check-prefix=FLAT
; RUN: %opt -kernel=neighbour -block=64 -passes=own-slots %s | %check %s --check-prefix=NEIGHBOUR
; RUN: %opt -kernel=one -block=64 -passes=own-slots %s | %check %s --check-prefix=ONE
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@triples = internal addrspace(3) global [192 x float] undef, align 4
@lines = internal addrspace(3) global [1024 x i32] undef, align 4
@grid = internal addrspace(3) global [4 x [8 x [2 x double]]] undef, align 8
@lists = internal addrspace(3) global [64 x [9 x i16]] undef, align 2
@words = internal addrspace(3) global [576 x i16] undef, align 2
@tile = internal addrspace(3) global [65 x float] undef, align 4
@sum = internal addrspace(3) global [64 x float] undef, align 4

declare range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y()

; Three numbers a thread.
; ROWS-LABEL: define void @rows(
; ROWS: [[OWN:%.*]] = alloca [3 x float]
; ROWS: [[FIRST:%.*]] = getelementptr inbounds [3 x float], ptr [[OWN]], i64 0, i64 0
; ROWS: store float %v, ptr [[FIRST]], align 4
; ROWS: [[LAST:%.*]] = getelementptr inbounds [3 x float], ptr [[OWN]], i64 0, i64 2
; ROWS: load float, ptr [[LAST]], align 4
define void @rows(float %v, ptr %out) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = mul nuw nsw i32 %x, 3
  %w = zext nneg i32 %i to i64
  %p = getelementptr inbounds [192 x float], ptr addrspace(3) @triples, i64 0, i64 %w
  store float %v, ptr addrspace(3) %p, align 4
  %q = getelementptr inbounds i8, ptr addrspace(3) %p, i64 8
  %a = load float, ptr addrspace(3) %q, align 4
  store float %a, ptr %out
  ret void
}

; An element of every thread, then the next of all: whatever k is.
; COLUMNS-LABEL: define void @columns(
; COLUMNS: alloca [16 x i32]
; COLUMNS: [[K:%.*]] = sext i32 %k to i64
; COLUMNS: getelementptr inbounds [16 x i32], ptr %{{.*}}, i64 0, i64 [[K]]
; COLUMNS-NOT: @lines
define void @columns(i32 %k, ptr %out) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %line = shl nsw i32 %k, 6
  %i = add nsw i32 %line, %x
  %w = sext i32 %i to i64
  %p = getelementptr inbounds [1024 x i32], ptr addrspace(3) @lines, i64 0, i64 %w
  %a = load i32, ptr addrspace(3) %p, align 4
  store i32 %a, ptr %out
  ret void
}

; Along two axes; rows of eight threads, of which there are more in other blocks.
; PLANES-LABEL: define void @planes(
; PLANES: alloca [2 x double]
; MEET-LABEL: define void @planes(
; MEET-NOT: alloca
define void @planes(double %v, ptr %out) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %wx = zext nneg i32 %x to i64
  %wy = zext nneg i32 %y to i64
  %p = getelementptr inbounds [4 x [8 x [2 x double]]], ptr addrspace(3) @grid, i64 0, i64 %wy, i64 %wx, i64 1
  store double %v, ptr addrspace(3) %p, align 8
  %q = getelementptr inbounds i8, ptr addrspace(3) %p, i64 -8
  store double %v, ptr addrspace(3) %q, align 8
  ret void
}

; A place in the thread's own array; of one dimension it might be another thread's.
; FOUND-LABEL: define void @found(
; FOUND: alloca [9 x i16]
; FOUND: [[M:%.*]] = sext i32 %m to i64
; FOUND: getelementptr inbounds [9 x i16], ptr %{{.*}}, i64 0, i64 [[M]]
define void @found(i32 %m, ptr %out) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wx = zext nneg i32 %x to i64
  %wm = sext i32 %m to i64
  %p = getelementptr inbounds [64 x [9 x i16]], ptr addrspace(3) @lists, i64 0, i64 %wx, i64 %wm
  %a = load i16, ptr addrspace(3) %p, align 2
  store i16 %a, ptr %out
  ret void
}

; FLAT-LABEL: define void @flat(
; FLAT-NOT: alloca
define void @flat(i32 %m, ptr %out) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul nuw nsw i32 %x, 9
  %i = add nsw i32 %row, %m
  %w = sext i32 %i to i64
  %p = getelementptr inbounds [576 x i16], ptr addrspace(3) @words, i64 0, i64 %w
  %a = load i16, ptr addrspace(3) %p, align 2
  store i16 %a, ptr %out
  ret void
}

; NEIGHBOUR-LABEL: define void @neighbour(
; NEIGHBOUR-NOT: alloca
define void @neighbour(float %v, ptr %out) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext nneg i32 %x to i64
  %p = getelementptr inbounds [65 x float], ptr addrspace(3) @tile, i64 0, i64 %w
  store float %v, ptr addrspace(3) %p, align 4
  %q = getelementptr inbounds i8, ptr addrspace(3) %p, i64 4
  %a = load float, ptr addrspace(3) %q, align 4
  store float %a, ptr %out
  ret void
}

; All read the first one.
; ONE-LABEL: define void @one(
; ONE-NOT: alloca
define void @one(float %v, ptr %out) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext nneg i32 %x to i64
  %p = getelementptr inbounds [64 x float], ptr addrspace(3) @sum, i64 0, i64 %w
  store float %v, ptr addrspace(3) %p, align 4
  %a = load float, ptr addrspace(3) @sum, align 4
  store float %a, ptr %out
  ret void
}
