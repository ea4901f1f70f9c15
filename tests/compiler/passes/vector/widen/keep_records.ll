; RUN: %opt -kernel=particles -passes=keep-records %s | %check %s --check-prefix=PARTICLES
; RUN: %opt -kernel=sums -passes=keep-records %s | %check %s --check-prefix=SUMS
; RUN: %opt -kernel=scaled -passes=keep-records %s | %check %s --check-prefix=SCALED
; RUN: %opt -kernel=words -passes=keep-records %s | %check %s --check-prefix=WORDS
; RUN: %opt -kernel=apart -passes=keep-records %s | %check %s --check-prefix=APART
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare { <8 x float>, <8 x float>, <8 x float>, <8 x float> } @"lanza.take.apart 4 <8 x float>"(<8 x float>, <8 x float>, <8 x float>, <8 x float>) memory(none) nounwind willreturn
declare { <8 x float>, <8 x float>, <8 x float>, <8 x float> } @"lanza.put.together 4 <8 x float>"(<8 x float>, <8 x float>, <8 x float>, <8 x float>) memory(none) nounwind willreturn
declare { <8 x float>, <8 x float> } @"lanza.take.apart 2 <8 x float>"(<8 x float>, <8 x float>) memory(none) nounwind willreturn
declare { <8 x float>, <8 x float> } @"lanza.put.together 2 <8 x float>"(<8 x float>, <8 x float>) memory(none) nounwind willreturn
declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)

; Records of x, y, vx, vy: places move by their velocities, which change places within the record for that; one of them
; changes first. What is stored are whole vectors of memory.
; PARTICLES-LABEL: define void @particles(
; PARTICLES: [[M:%.*]] = load <8 x float>, ptr %p
; PARTICLES-NOT: call {{.*}}lanza
; PARTICLES: [[FALL:%.*]] = fsub <8 x float> [[M]], %g
; PARTICLES: [[BLEND:%.*]] = select <8 x i1> <i1 false, i1 false, i1 false, i1 true, i1 false, i1 false, i1 false, i1 true>, <8 x float> [[FALL]], <8 x float> [[M]]
; PARTICLES: [[MOVED:%.*]] = shufflevector <8 x float> [[BLEND]], <8 x float> poison, <8 x i32> <i32 2, i32 3, i32 poison, i32 poison, i32 6, i32 7, i32 poison, i32 poison>
; PARTICLES: call <8 x float> @llvm.fma.v8f32(<8 x float> [[MOVED]], <8 x float> %d, <8 x float> [[M]])
; PARTICLES-NOT: call {{.*}}lanza
; PARTICLES: ret void
define void @particles(ptr %p, float %dt, float %c) {
  %di = insertelement <8 x float> poison, float %dt, i64 0
  %d = shufflevector <8 x float> %di, <8 x float> poison, <8 x i32> zeroinitializer
  %gi = insertelement <8 x float> poison, float %c, i64 0
  %g = shufflevector <8 x float> %gi, <8 x float> poison, <8 x i32> zeroinitializer
  %m0 = load <8 x float>, ptr %p
  %p1 = getelementptr <8 x float>, ptr %p, i64 1
  %m1 = load <8 x float>, ptr %p1
  %p2 = getelementptr <8 x float>, ptr %p, i64 2
  %m2 = load <8 x float>, ptr %p2
  %p3 = getelementptr <8 x float>, ptr %p, i64 3
  %m3 = load <8 x float>, ptr %p3
  %a = call { <8 x float>, <8 x float>, <8 x float>, <8 x float> } @"lanza.take.apart 4 <8 x float>"(<8 x float> %m0, <8 x float> %m1, <8 x float> %m2, <8 x float> %m3)
  %x = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float> } %a, 0
  %y = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float> } %a, 1
  %vx = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float> } %a, 2
  %vy = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float> } %a, 3
  %fall = fsub <8 x float> %vy, %g
  %nx = call <8 x float> @llvm.fma.v8f32(<8 x float> %vx, <8 x float> %d, <8 x float> %x)
  %ny = call <8 x float> @llvm.fma.v8f32(<8 x float> %fall, <8 x float> %d, <8 x float> %y)
  %t = call { <8 x float>, <8 x float>, <8 x float>, <8 x float> } @"lanza.put.together 4 <8 x float>"(<8 x float> %nx, <8 x float> %ny, <8 x float> %vx, <8 x float> %fall)
  %s0 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t, 0
  %s1 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t, 1
  %s2 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t, 2
  %s3 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t, 3
  store <8 x float> %s0, ptr %p
  store <8 x float> %s1, ptr %p1
  store <8 x float> %s2, ptr %p2
  store <8 x float> %s3, ptr %p3
  ret void
}

