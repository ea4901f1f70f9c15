; RUN: %opt -kernel=parts_twice -block=256 -lanes=16 -passes=prepare-control,linearise %s | %check %s --check-prefix=TWICE
; RUN: %opt -kernel=diamond -passes=prepare-control,linearise %s | %check %s --check-prefix=DIAMOND
; RUN: %opt -kernel=calls -passes=prepare-control,linearise %s | %check %s --check-prefix=CALLS
; RUN: %opt -kernel=short_circuit -passes=prepare-control,linearise %s | %check %s --check-prefix=SHORT
; RUN: %opt -kernel=uniform -passes=prepare-control,linearise %s | %check %s --check-prefix=UNIFORM
; RUN: %opt -kernel=leaves -passes=prepare-control %s | %check %s --check-prefix=LATCH
; RUN: %opt -kernel=leaves -passes=prepare-control,linearise %s | %check %s --check-prefix=LEAVES
; RUN: %opt -kernel=beyond -block=100 -passes=leave-beyond-block,prepare-control,linearise %s | %check %s --check-prefix=BEYOND
; RUN: %opt -kernel=side_of_another -passes=prepare-control,linearise %s | %check %s --check-prefix=SIDE
; RUN: %opt -kernel=two_exits -passes=prepare-control %s | %check %s --check-prefix=EXITS
; RUN: %opt -kernel=half_apart -passes=prepare-control %s | %check %s --check-prefix=HALF
; RUN: %opt -kernel=turns -passes=prepare-control,linearise %s | %check %s --check-prefix=TURNS
; RUN: %opt -kernel=asserts -passes=prepare-control,linearise %s | %check %s --check-prefix=ASSERTS
; RUN: %opt -kernel=trap -passes=prepare-control,linearise %s | %check %s --check-prefix=TRAP
; RUN: %opt -kernel=three_values -passes=prepare-control,linearise %s | %check %s --check-prefix=THREE
; RUN: %opt -kernel=cases -passes=prepare-control,linearise %s | %check %s --check-prefix=CASES
; RUN: %opt -kernel=shared_join -block=256 -passes=prepare-control,linearise %s | %check %s --check-prefix=SHARED
; RUN: %opt -kernel=roots -passes=prepare-control,linearise %s | %check %s --check-prefix=ROOTS
; RUN: %opt -kernel=pieces -passes=prepare-control,linearise %s | %check %s --check-prefix=PIECES
; RUN: %opt -kernel=one_way -passes=prepare-control,linearise %s | %check %s --check-prefix=ONE
; RUN: %opt -kernel=guarded -block=256 -lanes=16 -passes=prepare-control,linearise %s | %check %s --check-prefix=GUARDED
; RUN: %opt -kernel=every_other -block=256 -lanes=16 -passes=prepare-control,linearise %s | %check %s --check-prefix=OTHER
; RUN: %opt -kernel=one_base -passes=prepare-control,linearise %s | %check %s --check-prefix=BASE
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.trap()

