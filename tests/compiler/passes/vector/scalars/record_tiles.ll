; RUN: %opt -kernel=members -block=64 -passes=record-tiles %s | %check %s --check-prefix=MEMBERS
; RUN: %opt -kernel=rows -block=64 -passes=record-tiles %s | %check %s --check-prefix=ROWS
; RUN: %opt -kernel=wholes -block=64 -passes=record-tiles %s | %check %s --check-prefix=WHOLES
; RUN: %opt -kernel=copied -block=64 -passes=record-tiles %s | %check %s --check-prefix=COPIED
; RUN: %opt -kernel=shared -block=64 -passes=record-tiles %s | %check %s --check-prefix=SHARED
; RUN: %opt -kernel=chosen -block=64 -passes=record-tiles %s | %check %s --check-prefix=CHOSEN
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%pair = type { float, float }
%entry = type { i32, float }

@tile = internal addrspace(3) global [64 x %pair] undef, align 8
@grid = internal addrspace(3) global [4 x [16 x %entry]] undef, align 4
@whole = internal addrspace(3) global [64 x %pair] undef, align 8
@copies = internal addrspace(3) global [64 x %pair] undef, align 8
@alike = internal addrspace(3) global [64 x %pair] undef, align 8
@index = internal addrspace(3) global [64 x %pair] undef, align 8

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.memcpy.p3.p0.i64(ptr addrspace(3), ptr, i64, i1)

