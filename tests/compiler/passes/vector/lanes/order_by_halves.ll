; Real and imaginary parts, and members of four, stay in the order in which shuffles take them out of registers.
; RUN: %opt -kernel=scale -target=haswell -passes=order-by-halves %s | %check %s --check-prefix=SCALE
; RUN: %opt -kernel=magnitude -target=haswell -passes=order-by-halves %s | %check %s --check-prefix=MAGNITUDE
; RUN: %opt -kernel=weighted -target=haswell -passes=order-by-halves %s | %check %s --check-prefix=WEIGHTED
; RUN: %opt -kernel=none -target=haswell -passes=order-by-halves %s | %check %s --check-prefix=NONE
; RUN: %opt -kernel=scale -target=skylake-avx512 -passes=order-by-halves %s | %check %s --check-prefix=OTHERS
; RUN: %opt -kernel=quarters -target=haswell -passes=order-by-halves %s | %check %s --check-prefix=QUARTERS
; RUN: %opt -kernel=records -target=haswell -passes=order-by-halves %s | %check %s --check-prefix=RECORDS
; RUN: %opt -kernel=eighths -target=haswell -passes=order-by-halves %s | %check %s --check-prefix=EIGHTHS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; What all lanes have alike needs no order.
; SCALE-LABEL: define void @scale
; SCALE: shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 0, i32 2, i32 8, i32 10, i32 4, i32 6, i32 12, i32 14>
; SCALE: shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 1, i32 3, i32 9, i32 11, i32 5, i32 7, i32 13, i32 15>
; SCALE-NEXT: {{.*}} = fmul <8 x float> %re, {{.*}}2.000000e+00
; SCALE-NEXT: {{.*}} = fsub <8 x float> %im, %re.2
; SCALE-NEXT: {{.*}} = shufflevector <8 x float> %re.2, <8 x float> %im.2, <16 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13, i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
; OTHERS-LABEL: define void @scale
; OTHERS: <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
define void @scale(<8 x float> %a, <8 x float> %b, ptr %p) {
  %re = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %im = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15>
  %re.2 = fmul <8 x float> %re, splat (float 2.0)
  %im.2 = fsub <8 x float> %im, %re.2
  %pairs = shufflevector <8 x float> %re.2, <8 x float> %im.2, <16 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11, i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  store <16 x float> %pairs, ptr %p
  ret void
}

; One result of two parts is put in order.
; MAGNITUDE-LABEL: define void @magnitude
; MAGNITUDE: [[SUM:%.*]] = fadd <8 x float>
; MAGNITUDE: [[ORDERED:%.*]] = shufflevector <8 x float> [[SUM]], <8 x float> poison, <8 x i32> <i32 0, i32 1, i32 4, i32 5, i32 2, i32 3, i32 6, i32 7>
; MAGNITUDE: store <8 x float> [[ORDERED]]
define void @magnitude(<8 x float> %a, <8 x float> %b, ptr %p) {
  %re = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %im = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15>
  %re.2 = fmul <8 x float> %re, %re
  %im.2 = fmul <8 x float> %im, %im
  %sum = fadd <8 x float> %re.2, %im.2
  store <8 x float> %sum, ptr %p
  ret void
}

; So is an operand, once.
; WEIGHTED-LABEL: define void @weighted
; WEIGHTED: [[WEIGHTS:%.*]] = shufflevector <8 x float> %w, <8 x float> poison, <8 x i32> <i32 0, i32 1, i32 4, i32 5, i32 2, i32 3, i32 6, i32 7>
; WEIGHTED: fmul <8 x float> %re, [[WEIGHTS]]
; WEIGHTED: <16 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4,
define void @weighted(<8 x float> %a, <8 x float> %b, <8 x float> %w, ptr %p) {
  %re = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %im = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15>
  %re.2 = fmul <8 x float> %re, %w
  %im.2 = fmul <8 x float> %im, %w
  %pairs = shufflevector <8 x float> %re.2, <8 x float> %im.2, <16 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11, i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  store <16 x float> %pairs, ptr %p
  ret void
}

