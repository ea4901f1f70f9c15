; RUN: %opt -kernel=values -lanes=16 -passes=shapes %s | %check %s --check-prefix=VALUES
; RUN: %opt -kernel=values -lanes=16 -block=8,8 -passes=shapes %s | %check %s --check-prefix=ROWS
; RUN: %opt -kernel=values -lanes=16 -block=100 -passes=shapes %s | %check %s --check-prefix=ODD
; RUN: %opt -kernel=patterns -lanes=16 -passes=shapes %s | %check %s --check-prefix=PATTERNS
; RUN: %opt -kernel=joins -passes=shapes %s | %check %s --check-prefix=JOINS
; RUN: %opt -kernel=temporal -passes=shapes %s | %check %s --check-prefix=TEMPORAL
; RUN: %opt -kernel=early -lanes=0 -passes=shapes %s | %check %s --check-prefix=EARLY
; RUN: %opt -kernel=early -lanes=0 -may-leave -passes=shapes %s | %check %s --check-prefix=LIVE
; RUN: %opt -kernel=early -lanes=0 -block=64,2 -passes=shapes %s | %check %s --check-prefix=PLANE
; RUN: %opt -kernel=layers -block=8,2,4 -lanes=32 -passes=shapes %s | %check %s --check-prefix=LAYERS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

define void @values(i32 %n, ptr %x) {
; VALUES: %t: strided 1
; ROWS: %t: varying
; ODD: %t: strided 1
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; VALUES: %r: uniform
; ROWS: %r: varying
  %r = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
; A multiple of the lanes, so that the sum crosses no wrap.
; VALUES: %m: uniform
  %m = mul i32 %c, 256
; VALUES: %i: strided 1
  %i = add i32 %m, %t
; VALUES: %wide: strided 1
  %wide = zext i32 %i to i64
; VALUES: %p: strided 4
  %p = getelementptr float, ptr %x, i64 %wide
; VALUES: %v: varying
  %v = load float, ptr %p
; The last lane of all may wrap.
; VALUES: %up: strided 1
  %up = add i32 %i, 1
; VALUES: %unknown: varying
  %unknown = zext i32 %up to i64
; VALUES: %nw: strided 1
  %nw = add nsw i32 %i, -1
; VALUES: %known: strided 1
  %known = sext i32 %nw to i64
; Blocks of 100 are multiples of 4 only.
; ODD: %odd: strided 1
  %m100 = mul i32 %c, 100
  %odd = add i32 %m100, %t
; ODD: %odd.wide: varying
  %odd.wide = sext i32 %odd to i64
; VALUES: %warp: uniform
; ODD: %warp: uniform
  %warp = lshr i32 %t, 5
; VALUES: %lane: strided 1
  %lane = and i32 %t, 31
; VALUES: %low: varying
  %low = and i32 %t, 7
; VALUES: %below: uniform
  %below = icmp ult i32 %t, 64
; VALUES: %within: varying
  %within = icmp ult i32 %t, 65
; VALUES: %upto: uniform
  %upto = icmp ugt i32 %t, 63
; VALUES: %any: varying
  %any = icmp slt i32 %i, %n
; VALUES: %turned: strided -1
  %turned = sub nsw i32 63, %t
; VALUES: %turned.wide: strided -1
  %turned.wide = sext i32 %turned to i64
; VALUES: %same: uniform
  %same = icmp eq i32 %t, %i
; VALUES: %s: strided 1
  %s = select i1 %below, i32 %t, i32 %i
; VALUES: %narrow: strided 3
  %three = mul i32 %t, 259
  %narrow = trunc i32 %three to i8
; VALUES: %broadcast: uniform
  %broadcast = load i32, ptr %x
; VALUES: %a: varying
  %a = atomicrmw add ptr %x, i32 1 monotonic
; Lanes keep theirs one after the other.
; VALUES: %private: strided 4
  %private = alloca i32
; VALUES: %ballot: varying
  %ballot = call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
; VALUES: %count: uniform
  %count = call i64 @__lanza_sync(i32 2, i32 0, i32 0, i64 0, i32 0)
  ret void
}

; Two ways that meet: what they bring differs from lane to lane, what all bring alike does not.
define void @joins(ptr %x) {
; JOINS: %entry: all lanes, divergent
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp eq i32 %t, 3
  br i1 %c, label %then, label %else
; JOINS: %then: some lanes
then:
  br label %join
else:
  br label %join
; JOINS: %join: all lanes
join:
; JOINS: %p: varying
  %p = phi i32 [ 1, %then ], [ 2, %else ]
; JOINS: %q: uniform
  %q = phi i32 [ 1, %then ], [ 1, %else ]
  %u = load i1, ptr %x
  br i1 %u, label %a, label %b
; JOINS: %a: all lanes
a:
  br label %b
b:
; JOINS: %r: uniform
  %r = phi i32 [ 1, %join ], [ 2, %a ]
  ret void
}

