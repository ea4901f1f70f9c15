; RUN: %opt -kernel=turns -lanes=16 -block=256 -passes=retarget,index-planes %s | %check %s
; RUN: %opt -kernel=channels -lanes=16 -block=256 -passes=retarget,index-planes %s | %check %s --check-prefix=CHANNELS
; RUN: %opt -kernel=copies -lanes=16 -block=256 -passes=retarget,index-planes %s | %check %s --check-prefix=COPIES
; RUN: %opt -kernel=layers -lanes=16 -block=256 -passes=retarget,index-planes %s | %check %s --check-prefix=LAYERS
; RUN: %opt -kernel=heads -lanes=16 -block=256 -passes=retarget,index-planes %s | %check %s --check-prefix=HEADS
; RUN: %opt -kernel=steps -lanes=16 -block=256 -passes=retarget,index-planes %s | %check %s --check-prefix=STEPS
; RUN: %opt -kernel=sums -lanes=16 -block=256 -passes=retarget,index-planes %s | %check %s --check-prefix=SUMS
; RUN: %opt -kernel=pairs -lanes=16 -block=256 -passes=retarget,index-planes %s | %check %s --check-prefix=PAIRS
; RUN: %opt -kernel=counts -lanes=16 -block=256 -passes=retarget,index-planes %s | %check %s --check-prefix=COUNTS
; RUN: %opt -kernel=pools -lanes=16 -block=256 -passes=retarget,index-planes %s | %check %s --check-prefix=POOLS
; RUN: %opt -kernel=strided -lanes=16 -block=256 -passes=retarget,index-planes %s | %check %s --check-prefix=STRIDED
; RUN: %opt -kernel=first_row -lanes=16 -block=256 -passes=retarget,index-planes %s | %check %s --check-prefix=TOPROW
; RUN: %opt -kernel=enlarged -lanes=16 -block=256 -passes=retarget,index-planes %s | %check %s --check-prefix=ENLARGED
; RUN: %opt -kernel=spread -lanes=16 -block=256 -passes=retarget,index-planes %s | %check %s --check-prefix=SPREAD
; RUN: %opt -kernel=members -lanes=16 -block=256 -passes=retarget,index-planes %s | %check %s --check-prefix=MEMBERS
; RUN: %opt -kernel=thirds -lanes=16 -block=256 -passes=retarget,index-planes %s | %check %s --check-prefix=THIRDS
; RUN: %opt -kernel=looks_up -lanes=16 -block=256 -passes=retarget,index-planes %s | %check %s --check-prefix=LOOKSUP
; RUN: %opt -kernel=permuted -lanes=16 -block=256 -passes=retarget,index-planes %s | %check %s --check-prefix=PERMUTED
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()

; out[i % w * h + i / w] = in[i], a plane of 32 x 16 threads a block; guards of w are gone.
; CHECK-LABEL: define void @turns(ptr %0, ptr %1, i32 %2, i32 %3, i32 %4, i32 %5, i32 %6)
; CHECK-DAG: call range(i32 0, 32) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; CHECK-DAG: call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
; CHECK-DAG: [[IN:%.*]] = icmp slt i32 [[X:%.*]], %5
; CHECK-DAG: [[BELOW:%.*]] = icmp slt i32 [[Y:%.*]], %6
; CHECK: [[FIRST:%.*]] = mul nuw nsw i32 [[Y]], %5
; CHECK: [[I:%.*]] = add nuw nsw i32 [[FIRST]], [[X]]
; CHECK: icmp slt i32 [[I]], %4
; CHECK-NOT: select
; CHECK-NOT: sdiv
; CHECK-NOT: srem
; CHECK: mul nsw i32 [[X]], %2
; CHECK: }
define void @turns(ptr %out, ptr %in, i32 %h, i32 %w) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %s = shl i32 %b, 8
  %i = add nsw i32 %s, %t
  %zero = icmp eq i32 %w, 0
  %ones = icmp eq i32 %w, -1
  %unsafe = or i1 %zero, %ones
  %d = select i1 %unsafe, i32 1, i32 %w
  %q = sdiv i32 %i, %d
  %y = select i1 %zero, i32 -1, i32 %q
  %r = srem i32 %i, %d
  %x = select i1 %zero, i32 -1, i32 %r
  %column = mul nsw i32 %x, %h
  %at = add nsw i32 %column, %y
  %from = zext nneg i32 %i to i64
  %p = getelementptr float, ptr %in, i64 %from
  %v = load float, ptr %p
  %to = sext i32 %at to i64
  %o = getelementptr float, ptr %out, i64 %to
  store float %v, ptr %o
  ret void
}

