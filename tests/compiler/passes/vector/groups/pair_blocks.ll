; RUN: %opt -kernel=copy -lanes=8 -block=8,4 -passes=retarget,pair-blocks %s | %check %s
; RUN: %opt -kernel=copy -lanes=8 -block=8,4 -passes=retarget,pair-blocks,run-form,"llvm(sroa,instcombine<no-verify-fixpoint>,simplifycfg)" %s | %check %s --check-prefix=FORM
; RUN: %opt -kernel=copy -lanes=8 -block=8 -passes=retarget,pair-blocks %s | %check %s --check-prefix=ALONE
; RUN: %opt -kernel=copy -lanes=8 -block=24,4 -passes=retarget,pair-blocks %s | %check %s --check-prefix=ALONE
; RUN: %opt -kernel=copy -lanes=8 -block=32,4 -passes=retarget,pair-blocks %s | %check %s --check-prefix=ALONE
; RUN: %opt -target=znver5 -kernel=copy -lanes=16 -block=32,4 -passes=retarget,pair-blocks %s | %check %s --check-prefix=ALONE
; RUN: %opt -target=znver4 -kernel=copy -lanes=16 -block=32,4 -passes=retarget,pair-blocks %s | %check %s --check-prefix=LINES
; RUN: %opt -target=sapphirerapids -kernel=copy -lanes=16 -block=32,4 -passes=retarget,pair-blocks %s | %check %s --check-prefix=ALONE
; RUN: %opt -kernel=copy -lanes=8 -block=8,128 -passes=retarget,pair-blocks %s | %check %s --check-prefix=ALONE
; RUN: %opt -kernel=in_turns -lanes=8 -block=8,4 -passes=retarget,pair-blocks %s | %check %s --check-prefix=TURNS
; RUN: %opt -kernel=stores_in_turns -lanes=8 -block=8,4 -passes=retarget,pair-blocks %s | %check %s --check-prefix=SWEEP
; RUN: %opt -kernel=stores_in_turns -lanes=16 -block=32,4 -passes=retarget,pair-blocks %s | %check %s --check-prefix=SWEEP
; RUN: %opt -target=znver4 -kernel=stores_in_turns -lanes=32 -block=32,4 -passes=retarget,pair-blocks %s | %check %s --check-prefix=TWO
; RUN: %opt -target=sapphirerapids -kernel=stores_in_turns -lanes=32 -block=32,4 -passes=retarget,pair-blocks %s | %check %s --check-prefix=FOUR
; RUN: %opt -target=sapphirerapids -kernel=stores_in_turns -lanes=32 -block=32,16 -passes=retarget,pair-blocks %s | %check %s --check-prefix=TWO
; RUN: %opt -target=sapphirerapids -kernel=by_planes -lanes=32 -block=32,4 -passes='retarget,pair-blocks,llvm(loop-simplify),prefetch-steps' %s | %check %s --check-prefix=WRITES
; RUN: %opt -target=sapphirerapids -kernel=by_planes -lanes=32 -block=32,16 -passes='retarget,pair-blocks,llvm(loop-simplify),prefetch-steps' %s | %check %s --check-prefix=BOTH
; RUN: %opt -kernel=one_column -lanes=8 -block=8,4 -passes=retarget,pair-blocks %s | %check %s --check-prefix=COLUMN
; RUN: %opt -kernel=one_block_waits -lanes=8 -block=8,4 -passes=retarget,pair-blocks %s | %check %s --check-prefix=PART
; RUN: %opt -kernel=blocks_leave -lanes=8 -block=8,4 -passes=retarget,pair-blocks %s | %check %s --check-prefix=LEAVE
; RUN: %opt -kernel=guarded -lanes=8 -block=8,4 -passes=retarget,pair-blocks %s | %check %s --check-prefix=GUARDED
; RUN: %opt -kernel=prints -lanes=8 -block=8,4 -passes=retarget,pair-blocks %s | %check %s --check-prefix=PRINTS
; RUN: %opt -kernel=asks_lane -lanes=8 -block=8,4 -passes=retarget,pair-blocks %s | %check %s --check-prefix=LANE
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = internal addrspace(3) global [32 x float] undef, align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)
declare i32 @vprintf(ptr, ptr)

