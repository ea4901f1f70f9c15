; RUN: %opt -kernel=scan -passes=spanning-loads %s | %check %s --check-prefix=SCAN
; RUN: %opt -kernel=edges -passes=spanning-loads %s | %check %s --check-prefix=EDGES
; RUN: %opt -kernel=some -passes=spanning-loads %s | %check %s --check-prefix=SOME
; RUN: %opt -kernel=others -passes=spanning-loads %s | %check %s --check-prefix=OTHERS
; RUN: %opt -kernel=unwritten -passes=spanning-loads %s | %check %s --check-prefix=UNWRITTEN
; RUN: %opt -kernel=columns -passes=spanning-loads %s | %check %s --check-prefix=COLUMNS
; RUN: %opt -kernel=unknown -passes=spanning-loads %s | %check %s --check-prefix=UNKNOWN
; RUN: %opt -kernel=gap -passes=spanning-loads %s | %check %s --check-prefix=GAP
; RUN: %opt -kernel=alone -passes=spanning-loads %s | %check %s --check-prefix=ALONE
; RUN: %opt -kernel=rows -passes=spanning-loads %s | %check %s --check-prefix=ROWS
; RUN: %opt -kernel=taps -passes=spanning-loads %s | %check %s --check-prefix=LOADED
; RUN: %opt -kernel=taps -target=znver5 -passes=spanning-loads %s | %check %s --check-prefix=TAPS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare <4 x float> @llvm.masked.load.v4f32.p0(ptr, i32, <4 x i1>, <4 x float>)
declare void @llvm.masked.store.v4f32.p0(<4 x float>, ptr, i32, <4 x i1>)
declare <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr>, i32, <4 x i1>, <4 x float>)
declare void @llvm.masked.scatter.v4f32.v4p0(<4 x float>, <4 x ptr>, i32, <4 x i1>)
declare void @use(<4 x float>)
declare void @keep(ptr)

