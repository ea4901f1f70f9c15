; RUN: %opt -kernel=tile -block=16,16 -lanes=16 -passes=whole-loads %s | %check %s --check-prefix=TILE
; RUN: %opt -kernel=second -block=16,16 -lanes=16 -passes=whole-loads %s | %check %s --check-prefix=SECOND
; RUN: %opt -kernel=beyond -block=16,16 -lanes=16 -passes=whole-loads %s | %check %s --check-prefix=SAME
; RUN: %opt -kernel=of_others -block=16,16 -lanes=16 -passes=whole-loads %s | %check %s --check-prefix=SAME
; RUN: %opt -kernel=first_lanes -block=16,16 -lanes=16 -passes=whole-loads %s | %check %s --check-prefix=SAME
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare ptr @__lanza_shared() memory(none)
declare i32 @lanza.group(i32) memory(none)
declare i32 @llvm.smin.i32(i32, i32)
declare <16 x float> @llvm.masked.load.v16f32.p0(ptr, i32, <16 x i1>, <16 x float>)

; A row of the tile, whichever it is; stores stay under their mask.
; TILE-LABEL: define <16 x float> @tile(
; TILE: [[ROW:%.*]] = load <16 x float>, ptr %p, align 4
; TILE: ret <16 x float> [[ROW]]
; Of its last row some floats are no variable's.
; TILE: !"lanza.reads_gaps", i32 1
define <16 x float> @tile(<16 x i1> %mask) {
  %base = call ptr @__lanza_shared()
  %y = call i32 @lanza.group(i32 1)
  %next = add i32 %y, 1
  %below = call i32 @llvm.smin.i32(i32 %next, i32 15)
  %row = sext i32 %below to i64
  %p = getelementptr [16 x float], ptr %base, i64 %row
  %v = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %p, i32 4, <16 x i1> %mask, <16 x float> zeroinitializer)
  ret <16 x float> %v
}

; Lanes that the mask leaves out may have another value.
; SECOND-LABEL: define <16 x float> @second(
; SECOND: [[ROW:%.*]] = load <16 x float>, ptr %p, align 4
; SECOND: [[BOTH:%.*]] = select <16 x i1> %mask, <16 x float> [[ROW]], <16 x float> %first
; SECOND: ret <16 x float> [[BOTH]]
define <16 x float> @second(<16 x i1> %mask, <16 x float> %first) {
  %base = call ptr @__lanza_shared()
  %y = call i32 @lanza.group(i32 1)
  %next = add i32 %y, 1
  %below = call i32 @llvm.smin.i32(i32 %next, i32 15)
  %row = sext i32 %below to i64
  %p = getelementptr [16 x float], ptr %base, i64 %row
  %v = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %p, i32 4, <16 x i1> %mask, <16 x float> %first)
  ret <16 x float> %v
}

; Its last row would end behind the block's memory; any row of somebody else's memory may; and what only first lanes load
; becomes a shorter vector.
; SAME-LABEL: define <16 x float> @
; SAME: call <16 x float> @llvm.masked.load
define <16 x float> @beyond(<16 x i1> %mask) {
  %base = call ptr @__lanza_shared()
  %y = call i32 @lanza.group(i32 1)
  %next = add i32 %y, 1
  %row = sext i32 %next to i64
  %p = getelementptr [16 x float], ptr %base, i64 %row
  %v = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %p, i32 4, <16 x i1> %mask, <16 x float> zeroinitializer)
  ret <16 x float> %v
}

define <16 x float> @of_others(ptr %base, <16 x i1> %mask) {
  %v = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %base, i32 4, <16 x i1> %mask, <16 x float> zeroinitializer)
  ret <16 x float> %v
}

define <16 x float> @first_lanes() {
  %base = call ptr @__lanza_shared()
  %v = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %base, i32 4, <16 x i1> <i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>, <16 x float> zeroinitializer)
  ret <16 x float> %v
}

!llvm.module.flags = !{!0, !100}
!0 = !{i32 7, !"lanza.shared_bytes", i32 1024}
!100 = !{i32 2, !"lanza.shared_gaps", !101}
!101 = !{i64 1000, i64 24}
