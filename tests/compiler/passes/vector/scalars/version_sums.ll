; RUN: %opt -kernel=dot -block=256 -lanes=16 -passes=version-sums %s | %check %s --check-prefix=DOT
; RUN: %opt -kernel=dot -block=256 -lanes=16 -passes=version-sums,widen %s | %check %s --check-prefix=WIDE
; RUN: %opt -kernel=tile -block=16,16 -lanes=16 -passes=version-sums %s | %check %s --check-prefix=TILE
; RUN: %opt -kernel=signed -block=256 -lanes=16 -passes=version-sums %s | %check %s --check-prefix=SIGNED
; RUN: %opt -kernel=turned -block=256 -lanes=16 -passes=version-sums %s | %check %s --check-prefix=TURNED
; RUN: %opt -kernel=turned -block=256 -lanes=16 -passes=version-sums,widen %s | %check %s --check-prefix=BACK
; RUN: %opt -kernel=turned_unsigned -block=256 -lanes=16 -passes=version-sums %s | %check %s --check-prefix=DOWN
; RUN: %opt -kernel=unknown -block=256 -lanes=16 -passes=version-sums %s | %check %s --check-prefix=UNKNOWN
; RUN: %opt -kernel=records_back -block=256 -lanes=16 -passes=version-sums %s | %check %s --check-prefix=RECORDS
; RUN: %opt -kernel=aligned -block=256 -lanes=16 -passes=version-sums %s | %check %s --check-prefix=ALIGNED
; RUN: %opt -kernel=every_other -block=256 -lanes=16 -passes=version-sums %s | %check %s --check-prefix=OTHER
; RUN: %opt -kernel=at_edge -block=256 -lanes=16 -passes=version-sums %s | %check %s --check-prefix=EDGE
; RUN: %opt -kernel=counter -block=256 -lanes=16 -passes=version-sums %s | %check %s --check-prefix=COUNTER
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32) convergent