; c = i % C, p = i / C % P, b = i / (C * P): out[(b * C + c) * P + p]. Planes of P rows.
; CHANNELS-LABEL: define void @channels(
; CHANNELS: call range(i32 0, -2147483648) i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
; CHANNELS-NOT: udiv
; CHANNELS-NOT: urem
; CHANNELS: }
define void @channels(ptr %out, ptr %in, i32 %c, i32 %p) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %s = shl i32 %b, 8
  %i = or disjoint i32 %s, %t
  %c1 = call i32 @llvm.umax.i32(i32 %c, i32 1)
  %p1 = call i32 @llvm.umax.i32(i32 %p, i32 1)
  %x = urem i32 %i, %c1
  %row = udiv i32 %i, %c1
  %y = urem i32 %row, %p1
  %size = mul i32 %p, %c
  %size1 = call i32 @llvm.umax.i32(i32 %size, i32 1)
  %z = udiv i32 %i, %size1
  %layer = mul i32 %z, %c
  %channel = add i32 %layer, %x
  %column = mul i32 %channel, %p
  %at = add i32 %column, %y
  %from = zext i32 %i to i64
  %a = getelementptr i16, ptr %in, i64 %from
  %v = load i16, ptr %a
  %to = zext i32 %at to i64
  %o = getelementptr i16, ptr %out, i64 %to
  store i16 %v, ptr %o
  ret void
}

; Rows are copied: neighbours in a row are neighbours in memory, and nobody goes down columns.
; COPIES-LABEL: define void @copies(ptr %0, ptr %1, i32 %2, i32 %3, i32 %4, i32 %5)
; COPIES: tid.y
; COPIES-NOT: udiv
; COPIES-NOT: urem
; COPIES: }
define void @copies(ptr %out, ptr %in, i32 %w) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %s = shl i32 %b, 8
  %i = add nsw i32 %s, %t
  %w1 = call i32 @llvm.umax.i32(i32 %w, i32 1)
  %x = urem i32 %i, %w1
  %y = udiv i32 %i, %w1
  %pitch = add i32 %w, 6
  %start = mul i32 %y, %pitch
  %at = add i32 %start, %x
  %from = zext nneg i32 %i to i64
  %p = getelementptr float, ptr %in, i64 %from
  %v = load float, ptr %p
  %to = sext i32 %at to i64
  %o = getelementptr float, ptr %out, i64 %to
  store float %v, ptr %o
  ret void
}

