; Indices that do not wrap in launches for which lanza.fits is 1.
; RUN: %opt -kernel=rows -block=16,16 -passes=bound-indices %s | %check %s --check-prefix=ROWS
; RUN: %opt -kernel=hash -block=16,16 -passes=bound-indices %s | %check %s --check-prefix=HASH
; RUN: %opt -kernel=guarded -block=16,16 -passes=bound-indices %s | %check %s --check-prefix=GUARDED
; RUN: %opt -kernel=before -block=16,16 -passes=bound-indices %s | %check %s --check-prefix=BEFORE
; RUN: %opt -kernel=signed -block=16,16 -passes=bound-indices %s | %check %s --check-prefix=SIGNED
; RUN: %opt -kernel=quotients -block=16,16 -passes=bound-indices %s | %check %s --check-prefix=QUOTIENTS
; RUN: %opt -kernel=centred -block=16,16 -passes=bound-indices %s | %check %s --check-prefix=CENTRED
; RUN: %opt -kernel=loaded -block=16,16 -passes=bound-indices %s | %check %s --check-prefix=LOADED
; RUN: %opt -kernel=questions -block=16,16 -passes=bound-indices %s | %check %s --check-prefix=QUESTIONS
; RUN: %opt -kernel=edge -block=16,16 -passes=bound-indices %s | %check %s --check-prefix=EDGE
; RUN: %opt -kernel=member -block=16,16 -passes=bound-indices %s | %check %s --check-prefix=MEMBER
; RUN: %opt -kernel=divided -block=16,16 -passes=bound-indices %s | %check %s --check-prefix=DIVIDED
; RUN: %opt -kernel=never -block=16,16 -passes=bound-indices %s | %check %s --check-prefix=NEVER
; RUN: %opt -kernel=ring -block=16,16 -passes=bound-indices %s | %check %s --check-prefix=RING
; RUN: %opt -kernel=beyond -block=16,16 -passes=bound-indices %s | %check %s --check-prefix=BEYOND
; RUN: %opt -kernel=pairs -block=16,16 -passes=bound-indices %s | %check %s --check-prefix=PAIRS
; RUN: %opt -kernel=far -block=16,16 -passes=bound-indices %s | %check %s --check-prefix=FAR
; RUN: %opt -kernel=column -block=16,16 -passes=bound-indices %s | %check %s --check-prefix=COLUMN
; RUN: %opt -kernel=ends -block=16,16 -passes=bound-indices %s | %check %s --check-prefix=ENDS
; RUN: %opt -kernel=left -block=16,16 -passes=bound-indices %s | %check %s --check-prefix=LEFT
; RUN: %opt -kernel=reversed -block=16,16 -passes=bound-indices %s | %check %s --check-prefix=REVERSED
; RUN: %opt -kernel=unrolled -block=16,16 -passes=bound-indices-again %s | %check %s --check-prefix=AGAIN
; RUN: %opt -kernel=rows -block=16,16 -passes=bound-indices-again %s | %check %s --check-prefix=ROWS
; RUN: %opt -kernel=questions -block=16,16 -passes=bound-indices-again %s | %check %s --check-prefix=UNASKED
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()

; row * n + x, of at most (gridDim.y - 1) * n + 15; n is the second parameter.
; ROWS-LABEL: define void @rows(
; ROWS: mul nuw nsw i32 %row, %n
; ROWS: add nuw nsw i32 %first, %x
; ROWS: zext nneg i32 %i to i64
; ROWS-LABEL: define i32 @lanza.fits(ptr %0, ptr %1)
; ROWS-DAG: [[NP:%.*]] = getelementptr inbounds i8, ptr %1, i64 8
; ROWS-DAG: [[N:%.*]] = load i32, ptr [[NP]], align 1
; ROWS-DAG: [[DN:%.*]] = sitofp i32 [[N]] to double
; ROWS-DAG: [[YP:%.*]] = getelementptr inbounds i32, ptr %0, i64 1
; ROWS-DAG: [[Y:%.*]] = load i32, ptr [[YP]], align 4
; ROWS-DAG: [[DY:%.*]] = uitofp i32 [[Y]] to double
; ROWS-DAG: [[ROW:%.*]] = fsub double [[DY]], 1.000000e+00
; ROWS-DAG: fcmp oge double [[DN]], 0.000000e+00
; ROWS-DAG: [[FIRST:%.*]] = fmul double [[ROW]], [[DN]]
; ROWS-DAG: fcmp olt double [[FIRST]], 0x41E0000000000000
; ROWS-DAG: [[LAST:%.*]] = fadd double [[FIRST]], 1.500000e+01
; ROWS-DAG: fcmp olt double [[LAST]], 0x41E0000000000000
; ROWS: ret i32
define void @rows(ptr %out, i32 %n) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %first = mul i32 %row, %n
  %i = add i32 %first, %x
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr %out, i64 %wide
  store float 1.0, ptr %p
  ret void
}