; Stores to addresses of their own are masked and need no branch; what an atomic does needs an active lane.
; DIAMOND-LABEL: define void @diamond(
; DIAMOND: [[NOT:%.*]] = xor i1 %c, true
; What lanes bring on different ways is a select, and behind the branch where the others bring what was there before.
; DIAMOND: [[R:%.*]] = phi i32 [ 1, %guard ], [ [[V:%.*]], %else ]
; DIAMOND: then:
; DIAMOND-NEXT: call void @lanza.mask(i1 %c)
; DIAMOND: guard:
; DIAMOND-NEXT: [[ANY:%.*]] = call i1 @lanza.any(i1 [[NOT]])
; DIAMOND-NEXT: br i1 [[ANY]], label %else,
; DIAMOND: else:
; DIAMOND-NEXT: call void @lanza.mask(i1 [[NOT]])
; DIAMOND-NEXT: %v = atomicrmw
; DIAMOND-NEXT: [[V]] = select i1 %c, i32 1, i32 %v
; DIAMOND: join:
; DIAMOND-NEXT: store i32 [[R]]
define void @diamond(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %i
  %c = icmp ult i32 %t, 3
  br i1 %c, label %then, label %else
then:
  store i32 7, ptr %p
  br label %join
else:
  %v = atomicrmw add ptr %y, i32 1 monotonic
  br label %join
join:
  %r = phi i32 [ 1, %then ], [ %v, %else ]
  store i32 %r, ptr %p
  ret void
}

; A call of a long function wants an active lane, one of a short function does not.
; CALLS-LABEL: define void @calls(
; CALLS: call float @short(
; CALLS: guard:
; CALLS-NEXT: call i1 @lanza.any(
; CALLS: call float @long(
declare float @long(float) nounwind willreturn speculatable memory(none) "lanza-lane-function" "lanza-steps"="57"
declare float @short(float) nounwind willreturn speculatable memory(none) "lanza-lane-function"
define void @calls(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %p
  %c = icmp ult i32 %t, 3
  br i1 %c, label %then, label %else
then:
  %s = call float @short(float %v)
  br label %join
else:
  %l = call float @long(float %v)
  br label %join
join:
  %r = phi float [ %s, %then ], [ %l, %else ]
  store float %r, ptr %p
  ret void
}

; if (c && d) x else y: y is reached on two ways, its lanes are those of both.
; SHORT-LABEL: define void @short_circuit(
; SHORT: second:
; SHORT: [[CD:%.*]] = select i1 %c, i1 %d, i1 false
; SHORT: [[CN:%.*]] = select i1 %c, i1 {{%.*}}, i1 false
; SHORT: yes:
; SHORT-NEXT: call void @lanza.mask(i1 [[CD]])
; SHORT: [[OR:%.*]] = or i1
; SHORT: no:
; SHORT-NEXT: call void @lanza.mask(i1 [[OR]])
define void @short_circuit(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %i
  %c = icmp ult i32 %t, 3
  br i1 %c, label %second, label %no
second:
  %v = load i32, ptr %p
  %d = icmp eq i32 %v, 3
  br i1 %d, label %yes, label %no
yes:
  store i32 7, ptr %p
  br label %join
no:
  store i32 8, ptr %p
  br label %join
join:
  ret void
}

; What all lanes decide alike stays a branch, inside divergent code as well.
; UNIFORM-LABEL: define void @uniform(
; UNIFORM: br i1 %u, label %inner, label %out
; UNIFORM: inner:
; UNIFORM-NEXT: call void @lanza.mask(i1 %c)
define void @uniform(ptr %x, i1 %u) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %i
  %c = icmp ult i32 %t, 3
  br i1 %c, label %then, label %end
then:
  br i1 %u, label %inner, label %out
inner:
  store i32 7, ptr %p
  br label %out
out:
  br label %end
end:
  ret void
}

; Two exits, of which lanes take one or the other in different iterations: all ways meet in one latch.
; LATCH-LABEL: define void @leaves(
; LATCH: latch:
; LATCH: %stay = phi i1 [ true, {{.*}} ], [ false, {{.*}} ], [ false, {{.*}} ]
; LATCH: br i1 %stay, label %loop, label %out
; The loop goes on while any lane is in it; those that have left keep what they left with.
; LEAVES-LABEL: define void @leaves(
; LEAVES: loop:
; LEAVES: %kept = phi i32 [ poison, %entry ], [ [[KEPT:%.*]], %latch ]
; LEAVES: %live = phi i1 [ true, %entry ], [ %live.next, %latch ]
; LEAVES: call void @lanza.mask(i1 %live)
; LEAVES: out:
; LEAVES-NEXT: %r = phi i32 [ [[KEPT]], %latch ]
; LEAVES: latch:
; LEAVES: [[KEPT]] = select i1 %live, i32 {{.*}}, i32 %kept
; LEAVES: %live.next = select i1 %live, i1 {{.*}}, i1 false
; LEAVES: [[ANY:%.*]] = call i1 @lanza.any(i1 %live.next)
; LEAVES: br i1 [[ANY]], label %loop, label %out
define void @leaves(ptr %x) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %next, %back ]
  %c = icmp eq i32 %n, %t
  br i1 %c, label %out, label %back
back:
  %next = add i32 %n, 1
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %p
  %d = icmp slt i32 %v, %n
  br i1 %d, label %loop, label %out
out:
  %r = phi i32 [ 1, %loop ], [ %next, %back ]
  %q = getelementptr i32, ptr %x, i32 %r
  store i32 %r, ptr %q
  ret void
}

; The last group of 100 threads has lanes beyond the block.
; BEYOND-LABEL: define void @beyond(
; BEYOND: [[IN:%.*]] = icmp ult i32 {{%.*}}, 100
; BEYOND: call void @lanza.mask(i1 [[IN]])
; BEYOND: store
define void @beyond(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %i
  store i32 7, ptr %p
  ret void
}

; Behind a trap nobody goes on, so the others need no mask.
; TRAP-LABEL: define void @trap(
; TRAP: call void @llvm.trap()
; TRAP: ok:
; TRAP-NOT: lanza.mask
; TRAP: store
define void @trap(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %p
  %bad = icmp eq i32 %v, 0
  br i1 %bad, label %fail, label %ok
fail:
  call void @llvm.trap()
  unreachable
ok:
  store i32 7, ptr %p
  ret void
}

; The join of a divergent branch on one side of a uniform one has ways from the other side too: they stay.
; SHARED-LABEL: @shared_join(
; SHARED: br i1 %other, label %join, label %test
; SHARED: [[OWN:join.join]]:
; SHARED-NEXT: [[CHOSEN:%.*]] = select i1 %low, i32 2, i32 3
; SHARED: br label %join
; SHARED: join:
; SHARED-NEXT: phi i32 [ 1, %entry ], [ [[CHOSEN]], %[[OWN]] ]
define void @shared_join(ptr %y, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %other = icmp eq i32 %n, 0
  br i1 %other, label %join, label %test
test:
  %low = icmp slt i32 %t, %n
  br i1 %low, label %join, label %high
high:
  br label %join
join:
  %v = phi i32 [ 1, %entry ], [ 2, %test ], [ 3, %high ]
  %wide = zext nneg i32 %t to i64
  %to = getelementptr i32, ptr %y, i64 %wide
  store i32 %v, ptr %to
  ret void
}

; All lanes in %odd agree whether they leave the loop, while others are in %even: they leave it apart.
; TURNS-LABEL: define void @turns(
; TURNS: %live = phi i1
; TURNS: %live.next = select i1 %live,
; TURNS: [[ANY:%.*]] = call i1 @lanza.any(i1 %live.next)
; TURNS: br i1 [[ANY]], label %loop, label %end
define void @turns(ptr %x) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %t, 1
  br label %loop
loop:
  %is_odd = phi i1 [ %first, %entry ], [ %turn, %back ]
  %n = phi i32 [ 0, %entry ], [ %m, %back ]
  br i1 %is_odd, label %odd, label %even
even:
  br label %back
odd:
  %next = add i32 %n, 1
  %again = icmp slt i32 %n, 2
  br i1 %again, label %back, label %end
back:
  %turn = phi i1 [ true, %even ], [ false, %odd ]
  %m = phi i32 [ undef, %even ], [ %next, %odd ]
  br label %loop
end:
  %p = getelementptr i32, ptr %x, i32 %t
  store i32 %n, ptr %p
  ret void
}

; A failure that several conditions lead to stands behind each of them.
; ASSERTS-LABEL: define void @asserts(
; ASSERTS: call void @llvm.trap()
; ASSERTS: fine:
; ASSERTS-NOT: lanza.mask
; ASSERTS: store
; ASSERTS: call void @llvm.trap()
define void @asserts(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %p
  %bad = icmp eq i32 %v, 0
  br i1 %bad, label %fail, label %ok
fail:
  call void @llvm.trap()
  unreachable
ok:
  %worse = icmp slt i32 %v, 0
  br i1 %worse, label %fail, label %fine
fine:
  store i32 7, ptr %p
  ret void
}

; A uniform branch of which one way leads to the other as well, with a divergent branch on it.
; SIDE-LABEL: define void @side_of_another(
; SIDE: other:
; SIDE: select i1 {{.*}}, i32
; SIDE: store
define void @side_of_another(ptr %x, i1 %u) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %x, i32 %t
  br i1 %u, label %one, label %other
one:
  %c = icmp ult i32 %t, 3
  br i1 %c, label %more, label %end
more:
  %w = atomicrmw add ptr %x, i32 1 monotonic
  br label %other
other:
  %v = phi i32 [ 3, %entry ], [ %w, %more ]
  store i32 %v, ptr %p
  br label %end
end:
  ret void
}

; Two exits that all lanes take together go to one block, and on from there; nothing else changes.
; EXITS-LABEL: define void @two_exits(
; EXITS: loop:
; EXITS: br i1 {{.*}}, label %hub, label %back
; EXITS: back:
; EXITS: br i1 {{.*}}, label %loop, label %hub
; EXITS: hub:
; EXITS: phi i1 [ {{true|false}}, %loop ], [ {{true|false}}, %back ]
; EXITS-NOT: hub{{1[0-9]|[3-9]}}:
; EXITS: }
define void @two_exits(ptr %x, i32 %n, i32 %m) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %back ]
  %c = icmp eq i32 %i, %n
  br i1 %c, label %first, label %back
back:
  %next = add i32 %i, 1
  %d = icmp slt i32 %i, %m
  br i1 %d, label %loop, label %second
first:
  store i32 %i, ptr %x
  br label %end
second:
  store i32 7, ptr %x
  br label %end
end:
  ret void
}

; All lanes leave together at the head, and each for itself at the latch.
; HALF-LABEL: define void @half_apart(
; HALF: back:
; HALF: br i1 {{.*}}, label %loop, label %hub
; HALF: hub:
; HALF: phi i1
; HALF-NOT: hub{{1[0-9]|[3-9]}}:
; HALF: }
define void @half_apart(ptr %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %back ]
  %c = icmp eq i32 %i, %n
  br i1 %c, label %first, label %back
back:
  %next = add i32 %i, 1
  %d = icmp slt i32 %i, %t
  br i1 %d, label %loop, label %second
first:
  store i32 %i, ptr %x
  br label %end
second:
  store i32 7, ptr %x
  br label %end
end:
  ret void
}

; Two ways go on to a common block or past it: three values meet, each taken by the lanes that came its way.
; THREE-LABEL: define void @three_values(
; THREE: [[RIGHT:%.*]] = xor i1 %c1, true
; THREE: [[PAST_LEFT:%.*]] = xor i1 %c2, true
; THREE: [[FROM_LEFT:%.*]] = select i1 %c1, i1 [[PAST_LEFT]], i1 false
; THREE: [[PAST_RIGHT:%.*]] = xor i1 %c3, true
; THREE: [[FROM_RIGHT:%.*]] = select i1 [[RIGHT]], i1 [[PAST_RIGHT]], i1 false
; THREE: join:
; THREE: [[OTHERS:%.*]] = select i1 [[FROM_RIGHT]], i32 30, i32 40
; THREE: select i1 [[FROM_LEFT]], i32 20, i32 [[OTHERS]]
define void @three_values(ptr %x) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %x, i32 %t
  %value = load i32, ptr %p
  %c1 = icmp slt i32 %value, 1
  br i1 %c1, label %left, label %right
left:
  %c2 = icmp slt i32 %value, 2
  br i1 %c2, label %middle, label %join
right:
  %c3 = icmp slt i32 %value, 3
  br i1 %c3, label %middle, label %join
middle:
  br label %join
join:
  %v = phi i32 [ 20, %left ], [ 30, %right ], [ 40, %middle ]
  store i32 %v, ptr %p
  ret void
}

; A switch of all lanes has one default for several leaves: it stays, and lanes part within a case alone.
; CASES-LABEL: define void @cases(
; CASES: icmp eq i32 %s,
; CASES: br i1
; CASES: one:
; CASES-NOT: lanza.mask
; CASES: other:
; CASES-NOT: lanza.mask
; CASES: then:
; CASES-NEXT: call void @lanza.mask(i1 %c)
; CASES-NOT: lanza.mask
; CASES: ret void
define void @cases(ptr %x, i32 %s) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %x, i32 %t
  switch i32 %s, label %other [
    i32 1, label %one
    i32 5, label %one
    i32 9, label %nine
  ]
one:
  store i32 1, ptr %p
  br label %end
nine:
  store i32 9, ptr %p
  br label %end
other:
  %v = load i32, ptr %p
  %c = icmp slt i32 %v, 7
  br i1 %c, label %then, label %end
then:
  store i32 7, ptr %p
  br label %end
end:
  ret void
}

; Three roots and a quotient cost more than the test whether a lane needs them.
; ROOTS-LABEL: define void @roots(
; ROOTS: [[ANY:%.*]] = call i1 @lanza.any(i1 %c)
; ROOTS: br i1 [[ANY]], label
; ROOTS: rare:
; ROOTS-NEXT: call void @lanza.mask(i1 %c)
define void @roots(ptr %x) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr %x, i32 %t
  %value = load float, ptr %p
  %c = fcmp ogt float %value, 1.000000e+00
  br i1 %c, label %rare, label %join
rare:
  %a = call float @llvm.sqrt.f32(float %value)
  %b = call float @llvm.sqrt.f32(float %a)
  %d = call float @llvm.sqrt.f32(float %b)
  %e = fdiv float %a, %d
  br label %join
join:
  %v = phi float [ %value, %entry ], [ %e, %rare ]
  store float %v, ptr %p
  ret void
}

declare float @llvm.sqrt.f32(float)

; All lanes that go on come from the same side: its index still goes with the lanes.
; ONE-LABEL: define void @one_way(
; ONE: [[FROM:%.*]] = call i1 @lanza.any(i1 {{%.*}})
; ONE: select i1 [[FROM]], i32 {{%.*}}, i32 {{%.*}}
define void @one_way(ptr %x, i32 %n, i1 %u) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %next, %latch ]
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  br i1 %u, label %a, label %b
a:
  store float 1.0, ptr %p
  %ia = add i32 %i, 16
  %ca = icmp slt i32 %ia, %n
  br i1 %ca, label %latch, label %end
b:
  store float 2.0, ptr %p
  %ib = add i32 %i, 32
  %cb = icmp slt i32 %ib, %n
  br i1 %cb, label %latch, label %end
latch:
  %next = phi i32 [ %ia, %a ], [ %ib, %b ]
  br label %loop
end:
  ret void
}

; Little arithmetic in pieces: all lanes do all of it, and nobody asks.
; PIECES-LABEL: define void @pieces(
; PIECES-NOT: lanza.any
; PIECES: fmul
; PIECES-NOT: lanza.any
; PIECES: ret void
define void @pieces(ptr %x) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr %x, i32 %t
  %v = load float, ptr %p
  %near = fcmp ole float %v, 1.0
  br i1 %near, label %first, label %else
first:
  %a = fmul float %v, %v
  br label %end
else:
  %far = fcmp olt float %v, 2.0
  br i1 %far, label %second, label %end
second:
  %b = fsub float 3.0, %v
  br label %end
end:
  %r = phi float [ %a, %first ], [ %b, %second ], [ 0.0, %else ]
  store float %r, ptr %p
  ret void
}

; if (i < n) y[i] = x[i]: where all lanes are beyond the end, and maybe all memory, nobody touches it.
; GUARDED-LABEL: define void @guarded(
; GUARDED: [[ANY:%.*]] = call i1 @lanza.any(i1 %in)
; GUARDED: br i1 [[ANY]]
define void @guarded(ptr %x, ptr %y, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %t, %n
  br i1 %in, label %inside, label %end
inside:
  %i = zext nneg i32 %t to i64
  %p = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %p
  %q = getelementptr float, ptr %y, i64 %i
  store float %v, ptr %q
  br label %end
end:
  ret void
}

; if (i % 2 == 0) y[i] = x[i]: some lane always does.
; OTHER-LABEL: define void @every_other(
; OTHER-NOT: lanza.any
; OTHER: ret void
define void @every_other(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %bit = and i32 %t, 1
  %even = icmp ult i32 %bit, 1
  br i1 %even, label %inside, label %end
inside:
  %i = zext nneg i32 %t to i64
  %p = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %p
  %q = getelementptr float, ptr %y, i64 %i
  store float %v, ptr %q
  br label %end
end:
  ret void
}

; Lanes part at %part and again on either side, whose ways have code in common: all within what %part encloses. What all
; lanes choose before stays a branch.
; TWICE-LABEL: define void @parts_twice(
; TWICE: first:
; TWICE-NEXT: br i1 %u, label %part, label %second
; TWICE: second:
; TWICE-NEXT: br i1 %w, label %part, label %other
; TWICE-NOT: select i1 %u
; TWICE: ret void
define void @parts_twice(ptr %x, i1 %u, i1 %w, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = zext i32 %t to i64
  %p = getelementptr float, ptr %x, i64 %at
  %c = icmp slt i32 %t, %n
  %d = icmp sgt i32 %t, 5
  %e = icmp sgt i32 %t, 7
  br label %first
first:
  br i1 %u, label %part, label %second
second:
  br i1 %w, label %part, label %other
other:
  store float 2.0, ptr %p
  br label %end
part:
  br i1 %c, label %left, label %right
left:
  br i1 %d, label %both, label %end
right:
  br i1 %e, label %both, label %end
both:
  store float 1.0, ptr %p
  br label %end
end:
  ret void
}

; The base of shared memory, asked for on ways that all lanes take, but come from by two: lanes store to one place, which
; takes an active lane.
; BASE-LABEL: define void @one_base(
; BASE: [[ANY:%.*]] = call i1 @lanza.any(i1 %d)
; BASE-NEXT: br i1 [[ANY]], label %set,
; BASE: set:
; BASE: store i32 1, ptr %flag
declare ptr @__lanza_shared() memory(none)
define void @one_base(i1 %u, i1 %w, i32 %n, ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %c = icmp slt i32 %t, %n
  br i1 %u, label %left, label %middle
middle:
  br i1 %w, label %left, label %right
left:
  %a = call ptr @__lanza_shared()
  br i1 %c, label %more, label %join
more:
  %p = getelementptr i32, ptr %a, i64 %i
  store i32 2, ptr %p
  br label %join
right:
  %b = call ptr @__lanza_shared()
  br i1 %c, label %most, label %join
most:
  %q = getelementptr i32, ptr %b, i64 %i
  store i32 3, ptr %q
  br label %join
join:
  %base = phi ptr [ %a, %left ], [ %a, %more ], [ %b, %right ], [ %b, %most ]
  %own = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %own
  %d = icmp sgt i32 %v, 5
  %flag = getelementptr i8, ptr %base, i64 272
  br i1 %d, label %set, label %end
set:
  store i32 1, ptr %flag
  br label %end
end:
  ret void
}