; Sums of neighbouring columns go round the loop as they will be stored.
; SUMS-LABEL: define void @sums(
; SUMS: {{^}}loop:
; SUMS-DAG: [[S0:%.*]] = phi <8 x float> [ zeroinitializer, %entry ], [ [[N0:%.*]], %loop ]
; SUMS-DAG: [[S1:%.*]] = phi <8 x float> [ zeroinitializer, %entry ], [ [[N1:%.*]], %loop ]
; SUMS: [[M0:%.*]] = load <8 x float>
; SUMS: [[M1:%.*]] = load <8 x float>
; SUMS-NOT: call {{.*}}lanza
; SUMS-DAG: [[N0]] = call <8 x float> @llvm.fma.v8f32(<8 x float> %v, <8 x float> [[M0]], <8 x float> [[S0]])
; SUMS-DAG: [[N1]] = call <8 x float> @llvm.fma.v8f32(<8 x float> %v, <8 x float> [[M1]], <8 x float> [[S1]])
; SUMS: {{^}}end:
; SUMS-NOT: call {{.*}}lanza
; SUMS: store <8 x float> [[N0]], ptr %c
; SUMS: store <8 x float> [[N1]], ptr
; SUMS: ret void
define void @sums(ptr %a, ptr %b, ptr %c) {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s0 = phi <8 x float> [ zeroinitializer, %entry ], [ %n0, %loop ]
  %s1 = phi <8 x float> [ zeroinitializer, %entry ], [ %n1, %loop ]
  %pa = getelementptr float, ptr %a, i64 %k
  %f = load float, ptr %pa
  %i = insertelement <8 x float> poison, float %f, i64 0
  %v = shufflevector <8 x float> %i, <8 x float> poison, <8 x i32> zeroinitializer
  %p0 = getelementptr [2 x <8 x float>], ptr %b, i64 %k
  %m0 = load <8 x float>, ptr %p0
  %p1 = getelementptr i8, ptr %p0, i64 32
  %m1 = load <8 x float>, ptr %p1
  %u = call { <8 x float>, <8 x float> } @"lanza.take.apart 2 <8 x float>"(<8 x float> %m0, <8 x float> %m1)
  %u0 = extractvalue { <8 x float>, <8 x float> } %u, 0
  %u1 = extractvalue { <8 x float>, <8 x float> } %u, 1
  %n0 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v, <8 x float> %u0, <8 x float> %s0)
  %n1 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v, <8 x float> %u1, <8 x float> %s1)
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, 100
  br i1 %more, label %loop, label %end
end:
  %t = call { <8 x float>, <8 x float> } @"lanza.put.together 2 <8 x float>"(<8 x float> %n0, <8 x float> %n1)
  %t0 = extractvalue { <8 x float>, <8 x float> } %t, 0
  %t1 = extractvalue { <8 x float>, <8 x float> } %t, 1
  store <8 x float> %t0, ptr %c
  %c1 = getelementptr i8, ptr %c, i64 32
  store <8 x float> %t1, ptr %c1
  ret void
}

