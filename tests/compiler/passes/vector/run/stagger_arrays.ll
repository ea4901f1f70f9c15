; RUN: %opt -kernel=run -passes=stagger-arrays %s | %check %s
target triple = "x86_64-pc-linux-gnu"

; Arrays whose elements would lie 4 KiB apart, two by two, are longer; short ones are not, nor those of another length.
; CHECK-LABEL: define void @run(
; CHECK: %a = alloca { [32 x <16 x float>], [512 x i8] }
; CHECK: %b = alloca { [1024 x i8], [512 x i8] }
; CHECK: %short = alloca [512 x i8]
; CHECK: %odd = alloca [1088 x i8]
; CHECK: %number = alloca i32
define void @run(ptr %p) {
  %a = alloca [32 x <16 x float>]
  %b = alloca [1024 x i8]
  %short = alloca [512 x i8]
  %odd = alloca [1088 x i8]
  %number = alloca i32
  call void @use(ptr %a, ptr %b, ptr %short, ptr %odd, ptr %number)
  ret void
}
declare void @use(ptr, ptr, ptr, ptr, ptr)
