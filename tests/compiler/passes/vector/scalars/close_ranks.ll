; RUN: %opt -kernel=by_index -block=8 -passes=close-ranks %s | %check %s --check-prefix=INDEX
; RUN: %opt -kernel=by_index -block=16 -passes=close-ranks %s | %check %s --check-prefix=INDEX
; RUN: %opt -kernel=by_remainder -block=8 -passes=close-ranks %s | %check %s --check-prefix=REMAINDER
; RUN: %opt -kernel=by_remainder -block=6 -passes=close-ranks %s | %check %s --check-prefix=SIX
; RUN: %opt -kernel=down_again -block=8 -passes=close-ranks %s | %check %s --check-prefix=DOWN
; RUN: %opt -kernel=stays_and_adds -block=8 -passes=close-ranks %s | %check %s --check-prefix=JOINT
; RUN: %opt -kernel=adds_own_number -block=8 -passes=close-ranks %s | %check %s --check-prefix=STAYS
; RUN: %opt -kernel=every_second_adds -block=9 -passes=close-ranks %s | %check %s --check-prefix=STAYS
; RUN: %opt -kernel=by_index -block=8,2 -passes=close-ranks %s | %check %s --check-prefix=STAYS
; RUN: %opt -kernel=odd_ones_too -block=8 -passes=close-ranks %s | %check %s --check-prefix=STAYS
; RUN: %opt -kernel=beyond -block=8 -passes=close-ranks %s | %check %s --check-prefix=STAYS
; RUN: %opt -kernel=not_by_all -block=8 -passes=close-ranks %s | %check %s --check-prefix=STAYS
; RUN: %opt -kernel=own_number -block=8 -passes=close-ranks %s | %check %s --check-prefix=STAYS
; RUN: %opt -kernel=own_lane -block=8 -passes=close-ranks %s | %check %s --check-prefix=STAYS
; RUN: %opt -kernel=another_way -block=8 -passes=close-ranks %s | %check %s --check-prefix=STAYS
; RUN: %opt -kernel=no_barrier -block=8 -passes=close-ranks %s | %check %s --check-prefix=STAYS
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@index = internal addrspace(3) global [8 x float] undef, align 16
@remainder = internal addrspace(3) global [8 x float] undef, align 4
@both = internal addrspace(3) global [8 x float] undef, align 4
@few = internal addrspace(3) global [8 x float] undef, align 4
@asked = internal addrspace(3) global [8 x float] undef, align 4
@number = internal addrspace(3) global [8 x float] undef, align 4
@written = internal addrspace(3) global [8 x float] undef, align 4
@lanes = internal addrspace(3) global [8 x float] undef, align 4
@down = internal addrspace(3) global [16 x float] undef, align 4
@joint = internal addrspace(3) global [16 x float] undef, align 4
@added = internal addrspace(3) global [16 x float] undef, align 4
@seconds = internal addrspace(3) global [20 x float] undef, align 4
@other = internal addrspace(3) global [8 x float] undef, align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; STAYS-NOT: closed

