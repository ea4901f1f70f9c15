; RUN: %opt -kernel=shuffles -lanes=32 -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=SHUFFLES
; RUN: %opt -kernel=masked -lanes=32 -block=40 -passes=leave-beyond-block,prepare-control,linearise,widen %s | %check %s --check-prefix=MASKED
; RUN: %opt -kernel=votes -lanes=32 -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=VOTES
; RUN: %opt -kernel=digits -lanes=32 -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=DIGITS
; RUN: %opt -kernel=bytes -lanes=32 -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=BYTES
; RUN: %opt -kernel=tiles -lanes=32 -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=TILES
; RUN: %opt -kernel=first_warp -lanes=32 -block=256 -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=FIRST
; RUN: %opt -kernel=beside_warps -lanes=32 -block=256 -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=BESIDE
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; SHUFFLES-LABEL: define void @shuffles(
define void @shuffles(ptr %x, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %i
; SHUFFLES: [[A:%.*]] = load <32 x i32>
  %a = load i32, ptr %p
  %word = zext i32 %a to i64
; A lane number's partner is a constant.
; SHUFFLES: [[B:%.*]] = shufflevector <32 x i32> [[A]], <32 x i32> poison, <32 x i32> <i32 16, i32 17,
  %lane = and i32 %t, 31
  %other = xor i32 %lane, 16
  %b = call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 %word, i32 %other)
; SHUFFLES: [[C:%.*]] = zext <32 x i32> [[B]] to <32 x i64>
; One lane's value for all: a scalar.
; SHUFFLES: [[N:%.*]] = and i32 %n, 31
; SHUFFLES: extractelement <32 x i32> [[A]], i32 [[N]]
  %c = call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 %word, i32 %n)
  %d = add i64 %b, %c
; Each its own source, from memory.
; SHUFFLES: [[D:%.*]] = trunc <32 x i64> {{.*}} to <32 x i32>
; SHUFFLES: [[S:%.*]] = and <32 x i32> [[D]], <i32 31,
; SHUFFLES: store <32 x i32> [[A]], ptr %lanes
; SHUFFLES: masked.gather.v32i32
  %s = trunc i64 %d to i32
  %e = call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 %word, i32 %s)
  %f = trunc i64 %e to i32
  store i32 %f, ptr %p
  ret void
}

; A lane that is not there is no source.
; MASKED-LABEL: define void @masked(
; MASKED: [[M:%.*]] = icmp ult <32 x i32> {{.*}}, <i32 40,
define void @masked(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %i
; MASKED: [[A:%.*]] = call <32 x i32> @llvm.masked.load
  %a = load i32, ptr %p
  %word = zext i32 %a to i64
  %lane = and i32 %t, 31
  %other = xor i32 %lane, 1
; MASKED: [[B:%.*]] = shufflevector <32 x i32> [[A]],
; MASKED: [[BITS:%.*]] = bitcast <32 x i1> [[M]] to i32
; MASKED: [[THERE:%.*]] = shufflevector <32 x i1> {{.*}}, <32 x i32> <i32 1, i32 0, i32 3,
; MASKED: select <32 x i1> [[THERE]], <32 x i32> [[B]], <32 x i32> [[A]]
  %b = call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 %word, i32 %other)
  %c = trunc i64 %b to i32
  store i32 %c, ptr %p
  ret void
}

