; RUN: %opt -kernel=greater -block=8 -passes=choose-own-stores %s | %check %s
; RUN: %opt -kernel=greater -block=8,2 -passes=choose-own-stores %s | %check %s --check-prefix=STAYS
; RUN: %opt -kernel=otherwise -block=8 -passes=choose-own-stores %s | %check %s --check-prefix=OTHERWISE
; RUN: %opt -kernel=flag -block=8 -passes=choose-own-stores %s | %check %s --check-prefix=STAYS
; RUN: %opt -kernel=behind_barrier -block=8 -passes=choose-own-stores %s | %check %s --check-prefix=STAYS
; RUN: %opt -kernel=of_the_grid -block=8 -passes=choose-own-stores %s | %check %s --check-prefix=STAYS
; RUN: %opt -kernel=two_arrays -block=8 -passes=choose-own-stores %s | %check %s --check-prefix=TWO
; RUN: %opt -kernel=two_arrays -block=32 -passes=choose-own-stores %s | %check %s --check-prefix=STAYS
; RUN: %opt -kernel=others_write -block=8 -passes=choose-own-stores %s | %check %s --check-prefix=STAYS
; RUN: %opt -kernel=by_number -block=8 -passes=choose-own-stores %s | %check %s --check-prefix=STAYS
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = internal addrspace(3) global [16 x float] undef, align 4
@w = internal addrspace(3) global [16 x i32] undef, align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; STAYS-NOT: select

; if (s[t + 8] > s[t]) s[t] = s[t + 8];
; CHECK-LABEL: define void @greater(
; CHECK: %more = fcmp ogt float %b, %a
; CHECK-NEXT: [[CHOICE:%.*]] = select i1 %more, float %b, float %a
; CHECK-NEXT: store float [[CHOICE]], ptr addrspace(3) %own, align 4
; CHECK-NEXT: br label %end
define void @greater() {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %own = getelementptr inbounds float, ptr addrspace(3) @s, i64 %wide
  %other = getelementptr inbounds float, ptr addrspace(3) %own, i64 8
  %a = load float, ptr addrspace(3) %own, align 4
  %b = load float, ptr addrspace(3) %other, align 4
  %more = fcmp ogt float %b, %a
  br i1 %more, label %take, label %end

take:
  store float %b, ptr addrspace(3) %own, align 4
  br label %end

end:
  ret void
}

; The other way does nothing.
; OTHERWISE-LABEL: define void @otherwise(
; OTHERWISE: select i1 %less, float %a, float %b
define void @otherwise() {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %own = getelementptr inbounds float, ptr addrspace(3) @s, i64 %wide
  %other = getelementptr inbounds float, ptr addrspace(3) %own, i64 8
  %a = load float, ptr addrspace(3) %own, align 4
  %b = load float, ptr addrspace(3) %other, align 4
  %less = fcmp ole float %b, %a
  br i1 %less, label %end, label %take

take:
  store float %b, ptr addrspace(3) %own, align 4
  br label %end

end:
  ret void
}

; Who finds the flag down must not put it down again.
define void @flag(float %x) {
entry:
  %a = load float, ptr addrspace(3) @s, align 4
  %down = fcmp oeq float %a, %x
  br i1 %down, label %set, label %end

set:
  store float 1.0, ptr addrspace(3) @s, align 4
  br label %end

end:
  ret void
}

; What was loaded may be another's by now, and is not loaded again where others write meanwhile.
define void @behind_barrier() {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %own = getelementptr inbounds float, ptr addrspace(3) @s, i64 %wide
  %a = load float, ptr addrspace(3) %own, align 4
  %p = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %more = fcmp ogt float %a, 0.0
  br i1 %more, label %take, label %end

take:
  store float 1.0, ptr addrspace(3) %own, align 4
  br label %end

end:
  store float 2.0, ptr addrspace(3) @s, align 4
  ret void
}

; Memory of the grid may be read by others, or be one that cannot be written.
define void @of_the_grid(ptr addrspace(1) %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %own = getelementptr inbounds float, ptr addrspace(1) %out, i64 %wide
  %a = load float, ptr addrspace(1) %own, align 4
  %more = fcmp ogt float %a, 0.0
  br i1 %more, label %take, label %end

take:
  store float 1.0, ptr addrspace(1) %own, align 4
  br label %end

end:
  ret void
}

; if (s[t + 8] > s[t]) { s[t] = s[t + 8]; w[t] = w[t + 8]; } from barrier to barrier: both are always stored. The
; second array is read where the source does not read it, which 16 elements allow for 8 threads.
; TWO-LABEL: define void @two_arrays(
; TWO: [[A:%.*]] = select i1 %more, float %b, float %a
; TWO-NEXT: store float [[A]], ptr addrspace(3) %own, align 4
; TWO-NEXT: %at = load i32, ptr addrspace(3) %other_w, align 4
; TWO-NEXT: [[OLD:%.*]] = load i32, ptr addrspace(3) %own_w, align 4
; TWO-NEXT: [[B:%.*]] = select i1 %more, i32 %at, i32 [[OLD]]
; TWO-NEXT: store i32 [[B]], ptr addrspace(3) %own_w, align 4
; TWO-NEXT: br label %end
define void @two_arrays() {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %own = getelementptr inbounds float, ptr addrspace(3) @s, i64 %wide
  %other = getelementptr inbounds float, ptr addrspace(3) %own, i64 8
  %own_w = getelementptr inbounds i32, ptr addrspace(3) @w, i64 %wide
  %other_w = getelementptr inbounds i32, ptr addrspace(3) %own_w, i64 8
  %p0 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %a = load float, ptr addrspace(3) %own, align 4
  %b = load float, ptr addrspace(3) %other, align 4
  %more = fcmp ogt float %b, %a
  br i1 %more, label %take, label %end

take:
  store float %b, ptr addrspace(3) %own, align 4
  %at = load i32, ptr addrspace(3) %other_w, align 4
  store i32 %at, ptr addrspace(3) %own_w, align 4
  br label %end

end:
  %p1 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  ret void
}

; Meanwhile the other threads write the second array.
define void @others_write(i1 %first) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %own = getelementptr inbounds float, ptr addrspace(3) @s, i64 %wide
  %other = getelementptr inbounds float, ptr addrspace(3) %own, i64 8
  %own_w = getelementptr inbounds i32, ptr addrspace(3) @w, i64 %wide
  %p0 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br i1 %first, label %ask, label %rest

ask:
  %a = load float, ptr addrspace(3) %own, align 4
  %b = load float, ptr addrspace(3) %other, align 4
  %more = fcmp ogt float %b, %a
  br i1 %more, label %take, label %end

take:
  store float %b, ptr addrspace(3) %own, align 4
  store i32 1, ptr addrspace(3) %own_w, align 4
  br label %end

rest:
  store i32 2, ptr addrspace(3) @w, align 4
  br label %end

end:
  %p1 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  ret void
}

; Which threads do it their numbers say: no others need to.
define void @by_number() {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %own = getelementptr inbounds float, ptr addrspace(3) @s, i64 %wide
  %other = getelementptr inbounds float, ptr addrspace(3) %own, i64 4
  %p0 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %few = icmp ult i32 %t, 4
  br i1 %few, label %take, label %end

take:
  %a = load float, ptr addrspace(3) %own, align 4
  %b = load float, ptr addrspace(3) %other, align 4
  %sum = fadd float %a, %b
  store float %sum, ptr addrspace(3) %own, align 4
  br label %end

end:
  %p1 = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  ret void
}
