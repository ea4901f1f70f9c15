; RUN: %opt -kernel=rows -block=64 -lanes=8 -passes=version-row-stores %s | %check %s
; RUN: %opt -kernel=before -block=64 -lanes=8 -passes=version-row-stores %s | %check %s --check-prefix=BEFORE
; RUN: %opt -kernel=behind -block=64 -lanes=8 -passes=version-row-stores %s | %check %s --check-prefix=BEHIND
; RUN: %opt -kernel=own -block=64 -lanes=8 -passes=version-row-stores %s | %check %s --check-prefix=OWN
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; Rows that lie apart: the copy counts its turns, and is marked.
; CHECK-LABEL: define void @rows(
; CHECK: [[APART:%.*]] = call i1 @lanza.all(
; CHECK: br i1 [[APART]], label %rows, label %loop
; CHECK: rows:
; CHECK: loop.rows:
; CHECK: [[TURN:%.*]] = phi i64 [ 0, %rows ], [ [[NEXT:%.*]], %loop.rows ]
; CHECK: [[FROM:%.*]] = getelementptr float, ptr {{%.*}}, i64 [[TURN]]
; CHECK: load float, ptr [[FROM]]
; CHECK: [[TO:%.*]] = getelementptr float, ptr {{%.*}}, i64 [[TURN]]
; CHECK: store float {{%.*}}, ptr [[TO]], align 4, !lanza.row.store
; CHECK: [[NEXT]] = add nuw nsw i64 [[TURN]], 1
; CHECK: br i1 {{%.*}}, label %loop.rows, label %rows.end, !llvm.loop [[ID:![0-9]+]]
; CHECK: [[ID]] = distinct !{[[ID]], [[MARK:![0-9]+]]}
; CHECK: [[MARK]] = !{!"lanza.turns.apart"}
define void @rows(ptr %x, ptr %y, i64 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %row = mul i64 %wide, %n
  %from = getelementptr float, ptr %x, i64 %row
  %to = getelementptr float, ptr %y, i64 %row
  br label %loop
loop:
  %j = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr %from, i64 %j
  %v = load float, ptr %p
  %w = fadd float %v, 1.0
  %q = getelementptr float, ptr %to, i64 %j
  store float %w, ptr %q
  %next = add nuw nsw i64 %j, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; What the turn before has written is in a register.
; BEFORE-LABEL: define void @before(
; BEFORE: rows:
; BEFORE: [[FIRST:%.*]] = load float, ptr
; BEFORE: loop.rows:
; BEFORE: %carried = phi float [ [[FIRST]], %rows ], [ [[SUM:%.*]], %loop.rows ]
; BEFORE: [[V:%.*]] = load float
; BEFORE: [[SUM]] = fadd float %carried, [[V]]
; BEFORE-NOT: load
; BEFORE: store float [[SUM]]
define void @before(ptr %x, i64 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %row = mul i64 %wide, %n
  %from = getelementptr float, ptr %x, i64 %row
  br label %loop
loop:
  %j = phi i64 [ 1, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr %from, i64 %j
  %q = getelementptr float, ptr %p, i64 -1
  %u = load float, ptr %q
  %v = load float, ptr %p
  %w = fadd float %u, %v
  store float %w, ptr %p
  %next = add nuw nsw i64 %j, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Not where a later turn's element is read, which none has written yet, nor one of two turns before.
; BEHIND-LABEL: define void @behind(
; BEHIND-NOT: lanza.all
; BEHIND: ret void
define void @behind(ptr %x, i64 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %row = mul i64 %wide, %n
  %from = getelementptr float, ptr %x, i64 %row
  br label %loop
loop:
  %j = phi i64 [ 2, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr %from, i64 %j
  %q = getelementptr float, ptr %p, i64 -2
  %u = load float, ptr %q
  store float %u, ptr %p
  %next = add nuw nsw i64 %j, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; A private array is no row of memory (an elimination's `a[i][j] -= a[i][c] * a[c][j]`): it has no address to be asked
; for, so that it may lie [index][lane].
; OWN-LABEL: define void @own(
; OWN-NOT: lanza.all
; OWN: ret void
define void @own(ptr %x, i64 %c) {
entry:
  %a = alloca [8 x [8 x float]]
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = and i64 %c, 7
  %pivots = getelementptr [8 x [8 x float]], ptr %a, i64 0, i64 %wide
  %row = getelementptr [8 x [8 x float]], ptr %a, i64 0, i64 %wide, i64 %wide
  br label %loop
loop:
  %j = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr %row, i64 %j
  %q = getelementptr float, ptr %pivots, i64 %j
  %u = load float, ptr %q
  %v = load float, ptr %p
  %w = fadd float %u, %v
  store float %w, ptr %p
  %next = add nuw nsw i64 %j, 1
  %more = icmp ult i64 %next, 8
  br i1 %more, label %loop, label %end
end:
  ret void
}
