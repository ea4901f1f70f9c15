; Lanes that read rows of their own fill one register of AVX2.
; RUN: %opt -lanes=16 -block=256 -kernel=rows -passes=own-rows %s | %check %s --check-prefix=OWN
; RUN: %opt -lanes=8 -block=256 -kernel=rows -passes=own-rows %s | %check %s --check-prefix=OWN
; RUN: %opt -lanes=32 -block=256 -kernel=rows -passes=own-rows %s | %check %s --check-prefix=WARPS
; RUN: %opt -lanes=16 -block=256 -kernel=tile -passes=own-rows %s | %check %s --check-prefix=TILE
; RUN: %opt -lanes=16 -block=256 -kernel=columns -passes=own-rows %s | %check %s --check-prefix=COLUMNS
; RUN: %opt -lanes=16 -block=256 -kernel=filter -passes=own-rows %s | %check %s --check-prefix=FILTER
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare ptr @__lanza_shared() nounwind willreturn memory(none)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; OWN: rows: 8 lanes
; WARPS: rows: 32 lanes
define void @rows(ptr %in, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul nsw i32 %t, %n
  br label %turn
turn:
  %s = phi float [ 0.0, %entry ], [ %next, %turn ]
  %k = phi i32 [ 0, %entry ], [ %more, %turn ]
  %place = add nsw i32 %row, %k
  %i = sext i32 %place to i64
  %from = getelementptr inbounds float, ptr %in, i64 %i
  %value = load float, ptr %from
  %next = fadd float %s, %value
  %more = add nuw nsw i32 %k, 1
  %again = icmp slt i32 %more, %n
  br i1 %again, label %turn, label %done
done:
  %l = zext nneg i32 %t to i64
  %at = getelementptr inbounds float, ptr %out, i64 %l
  store float %next, ptr %at
  ret void
}

; Rows of a tile are no squares.
; TILE: tile: 16 lanes
define void @tile(ptr %out) {
entry:
  %s0 = call ptr @__lanza_shared()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul nsw i32 %t, 17
  br label %turn
turn:
  %s = phi float [ 0.0, %entry ], [ %next, %turn ]
  %k = phi i32 [ 0, %entry ], [ %more, %turn ]
  %place = add nsw i32 %row, %k
  %i = sext i32 %place to i64
  %from = getelementptr inbounds float, ptr %s0, i64 %i
  %value = load float, ptr %from
  %next = fadd float %s, %value
  %more = add nuw nsw i32 %k, 1
  %again = icmp slt i32 %more, 16
  br i1 %again, label %turn, label %done
done:
  %l = zext nneg i32 %t to i64
  %at = getelementptr inbounds float, ptr %out, i64 %l
  store float %next, ptr %at
  ret void
}

; Neighbours read neighbours.
; COLUMNS: columns: 16 lanes
define void @columns(ptr %in, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %turn
turn:
  %s = phi float [ 0.0, %entry ], [ %next, %turn ]
  %k = phi i32 [ 0, %entry ], [ %more, %turn ]
  %row = mul nsw i32 %k, %n
  %place = add nsw i32 %row, %t
  %i = sext i32 %place to i64
  %from = getelementptr inbounds float, ptr %in, i64 %i
  %value = load float, ptr %from
  %next = fadd float %s, %value
  %more = add nuw nsw i32 %k, 1
  %again = icmp slt i32 %more, %n
  br i1 %again, label %turn, label %done
done:
  %l = zext nneg i32 %t to i64
  %at = getelementptr inbounds float, ptr %out, i64 %l
  store float %next, ptr %at
  ret void
}

; What a turn hands on takes several steps.
; FILTER: filter: 16 lanes
define void @filter(ptr %in, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul nsw i32 %t, %n
  br label %turn
turn:
  %s = phi float [ 0.0, %entry ], [ %next, %turn ]
  %k = phi i32 [ 0, %entry ], [ %more, %turn ]
  %place = add nsw i32 %row, %k
  %i = sext i32 %place to i64
  %from = getelementptr inbounds float, ptr %in, i64 %i
  %value = load float, ptr %from
  %part = fmul float %s, 0.5
  %next = fadd float %part, %value
  %more = add nuw nsw i32 %k, 1
  %again = icmp slt i32 %more, %n
  br i1 %again, label %turn, label %done
done:
  %l = zext nneg i32 %t to i64
  %at = getelementptr inbounds float, ptr %out, i64 %l
  store float %next, ptr %at
  ret void
}
