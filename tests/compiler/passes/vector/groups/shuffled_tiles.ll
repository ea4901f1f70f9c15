; Patterns of places in shared memory are shuffled within one register of AVX2.
; RUN: %opt -lanes=16 -block=256 -kernel=pairs -passes=shuffled-tiles %s | %check %s --check-prefix=PAIRS
; RUN: %opt -lanes=8 -block=256 -kernel=pairs -passes=shuffled-tiles %s | %check %s --check-prefix=PAIRS
; RUN: %opt -lanes=32 -block=256 -kernel=pairs -passes=shuffled-tiles %s | %check %s --check-prefix=WARPS
; RUN: %opt -lanes=16 -block=256 -kernel=few -passes=shuffled-tiles %s | %check %s --check-prefix=FEW
; RUN: %opt -lanes=16 -block=256 -kernel=neighbours -passes=shuffled-tiles %s | %check %s --check-prefix=NEIGHBOURS
; RUN: %opt -lanes=16 -block=256 -kernel=alone -passes=shuffled-tiles %s | %check %s --check-prefix=ALONE

declare ptr @__lanza_shared() nounwind willreturn memory(none)
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; PAIRS: pairs: 8 lanes
; WARPS: pairs: 32 lanes
define void @pairs(ptr %out) {
  %s = call ptr @__lanza_shared()
  %x = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext nneg i32 %x to i64
  %wait = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %i = mul nuw nsw i64 %w, 2
  %p0 = getelementptr inbounds i8, ptr %s, i64 0
  %q0 = getelementptr inbounds float, ptr %p0, i64 %i
  store float 0.0, ptr %q0
  %p1 = getelementptr inbounds i8, ptr %s, i64 4096
  %q1 = getelementptr inbounds float, ptr %p1, i64 %i
  store float 0.0, ptr %q1
  %p2 = getelementptr inbounds i8, ptr %s, i64 8192
  %q2 = getelementptr inbounds float, ptr %p2, i64 %i
  store float 0.0, ptr %q2
  %p3 = getelementptr inbounds i8, ptr %s, i64 12288
  %q3 = getelementptr inbounds float, ptr %p3, i64 %i
  store float 0.0, ptr %q3
  %p4 = getelementptr inbounds i8, ptr %s, i64 16384
  %q4 = getelementptr inbounds float, ptr %p4, i64 %i
  store float 0.0, ptr %q4
  %p5 = getelementptr inbounds i8, ptr %s, i64 20480
  %q5 = getelementptr inbounds float, ptr %p5, i64 %i
  store float 0.0, ptr %q5
  %p6 = getelementptr inbounds i8, ptr %s, i64 24576
  %q6 = getelementptr inbounds float, ptr %p6, i64 %i
  store float 0.0, ptr %q6
  %p7 = getelementptr inbounds i8, ptr %s, i64 28672
  %q7 = getelementptr inbounds float, ptr %p7, i64 %i
  store float 0.0, ptr %q7
  %p8 = getelementptr inbounds i8, ptr %s, i64 32768
  %q8 = getelementptr inbounds float, ptr %p8, i64 %i
  store float 0.0, ptr %q8
  %p9 = getelementptr inbounds i8, ptr %s, i64 36864
  %q9 = getelementptr inbounds float, ptr %p9, i64 %i
  store float 0.0, ptr %q9
  %p10 = getelementptr inbounds i8, ptr %s, i64 40960
  %q10 = getelementptr inbounds float, ptr %p10, i64 %i
  store float 0.0, ptr %q10
  %p11 = getelementptr inbounds i8, ptr %s, i64 45056
  %q11 = getelementptr inbounds float, ptr %p11, i64 %i
  store float 0.0, ptr %q11
  %p12 = getelementptr inbounds i8, ptr %s, i64 49152
  %q12 = getelementptr inbounds float, ptr %p12, i64 %i
  store float 0.0, ptr %q12
  %p13 = getelementptr inbounds i8, ptr %s, i64 53248
  %q13 = getelementptr inbounds float, ptr %p13, i64 %i
  store float 0.0, ptr %q13
  %p14 = getelementptr inbounds i8, ptr %s, i64 57344
  %q14 = getelementptr inbounds float, ptr %p14, i64 %i
  store float 0.0, ptr %q14
  %p15 = getelementptr inbounds i8, ptr %s, i64 61440
  %q15 = getelementptr inbounds float, ptr %p15, i64 %i
  store float 0.0, ptr %q15
  ret void
}

