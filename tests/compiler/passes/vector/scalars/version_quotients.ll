; RUN: %opt -kernel=rows -block=64 -lanes=8 -passes=version-quotients %s | %check %s
; RUN: %opt -kernel=rows -block=64 -lanes=8 -passes=version-quotients,version-guards %s | %check %s --check-prefix=GUARDS
; RUN: %opt -kernel=twice -block=64 -lanes=8 -passes=version-quotients %s | %check %s --check-prefix=TWICE
; RUN: %opt -kernel=turns -block=64 -lanes=8 -passes=version-quotients %s | %check %s --check-prefix=TURNS
; RUN: %opt -kernel=halves -block=64 -lanes=8 -passes=version-quotients %s | %check %s --check-prefix=HALVES
; RUN: %opt -kernel=pairs -block=64 -lanes=8 -passes=version-quotients %s | %check %s --check-prefix=PAIRS
; RUN: %opt -kernel=phases -block=64 -lanes=8 -passes=version-quotients %s | %check %s --check-prefix=PHASES
; RUN: %opt -kernel=tile -block=64 -lanes=8 -passes=version-quotients %s | %check %s --check-prefix=TILE
; RUN: %opt -kernel=private_memory -block=64 -lanes=8 -passes=version-quotients %s | %check %s --check-prefix=PRIVATE
; RUN: %opt -kernel=waits -block=64 -lanes=8 -passes=version-quotients %s | %check %s --check-prefix=WAITS
; RUN: %opt -kernel=backwards -block=64 -lanes=8 -passes=version-quotients %s | %check %s --check-prefix=BACK
; RUN: %opt -kernel=rolled -block=64 -lanes=8 -passes=version-quotients %s | %check %s --check-prefix=ROLLED
; RUN: %opt -kernel=short -block=64 -lanes=8 -passes=version-quotients %s | %check %s --check-prefix=SHORT
; RUN: %opt -kernel=pixels -block=64 -lanes=8 -passes=version-quotients %s | %check %s --check-prefix=PIXELS
; RUN: %opt -kernel=doubled -block=64 -lanes=8 -passes=version-quotients %s | %check %s --check-prefix=DOUBLED
; RUN: %opt -kernel=beside -block=64 -lanes=8 -passes=version-quotients %s | %check %s --check-prefix=BESIDE
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; Where all lanes lie in one row, the quotient is lane 0's, the remainder goes with the lanes, and the guard against
; a divisor of 0 is gone.
; CHECK-LABEL: define void @rows(
; CHECK: [[LANE:%.*]] = call i32 @lanza.lane()
; CHECK: [[STEPS:%.*]] = mul nuw nsw i32 [[LANE]], 1
; CHECK: [[FIRST:%.*]] = sub i32 %t, [[STEPS]]
; CHECK: [[N:%.*]] = call i32 @llvm.smax.i32(i32 %width, i32 1)
; CHECK: [[ROW:%.*]] = sdiv i32 [[FIRST]], [[N]]
; CHECK: [[REST:%.*]] = srem i32 [[FIRST]], [[N]]
; CHECK: [[ROOM:%.*]] = call i32 @llvm.usub.sat.i32(i32 [[N]], i32 7)
; CHECK: icmp ult i32 [[REST]], [[ROOM]]
; CHECK: icmp ule i32 [[FIRST]], 2147483640
; CHECK: [[FEW:%.*]] = icmp sge i32 [[N]], 5
; CHECK: br i1 {{.*}}, label %[[FAST:.*]], label %far, !prof
; CHECK: [[SLOW:.*]]: ; preds = %far
; CHECK: sdiv i32 %t, %safe
; Where they lie in few, a loop takes those of one row in a turn.
; CHECK: walk:
; CHECK: [[AT:%.*]] = phi i32 [ 0, %far ], [ [[END:%.*]], %walk.next ]
; CHECK: sdiv i32 [[INDEX:%.*]], [[M:%.*]]
; CHECK: [[BEGUN:%.*]] = srem i32 [[INDEX]], [[M]]
; CHECK: [[ALONE:%.*]] = icmp ule i32 [[INDEX]], 2147483640
; CHECK: [[LEFT:%.*]] = sub i32 [[M]], [[BEGUN]]
; CHECK: [[MOST:%.*]] = call i32 @llvm.umin.i32(i32 [[LEFT]], i32 8)
; CHECK: [[COUNT:%.*]] = select i1 [[ALONE]], i32 [[MOST]], i32 1
; CHECK: [[STOP:%.*]] = add i32 [[AT]], [[COUNT]]
; CHECK: [[END]] = call i32 @llvm.umin.i32(i32 8, i32 [[STOP]])
; CHECK: br i1 {{.*}}, label %[[TURN:.*]], label %walk.next, !lanza.for-some-lanes
; CHECK: [[FAST]]:
; CHECK: [[COLUMN:%.*]] = add nuw nsw i32 [[REST]], {{%.*}}
; CHECK: sext i32 [[ROW]] to i64
; CHECK: sext i32 [[COLUMN]] to i64
; CHECK: [[TURN]]:
; CHECK: [[BEHIND:%.*]] = sub nuw nsw i32 {{%.*}}, [[AT]]
; CHECK: [[MORE:%.*]] = mul nuw nsw i32 [[BEHIND]], 1
; CHECK: [[THERE:%.*]] = add nuw nsw i32 [[BEGUN]], [[MORE]]
; CHECK: sext i32 [[THERE]] to i64
; CHECK: br label %walk.next
; CHECK: far:
; CHECK: br i1 [[FEW]], label %walk, label %[[SLOW]]
; CHECK: walk.next:
; CHECK: [[ON:%.*]] = icmp ult i32 [[END]], 8
; CHECK: br i1 [[ON]], label %walk, label %walked
; Nobody makes a copy of a turn for all lanes.
; GUARDS-LABEL: define void @rows(
; GUARDS-NOT: @lanza.all
; GUARDS: define void @twice(
define void @rows(ptr %x, ptr %y, i32 %width) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %none = icmp eq i32 %width, 0
  %safe = select i1 %none, i32 1, i32 %width
  %q = sdiv i32 %t, %safe
  %row = select i1 %none, i32 -1, i32 %q
  %r = srem i32 %t, %safe
  %column = select i1 %none, i32 -1, i32 %r
  %row.wide = sext i32 %row to i64
  %p = getelementptr float, ptr %x, i64 %row.wide
  %v = load float, ptr %p
  %column.wide = sext i32 %column to i64
  %to = getelementptr float, ptr %y, i64 %column.wide
  store float %v, ptr %to
  ret void
}

; What is left of one division is divided again: asked at the same place, about lane 0's rest.
; TWICE-LABEL: define void @twice(
; TWICE: udiv i32 [[FIRST:%.*]], [[PLANE:%.*]]
; TWICE: [[REST:%.*]] = urem i32 [[FIRST]],
; TWICE: [[ROW:%.*]] = udiv i32 [[REST]], {{%.*}}
; TWICE: br i1
; TWICE: zext i32 [[ROW]] to i64
define void @twice(ptr %x, i32 %plane, i32 %width) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %rest = urem i32 %t, %plane
  %row = udiv i32 %rest, %width
  %wide = zext i32 %row to i64
  %p = getelementptr i32, ptr %x, i64 %wide
  store i32 1, ptr %p
  ret void
}

; One turn of a loop without what counts it; what leaves the turn comes from either.
; TURNS-LABEL: define void @turns(
; TURNS: loop:
; TURNS: %k = phi i32 [ %t, %entry ], [ %next, %[[LATCH:.*]] ]
; TURNS: br i1 {{.*}}, label %[[FAST:.*]], label %[[OTHER:.*]], !prof
; TURNS: [[LATCH]]:
; TURNS: [[SUM:%.*]] = phi i32 [ %sum.next, %{{.*}} ], [ {{%.*}}, %[[FAST]] ]
; TURNS-NEXT: %next = add i32 %k, 64
; TURNS: br i1 %more, label %loop, label %end
; TURNS: end:
; TURNS: phi i32 [ %next, %[[LATCH]] ]
; TURNS: phi i32 [ [[SUM]], %[[LATCH]] ]
define void @turns(ptr %x, i32 %n, i32 %width) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %k = phi i32 [ %t, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %sum.next, %loop ]
  %column = urem i32 %k, %width
  %wide = zext i32 %column to i64
  %p = getelementptr i32, ptr %x, i64 %wide
  %v = load i32, ptr %p
  %sum.next = add i32 %sum, %v
  %next = add i32 %k, 64
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %last = phi i32 [ %next, %loop ]
  %all = phi i32 [ %sum.next, %loop ]
  store i32 %last, ptr %x
  store i32 %all, ptr %x
  ret void
}

; A column that is divided again by a constant asks for no second copy.
; HALVES-LABEL: define void @halves(
; HALVES-COUNT-1: !prof
; HALVES-NOT: !prof
define void @halves(ptr %x, i32 %width) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %column = urem i32 %t, %width
  %half = udiv i32 %column, 3
  %row = udiv i32 %t, %width
  %index = add i32 %row, %half
  %wide = zext i32 %index to i64
  %p = getelementptr i32, ptr %x, i64 %wide
  store i32 %t, ptr %p
  ret void
}

; Of rows of an even length the halves of the columns are known: that of the first lane's, and those of the lanes'
; numbers; in a walk, whose lane 0 may lie in front of the row, with a sign.
; PAIRS-LABEL: define void @pairs(
; PAIRS: [[REST:%.*]] = srem i32
; PAIRS: walk:
; PAIRS: [[BEGUN:%.*]] = srem i32
; PAIRS: [[COLUMN:%.*]] = add nuw nsw i32 [[REST]]
; PAIRS: [[STEPS:%.*]] = mul nuw i32 {{%.*}}, 1
; PAIRS: [[FROM:%.*]] = add nuw i32 [[STEPS]], 0
; PAIRS: [[HIGH:%.*]] = lshr i32 [[REST]], 1
; PAIRS: [[LOW:%.*]] = lshr i32 [[FROM]], 1
; PAIRS: add nuw nsw i32 [[HIGH]], [[LOW]]
; PAIRS: [[LANE_0:%.*]] = sub i32 [[BEGUN]], {{%.*}}
; PAIRS: ashr i32 [[LANE_0]], 1
define void @pairs(ptr %x, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %width = shl i32 %n, 1
  %column = srem i32 %t, %width
  %half = sdiv i32 %column, 2
  %wide = sext i32 %half to i64
  %p = getelementptr i32, ptr %x, i64 %wide
  %v = load i32, ptr %p
  %wide.t = sext i32 %t to i64
  %q = getelementptr i32, ptr %x, i64 %wide.t
  store i32 %v, ptr %q
  ret void
}

; Of others it is asked, in the copy.
; PHASES-LABEL: define void @phases(
; PHASES: .row: ; preds
; PHASES: sub i32
; PHASES: [[FIRST:%.*]] = sub i32 {{%.*}}, {{%.*}}
; PHASES: [[PHASE:%.*]] = and i32 [[FIRST]], 1
; PHASES: [[EVEN:%.*]] = icmp eq i32 [[PHASE]], 0
; PHASES: br i1 [[EVEN]], {{.*}}, !prof
; PHASES: lshr i32 {{%.*}}, 1
define void @phases(ptr %x, i32 %width) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %column = srem i32 %t, %width
  %half = sdiv i32 %column, 2
  %wide = sext i32 %half to i64
  %p = getelementptr i32, ptr %x, i64 %wide
  %v = load i32, ptr %p
  %wide.t = sext i32 %t to i64
  %q = getelementptr i32, ptr %x, i64 %wide.t
  store i32 %v, ptr %q
  ret void
}

; Numbers of 16 bits, as LLVM makes them of few; what runs behind the last access has no copy, as threads wait there.
; TILE-LABEL: define void @tile(
; TILE: call ptr @base()
; TILE: udiv i16
; TILE: br i1 {{.*}}, label %{{.*}}.row, label %far, !prof
; TILE: walk:
; TILE: phi i32 [ 0, %far ]
; TILE: call i64 @__lanza_sync
; TILE-NOT: @__lanza_sync
; TILE: ret void
define void @tile(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %few = trunc nuw nsw i32 %t to i16
  %row = udiv i16 %few, 10
  %base = call ptr @base()
  %wide = zext i16 %row to i64
  %p = getelementptr i32, ptr %base, i64 %wide
  store i32 %t, ptr %p
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %q = getelementptr i32, ptr %base, i64 7
  store i32 1, ptr %q
  ret void
}
declare ptr @base() nounwind willreturn memory(none)

; What is used there moves in front of the copies, but no load: something may have written it.
; PRIVATE-LABEL: define void @private_memory(
; PRIVATE: store i32 3, ptr %own
; PRIVATE: load i32, ptr %own
define void @private_memory(ptr %x) {
  %own = alloca i32
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %few = trunc nuw nsw i32 %t to i16
  %row = udiv i16 %few, 10
  %wide = zext i16 %row to i64
  %p = getelementptr i32, ptr %x, i64 %wide
  store i32 %t, ptr %p
  store i32 3, ptr %own
  %v = load i32, ptr %own
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  store i32 %v, ptr %x
  ret void
}

; A copy ends where threads wait: groups must not disagree about that.
; WAITS-LABEL: define void @waits(
; WAITS: br i1 {{.*}}, !prof
; WAITS: call i64 @__lanza_sync
; WAITS-NOT: @__lanza_sync
; WAITS: ret void
define void @waits(ptr %x, i32 %width) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %column = urem i32 %t, %width
  %wide = zext i32 %column to i64
  %p = getelementptr i32, ptr %x, i64 %wide
  store i32 1, ptr %p
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  ret void
}

; None where a row has fewer elements than a group.
; SHORT-LABEL: define void @short(
; SHORT-NOT: br i1
define void @short(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %column = urem i32 %t, 7
  %wide = zext i32 %column to i64
  %p = getelementptr i32, ptr %x, i64 %wide
  store i32 1, ptr %p
  ret void
}

; Backwards in a row: what is left of the width behind a column is a number with a sign that does not wrap.
; BACK-LABEL: define void @backwards(
; BACK: [[COLUMN:%.*]] = add nuw nsw i32
; BACK: [[OPPOSITE:%.*]] = xor i32 [[COLUMN]], -1
; BACK: add nsw i32 [[OPPOSITE]], %width
define void @backwards(ptr %x, i32 %width) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %zero = icmp eq i32 %width, 0
  %safe = select i1 %zero, i32 1, i32 %width
  %row = sdiv i32 %t, %safe
  %column = srem i32 %t, %safe
  %opposite = xor i32 %column, -1
  %back = add i32 %opposite, %width
  %start = mul i32 %row, %width
  %at = add i32 %start, %back
  %wide = sext i32 %at to i64
  %p = getelementptr float, ptr %x, i64 %wide
  store float 1.0, ptr %p
  ret void
}

; Columns moved around by a distance that is known at run time are no neighbours on a ring: they are asked about, too.
; ROLLED-LABEL: define void @rolled(
; ROLLED: br i1 {{.*}}, label %[[FAST:.*]], label %far, !prof
; ROLLED: {{^}}[[FAST]]:
; ROLLED-NOT: rem
; ROLLED: store float
define void @rolled(ptr %x, i32 %width, i32 %by) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %zero = icmp eq i32 %width, 0
  %safe = select i1 %zero, i32 1, i32 %width
  %row = sdiv i32 %t, %safe
  %column = srem i32 %t, %safe
  %moved = sub i32 %column, %by
  %around = add i32 %moved, %width
  %to = srem i32 %around, %safe
  %start = mul i32 %row, %width
  %at = add i32 %start, %to
  %wide = sext i32 %at to i64
  %p = getelementptr float, ptr %x, i64 %wide
  store float 1.0, ptr %p
  ret void
}

; i / (width * height): where i / width is one for all lanes, so is this, if the product does not wrap.
; PIXELS-LABEL: define void @pixels(
; PIXELS: [[ROW:%.*]] = udiv i32 {{%.*}}, [[W:%.*]]
; PIXELS: urem i32 {{%.*}}, [[W]]
; PIXELS: [[PRODUCT:%.*]] = call { i32, i1 } @llvm.umul.with.overflow.i32(i32 %width, i32 %height)
; PIXELS: extractvalue { i32, i1 } [[PRODUCT]], 1
; PIXELS: [[H:%.*]] = call i32 @llvm.umax.i32(i32 %height, i32 1)
; PIXELS: udiv i32 [[ROW]], [[H]]
; PIXELS-NOT: div
; PIXELS: br i1 {{.*}}, !prof
; PIXELS: walk:
; PIXELS: [[LANES:%.*]] = call i32 @llvm.umin.i32(i32 {{%.*}}, i32 8)
; PIXELS-NOT: umin.i32(i32 {{%.*}}, i32 8)
; PIXELS: and i1
define void @pixels(ptr %x, i32 %width, i32 %height) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %size = mul i32 %width, %height
  %plane = udiv i32 %t, %size
  %column = urem i32 %t, %width
  %index = add i32 %plane, %column
  %wide = zext i32 %index to i64
  %p = getelementptr i32, ptr %x, i64 %wide
  store i32 %t, ptr %p
  ret void
}

; Also of numbers, and of what LLVM writes as a shift.
; DOUBLED-LABEL: define void @doubled(
; DOUBLED: llvm.usub.sat
; DOUBLED: call { i32, i1 } @llvm.smul.with.overflow.i32(i32 %width, i32 4)
; DOUBLED: [[TEN:%.*]] = call i32 @llvm.smax.i32(i32 10, i32 1)
; DOUBLED: [[ROW:%.*]] = sdiv i32 {{%.*}}, [[TEN]]
; DOUBLED: llvm.usub.sat
; DOUBLED: [[THREE:%.*]] = call i32 @llvm.smax.i32(i32 3, i32 1)
; DOUBLED: sdiv i32 [[ROW]], [[THREE]]
; DOUBLED-NOT: llvm.usub.sat
; DOUBLED: walk:
define void @doubled(ptr %x, i32 %width) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %size = shl nsw i32 %width, 2
  %row = sdiv i32 %t, %width
  %plane = sdiv i32 %t, %size
  %ten = sdiv i32 %t, 10
  %thirty = sdiv i32 %t, 30
  %a = add i32 %row, %plane
  %b = add i32 %ten, %thirty
  %c = add i32 %a, %b
  %wide = sext i32 %c to i64
  %p = getelementptr i32, ptr %x, i64 %wide
  store i32 %t, ptr %p
  ret void
}

; A thread's elements lie beside each other: one question for all of them, 8 lanes by 4 elements, and one copy.
; BESIDE-LABEL: define void @beside(
; BESIDE: [[ROW:%.*]] = sdiv i32
; BESIDE: [[REST:%.*]] = srem i32
; BESIDE: [[ROOM:%.*]] = call i32 @llvm.usub.sat.i32(i32 {{%.*}}, i32 31)
; BESIDE: icmp ult i32 [[REST]], [[ROOM]]
; BESIDE: icmp ule i32 {{%.*}}, 2147483616
; BESIDE: icmp sge i32 {{%.*}}, 19
; BESIDE-NOT: llvm.usub.sat
; BESIDE: add nuw nsw i32 [[REST]], 3
; BESIDE: br i1 {{.*}}, label %{{.*}}, label %far, !prof
; BESIDE-COUNT-2: sdiv i32 %i{{[03]}}, %width
; BESIDE: walk:
; BESIDE-NOT: sdiv i32 %i
; BESIDE: add i32 [[ROW]], {{%.*}}
define void @beside(ptr %x, i32 %width) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i0 = shl nuw nsw i32 %t, 2
  %i3 = or disjoint i32 %i0, 3
  %row0 = sdiv i32 %i0, %width
  %row3 = sdiv i32 %i3, %width
  %column3 = srem i32 %i3, %width
  %a = add i32 %row0, %column3
  %wide = sext i32 %row3 to i64
  %p = getelementptr i32, ptr %x, i64 %wide
  store i32 %a, ptr %p
  ret void
}