; Bits of x say which block it is and which of its threads; each block has its own shared memory, and products with
; blockIdx.x are sums of both parts.
; CHECK-LABEL: define void @copy(
; CHECK: [[X:%.*]] = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; CHECK-NEXT: [[NUMBER:%.*]] = lshr i32 [[X]], 3
; CHECK-NEXT: [[TX:%.*]] = and i32 [[X]], 7
; CHECK-NEXT: [[FIRST:%.*]] = call {{.*}}i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
; CHECK: [[BASE:%.*]] = call ptr @__lanza_shared()
; CHECK: [[WIDE:%.*]] = zext i32 [[NUMBER]] to i64
; CHECK: [[OFFSET:%.*]] = mul nuw nsw i64 [[WIDE]], 128
; CHECK: [[OWN:%.*]] = getelementptr inbounds i8, ptr [[BASE]], i64 [[OFFSET]]
; CHECK-DAG: [[A:%.*]] = shl i32 [[FIRST]], 3
; CHECK-DAG: [[B:%.*]] = shl i32 [[NUMBER]], 3
; CHECK: [[START:%.*]] = add i32 [[A]], [[B]]
; CHECK: add i32 [[START]], [[TX]]
; CHECK: getelementptr {{.*}} [[OWN]]
;
; A block may be alone: the last one of a row, or of what the call has to do. Then groups of the second do nothing.
; FORM-LABEL: define internal i32 @run(
; FORM: [[SHARED:%.*]] = alloca [256 x i8], align 64
; FORM-DAG: [[ROW:%.*]] = sub nuw i32 %{{.*}}, %ctaid
; FORM-DAG: [[REST:%.*]] = sub nuw i64 %{{.*}}, %block
; FORM: call i64 @llvm.umin.i64(i64 [[REST]], i64 2)
; FORM: call i32 @llvm.umin.i32(i32 %{{.*}}, i32 [[ROW]])
; FORM: [[COUNT:%.*]] = call i32 @llvm.umax.i32(i32 %{{.*}}, i32 1)
; FORM: [[MISSING:%.*]] = shl nsw i32 -1, [[COUNT]]
; FORM: lshr i32 [[MISSING]]
; FORM: br i1
; FORM: store float
;
; Rows of whole lines.
; LINES-LABEL: define void @copy(
; LINES: lshr i32 %{{.*}}, 5
;
; One row, blocks whose groups would be of both, rows of several registers, rows of whole lines and no loop where
; one asks for much, more threads than a block may have.
; ALONE-LABEL: define void @copy(
; ALONE-NOT: lshr
; ALONE: ret void
define void @copy(ptr %in, ptr %out) {
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = shl i32 %c, 3
  %i = add i32 %start, %t
  %p = getelementptr float, ptr %in, i32 %i
  %v = load float, ptr %p
  %q = getelementptr float, ptr addrspace(3) @s, i32 %t
  store float %v, ptr addrspace(3) %q
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %back = xor i32 %t, 7
  %r = getelementptr float, ptr addrspace(3) @s, i32 %back
  %w = load float, ptr addrspace(3) %r
  %o = getelementptr float, ptr %out, i32 %i
  store float %w, ptr %o
  ret void
}

; What goes round loops over barriers is in registers.
; TURNS-LABEL: define void @in_turns(
; TURNS-NOT: lshr
; TURNS: ret void
define void @in_turns(ptr %x, i32 %n) {
entry:
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr float, ptr addrspace(3) @s, i32 %t
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %l, %loop ]
  store i32 %c, ptr addrspace(3) %q
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %l = add i32 %k, 1
  %more = icmp slt i32 %l, %n
  br i1 %more, label %loop, label %out
out:
  ret void
}

; Unless results are stored in each turn, so that little goes round: shared memory is none.
; SWEEP-LABEL: define void @stores_in_turns(
; SWEEP: lshr i32 %{{.*}}, {{3|5}}
; SWEEP: ret void
; On some cores four are better, if they are no more threads than a block may have.
; TWO: call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; FOUR: call range(i32 0, 128) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define void @stores_in_turns(ptr %out, i32 %n) {
entry:
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr float, ptr addrspace(3) @s, i32 %t
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %l, %loop ]
  store float 1.0, ptr addrspace(3) %q
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %own = add i32 %k, %c
  %o = getelementptr float, ptr %out, i32 %own
  store float 1.0, ptr %o
  %l = add i32 %k, 1
  %more = icmp slt i32 %l, %n
  br i1 %more, label %loop, label %out_of_it
out_of_it:
  ret void
}

; Of four blocks of a row an Intel processor follows what they read, of two it is asked for like what they write.
; WRITES-LABEL: define void @by_planes(
; WRITES-NOT: call void @llvm.prefetch.p0(ptr {{.*}}, i32 0,
; WRITES: call void @llvm.prefetch.p0(ptr {{.*}}, i32 1,
; WRITES: ret void
; BOTH-LABEL: define void @by_planes(
; BOTH: call void @llvm.prefetch.p0(ptr {{.*}}, i32 0,
; BOTH: call void @llvm.prefetch.p0(ptr {{.*}}, i32 1,
; BOTH: ret void
define void @by_planes(ptr %in, ptr %out, i64 %plane, i32 %n) {
entry:
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr float, ptr addrspace(3) @s, i32 %t
  %b = shl i32 %c, 5
  %x = add i32 %b, %t
  %first = sext i32 %x to i64
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %l, %loop ]
  %at = phi i64 [ %first, %entry ], [ %further, %loop ]
  %i = getelementptr float, ptr %in, i64 %at
  %v = load float, ptr %i
  store float %v, ptr addrspace(3) %q
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %o = getelementptr float, ptr %out, i64 %at
  store float %v, ptr %o
  %further = add i64 %at, %plane
  %l = add i32 %k, 1
  %more = icmp slt i32 %l, %n
  br i1 %more, label %loop, label %out_of_it
out_of_it:
  ret void
}

; Neighbours would not meet: all is as it was.
; PART-LABEL: define void @one_block_waits(
; PART-NEXT: entry:
; PART-NEXT: [[X:%.*]] = call range(i32 0, 8) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; PART-NEXT: [[C:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
; PART-NEXT: [[BASE:%.*]] = call ptr @__lanza_shared()
; PART-NOT: lshr
; PART: getelementptr float, ptr {{.*}}, i32 [[X]]
; PART-NEXT: getelementptr i32, ptr %x, i32 [[C]]
define void @one_block_waits(ptr %x) {
entry:
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr float, ptr addrspace(3) @s, i32 %t
  %chosen = getelementptr i32, ptr %x, i32 %c
  %choice = load i32, ptr %chosen
  %third = icmp eq i32 %choice, 3
  br i1 %third, label %waits, label %out
waits:
  store float 1.0, ptr addrspace(3) %q
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %out
out:
  ret void
}

; LEAVE-LABEL: define void @blocks_leave(
; LEAVE: [[X:%.*]] = call range(i32 0, 8) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; LEAVE-NOT: lshr
; LEAVE: getelementptr float, ptr {{.*}}, i32 [[X]]
define void @blocks_leave(ptr %x, i32 %n) {
entry:
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr float, ptr addrspace(3) @s, i32 %t
  %chosen = getelementptr i32, ptr %x, i32 %c
  %choice = load i32, ptr %chosen
  %beyond = icmp sge i32 %choice, %n
  br i1 %beyond, label %out, label %stays
stays:
  store float 1.0, ptr addrspace(3) %q
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %out
out:
  ret void
}

; Two of them would lie at an edge more often than one does.
; GUARDED-LABEL: define void @guarded(
; GUARDED-NOT: lshr
; GUARDED: ret void
define void @guarded(ptr %in, ptr %out, i32 %n) {
entry:
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = shl i32 %c, 3
  %i = add i32 %start, %t
  %q = getelementptr float, ptr addrspace(3) @s, i32 %t
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %load, label %meet
load:
  %p = getelementptr float, ptr %in, i32 %i
  %v = load float, ptr %p
  store float %v, ptr addrspace(3) %q
  br label %meet
meet:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %back = xor i32 %t, 7
  %r = getelementptr float, ptr addrspace(3) @s, i32 %back
  %w = load float, ptr addrspace(3) %r
  %o = getelementptr float, ptr %out, i32 %i
  store float %w, ptr %o
  ret void
}

; PRINTS-LABEL: define void @prints(
; PRINTS-NOT: lshr
; PRINTS: ret void
define void @prints(ptr %x) {
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr float, ptr addrspace(3) @s, i32 %t
  store i32 %c, ptr addrspace(3) %q
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  call i32 @vprintf(ptr %x, ptr %x)
  ret void
}

; LANE-LABEL: define void @asks_lane(
; LANE-NOT: lshr
; LANE: ret void
define void @asks_lane(ptr %x) {
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %q = getelementptr float, ptr addrspace(3) @s, i32 %t
  store i32 %c, ptr addrspace(3) %q
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  ret void
}

; Blocks that do not know of their place along x have no neighbours there.
; COLUMN-LABEL: define void @one_column(
; COLUMN-NOT: lshr
; COLUMN: ret void
define void @one_column(ptr %x) {
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr i32, ptr addrspace(3) @s, i32 %t
  store i32 %c, ptr addrspace(3) %q
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %o = getelementptr i32, ptr %x, i32 %c
  store i32 %t, ptr %o
  ret void
}