; FEW: few: 16 lanes
define void @few(ptr %out) {
  %s = call ptr @__lanza_shared()
  %x = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext nneg i32 %x to i64
  %wait = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %i = mul nuw nsw i64 %w, 2
  %p0 = getelementptr inbounds i8, ptr %s, i64 0
  %q0 = getelementptr inbounds float, ptr %p0, i64 %i
  store float 0.0, ptr %q0
  %p1 = getelementptr inbounds i8, ptr %s, i64 4096
  %q1 = getelementptr inbounds float, ptr %p1, i64 %i
  store float 0.0, ptr %q1
  %p2 = getelementptr inbounds i8, ptr %s, i64 8192
  %q2 = getelementptr inbounds float, ptr %p2, i64 %i
  store float 0.0, ptr %q2
  %p3 = getelementptr inbounds i8, ptr %s, i64 12288
  %q3 = getelementptr inbounds float, ptr %p3, i64 %i
  store float 0.0, ptr %q3
  %p4 = getelementptr inbounds i8, ptr %s, i64 16384
  %q4 = getelementptr inbounds float, ptr %p4, i64 %i
  store float 0.0, ptr %q4
  %p5 = getelementptr inbounds i8, ptr %s, i64 20480
  %q5 = getelementptr inbounds float, ptr %p5, i64 %i
  store float 0.0, ptr %q5
  %p6 = getelementptr inbounds i8, ptr %s, i64 24576
  %q6 = getelementptr inbounds float, ptr %p6, i64 %i
  store float 0.0, ptr %q6
  %p7 = getelementptr inbounds i8, ptr %s, i64 28672
  %q7 = getelementptr inbounds float, ptr %p7, i64 %i
  store float 0.0, ptr %q7
  %p8 = getelementptr inbounds i8, ptr %s, i64 32768
  %q8 = getelementptr inbounds float, ptr %p8, i64 %i
  store float 0.0, ptr %q8
  %p9 = getelementptr inbounds i8, ptr %s, i64 36864
  %q9 = getelementptr inbounds float, ptr %p9, i64 %i
  store float 0.0, ptr %q9
  %p10 = getelementptr inbounds i8, ptr %s, i64 40960
  %q10 = getelementptr inbounds float, ptr %p10, i64 %i
  store float 0.0, ptr %q10
  %p11 = getelementptr inbounds i8, ptr %s, i64 45056
  %q11 = getelementptr inbounds float, ptr %p11, i64 %i
  store float 0.0, ptr %q11
  %p12 = getelementptr inbounds i8, ptr %s, i64 49152
  %q12 = getelementptr inbounds float, ptr %p12, i64 %i
  store float 0.0, ptr %q12
  %p13 = getelementptr inbounds i8, ptr %s, i64 53248
  %q13 = getelementptr inbounds float, ptr %p13, i64 %i
  store float 0.0, ptr %q13
  %p14 = getelementptr inbounds i8, ptr %s, i64 57344
  %q14 = getelementptr inbounds float, ptr %p14, i64 %i
  store float 0.0, ptr %q14
  ret void
}

; NEIGHBOURS: neighbours: 16 lanes
define void @neighbours(ptr %out) {
  %s = call ptr @__lanza_shared()
  %x = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext nneg i32 %x to i64
  %wait = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %i = mul nuw nsw i64 %w, 1
  %p0 = getelementptr inbounds i8, ptr %s, i64 0
  %q0 = getelementptr inbounds float, ptr %p0, i64 %i
  store float 0.0, ptr %q0
  %p1 = getelementptr inbounds i8, ptr %s, i64 4096
  %q1 = getelementptr inbounds float, ptr %p1, i64 %i
  store float 0.0, ptr %q1
  %p2 = getelementptr inbounds i8, ptr %s, i64 8192
  %q2 = getelementptr inbounds float, ptr %p2, i64 %i
  store float 0.0, ptr %q2
  %p3 = getelementptr inbounds i8, ptr %s, i64 12288
  %q3 = getelementptr inbounds float, ptr %p3, i64 %i
  store float 0.0, ptr %q3
  %p4 = getelementptr inbounds i8, ptr %s, i64 16384
  %q4 = getelementptr inbounds float, ptr %p4, i64 %i
  store float 0.0, ptr %q4
  %p5 = getelementptr inbounds i8, ptr %s, i64 20480
  %q5 = getelementptr inbounds float, ptr %p5, i64 %i
  store float 0.0, ptr %q5
  %p6 = getelementptr inbounds i8, ptr %s, i64 24576
  %q6 = getelementptr inbounds float, ptr %p6, i64 %i
  store float 0.0, ptr %q6
  %p7 = getelementptr inbounds i8, ptr %s, i64 28672
  %q7 = getelementptr inbounds float, ptr %p7, i64 %i
  store float 0.0, ptr %q7
  %p8 = getelementptr inbounds i8, ptr %s, i64 32768
  %q8 = getelementptr inbounds float, ptr %p8, i64 %i
  store float 0.0, ptr %q8
  %p9 = getelementptr inbounds i8, ptr %s, i64 36864
  %q9 = getelementptr inbounds float, ptr %p9, i64 %i
  store float 0.0, ptr %q9
  %p10 = getelementptr inbounds i8, ptr %s, i64 40960
  %q10 = getelementptr inbounds float, ptr %p10, i64 %i
  store float 0.0, ptr %q10
  %p11 = getelementptr inbounds i8, ptr %s, i64 45056
  %q11 = getelementptr inbounds float, ptr %p11, i64 %i
  store float 0.0, ptr %q11
  %p12 = getelementptr inbounds i8, ptr %s, i64 49152
  %q12 = getelementptr inbounds float, ptr %p12, i64 %i
  store float 0.0, ptr %q12
  %p13 = getelementptr inbounds i8, ptr %s, i64 53248
  %q13 = getelementptr inbounds float, ptr %p13, i64 %i
  store float 0.0, ptr %q13
  %p14 = getelementptr inbounds i8, ptr %s, i64 57344
  %q14 = getelementptr inbounds float, ptr %p14, i64 %i
  store float 0.0, ptr %q14
  %p15 = getelementptr inbounds i8, ptr %s, i64 61440
  %q15 = getelementptr inbounds float, ptr %p15, i64 %i
  store float 0.0, ptr %q15
  ret void
}

