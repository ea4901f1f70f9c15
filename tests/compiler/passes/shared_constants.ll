; RUN: %opt -passes=shared-constants %s | %check %s
target triple = "nvptx64-nvidia-cuda"

@a = internal addrspace(3) global [4 x i32] undef
@table = internal constant [2 x ptr] [ptr addrspacecast (ptr addrspace(3) @a to ptr), ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(3) @a to ptr), i64 8)]
@outer = internal constant { i32, ptr } { i32 7, ptr @table }
@numbers = internal constant [2 x i32] [i32 1, i32 2]

; A local copy at the entry, other constants stay.
; CHECK-LABEL: @pick(
; CHECK-NEXT: entry:
; CHECK-NEXT: %table = alloca [2 x ptr]
; CHECK-NEXT: store [2 x ptr] {{.*}}@a{{.*}}, ptr %table
; CHECK: getelementptr [2 x ptr], ptr %table, i64 0, i64 %i
; CHECK: getelementptr [2 x i32], ptr @numbers
define ptr @pick(i64 %i) {
entry:
  br label %next
next:
  %place = getelementptr [2 x ptr], ptr @table, i64 0, i64 %i
  %p = load ptr, ptr %place
  %number = getelementptr [2 x i32], ptr @numbers, i64 0, i64 %i
  %n = load i32, ptr %number
  %q = getelementptr i32, ptr %p, i32 %n
  ret ptr %q
}

; One that names another one.
; CHECK-LABEL: @nested(
; CHECK: %table = alloca [2 x ptr]
; CHECK: store [2 x ptr]
; CHECK: %outer = alloca { i32, ptr }
; CHECK: store {{.*}}, ptr %outer
; CHECK: load ptr, ptr %
define ptr @nested() {
  %p = load ptr, ptr getelementptr ({ i32, ptr }, ptr @outer, i64 0, i32 1)
  ret ptr %p
}
