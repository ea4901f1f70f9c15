; RUN: %opt -kernel=valid -block=256 -passes=retarget,version-blocks %s | %check %s --check-prefix=VALID
; RUN: %opt -kernel=early_exit -block=256 -passes=retarget,version-blocks %s | %check %s --check-prefix=EXIT
; RUN: %opt -kernel=tail -block=256 -passes=retarget,version-blocks %s | %check %s --check-prefix=TAIL
; RUN: %opt -kernel=clamped -block=256 -passes=retarget,version-blocks %s | %check %s --check-prefix=CLAMP
; RUN: %opt -kernel=clamped_by_number -block=256 -passes=retarget,version-blocks %s | %check %s --check-prefix=NUMBER
; RUN: %opt -kernel=in_tile -block=256 -passes=retarget,version-blocks %s | %check %s --check-prefix=TILE
; RUN: %opt -kernel=one_thread -block=256 -passes=retarget,version-blocks %s | %check %s --check-prefix=ONE
; RUN: %opt -kernel=first_of_all -block=256 -passes=retarget,version-blocks %s | %check %s --check-prefix=FIRST
; RUN: %opt -kernel=may_wrap -block=256 -passes=retarget,version-blocks %s | %check %s --check-prefix=WRAPS
; RUN: %opt -kernel=planes -block=256 -passes=retarget,version-blocks %s | %check %s --check-prefix=PLANES
; RUN: %opt -kernel=rows_of_tile -block=32,8 -passes=retarget,version-blocks %s | %check %s --check-prefix=ROWS
; RUN: %opt -kernel=halo -block=32,8 -passes=retarget,version-blocks %s | %check %s --check-prefix=HALO
; RUN: %opt -kernel=ring -block=256 -passes=retarget,version-blocks %s | %check %s --check-prefix=RING
; RUN: %opt -kernel=steps -block=256 -passes=retarget,version-blocks %s | %check %s --check-prefix=STEPS
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = internal addrspace(3) global [256 x float] undef, align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; The last thread of the block answers for all, once, in front of everything; in the copy nobody leaves.
; EXIT-LABEL: define void @early_exit(
; EXIT: [[BASE:%.*]] = mul i32 %{{.*}}, 256
; EXIT: [[WIDE:%.*]] = sext i32 [[BASE]] to i64
; EXIT: [[LAST:%.*]] = add i64 [[WIDE]], 255
; EXIT: [[END:%.*]] = sext i32 %n to i64
; EXIT: [[ALL:%.*]] = icmp slt i64 [[LAST]], [[END]]
; EXIT: br i1 [[ALL]], label %[[COPY:.*]], label %{{.*}}, !prof
; EXIT: call i64 @__lanza_sync({{.*}}, !lanza.seldom
; EXIT: br i1 %leave, label %end, label %go, !lanza.for-some-lanes
; EXIT: [[COPY]]:
; EXIT: br i1 false, label
; EXIT: call i64 @__lanza_sync(
define void @early_exit(ptr %in, ptr %out, i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %f = mul i32 %b, 256
  %i = add nsw i32 %f, %t
  %leave = icmp sge i32 %i, %n
  br i1 %leave, label %end, label %go
go:
  %p = getelementptr float, ptr %in, i32 %i
  %v = load float, ptr %p
  %q = getelementptr float, ptr addrspace(3) @s, i32 %t
  store float %v, ptr addrspace(3) %q
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %w = load float, ptr addrspace(3) @s
  %o = getelementptr float, ptr %out, i32 %i
  store float %w, ptr %o
  br label %end
end:
  ret void
}

; How many threads of the block have work is known in the copy; how much any other stretch has is not.
; TAIL-LABEL: define void @tail(
; TAIL: br i1 %{{.*}}, label %[[COPY:.*]], label %{{.*}}, !prof
; TAIL: store i32 %live, ptr %out
; TAIL: [[COPY]]:
; TAIL: store i32 256, ptr %out
; TAIL: store i32 %other{{.*}}, ptr %out
define void @tail(ptr %out, i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %f = shl i32 %b, 8
  %i = or disjoint i32 %f, %t
  %works = icmp slt i32 %i, %n
  br i1 %works, label %go, label %end
go:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %rest = sub nsw i32 %n, %f
  %live = call i32 @llvm.smin.i32(i32 %rest, i32 256)
  store i32 %live, ptr %out
  %other = call i32 @llvm.smin.i32(i32 %rest, i32 257)
  store i32 %other, ptr %out
  br label %end
end:
  ret void
}

; The first thread answers for lower bounds, the last one for upper bounds; the copy has the index itself.
; CLAMP-LABEL: define void @clamped(
; CLAMP: [[LOW:%.*]] = add i64 %{{.*}}, -2
; CLAMP: add i64 %{{.*}}, -2
; CLAMP: icmp sle i64 0, [[LOW]]
; CLAMP: [[HIGH:%.*]] = add i64 %{{.*}}, -2
; CLAMP: icmp sle i64
; CLAMP: br i1 %{{.*}}, label %[[COPY:.*]], label
; CLAMP: getelementptr float, ptr %in, i32 %inside
; CLAMP: [[COPY]]:
; CLAMP: [[INDEX:%.*]] = add nsw i32 %{{.*}}, -2
; CLAMP: getelementptr float, ptr %in, i32 [[INDEX]]
define void @clamped(ptr %in, ptr %out, i32 %last) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %f = shl i32 %b, 8
  %i = or disjoint i32 %f, %t
  %left = add nsw i32 %i, -2
  %low = call i32 @llvm.smax.i32(i32 %left, i32 0)
  %inside = call i32 @llvm.smin.i32(i32 %low, i32 %last)
  %p = getelementptr float, ptr %in, i32 %inside
  %v = load float, ptr %p
  %q = getelementptr float, ptr addrspace(3) @s, i32 %t
  store float %v, ptr addrspace(3) %q
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %w = load float, ptr addrspace(3) @s
  %o = getelementptr float, ptr %out, i32 %i
  store float %w, ptr %o
  ret void
}

; Where the last place is a number LLVM has made an unsigned minimum of it: both ends are asked of the index itself.
; NUMBER-LABEL: define void @clamped_by_number(
; NUMBER: icmp sle i64 {{.*}}, 511
; NUMBER: icmp sle i64 0,
; NUMBER: br i1 %{{.*}}, label %[[COPY:.*]], label
; NUMBER: getelementptr float, ptr %in, i32 %inside
; NUMBER: [[COPY]]:
; NUMBER: [[INDEX:%.*]] = add nsw i32 %{{.*}}, -2
; NUMBER: getelementptr float, ptr %in, i32 [[INDEX]]
define void @clamped_by_number(ptr %in, ptr %out) {
  %b = call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %f = shl nuw nsw i32 %b, 8
  %i = or disjoint i32 %f, %t
  %most = call i32 @llvm.smax.i32(i32 %i, i32 2)
  %low = add nsw i32 %most, -2
  %inside = call i32 @llvm.umin.i32(i32 %low, i32 511)
  %p = getelementptr float, ptr %in, i32 %inside
  %v = load float, ptr %p
  %q = getelementptr float, ptr addrspace(3) @s, i32 %t
  store float %v, ptr addrspace(3) %q
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %w = load float, ptr addrspace(3) @s
  %o = getelementptr float, ptr %out, i32 %i
  store float %w, ptr %o
  ret void
}

; A clamp to the tile's own end acts in every block: the copy keeps it, and is for those that pass the guard.
; TILE-LABEL: define void @in_tile(
; TILE: icmp slt i64
; TILE-NOT: icmp s
; TILE: br i1 %{{.*}}, label %[[COPY:.*]], label %{{.*}}, !prof
; TILE: [[COPY]]:
; TILE: call i64 @__lanza_sync(
; TILE: call i32 @llvm.smin.i32(i32 %{{.*}}, i32 %end)
define void @in_tile(ptr %in, ptr %out, i32 %n, i32 %end) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %f = shl i32 %b, 8
  %i = or disjoint i32 %f, %t
  %own = getelementptr float, ptr addrspace(3) @s, i32 %t
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %read, label %wait
read:
  %p = getelementptr float, ptr %in, i32 %i
  %v = load float, ptr %p
  store float %v, ptr addrspace(3) %own
  br label %wait
wait:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %next = add nuw nsw i32 %t, 1
  %right = call i32 @llvm.smin.i32(i32 %next, i32 %end)
  %q = getelementptr float, ptr addrspace(3) @s, i32 %right
  %w = load float, ptr addrspace(3) %q
  %o = getelementptr float, ptr %out, i32 %i
  store float %w, ptr %o
  ret void
}

; What one thread does is no guard: no block passes it.
; ONE-LABEL: define void @one_thread(
; ONE-NOT: !prof
; ONE-NOT: .inside
; ONE: ret void
define void @one_thread(ptr %out) {
entry:
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %is_first = icmp eq i32 %t, 0
  br i1 %is_first, label %one, label %end
one:
  store i32 1, ptr %out
  br label %end
end:
  ret void
}

; But what one thread of the grid does is done in one block only.
; FIRST-LABEL: define void @first_of_all(
; FIRST: [[LATER:%.*]] = icmp slt i64 0, %{{.*}}
; FIRST: br i1 [[LATER]], label %[[COPY:.*]], label %{{.*}}, !prof
; FIRST: br i1 %is_first, label %one, label %end
; FIRST: [[COPY]]:
; FIRST: br i1 false, label
define void @first_of_all(ptr %out) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %f = shl i32 %b, 8
  %i = or disjoint i32 %f, %t
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %is_first = icmp eq i32 %i, 0
  br i1 %is_first, label %one, label %end
one:
  store i32 1, ptr %out
  br label %end
end:
  ret void
}

; Of a sum that may wrap the ends say nothing.
; WRAPS-LABEL: define void @may_wrap(
; WRAPS-NOT: !prof
; WRAPS-NOT: .inside
; WRAPS: ret void
define void @may_wrap(ptr %out, i32 %from, i32 %n) {
entry:
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = add i32 %from, %t
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %in = icmp ult i32 %i, %n
  br i1 %in, label %one, label %end
one:
  %p = getelementptr i32, ptr %out, i32 %i
  store i32 1, ptr %p
  br label %end
end:
  ret void
}

; A loop over barriers may be all there is of a grid: groups that lie inside are told from others at the edges, too.
; PLANES-LABEL: define void @planes(
; PLANES: call i64 @__lanza_sync({{.*}}, !lanza.seldom
; PLANES: br i1 %is_inside, label %load, label %next{{$}}
; PLANES: br i1 true, label
define void @planes(ptr %in, ptr %out, i32 %n, i32 %count) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %f = mul i32 %b, 256
  %i = add nsw i32 %f, %t
  %is_inside = icmp slt i32 %i, %n
  %q = getelementptr float, ptr addrspace(3) @s, i32 %t
  br label %plane
plane:
  %k = phi i32 [ 0, %entry ], [ %k1, %next ]
  br i1 %is_inside, label %load, label %next
load:
  %p = getelementptr float, ptr %in, i32 %i
  %v = load float, ptr %p
  store float %v, ptr addrspace(3) %q
  br label %next
next:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %k1 = add nuw i32 %k, 1
  %more = icmp ult i32 %k1, %count
  br i1 %more, label %plane, label %end
end:
  ret void
}

; Threads fill a tile of 34 columns by flat index: 255 / 34 is 7, however long the way to the thread's index.
; ROWS-LABEL: define void @rows_of_tile(
; ROWS: [[LAST:%.*]] = add i64 %{{.*}}, 7
; ROWS: icmp slt i64 [[LAST]], %
define void @rows_of_tile(ptr %in, ptr %out, i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %x = call range(i32 0, 32) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call range(i32 0, 8) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %f = mul nsw i32 %b, 8
  %above = shl nuw nsw i32 %y, 5
  %k = or disjoint i32 %above, %x
  %short = trunc nuw nsw i32 %k to i16
  %quotient = udiv i16 %short, 34
  %row = zext nneg i16 %quotient to i32
  %i = add nsw i32 %f, %row
  %works = icmp slt i32 %i, %n
  br i1 %works, label %go, label %meet
go:
  %p = getelementptr float, ptr %in, i32 %i
  %v = load float, ptr %p
  %q = getelementptr float, ptr addrspace(3) @s, i32 %k
  store float %v, ptr addrspace(3) %q
  br label %meet
meet:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %w = load float, ptr addrspace(3) @s
  %o = getelementptr float, ptr %out, i32 %i
  store float %w, ptr %o
  ret void
}

; What the ends of rows ask, a thread each, is no reason for a copy.
; HALO-LABEL: define void @halo(
; HALO-NOT: !prof
; HALO-NOT: .inside
; HALO: ret void
define void @halo(ptr %in, i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call range(i32 0, 32) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call range(i32 0, 8) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %f = mul i32 %b, 32
  %i = add nsw i32 %f, %t
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  switch i32 %t, label %rows [
    i32 0, label %first
    i32 31, label %last
  ]
first:
  %has_left = icmp sgt i32 %i, 0
  br i1 %has_left, label %left, label %rows
left:
  store i32 1, ptr %in
  br label %rows
last:
  %has_right = icmp slt i32 %i, %n
  br i1 %has_right, label %right, label %rows
right:
  store i32 2, ptr %in
  br label %rows
rows:
  %is_top = icmp eq i32 %y, 7
  br i1 %is_top, label %top, label %end
top:
  %has_top = icmp slt i32 %i, %n
  br i1 %has_top, label %above, label %end
above:
  store i32 3, ptr %in
  br label %end
end:
  ret void
}

; Where a block begins and ends of what lies inside: with the block it is known, too.
; VALID-LABEL: define void @valid(
; VALID: br i1 %{{.*}}, label %[[COPY:.*]], label %{{.*}}, !prof
; VALID: [[COPY]]:
; VALID: select i1 false, i32 %{{.*}}, i32 0
; VALID: select i1 true, i32 255, i32 %{{.*}}
; VALID: select i1 %{{.*}}, i32 1, i32 2
define void @valid(ptr %in, ptr %out, i32 %n, i32 %before) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %f = mul i32 %b, 216
  %first = sub nsw i32 %f, %before
  %last = add nsw i32 %first, 255
  %i = add nsw i32 %first, %t
  %starts = icmp sgt i32 %i, -1
  %ends = icmp slt i32 %i, %n
  %works = and i1 %starts, %ends
  br i1 %works, label %go, label %wait
go:
  %p = getelementptr float, ptr %in, i32 %i
  %v = load float, ptr %p
  %q = getelementptr float, ptr addrspace(3) @s, i32 %t
  store float %v, ptr addrspace(3) %q
  br label %wait
wait:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %hangs.out = icmp slt i32 %first, 0
  %by = sub nsw i32 0, %first
  %least = select i1 %hangs.out, i32 %by, i32 0
  %fits = icmp slt i32 %last, %n
  %rest = sub i32 %n, %first
  %greatest = select i1 %fits, i32 255, i32 %rest
  %next = add nsw i32 %last, 1
  %neighbour = icmp slt i32 %next, %n
  %other = select i1 %neighbour, i32 1, i32 2
  store i32 %least, ptr %out
  store i32 %greatest, ptr %out
  store i32 %other, ptr %out
  ret void
}

; A tile with its halo on a ring: in blocks whose threads all lie on it, the place is the index.
; RING-LABEL: define void @ring(
; RING: icmp sle i64 %{{.*}}, 1073741824
; RING: br i1 %{{.*}}, label %[[COPY:.*]], label %{{.*}}, !prof
; RING: urem i32 %around, %n
; RING: [[COPY]]:
; RING: [[PLACE:%.*]] = getelementptr float, ptr %in, i32 %before.inside
; RING: load float, ptr [[PLACE]]
define void @ring(ptr %in, ptr %out, i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %f = mul nsw i32 %b, 254
  %i = add nsw i32 %f, %t
  %before = add nsw i32 %i, -1
  %around = add i32 %before, %n
  %at = urem i32 %around, %n
  %p = getelementptr float, ptr %in, i32 %at
  %v = load float, ptr %p
  %q = getelementptr float, ptr addrspace(3) @s, i32 %t
  store float %v, ptr addrspace(3) %q
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %w = load float, ptr addrspace(3) @s
  %o = getelementptr float, ptr %out, i32 %i
  store float %w, ptr %o
  ret void
}

; Places beside x but at an edge: in blocks inside it is known which; a count of who lies below a bound is none.
; STEPS-LABEL: define void @steps(
; STEPS: br i1 %{{.*}}, label %[[COPY:.*]], label %{{.*}}, !prof
; STEPS: [[COPY]]:
; STEPS: sext i1 true to i32
; STEPS: select i1 false, i32
; STEPS: zext i1 %below.inside to i32
define void @steps(ptr %in, ptr %out, i32 %n, i32 %half) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %f = mul nsw i32 %b, 256
  %i = add nsw i32 %f, %t
  %not.first = icmp ne i32 %i, 0
  %step = sext i1 %not.first to i32
  %left = add nsw i32 %t, %step
  %p = getelementptr float, ptr addrspace(3) @s, i32 %left
  %end = add nsw i32 %n, -1
  %last = icmp eq i32 %i, %end
  %next = add nsw i32 %i, 1
  %right = select i1 %last, i32 0, i32 %next
  %r = getelementptr float, ptr %in, i32 %right
  %v = load float, ptr %r
  %q = getelementptr float, ptr addrspace(3) @s, i32 %t
  store float %v, ptr addrspace(3) %q
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %w = load float, ptr addrspace(3) %p
  %below = icmp slt i32 %i, %half
  %count = zext i1 %below to i32
  %float = sitofp i32 %count to float
  %sum = fadd float %w, %float
  %o = getelementptr float, ptr %out, i32 %i
  store float %sum, ptr %o
  ret void
}