; x = i % w / s, y = i / w % h, c = i / (w * h * d): columns are divided as floats, planes by d, and by s whatever is
; the same for all lanes, in front of loops.
; LAYERS-LABEL: define void @layers(
; LAYERS: [[D:%.*]] = call i32 @llvm.smax.i32(i32 %5, i32 1)
; LAYERS: udiv i32 {{.*}}, [[D]]
; LAYERS: [[S:%.*]] = call i32 @llvm.smax.i32(i32 %3, i32 1)
; LAYERS: [[REAL:%.*]] = uitofp nneg i32 [[S]] to float
; LAYERS: [[INVERSE:%.*]] = fdiv float 1.000000e+00, [[REAL]]
; LAYERS: [[X:%.*]] = uitofp nneg i32 {{.*}} to float
; LAYERS: [[HALF:%.*]] = fadd float [[X]], 5.000000e-01
; LAYERS: [[RATIO:%.*]] = fmul float [[HALF]], [[INVERSE]]
; LAYERS: fptosi float [[RATIO]] to i32
; LAYERS: udiv i32 {{.*}}, [[S]]
; LAYERS: }
define void @layers(ptr %out, ptr %in, i32 %w, i32 %s, i32 %h, i32 %d) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = shl i32 %b, 8
  %i = or disjoint i32 %start, %t
  %w1 = call i32 @llvm.umax.i32(i32 %w, i32 1)
  %h1 = call i32 @llvm.umax.i32(i32 %h, i32 1)
  %s1 = call i32 @llvm.umax.i32(i32 %s, i32 1)
  %x = urem i32 %i, %w1
  %row = udiv i32 %i, %w1
  %y = urem i32 %row, %h1
  %wh = mul i32 %w, %h
  %size = mul i32 %wh, %d
  %size1 = call i32 @llvm.umax.i32(i32 %size, i32 1)
  %c = udiv i32 %i, %size1
  %xs = udiv i32 %x, %s1
  %ys = udiv i32 %y, %s1
  %first = mul i32 %ys, %w
  %place = add i32 %first, %xs
  %layer = mul i32 %c, %w
  %at = add i32 %place, %layer
  %wide = zext i32 %at to i64
  %a = getelementptr float, ptr %in, i64 %wide
  %v = load float, ptr %a
  %to = zext i32 %i to i64
  %o = getelementptr float, ptr %out, i64 %to
  store float %v, ptr %o
  ret void
}

; b = i / (h n d), r = i % (h n d), head = r / (n d), row = r % (n d) / d, x = r % (n d) % d: rows of d in planes of n, h
; of which are a layer.
; HEADS-LABEL: define void @heads(
; HEADS: [[Z:%.*]] = call range(i32 0, -2147483648) i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
; HEADS: [[H:%.*]] = call i32 @llvm.smax.i32(i32 %2, i32 1)
; HEADS: udiv i32 [[Z]], [[H]]
; HEADS: urem i32 [[Z]], [[H]]
; HEADS-NOT: div
; HEADS-NOT: rem
; HEADS: }
define void @heads(ptr %out, ptr %in, i32 %h, i32 %n, i32 %d) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %s = shl i32 %b, 8
  %i = or disjoint i32 %s, %t
  %nd = mul i32 %n, %d
  %nd1 = call i32 @llvm.umax.i32(i32 %nd, i32 1)
  %hn = mul i32 %h, %n
  %hnd = mul i32 %hn, %d
  %hnd1 = call i32 @llvm.umax.i32(i32 %hnd, i32 1)
  %d1 = call i32 @llvm.umax.i32(i32 %d, i32 1)
  %batch = udiv i32 %i, %hnd1
  %r = urem i32 %i, %hnd1
  %head = udiv i32 %r, %nd1
  %q = urem i32 %r, %nd1
  %row = udiv i32 %q, %d1
  %x = urem i32 %q, %d1
  %first = mul i32 %batch, %hnd
  %of_row = mul i32 %row, %h
  %heads = add i32 %of_row, %head
  %place = mul i32 %heads, %d
  %part = add i32 %place, %x
  %at = add i32 %part, %first
  %from = zext i32 %at to i64
  %a = getelementptr float, ptr %in, i64 %from
  %v = load float, ptr %a
  %to = zext i32 %i to i64
  %o = getelementptr float, ptr %out, i64 %to
  store float %v, ptr %o
  ret void
}

; Turns of a loop by which the grid strides are threads of planes, n of them.
; STEPS-LABEL: define void @steps(ptr %0, ptr %1, i32 %2, i32 %3, i32 %4, i32 %5, i32 %6)
; STEPS-NOT: nctaid
; STEPS: tid.y
; STEPS-NOT: nctaid
; STEPS-NOT: phi
; STEPS: }
define void @steps(ptr %out, ptr %in, i32 %w, i32 %n) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %s = shl i32 %b, 8
  %first = or disjoint i32 %s, %t
  %grid = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %step = shl i32 %grid, 8
  %any = icmp slt i32 %first, %n
  br i1 %any, label %before, label %end

