; RUN: %opt -kernel=sums -lanes=16 -passes=unroll-row-loops %s | %check %s --check-prefix=SUMS
; RUN: %opt -kernel=products -lanes=16 -passes=unroll-row-loops %s | %check %s --check-prefix=PRODUCTS
; RUN: %opt -kernel=bytes -lanes=16 -passes=unroll-row-loops %s | %check %s --check-prefix=BYTES
; RUN: %opt -kernel=columns -lanes=16 -passes=unroll-row-loops %s | %check %s --check-prefix=COLUMNS
; RUN: %opt -kernel=writes -lanes=16 -passes=unroll-row-loops %s | %check %s --check-prefix=WRITES
; RUN: %opt -kernel=apart -lanes=16 -passes=unroll-row-loops %s | %check %s --check-prefix=APART
; RUN: %opt -kernel=backwards -lanes=16 -passes=unroll-row-loops %s | %check %s --check-prefix=BACK
; RUN: %opt -kernel=phases -lanes=16 -passes=unroll-row-loops %s | %check %s --check-prefix=PHASES
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; x[t * n + j]: sixteen turns at once, of the rest four, then one by one.
; SUMS-LABEL: define void @sums(
; SUMS-COUNT-8: load float
; SUMS-NOT: load float
; SUMS: br i1
; SUMS-COUNT-4: load float
; SUMS-NOT: load float
; SUMS: br i1
; SUMS: load float
; SUMS-NOT: load float
; SUMS: ret void
define void @sums(ptr %x, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul nsw i32 %t, %n
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %before, label %end
before:
  br label %loop
loop:
  %j = phi i32 [ 0, %before ], [ %j1, %loop ]
  %s = phi float [ 0.0, %before ], [ %s1, %loop ]
  %i = add nsw i32 %row, %j
  %w = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %w
  %v = load float, ptr %p
  %s1 = fadd float %s, %v
  %j1 = add nuw nsw i32 %j, 1
  %more = icmp slt i32 %j1, %n
  br i1 %more, label %loop, label %after
after:
  %sum = phi float [ %s1, %loop ]
  %wt = zext nneg i32 %t to i64
  %q = getelementptr float, ptr %out, i64 %wt
  store float %sum, ptr %q
  br label %end
end:
  ret void
}

; A row of an array of rows, of bytes.
; BYTES-LABEL: define void @bytes(
; BYTES-COUNT-16: load i8
; BYTES: br i1
define void @bytes(ptr %c, ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = zext nneg i32 %t to i64
  br label %loop
loop:
  %j = phi i64 [ 0, %entry ], [ %j1, %loop ]
  %s = phi i32 [ 0, %entry ], [ %s1, %loop ]
  %p = getelementptr [16 x [128 x i8]], ptr %c, i64 0, i64 %row, i64 %j
  %v = load i8, ptr %p
  %x = zext i8 %v to i32
  %s1 = add i32 %s, %x
  %j1 = add nuw nsw i64 %j, 1
  %more = icmp ne i64 %j1, 128
  br i1 %more, label %loop, label %after
after:
  %sum = phi i32 [ %s1, %loop ]
  %q = getelementptr i32, ptr %out, i64 %row
  store i32 %sum, ptr %q
  ret void
}

; Two rows at once: eight turns.
; PRODUCTS-LABEL: define void @products(
; PRODUCTS-COUNT-16: load float
; PRODUCTS-NOT: load float
; PRODUCTS: br i1
define void @products(ptr %x, ptr %y, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul nsw i32 %t, %n
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %before, label %end
before:
  br label %loop
loop:
  %j = phi i32 [ 0, %before ], [ %j1, %loop ]
  %s = phi float [ 0.0, %before ], [ %s1, %loop ]
  %i = add nsw i32 %row, %j
  %w = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %w
  %v = load float, ptr %p
  %p2 = getelementptr float, ptr %y, i64 %w
  %v2 = load float, ptr %p2
  %m = fmul float %v, %v2
  %s1 = fadd float %s, %m
  %j1 = add nuw nsw i32 %j, 1
  %more = icmp slt i32 %j1, %n
  br i1 %more, label %loop, label %after
after:
  %sum = phi float [ %s1, %loop ]
  %wt = zext nneg i32 %t to i64
  %q = getelementptr float, ptr %out, i64 %wt
  store float %sum, ptr %q
  br label %end
end:
  ret void
}

; x[j * n + t]: neighbours are neighbours.
; COLUMNS-LABEL: define void @columns(
; COLUMNS-COUNT-1: load float
; COLUMNS-NOT: load float
; COLUMNS: ret void
define void @columns(ptr %x, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %before, label %end
before:
  br label %loop
loop:
  %j = phi i32 [ 0, %before ], [ %j1, %loop ]
  %s = phi float [ 0.0, %before ], [ %s1, %loop ]
  %row = mul nsw i32 %j, %n
  %i = add nsw i32 %row, %t
  %w = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %w
  %v = load float, ptr %p
  %s1 = fadd float %s, %v
  %j1 = add nuw nsw i32 %j, 1
  %more = icmp slt i32 %j1, %n
  br i1 %more, label %loop, label %after
after:
  %sum = phi float [ %s1, %loop ]
  %wt = zext nneg i32 %t to i64
  %q = getelementptr float, ptr %out, i64 %wt
  store float %sum, ptr %q
  br label %end
end:
  ret void
}

; What is written might be what the next turn reads.
; WRITES-LABEL: define void @writes(
; WRITES-COUNT-1: load float
; WRITES-NOT: load float
; WRITES: ret void
define void @writes(ptr %x, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul nsw i32 %t, %n
  br label %loop
loop:
  %j = phi i32 [ 0, %entry ], [ %j1, %loop ]
  %i = add nsw i32 %row, %j
  %w = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %w
  %v = load float, ptr %p
  %q = getelementptr float, ptr %out, i64 %w
  store float %v, ptr %q
  %j1 = add nuw nsw i32 %j, 1
  %more = icmp slt i32 %j1, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Lanes leave the loop one by one.
; APART-LABEL: define void @apart(
; APART-COUNT-1: load float
; APART-NOT: load float
; APART: ret void
define void @apart(ptr %x, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul nsw i32 %t, %n
  br label %loop
loop:
  %j = phi i32 [ 0, %entry ], [ %j1, %loop ]
  %s = phi float [ 0.0, %entry ], [ %s1, %loop ]
  %i = add nsw i32 %row, %j
  %w = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %w
  %v = load float, ptr %p
  %s1 = fadd float %s, %v
  %j1 = add nuw nsw i32 %j, 1
  %more = icmp slt i32 %j1, %t
  br i1 %more, label %loop, label %end
end:
  %sum = phi float [ %s1, %loop ]
  store float %sum, ptr %out
  ret void
}

; for (j = n; j > 0; --j), from a row's end to its beginning.
; BACK-LABEL: define void @backwards(
; BACK-COUNT-8: load float
; BACK: br i1
define void @backwards(ptr %x, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul nsw i32 %t, %n
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %before, label %end
before:
  br label %loop
loop:
  %j = phi i32 [ %n, %before ], [ %j1, %loop ]
  %s = phi float [ 0.0, %before ], [ %s1, %loop ]
  %i = add nsw i32 %row, %j
  %w = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %w
  %v = load float, ptr %p
  %s1 = fadd float %s, %v
  %j1 = add nsw i32 %j, -1
  %more = icmp sgt i32 %j1, 0
  br i1 %more, label %loop, label %after
after:
  %sum = phi float [ %s1, %loop ]
  %wt = zext nneg i32 %t to i64
  %q = getelementptr float, ptr %out, i64 %wt
  store float %sum, ptr %q
  br label %end
end:
  ret void
}

; x[t / 3 + j] * w[t % 3 * 40 + j]: lanes lie side by side, or share three places.
; PHASES-LABEL: define void @phases(
; PHASES-COUNT-2: load float
; PHASES-NOT: load float
; PHASES: ret void
define void @phases(ptr %x, ptr %weights, ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = udiv i32 %t, 3
  %phase = urem i32 %t, 3
  %row = mul nuw nsw i32 %phase, 40
  br label %loop
loop:
  %j = phi i32 [ 0, %entry ], [ %j1, %loop ]
  %s = phi float [ 0.0, %entry ], [ %s1, %loop ]
  %i = add nuw nsw i32 %from, %j
  %w = zext nneg i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %w
  %v = load float, ptr %p
  %k = add nuw nsw i32 %row, %j
  %kw = zext nneg i32 %k to i64
  %q = getelementptr float, ptr %weights, i64 %kw
  %weight = load float, ptr %q
  %s1 = call float @llvm.fma.f32(float %v, float %weight, float %s)
  %j1 = add nuw nsw i32 %j, 1
  %done = icmp eq i32 %j1, 40
  br i1 %done, label %end, label %loop
end:
  %to = zext i32 %t to i64
  %o = getelementptr float, ptr %out, i64 %to
  store float %s1, ptr %o
  ret void
}

declare float @llvm.fma.f32(float, float, float)