; A loop whose index is never negative asks once, in front of it.
; What the lanes of its last turn have is below 2^31.
; DOT-LABEL: @dot(
; DOT: [[FITS:%.*]] = icmp ule i32 %row, -2147483648
; DOT: br i1 [[FITS]], label %{{.*}}.steady, label
; DOT: body.steady:
; DOT: [[I:%i.*]] = phi i32
; DOT: [[ROW:%.*]] = zext i32 %row to i64
; DOT: [[IN:%.*]] = zext i32 [[I]] to i64
; DOT: [[AT:%.*]] = add i64 [[ROW]], [[IN]]
; DOT: getelementptr float, ptr %x, i64 [[AT]]
; WIDE-LABEL: define void @dot(
; WIDE: body:
; WIDE: call <16 x float> @llvm.masked.gather
; WIDE: body.steady:
; WIDE-NOT: gather
; WIDE: load <16 x float>
define void @dot(i32 %width, ptr %x, ptr %out) {
entry:
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %row = mul i32 %b, %width
  br label %body
body:
  %k = phi i32 [ 0, %entry ], [ %k1, %body ]
  %i = phi i32 [ %t, %entry ], [ %next, %body ]
  %s = phi float [ 0.0, %entry ], [ %s1, %body ]
  %at = add i32 %row, %i
  %wide = zext i32 %at to i64
  %from = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %from
  %s1 = fadd float %s, %v
  %next = add nuw nsw i32 %i, 256
  %k1 = add i32 %k, 1
  %again = icmp ult i32 %k1, %width
  br i1 %again, label %body, label %done
done:
  %last = phi float [ %s1, %body ]
  %own = zext nneg i32 %t to i64
  %to = getelementptr float, ptr %out, i64 %own
  store float %last, ptr %to
  ret void
}

; Between barriers, accesses whose sums differ by a constant share a test; what they load is joined behind them.
; TILE-LABEL: @tile(
; TILE: call i64 @__lanza_sync
; TILE: [[BASE:%.*]] = add i32 %row, -1
; TILE: [[FITS:%.*]] = icmp ule i32 [[BASE]], -258
; TILE: br i1 [[FITS]], label %[[STEADY:.*]], label %[[MAYBE:.*]]
; TILE: [[MAYBE]]:
; TILE: store float
; TILE: br label %[[AFTER:.*]]
; TILE: [[AFTER]]:
; TILE: %sum = fadd float {{%.*}}, 1.0
; TILE: call i64 @__lanza_sync
; TILE: [[STEADY]]:
; TILE: [[ZERO:%.*]] = zext i32 [[BASE]] to i64
; TILE: add i64 {{%.*}}, 2
; TILE: br label %[[AFTER]]
define void @tile(i32 %n, ptr %x, ptr %out) {
entry:
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = mul i32 %y, %n
  %g = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %at = add i32 %row, %t
  %left = add i32 %at, -1
  %wide = zext i32 %left to i64
  %from = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %from
  %right = add i32 %at, 1
  %far = zext i32 %right to i64
  %to = getelementptr float, ptr %out, i64 %far
  store float %v, ptr %to
  %sum = fadd float %v, 1.0
  %h = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  store float %sum, ptr %to
  ret void
}

; Signed sums without a flag: below 2^31.
; SIGNED-LABEL: @signed(
; SIGNED: [[FITS:%.*]] = icmp sle i32 %first, 2147483392
; SIGNED: br i1 [[FITS]]
; SIGNED: sext i32 %first to i64
define void @signed(i32 %first, ptr %x) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = add i32 %first, %t
  %wide = sext i32 %at to i64
  %to = getelementptr float, ptr %x, i64 %wide
  store float 0.0, ptr %to
  ret void
}

; n - 1 - t, as simplification leaves it: not below -2^31.
; TURNED-LABEL: @turned(
; TURNED: [[LAST:%.*]] = add i32 %n, -1
; TURNED: [[FITS:%.*]] = icmp sge i32 [[LAST]], -2147483393
; TURNED: br i1 [[FITS]]
; TURNED: [[BASE:%.*]] = sext i32 [[LAST]] to i64
; TURNED: [[OWN:%.*]] = sext i32 %t to i64
; TURNED: sub i64 [[BASE]], [[OWN]]
; BACK-LABEL: define void @turned(
; BACK: masked.gather
; BACK: [[FIRST:%.*]] = getelementptr i8, ptr %{{.*}}, i64 -60
; BACK: [[LANES:%.*]] = load <16 x float>, ptr [[FIRST]]
; BACK: shufflevector <16 x float> [[LANES]], {{.*}} <i32 15, i32 14,
define void @turned(i32 %n, ptr %x, ptr %out) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %not = xor i32 %t, -1
  %at = add i32 %n, %not
  %wide = sext i32 %at to i64
  %from = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %from
  %own = zext nneg i32 %t to i64
  %to = getelementptr float, ptr %out, i64 %own
  store float %v, ptr %to
  ret void
}

; Unsigned: neither below 0 nor above 2^32.
; DOWN-LABEL: @turned_unsigned(
; DOWN: [[BELOW:%.*]] = icmp ule i32 %first, -256
; DOWN: [[ABOVE:%.*]] = icmp uge i32 %first, 510
; DOWN: [[ALL:%.*]] = and i1 [[BELOW]], [[ABOVE]]
; DOWN: br i1 [[ALL]]
; DOWN: mul i64 %{{.*}}, -2
define void @turned_unsigned(i32 %first, ptr %x) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %twice = shl i32 %t, 1
  %at = sub i32 %first, %twice
  %wide = zext i32 %at to i64
  %to = getelementptr float, ptr %x, i64 %wide
  store float 0.0, ptr %to
  %up = add i32 %first, %t
  %up.wide = zext i32 %up to i64
  %other = getelementptr float, ptr %x, i64 %up.wide
  store float 1.0, ptr %other
  ret void
}

; What the lanes have is compared where its range says nothing.
; UNKNOWN-LABEL: @unknown(
; UNKNOWN: [[ROOM:%.*]] = sub i32 -1, %first
; UNKNOWN: [[FITS:%.*]] = icmp ule i32 %i, [[ROOM]]
; UNKNOWN: call i1 @lanza.all(i1 [[FITS]])
define void @unknown(i32 %first, ptr %x) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = add i32 %first, %i
  %wide = zext i32 %at to i64
  %to = getelementptr float, ptr %x, i64 %wide
  store float 0.0, ptr %to
  ret void
}

; Lanes begin at a multiple of their number.
; ALIGNED-LABEL: @aligned(
; ALIGNED-NOT: br
; ALIGNED: ret void
define void @aligned(ptr %x) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %start = mul i32 %b, 256
  %at = add i32 %start, %t
  %wide = zext i32 %at to i64
  %to = getelementptr float, ptr %x, i64 %wide
  store float 0.0, ptr %to
  ret void
}

; A counter says no more of itself than that it is not negative; its last value is that below the limit. What else is
; made of the sum learns that it does not wrap.
; COUNTER-LABEL: @counter(
; COUNTER: icmp sge i32 %row, 0
; COUNTER: [[ROOM:%.*]] = sub i32 2147483647, %row
; COUNTER: [[BELOW:%.*]] = sub i32 %width, 1
; COUNTER: [[LAST:%.*]] = call i32 @llvm.smax.i32(i32 [[BELOW]], i32 255)
; COUNTER: icmp ule i32 [[LAST]], [[ROOM]]
; COUNTER: body:
; COUNTER: add i32 %row, %i
; COUNTER: body.steady:
; COUNTER: add nsw i32 %row, %i.steady
define void @counter(i32 %width, ptr %x) {
entry:
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %row = mul i32 %b, %width
  br label %body
body:
  %i = phi i32 [ %t, %entry ], [ %next, %body ]
  %at = add i32 %row, %i
  %wide = sext i32 %at to i64
  %from = getelementptr float, ptr %x, i64 %wide
  %group = ashr i32 %at, 4
  %group.wide = sext i32 %group to i64
  %scale = getelementptr float, ptr %x, i64 %group.wide
  %s = load float, ptr %scale
  store float %s, ptr %from
  %next = add nuw nsw i32 %i, 256
  %again = icmp slt i32 %next, %width
  br i1 %again, label %body, label %done
done:
  ret void
}

; Every other element: of an index that may be any there is room for half as many.
; OTHER-LABEL: @every_other(
; OTHER: icmp sge i32 [[BASE:%.*]], 0
; OTHER: [[ROOM:%.*]] = sub i32 2147483647, [[BASE]]
; OTHER: [[HALF:%.*]] = udiv i32 [[ROOM]], 2
; OTHER: [[FITS:%.*]] = icmp ule i32 %t, [[HALF]]
; OTHER: call i1 @lanza.all(i1 [[FITS]])
; OTHER: mul i64 {{%.*}}, 2
define void @every_other(i32 %start, ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %twice = shl i32 %t, 1
  %at = add i32 %start, %twice
  %wide = sext i32 %at to i64
  %from = getelementptr float, ptr %x, i64 %wide
  store float 0.0, ptr %from
  ret void
}

; Records from right to left, at places of any range: what lanes take away is compared. The other member, which needs no
; question, goes with it.
; RECORDS-LABEL: @records_back(
; RECORDS: [[LEFT:%.*]] = udiv i32 %last, 3
; RECORDS: [[FITS:%.*]] = icmp ule i32 %i, [[LEFT]]
; RECORDS: call i1 @lanza.all(i1 [[FITS]])
; RECORDS: br i1
; RECORDS: store i8 1, ptr %beside,
; RECORDS: ret void
; RECORDS: mul i64 {{.*}}, -3
; RECORDS: store i8 0
; RECORDS: store i8 1, ptr %beside.steady
define void @records_back(i32 %last, ptr %x, ptr %y) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %by = mul i32 %i, 3
  %at = sub i32 %last, %by
  %wide = zext i32 %at to i64
  %to = getelementptr i8, ptr %x, i64 %wide
  store i8 0, ptr %to
  %here = zext i32 %i to i64
  %pixel = mul nuw nsw i64 %here, 3
  %beside = getelementptr i8, ptr %y, i64 %pixel
  store i8 1, ptr %beside
  ret void
}

; At the edge bytes are asked for, of which a gather is a load for each lane, and words are not.
; EDGE-LABEL: @at_edge(
; EDGE: br i1 {{.*}}, label %.split.steady, label %.split
; EDGE: load i8
; EDGE: load float
; EDGE-NOT: load float
; EDGE: {{^}}.split.steady:
; EDGE: load i8
define void @at_edge(i32 %width, ptr %x, ptr %y, ptr %out) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = add i32 %width, %t
  %wide = zext i32 %i to i64
  %p = getelementptr i8, ptr %x, i64 %wide
  %v = load i8, ptr %p, !lanza.edge !9
  %j = mul i32 %width, 3
  %k = add i32 %j, %t
  %far = zext i32 %k to i64
  %q = getelementptr float, ptr %y, i64 %far
  %w = load float, ptr %q, !lanza.edge !9
  %u = uitofp i8 %v to float
  %s = fadd float %u, %w
  %o = zext nneg i32 %t to i64
  %r = getelementptr float, ptr %out, i64 %o
  store float %s, ptr %r
  ret void
}
!9 = !{}
