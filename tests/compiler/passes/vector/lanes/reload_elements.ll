; RUN: %opt -kernel=rows -passes=reload-elements %s | %check %s --check-prefix=ROWS
; RUN: %opt -kernel=written -passes=reload-elements %s | %check %s --check-prefix=WRITTEN
; RUN: %opt -kernel=few -passes=reload-elements %s | %check %s --check-prefix=FEW
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Each element is an operand of its sum; the rows are loaded for the tile alone.
; ROWS-LABEL: @rows(
; ROWS-COUNT-2: store <16 x float> %row
; ROWS-NOT: extractelement
; ROWS: [[P:%.*]] = getelementptr float, ptr %p0, i64 0
; ROWS-NEXT: [[E:%.*]] = load float, ptr [[P]], align 4
; ROWS-NEXT: insertelement <16 x float> poison, float [[E]], i64 0
; ROWS: [[P:%.*]] = getelementptr float, ptr %p1, i64 15
; ROWS-NEXT: load float, ptr [[P]], align 4
; ROWS-NOT: extractelement
; ROWS: ret void
define void @rows(ptr %args, ptr %out, <16 x float> %column) {
  %tile = alloca [1024 x i8], align 64
  %a = load ptr, ptr %args, !invariant.load !0, !lanza.context !0
  %p0 = getelementptr float, ptr %a, i64 0
  %row0 = load <16 x float>, ptr %p0, align 4
  %t0 = getelementptr i8, ptr %tile, i64 0
  store <16 x float> %row0, ptr %t0, align 4
  %p1 = getelementptr float, ptr %a, i64 100
  %row1 = load <16 x float>, ptr %p1, align 4
  %t1 = getelementptr i8, ptr %tile, i64 68
  store <16 x float> %row1, ptr %t1, align 4
  %e0_0 = extractelement <16 x float> %row0, i64 0
  %i0_0 = insertelement <16 x float> poison, float %e0_0, i64 0
  %b0_0 = shufflevector <16 x float> %i0_0, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_0 = fadd <16 x float> %column, %b0_0
  %e0_1 = extractelement <16 x float> %row0, i64 1
  %i0_1 = insertelement <16 x float> poison, float %e0_1, i64 0
  %b0_1 = shufflevector <16 x float> %i0_1, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_1 = fadd <16 x float> %s0_0, %b0_1
  %e0_2 = extractelement <16 x float> %row0, i64 2
  %i0_2 = insertelement <16 x float> poison, float %e0_2, i64 0
  %b0_2 = shufflevector <16 x float> %i0_2, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_2 = fadd <16 x float> %s0_1, %b0_2
  %e0_3 = extractelement <16 x float> %row0, i64 3
  %i0_3 = insertelement <16 x float> poison, float %e0_3, i64 0
  %b0_3 = shufflevector <16 x float> %i0_3, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_3 = fadd <16 x float> %s0_2, %b0_3
  %e0_4 = extractelement <16 x float> %row0, i64 4
  %i0_4 = insertelement <16 x float> poison, float %e0_4, i64 0
  %b0_4 = shufflevector <16 x float> %i0_4, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_4 = fadd <16 x float> %s0_3, %b0_4
  %e0_5 = extractelement <16 x float> %row0, i64 5
  %i0_5 = insertelement <16 x float> poison, float %e0_5, i64 0
  %b0_5 = shufflevector <16 x float> %i0_5, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_5 = fadd <16 x float> %s0_4, %b0_5
  %e0_6 = extractelement <16 x float> %row0, i64 6
  %i0_6 = insertelement <16 x float> poison, float %e0_6, i64 0
  %b0_6 = shufflevector <16 x float> %i0_6, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_6 = fadd <16 x float> %s0_5, %b0_6
  %e0_7 = extractelement <16 x float> %row0, i64 7
  %i0_7 = insertelement <16 x float> poison, float %e0_7, i64 0
  %b0_7 = shufflevector <16 x float> %i0_7, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_7 = fadd <16 x float> %s0_6, %b0_7
  %e0_8 = extractelement <16 x float> %row0, i64 8
  %i0_8 = insertelement <16 x float> poison, float %e0_8, i64 0
  %b0_8 = shufflevector <16 x float> %i0_8, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_8 = fadd <16 x float> %s0_7, %b0_8
  %e0_9 = extractelement <16 x float> %row0, i64 9
  %i0_9 = insertelement <16 x float> poison, float %e0_9, i64 0
  %b0_9 = shufflevector <16 x float> %i0_9, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_9 = fadd <16 x float> %s0_8, %b0_9
  %e0_10 = extractelement <16 x float> %row0, i64 10
  %i0_10 = insertelement <16 x float> poison, float %e0_10, i64 0
  %b0_10 = shufflevector <16 x float> %i0_10, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_10 = fadd <16 x float> %s0_9, %b0_10
  %e0_11 = extractelement <16 x float> %row0, i64 11
  %i0_11 = insertelement <16 x float> poison, float %e0_11, i64 0
  %b0_11 = shufflevector <16 x float> %i0_11, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_11 = fadd <16 x float> %s0_10, %b0_11
  %e0_12 = extractelement <16 x float> %row0, i64 12
  %i0_12 = insertelement <16 x float> poison, float %e0_12, i64 0
  %b0_12 = shufflevector <16 x float> %i0_12, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_12 = fadd <16 x float> %s0_11, %b0_12
  %e0_13 = extractelement <16 x float> %row0, i64 13
  %i0_13 = insertelement <16 x float> poison, float %e0_13, i64 0
  %b0_13 = shufflevector <16 x float> %i0_13, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_13 = fadd <16 x float> %s0_12, %b0_13
  %e0_14 = extractelement <16 x float> %row0, i64 14
  %i0_14 = insertelement <16 x float> poison, float %e0_14, i64 0
  %b0_14 = shufflevector <16 x float> %i0_14, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_14 = fadd <16 x float> %s0_13, %b0_14
  %e0_15 = extractelement <16 x float> %row0, i64 15
  %i0_15 = insertelement <16 x float> poison, float %e0_15, i64 0
  %b0_15 = shufflevector <16 x float> %i0_15, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_15 = fadd <16 x float> %s0_14, %b0_15
  %e1_0 = extractelement <16 x float> %row1, i64 0
  %i1_0 = insertelement <16 x float> poison, float %e1_0, i64 0
  %b1_0 = shufflevector <16 x float> %i1_0, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_0 = fadd <16 x float> %s0_15, %b1_0
  %e1_1 = extractelement <16 x float> %row1, i64 1
  %i1_1 = insertelement <16 x float> poison, float %e1_1, i64 0
  %b1_1 = shufflevector <16 x float> %i1_1, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_1 = fadd <16 x float> %s1_0, %b1_1
  %e1_2 = extractelement <16 x float> %row1, i64 2
  %i1_2 = insertelement <16 x float> poison, float %e1_2, i64 0
  %b1_2 = shufflevector <16 x float> %i1_2, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_2 = fadd <16 x float> %s1_1, %b1_2
  %e1_3 = extractelement <16 x float> %row1, i64 3
  %i1_3 = insertelement <16 x float> poison, float %e1_3, i64 0
  %b1_3 = shufflevector <16 x float> %i1_3, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_3 = fadd <16 x float> %s1_2, %b1_3
  %e1_4 = extractelement <16 x float> %row1, i64 4
  %i1_4 = insertelement <16 x float> poison, float %e1_4, i64 0
  %b1_4 = shufflevector <16 x float> %i1_4, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_4 = fadd <16 x float> %s1_3, %b1_4
  %e1_5 = extractelement <16 x float> %row1, i64 5
  %i1_5 = insertelement <16 x float> poison, float %e1_5, i64 0
  %b1_5 = shufflevector <16 x float> %i1_5, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_5 = fadd <16 x float> %s1_4, %b1_5
  %e1_6 = extractelement <16 x float> %row1, i64 6
  %i1_6 = insertelement <16 x float> poison, float %e1_6, i64 0
  %b1_6 = shufflevector <16 x float> %i1_6, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_6 = fadd <16 x float> %s1_5, %b1_6
  %e1_7 = extractelement <16 x float> %row1, i64 7
  %i1_7 = insertelement <16 x float> poison, float %e1_7, i64 0
  %b1_7 = shufflevector <16 x float> %i1_7, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_7 = fadd <16 x float> %s1_6, %b1_7
  %e1_8 = extractelement <16 x float> %row1, i64 8
  %i1_8 = insertelement <16 x float> poison, float %e1_8, i64 0
  %b1_8 = shufflevector <16 x float> %i1_8, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_8 = fadd <16 x float> %s1_7, %b1_8
  %e1_9 = extractelement <16 x float> %row1, i64 9
  %i1_9 = insertelement <16 x float> poison, float %e1_9, i64 0
  %b1_9 = shufflevector <16 x float> %i1_9, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_9 = fadd <16 x float> %s1_8, %b1_9
  %e1_10 = extractelement <16 x float> %row1, i64 10
  %i1_10 = insertelement <16 x float> poison, float %e1_10, i64 0
  %b1_10 = shufflevector <16 x float> %i1_10, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_10 = fadd <16 x float> %s1_9, %b1_10
  %e1_11 = extractelement <16 x float> %row1, i64 11
  %i1_11 = insertelement <16 x float> poison, float %e1_11, i64 0
  %b1_11 = shufflevector <16 x float> %i1_11, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_11 = fadd <16 x float> %s1_10, %b1_11
  %e1_12 = extractelement <16 x float> %row1, i64 12
  %i1_12 = insertelement <16 x float> poison, float %e1_12, i64 0
  %b1_12 = shufflevector <16 x float> %i1_12, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_12 = fadd <16 x float> %s1_11, %b1_12
  %e1_13 = extractelement <16 x float> %row1, i64 13
  %i1_13 = insertelement <16 x float> poison, float %e1_13, i64 0
  %b1_13 = shufflevector <16 x float> %i1_13, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_13 = fadd <16 x float> %s1_12, %b1_13
  %e1_14 = extractelement <16 x float> %row1, i64 14
  %i1_14 = insertelement <16 x float> poison, float %e1_14, i64 0
  %b1_14 = shufflevector <16 x float> %i1_14, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_14 = fadd <16 x float> %s1_13, %b1_14
  %e1_15 = extractelement <16 x float> %row1, i64 15
  %i1_15 = insertelement <16 x float> poison, float %e1_15, i64 0
  %b1_15 = shufflevector <16 x float> %i1_15, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_15 = fadd <16 x float> %s1_14, %b1_15
  store <16 x float> %s1_15, ptr %out
  ret void
}

; What is written in between may be a part of a row.
; WRITTEN-LABEL: @written(
; WRITTEN-NOT: load float
; WRITTEN: ret void
define void @written(ptr %args, ptr %out, <16 x float> %column) {
  %tile = alloca [1024 x i8], align 64
  %a = load ptr, ptr %args, !invariant.load !0, !lanza.context !0
  %p0 = getelementptr float, ptr %a, i64 0
  %row0 = load <16 x float>, ptr %p0, align 4
  %t0 = getelementptr i8, ptr %tile, i64 0
  store <16 x float> %row0, ptr %t0, align 4
  %p1 = getelementptr float, ptr %a, i64 100
  %row1 = load <16 x float>, ptr %p1, align 4
  %t1 = getelementptr i8, ptr %tile, i64 68
  store <16 x float> %row1, ptr %t1, align 4
  store float 0.0, ptr %out
  %e0_0 = extractelement <16 x float> %row0, i64 0
  %i0_0 = insertelement <16 x float> poison, float %e0_0, i64 0
  %b0_0 = shufflevector <16 x float> %i0_0, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_0 = fadd <16 x float> %column, %b0_0
  %e0_1 = extractelement <16 x float> %row0, i64 1
  %i0_1 = insertelement <16 x float> poison, float %e0_1, i64 0
  %b0_1 = shufflevector <16 x float> %i0_1, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_1 = fadd <16 x float> %s0_0, %b0_1
  %e0_2 = extractelement <16 x float> %row0, i64 2
  %i0_2 = insertelement <16 x float> poison, float %e0_2, i64 0
  %b0_2 = shufflevector <16 x float> %i0_2, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_2 = fadd <16 x float> %s0_1, %b0_2
  %e0_3 = extractelement <16 x float> %row0, i64 3
  %i0_3 = insertelement <16 x float> poison, float %e0_3, i64 0
  %b0_3 = shufflevector <16 x float> %i0_3, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_3 = fadd <16 x float> %s0_2, %b0_3
  %e0_4 = extractelement <16 x float> %row0, i64 4
  %i0_4 = insertelement <16 x float> poison, float %e0_4, i64 0
  %b0_4 = shufflevector <16 x float> %i0_4, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_4 = fadd <16 x float> %s0_3, %b0_4
  %e0_5 = extractelement <16 x float> %row0, i64 5
  %i0_5 = insertelement <16 x float> poison, float %e0_5, i64 0
  %b0_5 = shufflevector <16 x float> %i0_5, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_5 = fadd <16 x float> %s0_4, %b0_5
  %e0_6 = extractelement <16 x float> %row0, i64 6
  %i0_6 = insertelement <16 x float> poison, float %e0_6, i64 0
  %b0_6 = shufflevector <16 x float> %i0_6, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_6 = fadd <16 x float> %s0_5, %b0_6
  %e0_7 = extractelement <16 x float> %row0, i64 7
  %i0_7 = insertelement <16 x float> poison, float %e0_7, i64 0
  %b0_7 = shufflevector <16 x float> %i0_7, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_7 = fadd <16 x float> %s0_6, %b0_7
  %e0_8 = extractelement <16 x float> %row0, i64 8
  %i0_8 = insertelement <16 x float> poison, float %e0_8, i64 0
  %b0_8 = shufflevector <16 x float> %i0_8, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_8 = fadd <16 x float> %s0_7, %b0_8
  %e0_9 = extractelement <16 x float> %row0, i64 9
  %i0_9 = insertelement <16 x float> poison, float %e0_9, i64 0
  %b0_9 = shufflevector <16 x float> %i0_9, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_9 = fadd <16 x float> %s0_8, %b0_9
  %e0_10 = extractelement <16 x float> %row0, i64 10
  %i0_10 = insertelement <16 x float> poison, float %e0_10, i64 0
  %b0_10 = shufflevector <16 x float> %i0_10, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_10 = fadd <16 x float> %s0_9, %b0_10
  %e0_11 = extractelement <16 x float> %row0, i64 11
  %i0_11 = insertelement <16 x float> poison, float %e0_11, i64 0
  %b0_11 = shufflevector <16 x float> %i0_11, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_11 = fadd <16 x float> %s0_10, %b0_11
  %e0_12 = extractelement <16 x float> %row0, i64 12
  %i0_12 = insertelement <16 x float> poison, float %e0_12, i64 0
  %b0_12 = shufflevector <16 x float> %i0_12, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_12 = fadd <16 x float> %s0_11, %b0_12
  %e0_13 = extractelement <16 x float> %row0, i64 13
  %i0_13 = insertelement <16 x float> poison, float %e0_13, i64 0
  %b0_13 = shufflevector <16 x float> %i0_13, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_13 = fadd <16 x float> %s0_12, %b0_13
  %e0_14 = extractelement <16 x float> %row0, i64 14
  %i0_14 = insertelement <16 x float> poison, float %e0_14, i64 0
  %b0_14 = shufflevector <16 x float> %i0_14, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_14 = fadd <16 x float> %s0_13, %b0_14
  %e0_15 = extractelement <16 x float> %row0, i64 15
  %i0_15 = insertelement <16 x float> poison, float %e0_15, i64 0
  %b0_15 = shufflevector <16 x float> %i0_15, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_15 = fadd <16 x float> %s0_14, %b0_15
  %e1_0 = extractelement <16 x float> %row1, i64 0
  %i1_0 = insertelement <16 x float> poison, float %e1_0, i64 0
  %b1_0 = shufflevector <16 x float> %i1_0, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_0 = fadd <16 x float> %s0_15, %b1_0
  %e1_1 = extractelement <16 x float> %row1, i64 1
  %i1_1 = insertelement <16 x float> poison, float %e1_1, i64 0
  %b1_1 = shufflevector <16 x float> %i1_1, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_1 = fadd <16 x float> %s1_0, %b1_1
  %e1_2 = extractelement <16 x float> %row1, i64 2
  %i1_2 = insertelement <16 x float> poison, float %e1_2, i64 0
  %b1_2 = shufflevector <16 x float> %i1_2, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_2 = fadd <16 x float> %s1_1, %b1_2
  %e1_3 = extractelement <16 x float> %row1, i64 3
  %i1_3 = insertelement <16 x float> poison, float %e1_3, i64 0
  %b1_3 = shufflevector <16 x float> %i1_3, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_3 = fadd <16 x float> %s1_2, %b1_3
  %e1_4 = extractelement <16 x float> %row1, i64 4
  %i1_4 = insertelement <16 x float> poison, float %e1_4, i64 0
  %b1_4 = shufflevector <16 x float> %i1_4, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_4 = fadd <16 x float> %s1_3, %b1_4
  %e1_5 = extractelement <16 x float> %row1, i64 5
  %i1_5 = insertelement <16 x float> poison, float %e1_5, i64 0
  %b1_5 = shufflevector <16 x float> %i1_5, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_5 = fadd <16 x float> %s1_4, %b1_5
  %e1_6 = extractelement <16 x float> %row1, i64 6
  %i1_6 = insertelement <16 x float> poison, float %e1_6, i64 0
  %b1_6 = shufflevector <16 x float> %i1_6, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_6 = fadd <16 x float> %s1_5, %b1_6
  %e1_7 = extractelement <16 x float> %row1, i64 7
  %i1_7 = insertelement <16 x float> poison, float %e1_7, i64 0
  %b1_7 = shufflevector <16 x float> %i1_7, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_7 = fadd <16 x float> %s1_6, %b1_7
  %e1_8 = extractelement <16 x float> %row1, i64 8
  %i1_8 = insertelement <16 x float> poison, float %e1_8, i64 0
  %b1_8 = shufflevector <16 x float> %i1_8, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_8 = fadd <16 x float> %s1_7, %b1_8
  %e1_9 = extractelement <16 x float> %row1, i64 9
  %i1_9 = insertelement <16 x float> poison, float %e1_9, i64 0
  %b1_9 = shufflevector <16 x float> %i1_9, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_9 = fadd <16 x float> %s1_8, %b1_9
  %e1_10 = extractelement <16 x float> %row1, i64 10
  %i1_10 = insertelement <16 x float> poison, float %e1_10, i64 0
  %b1_10 = shufflevector <16 x float> %i1_10, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_10 = fadd <16 x float> %s1_9, %b1_10
  %e1_11 = extractelement <16 x float> %row1, i64 11
  %i1_11 = insertelement <16 x float> poison, float %e1_11, i64 0
  %b1_11 = shufflevector <16 x float> %i1_11, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_11 = fadd <16 x float> %s1_10, %b1_11
  %e1_12 = extractelement <16 x float> %row1, i64 12
  %i1_12 = insertelement <16 x float> poison, float %e1_12, i64 0
  %b1_12 = shufflevector <16 x float> %i1_12, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_12 = fadd <16 x float> %s1_11, %b1_12
  %e1_13 = extractelement <16 x float> %row1, i64 13
  %i1_13 = insertelement <16 x float> poison, float %e1_13, i64 0
  %b1_13 = shufflevector <16 x float> %i1_13, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_13 = fadd <16 x float> %s1_12, %b1_13
  %e1_14 = extractelement <16 x float> %row1, i64 14
  %i1_14 = insertelement <16 x float> poison, float %e1_14, i64 0
  %b1_14 = shufflevector <16 x float> %i1_14, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_14 = fadd <16 x float> %s1_13, %b1_14
  %e1_15 = extractelement <16 x float> %row1, i64 15
  %i1_15 = insertelement <16 x float> poison, float %e1_15, i64 0
  %b1_15 = shufflevector <16 x float> %i1_15, <16 x float> poison, <16 x i32> zeroinitializer
  %s1_15 = fadd <16 x float> %s1_14, %b1_15
  store <16 x float> %s1_15, ptr %out
  ret void
}

; Few elements wait in registers.
; FEW-LABEL: @few(
; FEW-NOT: load float
; FEW: ret void
define void @few(ptr %args, ptr %out, <16 x float> %column) {
  %tile = alloca [1024 x i8], align 64
  %a = load ptr, ptr %args, !invariant.load !0, !lanza.context !0
  %p0 = getelementptr float, ptr %a, i64 0
  %row0 = load <16 x float>, ptr %p0, align 4
  %t0 = getelementptr i8, ptr %tile, i64 0
  store <16 x float> %row0, ptr %t0, align 4
  %e0_0 = extractelement <16 x float> %row0, i64 0
  %i0_0 = insertelement <16 x float> poison, float %e0_0, i64 0
  %b0_0 = shufflevector <16 x float> %i0_0, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_0 = fadd <16 x float> %column, %b0_0
  %e0_1 = extractelement <16 x float> %row0, i64 1
  %i0_1 = insertelement <16 x float> poison, float %e0_1, i64 0
  %b0_1 = shufflevector <16 x float> %i0_1, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_1 = fadd <16 x float> %s0_0, %b0_1
  %e0_2 = extractelement <16 x float> %row0, i64 2
  %i0_2 = insertelement <16 x float> poison, float %e0_2, i64 0
  %b0_2 = shufflevector <16 x float> %i0_2, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_2 = fadd <16 x float> %s0_1, %b0_2
  %e0_3 = extractelement <16 x float> %row0, i64 3
  %i0_3 = insertelement <16 x float> poison, float %e0_3, i64 0
  %b0_3 = shufflevector <16 x float> %i0_3, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_3 = fadd <16 x float> %s0_2, %b0_3
  %e0_4 = extractelement <16 x float> %row0, i64 4
  %i0_4 = insertelement <16 x float> poison, float %e0_4, i64 0
  %b0_4 = shufflevector <16 x float> %i0_4, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_4 = fadd <16 x float> %s0_3, %b0_4
  %e0_5 = extractelement <16 x float> %row0, i64 5
  %i0_5 = insertelement <16 x float> poison, float %e0_5, i64 0
  %b0_5 = shufflevector <16 x float> %i0_5, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_5 = fadd <16 x float> %s0_4, %b0_5
  %e0_6 = extractelement <16 x float> %row0, i64 6
  %i0_6 = insertelement <16 x float> poison, float %e0_6, i64 0
  %b0_6 = shufflevector <16 x float> %i0_6, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_6 = fadd <16 x float> %s0_5, %b0_6
  %e0_7 = extractelement <16 x float> %row0, i64 7
  %i0_7 = insertelement <16 x float> poison, float %e0_7, i64 0
  %b0_7 = shufflevector <16 x float> %i0_7, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_7 = fadd <16 x float> %s0_6, %b0_7
  %e0_8 = extractelement <16 x float> %row0, i64 8
  %i0_8 = insertelement <16 x float> poison, float %e0_8, i64 0
  %b0_8 = shufflevector <16 x float> %i0_8, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_8 = fadd <16 x float> %s0_7, %b0_8
  %e0_9 = extractelement <16 x float> %row0, i64 9
  %i0_9 = insertelement <16 x float> poison, float %e0_9, i64 0
  %b0_9 = shufflevector <16 x float> %i0_9, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_9 = fadd <16 x float> %s0_8, %b0_9
  %e0_10 = extractelement <16 x float> %row0, i64 10
  %i0_10 = insertelement <16 x float> poison, float %e0_10, i64 0
  %b0_10 = shufflevector <16 x float> %i0_10, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_10 = fadd <16 x float> %s0_9, %b0_10
  %e0_11 = extractelement <16 x float> %row0, i64 11
  %i0_11 = insertelement <16 x float> poison, float %e0_11, i64 0
  %b0_11 = shufflevector <16 x float> %i0_11, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_11 = fadd <16 x float> %s0_10, %b0_11
  %e0_12 = extractelement <16 x float> %row0, i64 12
  %i0_12 = insertelement <16 x float> poison, float %e0_12, i64 0
  %b0_12 = shufflevector <16 x float> %i0_12, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_12 = fadd <16 x float> %s0_11, %b0_12
  %e0_13 = extractelement <16 x float> %row0, i64 13
  %i0_13 = insertelement <16 x float> poison, float %e0_13, i64 0
  %b0_13 = shufflevector <16 x float> %i0_13, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_13 = fadd <16 x float> %s0_12, %b0_13
  %e0_14 = extractelement <16 x float> %row0, i64 14
  %i0_14 = insertelement <16 x float> poison, float %e0_14, i64 0
  %b0_14 = shufflevector <16 x float> %i0_14, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_14 = fadd <16 x float> %s0_13, %b0_14
  %e0_15 = extractelement <16 x float> %row0, i64 15
  %i0_15 = insertelement <16 x float> poison, float %e0_15, i64 0
  %b0_15 = shufflevector <16 x float> %i0_15, <16 x float> poison, <16 x i32> zeroinitializer
  %s0_15 = fadd <16 x float> %s0_14, %b0_15
  store <16 x float> %s0_15, ptr %out
  ret void
}

!0 = !{}
