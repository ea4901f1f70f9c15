; Each asm statement becomes a function of its own; predicates are branches, what has no instruction of LLVM a function
; of the prelude.
; RUN: %opt -passes=translate-asm %s | %check %s
; RUN: %opt -passes=translate-asm %s | %check %s --check-prefix=HALF
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: @sum(
; CHECK: call i32 @__lanza_asm(i32 %x)
; CHECK-NOT: asm
define i32 @sum(i32 %x) {
  %r = call i32 asm "add.u32 $0, $1, 5;", "=r,r"(i32 %x)
  ret i32 %r
}

; A constant operand is part of the text.
; CHECK-LABEL: @constant(
define i32 @constant(i32 %x) {
  %r = call i32 asm "shl.b32 $0, $1, $2;", "=r,r,n"(i32 %x, i32 3)
  ret i32 %r
}

; CHECK-LABEL: @predicated(
define i32 @predicated(i32 %x) {
  %r = call i32 asm "{ .reg .pred p; setp.eq.s32 p, $1, 0; mov.u32 $0, 1; @p mov.u32 $0, 2; }", "=r,r"(i32 %x)
  ret i32 %r
}

; CHECK-LABEL: @carry(
define {i32, i32} @carry(i32 %x, i32 %y) {
  %r = call {i32, i32} asm "add.cc.u32 $0, $2, $3; addc.u32 $1, $2, $3;", "=&r,=r,r,r"(i32 %x, i32 %y)
  ret {i32, i32} %r
}

; CHECK-LABEL: @shared(
define i32 @shared(i32 %address) {
  %r = call i32 asm sideeffect "ld.shared.u32 $0, [$1+4];", "=r,r,~{memory}"(i32 %address)
  ret i32 %r
}

; CHECK-LABEL: @directed(
define float @directed(float %x) {
  %r = call float asm "add.rz.f32 $0, $1, $1;", "=f,f"(float %x)
  ret float %r
}

; Of the system's scope, which is written as volatile.
; HALF: define {{.*}} @__lanza_ptx_atomic_add_f16(
; HALF-NOT: {{^}}}
; HALF: cmpxchg volatile ptr
define void @half_of_system(ptr %p, i16 %x) {
  call void asm sideeffect "red.relaxed.sys.add.noftz.f16 [$0], $1;", "l,h,~{memory}"(ptr %p, i16 %x)
  ret void
}

; CHECK-LABEL: define internal i32 @__lanza_asm(i32 %0)
; CHECK: add i32 %{{.*}}, 5
; CHECK: ret i32

; CHECK-LABEL: define internal i32 @__lanza_asm1(i32 %0, i32 %1)
; CHECK: shl i32 %{{.*}}, 3

; CHECK-LABEL: define internal i32 @__lanza_asm2(
; CHECK: [[P:%.*]] = icmp eq i32
; CHECK: br i1

; CHECK-LABEL: define internal { i32, i32 } @__lanza_asm3(
; CHECK: call { i32, i1 } @llvm.uadd.with.overflow.i32
; CHECK: call void @__lanza_set_carry(i1
; CHECK: call i1 @__lanza_carry()

; A volatile statement's access happens each time; a shared address is an offset.
; CHECK-LABEL: define internal i32 @__lanza_asm4(
; CHECK: fence syncscope("singlethread") seq_cst
; CHECK: [[BASE:%.*]] = call ptr @__lanza_shared()
; CHECK: getelementptr i8, ptr [[BASE]]
; CHECK: load atomic i32, ptr addrspace(3) {{.*}} monotonic

; CHECK-LABEL: define internal float @__lanza_asm5(
; CHECK: call float @__lanza_ptx_add_f32(float {{.*}}, float {{.*}}, i32 1)

; CHECK: define {{.*}}float @__lanza_ptx_add_f32(
