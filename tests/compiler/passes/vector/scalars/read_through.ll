; RUN: %opt -kernel=product -lanes=8 -block=16,16 -passes=read-through,"llvm(instcombine<no-verify-fixpoint>)" %s | %check %s
; RUN: %opt -kernel=product -lanes=8 -block=4,4 -passes=read-through %s | %check %s --check-prefix=NARROW
; RUN: %opt -kernel=turned -lanes=8 -block=16,16 -passes=read-through %s | %check %s --check-prefix=TURNED
; RUN: %opt -kernel=own -lanes=8 -block=16 -passes=read-through %s | %check %s --check-prefix=OWN
; RUN: %opt -kernel=all -lanes=8 -block=16 -passes=read-through %s | %check %s --check-prefix=ALL
; RUN: %opt -kernel=beyond -lanes=8 -block=16 -passes=read-through %s | %check %s --check-prefix=BEYOND
; RUN: %opt -kernel=sometimes -lanes=8 -block=16 -passes=read-through %s | %check %s --check-prefix=SOMETIMES
; RUN: %opt -kernel=pointers -lanes=8 -block=32,8 -passes=read-through %s | %check %s --check-prefix=POINTERS
; RUN: %opt -kernel=pointers -lanes=8 -block=32,4 -passes=read-through %s | %check %s --check-prefix=FEW
; RUN: %opt -kernel=looped -lanes=8 -block=32,8 -passes=read-through %s | %check %s --check-prefix=LOOPED
; RUN: %opt -kernel=looped -lanes=8 -block=32,9 -passes=read-through %s | %check %s --check-prefix=TWICE
; RUN: %opt -kernel=written -lanes=8 -block=16 -passes=read-through %s | %check %s --check-prefix=WRITTEN
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@as = internal addrspace(3) global [16 x [17 x float]] undef, align 4
@bs = internal addrspace(3) global [16 x [16 x float]] undef, align 4
@s = internal addrspace(3) global [16 x float] undef, align 4
@rows = internal addrspace(3) global [8 x [32 x float]] undef, align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; Each thread reads a's column j of its row, where the thread with x = j would, and b's row j, where that with y = j
; would. The loop over j stays one.
; CHECK-LABEL: define void @product(
; CHECK: turn:
; CHECK-NOT: store float
; CHECK-NOT: @__lanza_sync
; CHECK: dot:
; CHECK: [[J:%.*]] = phi i32 [ 0, %turn{{.*}} ]
; CHECK: [[PA:%.*]] = add nuw nsw i32 %left, [[J]]
; CHECK: [[IA:%.*]] = zext nneg i32 [[PA]] to i64
; CHECK: [[A:%.*]] = getelementptr inbounds float, ptr %a, i64 [[IA]]
; CHECK: [[X:%.*]] = load float, ptr [[A]]
; CHECK: [[K:%.*]] = add nuw nsw i32 %first, [[J]]
; CHECK: [[DOWN:%.*]] = mul nuw nsw i32 [[K]], %n
; CHECK: [[PB:%.*]] = add nuw nsw i32 [[DOWN]], %column
; CHECK: [[Y:%.*]] = load float
; CHECK: fmul float [[X]], [[Y]]
; CHECK: br i1 {{.*}}, label %dot, label %end, !llvm.loop
; CHECK-NOT: @__lanza_sync
; CHECK: ret void
;
; NARROW-LABEL: define void @product(
; NARROW: @__lanza_sync
define void @product(ptr %a, ptr %b, ptr %c, i32 %n) {
entry:
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %top = shl nuw nsw i32 %by, 4
  %row = add nuw nsw i32 %top, %y
  %side = shl nuw nsw i32 %bx, 4
  %column = add nuw nsw i32 %side, %x
  %begin = mul nuw nsw i32 %row, %n
  %wx = zext nneg i32 %x to i64
  %wy = zext nneg i32 %y to i64
  %to.a = getelementptr inbounds [16 x [17 x float]], ptr addrspace(3) @as, i64 0, i64 %wy, i64 %wx
  %to.b = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @bs, i64 0, i64 %wy, i64 %wx
  br label %turn
turn:
  %first = phi i32 [ 0, %entry ], [ %next, %end ]
  %sum = phi float [ 0.0, %entry ], [ %new, %end ]
  %left = add nuw nsw i32 %begin, %first
  %ia = add nuw nsw i32 %left, %x
  %za = zext nneg i32 %ia to i64
  %pa = getelementptr inbounds float, ptr %a, i64 %za
  %va = load float, ptr %pa
  store float %va, ptr addrspace(3) %to.a
  %k = add nuw nsw i32 %first, %y
  %down = mul nuw nsw i32 %k, %n
  %ib = add nuw nsw i32 %down, %column
  %zb = zext nneg i32 %ib to i64
  %pb = getelementptr inbounds float, ptr %b, i64 %zb
  %vb = load float, ptr %pb
  store float %vb, ptr addrspace(3) %to.b
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %dot
dot:
  %j = phi i32 [ 0, %turn ], [ %after, %dot ]
  %so.far = phi float [ %sum, %turn ], [ %new, %dot ]
  %wj = zext nneg i32 %j to i64
  %qa = getelementptr inbounds [16 x [17 x float]], ptr addrspace(3) @as, i64 0, i64 %wy, i64 %wj
  %ua = load float, ptr addrspace(3) %qa
  %qb = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @bs, i64 0, i64 %wj, i64 %wx
  %ub = load float, ptr addrspace(3) %qb
  %product = fmul float %ua, %ub
  %new = fadd float %so.far, %product
  %after = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j, 15
  br i1 %more, label %dot, label %end
end:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %next = add nuw nsw i32 %first, 16
  %again = icmp slt i32 %next, %n
  br i1 %again, label %turn, label %done
done:
  %ic = add nuw nsw i32 %begin, %column
  %zc = zext nneg i32 %ic to i64
  %pc = getelementptr inbounds float, ptr %c, i64 %zc
  store float %new, ptr %pc
  ret void
}

; Lanes would read a column of global memory.
; TURNED-LABEL: define void @turned(
; TURNED: @__lanza_sync
define void @turned(ptr %a, ptr %c, i32 %n) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %side = shl nuw nsw i32 %bx, 4
  %column = add nuw nsw i32 %side, %x
  %down = mul nuw nsw i32 %y, %n
  %wx = zext nneg i32 %x to i64
  %wy = zext nneg i32 %y to i64
  %i = add nuw nsw i32 %down, %x
  %z = zext nneg i32 %i to i64
  %p = getelementptr inbounds float, ptr %a, i64 %z
  %v = load float, ptr %p
  %to = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @bs, i64 0, i64 %wy, i64 %wx
  store float %v, ptr addrspace(3) %to
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %from = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @bs, i64 0, i64 %wx, i64 %wy
  %w = load float, ptr addrspace(3) %from
  %zc = zext nneg i32 %column to i64
  %q = getelementptr inbounds float, ptr %c, i64 %zc
  store float %w, ptr %q
  ret void
}

; Only this block reads what it copies, so it may write there.
; OWN-LABEL: define void @own(
; OWN: @__lanza_sync
define void @own(ptr %a, ptr %c) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %start = shl nuw nsw i32 %b, 4
  %i = add nuw nsw i32 %start, %x
  %line = shl nuw nsw i32 %by, 8
  %at = add nuw nsw i32 %i, %line
  %z = zext nneg i32 %at to i64
  %p = getelementptr inbounds float, ptr %a, i64 %z
  %v = load float, ptr %p
  %wx = zext nneg i32 %x to i64
  %to = getelementptr inbounds [16 x float], ptr addrspace(3) @s, i64 0, i64 %wx
  store float %v, ptr addrspace(3) %to
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %w = load float, ptr addrspace(3) @s
  %q = getelementptr inbounds float, ptr %c, i64 %z
  store float %w, ptr %q
  ret void
}

; All blocks read the same, so none of several writes it.
; ALL-LABEL: define void @all(
; ALL: getelementptr inbounds float, ptr %a, i64
; ALL: load float
; ALL-NOT: @__lanza_sync
; ALL: ret void
define void @all(ptr %a, ptr %c) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %start = shl nuw nsw i32 %b, 4
  %i = add nuw nsw i32 %start, %x
  %z = zext nneg i32 %i to i64
  %wx = zext nneg i32 %x to i64
  %p = getelementptr inbounds float, ptr %a, i64 %wx
  %v = load float, ptr %p
  %to = getelementptr inbounds [16 x float], ptr addrspace(3) @s, i64 0, i64 %wx
  store float %v, ptr addrspace(3) %to
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %w = load float, ptr addrspace(3) getelementptr inbounds ([16 x float], ptr addrspace(3) @s, i64 0, i64 3)
  %q = getelementptr inbounds float, ptr %c, i64 %z
  store float %w, ptr %q
  ret void
}

; The last thread reads an element that none has copied.
; BEYOND-LABEL: define void @beyond(
; BEYOND: @__lanza_sync
define void @beyond(ptr %a, ptr noalias %c) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %start = shl nuw nsw i32 %b, 4
  %i = add nuw nsw i32 %start, %x
  %z = zext nneg i32 %i to i64
  %p = getelementptr inbounds float, ptr %a, i64 %z
  %v = load float, ptr %p
  %wx = zext nneg i32 %x to i64
  %to = getelementptr inbounds [16 x float], ptr addrspace(3) @s, i64 0, i64 %wx
  store float %v, ptr addrspace(3) %to
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %next = add nuw nsw i64 %wx, 1
  %from = getelementptr inbounds [16 x float], ptr addrspace(3) @s, i64 0, i64 %next
  %w = load float, ptr addrspace(3) %from
  %q = getelementptr inbounds float, ptr %c, i64 %z
  store float %w, ptr %q
  ret void
}

; Not all threads copy.
; SOMETIMES-LABEL: define void @sometimes(
; SOMETIMES: @__lanza_sync
define void @sometimes(ptr %a, ptr noalias %c, i32 %n) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %start = shl nuw nsw i32 %b, 4
  %i = add nuw nsw i32 %start, %x
  %z = zext nneg i32 %i to i64
  %wx = zext nneg i32 %x to i64
  %is.in = icmp slt i32 %i, %n
  br i1 %is.in, label %copy, label %join
copy:
  %p = getelementptr inbounds float, ptr %a, i64 %z
  %v = load float, ptr %p
  %to = getelementptr inbounds [16 x float], ptr addrspace(3) @s, i64 0, i64 %wx
  store float %v, ptr addrspace(3) %to
  br label %join
join:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %w = load float, ptr addrspace(3) @s
  %q = getelementptr inbounds float, ptr %c, i64 %z
  store float %w, ptr %q
  ret void
}

; The copy is older than what is written before it is read.
; WRITTEN-LABEL: define void @written(
; WRITTEN: @__lanza_sync
define void @written(ptr %a, ptr noalias %c) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %start = shl nuw nsw i32 %b, 4
  %i = add nuw nsw i32 %start, %x
  %z = zext nneg i32 %i to i64
  %p = getelementptr inbounds float, ptr %a, i64 %z
  %v = load float, ptr %p
  %wx = zext nneg i32 %x to i64
  %to = getelementptr inbounds [16 x float], ptr addrspace(3) @s, i64 0, i64 %wx
  store float %v, ptr addrspace(3) %to
  store float 1.0, ptr %p
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %w = load float, ptr addrspace(3) @s
  %q = getelementptr inbounds float, ptr %c, i64 %z
  store float %w, ptr %q
  ret void
}

; A pointer goes on from turn to turn, and its unsigned index may wrap: the tile was copied by that index, and is read by
; it. Rows of 32 threads, eight of them, need no neighbours in other blocks.
; POINTERS-LABEL: define void @pointers(
; POINTERS: turn:
; POINTERS: %from = phi ptr
; POINTERS-NOT: @__lanza_sync
; POINTERS: dot:
; POINTERS: [[J:%.*]] = phi i32
; POINTERS: [[ROW:%.*]] = mul i32 [[J]], %n
; POINTERS: [[SUM:%.*]] = add i32 [[ROW]], %x
; POINTERS: [[INDEX:%.*]] = zext i32 [[SUM]] to i64
; POINTERS: getelementptr float, ptr %from, i64 [[INDEX]]
; POINTERS-NOT: @__lanza_sync
; POINTERS: ret void
; FEW-LABEL: define void @pointers(
; FEW: @__lanza_sync
define void @pointers(ptr %a, ptr noalias %c, i32 %n) {
entry:
  %x = call range(i32 0, 32) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call range(i32 0, 8) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %down = mul i32 %y, %n
  %index = add i32 %down, %x
  %offset = zext i32 %index to i64
  %wx = zext nneg i32 %x to i64
  %wy = zext nneg i32 %y to i64
  %place = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @rows, i64 0, i64 %wy, i64 %wx
  br label %turn
turn:
  %k = phi i32 [ 0, %entry ], [ %next, %end ]
  %sum = phi float [ 0.0, %entry ], [ %total, %end ]
  %from = phi ptr [ %a, %entry ], [ %on, %end ]
  %address = getelementptr float, ptr %from, i64 %offset
  %v = load float, ptr %address
  store float %v, ptr addrspace(3) %place
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %dot
dot:
  %j = phi i32 [ 0, %turn ], [ %j.next, %dot ]
  %so.far = phi float [ %sum, %turn ], [ %total, %dot ]
  %wj = zext nneg i32 %j to i64
  %element = getelementptr inbounds [8 x [32 x float]], ptr addrspace(3) @rows, i64 0, i64 %wj, i64 %wx
  %e = load float, ptr addrspace(3) %element
  %total = fadd float %so.far, %e
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j, 7
  br i1 %more, label %dot, label %end
end:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %on = getelementptr i8, ptr %from, i64 1024
  %next = add nuw nsw i32 %k, 8
  %again = icmp slt i32 %next, %n
  br i1 %again, label %turn, label %out
out:
  %to = getelementptr float, ptr %c, i64 %offset
  store float %total, ptr %to
  ret void
}

@strip = internal addrspace(3) global [16 x [33 x float]] undef, align 4

; Two turns of all threads copy 16 rows of 32, a word of padding behind each: which element a thread copied when is
; found by running them. Row j was read from row j, and the loop that copied has nothing left to do.
; LOOPED-LABEL: define void @looped(
; LOOPED-NOT: store float {{.*}} addrspace(3)
; LOOPED-NOT: @__lanza_sync
; LOOPED: dot:
; LOOPED: [[J:%.*]] = phi i32
; LOOPED: [[DOWN:%.*]] = mul i32 [[J]], %n
; LOOPED: [[SUM:%.*]] = add i32 [[DOWN]], %x
; LOOPED: [[INDEX:%.*]] = sext i32 [[SUM]] to i64
; LOOPED: getelementptr float, ptr %a, i64 [[INDEX]]
; LOOPED-NOT: @__lanza_sync
; LOOPED: ret void

; Of nine rows of threads some copy an element again.
; TWICE-LABEL: define void @looped(
; TWICE: @__lanza_sync
define void @looped(ptr noalias %a, ptr noalias %c, i32 %n) {
entry:
  %x = call range(i32 0, 32) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call range(i32 0, 8) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %rows = shl nuw nsw i32 %y, 5
  %t = or disjoint i32 %rows, %x
  br label %turn
turn:
  %k = phi i32 [ 0, %entry ], [ %next, %end ]
  %sum = phi float [ 0.0, %entry ], [ %total, %end ]
  br label %copy
copy:
  %i = phi i32 [ %t, %turn ], [ %i.next, %copy ]
  %row = lshr i32 %i, 5
  %column = and i32 %i, 31
  %down = mul i32 %row, %n
  %index = add i32 %down, %column
  %offset = sext i32 %index to i64
  %address = getelementptr float, ptr %a, i64 %offset
  %v = load float, ptr %address
  %to.row = zext nneg i32 %row to i64
  %to.column = zext nneg i32 %column to i64
  %place = getelementptr inbounds [16 x [33 x float]], ptr addrspace(3) @strip, i64 0, i64 %to.row, i64 %to.column
  store float %v, ptr addrspace(3) %place
  %i.next = add nuw nsw i32 %i, 256
  %again = icmp ult i32 %i, 256
  br i1 %again, label %copy, label %copied
copied:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %dot
dot:
  %j = phi i32 [ 0, %copied ], [ %j.next, %dot ]
  %so.far = phi float [ %sum, %copied ], [ %total, %dot ]
  %wj = zext nneg i32 %j to i64
  %wx = zext nneg i32 %x to i64
  %element = getelementptr inbounds [16 x [33 x float]], ptr addrspace(3) @strip, i64 0, i64 %wj, i64 %wx
  %e = load float, ptr addrspace(3) %element
  %total = fadd float %so.far, %e
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j, 15
  br i1 %more, label %dot, label %end
end:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %next = add nuw nsw i32 %k, 8
  %on = icmp slt i32 %next, %n
  br i1 %on, label %turn, label %out
out:
  %wide = zext nneg i32 %t to i64
  %to = getelementptr float, ptr %c, i64 %wide
  store float %total, ptr %to
  ret void
}
