; RUN: %opt -kernel=tile -block=256 -passes=extract-kernel,fold-rows %s | %check %s --check-prefix=TILE
; RUN: %opt -kernel=tile -block=24 -passes=extract-kernel,fold-rows %s | %check %s --check-prefix=SHORT
; RUN: %opt -kernel=tile -block=64,4 -passes=extract-kernel,fold-rows %s | %check %s --check-prefix=PLANE
; RUN: %opt -kernel=others -block=256 -passes=extract-kernel,fold-rows %s | %check %s --check-prefix=OTHERS
; RUN: %opt -kernel=warps -block=256 -passes=extract-kernel,fold-rows %s | %check %s --check-prefix=WARPS
; RUN: %opt -kernel=asks -block=256 -passes=extract-kernel,fold-rows %s | %check %s --check-prefix=ASKS
; RUN: %opt -kernel=flat -block=256 -passes=extract-kernel,fold-rows %s | %check %s --check-prefix=FLAT
; RUN: %opt -kernel=alone -block=256 -passes=extract-kernel,fold-rows %s | %check %s --check-prefix=ALONE
; RUN: %opt -kernel=shares -block=256 -passes=extract-kernel,fold-rows %s | %check %s --check-prefix=SHARES
; RUN: %opt -kernel=disagrees -block=256 -passes=extract-kernel,fold-rows %s | %check %s --check-prefix=DISAGREES
target triple = "nvptx64-nvidia-cuda"

