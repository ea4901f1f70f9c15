; Places on a ring of a power of two: vectors up to its end and behind it, by masks.
; RUN: %opt -kernel=turned -block=64 -lanes=16 -passes=widen %s | %check %s --check-prefix=TURNED
; RUN: %opt -kernel=backwards -block=64 -lanes=16 -passes=widen %s | %check %s --check-prefix=BACKWARDS
; RUN: %opt -kernel=short -block=64 -lanes=16 -passes=widen %s | %check %s --check-prefix=GATHERS
; RUN: %opt -kernel=steps -block=64 -lanes=16 -passes=widen %s | %check %s --check-prefix=GATHERS
; RUN: %opt -kernel=bytes -block=64 -lanes=16 -passes=widen %s | %check %s --check-prefix=GATHERS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; Lane 0's place, how many lanes stand up to the end, and a ring's bytes further down where the others are.
; TURNED-LABEL: define void @turned
; TURNED: [[SUM:%.*]] = add i32 {{%.*}}, %by
; TURNED: [[FIRST:%.*]] = and i32 [[SUM]], 63
; TURNED: [[AT:%.*]] = zext i32 [[FIRST]] to i64
; TURNED: [[BEGIN:%.*]] = getelementptr float, ptr %in, i64 [[AT]]
; TURNED: [[LEFT:%.*]] = sub i32 64, [[FIRST]]
; TURNED: [[BEFORE:%.*]] = icmp ult <16 x i32> <i32 0, i32 1, i32 2,
; TURNED: [[BEHIND:%.*]] = getelementptr i8, ptr [[BEGIN]], i64 -256
; TURNED: [[FRONT:%.*]] = call <16 x float> @llvm.masked.load.v16f32.p0(ptr [[BEGIN]], i32 4, <16 x i1> [[BEFORE]], <16 x float> zeroinitializer)
; TURNED: [[OTHERS:%.*]] = xor <16 x i1> [[BEFORE]],
; TURNED: [[ALL:%.*]] = call <16 x float> @llvm.masked.load.v16f32.p0(ptr [[BEHIND]], i32 4, <16 x i1> [[OTHERS]], <16 x float> [[FRONT]])
; TURNED: call void @llvm.masked.store.v16f32.p0(<16 x float> [[ALL]]
; TURNED: call void @llvm.masked.store.v16f32.p0(<16 x float> [[ALL]]
; TURNED-NOT: gather
; TURNED-NOT: scatter
; TURNED: ret void
define void @turned(ptr %in, ptr %out, i32 %by) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %sum = add i32 %t, %by
  %i = and i32 %sum, 63
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr %in, i64 %wide
  %v = load float, ptr %p
  %back = sub i32 %t, %by
  %j = and i32 %back, 127
  %j.wide = zext i32 %j to i64
  %q = getelementptr float, ptr %out, i64 %j.wide
  store float %v, ptr %q
  ret void
}

; The last lane is the first one in memory.
; BACKWARDS-LABEL: define void @backwards
; BACKWARDS: [[LAST:%.*]] = sub i32 {{%.*}}, 15
; BACKWARDS: and i32 [[LAST]], 63
; BACKWARDS: [[ALL:%.*]] = call <16 x float> @llvm.masked.load.v16f32.p0(ptr {{.*}}, <16 x float> {{%.*}})
; BACKWARDS: shufflevector <16 x float> [[ALL]], <16 x float> poison, <16 x i32> <i32 15, i32 14,
define void @backwards(ptr %in, ptr %out, i32 %by) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %back = sub i32 %by, %t
  %i = and i32 %back, 63
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr %in, i64 %wide
  %v = load float, ptr %p
  %q = getelementptr float, ptr %out, i32 %t
  store float %v, ptr %q
  ret void
}

; A ring of fewer places than lanes, lanes two places apart, and what not every host loads by a mask.
; GATHERS: call {{.*}}gather
define void @short(ptr %in, ptr %out, i32 %by) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %sum = add i32 %t, %by
  %i = and i32 %sum, 7
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr %in, i64 %wide
  %v = load float, ptr %p
  %q = getelementptr float, ptr %out, i32 %t
  store float %v, ptr %q
  ret void
}

define void @steps(ptr %in, ptr %out, i32 %by) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %twice = shl i32 %t, 1
  %sum = add i32 %twice, %by
  %i = and i32 %sum, 63
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr %in, i64 %wide
  %v = load float, ptr %p
  %q = getelementptr float, ptr %out, i32 %t
  store float %v, ptr %q
  ret void
}

define void @bytes(ptr %in, ptr %out, i32 %by) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %sum = add i32 %t, %by
  %i = and i32 %sum, 63
  %wide = zext i32 %i to i64
  %p = getelementptr i8, ptr %in, i64 %wide
  %v = load i8, ptr %p
  %q = getelementptr i8, ptr %out, i32 %t
  store i8 %v, ptr %q
  ret void
}