before:
  br label %turn

turn:
  %i = phi i32 [ %first, %before ], [ %next, %turn ]
  %x = srem i32 %i, %w
  %from = sext i32 %x to i64
  %p = getelementptr float, ptr %in, i64 %from
  %v = load float, ptr %p
  %to = zext nneg i32 %i to i64
  %o = getelementptr float, ptr %out, i64 %to
  store float %v, ptr %o
  %next = add nsw i32 %i, %step
  %more = icmp slt i32 %next, %n
  br i1 %more, label %turn, label %after

after:
  br label %end

end:
  ret void
}

; Not where a turn goes on from the one before.
; SUMS-LABEL: define void @sums(ptr %out, ptr %in, i32 %w, i32 %n)
; SUMS-NOT: tid.y
; SUMS: nctaid
; SUMS: }
define void @sums(ptr %out, ptr %in, i32 %w, i32 %n) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %s = shl i32 %b, 8
  %first = or disjoint i32 %s, %t
  %grid = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %step = shl i32 %grid, 8
  %any = icmp slt i32 %first, %n
  br i1 %any, label %before, label %end

before:
  br label %turn

turn:
  %i = phi i32 [ %first, %before ], [ %next, %turn ]
  %sum = phi float [ 0.0, %before ], [ %v, %turn ]
  %x = srem i32 %i, %w
  %from = sext i32 %x to i64
  %p = getelementptr float, ptr %in, i64 %from
  %v = load float, ptr %p
  %to = zext nneg i32 %i to i64
  %o = getelementptr float, ptr %out, i64 %to
  store float %sum, ptr %o
  %next = add nsw i32 %i, %step
  %more = icmp slt i32 %next, %n
  br i1 %more, label %turn, label %after

after:
  br label %end

end:
  ret void
}

; Rows of 6 are shorter than what is worth a group.
; PAIRS-LABEL: define void @pairs(ptr %out, ptr %in)
; PAIRS-NOT: tid.y
; PAIRS: }
define void @pairs(ptr %out, ptr %in) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %s = shl i32 %b, 8
  %i = or disjoint i32 %s, %t
  %x = urem i32 %i, 6
  %from = zext nneg i32 %x to i64
  %p = getelementptr float, ptr %in, i64 %from
  %v = load float, ptr %p
  %to = zext nneg i32 %i to i64
  %o = getelementptr float, ptr %out, i64 %to
  store float %v, ptr %o
  ret void
}

; The order of threads may show.
; COUNTS-LABEL: define void @counts(ptr %out, i32 %h, i32 %w)
; COUNTS-NOT: tid.y
; COUNTS: }
define void @counts(ptr %out, i32 %h, i32 %w) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %s = shl i32 %b, 8
  %i = add nsw i32 %s, %t
  %w1 = call i32 @llvm.umax.i32(i32 %w, i32 1)
  %x = urem i32 %i, %w1
  %y = udiv i32 %i, %w1
  %column = mul nsw i32 %x, %h
  %at = add nsw i32 %column, %y
  %to = sext i32 %at to i64
  %o = getelementptr i32, ptr %out, i64 %to
  %old = atomicrmw add ptr %o, i32 1 monotonic
  ret void
}