; Nothing is spared where the result and an operand are in order; other distances and shorter lanes stay.
; NONE-LABEL: define void @none
; NONE: <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
; NONE: <i32 0, i32 3, i32 6, i32 9, i32 12, i32 15, i32 1, i32 4>
; NONE: shufflevector <8 x i16> %c, <8 x i16> %d, <8 x i32> <i32 0, i32 2, i32 4,
define void @none(<8 x float> %a, <8 x float> %b, <8 x i16> %c, <8 x i16> %d, <8 x float> %w, ptr %p, ptr %q) {
  %re = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %sum = fadd <8 x float> %re, %w
  store <8 x float> %sum, ptr %p
  %third = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 0, i32 3, i32 6, i32 9, i32 12, i32 15, i32 1, i32 4>
  store <8 x float> %third, ptr %q
  %shorts = shufflevector <8 x i16> %c, <8 x i16> %d, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  store <8 x i16> %shorts, ptr %q
  ret void
}

; Members of four, and what they are added up to from turn to turn: no step leaves the halves of a register, and the sum
; is put in order behind the loop.
; QUARTERS-LABEL: define void @quarters(
; QUARTERS: loop:
; QUARTERS: %sum = phi <8 x float>
; QUARTERS: shufflevector <8 x float> %r0, <8 x float> %r1, <8 x i32> <i32 0, i32 2, i32 8, i32 10, i32 4, i32 6, i32 12, i32 14>
; QUARTERS: %x = shufflevector <8 x float> {{.*}}, <8 x i32> <i32 0, i32 2, i32 8, i32 10, i32 4, i32 6, i32 12, i32 14>
; QUARTERS: %z = shufflevector <8 x float> {{.*}}, <8 x i32> <i32 1, i32 3, i32 9, i32 11, i32 5, i32 7, i32 13, i32 15>
; QUARTERS-NOT: shufflevector <8 x float> %sum
; QUARTERS: end:
; QUARTERS-NEXT: %all = phi
; QUARTERS-NEXT: [[OWN:%.*]] = shufflevector <8 x float> %all, <8 x float> poison, <8 x i32> <i32 0, i32 4, i32 1, i32 5, i32 2, i32 6, i32 3, i32 7>
; QUARTERS-NEXT: store <8 x float> [[OWN]], ptr %q
define void @quarters(ptr %p, ptr %q, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <8 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %p0 = getelementptr [32 x float], ptr %p, i64 %i
  %r0 = load <8 x float>, ptr %p0, align 4
  %p1 = getelementptr i8, ptr %p0, i64 32
  %r1 = load <8 x float>, ptr %p1, align 4
  %p2 = getelementptr i8, ptr %p0, i64 64
  %r2 = load <8 x float>, ptr %p2, align 4
  %p3 = getelementptr i8, ptr %p0, i64 96
  %r3 = load <8 x float>, ptr %p3, align 4
  %xz0 = shufflevector <8 x float> %r0, <8 x float> %r1, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %xz1 = shufflevector <8 x float> %r2, <8 x float> %r3, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %x = shufflevector <8 x float> %xz0, <8 x float> %xz1, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %z = shufflevector <8 x float> %xz0, <8 x float> %xz1, <8 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15>
  %product = fmul <8 x float> %x, %z
  %more = fadd <8 x float> %sum, %product
  %next = add i64 %i, 1
  %goes.on = icmp ult i64 %next, %n
  br i1 %goes.on, label %loop, label %end

end:
  %all = phi <8 x float> [ %more, %loop ]
  store <8 x float> %all, ptr %q, align 4
  ret void
}

; Records of four are put together as they were taken apart.
; RECORDS-LABEL: define void @records(
; RECORDS: %xz = shufflevector <8 x float> %x2, <8 x float> %z2, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
; RECORDS: %first = shufflevector <8 x float> %xz, <8 x float> %yw, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
; RECORDS: %second = shufflevector <8 x float> %xz, <8 x float> %yw, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
define void @records(<8 x float> %r0, <8 x float> %r1, <8 x float> %r2, <8 x float> %r3, <8 x float> %k, ptr %q) {
  %xz0 = shufflevector <8 x float> %r0, <8 x float> %r1, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %xz1 = shufflevector <8 x float> %r2, <8 x float> %r3, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %yw0 = shufflevector <8 x float> %r0, <8 x float> %r1, <8 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15>
  %yw1 = shufflevector <8 x float> %r2, <8 x float> %r3, <8 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15>
  %x = shufflevector <8 x float> %xz0, <8 x float> %xz1, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %z = shufflevector <8 x float> %xz0, <8 x float> %xz1, <8 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15>
  %y = shufflevector <8 x float> %yw0, <8 x float> %yw1, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %w = shufflevector <8 x float> %yw0, <8 x float> %yw1, <8 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15>
  %x2 = fmul <8 x float> %x, %w
  %y2 = fmul <8 x float> %y, %x
  %z2 = fadd <8 x float> %z, %k
  %w2 = fadd <8 x float> %w, %y
  %xz = shufflevector <8 x float> %x2, <8 x float> %z2, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %yw = shufflevector <8 x float> %y2, <8 x float> %w2, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %first = shufflevector <8 x float> %xz, <8 x float> %yw, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %second = shufflevector <8 x float> %xz, <8 x float> %yw, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  store <8 x float> %first, ptr %q, align 4
  %behind = getelementptr i8, ptr %q, i64 32
  store <8 x float> %second, ptr %behind, align 4
  ret void
}

; Of three steps the last two stay within halves of registers.
; EIGHTHS-LABEL: define void @eighths(
; EIGHTHS: %s3 = shufflevector <8 x float> %r6, <8 x float> %r7, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
; EIGHTHS-NEXT: [[FIRST:%.*]] = shufflevector <8 x float> %s0, <8 x float> %s1, <8 x i32> <i32 0, i32 2, i32 8, i32 10, i32 4, i32 6, i32 12, i32 14>
; EIGHTHS-NEXT: [[SECOND:%.*]] = shufflevector <8 x float> %s2, <8 x float> %s3, <8 x i32> <i32 0, i32 2, i32 8, i32 10, i32 4, i32 6, i32 12, i32 14>
; EIGHTHS-NEXT: %x = shufflevector <8 x float> [[FIRST]], <8 x float> [[SECOND]], <8 x i32> <i32 0, i32 2, i32 8, i32 10, i32 4, i32 6, i32 12, i32 14>
; EIGHTHS-NEXT: %y = fmul <8 x float> %x, %x
; EIGHTHS-NEXT: [[OWN:%.*]] = shufflevector <8 x float> %y, <8 x float> poison, <8 x i32> <i32 0, i32 4, i32 1, i32 5, i32 2, i32 6, i32 3, i32 7>
; EIGHTHS-NEXT: store <8 x float> [[OWN]], ptr %q
define void @eighths(<8 x float> %r0, <8 x float> %r1, <8 x float> %r2, <8 x float> %r3, <8 x float> %r4, <8 x float> %r5, <8 x float> %r6, <8 x float> %r7, ptr %q) {
  %s0 = shufflevector <8 x float> %r0, <8 x float> %r1, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %s1 = shufflevector <8 x float> %r2, <8 x float> %r3, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %s2 = shufflevector <8 x float> %r4, <8 x float> %r5, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %s3 = shufflevector <8 x float> %r6, <8 x float> %r7, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %q0 = shufflevector <8 x float> %s0, <8 x float> %s1, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %q1 = shufflevector <8 x float> %s2, <8 x float> %s3, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %x = shufflevector <8 x float> %q0, <8 x float> %q1, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %y = fmul <8 x float> %x, %x
  store <8 x float> %y, ptr %q, align 4
  ret void
}