; What is the same for all lanes is a scalar.
; VOTES-LABEL: define void @votes(
define void @votes(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %i
; VOTES: [[A:%.*]] = load <32 x i32>
  %a = load i32, ptr %p
; VOTES: [[C:%.*]] = icmp sgt <32 x i32> [[A]]
  %c = icmp sgt i32 %a, 5
  %vote = zext i1 %c to i64
; VOTES: bitcast <32 x i1> {{.*}} to i32
  %all = call i64 @__lanza_sync(i32 4, i32 0, i32 -1, i64 %vote, i32 0)
  store i64 %all, ptr %y
; VOTES: call i32 @llvm.vector.reduce.add.v32i32
  %word = zext i32 %a to i64
  %sum = call i64 @__lanza_sync(i32 8, i32 0, i32 -1, i64 %word, i32 0)
  store i64 %sum, ptr %y
; Equal lanes, set after set from both ends.
; VOTES: set:
; VOTES: [[LEFT:%.*]] = phi i32 [ -1,
; VOTES: call i32 @llvm.cttz.i32(i32 [[LEFT]], i1 true)
; VOTES: call i32 @llvm.ctlz.i32(i32 [[LEFT]], i1 true)
; VOTES-COUNT-2: icmp eq <32 x i32>
  %equal = call i64 @__lanza_sync(i32 6, i32 0, i32 -1, i64 %word, i32 0)
  %e = trunc i64 %equal to i32
  store i32 %e, ptr %p
  ret void
}

; Of two bits: a question each, whatever the number of sets.
; DIGITS-LABEL: define void @digits(
; DIGITS-COUNT-2: bitcast <32 x i1> {{.*}} to i32
; DIGITS-NOT: bitcast
; DIGITS-NOT: set:
; DIGITS: ret void
define void @digits(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %i
  %a = load i32, ptr %p
  %digit = and i32 %a, 12
  %word = zext i32 %digit to i64
  %equal = call i64 @__lanza_sync(i32 6, i32 0, i32 -1, i64 %word, i32 0)
  %e = trunc i64 %equal to i32
  store i32 %e, ptr %p
  ret void
}

; Bytes are compared as bytes, bit by bit.
; BYTES-LABEL: define void @bytes(
; BYTES-COUNT-8: and <32 x i8> [[A:%.*]], <i8 {{[-0-9]+}}, i8
; BYTES-NOT: set:
; What a branch found moves as a word, too.
; BYTES: trunc <32 x i64> {{.*}} to <32 x i32>
; BYTES: store <32 x i32> {{.*}}, ptr %lanes
; BYTES: masked.gather.v32i32
define void @bytes(ptr %x, ptr %y) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i8, ptr %x, i64 %i
  %a = load i8, ptr %p
  %word = zext i8 %a to i64
  %equal = call i64 @__lanza_sync(i32 6, i32 0, i32 -1, i64 %word, i32 0)
  %q = getelementptr i32, ptr %y, i64 %i
  %some = icmp ugt i8 %a, 5
  br i1 %some, label %then, label %end
then:
  %b = load i32, ptr %q
  %found = zext i32 %b to i64
  br label %end
end:
  %value = phi i64 [ 0, %entry ], [ %found, %then ]
  %from = zext i8 %a to i32
  %source = and i32 %from, 31
  %c = call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 %value, i32 %source)
  %both = add i64 %equal, %c
  %e = trunc i64 %both to i32
  store i32 %e, ptr %q
  ret void
}

; Halves of a warp: each lane's word names its own.
; TILES-LABEL: define void @tiles(
; TILES: and <32 x i32>
define void @tiles(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %i
  %a = load i32, ptr %p
  %c = icmp sgt i32 %a, 5
  %vote = zext i1 %c to i64
  %half = and i32 %t, 16
  %mask = shl i32 65535, %half
; TILES: [[BITS:%.*]] = bitcast <32 x i1> {{.*}} to i32
; TILES: and <32 x i32> {{.*}}
; TILES: zext <32 x i32> {{.*}} to <32 x i64>
  %some = call i64 @__lanza_sync(i32 4, i32 0, i32 %mask, i64 %vote, i32 0)
  %s = trunc i64 %some to i32
  store i32 %s, ptr %p
  ret void
}

; Only the first warp comes, so that its threads' numbers are those of lanes: a permutation, no memory.
; FIRST-LABEL: define void @first_warp(
; FIRST: first:
; FIRST: shufflevector <32 x i32> {{.*}}, <32 x i32> poison, <32 x i32> <i32 1, i32 2, i32 3,
; FIRST-NOT: gather
; FIRST: ret void
define void @first_warp(ptr %x) {
entry:
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %i
  %in = icmp ult i32 %t, 32
  br i1 %in, label %first, label %end
first:
  %a = load i32, ptr %p
  %word = zext i32 %a to i64
  %above = icmp ult i32 %t, 31
  %up = add i32 %t, 1
  %from = select i1 %above, i32 %up, i32 %t
  %b = call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 %word, i32 %from)
  %c = trunc i64 %b to i32
  store i32 %c, ptr %p
  br label %end
end:
  ret void
}

; A warp begins at a multiple of 32: what its lanes load by their place in it is the same for all of them.
; BESIDE-LABEL: define void @beside_warps(
; BESIDE: [[X:%.*]] = call i32 @lanza.group(i32 0)
; BESIDE-NOT: and i32 [[X]], 31
; BESIDE: [[P:%.*]] = zext i32 0 to i64
; BESIDE: getelementptr float, ptr %a, i64 [[P]]
; BESIDE: load <32 x float>
; BESIDE: and i32 [[X]], 63
define void @beside_warps(ptr %a, ptr %b) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %t, 31
  %place = zext i32 %lane to i64
  %p = getelementptr float, ptr %a, i64 %place
  %v = load float, ptr %p
  %other = and i32 %t, 63
  %q = getelementptr float, ptr %b, i32 %other
  store float %v, ptr %q
  ret void
}
