; RUN: %opt -kernel=sums -passes=carry-records %s | %check %s --check-prefix=SUMS
; RUN: %opt -kernel=guarded -passes=carry-records %s | %check %s --check-prefix=GUARDED
; RUN: %opt -kernel=watched -passes=carry-records %s | %check %s --check-prefix=WATCHED
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare { <8 x float>, <8 x float> } @"lanza.take.apart 2 <8 x float>"(<8 x float>, <8 x float>) memory(none) nounwind willreturn
declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)

; Sums of neighbouring columns go round the loop as they lie in memory; behind it each goes its own way.
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
; SUMS-DAG: [[E0:%.*]] = phi <8 x float> [ [[N0]], %loop ]
; SUMS-DAG: [[E1:%.*]] = phi <8 x float> [ [[N1]], %loop ]
; SUMS-NOT: lanza.put.together
; SUMS: [[APART:%.*]] = call {{.*}}lanza.take.apart{{.*}}(<8 x float> [[E0]], <8 x float> [[E1]])
; SUMS: [[R0:%.*]] = extractvalue {{.*}} [[APART]], 0
; SUMS: [[R1:%.*]] = extractvalue {{.*}} [[APART]], 1
; SUMS: store <8 x float> [[R0]], ptr %c
; SUMS: store <8 x float> [[R1]], ptr %d
; SUMS: ret void
define void @sums(ptr %a, ptr %b, ptr %c, ptr %d, float %x) {
entry:
  %xi = insertelement <8 x float> poison, float %x, i64 0
  %v = shufflevector <8 x float> %xi, <8 x float> poison, <8 x i32> zeroinitializer
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s0 = phi <8 x float> [ zeroinitializer, %entry ], [ %n0, %loop ]
  %s1 = phi <8 x float> [ zeroinitializer, %entry ], [ %n1, %loop ]
  %p = getelementptr <16 x float>, ptr %b, i64 %k
  %m0 = load <8 x float>, ptr %p
  %p1 = getelementptr <8 x float>, ptr %p, i64 1
  %m1 = load <8 x float>, ptr %p1
  %t = call { <8 x float>, <8 x float> } @"lanza.take.apart 2 <8 x float>"(<8 x float> %m0, <8 x float> %m1)
  %u0 = extractvalue { <8 x float>, <8 x float> } %t, 0
  %u1 = extractvalue { <8 x float>, <8 x float> } %t, 1
  %n0 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v, <8 x float> %u0, <8 x float> %s0)
  %n1 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v, <8 x float> %u1, <8 x float> %s1)
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, 100
  br i1 %more, label %loop, label %end
end:
  store <8 x float> %n0, ptr %c
  store <8 x float> %n1, ptr %d
  ret void
}

; Tiles within tiles, of which there may be none: both loops carry whole vectors.
; GUARDED-LABEL: define void @guarded(
; GUARDED: {{^}}inner:
; GUARDED-NOT: call {{.*}}lanza
; GUARDED: {{^}}end:
; GUARDED-DAG: phi <8 x float> [ zeroinitializer, %entry ], [ {{%.*}}, %tiles.end ]
; GUARDED-DAG: phi <8 x float> [ zeroinitializer, %entry ], [ {{%.*}}, %tiles.end ]
; GUARDED: call {{.*}}lanza.take.apart
; GUARDED-NOT: call {{.*}}lanza
; GUARDED: ret void
define void @guarded(ptr %b, ptr %c, ptr %d, float %x, i64 %n) {
entry:
  %xi = insertelement <8 x float> poison, float %x, i64 0
  %v = shufflevector <8 x float> %xi, <8 x float> poison, <8 x i32> zeroinitializer
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %tiles, label %end
tiles:
  %tile = phi i64 [ 0, %entry ], [ %tile.next, %tiles.end ]
  %o0 = phi <8 x float> [ zeroinitializer, %entry ], [ %n0, %tiles.end ]
  %o1 = phi <8 x float> [ zeroinitializer, %entry ], [ %n1, %tiles.end ]
  br label %inner
inner:
  %k = phi i64 [ 0, %tiles ], [ %next, %inner ]
  %s0 = phi <8 x float> [ %o0, %tiles ], [ %n0, %inner ]
  %s1 = phi <8 x float> [ %o1, %tiles ], [ %n1, %inner ]
  %p = getelementptr <16 x float>, ptr %b, i64 %k
  %m0 = load <8 x float>, ptr %p
  %p1 = getelementptr <8 x float>, ptr %p, i64 1
  %m1 = load <8 x float>, ptr %p1
  %t = call { <8 x float>, <8 x float> } @"lanza.take.apart 2 <8 x float>"(<8 x float> %m0, <8 x float> %m1)
  %u0 = extractvalue { <8 x float>, <8 x float> } %t, 0
  %u1 = extractvalue { <8 x float>, <8 x float> } %t, 1
  %n0 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v, <8 x float> %u0, <8 x float> %s0)
  %n1 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v, <8 x float> %u1, <8 x float> %s1)
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, 8
  br i1 %more, label %inner, label %tiles.end
tiles.end:
  %tile.next = add i64 %tile, 1
  %again = icmp slt i64 %tile.next, %n
  br i1 %again, label %tiles, label %end
end:
  %r0 = phi <8 x float> [ zeroinitializer, %entry ], [ %n0, %tiles.end ]
  %r1 = phi <8 x float> [ zeroinitializer, %entry ], [ %n1, %tiles.end ]
  store <8 x float> %r0, ptr %c
  store <8 x float> %r1, ptr %d
  ret void
}

; One member is wanted in each turn.
; WATCHED-LABEL: define void @watched(
; WATCHED: {{^}}loop:
; WATCHED: call {{.*}}lanza.take.apart
; WATCHED: {{^}}end:
; WATCHED-NOT: call {{.*}}lanza
; WATCHED: ret void
define void @watched(ptr %b, ptr %c, ptr %d, float %x) {
entry:
  %xi = insertelement <8 x float> poison, float %x, i64 0
  %v = shufflevector <8 x float> %xi, <8 x float> poison, <8 x i32> zeroinitializer
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s0 = phi <8 x float> [ zeroinitializer, %entry ], [ %n0, %loop ]
  %s1 = phi <8 x float> [ zeroinitializer, %entry ], [ %n1, %loop ]
  %p = getelementptr <16 x float>, ptr %b, i64 %k
  %m0 = load <8 x float>, ptr %p
  %p1 = getelementptr <8 x float>, ptr %p, i64 1
  %m1 = load <8 x float>, ptr %p1
  %t = call { <8 x float>, <8 x float> } @"lanza.take.apart 2 <8 x float>"(<8 x float> %m0, <8 x float> %m1)
  %u0 = extractvalue { <8 x float>, <8 x float> } %t, 0
  %u1 = extractvalue { <8 x float>, <8 x float> } %t, 1
  %n0 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v, <8 x float> %u0, <8 x float> %s0)
  %n1 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v, <8 x float> %u1, <8 x float> %s1)
  store <8 x float> %n0, ptr %c
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, 100
  br i1 %more, label %loop, label %end
end:
  store <8 x float> %n1, ptr %d
  ret void
}