; A thread's own record, its neighbour's, and the first one.
; MEMBERS: @tile1 = internal addrspace(3) global [64 x float] undef, align 8
; MEMBERS: @tile2 = internal addrspace(3) global [64 x float] undef, align 8
; MEMBERS-LABEL: define void @members(
; MEMBERS: [[Y:%.*]] = getelementptr inbounds [64 x float], ptr addrspace(3) @tile2, i64 0, i64 %w
; MEMBERS: store float %v, ptr addrspace(3) [[Y]], align 4
; MEMBERS: [[X:%.*]] = getelementptr inbounds [64 x float], ptr addrspace(3) @tile1, i64 0, i64 %w
; MEMBERS: [[NEXT:%.*]] = getelementptr inbounds float, ptr addrspace(3) [[X]], i64 1
; MEMBERS: load float, ptr addrspace(3) [[NEXT]], align 4
; MEMBERS: load float, ptr addrspace(3) @tile2, align 4
define void @members(float %v, ptr %out) {
  %x = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext nneg i32 %x to i64
  %p = getelementptr inbounds [64 x %pair], ptr addrspace(3) @tile, i64 0, i64 %w, i32 1
  store float %v, ptr addrspace(3) %p, align 4
  %own = getelementptr inbounds [64 x %pair], ptr addrspace(3) @tile, i64 0, i64 %w
  %q = getelementptr inbounds i8, ptr addrspace(3) %own, i64 8
  %a = load float, ptr addrspace(3) %q, align 8
  %b = load float, ptr addrspace(3) getelementptr inbounds (i8, ptr addrspace(3) @tile, i64 4), align 4
  %r = fadd float %a, %b
  store float %r, ptr %out
  ret void
}

; Rows of an int and a float; a pointer that goes on.
; ROWS: @grid1 = internal addrspace(3) global [4 x [16 x i32]] undef, align 4
; ROWS: @grid2 = internal addrspace(3) global [4 x [16 x float]] undef, align 4
; ROWS-LABEL: define void @rows(
; ROWS: [[KEY:%.*]] = getelementptr inbounds [4 x [16 x i32]], ptr addrspace(3) @grid1, i64 0, i64 2, i64 %w
; ROWS: store i32 %v, ptr addrspace(3) [[KEY]], align 4
; ROWS: [[ROW:%.*]] = getelementptr inbounds [4 x [16 x float]], ptr addrspace(3) @grid2, i64 0, i64 1, i64 %w
; ROWS: [[ON:%.*]] = getelementptr inbounds i32, ptr addrspace(3) [[ROW]], i64 %w
; ROWS: load float, ptr addrspace(3) [[ON]], align 4
define void @rows(i32 %v, ptr %out) {
  %x = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext nneg i32 %x to i64
  %p = getelementptr inbounds [4 x [16 x %entry]], ptr addrspace(3) @grid, i64 0, i64 2, i64 %w
  store i32 %v, ptr addrspace(3) %p, align 4
  %q = getelementptr inbounds [4 x [16 x %entry]], ptr addrspace(3) @grid, i64 0, i64 1, i64 %w, i32 1
  %n = getelementptr inbounds %entry, ptr addrspace(3) %q, i64 %w
  %a = load float, ptr addrspace(3) %n, align 4
  %b = fadd float %a, 1.0
  store float %b, ptr %out
  ret void
}

; What comes from memory, and goes there, is loaded and stored by members too.
; WHOLES: @whole2 = internal addrspace(3) global [64 x float] undef, align 8
; WHOLES-LABEL: define void @wholes(
; WHOLES: load i32, ptr %in, align 8
; WHOLES: load i32, ptr {{%.*}}, align 4
; WHOLES: store i32 {{%.*}}, ptr addrspace(3) {{%.*}}, align 4
; WHOLES: store i32 {{%.*}}, ptr addrspace(3) {{%.*}}, align 4
; WHOLES: load i32, ptr addrspace(3)
; WHOLES: load i32, ptr addrspace(3)
; WHOLES: bitcast <2 x i32> {{%.*}} to i64
define void @wholes(ptr %in, ptr %out) {
  %x = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext nneg i32 %x to i64
  %p = getelementptr inbounds [64 x %pair], ptr addrspace(3) @whole, i64 0, i64 %w
  %v = load i64, ptr %in, align 8
  store i64 %v, ptr addrspace(3) %p, align 8
  %a = load i64, ptr addrspace(3) %p, align 8
  %b = lshr i64 %a, 3
  store i64 %b, ptr %out
  ret void
}

; Nobody computes with them.
; COPIED: @copies = internal addrspace(3) global [64 x %pair] undef
define void @copied(ptr %in, ptr %out) {
  %x = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext nneg i32 %x to i64
  %p = getelementptr inbounds [64 x %pair], ptr addrspace(3) @copies, i64 0, i64 %w
  call void @llvm.memcpy.p3.p0.i64(ptr addrspace(3) %p, ptr %in, i64 8, i1 false)
  %a = load i64, ptr addrspace(3) %p, align 8
  store i64 %a, ptr %out
  ret void
}

; All threads read the same.
; SHARED: @alike = internal addrspace(3) global [64 x %pair] undef
define void @shared(ptr %in, ptr %out, i64 %k) {
  %x = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext nneg i32 %x to i64
  %p = getelementptr inbounds [64 x %pair], ptr addrspace(3) @alike, i64 0, i64 %w
  %v = load i64, ptr %in, align 8
  store i64 %v, ptr addrspace(3) %p, align 8
  %q = getelementptr inbounds [64 x %pair], ptr addrspace(3) @alike, i64 0, i64 %k, i32 1
  %a = load float, ptr addrspace(3) %q, align 4
  %b = fadd float %a, 1.0
  store float %b, ptr %out
  ret void
}

; Which member the launch says.
; CHOSEN: @index = internal addrspace(3) global [64 x %pair] undef
define void @chosen(float %v, ptr %out, i64 %k) {
  %x = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext nneg i32 %x to i64
  %p = getelementptr inbounds [64 x %pair], ptr addrspace(3) @index, i64 0, i64 %w, i32 1
  store float %v, ptr addrspace(3) %p, align 4
  %q = getelementptr inbounds float, ptr addrspace(3) @index, i64 %k
  %a = load float, ptr addrspace(3) %q, align 4
  %b = fadd float %a, 1.0
  store float %b, ptr %out
  ret void
}
