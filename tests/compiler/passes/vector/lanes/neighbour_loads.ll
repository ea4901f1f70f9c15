; RUN: %opt -kernel=rows -target=sapphirerapids -passes='neighbour-loads,llvm(verify)' %s | %check %s
; RUN: %opt -kernel=rows -passes='neighbour-loads,llvm(verify)' %s | %check %s --check-prefix=AVX2
; RUN: %opt -kernel=wide -target=sapphirerapids -passes='neighbour-loads,llvm(verify)' %s | %check %s --check-prefix=WIDE
; RUN: %opt -kernel=between -target=sapphirerapids -passes='neighbour-loads,llvm(verify)' %s | %check %s --check-prefix=BETWEEN
; RUN: %opt -kernel=short_end -target=sapphirerapids -passes='neighbour-loads,llvm(verify)' %s | %check %s --check-prefix=SHORT
; RUN: %opt -kernel=pieces -target=sapphirerapids -passes='neighbour-loads,llvm(verify)' %s | %check %s --check-prefix=PIECES
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; A row is stored by registers, its neighbours are read to the left and to the right: the register, which is loaded
; once, and an element beside it.
; CHECK-LABEL: define void @rows(
; CHECK: [[ONE:%.*]] = getelementptr i8, ptr %left, i64 4
; CHECK: [[WHOLE:%.*]] = load <16 x float>, ptr [[ONE]], align 64
; CHECK: [[FIRST:%.*]] = load float, ptr %left
; CHECK: shufflevector <16 x float> [[WHOLE]], <16 x float> {{.*}}, <16 x i32> <i32 31, i32 0, i32 1, i32 2,
; CHECK-NOT: load <16 x float>
; CHECK: [[END:%.*]] = getelementptr i8, ptr %right, i64 60
; CHECK: [[LAST:%.*]] = load float, ptr [[END]]
; CHECK: shufflevector <16 x float> [[WHOLE]], <16 x float> {{.*}}, <16 x i32> <i32 1, i32 2, {{.*}}, i32 15, i32 16>
; CHECK: ret void
; AVX2-LABEL: define void @rows(
; AVX2-NOT: shufflevector
; AVX2: ret void
define void @rows(<16 x float> %v, ptr %to, i64 %row) {
  %tile = alloca [8 x [64 x float]], align 64
  %at = getelementptr [8 x [64 x float]], ptr %tile, i64 0, i64 %row, i64 16
  store <16 x float> %v, ptr %at, align 4
  %left = getelementptr [8 x [64 x float]], ptr %tile, i64 0, i64 %row, i64 15
  %a = load <16 x float>, ptr %left, align 4
  %right = getelementptr [8 x [64 x float]], ptr %tile, i64 0, i64 %row, i64 17
  %b = load <16 x float>, ptr %right, align 4
  %s = fadd <16 x float> %a, %b
  store <16 x float> %s, ptr %to, align 4
  ret void
}

; Two registers: the element comes in where one instruction shifts it into the first, or the last.
; WIDE-LABEL: define void @wide(
; WIDE: shufflevector <32 x float> {{.*}}, <32 x i32> <i32 47, i32 0, i32 1,
; WIDE: shufflevector <32 x float> {{.*}}, i32 30, i32 31, i32 48>
; WIDE: ret void
define void @wide(<32 x float> %v, ptr %to, i64 %row) {
  %tile = alloca [8 x [64 x float]], align 64
  %at = getelementptr [8 x [64 x float]], ptr %tile, i64 0, i64 %row, i64 16
  store <32 x float> %v, ptr %at, align 4
  %left = getelementptr [8 x [64 x float]], ptr %tile, i64 0, i64 %row, i64 15
  %a = load <32 x float>, ptr %left, align 4
  %right = getelementptr [8 x [64 x float]], ptr %tile, i64 0, i64 %row, i64 17
  %b = load <32 x float>, ptr %right, align 4
  %s = fadd <32 x float> %a, %b
  store <32 x float> %s, ptr %to, align 4
  ret void
}

; What was loaded is not used again behind a store to the tile, but behind one elsewhere in the block's memory.
; BETWEEN-LABEL: define void @between(
; BETWEEN: load <16 x float>, ptr {{.*}}, align 64
; BETWEEN: store <16 x float> {{.*}}, ptr %other
; BETWEEN-NOT: load <16 x float>
; BETWEEN: store <16 x float> {{.*}}, ptr %at
; BETWEEN: load <16 x float>, ptr {{.*}}, align 64
; BETWEEN: ret void
define void @between(<16 x float> %v, ptr %to, i64 %row) {
  %tile = alloca [8 x [64 x float]], align 64
  %other = alloca [16 x float], align 64
  %at = getelementptr [8 x [64 x float]], ptr %tile, i64 0, i64 %row, i64 16
  %left = getelementptr [8 x [64 x float]], ptr %tile, i64 0, i64 %row, i64 15
  %a = load <16 x float>, ptr %left, align 4
  store <16 x float> %a, ptr %other, align 64
  %b = load <16 x float>, ptr %left, align 4
  store <16 x float> %v, ptr %at, align 4
  %c = load <16 x float>, ptr %left, align 4
  %s = fadd <16 x float> %a, %b
  %t = fadd <16 x float> %s, %c
  store <16 x float> %t, ptr %to, align 4
  ret void
}

; Rows that begin anywhere are not stored by registers.
; PIECES-LABEL: define void @pieces(
; PIECES-NOT: shufflevector
; PIECES: ret void
define void @pieces(<16 x float> %v, ptr %to, i64 %row) {
  %tile = alloca [8 x [34 x float]], align 64
  %at = getelementptr [8 x [34 x float]], ptr %tile, i64 0, i64 %row, i64 1
  store <16 x float> %v, ptr %at, align 4
  %left = getelementptr [8 x [34 x float]], ptr %tile, i64 0, i64 %row, i64 0
  %a = load <16 x float>, ptr %left, align 4
  store <16 x float> %a, ptr %to, align 4
  ret void
}

; A variable that ends within a register: the last register holds an element that is not there.
; SHORT-LABEL: define void @short_end(
; SHORT-NOT: shufflevector
; SHORT: ret void
define void @short_end(<16 x float> %v, ptr %to, i64 %row) {
  %tile = alloca [127 x float], align 64
  %at = getelementptr [64 x float], ptr %tile, i64 %row, i64 16
  store <16 x float> %v, ptr %at, align 4
  %left = getelementptr [64 x float], ptr %tile, i64 %row, i64 15
  %a = load <16 x float>, ptr %left, align 4
  store <16 x float> %a, ptr %to, align 4
  ret void
}