; w = W / 2: guards of w, which LLVM has made questions to W, are gone; c = i / (w * (h * 2)) is a plane, h2 / 2 no row of one.
; POOLS-LABEL: define void @pools(
; POOLS: call range(i32 0, -2147483648) i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
; POOLS-NOT: select
; POOLS-NOT: rem i32
; POOLS: sdiv i32 {{%.*}}, 2
; POOLS-NOT: div i32
; POOLS: }
define void @pools(ptr %out, ptr %in, i32 %W, i32 %h) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %s = shl i32 %b, 8
  %i = add nsw i32 %s, %t
  %w = sdiv i32 %W, 2
  %W1 = add i32 %W, 1
  %zero = icmp ult i32 %W1, 3
  %W3 = add i32 %W, 3
  %unsafe = icmp ult i32 %W3, 5
  %d = select i1 %unsafe, i32 1, i32 %w
  %q = sdiv i32 %i, %d
  %row = select i1 %zero, i32 -1, i32 %q
  %r = srem i32 %i, %d
  %x = select i1 %zero, i32 -1, i32 %r
  %h2 = shl i32 %h, 1
  %h1 = call i32 @llvm.umax.i32(i32 %h2, i32 1)
  %y = srem i32 %row, %h1
  %y2 = sdiv i32 %y, 2
  %size = mul i32 %w, %h2
  %size1 = call i32 @llvm.umax.i32(i32 %size, i32 1)
  %c = sdiv i32 %i, %size1
  %plane = mul nsw i32 %c, %h
  %line = add nsw i32 %plane, %y2
  %begin = mul nsw i32 %line, %w
  %at = add nsw i32 %begin, %x
  %from = sext i32 %at to i64
  %p = getelementptr float, ptr %in, i64 %from
  %v = load float, ptr %p
  %to = zext nneg i32 %i to i64
  %o = getelementptr float, ptr %out, i64 %to
  store float %v, ptr %o
  ret void
}

; w = (W - 3) / s + 1: its guards are known once those of s are.
; STRIDED-LABEL: define void @strided(
; STRIDED: icmp slt
; STRIDED-NOT: select
; STRIDED-NOT: srem
; STRIDED: }
define void @strided(ptr %out, ptr %in, i32 %W, i32 %stride) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %s = shl i32 %b, 8
  %i = add nsw i32 %s, %t
  %inner = add nsw i32 %W, -3
  %none = icmp eq i32 %stride, 0
  %stride1 = select i1 %none, i32 1, i32 %stride
  %steps = sdiv i32 %inner, %stride1
  %all = select i1 %none, i32 -1, i32 %steps
  %w = add nsw i32 %all, 1
  %w1 = call i32 @llvm.umax.i32(i32 %w, i32 1)
  %y = sdiv i32 %i, %w1
  %x = srem i32 %i, %w1
  %begin = mul nsw i32 %y, %W
  %at = add nsw i32 %begin, %x
  %from = sext i32 %at to i64
  %p = getelementptr float, ptr %in, i64 %from
  %v = load float, ptr %p
  %to = zext nneg i32 %i to i64
  %o = getelementptr float, ptr %out, i64 %to
  store float %v, ptr %o
  ret void
}

; A guard that was extended behind it; i < w asks for the first row.
; TOPROW-LABEL: define void @first_row(
; TOPROW: icmp slt i32 [[Y:%.*]], %5
; TOPROW-NOT: {{div|rem}}
; TOPROW: [[IS:%.*]] = icmp eq i32 [[Y]], 0
; TOPROW: select i1 [[IS]]
; TOPROW: }
define void @first_row(ptr %out, ptr %in, i32 %w) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %s = shl i32 %b, 8
  %i = add nsw i32 %s, %t
  %i64 = zext nneg i32 %i to i64
  %w1 = call i32 @llvm.umax.i32(i32 %w, i32 1)
  %d = sext i32 %w1 to i64
  %q = udiv i64 %i64, %d
  %y = trunc i64 %q to i32
  %r = urem i64 %i64, %d
  %x = trunc i64 %r to i32
  %first = icmp ugt i32 %w1, %i
  %up = select i1 %first, i32 9, i32 %y
  %begin = mul nsw i32 %up, %w
  %at = add nsw i32 %begin, %x
  %far = sext i32 %at to i64
  %p = getelementptr float, ptr %in, i64 %far
  %v = load float, ptr %p
  %o = getelementptr float, ptr %out, i64 %i64
  store float %v, ptr %o
  ret void
}

