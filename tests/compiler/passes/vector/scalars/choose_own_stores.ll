; RUN: %opt -kernel=greater -block=8 -passes=choose-own-stores %s | %check %s
; RUN: %opt -kernel=greater -block=8,2 -passes=choose-own-stores %s | %check %s --check-prefix=STAYS
; RUN: %opt -kernel=otherwise -block=8 -passes=choose-own-stores %s | %check %s --check-prefix=OTHERWISE
; RUN: %opt -kernel=flag -block=8 -passes=choose-own-stores %s | %check %s --check-prefix=STAYS
; RUN: %opt -kernel=behind_barrier -block=8 -passes=choose-own-stores %s | %check %s --check-prefix=STAYS
; RUN: %opt -kernel=of_the_grid -block=8 -passes=choose-own-stores %s | %check %s --check-prefix=STAYS
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = internal addrspace(3) global [16 x float] undef, align 4

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

; What was loaded may be another's by now.
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
