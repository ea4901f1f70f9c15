; Edges of other forms than clamps: of addresses, of distances, mirrored, masked.
; RUN: %opt -kernel=addresses -block=256 -lanes=16 -passes='version-guards,llvm(simplifycfg,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=ADDRESS
; RUN: %opt -kernel=distances -block=256 -lanes=16 -passes='version-guards,llvm(simplifycfg,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=DISTANCE
; RUN: %opt -kernel=mirrored -block=256 -lanes=16 -passes='version-guards,llvm(simplifycfg,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=MIRROR
; RUN: %opt -kernel=mirrored_twice -block=256 -lanes=16 -passes='version-guards,llvm(simplifycfg,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=TWICE
; RUN: %opt -kernel=masked -block=256 -lanes=16 -passes=version-guards %s | %check %s --check-prefix=MASK
; RUN: %opt -kernel=bits -block=256 -lanes=16 -passes=version-guards %s | %check %s --check-prefix=BITS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.abs.i32(i32, i1)

; *(i == 0 ? x : x + i - 1): in the copy the neighbour's.
; ADDRESS-LABEL: define void @addresses(
; ADDRESS: call i1 @lanza.all
; ADDRESS: inside.fast:
; ADDRESS: getelementptr i8, ptr {{%.*}}, i64 -4
; ADDRESS-NOT: select
; ADDRESS: store float
define void @addresses(ptr %x, ptr %y, i32 %n) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %guard = icmp slt i32 %i, %n
  br i1 %guard, label %inside, label %done
inside:
  %wide = zext nneg i32 %i to i64
  %own = getelementptr float, ptr %x, i64 %wide
  %before = getelementptr i8, ptr %own, i64 -4
  %is_first = icmp eq i32 %i, 0
  %p = select i1 %is_first, ptr %x, ptr %before
  %a = load float, ptr %p
  %b = load float, ptr %own
  %s = fadd float %a, %b
  %t = fmul float %s, %s
  %q = getelementptr float, ptr %y, i64 %wide
  store float %t, ptr %q
  br label %done
done:
  ret void
}

; p[i + 1 < n ? 1 : 0]: the side of the many.
; DISTANCE-LABEL: define void @distances(
; DISTANCE: call i1 @lanza.all
; DISTANCE: inside.fast:
; DISTANCE: getelementptr i8, ptr {{%.*}}, i64 4
; DISTANCE-NOT: select
; DISTANCE: store float
define void @distances(ptr %x, ptr %y, i32 %n) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %guard = icmp slt i32 %i, %n
  br i1 %guard, label %inside, label %done
inside:
  %wide = zext nneg i32 %i to i64
  %own = getelementptr float, ptr %x, i64 %wide
  %next = add nuw nsw i32 %i, 1
  %has_next = icmp slt i32 %next, %n
  %distance = select i1 %has_next, i64 4, i64 0
  %p = getelementptr i8, ptr %own, i64 %distance
  %a = load float, ptr %p
  %b = load float, ptr %own
  %s = fadd float %a, %b
  %t = fmul float %s, %s
  %q = getelementptr float, ptr %y, i64 %wide
  store float %t, ptr %q
  br label %done
done:
  ret void
}