; Inside the loop its counter is the same for all lanes that are still there; outside it is not.
define void @temporal(ptr %x) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
; TEMPORAL: %loop: some lanes
loop:
; TEMPORAL: %i: uniform
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
; TEMPORAL: %at: strided 1
  %at = phi i32 [ %t, %entry ], [ %step, %latch ]
  %u = load i1, ptr %x
  br i1 %u, label %latch, label %out
latch:
; TEMPORAL: %next: uniform
  %next = add i32 %i, 1
  %step = add i32 %at, 8
  %c = icmp ult i32 %next, %t
  br i1 %c, label %loop, label %out
; TEMPORAL: %out: all lanes
out:
; TEMPORAL: %found: varying
  %found = phi i32 [ 1, %loop ], [ 0, %latch ]
; TEMPORAL: %last: varying
  %last = phi i32 [ %i, %loop ], [ %i, %latch ]
  ret void
}

; Threads that return before a barrier part from the others; those that are left meet at it.
define void @early(i32 %n) {
; EARLY: %entry: all lanes, divergent
; LIVE: %entry: all lanes, divergent
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %r = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
; In blocks of several rows no axis is strided.
; EARLY: %t: strided 1
; PLANE: %t: varying
; PLANE: %r: varying
  %out = icmp sge i32 %t, %n
  br i1 %out, label %end, label %go
; EARLY: %go: some lanes
; LIVE: %go: all lanes
go:
  %s = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %end
end:
; LIVE: %p: varying
  %p = phi i32 [ 0, %entry ], [ 1, %go ]
  ret void
}

; A warp of several layers is one group, its lanes in order.
; LAYERS: %lane: strided 1
; LAYERS: %warp: uniform
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @llvm.nvvm.read.ptx.sreg.warpid()

define void @layers() {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %warp = call i32 @llvm.nvvm.read.ptx.sreg.warpid()
  ret void
}

; Bits that are the same for all lanes, by what is known of them where lanes differ.
define void @patterns(i32 %n, i32 %any) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %high = shl i32 %n, 4
  %low = add i32 %high, -1
; PATTERNS: %a: strided 1
  %a = xor i32 %t, %high
; PATTERNS: %b: strided 1
  %b = or i32 %high, %t
; PATTERNS: %c: strided 1
  %c = and i32 %t, %low
; PATTERNS: %d: uniform
  %d = and i32 %t, %high
; PATTERNS: %e: uniform
  %e = or i32 %t, %low
; PATTERNS: %f: varying
  %f = xor i32 %t, %any
; PATTERNS: %g: varying
  %g = and i32 %t, %any
; PATTERNS: %h: strided 1
  %h = xor i32 %t, 48
; PATTERNS: %i: varying
  %i = xor i32 %t, 1
; Two lanes apart, a group spans one bit more.
; PATTERNS: %j: strided 2
  %twice = shl i32 %t, 1
  %j = xor i32 %twice, 32
; PATTERNS: %k: varying
  %k = xor i32 %twice, 16
; A bit that no lane has is no matter, one that some have is.
; PATTERNS: %even: strided 2
  %even = and i32 %twice, 62
; PATTERNS: %fours: varying
  %fours = and i32 %twice, 60
; All low bits turned run backwards, within a block of them or as -1 - x.
; PATTERNS: %l: strided -1
  %l = xor i32 %t, 63
; PATTERNS: %l.wide: strided -1
  %l.wide = zext nneg i32 %l to i64
; PATTERNS: %m: strided -1
  %m = xor i32 %t, %low
; PATTERNS: %o: strided -2
  %o = xor i32 %twice, -1
; PATTERNS: %o.wide: strided -2
  %o.wide = sext i32 %o to i64
; PATTERNS: %p: strided -1
  %unaligned = add i32 %t, %any
  %p = xor i32 %unaligned, -1
; PATTERNS: %p.wide: varying
  %p.wide = sext i32 %p to i64
; PATTERNS: %q: varying
  %q = xor i32 %unaligned, 63
; Below the step of the lanes all have the same bits.
; PATTERNS: %fields: strided 2
  %pairs = shl i32 %unaligned, 1
  %parity = and i32 %any, 1
  %fields = or i32 %pairs, %parity
; PATTERNS: %other: strided 2
  %other = xor i32 %fields, 1
; PATTERNS: %next: varying
  %next = xor i32 %fields, 2
; PATTERNS: %even.ones: varying
  %even.ones = and i32 %fields, -2
  ret void
}
