; RUN: %opt -kernel=even -block=256 -passes=first-threads %s | %check %s --check-prefix=EVEN
; RUN: %opt -kernel=phases -block=256 -passes=first-threads %s | %check %s --check-prefix=PHASES
; RUN: %opt -kernel=negated -block=256 -passes=first-threads %s | %check %s --check-prefix=NEGATED
; RUN: %opt -kernel=even -block=255 -passes=first-threads %s | %check %s --check-prefix=ODD
; RUN: %opt -kernel=stored_before -block=256 -passes=first-threads %s | %check %s --check-prefix=BEFORE
; RUN: %opt -kernel=some_leave -block=256 -passes=first-threads %s | %check %s --check-prefix=LEAVE
; RUN: %opt -kernel=own_value -block=256 -passes=first-threads %s | %check %s --check-prefix=OWN
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = internal addrspace(3) global [256 x float] undef, align 4

declare range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; EVEN-LABEL: define void @even(
; EVEN: [[T2:%.*]] = mul nuw nsw i32 %t, 2
; EVEN: [[T:%.*]] = add nuw nsw i32 [[T2]], 0
; EVEN: [[FIRST:%.*]] = icmp ult i32 %t, 128
; EVEN: [[NEXT:%.*]] = or disjoint i32 [[T]], 1
; EVEN: [[IN:%.*]] = icmp slt i32 [[NEXT]], %n
; EVEN: [[BOTH:%.*]] = select i1 [[FIRST]], i1 [[IN]], i1 false
; EVEN: br i1 [[BOTH]], label %work, label %join
; ODD-LABEL: define void @even(
; ODD: br i1 %both, label %work
define void @even(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %p = getelementptr inbounds [256 x float], ptr addrspace(3) @s, i64 0, i64 %wide
  %next = or disjoint i32 %t, 1
  %next_wide = zext nneg i32 %next to i64
  %q = getelementptr inbounds [256 x float], ptr addrspace(3) @s, i64 0, i64 %next_wide
  %b = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %rest = and i32 %t, 1
  %is_even = icmp eq i32 %rest, 0
  %in = icmp slt i32 %next, %n
  %both = and i1 %is_even, %in
  br i1 %both, label %work, label %join
work:
  %x = load float, ptr addrspace(3) %p, align 4
  %y = load float, ptr addrspace(3) %q, align 4
  %swap = fcmp ogt float %x, %y
  %low = select i1 %swap, float %y, float %x
  %high = select i1 %swap, float %x, float %y
  store float %low, ptr addrspace(3) %p, align 4
  store float %high, ptr addrspace(3) %q, align 4
  br label %join
join:
  %c = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  ret void
}

; Even and odd ones by turns: which, all threads know.
; PHASES-LABEL: define void @phases(
; PHASES: [[PHASE:%.*]] = xor i32 %turn, 0
; PHASES: [[REST:%.*]] = and i32 [[PHASE]], 1
; PHASES: [[T2:%.*]] = mul nuw nsw i32 %t, 2
; PHASES: [[T:%.*]] = add nuw nsw i32 [[T2]], [[REST]]
; PHASES: [[FIRST:%.*]] = icmp ult i32 %t, 128
; PHASES: [[IN:%.*]] = icmp slt i32 [[T]], %last
; PHASES: [[BOTH:%.*]] = select i1 [[FIRST]], i1 [[IN]], i1 false
; PHASES: br i1 [[BOTH]]
define void @phases(i32 %n, i32 %last) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %p = getelementptr inbounds [256 x float], ptr addrspace(3) @s, i64 0, i64 %wide
  %q = getelementptr inbounds i8, ptr addrspace(3) %p, i64 4
  %b = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %loop
loop:
  %turn = phi i32 [ 0, %entry ], [ %up, %join ]
  %mixed = xor i32 %t, %turn
  %rest = and i32 %mixed, 1
  %is_mine = icmp eq i32 %rest, 0
  %in = icmp slt i32 %t, %last
  %both = select i1 %is_mine, i1 %in, i1 false
  br i1 %both, label %work, label %join
work:
  %x = load float, ptr addrspace(3) %p, align 4
  %y = load float, ptr addrspace(3) %q, align 4
  store float %y, ptr addrspace(3) %p, align 4
  store float %x, ptr addrspace(3) %q, align 4
  br label %join
join:
  %c = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %up = add nuw nsw i32 %turn, 1
  %more = icmp slt i32 %up, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; NEGATED-LABEL: define void @negated(
; NEGATED: [[REST:%.*]] = icmp uge i32 %t, 128
; NEGATED: [[NONE:%.*]] = select i1 [[REST]], i1 true, i1
; NEGATED: br i1 [[NONE]], label %join, label %work
define void @negated(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %p = getelementptr inbounds [256 x float], ptr addrspace(3) @s, i64 0, i64 %wide
  %q = getelementptr inbounds i8, ptr addrspace(3) %p, i64 4
  %b = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %rest = and i32 %t, 1
  %is_odd = icmp ne i32 %rest, 0
  %out = icmp sge i32 %t, %n
  %none = select i1 %is_odd, i1 true, i1 %out
  br i1 %none, label %join, label %work
work:
  %x = load float, ptr addrspace(3) %p, align 4
  %y = load float, ptr addrspace(3) %q, align 4
  store float %y, ptr addrspace(3) %p, align 4
  store float %x, ptr addrspace(3) %q, align 4
  br label %join
join:
  %c = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  ret void
}

; Its own store comes first, whichever thread that is.
; BEFORE-LABEL: define void @stored_before(
; BEFORE: br i1 %is_even, label %work
define void @stored_before(float %v) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %p = getelementptr inbounds [256 x float], ptr addrspace(3) @s, i64 0, i64 %wide
  %q = getelementptr inbounds i8, ptr addrspace(3) %p, i64 4
  %b = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  store float %v, ptr addrspace(3) %p, align 4
  %rest = and i32 %t, 1
  %is_even = icmp eq i32 %rest, 0
  br i1 %is_even, label %work, label %join
work:
  %x = load float, ptr addrspace(3) %p, align 4
  store float %v, ptr addrspace(3) %p, align 4
  store float %x, ptr addrspace(3) %q, align 4
  br label %join
join:
  %c = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  ret void
}

; A thread that is gone does nobody's work.
; LEAVE-LABEL: define void @some_leave(
; LEAVE: br i1 %is_even, label %work
define void @some_leave(ptr %a) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %p = getelementptr inbounds [256 x float], ptr addrspace(3) @s, i64 0, i64 %wide
  %q = getelementptr inbounds i8, ptr addrspace(3) %p, i64 4
  %at = getelementptr inbounds i8, ptr %a, i64 %wide
  %flag = load i8, ptr %at
  %leaves = icmp eq i8 %flag, 0
  br i1 %leaves, label %done, label %stays
stays:
  %b = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %rest = and i32 %t, 1
  %is_even = icmp eq i32 %rest, 0
  br i1 %is_even, label %work, label %join
work:
  %x = load float, ptr addrspace(3) %p, align 4
  store float 0.0, ptr addrspace(3) %p, align 4
  store float %x, ptr addrspace(3) %q, align 4
  br label %join
join:
  %c = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %done
done:
  ret void
}

; What the thread has loaded.
; OWN-LABEL: define void @own_value(
; OWN: br i1 %is_even, label %work
define void @own_value(ptr %a) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %p = getelementptr inbounds [256 x float], ptr addrspace(3) @s, i64 0, i64 %wide
  %q = getelementptr inbounds i8, ptr addrspace(3) %p, i64 4
  %at = getelementptr inbounds float, ptr %a, i64 %wide
  %v = load float, ptr %at
  %b = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %rest = and i32 %t, 1
  %is_even = icmp eq i32 %rest, 0
  br i1 %is_even, label %work, label %join
work:
  store float %v, ptr addrspace(3) %p, align 4
  store float %v, ptr addrspace(3) %q, align 4
  br label %join
join:
  %c = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  ret void
}
