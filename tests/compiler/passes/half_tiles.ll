; RUN: %opt -passes=half-tiles %s | %check %s
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%half = type { i16 }

; CHECK-DAG: @tile = internal addrspace(3) global [16 x [17 x float]] undef, align 4
; CHECK-DAG: @mixed = internal addrspace(3) global [16 x float] undef, align 4
; CHECK-DAG: @added = internal addrspace(3) global [16 x %half] undef, align 2
; CHECK-DAG: @copied = internal addrspace(3) global [16 x %half] undef, align 2
; CHECK-DAG: @pairs = internal addrspace(3) global [16 x half] undef, align 4
@tile = internal addrspace(3) global [16 x [17 x %half]] undef, align 2
@mixed = internal addrspace(3) global [16 x half] undef, align 2
@added = internal addrspace(3) global [16 x %half] undef, align 2
@copied = internal addrspace(3) global [16 x %half] undef, align 2
@pairs = internal addrspace(3) global [16 x half] undef, align 4

; What conversions make of a NaN is made of it when it is stored, and nobody asks again.
; CHECK-LABEL: @product(
; CHECK: [[TO:%.*]] = getelementptr inbounds [16 x [17 x float]], ptr addrspace(3) @tile, i64 0, i64 %i, i64 %j
; CHECK: [[BITS:%.*]] = bitcast i16 %v to half
; CHECK: [[WIDE:%.*]] = fpext half [[BITS]] to float
; CHECK: [[NAN:%.*]] = fcmp uno half [[BITS]], 0xH0000
; CHECK: [[STORED:%.*]] = select i1 [[NAN]], float 0x7FFFFFFFE0000000, float [[WIDE]]
; CHECK: store float [[STORED]], ptr addrspace(3) [[TO]], align 4
; CHECK: [[LOADED:%.*]] = load float, ptr addrspace(3)
; CHECK-NOT: select
; CHECK: ret float [[LOADED]]
define float @product(i64 %i, i64 %j, i16 %v) {
  %to = getelementptr inbounds [16 x [17 x %half]], ptr addrspace(3) @tile, i64 0, i64 %i, i64 %j
  store i16 %v, ptr addrspace(3) %to, align 2
  %row = getelementptr inbounds [16 x [17 x %half]], ptr addrspace(3) @tile, i64 0, i64 %j
  %from = getelementptr i8, ptr addrspace(3) %row, i64 34
  %h = load half, ptr addrspace(3) %from, align 2
  %w = fpext half %h to float
  %n = fcmp uno half %h, 0xH0000
  %c = select i1 %n, float 0x7FFFFFFFE0000000, float %w
  ret float %c
}

; Where one of them is used as it is extended, all ask as before, of the float.
; CHECK-LABEL: @both(
; CHECK: store float {{.*}}, ptr addrspace(3) @mixed
; CHECK: [[LOADED:%.*]] = load float, ptr addrspace(3)
; CHECK: fpext float [[LOADED]] to double
; CHECK: [[NAN:%.*]] = fcmp uno float [[LOADED]]
; CHECK: select i1 [[NAN]], float 0x7FFFFFFFE0000000, float [[LOADED]]
define double @both(i64 %i, half %v) {
  store half %v, ptr addrspace(3) @mixed, align 2
  %p = getelementptr half, ptr addrspace(3) @mixed, i64 %i
  %h = load half, ptr addrspace(3) %p, align 2
  %d = fpext half %h to double
  %w = fpext half %h to float
  %n = fcmp uno half %h, %h
  %c = select i1 %n, float 0x7FFFFFFFE0000000, float %w
  %e = fpext float %c to double
  %s = fadd double %d, %e
  ret double %s
}

; Halves that are computed with, bits that go elsewhere, and pairs stay halves.
define half @others(i64 %i, half %v, ptr %out, <2 x half> %w) {
  %p = getelementptr [16 x %half], ptr addrspace(3) @added, i64 0, i64 %i
  store half %v, ptr addrspace(3) %p, align 2
  %h = load half, ptr addrspace(3) %p, align 2
  %s = fadd half %h, %v
  %q = getelementptr [16 x %half], ptr addrspace(3) @copied, i64 0, i64 %i
  store half %v, ptr addrspace(3) %q, align 2
  %bits = load i16, ptr addrspace(3) %q, align 2
  store i16 %bits, ptr %out
  %r = getelementptr [16 x half], ptr addrspace(3) @pairs, i64 0, i64 %i
  store <2 x half> %w, ptr addrspace(3) %r, align 4
  %a = load half, ptr addrspace(3) %r, align 2
  %b = fpext half %a to float
  %c = fptrunc float %b to half
  %t = fadd half %s, %c
  ret half %t
}