@tree = internal addrspace(3) global [256 x float] undef

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; Rows of 16: what is written goes by them, whatever else copies go by.
; TILE-LABEL: void @tile(
; TILE: [[X:%.*]] = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; TILE: [[Y:%.*]] = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
; TILE: [[ROWS:%.*]] = mul nuw nsw i32 [[Y]], 16
; TILE: [[THREAD:%.*]] = add nuw nsw i32 [[ROWS]], [[X]]
; TILE: [[COLUMN:%.*]] = and i32 [[X]], 15
; TILE: [[ROW:%.*]] = lshr i32 [[Y]], 0
; TILE: [[YS:%.*]] = shl nuw nsw i32 [[Y]], 1
; TILE: [[XS:%.*]] = lshr i32 [[X]], 3
; TILE: [[EIGHTH:%.*]] = add nuw nsw i32 [[YS]], [[XS]]
; TILE: [[INNER:%.*]] = and i32 [[X]], 7
; TILE: [[BLOCK:%.*]] = lshr i32 [[Y]], 3
; TILE: [[LOW:%.*]] = and i32 [[Y]], 7
; TILE: [[WIDE:%.*]] = shl nuw nsw i32 [[LOW]], 4
; TILE: [[LONG:%.*]] = add nuw nsw i32 [[WIDE]], [[X]]
; TILE: getelementptr float, ptr %in, i32 [[THREAD]]
; TILE: getelementptr float, ptr %in, i32 [[EIGHTH]]
; TILE: getelementptr float, ptr %in, i32 [[INNER]]
; TILE: getelementptr float, ptr %in, i32 [[BLOCK]]
; TILE: getelementptr float, ptr %in, i32 [[LONG]]
; TILE: mul i32 [[ROW]], %n
; TILE: !{i32 {{.*}}, !"lanza.row", i32 16}

; Not where it is no multiple of a row, nor where it has rows already.
; SHORT-LABEL: void @tile(
; SHORT-NOT: tid.y
; SHORT-NOT: lanza.row
; PLANE-LABEL: void @tile(
; PLANE-NOT: tid.y
; PLANE-NOT: lanza.row
define void @tile(ptr %in, ptr %out, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %column = urem i32 %t, 16
  %row = udiv i32 %t, 16
  %eighth = lshr i32 %t, 3
  %inner = and i32 %t, 7
  %block = sdiv i32 %t, 128
  %long = srem i32 %t, 128
  %p0 = getelementptr float, ptr %in, i32 %t
  %a0 = load float, ptr %p0
  %p1 = getelementptr float, ptr %in, i32 %eighth
  %a1 = load float, ptr %p1
  %p2 = getelementptr float, ptr %in, i32 %inner
  %a2 = load float, ptr %p2
  %p3 = getelementptr float, ptr %in, i32 %block
  %a3 = load float, ptr %p3
  %p4 = getelementptr float, ptr %in, i32 %long
  %a4 = load float, ptr %p4
  %s1 = fadd float %a0, %a1
  %s2 = fadd float %s1, %a2
  %s3 = fadd float %s2, %a3
  %s4 = fadd float %s3, %a4
  %y = mul i32 %row, %n
  %index = add i32 %y, %column
  %q = getelementptr float, ptr %out, i32 %index
  store float %s4, ptr %q
  ret void
}

; Rows of 12 threads, or of 8, are none that vectors lie in.
; OTHERS-LABEL: void @others(
; OTHERS-NOT: tid.y
; OTHERS: ret void
define void @others(ptr %out, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %column = urem i32 %t, 12
  %row = udiv i32 %t, 12
  %c = urem i32 %t, 8
  %r = udiv i32 %t, 8
  %y = mul i32 %row, %n
  %x = mul i32 %r, %c
  %xy = add i32 %y, %x
  %index = add i32 %xy, %column
  %q = getelementptr float, ptr %out, i32 %index
  store float 0.0, ptr %q
  ret void
}

; Threads that are a warp's stay in order.
; WARPS-LABEL: void @warps(
; WARPS-NOT: tid.y
; WARPS: ret void
define void @warps(ptr %out, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %column = urem i32 %t, 32
  %row = udiv i32 %t, 32
  call i64 @__lanza_sync(i32 2, i32 0, i32 -1, i64 0, i32 0)
  %y = mul i32 %row, %n
  %index = add i32 %y, %column
  %q = getelementptr float, ptr %out, i32 %index
  store float 0.0, ptr %q
  ret void
}

; What is written goes by the thread alone, what is read by rows of 32.
; FLAT-LABEL: void @flat(
; FLAT: call range(i32 0, 32) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; FLAT: call range(i32 0, 8) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
; FLAT: !{i32 {{.*}}, !"lanza.row", i32 32}
define void @flat(ptr %in, ptr %out, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %column = urem i32 %t, 32
  %row = udiv i32 %t, 32
  %y = mul i32 %row, %n
  %index = add i32 %y, %column
  %p = getelementptr float, ptr %in, i32 %index
  %v = load float, ptr %p
  %q = getelementptr float, ptr %out, i32 %t
  store float %v, ptr %q
  ret void
}

; Nothing goes by both.
; ALONE-LABEL: void @alone(
; ALONE-NOT: tid.y
; ALONE: ret void
define void @alone(ptr %in, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %column = urem i32 %t, 32
  %p = getelementptr float, ptr %in, i32 %column
  %v = load float, ptr %p
  %q = getelementptr float, ptr %out, i32 %t
  store float %v, ptr %q
  ret void
}

; Nor where a tree in shared memory goes by the thread.
; SHARES-LABEL: void @shares(
; SHARES-NOT: tid.y
; SHARES: ret void
define void @shares(ptr %in, ptr %out, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %column = urem i32 %t, 32
  %row = udiv i32 %t, 32
  %y = mul i32 %row, %n
  %index = add i32 %y, %column
  %p = getelementptr float, ptr %in, i32 %index
  %v = load float, ptr %p
  %s = getelementptr float, ptr addrspace(3) @tree, i32 %t
  store float %v, ptr addrspace(3) %s
  %q = getelementptr float, ptr %out, i32 %t
  store float %v, ptr %q
  ret void
}

; One result goes by rows of 16, the other by rows of 32.
; DISAGREES-LABEL: void @disagrees(
; DISAGREES-NOT: tid.y
; DISAGREES: ret void
define void @disagrees(ptr %out, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c16 = urem i32 %t, 16
  %r16 = udiv i32 %t, 16
  %c32 = urem i32 %t, 32
  %r32 = udiv i32 %t, 32
  %y16 = mul i32 %r16, %n
  %i16 = add i32 %y16, %c16
  %q16 = getelementptr float, ptr %out, i32 %i16
  store float 0.0, ptr %q16
  %y32 = mul i32 %r32, %n
  %i32 = add i32 %y32, %c32
  %q32 = getelementptr float, ptr %out, i32 %i32
  store float 1.0, ptr %q32
  ret void
}

; A function that recurses asks, too.
; ASKS-LABEL: void @asks(
; ASKS-NOT: tid.y
; ASKS: ret void
define void @asks(ptr %out, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %column = urem i32 %t, 32
  %row = udiv i32 %t, 32
  %y = mul i32 %row, %n
  %index = add i32 %y, %column
  %q = getelementptr i32, ptr %out, i32 %index
  %v = call i32 @own(i32 %n)
  store i32 %v, ptr %q
  ret void
}
define i32 @own(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %more = icmp sgt i32 %n, 0
  br i1 %more, label %again, label %end
again:
  %less = add i32 %n, -1
  %v = call i32 @own(i32 %less)
  ret i32 %v
end:
  ret i32 %t
}
