; RUN: %opt -kernel=sums -passes=order-loads %s | %check %s --check-prefix=SUMS
; RUN: %opt -kernel=few -passes=order-loads %s | %check %s --check-prefix=FEW
; RUN: %opt -kernel=written -passes=order-loads %s | %check %s --check-prefix=WRITTEN
; RUN: %opt -kernel=large_tree -passes=order-loads %s | %check %s --check-prefix=LARGE
; RUN: %opt -kernel=own_tree -passes=order-loads %s | %check %s --check-prefix=OWN
; RUN: %opt -kernel=to_and_fro -passes=order-loads %s | %check %s --check-prefix=FRO

; Each row is in three sums. All rows first are more than sixteen registers; one after the other, three sums live.
; Each row is in three sums. All rows first are more than sixteen registers; one after the other, three sums live.
; SUMS-LABEL: define void @sums(
; SUMS: load <8 x float>, ptr %p0,
; SUMS: load <8 x float>, ptr %p1,
; SUMS: %a0 = fadd <8 x float> %r0, %r1
; SUMS: load <8 x float>, ptr %p2,
; SUMS: %b0 = fadd <8 x float> %a0, %r2
; SUMS: %a1 = fadd <8 x float> %r1, %r2
; SUMS: load <8 x float>, ptr %p3,
; SUMS: %b1 = fadd <8 x float> %a1, %r3
; SUMS: %a2 = fadd <8 x float> %r2, %r3
; SUMS: load <8 x float>, ptr %p4,
; SUMS: %b2 = fadd <8 x float> %a2, %r4
; SUMS: %a3 = fadd <8 x float> %r3, %r4
; SUMS: load <8 x float>, ptr %p5,
; SUMS: %b3 = fadd <8 x float> %a3, %r5
; SUMS: %a4 = fadd <8 x float> %r4, %r5
; SUMS: load <8 x float>, ptr %p6,
; SUMS: %b4 = fadd <8 x float> %a4, %r6
; SUMS: %a5 = fadd <8 x float> %r5, %r6
; SUMS: load <8 x float>, ptr %p7,
; SUMS: %b5 = fadd <8 x float> %a5, %r7
; SUMS: %a6 = fadd <8 x float> %r6, %r7
; SUMS: load <8 x float>, ptr %p8,
; SUMS: %b6 = fadd <8 x float> %a6, %r8
; SUMS: %a7 = fadd <8 x float> %r7, %r8
; SUMS: load <8 x float>, ptr %p9,
; SUMS: %b7 = fadd <8 x float> %a7, %r9
; SUMS: %a8 = fadd <8 x float> %r8, %r9
; SUMS: load <8 x float>, ptr %p10,
; SUMS: %b8 = fadd <8 x float> %a8, %r10
; SUMS: %a9 = fadd <8 x float> %r9, %r10
; SUMS: load <8 x float>, ptr %p11,
; SUMS: %b9 = fadd <8 x float> %a9, %r11
; SUMS: %a10 = fadd <8 x float> %r10, %r11
; SUMS: load <8 x float>, ptr %p12,
; SUMS: %b10 = fadd <8 x float> %a10, %r12
; SUMS: %a11 = fadd <8 x float> %r11, %r12
; SUMS: load <8 x float>, ptr %p13,
; SUMS: %b11 = fadd <8 x float> %a11, %r13
; SUMS: %a12 = fadd <8 x float> %r12, %r13
; SUMS: load <8 x float>, ptr %p14,
; SUMS: %b12 = fadd <8 x float> %a12, %r14
; SUMS: %a13 = fadd <8 x float> %r13, %r14
; SUMS: load <8 x float>, ptr %p15,
; SUMS: %b13 = fadd <8 x float> %a13, %r15
; SUMS: %a14 = fadd <8 x float> %r14, %r15
; SUMS: load <8 x float>, ptr %p16,
; SUMS: %b14 = fadd <8 x float> %a14, %r16
; SUMS: %a15 = fadd <8 x float> %r15, %r16
; SUMS: load <8 x float>, ptr %p17,
; SUMS: %b15 = fadd <8 x float> %a15, %r17
; SUMS: %a16 = fadd <8 x float> %r16, %r17
; SUMS: load <8 x float>, ptr %p18,
; SUMS: %b16 = fadd <8 x float> %a16, %r18
; SUMS: ret void
define void @sums(ptr noalias %in, ptr noalias %out) {
  %p0 = getelementptr i8, ptr %in, i64 0
  %p1 = getelementptr i8, ptr %in, i64 32
  %p2 = getelementptr i8, ptr %in, i64 64
  %p3 = getelementptr i8, ptr %in, i64 96
  %p4 = getelementptr i8, ptr %in, i64 128
  %p5 = getelementptr i8, ptr %in, i64 160
  %p6 = getelementptr i8, ptr %in, i64 192
  %p7 = getelementptr i8, ptr %in, i64 224
  %p8 = getelementptr i8, ptr %in, i64 256
  %p9 = getelementptr i8, ptr %in, i64 288
  %p10 = getelementptr i8, ptr %in, i64 320
  %p11 = getelementptr i8, ptr %in, i64 352
  %p12 = getelementptr i8, ptr %in, i64 384
  %p13 = getelementptr i8, ptr %in, i64 416
  %p14 = getelementptr i8, ptr %in, i64 448
  %p15 = getelementptr i8, ptr %in, i64 480
  %p16 = getelementptr i8, ptr %in, i64 512
  %p17 = getelementptr i8, ptr %in, i64 544
  %p18 = getelementptr i8, ptr %in, i64 576
  %r18 = load <8 x float>, ptr %p18, align 4
  %r17 = load <8 x float>, ptr %p17, align 4
  %r16 = load <8 x float>, ptr %p16, align 4
  %r15 = load <8 x float>, ptr %p15, align 4
  %r14 = load <8 x float>, ptr %p14, align 4
  %r13 = load <8 x float>, ptr %p13, align 4
  %r12 = load <8 x float>, ptr %p12, align 4
  %r11 = load <8 x float>, ptr %p11, align 4
  %r10 = load <8 x float>, ptr %p10, align 4
  %r9 = load <8 x float>, ptr %p9, align 4
  %r8 = load <8 x float>, ptr %p8, align 4
  %r7 = load <8 x float>, ptr %p7, align 4
  %r6 = load <8 x float>, ptr %p6, align 4
  %r5 = load <8 x float>, ptr %p5, align 4
  %r4 = load <8 x float>, ptr %p4, align 4
  %r3 = load <8 x float>, ptr %p3, align 4
  %r2 = load <8 x float>, ptr %p2, align 4
  %r1 = load <8 x float>, ptr %p1, align 4
  %r0 = load <8 x float>, ptr %p0, align 4
  %a0 = fadd <8 x float> %r0, %r1
  %b0 = fadd <8 x float> %a0, %r2
  %a1 = fadd <8 x float> %r1, %r2
  %b1 = fadd <8 x float> %a1, %r3
  %a2 = fadd <8 x float> %r2, %r3
  %b2 = fadd <8 x float> %a2, %r4
  %a3 = fadd <8 x float> %r3, %r4
  %b3 = fadd <8 x float> %a3, %r5
  %a4 = fadd <8 x float> %r4, %r5
  %b4 = fadd <8 x float> %a4, %r6
  %a5 = fadd <8 x float> %r5, %r6
  %b5 = fadd <8 x float> %a5, %r7
  %a6 = fadd <8 x float> %r6, %r7
  %b6 = fadd <8 x float> %a6, %r8
  %a7 = fadd <8 x float> %r7, %r8
  %b7 = fadd <8 x float> %a7, %r9
  %a8 = fadd <8 x float> %r8, %r9
  %b8 = fadd <8 x float> %a8, %r10
  %a9 = fadd <8 x float> %r9, %r10
  %b9 = fadd <8 x float> %a9, %r11
  %a10 = fadd <8 x float> %r10, %r11
  %b10 = fadd <8 x float> %a10, %r12
  %a11 = fadd <8 x float> %r11, %r12
  %b11 = fadd <8 x float> %a11, %r13
  %a12 = fadd <8 x float> %r12, %r13
  %b12 = fadd <8 x float> %a12, %r14
  %a13 = fadd <8 x float> %r13, %r14
  %b13 = fadd <8 x float> %a13, %r15
  %a14 = fadd <8 x float> %r14, %r15
  %b14 = fadd <8 x float> %a14, %r16
  %a15 = fadd <8 x float> %r15, %r16
  %b15 = fadd <8 x float> %a15, %r17
  %a16 = fadd <8 x float> %r16, %r17
  %b16 = fadd <8 x float> %a16, %r18
  %q0 = getelementptr i8, ptr %out, i64 0
  store <8 x float> %b0, ptr %q0, align 4
  %q1 = getelementptr i8, ptr %out, i64 32
  store <8 x float> %b1, ptr %q1, align 4
  %q2 = getelementptr i8, ptr %out, i64 64
  store <8 x float> %b2, ptr %q2, align 4
  %q3 = getelementptr i8, ptr %out, i64 96
  store <8 x float> %b3, ptr %q3, align 4
  %q4 = getelementptr i8, ptr %out, i64 128
  store <8 x float> %b4, ptr %q4, align 4
  %q5 = getelementptr i8, ptr %out, i64 160
  store <8 x float> %b5, ptr %q5, align 4
  %q6 = getelementptr i8, ptr %out, i64 192
  store <8 x float> %b6, ptr %q6, align 4
  %q7 = getelementptr i8, ptr %out, i64 224
  store <8 x float> %b7, ptr %q7, align 4
  %q8 = getelementptr i8, ptr %out, i64 256
  store <8 x float> %b8, ptr %q8, align 4
  %q9 = getelementptr i8, ptr %out, i64 288
  store <8 x float> %b9, ptr %q9, align 4
  %q10 = getelementptr i8, ptr %out, i64 320
  store <8 x float> %b10, ptr %q10, align 4
  %q11 = getelementptr i8, ptr %out, i64 352
  store <8 x float> %b11, ptr %q11, align 4
  %q12 = getelementptr i8, ptr %out, i64 384
  store <8 x float> %b12, ptr %q12, align 4
  %q13 = getelementptr i8, ptr %out, i64 416
  store <8 x float> %b13, ptr %q13, align 4
  %q14 = getelementptr i8, ptr %out, i64 448
  store <8 x float> %b14, ptr %q14, align 4
  %q15 = getelementptr i8, ptr %out, i64 480
  store <8 x float> %b15, ptr %q15, align 4
  %q16 = getelementptr i8, ptr %out, i64 512
  store <8 x float> %b16, ptr %q16, align 4
  ret void
}

; What fits stays as it is.
; FEW-LABEL: define void @few(
; FEW: load <8 x float>, ptr %p10,
; FEW: load <8 x float>, ptr %p9,
; FEW: load <8 x float>, ptr %p0,
; FEW: ret void
define void @few(ptr noalias %in, ptr noalias %out) {
  %p0 = getelementptr i8, ptr %in, i64 0
  %p1 = getelementptr i8, ptr %in, i64 32
  %p2 = getelementptr i8, ptr %in, i64 64
  %p3 = getelementptr i8, ptr %in, i64 96
  %p4 = getelementptr i8, ptr %in, i64 128
  %p5 = getelementptr i8, ptr %in, i64 160
  %p6 = getelementptr i8, ptr %in, i64 192
  %p7 = getelementptr i8, ptr %in, i64 224
  %p8 = getelementptr i8, ptr %in, i64 256
  %p9 = getelementptr i8, ptr %in, i64 288
  %p10 = getelementptr i8, ptr %in, i64 320
  %r10 = load <8 x float>, ptr %p10, align 4
  %r9 = load <8 x float>, ptr %p9, align 4
  %r8 = load <8 x float>, ptr %p8, align 4
  %r7 = load <8 x float>, ptr %p7, align 4
  %r6 = load <8 x float>, ptr %p6, align 4
  %r5 = load <8 x float>, ptr %p5, align 4
  %r4 = load <8 x float>, ptr %p4, align 4
  %r3 = load <8 x float>, ptr %p3, align 4
  %r2 = load <8 x float>, ptr %p2, align 4
  %r1 = load <8 x float>, ptr %p1, align 4
  %r0 = load <8 x float>, ptr %p0, align 4
  %a0 = fadd <8 x float> %r0, %r1
  %b0 = fadd <8 x float> %a0, %r2
  %a1 = fadd <8 x float> %r1, %r2
  %b1 = fadd <8 x float> %a1, %r3
  %a2 = fadd <8 x float> %r2, %r3
  %b2 = fadd <8 x float> %a2, %r4
  %a3 = fadd <8 x float> %r3, %r4
  %b3 = fadd <8 x float> %a3, %r5
  %a4 = fadd <8 x float> %r4, %r5
  %b4 = fadd <8 x float> %a4, %r6
  %a5 = fadd <8 x float> %r5, %r6
  %b5 = fadd <8 x float> %a5, %r7
  %a6 = fadd <8 x float> %r6, %r7
  %b6 = fadd <8 x float> %a6, %r8
  %a7 = fadd <8 x float> %r7, %r8
  %b7 = fadd <8 x float> %a7, %r9
  %a8 = fadd <8 x float> %r8, %r9
  %b8 = fadd <8 x float> %a8, %r10
  %q0 = getelementptr i8, ptr %out, i64 0
  store <8 x float> %b0, ptr %q0, align 4
  %q1 = getelementptr i8, ptr %out, i64 32
  store <8 x float> %b1, ptr %q1, align 4
  %q2 = getelementptr i8, ptr %out, i64 64
  store <8 x float> %b2, ptr %q2, align 4
  %q3 = getelementptr i8, ptr %out, i64 96
  store <8 x float> %b3, ptr %q3, align 4
  %q4 = getelementptr i8, ptr %out, i64 128
  store <8 x float> %b4, ptr %q4, align 4
  %q5 = getelementptr i8, ptr %out, i64 160
  store <8 x float> %b5, ptr %q5, align 4
  %q6 = getelementptr i8, ptr %out, i64 192
  store <8 x float> %b6, ptr %q6, align 4
  %q7 = getelementptr i8, ptr %out, i64 224
  store <8 x float> %b7, ptr %q7, align 4
  %q8 = getelementptr i8, ptr %out, i64 256
  store <8 x float> %b8, ptr %q8, align 4
  ret void
}

; A row that is written to is not read before.
; WRITTEN-LABEL: define void @written(
; WRITTEN: store float 0.000000e+00, ptr %p3
; WRITTEN: load <8 x float>, ptr %p3,
; WRITTEN: ret void
define void @written(ptr noalias %in, ptr noalias %out) {
  %p0 = getelementptr i8, ptr %in, i64 0
  %p1 = getelementptr i8, ptr %in, i64 32
  %p2 = getelementptr i8, ptr %in, i64 64
  %p3 = getelementptr i8, ptr %in, i64 96
  %p4 = getelementptr i8, ptr %in, i64 128
  %p5 = getelementptr i8, ptr %in, i64 160
  %p6 = getelementptr i8, ptr %in, i64 192
  %p7 = getelementptr i8, ptr %in, i64 224
  %p8 = getelementptr i8, ptr %in, i64 256
  %p9 = getelementptr i8, ptr %in, i64 288
  %p10 = getelementptr i8, ptr %in, i64 320
  %p11 = getelementptr i8, ptr %in, i64 352
  %p12 = getelementptr i8, ptr %in, i64 384
  %p13 = getelementptr i8, ptr %in, i64 416
  %p14 = getelementptr i8, ptr %in, i64 448
  %p15 = getelementptr i8, ptr %in, i64 480
  %p16 = getelementptr i8, ptr %in, i64 512
  %p17 = getelementptr i8, ptr %in, i64 544
  %p18 = getelementptr i8, ptr %in, i64 576
  %r18 = load <8 x float>, ptr %p18, align 4
  %r17 = load <8 x float>, ptr %p17, align 4
  %r16 = load <8 x float>, ptr %p16, align 4
  %r15 = load <8 x float>, ptr %p15, align 4
  %r14 = load <8 x float>, ptr %p14, align 4
  %r13 = load <8 x float>, ptr %p13, align 4
  %r12 = load <8 x float>, ptr %p12, align 4
  %r11 = load <8 x float>, ptr %p11, align 4
  %r10 = load <8 x float>, ptr %p10, align 4
  %r9 = load <8 x float>, ptr %p9, align 4
  store float 0.0, ptr %p3
  %r8 = load <8 x float>, ptr %p8, align 4
  %r7 = load <8 x float>, ptr %p7, align 4
  %r6 = load <8 x float>, ptr %p6, align 4
  %r5 = load <8 x float>, ptr %p5, align 4
  %r4 = load <8 x float>, ptr %p4, align 4
  %r3 = load <8 x float>, ptr %p3, align 4
  %r2 = load <8 x float>, ptr %p2, align 4
  %r1 = load <8 x float>, ptr %p1, align 4
  %r0 = load <8 x float>, ptr %p0, align 4
  %a0 = fadd <8 x float> %r0, %r1
  %b0 = fadd <8 x float> %a0, %r2
  %a1 = fadd <8 x float> %r1, %r2
  %b1 = fadd <8 x float> %a1, %r3
  %a2 = fadd <8 x float> %r2, %r3
  %b2 = fadd <8 x float> %a2, %r4
  %a3 = fadd <8 x float> %r3, %r4
  %b3 = fadd <8 x float> %a3, %r5
  %a4 = fadd <8 x float> %r4, %r5
  %b4 = fadd <8 x float> %a4, %r6
  %a5 = fadd <8 x float> %r5, %r6
  %b5 = fadd <8 x float> %a5, %r7
  %a6 = fadd <8 x float> %r6, %r7
  %b6 = fadd <8 x float> %a6, %r8
  %a7 = fadd <8 x float> %r7, %r8
  %b7 = fadd <8 x float> %a7, %r9
  %a8 = fadd <8 x float> %r8, %r9
  %b8 = fadd <8 x float> %a8, %r10
  %a9 = fadd <8 x float> %r9, %r10
  %b9 = fadd <8 x float> %a9, %r11
  %a10 = fadd <8 x float> %r10, %r11
  %b10 = fadd <8 x float> %a10, %r12
  %a11 = fadd <8 x float> %r11, %r12
  %b11 = fadd <8 x float> %a11, %r13
  %a12 = fadd <8 x float> %r12, %r13
  %b12 = fadd <8 x float> %a12, %r14
  %a13 = fadd <8 x float> %r13, %r14
  %b13 = fadd <8 x float> %a13, %r15
  %a14 = fadd <8 x float> %r14, %r15
  %b14 = fadd <8 x float> %a14, %r16
  %a15 = fadd <8 x float> %r15, %r16
  %b15 = fadd <8 x float> %a15, %r17
  %a16 = fadd <8 x float> %r16, %r17
  %b16 = fadd <8 x float> %a16, %r18
  %q0 = getelementptr i8, ptr %out, i64 0
  store <8 x float> %b0, ptr %q0, align 4
  %q1 = getelementptr i8, ptr %out, i64 32
  store <8 x float> %b1, ptr %q1, align 4
  %q2 = getelementptr i8, ptr %out, i64 64
  store <8 x float> %b2, ptr %q2, align 4
  %q3 = getelementptr i8, ptr %out, i64 96
  store <8 x float> %b3, ptr %q3, align 4
  %q4 = getelementptr i8, ptr %out, i64 128
  store <8 x float> %b4, ptr %q4, align 4
  %q5 = getelementptr i8, ptr %out, i64 160
  store <8 x float> %b5, ptr %q5, align 4
  %q6 = getelementptr i8, ptr %out, i64 192
  store <8 x float> %b6, ptr %q6, align 4
  %q7 = getelementptr i8, ptr %out, i64 224
  store <8 x float> %b7, ptr %q7, align 4
  %q8 = getelementptr i8, ptr %out, i64 256
  store <8 x float> %b8, ptr %q8, align 4
  %q9 = getelementptr i8, ptr %out, i64 288
  store <8 x float> %b9, ptr %q9, align 4
  %q10 = getelementptr i8, ptr %out, i64 320
  store <8 x float> %b10, ptr %q10, align 4
  %q11 = getelementptr i8, ptr %out, i64 352
  store <8 x float> %b11, ptr %q11, align 4
  %q12 = getelementptr i8, ptr %out, i64 384
  store <8 x float> %b12, ptr %q12, align 4
  %q13 = getelementptr i8, ptr %out, i64 416
  store <8 x float> %b13, ptr %q13, align 4
  %q14 = getelementptr i8, ptr %out, i64 448
  store <8 x float> %b14, ptr %q14, align 4
  %q15 = getelementptr i8, ptr %out, i64 480
  store <8 x float> %b15, ptr %q15, align 4
  %q16 = getelementptr i8, ptr %out, i64 512
  store <8 x float> %b16, ptr %q16, align 4
  ret void
}

; The first steps of a tree: few vectors, but memory is read to and fro.
; FRO-LABEL: define void @to_and_fro(
; FRO: load <8 x float>, ptr %x,
; FRO: load <8 x float>, ptr %x1,
; FRO: load <8 x float>, ptr %x2,
; FRO: load <8 x float>, ptr %x3,
; FRO: load <8 x float>, ptr %x4,
; FRO: %s0 = fadd <8 x float> %v0, %v4
; FRO: load <8 x float>, ptr %x5,
; FRO: %s1 = fadd <8 x float> %v1, %v5
; FRO: load <8 x float>, ptr %x6,
; FRO: load <8 x float>, ptr %x7,
define void @to_and_fro(ptr %x, ptr %out) {
  %x1 = getelementptr i8, ptr %x, i64 32
  %x2 = getelementptr i8, ptr %x, i64 64
  %x3 = getelementptr i8, ptr %x, i64 96
  %x4 = getelementptr i8, ptr %x, i64 128
  %x5 = getelementptr i8, ptr %x, i64 160
  %x6 = getelementptr i8, ptr %x, i64 192
  %x7 = getelementptr i8, ptr %x, i64 224
  %v0 = load <8 x float>, ptr %x, align 4
  %v4 = load <8 x float>, ptr %x4, align 4
  %s0 = fadd <8 x float> %v0, %v4
  %v2 = load <8 x float>, ptr %x2, align 4
  %v6 = load <8 x float>, ptr %x6, align 4
  %s2 = fadd <8 x float> %v2, %v6
  %v1 = load <8 x float>, ptr %x1, align 4
  %v5 = load <8 x float>, ptr %x5, align 4
  %s1 = fadd <8 x float> %v1, %v5
  %v3 = load <8 x float>, ptr %x3, align 4
  %v7 = load <8 x float>, ptr %x7, align 4
  %s3 = fadd <8 x float> %v3, %v7
  %a = fadd <8 x float> %s0, %s2
  %b = fadd <8 x float> %s1, %s3
  %c = fadd <8 x float> %a, %b
  store <8 x float> %c, ptr %out, align 4
  ret void
}

; A tree over more than registers hold: its lines are asked for in order, and each vector is loaded where it is needed.
; LARGE-LABEL: define void @large_tree(
; LARGE: [[FIRST:%.*]] = getelementptr i8, ptr %p0, i64 0
; LARGE-NEXT: call void @llvm.prefetch.p0(ptr [[FIRST]], i32 0, i32 3, i32 1)
; LARGE-NEXT: [[SECOND:%.*]] = getelementptr i8, ptr %p0, i64 64
; LARGE-NEXT: call void @llvm.prefetch.p0(ptr [[SECOND]],
; LARGE: [[LAST:%.*]] = getelementptr i8, ptr %p0, i64 1472
; LARGE-NEXT: call void @llvm.prefetch.p0(ptr [[LAST]],
; LARGE-NEXT: %l0 = load <8 x float>, ptr %p0
; LARGE: %h0 = load <8 x float>, ptr %q0
; LARGE-NEXT: %s0 = fadd
; LARGE: %l1 = load <8 x float>, ptr %p1
; LARGE: %h1 = load <8 x float>, ptr %q1
; LARGE-NEXT: %s1 = fadd
; LARGE-NEXT: %t1 = fadd
define void @large_tree(ptr noalias %x, ptr noalias %out) {
  %p0 = getelementptr i8, ptr %x, i64 0
  %l0 = load <8 x float>, ptr %p0, align 4
  %q0 = getelementptr i8, ptr %x, i64 768
  %h0 = load <8 x float>, ptr %q0, align 4
  %s0 = fadd <8 x float> %l0, %h0
  %p1 = getelementptr i8, ptr %x, i64 32
  %l1 = load <8 x float>, ptr %p1, align 4
  %q1 = getelementptr i8, ptr %x, i64 800
  %h1 = load <8 x float>, ptr %q1, align 4
  %s1 = fadd <8 x float> %l1, %h1
  %p2 = getelementptr i8, ptr %x, i64 64
  %l2 = load <8 x float>, ptr %p2, align 4
  %q2 = getelementptr i8, ptr %x, i64 832
  %h2 = load <8 x float>, ptr %q2, align 4
  %s2 = fadd <8 x float> %l2, %h2
  %p3 = getelementptr i8, ptr %x, i64 96
  %l3 = load <8 x float>, ptr %p3, align 4
  %q3 = getelementptr i8, ptr %x, i64 864
  %h3 = load <8 x float>, ptr %q3, align 4
  %s3 = fadd <8 x float> %l3, %h3
  %p4 = getelementptr i8, ptr %x, i64 128
  %l4 = load <8 x float>, ptr %p4, align 4
  %q4 = getelementptr i8, ptr %x, i64 896
  %h4 = load <8 x float>, ptr %q4, align 4
  %s4 = fadd <8 x float> %l4, %h4
  %p5 = getelementptr i8, ptr %x, i64 160
  %l5 = load <8 x float>, ptr %p5, align 4
  %q5 = getelementptr i8, ptr %x, i64 928
  %h5 = load <8 x float>, ptr %q5, align 4
  %s5 = fadd <8 x float> %l5, %h5
  %p6 = getelementptr i8, ptr %x, i64 192
  %l6 = load <8 x float>, ptr %p6, align 4
  %q6 = getelementptr i8, ptr %x, i64 960
  %h6 = load <8 x float>, ptr %q6, align 4
  %s6 = fadd <8 x float> %l6, %h6
  %p7 = getelementptr i8, ptr %x, i64 224
  %l7 = load <8 x float>, ptr %p7, align 4
  %q7 = getelementptr i8, ptr %x, i64 992
  %h7 = load <8 x float>, ptr %q7, align 4
  %s7 = fadd <8 x float> %l7, %h7
  %p8 = getelementptr i8, ptr %x, i64 256
  %l8 = load <8 x float>, ptr %p8, align 4
  %q8 = getelementptr i8, ptr %x, i64 1024
  %h8 = load <8 x float>, ptr %q8, align 4
  %s8 = fadd <8 x float> %l8, %h8
  %p9 = getelementptr i8, ptr %x, i64 288
  %l9 = load <8 x float>, ptr %p9, align 4
  %q9 = getelementptr i8, ptr %x, i64 1056
  %h9 = load <8 x float>, ptr %q9, align 4
  %s9 = fadd <8 x float> %l9, %h9
  %p10 = getelementptr i8, ptr %x, i64 320
  %l10 = load <8 x float>, ptr %p10, align 4
  %q10 = getelementptr i8, ptr %x, i64 1088
  %h10 = load <8 x float>, ptr %q10, align 4
  %s10 = fadd <8 x float> %l10, %h10
  %p11 = getelementptr i8, ptr %x, i64 352
  %l11 = load <8 x float>, ptr %p11, align 4
  %q11 = getelementptr i8, ptr %x, i64 1120
  %h11 = load <8 x float>, ptr %q11, align 4
  %s11 = fadd <8 x float> %l11, %h11
  %p12 = getelementptr i8, ptr %x, i64 384
  %l12 = load <8 x float>, ptr %p12, align 4
  %q12 = getelementptr i8, ptr %x, i64 1152
  %h12 = load <8 x float>, ptr %q12, align 4
  %s12 = fadd <8 x float> %l12, %h12
  %p13 = getelementptr i8, ptr %x, i64 416
  %l13 = load <8 x float>, ptr %p13, align 4
  %q13 = getelementptr i8, ptr %x, i64 1184
  %h13 = load <8 x float>, ptr %q13, align 4
  %s13 = fadd <8 x float> %l13, %h13
  %p14 = getelementptr i8, ptr %x, i64 448
  %l14 = load <8 x float>, ptr %p14, align 4
  %q14 = getelementptr i8, ptr %x, i64 1216
  %h14 = load <8 x float>, ptr %q14, align 4
  %s14 = fadd <8 x float> %l14, %h14
  %p15 = getelementptr i8, ptr %x, i64 480
  %l15 = load <8 x float>, ptr %p15, align 4
  %q15 = getelementptr i8, ptr %x, i64 1248
  %h15 = load <8 x float>, ptr %q15, align 4
  %s15 = fadd <8 x float> %l15, %h15
  %p16 = getelementptr i8, ptr %x, i64 512
  %l16 = load <8 x float>, ptr %p16, align 4
  %q16 = getelementptr i8, ptr %x, i64 1280
  %h16 = load <8 x float>, ptr %q16, align 4
  %s16 = fadd <8 x float> %l16, %h16
  %p17 = getelementptr i8, ptr %x, i64 544
  %l17 = load <8 x float>, ptr %p17, align 4
  %q17 = getelementptr i8, ptr %x, i64 1312
  %h17 = load <8 x float>, ptr %q17, align 4
  %s17 = fadd <8 x float> %l17, %h17
  %p18 = getelementptr i8, ptr %x, i64 576
  %l18 = load <8 x float>, ptr %p18, align 4
  %q18 = getelementptr i8, ptr %x, i64 1344
  %h18 = load <8 x float>, ptr %q18, align 4
  %s18 = fadd <8 x float> %l18, %h18
  %p19 = getelementptr i8, ptr %x, i64 608
  %l19 = load <8 x float>, ptr %p19, align 4
  %q19 = getelementptr i8, ptr %x, i64 1376
  %h19 = load <8 x float>, ptr %q19, align 4
  %s19 = fadd <8 x float> %l19, %h19
  %p20 = getelementptr i8, ptr %x, i64 640
  %l20 = load <8 x float>, ptr %p20, align 4
  %q20 = getelementptr i8, ptr %x, i64 1408
  %h20 = load <8 x float>, ptr %q20, align 4
  %s20 = fadd <8 x float> %l20, %h20
  %p21 = getelementptr i8, ptr %x, i64 672
  %l21 = load <8 x float>, ptr %p21, align 4
  %q21 = getelementptr i8, ptr %x, i64 1440
  %h21 = load <8 x float>, ptr %q21, align 4
  %s21 = fadd <8 x float> %l21, %h21
  %p22 = getelementptr i8, ptr %x, i64 704
  %l22 = load <8 x float>, ptr %p22, align 4
  %q22 = getelementptr i8, ptr %x, i64 1472
  %h22 = load <8 x float>, ptr %q22, align 4
  %s22 = fadd <8 x float> %l22, %h22
  %p23 = getelementptr i8, ptr %x, i64 736
  %l23 = load <8 x float>, ptr %p23, align 4
  %q23 = getelementptr i8, ptr %x, i64 1504
  %h23 = load <8 x float>, ptr %q23, align 4
  %s23 = fadd <8 x float> %l23, %h23
  %t1 = fadd <8 x float> %s0, %s1
  %t2 = fadd <8 x float> %t1, %s2
  %t3 = fadd <8 x float> %t2, %s3
  %t4 = fadd <8 x float> %t3, %s4
  %t5 = fadd <8 x float> %t4, %s5
  %t6 = fadd <8 x float> %t5, %s6
  %t7 = fadd <8 x float> %t6, %s7
  %t8 = fadd <8 x float> %t7, %s8
  %t9 = fadd <8 x float> %t8, %s9
  %t10 = fadd <8 x float> %t9, %s10
  %t11 = fadd <8 x float> %t10, %s11
  %t12 = fadd <8 x float> %t11, %s12
  %t13 = fadd <8 x float> %t12, %s13
  %t14 = fadd <8 x float> %t13, %s14
  %t15 = fadd <8 x float> %t14, %s15
  %t16 = fadd <8 x float> %t15, %s16
  %t17 = fadd <8 x float> %t16, %s17
  %t18 = fadd <8 x float> %t17, %s18
  %t19 = fadd <8 x float> %t18, %s19
  %t20 = fadd <8 x float> %t19, %s20
  %t21 = fadd <8 x float> %t20, %s21
  %t22 = fadd <8 x float> %t21, %s22
  %t23 = fadd <8 x float> %t22, %s23
  store <8 x float> %t23, ptr %out, align 4
  ret void
}

; A variable of the block is at hand in any order.
; OWN-LABEL: define void @own_tree(
; OWN: %l0 = load <8 x float>, ptr %p0
; OWN: %h0 = load <8 x float>, ptr %q0
; OWN: %l1 = load <8 x float>, ptr %p1
declare void @fill(ptr)
define void @own_tree(ptr noalias %out) {
  %x = alloca [384 x float]
  call void @fill(ptr %x)
  %p0 = getelementptr i8, ptr %x, i64 0
  %l0 = load <8 x float>, ptr %p0, align 4
  %q0 = getelementptr i8, ptr %x, i64 768
  %h0 = load <8 x float>, ptr %q0, align 4
  %s0 = fadd <8 x float> %l0, %h0
  %p1 = getelementptr i8, ptr %x, i64 32
  %l1 = load <8 x float>, ptr %p1, align 4
  %q1 = getelementptr i8, ptr %x, i64 800
  %h1 = load <8 x float>, ptr %q1, align 4
  %s1 = fadd <8 x float> %l1, %h1
  %p2 = getelementptr i8, ptr %x, i64 64
  %l2 = load <8 x float>, ptr %p2, align 4
  %q2 = getelementptr i8, ptr %x, i64 832
  %h2 = load <8 x float>, ptr %q2, align 4
  %s2 = fadd <8 x float> %l2, %h2
  %p3 = getelementptr i8, ptr %x, i64 96
  %l3 = load <8 x float>, ptr %p3, align 4
  %q3 = getelementptr i8, ptr %x, i64 864
  %h3 = load <8 x float>, ptr %q3, align 4
  %s3 = fadd <8 x float> %l3, %h3
  %p4 = getelementptr i8, ptr %x, i64 128
  %l4 = load <8 x float>, ptr %p4, align 4
  %q4 = getelementptr i8, ptr %x, i64 896
  %h4 = load <8 x float>, ptr %q4, align 4
  %s4 = fadd <8 x float> %l4, %h4
  %p5 = getelementptr i8, ptr %x, i64 160
  %l5 = load <8 x float>, ptr %p5, align 4
  %q5 = getelementptr i8, ptr %x, i64 928
  %h5 = load <8 x float>, ptr %q5, align 4
  %s5 = fadd <8 x float> %l5, %h5
  %p6 = getelementptr i8, ptr %x, i64 192
  %l6 = load <8 x float>, ptr %p6, align 4
  %q6 = getelementptr i8, ptr %x, i64 960
  %h6 = load <8 x float>, ptr %q6, align 4
  %s6 = fadd <8 x float> %l6, %h6
  %p7 = getelementptr i8, ptr %x, i64 224
  %l7 = load <8 x float>, ptr %p7, align 4
  %q7 = getelementptr i8, ptr %x, i64 992
  %h7 = load <8 x float>, ptr %q7, align 4
  %s7 = fadd <8 x float> %l7, %h7
  %p8 = getelementptr i8, ptr %x, i64 256
  %l8 = load <8 x float>, ptr %p8, align 4
  %q8 = getelementptr i8, ptr %x, i64 1024
  %h8 = load <8 x float>, ptr %q8, align 4
  %s8 = fadd <8 x float> %l8, %h8
  %p9 = getelementptr i8, ptr %x, i64 288
  %l9 = load <8 x float>, ptr %p9, align 4
  %q9 = getelementptr i8, ptr %x, i64 1056
  %h9 = load <8 x float>, ptr %q9, align 4
  %s9 = fadd <8 x float> %l9, %h9
  %p10 = getelementptr i8, ptr %x, i64 320
  %l10 = load <8 x float>, ptr %p10, align 4
  %q10 = getelementptr i8, ptr %x, i64 1088
  %h10 = load <8 x float>, ptr %q10, align 4
  %s10 = fadd <8 x float> %l10, %h10
  %p11 = getelementptr i8, ptr %x, i64 352
  %l11 = load <8 x float>, ptr %p11, align 4
  %q11 = getelementptr i8, ptr %x, i64 1120
  %h11 = load <8 x float>, ptr %q11, align 4
  %s11 = fadd <8 x float> %l11, %h11
  %p12 = getelementptr i8, ptr %x, i64 384
  %l12 = load <8 x float>, ptr %p12, align 4
  %q12 = getelementptr i8, ptr %x, i64 1152
  %h12 = load <8 x float>, ptr %q12, align 4
  %s12 = fadd <8 x float> %l12, %h12
  %p13 = getelementptr i8, ptr %x, i64 416
  %l13 = load <8 x float>, ptr %p13, align 4
  %q13 = getelementptr i8, ptr %x, i64 1184
  %h13 = load <8 x float>, ptr %q13, align 4
  %s13 = fadd <8 x float> %l13, %h13
  %p14 = getelementptr i8, ptr %x, i64 448
  %l14 = load <8 x float>, ptr %p14, align 4
  %q14 = getelementptr i8, ptr %x, i64 1216
  %h14 = load <8 x float>, ptr %q14, align 4
  %s14 = fadd <8 x float> %l14, %h14
  %p15 = getelementptr i8, ptr %x, i64 480
  %l15 = load <8 x float>, ptr %p15, align 4
  %q15 = getelementptr i8, ptr %x, i64 1248
  %h15 = load <8 x float>, ptr %q15, align 4
  %s15 = fadd <8 x float> %l15, %h15
  %p16 = getelementptr i8, ptr %x, i64 512
  %l16 = load <8 x float>, ptr %p16, align 4
  %q16 = getelementptr i8, ptr %x, i64 1280
  %h16 = load <8 x float>, ptr %q16, align 4
  %s16 = fadd <8 x float> %l16, %h16
  %p17 = getelementptr i8, ptr %x, i64 544
  %l17 = load <8 x float>, ptr %p17, align 4
  %q17 = getelementptr i8, ptr %x, i64 1312
  %h17 = load <8 x float>, ptr %q17, align 4
  %s17 = fadd <8 x float> %l17, %h17
  %p18 = getelementptr i8, ptr %x, i64 576
  %l18 = load <8 x float>, ptr %p18, align 4
  %q18 = getelementptr i8, ptr %x, i64 1344
  %h18 = load <8 x float>, ptr %q18, align 4
  %s18 = fadd <8 x float> %l18, %h18
  %p19 = getelementptr i8, ptr %x, i64 608
  %l19 = load <8 x float>, ptr %p19, align 4
  %q19 = getelementptr i8, ptr %x, i64 1376
  %h19 = load <8 x float>, ptr %q19, align 4
  %s19 = fadd <8 x float> %l19, %h19
  %p20 = getelementptr i8, ptr %x, i64 640
  %l20 = load <8 x float>, ptr %p20, align 4
  %q20 = getelementptr i8, ptr %x, i64 1408
  %h20 = load <8 x float>, ptr %q20, align 4
  %s20 = fadd <8 x float> %l20, %h20
  %p21 = getelementptr i8, ptr %x, i64 672
  %l21 = load <8 x float>, ptr %p21, align 4
  %q21 = getelementptr i8, ptr %x, i64 1440
  %h21 = load <8 x float>, ptr %q21, align 4
  %s21 = fadd <8 x float> %l21, %h21
  %p22 = getelementptr i8, ptr %x, i64 704
  %l22 = load <8 x float>, ptr %p22, align 4
  %q22 = getelementptr i8, ptr %x, i64 1472
  %h22 = load <8 x float>, ptr %q22, align 4
  %s22 = fadd <8 x float> %l22, %h22
  %p23 = getelementptr i8, ptr %x, i64 736
  %l23 = load <8 x float>, ptr %p23, align 4
  %q23 = getelementptr i8, ptr %x, i64 1504
  %h23 = load <8 x float>, ptr %q23, align 4
  %s23 = fadd <8 x float> %l23, %h23
  %t1 = fadd <8 x float> %s0, %s1
  %t2 = fadd <8 x float> %t1, %s2
  %t3 = fadd <8 x float> %t2, %s3
  %t4 = fadd <8 x float> %t3, %s4
  %t5 = fadd <8 x float> %t4, %s5
  %t6 = fadd <8 x float> %t5, %s6
  %t7 = fadd <8 x float> %t6, %s7
  %t8 = fadd <8 x float> %t7, %s8
  %t9 = fadd <8 x float> %t8, %s9
  %t10 = fadd <8 x float> %t9, %s10
  %t11 = fadd <8 x float> %t10, %s11
  %t12 = fadd <8 x float> %t11, %s12
  %t13 = fadd <8 x float> %t12, %s13
  %t14 = fadd <8 x float> %t13, %s14
  %t15 = fadd <8 x float> %t14, %s15
  %t16 = fadd <8 x float> %t15, %s16
  %t17 = fadd <8 x float> %t16, %s17
  %t18 = fadd <8 x float> %t17, %s18
  %t19 = fadd <8 x float> %t18, %s19
  %t20 = fadd <8 x float> %t19, %s20
  %t21 = fadd <8 x float> %t20, %s21
  %t22 = fadd <8 x float> %t21, %s22
  %t23 = fadd <8 x float> %t22, %s23
  store <8 x float> %t23, ptr %out, align 4
  ret void
}