; abs(i - 1), and beyond the other edge 2 * n - 1 - i.
; MIRROR-LABEL: define void @mirrored(
; MIRROR: call i1 @lanza.all
; MIRROR: inside.fast:
; MIRROR-NOT: llvm.abs
; MIRROR-NOT: select
; MIRROR: store float
define void @mirrored(ptr %x, ptr %y, i32 %n) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %guard = icmp slt i32 %i, %n
  br i1 %guard, label %inside, label %done
inside:
  %left = add nsw i32 %i, -1
  %mirrored = call i32 @llvm.abs.i32(i32 %left, i1 true)
  %next = add nuw nsw i32 %i, 1
  %twice = shl nuw nsw i32 %n, 1
  %last = add nsw i32 %twice, -2
  %back = sub nsw i32 %last, %next
  %has_next = icmp slt i32 %next, %n
  %right = select i1 %has_next, i32 %next, i32 %back
  %wl = sext i32 %mirrored to i64
  %wr = sext i32 %right to i64
  %p = getelementptr float, ptr %x, i64 %wl
  %q = getelementptr float, ptr %x, i64 %wr
  %a = load float, ptr %p
  %b = load float, ptr %q
  %s = fadd float %a, %b
  %wide = zext nneg i32 %i to i64
  %o = getelementptr float, ptr %y, i64 %wide
  store float %s, ptr %o
  br label %done
done:
  ret void
}

; (i + 1) & (n - 1): all lanes are asked whether the mask leaves them alone.
; MASK-LABEL: define void @masked(
; MASK: [[OUT:%.*]] = xor i32 %mask, -1
; MASK: [[BEYOND:%.*]] = and i32 {{%.*}}, [[OUT]]
; MASK: icmp eq i32 [[BEYOND]], 0
; MASK: call i1 @lanza.all
define void @masked(ptr %x, ptr %y, i32 %n, i32 %mask) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %guard = icmp slt i32 %i, %n
  br i1 %guard, label %inside, label %done
inside:
  %next = add nuw nsw i32 %i, 1
  %ring = and i32 %next, %mask
  %wide = zext nneg i32 %ring to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %a = load float, ptr %p
  %own = zext nneg i32 %i to i64
  %q = getelementptr float, ptr %x, i64 %own
  %b = load float, ptr %q
  %s = fadd float %a, %b
  %o = getelementptr float, ptr %y, i64 %own
  store float %s, ptr %o
  br label %done
done:
  ret void
}

; Bits of an index are not it: no copy for groups of which few are.
; BITS-LABEL: define void @bits(
; BITS-NOT: xor i32 %mask, -1
; BITS: ret void
define void @bits(ptr %x, ptr %y, i32 %n, i32 %mask) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %guard = icmp slt i32 %i, %n
  br i1 %guard, label %inside, label %done
inside:
  %part = and i32 %i, %mask
  %wide = zext nneg i32 %part to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %a = load float, ptr %p
  %own = zext nneg i32 %i to i64
  %q = getelementptr float, ptr %x, i64 %own
  %b = load float, ptr %q
  %s = fadd float %a, %b
  %o = getelementptr float, ptr %y, i64 %own
  store float %s, ptr %o
  br label %done
done:
  ret void
}

; i == 0 ? 1 : i - 1, and of that, where it is beyond the other edge, 2 * n - 2 less: one question for the first lanes,
; none more for the last ones.
; TWICE-LABEL: define void @mirrored_twice(
; TWICE-COUNT-2: call i1 @lanza.all(
; TWICE-NOT: lanza.all
; TWICE: body.fast:
; TWICE-NOT: select
; TWICE: store float
define void @mirrored_twice(ptr %x, ptr %y, i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %s = shl i32 %b, 8
  %i = add nsw i32 %s, %t
  %in = icmp slt i32 %i, %n
  br i1 %in, label %body, label %end
body:
  %left = add nsw i32 %i, -1
  %first = icmp eq i32 %i, 0
  %l = select i1 %first, i32 1, i32 %left
  %below = icmp ult i32 %l, %n
  %twice = shl nsw i32 %n, 1
  %edge = add nsw i32 %twice, -2
  %other = sub nsw i32 %edge, %l
  %m = select i1 %below, i32 %l, i32 %other
  %wl = sext i32 %m to i64
  %p = getelementptr float, ptr %x, i64 %wl
  %v = load float, ptr %p
  %wi = sext i32 %i to i64
  %q = getelementptr float, ptr %y, i64 %wi
  store float %v, ptr %q
  br label %end
end:
  ret void
}