; x = i % (w * s), y = i / (w * s) % (h * s), c = i / (w * h * s * s): what columns are divided by is neither a row nor
; a plane's height, which is h * s: of rows y / s and y % s are left.
; ENLARGED-LABEL: define void @enlarged(
; ENLARGED: ctaid.z
; ENLARGED: urem i32 [[Y:%.*]], [[S:%.*]]
; ENLARGED: fptosi
; ENLARGED: udiv i32 [[Y]], [[S]]
; ENLARGED: }
define void @enlarged(ptr %out, ptr %in, i32 %w, i32 %h, i32 %s) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = shl i32 %b, 8
  %i = or disjoint i32 %start, %t
  %ws = mul i32 %w, %s
  %hs = mul i32 %h, %s
  %all = mul i32 %ws, %hs
  %ws1 = call i32 @llvm.umax.i32(i32 %ws, i32 1)
  %hs1 = call i32 @llvm.umax.i32(i32 %hs, i32 1)
  %all1 = call i32 @llvm.umax.i32(i32 %all, i32 1)
  %s1 = call i32 @llvm.umax.i32(i32 %s, i32 1)
  %x = urem i32 %i, %ws1
  %row = udiv i32 %i, %ws1
  %y = urem i32 %row, %hs1
  %c = udiv i32 %i, %all1
  %ym = urem i32 %y, %s1
  %xm = urem i32 %x, %s1
  %yd = udiv i32 %y, %s1
  %xd = udiv i32 %x, %s1
  %c1 = mul i32 %c, %s
  %c2 = add i32 %c1, %ym
  %c3 = mul i32 %c2, %s
  %c4 = add i32 %c3, %xm
  %c5 = mul i32 %c4, %h
  %c6 = add i32 %c5, %yd
  %c7 = mul i32 %c6, %w
  %at = add i32 %c7, %xd
  %wide = zext i32 %at to i64
  %p = getelementptr float, ptr %in, i64 %wide
  %v = load float, ptr %p
  %to = zext i32 %i to i64
  %o = getelementptr float, ptr %out, i64 %to
  store float %v, ptr %o
  ret void
}

; x = i % w, r = i / w, which both are divided by s: no planes of s rows, of which a block would have no more.
; SPREAD-LABEL: define void @spread(
; SPREAD-NOT: ctaid.z
; SPREAD: fptosi
; SPREAD: udiv i32 {{.*}}, [[S:%.*]]
; SPREAD: }
define void @spread(ptr %out, ptr %in, i32 %w, i32 %n, i32 %s) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = shl i32 %b, 8
  %i = or disjoint i32 %start, %t
  %w1 = call i32 @llvm.umax.i32(i32 %w, i32 1)
  %s1 = call i32 @llvm.umax.i32(i32 %s, i32 1)
  %x = urem i32 %i, %w1
  %r = udiv i32 %i, %w1
  %xd = udiv i32 %x, %s1
  %rd = udiv i32 %r, %s1
  %rm = urem i32 %r, %s1
  %first = mul i32 %rd, %n
  %place = add i32 %first, %xd
  %at = add i32 %place, %rm
  %wide = zext i32 %at to i64
  %p = getelementptr float, ptr %in, i64 %wide
  %v = load float, ptr %p
  %to = zext i32 %i to i64
  %o = getelementptr float, ptr %out, i64 %to
  store float %v, ptr %o
  ret void
}

; x = i % s.w, y = i / s.w, of a structure by value.
; MEMBERS-LABEL: define void @members(
; MEMBERS: tid.y
; MEMBERS-NOT: udiv
; MEMBERS-NOT: urem
; MEMBERS: }
define void @members(ptr %out, ptr %in, ptr byval([2 x i32]) %s) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = shl i32 %b, 8
  %i = add nsw i32 %start, %t
  %w = load i32, ptr %s
  %p = getelementptr i8, ptr %s, i64 4
  %pitch = load i32, ptr %p
  %w1 = call i32 @llvm.umax.i32(i32 %w, i32 1)
  %x = urem i32 %i, %w1
  %y = udiv i32 %i, %w1
  %first = mul i32 %y, %pitch
  %at = add i32 %first, %x
  %from = zext nneg i32 %i to i64
  %a = getelementptr float, ptr %in, i64 %from
  %v = load float, ptr %a
  %to = sext i32 %at to i64
  %o = getelementptr float, ptr %out, i64 %to
  store float %v, ptr %o
  ret void
}