; What lies across two vectors is both; what a mask leaves out in front of the variable is what the load had for it.
; SCAN-LABEL: define void @scan(
; SCAN: [[A:%.*]] = load <4 x float>, ptr %s, align 16
; SCAN-NEXT: [[FIRST:%.*]] = shufflevector <4 x float> [[A]], <4 x float> poison, <4 x i32> <i32 poison, i32 0, i32 1, i32 2>
; SCAN-NEXT: [[KEPT:%.*]] = select <4 x i1> <i1 false, i1 true, i1 true, i1 true>, <4 x float> [[FIRST]], <4 x float> zeroinitializer
; SCAN-NEXT: call void @use(<4 x float> [[KEPT]])
; SCAN-DAG: [[A2:%.*]] = load <4 x float>, ptr %s, align 16
; SCAN-DAG: [[P:%.*]] = getelementptr inbounds i8, ptr %s, i64 16
; SCAN-DAG: [[B:%.*]] = load <4 x float>, ptr [[P]], align 16
; SCAN: [[BOTH:%.*]] = shufflevector <4 x float> [[A2]], <4 x float> [[B]], <4 x i32> <i32 3, i32 4, i32 5, i32 6>
; SCAN-NEXT: call void @use(<4 x float> [[BOTH]])
define void @scan(<4 x float> %a, <4 x float> %b) {
  %s = alloca [32 x i8], align 16
  %p = getelementptr i8, ptr %s, i64 16
  store <4 x float> %a, ptr %s, align 16
  store <4 x float> %b, ptr %p, align 16
  %before = getelementptr i8, ptr %s, i64 -4
  %x = call <4 x float> @llvm.masked.load.v4f32.p0(ptr %before, i32 4, <4 x i1> <i1 0, i1 1, i1 1, i1 1>, <4 x float> zeroinitializer)
  call void @use(<4 x float> %x)
  %q = getelementptr i8, ptr %s, i64 12
  %y = load <4 x float>, ptr %q, align 4
  call void @use(<4 x float> %y)
  ret void
}

; A cell at the edge, and integers where floats were stored.
; EDGES-LABEL: define <4 x i32> @edges(
; EDGES: [[CELL:%.*]] = load float, ptr %s, align 16
; EDGES-NEXT: [[INTEGER:%.*]] = bitcast float [[CELL]] to i32
; EDGES-NEXT: [[ONE:%.*]] = insertelement <1 x i32> poison, i32 [[INTEGER]], i64 0
; EDGES-NEXT: [[LEFT:%.*]] = shufflevector <1 x i32> [[ONE]], <1 x i32> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
; EDGES: [[ROW:%.*]] = load <4 x float>, ptr {{.*}}, align 4
; EDGES-NEXT: [[INTEGERS:%.*]] = bitcast <4 x float> [[ROW]] to <4 x i32>
; EDGES-NEXT: [[REST:%.*]] = shufflevector <4 x i32> [[INTEGERS]], <4 x i32> poison, <4 x i32> <i32 poison, i32 0, i32 1, i32 2>
; EDGES-NEXT: [[ALL:%.*]] = shufflevector <4 x i32> [[LEFT]], <4 x i32> [[REST]], <4 x i32> <i32 0, i32 5, i32 6, i32 7>
; EDGES-NEXT: ret <4 x i32> [[ALL]]
define <4 x i32> @edges(float %cell, <4 x float> %row) {
  %s = alloca [20 x i8], align 16
  %p = getelementptr i8, ptr %s, i64 4
  store float %cell, ptr %s, align 4
  store <4 x float> %row, ptr %p, align 4
  %x = load <4 x i32>, ptr %s, align 4
  ret <4 x i32> %x
}

; Stores of some lanes are stores of all.
; SOME-LABEL: define <4 x float> @some(
; SOME: [[OLD:%.*]] = load <4 x float>, ptr %p, align 16
; SOME-NEXT: [[NEW:%.*]] = select <4 x i1> %mask, <4 x float> %a, <4 x float> [[OLD]]
; SOME-NEXT: store <4 x float> [[NEW]], ptr %p, align 16
; SOME: shufflevector <4 x float> {{.*}} <4 x i32> <i32 2, i32 3, i32 4, i32 5>
define <4 x float> @some(<4 x float> %a, <4 x float> %b, <4 x i1> %mask) {
  %s = alloca [32 x i8], align 16
  %p = getelementptr i8, ptr %s, i64 16
  store <4 x float> %a, ptr %s, align 16
  store <4 x float> %b, ptr %p, align 16
  call void @llvm.masked.store.v4f32.p0(<4 x float> %a, ptr %p, i32 16, <4 x i1> %mask)
  %q = getelementptr i8, ptr %s, i64 8
  %x = load <4 x float>, ptr %q, align 4
  ret <4 x float> %x
}

; Variables that others see, of which stores overlap in part, that are indexed, and of which a part is never stored.
; OTHERS-LABEL: define void @others(
; OTHERS-NOT: shufflevector
define void @others(<4 x float> %a, i64 %i) {
  %seen = alloca [32 x i8], align 16
  call void @keep(ptr %seen)
  %seen4 = getelementptr i8, ptr %seen, i64 16
  store <4 x float> %a, ptr %seen, align 16
  store <4 x float> %a, ptr %seen4, align 16
  %seen2 = getelementptr i8, ptr %seen, i64 8
  %v = load <4 x float>, ptr %seen2, align 4
  call void @use(<4 x float> %v)
  %partly = alloca [32 x i8], align 16
  %partly2 = getelementptr i8, ptr %partly, i64 8
  store <4 x float> %a, ptr %partly, align 16
  store <4 x float> %a, ptr %partly2, align 8
  %partly1 = getelementptr i8, ptr %partly, i64 4
  %w = load <4 x float>, ptr %partly1, align 4
  call void @use(<4 x float> %w)
  %indexed = alloca [32 x i8], align 16
  %indexed4 = getelementptr i8, ptr %indexed, i64 16
  store <4 x float> %a, ptr %indexed, align 16
  store <4 x float> %a, ptr %indexed4, align 16
  %indexedi = getelementptr i8, ptr %indexed, i64 %i
  %x = load <4 x float>, ptr %indexedi, align 4
  call void @use(<4 x float> %x)
  %indexed2 = getelementptr i8, ptr %indexed, i64 8
  %x2 = load <4 x float>, ptr %indexed2, align 4
  call void @use(<4 x float> %x2)
  %half = alloca [32 x i8], align 16
  store <4 x float> %a, ptr %half, align 16
  %half2 = getelementptr i8, ptr %half, i64 8
  %y = load <4 x float>, ptr %half2, align 4
  call void @use(<4 x float> %y)
  ret void
}

; What is read at many distances is shuffled where that costs less than a load across two lines.
; LOADED-LABEL: define void @taps(
; LOADED-NOT: shufflevector
; TAPS-LABEL: define void @taps(
; TAPS: shufflevector <4 x float> {{.*}} <4 x i32> <i32 1, i32 2, i32 3, i32 4>
; TAPS: shufflevector <4 x float> {{.*}} <4 x i32> <i32 2, i32 3, i32 4, i32 5>
; TAPS: shufflevector <4 x float> {{.*}} <4 x i32> <i32 3, i32 4, i32 5, i32 6>
define void @taps(<4 x float> %a) {
  %taps = alloca [32 x i8], align 16
  %taps1 = getelementptr i8, ptr %taps, i64 4
  %taps2 = getelementptr i8, ptr %taps, i64 8
  %taps3 = getelementptr i8, ptr %taps, i64 12
  %taps4 = getelementptr i8, ptr %taps, i64 16
  store <4 x float> %a, ptr %taps, align 16
  store <4 x float> %a, ptr %taps4, align 16
  %z1 = load <4 x float>, ptr %taps1, align 4
  %z2 = load <4 x float>, ptr %taps2, align 4
  %z3 = load <4 x float>, ptr %taps3, align 4
  %z4 = load <4 x float>, ptr %taps1, align 4
  %z5 = load <4 x float>, ptr %taps2, align 4
  call void @use(<4 x float> %z1)
  call void @use(<4 x float> %z2)
  call void @use(<4 x float> %z3)
  call void @use(<4 x float> %z4)
  call void @use(<4 x float> %z5)
  ret void
}

; Behind what is stored nobody writes: what is read there may be anything.
; UNWRITTEN-LABEL: define <4 x float> @unwritten(
; UNWRITTEN: [[A:%.*]] = load <4 x float>, ptr %s, align 16
; UNWRITTEN-NEXT: [[B:%.*]] = load <4 x float>, ptr %p
; UNWRITTEN: shufflevector <4 x float> %{{.*}}, <4 x float> %{{.*}}, <4 x i32> <i32 1, i32 2, i32 3, i32 4>
; UNWRITTEN: [[LAST:%.*]] = load <4 x float>, ptr
; UNWRITTEN-NEXT: shufflevector <4 x float> [[LAST]], <4 x float> poison, <4 x i32> <i32 1, i32 2, i32 3, i32 poison>
define <4 x float> @unwritten(<4 x float> %a, <4 x float> %b) {
  %s = alloca [48 x i8], align 16
  %p = getelementptr i8, ptr %s, i64 16
  %q = getelementptr i8, ptr %s, i64 4
  %r = getelementptr i8, ptr %s, i64 20
  store <4 x float> %a, ptr %s, align 16
  store <4 x float> %b, ptr %p, align 16
  %u = load <4 x float>, ptr %s, align 16
  %v = load <4 x float>, ptr %p, align 16
  %x = load <4 x float>, ptr %q, align 4
  %y = load <4 x float>, ptr %r, align 4
  %sum = fadd <4 x float> %x, %y
  ret <4 x float> %sum
}

; Lanes at constant places of several vectors are taken out of these, and put into them.
; COLUMNS-LABEL: define void @columns(
; COLUMNS-NOT: gather
; COLUMNS-NOT: scatter
; COLUMNS: shufflevector <4 x float> {{%.*}}, <4 x float> {{%.*}}, <4 x i32> <i32 0, i32 2, i32 4, i32 6>
; COLUMNS: [[SUM:%.*]] = fadd <4 x float>
; COLUMNS: store <4 x float>
; COLUMNS: store <4 x float>
; COLUMNS: ret void
define void @columns(<4 x float> %a, <4 x float> %b) {
  %s = alloca [32 x i8], align 16
  %p = getelementptr i8, ptr %s, i64 16
  store <4 x float> %a, ptr %s, align 16
  store <4 x float> %b, ptr %p, align 16
  %even = getelementptr float, ptr %s, <4 x i64> <i64 0, i64 2, i64 4, i64 6>
  %odd = getelementptr i8, <4 x ptr> %even, i64 4
  %x = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %even, i32 4, <4 x i1> splat (i1 true), <4 x float> poison)
  %y = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %odd, i32 4, <4 x i1> splat (i1 true), <4 x float> poison)
  %sum = fadd <4 x float> %x, %y
  call void @llvm.masked.scatter.v4f32.v4p0(<4 x float> %sum, <4 x ptr> %even, i32 4, <4 x i1> splat (i1 true))
  %all = load <4 x float>, ptr %p, align 16
  call void @use(<4 x float> %all)
  ret void
}

; Not where a place is known at run time alone.
; UNKNOWN-LABEL: define <4 x float> @unknown(
; UNKNOWN: masked.gather
define <4 x float> @unknown(<4 x float> %a, <4 x float> %b, <4 x i64> %at) {
  %s = alloca [32 x i8], align 16
  %p = getelementptr i8, ptr %s, i64 16
  store <4 x float> %a, ptr %s, align 16
  store <4 x float> %b, ptr %p, align 16
  %places = getelementptr float, ptr %s, <4 x i64> %at
  %x = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %places, i32 4, <4 x i1> splat (i1 true), <4 x float> poison)
  ret <4 x float> %x
}

; Nobody needs what a gap behind the variable's elements is filled with, which would keep them in memory.
; GAP-LABEL: define <4 x float> @gap(
; GAP-NOT: store i64
; GAP-NOT: masked
; GAP: ret <4 x float>
define <4 x float> @gap(<4 x float> %a, <4 x float> %b) {
  %s = alloca [32 x i8], align 16
  %behind = getelementptr i8, ptr %s, i64 24
  store i64 0, ptr %behind, align 1, !lanza.clears_gap !0
  %p = getelementptr i8, ptr %s, i64 16
  store <4 x float> %a, ptr %s, align 16
  call void @llvm.masked.store.v4f32.p0(<4 x float> %b, ptr %p, i32 4, <4 x i1> <i1 1, i1 1, i1 0, i1 0>)
  %q = getelementptr i8, ptr %s, i64 12
  %x = call <4 x float> @llvm.masked.load.v4f32.p0(ptr %q, i32 4, <4 x i1> <i1 1, i1 1, i1 1, i1 0>, <4 x float> zeroinitializer)
  ret <4 x float> %x
}

; A variable that is one vector, of which a mask leaves out what would lie in front of it.
; ALONE-LABEL: define <4 x float> @alone(
; ALONE: [[ALL:%.*]] = load <4 x float>, ptr %s, align 16
; ALONE-NEXT: [[LEFT:%.*]] = shufflevector <4 x float> [[ALL]], <4 x float> poison, <4 x i32> <i32 poison, i32 0, i32 1, i32 2>
; ALONE-NEXT: [[KEPT:%.*]] = select <4 x i1> <i1 false, i1 true, i1 true, i1 true>, <4 x float> [[LEFT]], <4 x float> zeroinitializer
; ALONE-NEXT: ret <4 x float> [[KEPT]]
define <4 x float> @alone(<4 x float> %a) {
  %s = alloca [16 x i8], align 16
  store <4 x float> %a, ptr %s, align 16
  %before = getelementptr i8, ptr %s, i64 -4
  %x = call <4 x float> @llvm.masked.load.v4f32.p0(ptr %before, i32 4, <4 x i1> <i1 0, i1 1, i1 1, i1 1>, <4 x float> zeroinitializer)
  ret <4 x float> %x
}

; Two rows of six: what is stored of the first one's rest ends where the second one begins, and that of the second one's
; where the variable ends. What lies beyond nobody has stored.
; ROWS-LABEL: define <4 x float> @rows(
; ROWS: store <4 x float> %a, ptr %s, align 16
; ROWS: store <2 x float>
; ROWS: load <2 x float>
; ROWS: store <4 x float> {{%.*}}, ptr %second, align 8
; ROWS: store float
; ROWS: store <4 x float> {{%.*}}, ptr %last, align 4
; ROWS-NOT: masked
; ROWS: ret <4 x float>
define <4 x float> @rows(<4 x float> %a, <4 x float> %b, <4 x float> %c) {
  %s = alloca [64 x i8], align 16
  %rest = getelementptr i8, ptr %s, i64 16
  store <4 x float> %a, ptr %s, align 16
  call void @llvm.masked.store.v4f32.p0(<4 x float> %b, ptr %rest, i32 4, <4 x i1> <i1 1, i1 1, i1 0, i1 0>)
  %left = getelementptr i8, ptr %s, i64 12
  %x = call <4 x float> @llvm.masked.load.v4f32.p0(ptr %left, i32 4, <4 x i1> <i1 1, i1 1, i1 1, i1 0>, <4 x float> zeroinitializer)
  %second = getelementptr i8, ptr %s, i64 24
  store <4 x float> %x, ptr %second, align 8
  %end = getelementptr i8, ptr %s, i64 56
  call void @llvm.masked.store.v4f32.p0(<4 x float> %c, ptr %end, i32 4, <4 x i1> <i1 1, i1 0, i1 0, i1 0>)
  %last = getelementptr i8, ptr %s, i64 40
  call void @llvm.masked.store.v4f32.p0(<4 x float> %c, ptr %last, i32 4, <4 x i1> <i1 1, i1 1, i1 1, i1 0>)
  %before = getelementptr i8, ptr %s, i64 48
  %y = load <4 x float>, ptr %before, align 16
  ret <4 x float> %y
}

!0 = !{}
