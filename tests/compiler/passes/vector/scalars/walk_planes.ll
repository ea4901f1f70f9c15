; Threads go up columns of a volume: where neighbours read each other's elements of a plane, all of the block wait in each turn.
; RUN: %opt -kernel=planes -block=32,8 -lanes=16 -passes=walk-planes %s | %check %s --check-prefix=PLANES
; RUN: %opt -kernel=planes -block=32 -lanes=16 -passes=walk-planes %s | %check %s --check-prefix=NONE
; RUN: %opt -kernel=planes -block=16,16 -lanes=16 -passes=walk-planes %s | %check %s --check-prefix=NONE
; RUN: %opt -kernel=columns -block=32,8 -lanes=16 -passes=walk-planes %s | %check %s --check-prefix=NONE
; RUN: %opt -kernel=own_turns -block=32,8 -lanes=16 -passes=walk-planes %s | %check %s --check-prefix=NONE
; RUN: %opt -kernel=short_steps -block=32,8 -lanes=16 -passes=walk-planes %s | %check %s --check-prefix=NONE
; RUN: %opt -kernel=atomics -block=32,8 -lanes=16 -passes=walk-planes %s | %check %s --check-prefix=NONE
; RUN: %opt -kernel=sums -block=32,8 -lanes=16 -passes=walk-planes %s | %check %s --check-prefix=NONE
; RUN: %opt -kernel=leaves_work -block=32,8 -lanes=16 -passes=walk-planes %s | %check %s --check-prefix=NONE
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare range(i32 0, 32) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare range(i32 0, 8) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; The row below is one row of threads away, and a plane is as large as the launch says.
; PLANES-LABEL: define void @planes(
; PLANES: loop:
; PLANES: phi i32
; PLANES: call i64 @__lanza_sync(i32 1,
; PLANES: load float
; PLANES-NOT: @__lanza_sync
; PLANES: {{^[}]}}

; Blocks of one row, rows of less than two lines, what no neighbour reads, threads with turns of their own, planes that
; lie close to each other, atomics, sums of which no turn stores anything, and threads that would leave with work left.
; NONE-NOT: call i64 @__lanza_sync

define void @planes(ptr %in, ptr %out, i32 %width, i32 %plane, i32 %nz) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = mul nsw i32 %y, %width
  %first = add nsw i32 %row, %x
  br label %loop
loop:
  %z = phi i32 [ 0, %entry ], [ %z.next, %loop ]
  %at = phi i32 [ %first, %entry ], [ %at.next, %loop ]
  %at.wide = sext i32 %at to i64
  %p = getelementptr inbounds float, ptr %in, i64 %at.wide
  %a = load float, ptr %p
  %below = add nsw i32 %at, %width
  %below.wide = sext i32 %below to i64
  %q = getelementptr inbounds float, ptr %in, i64 %below.wide
  %b = load float, ptr %q
  %sum = fadd float %a, %b
  %to = getelementptr inbounds float, ptr %out, i64 %at.wide
  store float %sum, ptr %to
  %at.next = add nsw i32 %at, %plane
  %z.next = add nuw nsw i32 %z, 1
  %again = icmp slt i32 %z.next, %nz
  br i1 %again, label %loop, label %end
end:
  ret void
}

define void @sums(ptr %in, ptr %out, i32 %width, i32 %plane, i32 %nz) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = mul nsw i32 %y, %width
  %first = add nsw i32 %row, %x
  br label %loop
loop:
  %z = phi i32 [ 0, %entry ], [ %z.next, %loop ]
  %at = phi i32 [ %first, %entry ], [ %at.next, %loop ]
  %so.far = phi float [ 0.0, %entry ], [ %sum, %loop ]
  %at.wide = sext i32 %at to i64
  %p = getelementptr inbounds float, ptr %in, i64 %at.wide
  %a = load float, ptr %p
  %below = add nsw i32 %at, %width
  %below.wide = sext i32 %below to i64
  %q = getelementptr inbounds float, ptr %in, i64 %below.wide
  %b = load float, ptr %q
  %two = fadd float %a, %b
  %sum = fadd float %so.far, %two
  %at.next = add nsw i32 %at, %plane
  %z.next = add nuw nsw i32 %z, 1
  %again = icmp slt i32 %z.next, %nz
  br i1 %again, label %loop, label %end
end:
  %first.wide = sext i32 %first to i64
  %to = getelementptr inbounds float, ptr %out, i64 %first.wide
  store float %sum, ptr %to
  ret void
}

define void @columns(ptr %in, ptr %out, i32 %width, i32 %plane, i32 %nz) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = mul nsw i32 %y, %width
  %first = add nsw i32 %row, %x
  br label %loop
