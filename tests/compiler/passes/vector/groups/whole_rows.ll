; RUN: %opt -kernel=sum -lanes=1 -block=64,2 -passes=retarget,whole-rows,run-form,"llvm(sroa,instcombine<no-verify-fixpoint>,simplifycfg)" %s | %check %s
; RUN: %opt -kernel=pixels -lanes=16 -block=1 -passes=retarget,whole-rows %s | %check %s --check-prefix=PIXELS
; RUN: %opt -kernel=pixels -lanes=16 -block=1,64 -passes=retarget,whole-rows %s | %check %s --check-prefix=PIXELS
; RUN: %opt -kernel=columns -lanes=16 -block=1,64 -passes=retarget,whole-rows %s | %check %s --check-prefix=COLUMNS
; RUN: %opt -kernel=shared_bits -lanes=1 -block=64 -passes=retarget,whole-rows,run-form,"llvm(sroa,simplifycfg)" %s | %check %s --check-prefix=BITS
; RUN: %opt -kernel=also_alone -lanes=1 -block=64 -passes=retarget,whole-rows,run-form,"llvm(sroa,simplifycfg)" %s | %check %s --check-prefix=ALONE
; RUN: %opt -kernel=other_size -lanes=1 -block=32 -passes=retarget,whole-rows,run-form,"llvm(sroa,simplifycfg)" %s | %check %s --check-prefix=ALONE
; RUN: %opt -kernel=prints -lanes=1 -block=64 -passes=retarget,whole-rows,run-form,"llvm(sroa,simplifycfg)" %s | %check %s --check-prefix=ALONE
; RUN: %opt -kernel=odd -lanes=16 -block=100 -passes=retarget,whole-rows,leave-beyond-block,prepare-control,linearise,widen %s | %check %s --check-prefix=ODD
; RUN: %opt -kernel=odd -lanes=16 -block=100 -passes=retarget,whole-rows,leave-beyond-block,prepare-control,linearise,widen,build-groups %s | %check %s --check-prefix=ENDS
; RUN: %opt -kernel=lane -lanes=1 -block=64 -passes=retarget,whole-rows,run-form,"llvm(sroa,simplifycfg)" %s | %check %s --check-prefix=ALONE
; RUN: %opt -kernel=pairs -lanes=16 -block=8 -passes=retarget,whole-rows %s | %check %s --check-prefix=PAIRS
; RUN: %opt -kernel=pairs_and_thirds -lanes=1 -block=64 -passes=retarget,whole-rows,run-form,"llvm(sroa,simplifycfg)" %s | %check %s --check-prefix=ALONE
; RUN: %opt -kernel=low_bits -lanes=16 -block=100 -passes=retarget,whole-rows %s | %check %s --check-prefix=LOW
; RUN: %opt -kernel=higher_bits -lanes=16 -block=100 -passes=retarget,whole-rows %s | %check %s --check-prefix=HIGHER
; RUN: %opt -kernel=bounded -lanes=16 -block=64 -passes=retarget,whole-rows,prove-steps-back %s | %check %s --check-prefix=BOUNDED
; RUN: %opt -kernel=too_many -lanes=16 -block=64 -passes=retarget,whole-rows,prove-steps-back %s | %check %s --check-prefix=UNBOUNDED
; RUN: %opt -kernel=sum -lanes=16 -block=64 -passes=retarget,whole-rows,prove-steps-back %s | %check %s --check-prefix=UNBOUNDED
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @vprintf(ptr, ptr)