; Scalars that differ from member to member are a pattern; what differs from lane to lane is repeated for its record.
; SCALED-LABEL: define void @scaled(
; SCALED-NOT: call {{.*}}lanza
; SCALED: shufflevector <8 x float> %w, <8 x float> poison, <8 x i32> <i32 0, i32 0, i32 1, i32 1, i32 2, i32 2, i32 3, i32 3>
; SCALED: shufflevector <8 x float> %w, <8 x float> poison, <8 x i32> <i32 4, i32 4, i32 5, i32 5, i32 6, i32 6, i32 7, i32 7>
; SCALED: [[PATTERN:%.*]] = shufflevector <8 x float> {{.*}}, <8 x float> poison, <8 x i32> <i32 0, i32 1, i32 0, i32 1, i32 0, i32 1, i32 0, i32 1>
; SCALED: fmul <8 x float> {{.*}}, [[PATTERN]]
; SCALED: fmul <8 x float> {{.*}}, [[PATTERN]]
; SCALED-NOT: call {{.*}}lanza
; SCALED: ret void
define void @scaled(ptr %p, ptr %q, float %f, float %g) {
  %fi = insertelement <8 x float> poison, float %f, i64 0
  %fs = shufflevector <8 x float> %fi, <8 x float> poison, <8 x i32> zeroinitializer
  %gi = insertelement <8 x float> poison, float %g, i64 0
  %gs = shufflevector <8 x float> %gi, <8 x float> poison, <8 x i32> zeroinitializer
  %w = load <8 x float>, ptr %q
  %x = fmul <8 x float> %w, %fs
  %y = fmul <8 x float> %w, %gs
  %t = call { <8 x float>, <8 x float> } @"lanza.put.together 2 <8 x float>"(<8 x float> %x, <8 x float> %y)
  %t0 = extractvalue { <8 x float>, <8 x float> } %t, 0
  %t1 = extractvalue { <8 x float>, <8 x float> } %t, 1
  store <8 x float> %t0, ptr %p
  %p1 = getelementptr i8, ptr %p, i64 32
  store <8 x float> %t1, ptr %p1
  ret void
}

; Much arithmetic for few shuffles, and different for each member: it stays with the lanes.
; APART-LABEL: define void @apart(
; APART: call {{.*}}lanza.take.apart
; APART: call {{.*}}lanza.put.together
define void @apart(ptr %p) {
  %m0 = load <8 x float>, ptr %p
  %p1 = getelementptr i8, ptr %p, i64 32
  %m1 = load <8 x float>, ptr %p1
  %u = call { <8 x float>, <8 x float> } @"lanza.take.apart 2 <8 x float>"(<8 x float> %m0, <8 x float> %m1)
  %x = extractvalue { <8 x float>, <8 x float> } %u, 0
  %y = extractvalue { <8 x float>, <8 x float> } %u, 1
  %a = fmul <8 x float> %x, %y
  %b = fdiv <8 x float> %a, %y
  %c = fadd <8 x float> %b, %x
  %d = fmul <8 x float> %c, %y
  %t = call { <8 x float>, <8 x float> } @"lanza.put.together 2 <8 x float>"(<8 x float> %c, <8 x float> %d)
  %t0 = extractvalue { <8 x float>, <8 x float> } %t, 0
  %t1 = extractvalue { <8 x float>, <8 x float> } %t, 1
  store <8 x float> %t0, ptr %p
  store <8 x float> %t1, ptr %p1
  ret void
}

; Words of four bytes, put together of four numbers, and numbers of a word's bytes: each as it lies in memory.
; WORDS-LABEL: define void @words(
; WORDS: [[M:%.*]] = load <8 x float>, ptr %p
; WORDS-NOT: call {{.*}}lanza
; WORDS: [[ADD:%.*]] = fadd <8 x float> [[M]], %d
; WORDS: [[B:%.*]] = fptoui <8 x float> [[ADD]] to <8 x i8>
; WORDS: shufflevector <8 x i8> [[B]],
; WORDS: [[W:%.*]] = bitcast <32 x i8> {{.*}} to <8 x i32>
; WORDS: store <8 x i32> [[W]], ptr %q
; WORDS: [[IN:%.*]] = load <8 x i32>, ptr %r
; WORDS: [[BYTES:%.*]] = bitcast <8 x i32> [[IN]] to <32 x i8>
; WORDS: [[FIRST:%.*]] = shufflevector <32 x i8> [[BYTES]], <32 x i8> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3,
; WORDS-NOT: lshr
; WORDS: [[F:%.*]] = uitofp <8 x i8> [[FIRST]] to <8 x float>
; WORDS-NOT: call {{.*}}lanza
; WORDS: store <8 x float> [[F]], ptr %s
; WORDS: ret void
define void @words(ptr %p, float %dt, ptr %q, ptr %r, ptr %s) {
  %di = insertelement <8 x float> poison, float %dt, i64 0
  %d = shufflevector <8 x float> %di, <8 x float> poison, <8 x i32> zeroinitializer
  %m0 = load <8 x float>, ptr %p
  %p1 = getelementptr <8 x float>, ptr %p, i64 1
  %m1 = load <8 x float>, ptr %p1
  %p2 = getelementptr <8 x float>, ptr %p, i64 2
  %m2 = load <8 x float>, ptr %p2
  %p3 = getelementptr <8 x float>, ptr %p, i64 3
  %m3 = load <8 x float>, ptr %p3
  %a = call { <8 x float>, <8 x float>, <8 x float>, <8 x float> } @"lanza.take.apart 4 <8 x float>"(<8 x float> %m0, <8 x float> %m1, <8 x float> %m2, <8 x float> %m3)
  %a0 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float> } %a, 0
  %s0 = fadd <8 x float> %a0, %d
  %b0 = fptoui <8 x float> %s0 to <8 x i8>
  %a1 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float> } %a, 1
  %s1 = fadd <8 x float> %a1, %d
  %b1 = fptoui <8 x float> %s1 to <8 x i8>
  %a2 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float> } %a, 2
  %s2 = fadd <8 x float> %a2, %d
  %b2 = fptoui <8 x float> %s2 to <8 x i8>
  %a3 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float> } %a, 3
  %s3 = fadd <8 x float> %a3, %d
  %b3 = fptoui <8 x float> %s3 to <8 x i8>
  %w0 = zext <8 x i8> %b0 to <8 x i32>
  %z1 = zext <8 x i8> %b1 to <8 x i32>
  %h1 = shl <8 x i32> %z1, splat (i32 8)
  %w1 = or <8 x i32> %w0, %h1
  %z2 = zext <8 x i8> %b2 to <8 x i32>
  %h2 = shl <8 x i32> %z2, splat (i32 16)
  %w2 = or <8 x i32> %w1, %h2
  %z3 = zext <8 x i8> %b3 to <8 x i32>
  %h3 = shl <8 x i32> %z3, splat (i32 24)
  %w3 = or <8 x i32> %w2, %h3
  store <8 x i32> %w3, ptr %q
  %in = load <8 x i32>, ptr %r
  %c0 = trunc <8 x i32> %in to <8 x i8>
  %l1 = lshr <8 x i32> %in, splat (i32 8)
  %c1 = trunc <8 x i32> %l1 to <8 x i8>
  %l2 = lshr <8 x i32> %in, splat (i32 16)
  %c2 = trunc <8 x i32> %l2 to <8 x i8>
  %l3 = lshr <8 x i32> %in, splat (i32 24)
  %c3 = trunc <8 x i32> %l3 to <8 x i8>
  %f0 = uitofp <8 x i8> %c0 to <8 x float>
  %f1 = uitofp <8 x i8> %c1 to <8 x float>
  %f2 = uitofp <8 x i8> %c2 to <8 x float>
  %f3 = uitofp <8 x i8> %c3 to <8 x float>
  %t = call { <8 x float>, <8 x float>, <8 x float>, <8 x float> } @"lanza.put.together 4 <8 x float>"(<8 x float> %f0, <8 x float> %f1, <8 x float> %f2, <8 x float> %f3)
  %t0 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t, 0
  store <8 x float> %t0, ptr %s
  %t1 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t, 1
  %sp1 = getelementptr <8 x float>, ptr %s, i64 1
  store <8 x float> %t1, ptr %sp1
  %t2 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t, 2
  %sp2 = getelementptr <8 x float>, ptr %s, i64 2
  store <8 x float> %t2, ptr %sp2
  %t3 = extractvalue { <8 x float>, <8 x float>, <8 x float>, <8 x float> } %t, 3
  %sp3 = getelementptr <8 x float>, ptr %s, i64 3
  store <8 x float> %t3, ptr %sp3
  ret void
}
