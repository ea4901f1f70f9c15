; RUN: %opt -kernel=known -passes=fold-initialisers,device-pipeline %s | %check %s --check-prefix=KNOWN
; RUN: %opt -kernel=known -passes=device-pipeline %s | %check %s --check-prefix=UNKNOWN
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@table = addrspace(4) externally_initialized global [3 x i32] [i32 10, i32 20, i32 30], !lanza.offset !0
@zeros = addrspace(4) externally_initialized global i32 0, !lanza.offset !1
@link = addrspace(4) externally_initialized global ptr addrspacecast (ptr addrspace(1) @variable to ptr), !lanza.offset !2
@variable = addrspace(1) externally_initialized global i32 7, !lanza.offset !3
@weights = addrspace(4) externally_initialized global [2 x float] [float 1.0, float 2.0], !lanza.offset !4
@boxes = addrspace(4) externally_initialized global [1 x { i8, [2 x i32] }] [{ i8, [2 x i32] } { i8 1, [2 x i32] [i32 2, i32 3] }], !lanza.offset !5

; A known element is a number; others are read in their place, as what was zero, pointers, floats and variables are.
; KNOWN: @table = {{.*}}addrspace(4) constant [3 x i32]
; KNOWN: @zeros = {{.*}}externally_initialized global
; KNOWN: @link = {{.*}}externally_initialized global
; KNOWN: @variable = {{.*}}externally_initialized global
; KNOWN: @weights = {{.*}}externally_initialized global
; KNOWN-LABEL: define {{.*}}@known(
; KNOWN: store volatile i32 20,
; KNOWN: load i32, ptr addrspace(4) %
; KNOWN: load i32, ptr addrspace(4) @zeros
; KNOWN: load ptr, ptr addrspace(4) @link
; KNOWN: load i32, ptr addrspace(1) @variable
; KNOWN: store volatile i8 1,
; UNKNOWN-LABEL: define {{.*}}@known(
; UNKNOWN: load i32, ptr addrspace(4) getelementptr{{.*}} @table
define void @known(ptr addrspace(1) %out, i32 %i) {
  %a = load i32, ptr addrspace(4) getelementptr (i8, ptr addrspace(4) @table, i64 4)
  store volatile i32 %a, ptr addrspace(1) %out
  %place = getelementptr [3 x i32], ptr addrspace(4) @table, i32 0, i32 %i
  %b = load i32, ptr addrspace(4) %place
  store volatile i32 %b, ptr addrspace(1) %out
  %c = load i32, ptr addrspace(4) @zeros
  store volatile i32 %c, ptr addrspace(1) %out
  %d = load ptr, ptr addrspace(4) @link
  %e = load i32, ptr %d
  store volatile i32 %e, ptr addrspace(1) %out
  %f = load i32, ptr addrspace(1) @variable
  store volatile i32 %f, ptr addrspace(1) %out
  %g = load i32, ptr addrspace(4) @weights
  store volatile i32 %g, ptr addrspace(1) %out
  %h = load i8, ptr addrspace(4) @boxes
  store volatile i8 %h, ptr addrspace(1) %out
  ret void
}

!0 = !{i64 0}
!1 = !{i64 12}
!2 = !{i64 16}
!3 = !{i64 24}
!4 = !{i64 32}
!5 = !{i64 40}