; A number that is to wrap, by a shift, a remainder, a mask: nothing is asked of launches for it.
; HASH-LABEL: define void @hash(
; HASH: %h = mul i32 %x, -1640531535
; HASH: %g = add i32 %h, %seed
; HASH-NOT: lanza.fits
define void @hash(ptr %out, i32 %seed) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %h = mul i32 %x, 2654435761
  %g = add i32 %h, %seed
  %s = lshr i32 %g, 20
  %m = and i32 %g, 4095
  %r = urem i32 %g, 100
  %a = zext i32 %s to i64
  %b = zext i32 %m to i64
  %c = zext i32 %r to i64
  %p = getelementptr float, ptr %out, i64 %a
  %q = getelementptr float, ptr %p, i64 %b
  %o = getelementptr float, ptr %q, i64 %c
  store float 1.0, ptr %o
  ret void
}

; The row above, of a thread whose row is not 0; and from the end, of one whose number is below n.
; GUARDED-LABEL: define void @guarded(
; GUARDED: add nsw i32 %y, -1
; GUARDED: mul nuw nsw i32 %above, %n
; GUARDED: zext nneg i32 %i to i64
; GUARDED: add nsw i32 %minus, %n
; GUARDED: zext nneg i32 %j to i64
; GUARDED: define i32 @lanza.fits
define void @guarded(ptr %out, i32 %n) {
entry:
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %first = icmp ne i32 %y, 0
  %inside = icmp ult i32 %y, %n
  %both = select i1 %first, i1 %inside, i1 false
  br i1 %both, label %some, label %end

some:
  %above = add i32 %y, -1
  %row = mul i32 %above, %n
  %i = add i32 %row, %x
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr %out, i64 %wide
  store float 1.0, ptr %p
  %minus = xor i32 %y, -1
  %j = add i32 %minus, %n
  %from.end = zext i32 %j to i64
  %q = getelementptr float, ptr %out, i64 %from.end
  store float 2.0, ptr %q
  br label %end

end:
  ret void
}

; Without the guard they are below zero in any launch: nothing is known.
; BEFORE-LABEL: define void @before(
; BEFORE: add i32 %y, -1
; BEFORE: mul i32 %above, %n
; BEFORE: %wide = zext i32 %i to i64
; BEFORE-NOT: lanza.fits
define void @before(ptr %out, i32 %n) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %above = add i32 %y, -1
  %row = mul i32 %above, %n
  %i = add i32 %row, %x
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr %out, i64 %wide
  store float 1.0, ptr %p
  ret void
}

; What does not wrap anyway needs no test.
; SIGNED-LABEL: define void @signed(
; SIGNED-NOT: lanza.fits
define void @signed(ptr %out, i32 %n) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %row = mul nsw i32 %y, %n
  %i = add nsw i32 %row, %x
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %out, i64 %wide
  store float 1.0, ptr %p
  ret void
}

; x - k / 2, which LLVM writes as a sum with k / -2, and k is not negative.
; CENTRED-LABEL: define void @centred(
; CENTRED: [[HALF:%.*]] = sdiv i32 %k, -2
; CENTRED: add nsw i32 [[HALF]], %x
; CENTRED-LABEL: define i32 @lanza.fits(
; CENTRED: fcmp oge double {{%.*}}, 0.000000e+00
define void @centred(ptr %p, i32 %k) {
  %t = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call range(i32 0, 134213632) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = shl nuw nsw i32 %b, 4
  %x = add nuw nsw i32 %first, %t
  %half = sdiv i32 %k, -2
  %at = add i32 %half, %x
  %wide = sext i32 %at to i64
  %q = getelementptr float, ptr %p, i64 %wide
  store float 1.0, ptr %q
  ret void
}

; i / n * pitch + i % n, of divisors that are not 0.
; QUOTIENTS-LABEL: define void @quotients(
; QUOTIENTS: %r = urem i32 %t, %n
; QUOTIENTS: mul nuw nsw i32 %q, %pitch
; QUOTIENTS: add nuw nsw i32 %first, %r
; QUOTIENTS: zext nneg
; QUOTIENTS-LABEL: define i32 @lanza.fits(
; QUOTIENTS: fcmp oge double {{.*}}, 1.000000e+00
; QUOTIENTS: fdiv double
define void @quotients(ptr %out, i32 %n, i32 %pitch) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call range(i32 0, 134213632) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %begin = shl nuw nsw i32 %b, 4
  %t = or disjoint i32 %begin, %x
  %is.zero = icmp eq i32 %n, 0
  %divisor = call i32 @llvm.umax.i32(i32 %n, i32 1)
  %q = udiv i32 %t, %divisor
  %row = select i1 %is.zero, i32 -1, i32 %q
  %r = urem i32 %t, %divisor
  %column = select i1 %is.zero, i32 -1, i32 %r
  %first = mul i32 %row, %pitch
  %i = add i32 %first, %column
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr %out, i64 %wide
  store float 1.0, ptr %p
  ret void
}

; Of numbers in memory nothing is known.
; LOADED-LABEL: define void @loaded(
; LOADED: %i = add i32 %first, %x
; LOADED-NOT: lanza.fits
define void @loaded(ptr %out, ptr %starts) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = load i32, ptr %starts
  %i = add i32 %first, %x
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr %out, i64 %wide
  store float 1.0, ptr %p
  ret void
}

; Guards of numbers that are not negative are signed, those with constants are not changed. y - 8 is no less than 0 where
; y is above 7.
; QUESTIONS-LABEL: define void @questions(
; QUESTIONS: %inside = icmp slt i32 %x, %n
; QUESTIONS: %above = icmp ugt i32 %y, 7
; QUESTIONS: mul nuw nsw i32 %before, %n
; QUESTIONS: add nuw nsw i32 %row, %x
; QUESTIONS: zext nneg
; QUESTIONS-LABEL: define i32 @lanza.fits(
define void @questions(ptr %out, i32 %n) {
entry:
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %before = add i32 %y, -8
  %inside = icmp ult i32 %x, %n
  %above = icmp ugt i32 %y, 7
  %both = and i1 %inside, %above
  br i1 %both, label %some, label %end

some:
  %row = mul i32 %before, %n
  %i = add i32 %row, %x
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr %out, i64 %wide
  store float 1.0, ptr %p
  br label %end

end:
  ret void
}

; Where 8 <= y, y - 8 may be an index, y - 9 not.
; EDGE-LABEL: define void @edge(
; EDGE: zext nneg i32 %y8 to i64
; EDGE: = zext i32 %y9 to i64
define void @edge(ptr %out) {
entry:
  %y = call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %y16 = mul i32 %y, 16
  %below = icmp slt i32 %y16, 8
  br i1 %below, label %end, label %some

some:
  %y8 = add i32 %y16, -8
  %i = zext i32 %y8 to i64
  %p = getelementptr float, ptr %out, i64 %i
  store float 1.0, ptr %p
  %y9 = add i32 %y16, -9
  %j = zext i32 %y9 to i64
  %q = getelementptr float, ptr %out, i64 %j
  store float 1.0, ptr %q
  br label %end

end:
  ret void
}

; A member of a structure by value, at 16 of the arguments.
; MEMBER-LABEL: define void @member(
; MEMBER: add nuw nsw i32 %row, %x
; MEMBER-LABEL: define i32 @lanza.fits(
; MEMBER: getelementptr inbounds i8, ptr %1, i64 16
define void @member(ptr %out, ptr byval({ i64, i32, i32 }) align 8 %of) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %at = getelementptr i8, ptr %of, i64 8
  %n = load i32, ptr %at
  %row = mul i32 %y, %n
  %i = add i32 %row, %x
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr %out, i64 %wide
  store float 1.0, ptr %p
  ret void
}

declare i32 @llvm.umax.i32(i32, i32)

; A size that is divided by is 1 at least: nothing guards the division by it.
; DIVIDED-LABEL: define void @divided(
; DIVIDED: %r = srem i32 %x, %n
; DIVIDED: store i32 %r, ptr %out
; DIVIDED-LABEL: define i32 @lanza.fits(
; DIVIDED: fcmp oge double %{{.*}}, 1.000000e+00
define void @divided(ptr %out, i32 %n) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %is_zero = icmp eq i32 %n, 0
  %is_minus_one = icmp eq i32 %n, -1
  %next = add i32 %n, 1
  %is_either = icmp ult i32 %next, 2
  %d = select i1 %is_either, i32 1, i32 %n
  %r = srem i32 %x, %d
  %of_minus_one = select i1 %is_minus_one, i32 0, i32 %r
  %of_zero = select i1 %is_zero, i32 -1, i32 %of_minus_one
  store i32 %of_zero, ptr %out
  ret void
}

; Neighbours of x on a ring of n, where the grid has no thread beyond it: 16 * (gridDim.x - 1) + 15 < n.
; RING-LABEL: define void @ring(
; RING: call i32 @lanza.ring(i32 %after, i32 %n, i32 %x, i1 true, i1 false)
; RING: call i32 @lanza.ring(i32 %before, i32 %n, i32 %x, i1 false, i1 false)
; RING: call i32 @lanza.ring(i32 %around, i32 %n, i32 %x, i1 true, i1 false)
; RING-LABEL: define i32 @lanza.fits(
; RING: fcmp olt double %{{.*}}, %{{.*}}
define void @ring(ptr %out, i32 %n) {
entry:
  %t = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = shl nuw nsw i32 %b, 4
  %x = or disjoint i32 %first, %t
  %after = add nsw i32 %x, 1
  %r1 = srem i32 %after, %n
  store i32 %r1, ptr %out
  %less = add i32 %n, -1
  %before0 = add i32 %x, -1
  %before = add i32 %before0, %n
  %r2 = urem i32 %before, %n
  store i32 %r2, ptr %out
  br label %loop
loop:
  %dx = phi i32 [ -1, %entry ], [ %dx1, %loop ]
  %side = add nsw i32 %x, %dx
  %around = add nsw i32 %side, %n
  %r3 = srem i32 %around, %n
  store i32 %r3, ptr %out
  %dx1 = add nsw i32 %dx, 1
  %more = icmp slt i32 %dx1, 2
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The kernel asks later which threads lie on the ring: some are beyond, by less than a turn, x + 1 < min(2 * n, 2^31 - 1).
; Behind the question none are.
; BEYOND-LABEL: define void @beyond(
; BEYOND: call i32 @lanza.ring(i32 %after, i32 %n, i32 %x, i1 true, i1 true)
; BEYOND: call i32 @lanza.ring(i32 %around, i32 %n, i32 %x, i1 true, i1 false)
; BEYOND-LABEL: define i32 @lanza.fits(
; BEYOND: [[TWICE:%.*]] = fmul double %{{.*}}, 2.000000e+00
; BEYOND: [[END:%.*]] = select i1 %{{.*}}, double [[TWICE]], double 0x41DFFFFFFFC00000
; BEYOND: fcmp olt double %{{.*}}, [[END]]
define void @beyond(ptr %out, i32 %n) {
entry:
  %t = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = shl nuw nsw i32 %b, 4
  %x = or disjoint i32 %first, %t
  %after = add nsw i32 %x, 1
  %r1 = srem i32 %after, %n
  store i32 %r1, ptr %out
  %inside = icmp slt i32 %x, %n
  br i1 %inside, label %then, label %end
then:
  %around = add nsw i32 %x, %n
  %r2 = srem i32 %around, %n
  store i32 %r2, ptr %out
  br label %end
end:
  ret void
}

; Of a row, which has the quotient: x goes beyond n.
; COLUMN-LABEL: define void @column(
; COLUMN-NOT: lanza.ring
; COLUMN: ret void
define void @column(ptr %out, i32 %n) {
  %t = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = shl nuw nsw i32 %b, 4
  %x = or disjoint i32 %first, %t
  %after = add nsw i32 %x, 1
  %column = srem i32 %after, %n
  %row = sdiv i32 %after, %n
  %both = add i32 %row, %column
  store i32 %both, ptr %out
  ret void
}

; Two steps, a step back without the size, a plain remainder.
; FAR-LABEL: define void @far(
; FAR-NOT: lanza.ring
; FAR: ret void
define void @far(ptr %out, i32 %n) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %two = add nsw i32 %x, 2
  %r1 = srem i32 %two, %n
  store i32 %r1, ptr %out
  %back = add nsw i32 %x, -1
  %r2 = srem i32 %back, %n
  store i32 %r2, ptr %out
  %r3 = srem i32 %x, %n
  store i32 %r3, ptr %out
  ret void
}

; row * n + x / 2 * 2, which instructions combined have as a mask that takes the sign off as well: of at most x.
; PAIRS-LABEL: define void @pairs(
; PAIRS: add nuw nsw i32 %first, %even
; PAIRS-LABEL: define i32 @lanza.fits(
; PAIRS-NOT: 0x41DFFFFFFF800000
; PAIRS: ret i32
define void @pairs(ptr %out, i32 %n) {
  %x = call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %row = call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %first = mul i32 %row, %n
  %even = and i32 %x, 2147483646
  %i = add i32 %first, %even
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr %out, i64 %wide
  store float 1.0, ptr %p
  ret void
}

; Rows at a tile's ends, 16 * blockIdx.x + 17 * threadIdx.x for the first two threads: those of the last block are not
; all on a ring of as many as the grid has. 16 * blockIdx.x + threadIdx.x are.
; ENDS-LABEL: define void @ends(
; ENDS: urem i32 %after, %n
; ENDS: call i32 @lanza.ring(i32 %next, i32 %n, i32 %inside, i1 false, i1 false)
define void @ends(ptr %out, i32 %n) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = shl i32 %block, 4
  %end = mul nuw nsw i32 %x, 17
  %place = add i32 %first, %end
  %after = add i32 %place, 1
  %r1 = urem i32 %after, %n
  store i32 %r1, ptr %out
  %inside = or disjoint i32 %first, %x
  %next = add i32 %inside, 1
  %r2 = urem i32 %next, %n
  store i32 %r2, ptr %out
  ret void
}

; The neighbour on the left, or at the edge oneself: not beyond the greatest of what it is made of.
; LEFT-LABEL: define void @left(
; LEFT: add nuw nsw i32 %first, %before
; LEFT: zext nneg i32 %i to i64
define void @left(ptr %p, i32 %n) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %before = call i32 @llvm.usub.sat.i32(i32 %x, i32 1)
  %first = mul i32 %row, %n
  %i = add i32 %first, %before
  %wide = zext i32 %i to i64
  %q = getelementptr float, ptr %p, i64 %wide
  store float 0.0, ptr %q
  ret void
}
declare i32 @llvm.usub.sat.i32(i32, i32)

; `i = n - 1 - i`, of which LLVM makes n + ~i: behind the guard it is not negative, whatever n is.
; REVERSED-LABEL: define void @reversed(
; REVERSED: %i = add nsw i32 %complement, %n
; REVERSED: zext nneg i32 %i to i64
define void @reversed(ptr %p, i32 %n) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %complement = xor i32 %x, -1
  %i = add i32 %complement, %n
  %inside = icmp sgt i32 %i, -1
  br i1 %inside, label %store, label %end
store:
  %wide = zext nneg i32 %i to i64
  %q = getelementptr float, ptr %p, i64 %wide
  store float 0.0, ptr %q
  br label %end
end:
  ret void
}

; 2 d goes down from 256 to 2: no launch has threads below it in every turn, so that none is asked.
; NEVER-LABEL: define void @never(
; NEVER: %rest = urem i32 %next, %size
define void @never(ptr %out) {
entry:
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %d = phi i32 [ 128, %entry ], [ %half, %turn ]
  %more = icmp sgt i32 %d, 0
  br i1 %more, label %turn, label %end
turn:
  %next = add nuw nsw i32 %x, 1
  %size = shl nuw nsw i32 %d, 1
  %rest = urem i32 %next, %size
  store i32 %rest, ptr %out
  %half = lshr i32 %d, 1
  br label %loop
end:
  ret void
}

; Once loops are unrolled, addresses only: `(row * n + x - 1) * 3` of records, less than 0 for the first.
; AGAIN-LABEL: define void @unrolled(
; AGAIN: mul nsw i32 %at, 3
; AGAIN: add nsw i32 %record, -3
; AGAIN-LABEL: define i32 @lanza.fits(
; UNASKED-LABEL: define void @questions(
; UNASKED: icmp u
define void @unrolled(ptr %out, i32 %n) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %row = add nsw i32 %y, -1
  %first = mul nsw i32 %row, %n
  %at = add nsw i32 %first, %x
  %record = mul i32 %at, 3
  %before = add i32 %record, -3
  %wide = sext i32 %before to i64
  %p = getelementptr i8, ptr %out, i64 %wide
  store i8 1, ptr %p
  ret void
}