; Without barriers nobody shares.
; ALONE: alone: 16 lanes
define void @alone(ptr %out) {
  %s = call ptr @__lanza_shared()
  %x = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext nneg i32 %x to i64
  %i = mul nuw nsw i64 %w, 2
  %p0 = getelementptr inbounds i8, ptr %s, i64 0
  %q0 = getelementptr inbounds float, ptr %p0, i64 %i
  store float 0.0, ptr %q0
  %p1 = getelementptr inbounds i8, ptr %s, i64 4096
  %q1 = getelementptr inbounds float, ptr %p1, i64 %i
  store float 0.0, ptr %q1
  %p2 = getelementptr inbounds i8, ptr %s, i64 8192
  %q2 = getelementptr inbounds float, ptr %p2, i64 %i
  store float 0.0, ptr %q2
  %p3 = getelementptr inbounds i8, ptr %s, i64 12288
  %q3 = getelementptr inbounds float, ptr %p3, i64 %i
  store float 0.0, ptr %q3
  %p4 = getelementptr inbounds i8, ptr %s, i64 16384
  %q4 = getelementptr inbounds float, ptr %p4, i64 %i
  store float 0.0, ptr %q4
  %p5 = getelementptr inbounds i8, ptr %s, i64 20480
  %q5 = getelementptr inbounds float, ptr %p5, i64 %i
  store float 0.0, ptr %q5
  %p6 = getelementptr inbounds i8, ptr %s, i64 24576
  %q6 = getelementptr inbounds float, ptr %p6, i64 %i
  store float 0.0, ptr %q6
  %p7 = getelementptr inbounds i8, ptr %s, i64 28672
  %q7 = getelementptr inbounds float, ptr %p7, i64 %i
  store float 0.0, ptr %q7
  %p8 = getelementptr inbounds i8, ptr %s, i64 32768
  %q8 = getelementptr inbounds float, ptr %p8, i64 %i
  store float 0.0, ptr %q8
  %p9 = getelementptr inbounds i8, ptr %s, i64 36864
  %q9 = getelementptr inbounds float, ptr %p9, i64 %i
  store float 0.0, ptr %q9
  %p10 = getelementptr inbounds i8, ptr %s, i64 40960
  %q10 = getelementptr inbounds float, ptr %p10, i64 %i
  store float 0.0, ptr %q10
  %p11 = getelementptr inbounds i8, ptr %s, i64 45056
  %q11 = getelementptr inbounds float, ptr %p11, i64 %i
  store float 0.0, ptr %q11
  %p12 = getelementptr inbounds i8, ptr %s, i64 49152
  %q12 = getelementptr inbounds float, ptr %p12, i64 %i
  store float 0.0, ptr %q12
  %p13 = getelementptr inbounds i8, ptr %s, i64 53248
  %q13 = getelementptr inbounds float, ptr %p13, i64 %i
  store float 0.0, ptr %q13
  %p14 = getelementptr inbounds i8, ptr %s, i64 57344
  %q14 = getelementptr inbounds float, ptr %p14, i64 %i
  store float 0.0, ptr %q14
  %p15 = getelementptr inbounds i8, ptr %s, i64 61440
  %q15 = getelementptr inbounds float, ptr %p15, i64 %i
  store float 0.0, ptr %q15
  ret void
}