; s[2 t] += s[2 t + 1] of four threads, then s[4 t] += s[4 t + 2] of two: the four sums lie side by side, and the two.
; INDEX: @index.closed = internal addrspace(3) global [4 x float] undef, align 64
; INDEX: @index.closed.closed = internal addrspace(3) global [2 x float] undef, align 64
; INDEX-LABEL: define void @by_index(
; INDEX: first:
; INDEX: load float, ptr addrspace(3) %left
; INDEX: load float, ptr addrspace(3) %right
; INDEX: [[I:%.*]] = zext nneg i32 %t to i64
; INDEX: [[AT:%.*]] = getelementptr inbounds float, ptr addrspace(3) @index.closed, i64 [[I]]
; INDEX: store float %sum, ptr addrspace(3) [[AT]], align 4
; INDEX: second:
; INDEX: [[TWO:%.*]] = shl nuw nsw i32 %t, 1
; INDEX: [[WIDE:%.*]] = zext nneg i32 [[TWO]] to i64
; INDEX: [[LEFT:%.*]] = getelementptr inbounds float, ptr addrspace(3) @index.closed, i64 [[WIDE]]
; INDEX: load float, ptr addrspace(3) [[LEFT]], align 4
; INDEX: [[EVEN:%.*]] = shl nuw nsw i32 %t, 1
; INDEX: [[ODD:%.*]] = or disjoint i32 [[EVEN]], 1
; INDEX: store float %sum2, ptr addrspace(3)
; INDEX: third:
; INDEX: load float, ptr addrspace(3) @index.closed.closed, align 4
; INDEX: load float, ptr addrspace(3) getelementptr inbounds (float, ptr addrspace(3) @index.closed.closed, i64 1)
define void @by_index(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p0 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %few = icmp ult i32 %t, 4
  br i1 %few, label %first, label %after

first:
  %x = shl nuw nsw i32 %t, 1
  %wide = zext nneg i32 %x to i64
  %y = or disjoint i32 %x, 1
  %wide_y = zext nneg i32 %y to i64
  %left = getelementptr inbounds [8 x float], ptr addrspace(3) @index, i64 0, i64 %wide
  %right = getelementptr inbounds [8 x float], ptr addrspace(3) @index, i64 0, i64 %wide_y
  %a = load float, ptr addrspace(3) %left, align 4
  %b = load float, ptr addrspace(3) %right, align 4
  %sum = fadd float %a, %b
  store float %sum, ptr addrspace(3) %left, align 8
  br label %after

after:
  %p1 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %fewer = icmp ult i32 %t, 2
  br i1 %fewer, label %second, label %behind

second:
  %x2 = shl nuw nsw i32 %t, 2
  %wide2 = zext nneg i32 %x2 to i64
  %y2 = or disjoint i32 %x2, 2
  %wide_y2 = zext nneg i32 %y2 to i64
  %left2 = getelementptr inbounds [8 x float], ptr addrspace(3) @index, i64 0, i64 %wide2
  %right2 = getelementptr inbounds [8 x float], ptr addrspace(3) @index, i64 0, i64 %wide_y2
  %a2 = load float, ptr addrspace(3) %left2, align 16
  %b2 = load float, ptr addrspace(3) %right2, align 4
  %sum2 = fadd float %a2, %b2
  store float %sum2, ptr addrspace(3) %left2, align 4
  br label %behind

behind:
  %p2 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %one = icmp eq i32 %t, 0
  br i1 %one, label %third, label %end

third:
  %a3 = load float, ptr addrspace(3) @index, align 4
  %b3 = load float, ptr addrspace(3) getelementptr inbounds ([8 x float], ptr addrspace(3) @index, i64 0, i64 4), align 4
  %sum3 = fadd float %a3, %b3
  store float %sum3, ptr %out, align 4
  br label %end

end:
  ret void
}

; Up and down again: what the second step of the first tree stores, until the same elements are stored once more, lies
; side by side; what is between them stays where it is.
; DOWN: @down.closed = internal addrspace(3) global [8 x float] undef
; DOWN: @down.closed.closed = internal addrspace(3) global [4 x float] undef
; DOWN-LABEL: define void @down_again(
; DOWN: store float %s1, ptr addrspace(3) [[ONE:%.*]], align 4
; DOWN: second:
; DOWN: getelementptr inbounds float, ptr addrspace(3) @down.closed,
; DOWN: getelementptr inbounds float, ptr addrspace(3) @down.closed,
; DOWN: [[TWO:%.*]] = getelementptr inbounds float, ptr addrspace(3) @down.closed.closed, i64
; DOWN: store float %s2, ptr addrspace(3) [[TWO]]
; DOWN: third:
; DOWN: %b3 = load float, ptr addrspace(3) [[THREE:%.*]], align 4
; DOWN: [[LEFT:%.*]] = getelementptr inbounds float, ptr addrspace(3) @down.closed, i64
; DOWN: store float %b3, ptr addrspace(3) [[LEFT]]
; DOWN: [[RIGHT:%.*]] = getelementptr inbounds float, ptr addrspace(3) @down.closed, i64
; DOWN: store float %s3, ptr addrspace(3) [[RIGHT]]
; DOWN: last:
; DOWN: %a4 = load float, ptr addrspace(3) %l4
; DOWN: [[READ:%.*]] = getelementptr inbounds float, ptr addrspace(3) @down.closed, i64
; DOWN: %b4 = load float, ptr addrspace(3) [[READ]]
; DOWN: store float %b4, ptr addrspace(3) %l4
; DOWN: store float %s4, ptr addrspace(3) %r4
; DOWN: load float, ptr addrspace(3) %own
define void @down_again(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p0 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %l1.m = mul nuw nsw i32 %t, 2
  %l1.x = add nuw nsw i32 %l1.m, 0
  %l1.w = zext nneg i32 %l1.x to i64
  %l1 = getelementptr inbounds [16 x float], ptr addrspace(3) @down, i64 0, i64 %l1.w
  %r1.m = mul nuw nsw i32 %t, 2
  %r1.x = add nuw nsw i32 %r1.m, 1
  %r1.w = zext nneg i32 %r1.x to i64
  %r1 = getelementptr inbounds [16 x float], ptr addrspace(3) @down, i64 0, i64 %r1.w
  %a1 = load float, ptr addrspace(3) %l1, align 4
  %b1 = load float, ptr addrspace(3) %r1, align 4
  %s1 = fadd float %a1, %b1
  store float %s1, ptr addrspace(3) %r1, align 4
  %p1 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %few = icmp ult i32 %t, 4
  br i1 %few, label %second, label %after

second:
  %l2.m = mul nuw nsw i32 %t, 4
  %l2.x = add nuw nsw i32 %l2.m, 1
  %l2.w = zext nneg i32 %l2.x to i64
  %l2 = getelementptr inbounds [16 x float], ptr addrspace(3) @down, i64 0, i64 %l2.w
  %r2.m = mul nuw nsw i32 %t, 4
  %r2.x = add nuw nsw i32 %r2.m, 3
  %r2.w = zext nneg i32 %r2.x to i64
  %r2 = getelementptr inbounds [16 x float], ptr addrspace(3) @down, i64 0, i64 %r2.w
  %a2 = load float, ptr addrspace(3) %l2, align 4
  %b2 = load float, ptr addrspace(3) %r2, align 4
  %s2 = fadd float %a2, %b2
  store float %s2, ptr addrspace(3) %r2, align 4
  br label %after

after:
  %p2 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br i1 %few, label %third, label %last

third:
  %l3.m = mul nuw nsw i32 %t, 4
  %l3.x = add nuw nsw i32 %l3.m, 1
  %l3.w = zext nneg i32 %l3.x to i64
  %l3 = getelementptr inbounds [16 x float], ptr addrspace(3) @down, i64 0, i64 %l3.w
  %r3.m = mul nuw nsw i32 %t, 4
  %r3.x = add nuw nsw i32 %r3.m, 3
  %r3.w = zext nneg i32 %r3.x to i64
  %r3 = getelementptr inbounds [16 x float], ptr addrspace(3) @down, i64 0, i64 %r3.w
  %a3 = load float, ptr addrspace(3) %l3, align 4
  %b3 = load float, ptr addrspace(3) %r3, align 4
  store float %b3, ptr addrspace(3) %l3, align 4
  %s3 = fadd float %a3, %b3
  store float %s3, ptr addrspace(3) %r3, align 4
  br label %last

last:
  %p3 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %l4.m = mul nuw nsw i32 %t, 2
  %l4.x = add nuw nsw i32 %l4.m, 0
  %l4.w = zext nneg i32 %l4.x to i64
  %l4 = getelementptr inbounds [16 x float], ptr addrspace(3) @down, i64 0, i64 %l4.w
  %r4.m = mul nuw nsw i32 %t, 2
  %r4.x = add nuw nsw i32 %r4.m, 1
  %r4.w = zext nneg i32 %r4.x to i64
  %r4 = getelementptr inbounds [16 x float], ptr addrspace(3) @down, i64 0, i64 %r4.w
  %a4 = load float, ptr addrspace(3) %l4, align 4
  %b4 = load float, ptr addrspace(3) %r4, align 4
  store float %b4, ptr addrspace(3) %l4, align 4
  %s4 = fadd float %a4, %b4
  store float %s4, ptr addrspace(3) %r4, align 4
  %p4 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %own.m = mul nuw nsw i32 %t, 1
  %own.x = add nuw nsw i32 %own.m, 0
  %own.w = zext nneg i32 %own.x to i64
  %own = getelementptr inbounds [16 x float], ptr addrspace(3) @down, i64 0, i64 %own.w
  %all = load float, ptr addrspace(3) %own, align 4
  store float %all, ptr %out, align 4
  ret void
}

; What stays is added to what is behind it: the next thread does that, with both elements of a pair in its hands.
; JOINT: @joint.closed = internal addrspace(3) global [24 x float] undef
; JOINT-LABEL: define void @stays_and_adds(
; JOINT: icmp ne i32 %t, 7
; JOINT: [[ALL:%.*]] = icmp ult i32 %t, 8
; JOINT: br i1 [[ALL]], label %third, label %last
; JOINT: third:
; JOINT: [[BELOW:%.*]] = add nuw nsw i32 %t, 15
; JOINT: [[WIDE:%.*]] = zext nneg i32 [[BELOW]] to i64
; JOINT: [[AT:%.*]] = getelementptr inbounds float, ptr addrspace(3) @joint.closed, i64 [[WIDE]]
; JOINT: %a3 = load float, ptr addrspace(3) [[AT]]
; JOINT: [[FIRST:%.*]] = icmp eq i32 %t, 0
; JOINT: [[KEPT:%.*]] = select i1 [[FIRST]], float {{%.*}}, float %s3
; JOINT: store float [[KEPT]], ptr addrspace(3)
; JOINT: [[OWN:%.*]] = load float, ptr addrspace(3)
; JOINT: [[BACK:%.*]] = getelementptr inbounds float, ptr addrspace(3) @joint, i64
; JOINT: store float [[OWN]], ptr addrspace(3) [[BACK]]
define void @stays_and_adds(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p0 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %l1.m = mul nuw nsw i32 %t, 2
  %l1.x = add nuw nsw i32 %l1.m, 0
  %l1.w = zext nneg i32 %l1.x to i64
  %l1 = getelementptr inbounds [16 x float], ptr addrspace(3) @joint, i64 0, i64 %l1.w
  %r1.m = mul nuw nsw i32 %t, 2
  %r1.x = add nuw nsw i32 %r1.m, 1
  %r1.w = zext nneg i32 %r1.x to i64
  %r1 = getelementptr inbounds [16 x float], ptr addrspace(3) @joint, i64 0, i64 %r1.w
  %a1 = load float, ptr addrspace(3) %l1, align 4
  %b1 = load float, ptr addrspace(3) %r1, align 4
  %s1 = fadd float %a1, %b1
  store float %s1, ptr addrspace(3) %r1, align 4
  %p1 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %few = icmp ult i32 %t, 4
  br i1 %few, label %second, label %after

second:
  %l2.m = mul nuw nsw i32 %t, 4
  %l2.x = add nuw nsw i32 %l2.m, 1
  %l2.w = zext nneg i32 %l2.x to i64
  %l2 = getelementptr inbounds [16 x float], ptr addrspace(3) @joint, i64 0, i64 %l2.w
  %r2.m = mul nuw nsw i32 %t, 4
  %r2.x = add nuw nsw i32 %r2.m, 3
  %r2.w = zext nneg i32 %r2.x to i64
  %r2 = getelementptr inbounds [16 x float], ptr addrspace(3) @joint, i64 0, i64 %r2.w
  %a2 = load float, ptr addrspace(3) %l2, align 4
  %b2 = load float, ptr addrspace(3) %r2, align 4
  %s2 = fadd float %a2, %b2
  store float %s2, ptr addrspace(3) %r2, align 4
  br label %after

after:
  %p2 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %not_last = icmp ne i32 %t, 7
  br i1 %not_last, label %third, label %last

third:
  %l3.m = mul nuw nsw i32 %t, 2
  %l3.x = add nuw nsw i32 %l3.m, 1
  %l3.w = zext nneg i32 %l3.x to i64
  %l3 = getelementptr inbounds [16 x float], ptr addrspace(3) @joint, i64 0, i64 %l3.w
  %r3.m = mul nuw nsw i32 %t, 2
  %r3.x = add nuw nsw i32 %r3.m, 2
  %r3.w = zext nneg i32 %r3.x to i64
  %r3 = getelementptr inbounds [16 x float], ptr addrspace(3) @joint, i64 0, i64 %r3.w
  %a3 = load float, ptr addrspace(3) %l3, align 4
  %b3 = load float, ptr addrspace(3) %r3, align 4
  %s3 = fadd float %b3, %a3
  store float %s3, ptr addrspace(3) %r3, align 4
  br label %last

last:
  %p3 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %own.m = mul nuw nsw i32 %t, 1
  %own.x = add nuw nsw i32 %own.m, 0
  %own.w = zext nneg i32 %own.x to i64
  %own = getelementptr inbounds [16 x float], ptr addrspace(3) @joint, i64 0, i64 %own.w
  %all = load float, ptr addrspace(3) %own, align 4
  store float %all, ptr %out, align 4
  ret void
}

; Another thread would add another number.
define void @adds_own_number(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p0 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %l1.m = mul nuw nsw i32 %t, 2
  %l1.x = add nuw nsw i32 %l1.m, 0
  %l1.w = zext nneg i32 %l1.x to i64
  %l1 = getelementptr inbounds [16 x float], ptr addrspace(3) @added, i64 0, i64 %l1.w
  %r1.m = mul nuw nsw i32 %t, 2
  %r1.x = add nuw nsw i32 %r1.m, 1
  %r1.w = zext nneg i32 %r1.x to i64
  %r1 = getelementptr inbounds [16 x float], ptr addrspace(3) @added, i64 0, i64 %r1.w
  %a1 = load float, ptr addrspace(3) %l1, align 4
  %b1 = load float, ptr addrspace(3) %r1, align 4
  %s1 = fadd float %a1, %b1
  store float %s1, ptr addrspace(3) %r1, align 4
  %p1 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %few = icmp ult i32 %t, 4
  br i1 %few, label %second, label %after

second:
  %l2.m = mul nuw nsw i32 %t, 4
  %l2.x = add nuw nsw i32 %l2.m, 1
  %l2.w = zext nneg i32 %l2.x to i64
  %l2 = getelementptr inbounds [16 x float], ptr addrspace(3) @added, i64 0, i64 %l2.w
  %r2.m = mul nuw nsw i32 %t, 4
  %r2.x = add nuw nsw i32 %r2.m, 3
  %r2.w = zext nneg i32 %r2.x to i64
  %r2 = getelementptr inbounds [16 x float], ptr addrspace(3) @added, i64 0, i64 %r2.w
  %a2 = load float, ptr addrspace(3) %l2, align 4
  %b2 = load float, ptr addrspace(3) %r2, align 4
  %s2 = fadd float %a2, %b2
  store float %s2, ptr addrspace(3) %r2, align 4
  br label %after

after:
  %p2 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %not_last = icmp ne i32 %t, 7
  br i1 %not_last, label %third, label %last

third:
  %l3.m = mul nuw nsw i32 %t, 2
  %l3.x = add nuw nsw i32 %l3.m, 1
  %l3.w = zext nneg i32 %l3.x to i64
  %l3 = getelementptr inbounds [16 x float], ptr addrspace(3) @added, i64 0, i64 %l3.w
  %r3.m = mul nuw nsw i32 %t, 2
  %r3.x = add nuw nsw i32 %r3.m, 2
  %r3.w = zext nneg i32 %r3.x to i64
  %r3 = getelementptr inbounds [16 x float], ptr addrspace(3) @added, i64 0, i64 %r3.w
  %a3 = load float, ptr addrspace(3) %l3, align 4
  %b3 = load float, ptr addrspace(3) %r3, align 4
  %s3 = fadd float %b3, %a3
  %f = uitofp i32 %t to float
  %s4 = fadd float %s3, %f
  store float %s4, ptr addrspace(3) %r3, align 4
  br label %last

last:
  %p3 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %own.m = mul nuw nsw i32 %t, 1
  %own.x = add nuw nsw i32 %own.m, 0
  %own.w = zext nneg i32 %own.x to i64
  %own = getelementptr inbounds [16 x float], ptr addrspace(3) @added, i64 0, i64 %own.w
  %all = load float, ptr addrspace(3) %own, align 4
  store float %all, ptr %out, align 4
  ret void
}

; Six threads store an element each, and five of nine add to what is beside them: threads 0, 2, 4, 6 and 8, whose work
; the next thread does not do.
define void @every_second_adds(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p0 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %six = icmp ult i32 %t, 6
  br i1 %six, label %first, label %after

first:
  %l1.m = mul nuw nsw i32 %t, 2
  %l1.x = add nuw nsw i32 %l1.m, 1
  %l1.w = zext nneg i32 %l1.x to i64
  %l1 = getelementptr inbounds [20 x float], ptr addrspace(3) @seconds, i64 0, i64 %l1.w
  store float 1.0, ptr addrspace(3) %l1, align 4
  br label %after

after:
  %p1 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %three = icmp ult i32 %t, 3
  br i1 %three, label %second, label %behind

second:
  %l2.m = mul nuw nsw i32 %t, 4
  %l2.x = add nuw nsw i32 %l2.m, 1
  %l2.w = zext nneg i32 %l2.x to i64
  %l2 = getelementptr inbounds [20 x float], ptr addrspace(3) @seconds, i64 0, i64 %l2.w
  store float 2.0, ptr addrspace(3) %l2, align 4
  br label %behind

behind:
  %p2 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %rest = and i32 %t, 1
  %even = icmp eq i32 %rest, 0
  br i1 %even, label %third, label %last

third:
  %l3.m = mul nuw nsw i32 %t, 1
  %l3.x = add nuw nsw i32 %l3.m, 1
  %l3.w = zext nneg i32 %l3.x to i64
  %l3 = getelementptr inbounds [20 x float], ptr addrspace(3) @seconds, i64 0, i64 %l3.w
  %r3.m = mul nuw nsw i32 %t, 1
  %r3.x = add nuw nsw i32 %r3.m, 2
  %r3.w = zext nneg i32 %r3.x to i64
  %r3 = getelementptr inbounds [20 x float], ptr addrspace(3) @seconds, i64 0, i64 %r3.w
  %a3 = load float, ptr addrspace(3) %l3, align 4
  %b3 = load float, ptr addrspace(3) %r3, align 4
  %s3 = fadd float %a3, %b3
  store float %s3, ptr addrspace(3) %r3, align 4
  br label %last

last:
  %p3 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %own.m = mul nuw nsw i32 %t, 1
  %own.x = add nuw nsw i32 %own.m, 0
  %own.w = zext nneg i32 %own.x to i64
  %own = getelementptr inbounds [20 x float], ptr addrspace(3) @seconds, i64 0, i64 %own.w
  %all = load float, ptr addrspace(3) %own, align 4
  store float %all, ptr %out, align 4
  ret void
}

; Thread 2 u leaves its work to thread u.
; REMAINDER: @remainder.closed = internal addrspace(3) global [4 x float] undef
; REMAINDER-LABEL: define void @by_remainder(
; REMAINDER: [[FEW:%.*]] = icmp ult i32 %t, 4
; REMAINDER: br i1 [[FEW]], label %first
; REMAINDER: first:
; REMAINDER: [[TWO:%.*]] = shl nuw nsw i32 %t, 1
; REMAINDER: [[WIDE:%.*]] = zext nneg i32 [[TWO]] to i64
; REMAINDER: getelementptr inbounds float, ptr addrspace(3) @remainder, i64 [[WIDE]]
; REMAINDER: store float %sum, ptr addrspace(3) [[AT:%.*]], align 4
; REMAINDER: third:
; REMAINDER: load float, ptr addrspace(3) @remainder.closed
; Of six threads three.
; SIX: @remainder.closed = internal addrspace(3) global [3 x float] undef
; SIX: icmp ult i32 %t, 3
define void @by_remainder(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %own = getelementptr inbounds [8 x float], ptr addrspace(3) @remainder, i64 0, i64 %wide
  %p0 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %low = and i32 %t, 1
  %even = icmp eq i32 %low, 0
  br i1 %even, label %first, label %after

first:
  %y = or disjoint i32 %t, 1
  %wide_y = zext nneg i32 %y to i64
  %right = getelementptr inbounds [8 x float], ptr addrspace(3) @remainder, i64 0, i64 %wide_y
  %a = load float, ptr addrspace(3) %own, align 4
  %b = load float, ptr addrspace(3) %right, align 4
  %sum = fadd float %a, %b
  store float %sum, ptr addrspace(3) %own, align 4
  br label %after

after:
  %p1 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %one = icmp eq i32 %t, 0
  br i1 %one, label %third, label %end

third:
  %a3 = load float, ptr addrspace(3) @remainder, align 4
  %b3 = load float, ptr addrspace(3) getelementptr inbounds ([8 x float], ptr addrspace(3) @remainder, i64 0, i64 4), align 4
  %sum3 = fadd float %a3, %b3
  store float %sum3, ptr %out, align 4
  br label %end

end:
  ret void
}

; Somebody looks at the others as well.
define void @odd_ones_too(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p0 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %few = icmp ult i32 %t, 4
  br i1 %few, label %first, label %after

first:
  %x = shl nuw nsw i32 %t, 1
  %wide = zext nneg i32 %x to i64
  %left = getelementptr inbounds [8 x float], ptr addrspace(3) @both, i64 0, i64 %wide
  store float 1.0, ptr addrspace(3) %left, align 4
  br label %after

after:
  %p1 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %all = zext nneg i32 %t to i64
  %own = getelementptr inbounds [8 x float], ptr addrspace(3) @both, i64 0, i64 %all
  %a = load float, ptr addrspace(3) %own, align 4
  store float %a, ptr %out, align 4
  ret void
}

; The two threads store elements 0 and 2, four are read.
define void @beyond(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p0 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %x = shl nuw nsw i32 %t, 1
  %wide = zext nneg i32 %x to i64
  %place = getelementptr inbounds [8 x float], ptr addrspace(3) @few, i64 0, i64 %wide
  %few = icmp ult i32 %t, 2
  br i1 %few, label %first, label %after

first:
  store float 1.0, ptr addrspace(3) %place, align 4
  br label %after

after:
  %p1 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %some = icmp ult i32 %t, 4
  br i1 %some, label %second, label %end

second:
  %a = load float, ptr addrspace(3) %place, align 4
  store float %a, ptr %out, align 4
  br label %end

end:
  ret void
}

; Whether it is stored the argument says.
define void @not_by_all(ptr %out, i1 %wanted) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p0 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %x = shl nuw nsw i32 %t, 1
  %wide = zext nneg i32 %x to i64
  %place = getelementptr inbounds [8 x float], ptr addrspace(3) @asked, i64 0, i64 %wide
  br i1 %wanted, label %ask, label %after

ask:
  %few = icmp ult i32 %t, 4
  br i1 %few, label %first, label %after

first:
  store float 1.0, ptr addrspace(3) %place, align 4
  br label %after

after:
  %p1 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %fewer = icmp ult i32 %t, 4
  br i1 %fewer, label %second, label %end

second:
  %a = load float, ptr addrspace(3) %place, align 4
  store float %a, ptr %out, align 4
  br label %end

end:
  ret void
}

; Another thread would store another number.
define void @own_number(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %own = getelementptr inbounds [8 x float], ptr addrspace(3) @number, i64 0, i64 %wide
  %p0 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %low = and i32 %t, 1
  %even = icmp eq i32 %low, 0
  br i1 %even, label %first, label %after

first:
  %f = uitofp i32 %t to float
  store float %f, ptr addrspace(3) %own, align 4
  br label %after

after:
  %p1 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %one = icmp eq i32 %t, 0
  br i1 %one, label %third, label %end

third:
  %b3 = load float, ptr addrspace(3) getelementptr inbounds ([8 x float], ptr addrspace(3) @number, i64 0, i64 4), align 4
  store float %b3, ptr %out, align 4
  br label %end

end:
  ret void
}

; Nor has it the same lane.
define void @own_lane(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %own = getelementptr inbounds [8 x float], ptr addrspace(3) @lanes, i64 0, i64 %wide
  %p0 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %low = and i32 %t, 1
  %even = icmp eq i32 %low, 0
  br i1 %even, label %first, label %after

first:
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %f = uitofp i32 %lane to float
  store float %f, ptr addrspace(3) %own, align 4
  br label %after

after:
  %p1 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %one = icmp eq i32 %t, 0
  br i1 %one, label %third, label %end

third:
  %b3 = load float, ptr addrspace(3) getelementptr inbounds ([8 x float], ptr addrspace(3) @lanes, i64 0, i64 4), align 4
  store float %b3, ptr %out, align 4
  br label %end

end:
  ret void
}

; The other threads read on a way of their own.
define void @another_way(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p0 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %x = shl nuw nsw i32 %t, 1
  %wide = zext nneg i32 %x to i64
  %place = getelementptr inbounds [8 x float], ptr addrspace(3) @other, i64 0, i64 %wide
  %few = icmp ult i32 %t, 4
  br i1 %few, label %first, label %rest

first:
  store float 1.0, ptr addrspace(3) %place, align 4
  %p1 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %a = load float, ptr addrspace(3) %place, align 4
  store float %a, ptr %out, align 4
  ret void

rest:
  %p2 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %b = load float, ptr addrspace(3) getelementptr inbounds ([8 x float], ptr addrspace(3) @other, i64 0, i64 4), align 4
  store float %b, ptr %out, align 4
  ret void
}

; What the threads wrote themselves just before is not there for others yet.
define void @no_barrier(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %own = getelementptr inbounds [8 x float], ptr addrspace(3) @written, i64 0, i64 %wide
  %p0 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  store float 1.0, ptr addrspace(3) %own, align 4
  %low = and i32 %t, 1
  %even = icmp eq i32 %low, 0
  br i1 %even, label %first, label %after

first:
  %a = load float, ptr addrspace(3) %own, align 4
  %b = fadd float %a, 1.0
  store float %b, ptr addrspace(3) %own, align 4
  br label %after

after:
  %p1 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %one = icmp eq i32 %t, 0
  br i1 %one, label %third, label %end

third:
  %b3 = load float, ptr addrspace(3) getelementptr inbounds ([8 x float], ptr addrspace(3) @written, i64 0, i64 4), align 4
  store float %b3, ptr %out, align 4
  br label %end

end:
  ret void
}
