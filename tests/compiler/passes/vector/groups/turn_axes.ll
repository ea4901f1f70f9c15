; RUN: %opt -kernel=columns -lanes=16 -block=16,16 -passes=turn-axes %s | %check %s
; RUN: %opt -kernel=layers -lanes=16 -block=8,4,16 -passes=turn-axes %s | %check %s --check-prefix=LAYERS
; RUN: %opt -kernel=columns -lanes=16 -block=256,3 -passes=turn-axes %s | %check %s --check-prefix=FEW
; RUN: %opt -kernel=transposes -lanes=16 -block=16,16 -passes=turn-axes %s | %check %s --check-prefix=TRANSPOSES
; RUN: %opt -kernel=counts -lanes=16 -block=16,16 -passes=turn-axes %s | %check %s --check-prefix=COUNTS
; RUN: %opt -kernel=takes_numbers -lanes=16 -block=16,16 -passes=turn-axes %s | %check %s --check-prefix=NUMBERS
; RUN: %opt -kernel=columns -lanes=16 -block=32,16 -passes=retarget,turn-axes,linearise,widen %s | %check %s --check-prefix=WIDE
; RUN: %opt -kernel=columns -lanes=16 -block=32,16 -passes=retarget,turn-axes,linearise,widen,build-groups %s | %check %s --check-prefix=BACK
; RUN: %opt -kernel=small_blocks -lanes=16 -block=4,4 -passes=retarget,turn-axes,whole-rows,leave-beyond-block,prepare-control,linearise,widen,build-groups %s | %check %s --check-prefix=ROWS
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()

; a[x * n + y]: y is the group's x, and the group's y the launch's x.
; CHECK-LABEL: define void @columns(
; CHECK-NEXT: %cx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
; CHECK-NEXT: %cy = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
; CHECK-NEXT: %gy = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
; CHECK-NEXT: %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
; CHECK-NEXT: %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
;
; Three rows are too few.
; FEW-LABEL: define void @columns(
; FEW: %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
;
; WIDE-LABEL: define void @columns(
; WIDE: store <16 x float>
;
; In the run form blockIdx.x is the launch's again, and so is gridDim.y.
; BACK-LABEL: define internal i32 @run(
; BACK: [[GX:%.*]] = load i32
; BACK: [[GY:%.*]] = load i32
; BACK: uitofp nneg i32 [[GY]] to float
; BACK: [[X:%.*]] = phi i32
; BACK: [[Y:%.*]] = phi i32
; BACK-DAG: shl i32 [[X]], 5
; BACK-DAG: shl i32 [[Y]], 4
; BACK: store <16 x float>
define void @columns(ptr %a, i64 %n) {
  %cx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %cy = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %gy = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %sx = mul i32 %cx, 32
  %sy = mul i32 %cy, 16
  %x = add nsw i32 %sx, %tx
  %y = add nsw i32 %sy, %ty
  %wx = sext i32 %x to i64
  %wy = sext i32 %y to i64
  %wg = sext i32 %gy to i64
  %row = mul i64 %wx, %n
  %at = add i64 %row, %wy
  %p = getelementptr float, ptr %a, i64 %at
  %v = load float, ptr %p
  %f = uitofp i64 %wg to float
  %s = fadd float %v, %f
  store float %s, ptr %p
  ret void
}

; Blocks along the launch's y are one row: it ends where the grid's y does, and begins at a multiple of 16 threads.
; ROWS-LABEL: define internal i32 @run(
; ROWS: [[GX:%.*]] = load i32, ptr {{.*}}, !range
; ROWS: [[GY:%.*]] = load i32, ptr {{.*}}, !range
; ROWS: [[COLUMNS:%.*]] = zext nneg i32 [[GY]] to i64
; ROWS: [[X:%.*]] = phi i32
; ROWS-NEXT: [[Y:%.*]] = phi i32
; ROWS: [[COLUMN:%.*]] = zext i32 [[Y]] to i64
; ROWS: sub nsw i64 [[COLUMNS]], [[COLUMN]]
; ROWS: [[FIRST:%.*]] = shl i32 [[Y]], 2
; ROWS: and i32 [[FIRST]], 12
; ROWS: call void @llvm.masked.store.
define void @small_blocks(ptr %a, i64 %n) {
  %cx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %cy = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %sx = mul i32 %cx, 4
  %sy = mul i32 %cy, 4
  %x = add nsw i32 %sx, %tx
  %y = add nsw i32 %sy, %ty
  %wx = sext i32 %x to i64
  %wy = sext i32 %y to i64
  %row = mul i64 %wx, %n
  %at = add i64 %row, %wy
  %p = getelementptr float, ptr %a, i64 %at
  %v = load float, ptr %p
  %s = fadd float %v, 1.0
  store float %s, ptr %p
  ret void
}

; a[(x * n + y) * n + z]: the lanes run along z.
; LAYERS-LABEL: define void @layers(
; LAYERS-NEXT: call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
; LAYERS-NEXT: call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
; LAYERS-NEXT: call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define void @layers(ptr %a, i64 %n) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %z = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %wx = zext nneg i32 %x to i64
  %wy = zext nneg i32 %y to i64
  %wz = zext nneg i32 %z to i64
  %plane = mul i64 %wx, %n
  %row = add i64 %plane, %wy
  %start = mul i64 %row, %n
  %at = add i64 %start, %wz
  %p = getelementptr float, ptr %a, i64 %at
  store float 1.0, ptr %p
  ret void
}

; One of both is scattered along either axis.
; TRANSPOSES-LABEL: define void @transposes(
; TRANSPOSES-NEXT: call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define void @transposes(ptr %a, ptr %b, i64 %n) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %wx = zext nneg i32 %x to i64
  %wy = zext nneg i32 %y to i64
  %row = mul i64 %wx, %n
  %at = add i64 %row, %wy
  %p = getelementptr float, ptr %a, i64 %at
  %row2 = mul i64 %wy, %n
  %at2 = add i64 %row2, %wx
  %p2 = getelementptr float, ptr %b, i64 %at2
  %v = load float, ptr %p
  store float %v, ptr %p2
  ret void
}

; A count is the same in any order.
; COUNTS-LABEL: define void @counts(
; COUNTS-NEXT: call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
define void @counts(ptr %a, ptr %count, i64 %n) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %wx = zext nneg i32 %x to i64
  %wy = zext nneg i32 %y to i64
  %row = mul i64 %wx, %n
  %at = add i64 %row, %wy
  %p = getelementptr i32, ptr %a, i64 %at
  %v = load i32, ptr %p
  %old = atomicrmw add ptr %count, i32 %v monotonic
  ret void
}

; Who gets which number is not.
; NUMBERS-LABEL: define void @takes_numbers(
; NUMBERS-NEXT: call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define void @takes_numbers(ptr %a, ptr %count, i64 %n) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %wx = zext nneg i32 %x to i64
  %wy = zext nneg i32 %y to i64
  %row = mul i64 %wx, %n
  %at = add i64 %row, %wy
  %p = getelementptr i32, ptr %a, i64 %at
  %old = atomicrmw add ptr %count, i32 1 monotonic
  store i32 %old, ptr %p
  ret void
}
