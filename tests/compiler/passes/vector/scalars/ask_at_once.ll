; RUN: %opt -kernel=less -block=8 -passes=ask-at-once %s | %check %s
; RUN: %opt -kernel=less -block=8,2 -passes=ask-at-once %s | %check %s --check-prefix=STAYS
; RUN: %opt -kernel=both -block=8 -passes=ask-at-once %s | %check %s --check-prefix=BOTH
; RUN: %opt -kernel=beyond -block=8 -passes=ask-at-once %s | %check %s --check-prefix=STAYS
; RUN: %opt -kernel=by_number -block=8 -passes=ask-at-once %s | %check %s --check-prefix=STAYS
; RUN: %opt -kernel=of_the_grid -block=8 -passes=ask-at-once %s | %check %s --check-prefix=STAYS
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = internal addrspace(3) global [16 x float] undef, align 4
@w = internal addrspace(3) global [16 x i32] undef, align 4
@short = internal addrspace(3) global [12 x i32] undef, align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; STAYS-NOT: select

; if (s[t + 8] < s[t] || (s[t + 8] == s[t] && w[t + 8] < w[t])) { s[t] = s[t + 8]; w[t] = w[t + 8]; }
; CHECK-LABEL: define void @less(
; CHECK: %less = fcmp olt float %b, %a
; CHECK: [[SECOND:%.*]] = load i32, ptr addrspace(3) %second
; CHECK-NOT: load i32, ptr addrspace(3) %second
; CHECK: [[TIE:%.*]] = select i1 %same, i1 %before, i1 false
; CHECK-NEXT: [[ALL:%.*]] = select i1 %less, i1 true, i1 [[TIE]]
; CHECK-NEXT: br i1 [[ALL]], label %take, label %end
; CHECK: store i32 [[SECOND]], ptr addrspace(3) %first
define void @less() {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %own = getelementptr inbounds float, ptr addrspace(3) @s, i64 %wide
  %other = getelementptr inbounds float, ptr addrspace(3) %own, i64 8
  %first = getelementptr inbounds i32, ptr addrspace(3) @w, i64 %wide
  %second = getelementptr inbounds i32, ptr addrspace(3) %first, i64 8
  %a = load float, ptr addrspace(3) %own, align 4
  %b = load float, ptr addrspace(3) %other, align 4
  %less = fcmp olt float %b, %a
  br i1 %less, label %there, label %tie

there:
  %i = load i32, ptr addrspace(3) %second, align 4
  br label %take

tie:
  %same = fcmp oeq float %b, %a
  br i1 %same, label %indices, label %end

indices:
  %j = load i32, ptr addrspace(3) %second, align 4
  %mine = load i32, ptr addrspace(3) %first, align 4
  %before = icmp slt i32 %j, %mine
  br i1 %before, label %take, label %end

take:
  %index = phi i32 [ %i, %there ], [ %j, %indices ]
  store float %b, ptr addrspace(3) %own, align 4
  store i32 %index, ptr addrspace(3) %first, align 4
  br label %end

end:
  ret void
}

; Both must hold; what comes from two ways is chosen.
; BOTH-LABEL: define void @both(
; BOTH: [[ALL:%.*]] = select i1 %less, i1 %before, i1 false
; BOTH-NEXT: br i1 [[ALL]], label %take, label %end
define void @both() {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %own = getelementptr inbounds float, ptr addrspace(3) @s, i64 %wide
  %first = getelementptr inbounds i32, ptr addrspace(3) @w, i64 %wide
  %a = load float, ptr addrspace(3) %own, align 4
  %less = fcmp olt float %a, 1.0
  br i1 %less, label %indices, label %end

indices:
  %mine = load i32, ptr addrspace(3) %first, align 4
  %before = icmp slt i32 %mine, 7
  br i1 %before, label %take, label %end

take:
  store float 1.0, ptr addrspace(3) %own, align 4
  br label %end

end:
  ret void
}

; The last threads would read behind the array's end.
define void @beyond() {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %own = getelementptr inbounds float, ptr addrspace(3) @s, i64 %wide
  %first = getelementptr inbounds i32, ptr addrspace(3) @short, i64 %wide
  %second = getelementptr inbounds i32, ptr addrspace(3) %first, i64 8
  %a = load float, ptr addrspace(3) %own, align 4
  %less = fcmp olt float %a, 1.0
  br i1 %less, label %indices, label %end

indices:
  %mine = load i32, ptr addrspace(3) %second, align 4
  %before = icmp slt i32 %mine, 7
  br i1 %before, label %take, label %end

take:
  store float 1.0, ptr addrspace(3) %own, align 4
  br label %end

end:
  ret void
}

; A thread's number is asked first.
define void @by_number() {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %own = getelementptr inbounds float, ptr addrspace(3) @s, i64 %wide
  %few = icmp ult i32 %t, 5
  br i1 %few, label %indices, label %end

indices:
  %a = load float, ptr addrspace(3) %own, align 4
  %less = fcmp olt float %a, 1.0
  br i1 %less, label %take, label %end

take:
  store float 1.0, ptr addrspace(3) %own, align 4
  br label %end

end:
  ret void
}

; Nobody knows what may be read of global memory.
define void @of_the_grid(ptr addrspace(1) %p) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %own = getelementptr inbounds float, ptr addrspace(3) @s, i64 %wide
  %there = getelementptr inbounds i32, ptr addrspace(1) %p, i64 %wide
  %a = load float, ptr addrspace(3) %own, align 4
  %less = fcmp olt float %a, 1.0
  br i1 %less, label %indices, label %end

indices:
  %mine = load i32, ptr addrspace(1) %there, align 4
  %before = icmp slt i32 %mine, 7
  br i1 %before, label %take, label %end

take:
  store float 1.0, ptr addrspace(3) %own, align 4
  br label %end

end:
  ret void
}