loop:
  %z = phi i32 [ 0, %entry ], [ %z.next, %loop ]
  %at = phi i32 [ %first, %entry ], [ %at.next, %loop ]
  %at.wide = sext i32 %at to i64
  %p = getelementptr inbounds float, ptr %in, i64 %at.wide
  %a = load float, ptr %p
  %below = add nsw i32 %at, %plane
  %below.wide = sext i32 %below to i64
  %q = getelementptr inbounds float, ptr %in, i64 %below.wide
  %b = load float, ptr %q
  %sum = fadd float %a, %b
  %to = getelementptr inbounds float, ptr %out, i64 %at.wide
  store float %sum, ptr %to
  %at.next = add nsw i32 %at, %plane
  %z.next = add nuw nsw i32 %z, 1
  %again = icmp slt i32 %z.next, %nz
  br i1 %again, label %loop, label %end
end:
  ret void
}

define void @own_turns(ptr %in, ptr %out, i32 %width, i32 %plane, i32 %nz) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = mul nsw i32 %y, %width
  %first = add nsw i32 %row, %x
  br label %loop
loop:
  %z = phi i32 [ 0, %entry ], [ %z.next, %loop ]
  %at = phi i32 [ %first, %entry ], [ %at.next, %loop ]
  %at.wide = sext i32 %at to i64
  %p = getelementptr inbounds float, ptr %in, i64 %at.wide
  %a = load float, ptr %p
  %below = add nsw i32 %at, %width
  %below.wide = sext i32 %below to i64
  %q = getelementptr inbounds float, ptr %in, i64 %below.wide
  %b = load float, ptr %q
  %sum = fadd float %a, %b
  %to = getelementptr inbounds float, ptr %out, i64 %at.wide
  store float %sum, ptr %to
  %at.next = add nsw i32 %at, %plane
  %z.next = add nuw nsw i32 %z, 1
  %again = icmp slt i32 %z.next, %x
  br i1 %again, label %loop, label %end
end:
  ret void
}

define void @short_steps(ptr %in, ptr %out, i32 %width, i32 %plane, i32 %nz) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = mul nsw i32 %y, %width
  %first = add nsw i32 %row, %x
  br label %loop
loop:
  %z = phi i32 [ 0, %entry ], [ %z.next, %loop ]
  %at = phi i32 [ %first, %entry ], [ %at.next, %loop ]
  %at.wide = sext i32 %at to i64
  %p = getelementptr inbounds float, ptr %in, i64 %at.wide
  %a = load float, ptr %p
  %below = add nsw i32 %at, %width
  %below.wide = sext i32 %below to i64
  %q = getelementptr inbounds float, ptr %in, i64 %below.wide
  %b = load float, ptr %q
  %sum = fadd float %a, %b
  %to = getelementptr inbounds float, ptr %out, i64 %at.wide
  store float %sum, ptr %to
  %at.next = add nsw i32 %at, 64
  %z.next = add nuw nsw i32 %z, 1
  %again = icmp slt i32 %z.next, %nz
  br i1 %again, label %loop, label %end
end:
  ret void
}

define void @atomics(ptr %in, ptr %out, i32 %width, i32 %plane, i32 %nz) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = mul nsw i32 %y, %width
  %first = add nsw i32 %row, %x
  br label %loop
loop:
  %z = phi i32 [ 0, %entry ], [ %z.next, %loop ]
  %at = phi i32 [ %first, %entry ], [ %at.next, %loop ]
  %old = atomicrmw add ptr %out, i32 1 monotonic
  %at.wide = sext i32 %at to i64
  %p = getelementptr inbounds float, ptr %in, i64 %at.wide
  %a = load float, ptr %p
  %below = add nsw i32 %at, %width
  %below.wide = sext i32 %below to i64
  %q = getelementptr inbounds float, ptr %in, i64 %below.wide
  %b = load float, ptr %q
  %sum = fadd float %a, %b
  %to = getelementptr inbounds float, ptr %out, i64 %at.wide
  store float %sum, ptr %to
  %at.next = add nsw i32 %at, %plane
  %z.next = add nuw nsw i32 %z, 1
  %again = icmp slt i32 %z.next, %nz
  br i1 %again, label %loop, label %end
end:
  ret void
}

define void @leaves_work(ptr %in, ptr %out, i32 %width, i32 %plane, i32 %nz) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = mul nsw i32 %y, %width
  %first = add nsw i32 %row, %x
  %inside = icmp ne i32 %x, 0
  br i1 %inside, label %enter, label %away
enter:
  br label %loop
loop:
  %z = phi i32 [ 0, %enter ], [ %z.next, %loop ]
  %at = phi i32 [ %first, %enter ], [ %at.next, %loop ]
  %at.wide = sext i32 %at to i64
  %p = getelementptr inbounds float, ptr %in, i64 %at.wide
  %a = load float, ptr %p
  %below = add nsw i32 %at, %width
  %below.wide = sext i32 %below to i64
  %q = getelementptr inbounds float, ptr %in, i64 %below.wide
  %b = load float, ptr %q
  %sum = fadd float %a, %b
  %to = getelementptr inbounds float, ptr %out, i64 %at.wide
  store float %sum, ptr %to
  %at.next = add nsw i32 %at, %plane
  %z.next = add nuw nsw i32 %z, 1
  %again = icmp slt i32 %z.next, %nz
  br i1 %again, label %loop, label %end
end:
  br label %away
away:
  store float 0.0, ptr %out
  ret void
}
