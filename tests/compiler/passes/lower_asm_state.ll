; The carry flag is a variable of the function; exit returns from the kernel.
; RUN: %opt -passes=lower-asm-state -kernel=k %s | %check %s
target triple = "nvptx64-nvidia-cuda"

declare i1 @__lanza_carry()
declare void @__lanza_set_carry(i1)
declare void @__lanza_exit()

; CHECK-LABEL: @flag(
; CHECK: [[F:%.*]] = alloca i1
; CHECK: store i1 false, ptr [[F]]
; CHECK: store i1 %x, ptr [[F]]
; CHECK: [[R:%.*]] = load i1, ptr [[F]]
; CHECK: ret i1 [[R]]
define i1 @flag(i1 %x) {
  call void @__lanza_set_carry(i1 %x)
  %r = call i1 @__lanza_carry()
  ret i1 %r
}

; CHECK-LABEL: @k(
; CHECK: out:
; CHECK-NEXT: ret void
; CHECK: on:
; CHECK-NEXT: store
define void @k(ptr %p, i1 %c) {
  br i1 %c, label %out, label %on
out:
  call void @__lanza_exit()
  unreachable
on:
  store i32 1, ptr %p
  ret void
}

; CHECK-LABEL: @callee(
; CHECK: call void @llvm.trap()
define void @callee() {
  call void @__lanza_exit()
  unreachable
}