; x = i % (3 * d), y = i / (3 * d): LLVM guards 3 * d by asking about d, whether it is 0 or what 3 times is -1.
; THIRDS-LABEL: define void @thirds(
; THIRDS: tid.y
; THIRDS-NOT: select
; THIRDS-NOT: sdiv
; THIRDS: }
define void @thirds(ptr %out, ptr %in, i32 %d) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = shl i32 %b, 8
  %i = add nsw i32 %start, %t
  %all = mul i32 %d, 3
  %zero = icmp eq i32 %d, 0
  %ones = icmp eq i32 %d, 1431655765
  %unsafe = or i1 %zero, %ones
  %by = select i1 %unsafe, i32 1, i32 %all
  %q = sdiv i32 %i, %by
  %minus = sub nsw i32 0, %i
  %q1 = select i1 %ones, i32 %minus, i32 %q
  %y = select i1 %zero, i32 -1, i32 %q1
  %r = srem i32 %i, %by
  %r1 = select i1 %ones, i32 0, i32 %r
  %x = select i1 %zero, i32 -1, i32 %r1
  %first = mul i32 %y, %d
  %at = add i32 %first, %x
  %from = zext nneg i32 %i to i64
  %a = getelementptr float, ptr %in, i64 %from
  %v = load float, ptr %a
  %to = sext i32 %at to i64
  %o = getelementptr float, ptr %out, i64 %to
  store float %v, ptr %o
  ret void
}

; k = i % a, j = i / a % b, y = i / (a * b): rows of a * b columns, which are divided as floats.
; PERMUTED-LABEL: define void @permuted(
; PERMUTED: tid.y
; PERMUTED-NOT: {{[us]}}div
; PERMUTED-NOT: {{[us]}}rem
; PERMUTED: fptosi
; PERMUTED: }
define void @permuted(ptr %out, ptr %in, i32 %a, i32 %b, i32 %c) {
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = shl i32 %block, 8
  %i = or disjoint i32 %start, %t
  %a1 = call i32 @llvm.umax.i32(i32 %a, i32 1)
  %b1 = call i32 @llvm.umax.i32(i32 %b, i32 1)
  %ab = mul i32 %a, %b
  %ab1 = call i32 @llvm.umax.i32(i32 %ab, i32 1)
  %k = urem i32 %i, %a1
  %q = udiv i32 %i, %a1
  %j = urem i32 %q, %b1
  %y = udiv i32 %i, %ab1
  %p0 = mul i32 %j, %a
  %p1 = add i32 %p0, %k
  %p2 = mul i32 %p1, %c
  %at = add i32 %p2, %y
  %wide = zext i32 %at to i64
  %p = getelementptr float, ptr %in, i64 %wide
  %v = load float, ptr %p
  %to = zext i32 %i to i64
  %o = getelementptr float, ptr %out, i64 %to
  store float %v, ptr %o
  ret void
}

; What lies in variables of the device is no hindrance.
; LOOKSUP-LABEL: define void @looks_up(
; LOOKSUP: tid.y
; LOOKSUP: }
declare ptr @__lanza_globals()
define void @looks_up(ptr %out, ptr %in, i32 %w, i32 %pitch) {
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = shl i32 %block, 8
  %i = or disjoint i32 %start, %t
  %w1 = call i32 @llvm.umax.i32(i32 %w, i32 1)
  %x = urem i32 %i, %w1
  %y = udiv i32 %i, %w1
  %first = mul i32 %y, %pitch
  %at = add i32 %first, %x
  %wide = zext i32 %at to i64
  %p = getelementptr i32, ptr %in, i64 %wide
  %v = load i32, ptr %p
  %few = and i32 %v, 3
  %table = call ptr @__lanza_globals()
  %q = getelementptr i32, ptr %table, i32 %few
  %found = load i32, ptr %q
  %to = zext i32 %i to i64
  %o = getelementptr i32, ptr %out, i64 %to
  store i32 %found, ptr %o
  ret void
}