; All blocks of the row that the call has to do, up to where the index wraps, are one loop; rows are a loop around it.
; CHECK-LABEL: define internal i32 @run(
; CHECK: [[BLOCK:%.*]] = phi i64
; CHECK-NEXT: [[X:%.*]] = phi i32
; CHECK: [[LEFT:%.*]] = sub i64 {{.*}}, [[BLOCK]]
; CHECK: call i64 @llvm.umin.i64(i64 [[LEFT]],
; CHECK: [[COUNT:%.*]] = call i64 @llvm.umin.i64(
; CHECK: [[N:%.*]] = trunc {{.*}}i64 [[COUNT]] to i32
; CHECK: [[END:%.*]] = shl nuw i32 [[N]], 6
; CHECK: add i32 [[X]], [[N]]
; CHECK: [[START:%.*]] = shl i32 [[X]], 6
; CHECK: add i32 [[START]], %
; CHECK: store float
; CHECK: icmp ult i32 {{.*}}, [[END]]
define void @sum(ptr %x) {
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %c, 64
  %i = add i32 %m, %t
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  store float 1.0, ptr %p
  ret void
}

; Of blocks with one thread along x the sum is not written: those side by side are lanes, where threads of one block are
; none, or find their neighbours far away.
; PIXELS-LABEL: define void @pixels(
; PIXELS: [[X:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
; PIXELS: [[START:%.*]] = mul i32 [[X]], 1
; PIXELS: [[LANE:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; PIXELS: [[FIRST:%.*]] = and i32 [[START]], -16
; PIXELS: [[I:%.*]] = add i32 [[FIRST]], [[LANE]]
; PIXELS: add i32 {{%.*}}, [[I]]
define void @pixels(ptr %x, i32 %width) {
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = mul i32 %y, %width
  %i = add i32 %row, %c
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  store float 1.0, ptr %p
  ret void
}

; COLUMNS-LABEL: define void @columns(
; COLUMNS: [[X:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
; COLUMNS-NEXT: call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
; COLUMNS-NEXT: mul i32 [[X]], %height
define void @columns(ptr %x, i32 %height) {
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %column = mul i32 %c, %height
  %i = add i32 %column, %y
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  store float 1.0, ptr %p
  ret void
}

; Where a thread's index stays below the size an `or` is an addition, and behind it is none.
; BITS-LABEL: define internal i32 @run(
; BITS: call i64 @llvm.umin.i64(
; BITS-NOT: or disjoint
; BITS: store float
define void @shared_bits(ptr %x) {
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = shl i32 %c, 6
  %i = or disjoint i32 %m, %t
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  store float 1.0, ptr %p
  ret void
}

; ALONE-LABEL: define internal i32 @run(
; ALONE-NOT: umin
; ALONE: store float
; ALONE-NOT: umin
define void @also_alone(ptr %x) {
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = shl i32 %c, 6
  %i = or disjoint i32 %m, %t
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = sitofp i32 %t to float
  store float %v, ptr %p
  ret void
}

define void @other_size(ptr %x) {
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %c, 64
  %i = add i32 %m, %t
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  store float 1.0, ptr %p
  ret void
}

define void @prints(ptr %x) {
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %c, 64
  %i = add i32 %m, %t
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  store float 1.0, ptr %p
  call i32 @vprintf(ptr %x, ptr %x)
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.laneid()

define void @lane(ptr %x) {
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %c, 64
  %i = add i32 %m, %t
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %l = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %v = sitofp i32 %l to float
  store float %v, ptr %p
  ret void
}

; A row whose blocks begin within a group: sums begin at a multiple of the lanes, and who is before or behind the row is
; masked.
; ODD-LABEL: define void @odd(
; ODD: [[BLOCKS:%.*]] = call i32 @lanza.blocks()
; ODD: mul nuw i32 [[BLOCKS]], 100
; ODD-DAG: icmp uge <16 x i32>
; ODD-DAG: icmp ult <16 x i32>
; ODD: [[IN:%.*]] = and <16 x i1>
; ODD: [[START:%.*]] = and i32 {{.*}}, -16
; ODD: [[INDEX:%.*]] = add i32 [[START]],
; ODD: call void @llvm.masked.store.v16f32.p0({{.*}}, <16 x i1> [[IN]])

; The loop over groups begins at lane 0 of the first, of which faults count from there.
; ENDS-LABEL: define internal i32 @run(
; ENDS: [[START:%.*]] = mul i32 {{.*}}, 100
; ENDS: [[BEFORE:%.*]] = and i32 [[START]], 12
; ENDS: [[END:%.*]] = add nuw i32 {{.*}}[[BEFORE]]
; ENDS: store volatile i64 {{.*}}
; ENDS: icmp ult i32 {{.*}}, [[END]]
define void @odd(ptr %x) {
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %c, 100
  %i = add i32 %m, %t
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  store float 1.0, ptr %p
  ret void
}

; (blockIdx.x * 8 + threadIdx.x) * 2, as simplification leaves it.
; PAIRS-LABEL: define void @pairs(
; PAIRS: [[START:%.*]] = mul i32 %c, 8
; PAIRS: [[ALIGNED:%.*]] = and i32 [[START]], -16
; PAIRS: [[INDEX:%.*]] = add i32 [[ALIGNED]], %t
; PAIRS: %i = mul i32 [[INDEX]], 2
; PAIRS-NEXT: sext i32 %i
define void @pairs(ptr %x) {
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = shl nuw nsw i32 %c, 4
  %u = shl nuw nsw i32 %t, 1
  %i = or disjoint i32 %m, %u
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  store float 1.0, ptr %p
  ret void
}

define void @pairs_and_thirds(ptr %x) {
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %c, 128
  %u = mul i32 %t, 3
  %i = add i32 %m, %u
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  store float 1.0, ptr %p
  ret void
}

; `i & 3` where all blocks begin at a multiple of 4: rows, whose sums begin at a multiple of the lanes.
; LOW-LABEL: define void @low_bits(
; LOW: [[T:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; LOW: and i32 {{.*}}, -16
; LOW: and i32 [[T]], 3
define void @low_bits(ptr %x) {
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %c, 100
  %i = add i32 %m, %t
  %wide = sext i32 %i to i64
  %p = getelementptr i32, ptr %x, i64 %wide
  %low = and i32 %t, 3
  store i32 %low, ptr %p
  ret void
}

; Of a thread's number in its block.
; HIGHER-LABEL: define void @higher_bits(
; HIGHER-NOT: -16
; HIGHER: ret void
define void @higher_bits(ptr %x) {
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %c, 100
  %i = add i32 %m, %t
  %wide = sext i32 %i to i64
  %p = getelementptr i32, ptr %x, i64 %wide
  %higher = and i32 %t, 4
  store i32 %higher, ptr %p
  ret void
}

; Where a launch has so few blocks that an index is an int, lanes behind the row's end among them, it is not negative:
; what stands before it wraps nowhere, which nobody else knows.
; BOUNDED-LABEL: define void @bounded(
; BOUNDED: %i = add i32 {{.*}}, %t, !lanza.index-in-row
; BOUNDED: %before = add nsw i32 %i, -1
; BOUNDED: %behind = add i32 %i, 1
define void @bounded(ptr %x) {
  %c = call range(i32 0, 33553408) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = shl nuw nsw i32 %c, 6
  %i = or disjoint i32 %m, %t
  %before = add i32 %i, -1
  %behind = add i32 %i, 1
  %p = getelementptr i32, ptr %x, i32 %before
  store i32 %behind, ptr %p
  ret void
}

; UNBOUNDED-NOT: lanza.index-in-row
; UNBOUNDED-NOT: add nsw
define void @too_many(ptr %x) {
  %c = call range(i32 0, 33554432) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = shl nuw nsw i32 %c, 6
  %i = or disjoint i32 %m, %t
  %before = add i32 %i, -1
  %p = getelementptr i32, ptr %x, i32 %before
  store i32 1, ptr %p
  ret void
}
