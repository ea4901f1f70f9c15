; Functions of numbers that have 729 copies in a kernel are called; a short one is not.
; RUN: %opt -kernel=k -passes=keep-called-functions %s | %check %s
; RUN: %opt -kernel=few -passes=keep-called-functions %s | %check --check-prefix=FEW %s
; RUN: %opt -kernel=k -passes=keep-called-functions,lower-called-functions %s | %check --check-prefix=LOWERED %s
target triple = "nvptx64-nvidia-cuda"

%two = type { float, float }

define void @k(ptr %p) {
  call void @nines(ptr %p)
  ret void
}

; FEW: call float @f(float
; FEW-NOT: @f.body
define void @few(ptr %p) {
  call void @each(ptr %p)
  ret void
}

define internal void @nines(ptr %p) {
  call void @ninths(ptr %p)
  call void @ninths(ptr %p)
  call void @ninths(ptr %p)
  call void @ninths(ptr %p)
  call void @ninths(ptr %p)
  call void @ninths(ptr %p)
  call void @ninths(ptr %p)
  call void @ninths(ptr %p)
  call void @ninths(ptr %p)
  ret void
}

define internal void @ninths(ptr %p) {
  call void @nine(ptr %p)
  call void @nine(ptr %p)
  call void @nine(ptr %p)
  call void @nine(ptr %p)
  call void @nine(ptr %p)
  call void @nine(ptr %p)
  call void @nine(ptr %p)
  call void @nine(ptr %p)
  call void @nine(ptr %p)
  ret void
}

define internal void @nine(ptr %p) {
  call void @each(ptr %p)
  call void @each(ptr %p)
  call void @each(ptr %p)
  call void @each(ptr %p)
  call void @each(ptr %p)
  call void @each(ptr %p)
  call void @each(ptr %p)
  call void @each(ptr %p)
  call void @each(ptr %p)
  ret void
}

; A call is of numbers alone, and says nothing of its arguments. So does one in another such function.
; CHECK-LABEL: define internal void @each
; CHECK: call float @f(float %x)
; CHECK: call float @short(float
; CHECK: call float @turns(float
; CHECK: call float @writes(float
; CHECK: call float @picks(float
; CHECK: call %two @both(float
; LOWERED-LABEL: define internal void @each
; LOWERED: call float @f.body(float %x)
; LOWERED: call float @short(float
; LOWERED: call %two @both.body(float
define internal void @each(ptr %p) {
  %x = load float, ptr %p
  %a = call noundef float @f(float noundef %x)
  %b = call float @short(float %a)
  %c = call float @turns(float %b)
  %d = call float @writes(float %c)
  %d2 = call float @picks(float %d)
  %e = call %two @both(float %d2)
  %g = extractvalue %two %e, 1
  store float %g, ptr %p
  ret void
}

; CHECK: define dso_local float @f.body(float %x) #[[ONLY:[0-9]+]] {
; CHECK-NEXT: %variable = alloca float
; LOWERED: define internal {{.*}}float @f.body(float %x)
define internal float @f(float noundef %x) convergent alwaysinline {
  %variable = alloca float
  store float %x, ptr %variable
  %v0 = fmul float %x, %x
  %v1 = fmul float %v0, %x
  %v2 = fmul float %v1, %x
  %v3 = fmul float %v2, %x
  %v4 = fmul float %v3, %x
  %v5 = fmul float %v4, %x
  %v6 = fmul float %v5, %x
  %v7 = fmul float %v6, %x
  %v8 = fmul float %v7, %x
  %v9 = fmul float %v8, %x
  %v10 = fmul float %v9, %x
  %v11 = fmul float %v10, %x
  %v12 = fmul float %v11, %x
  %v13 = fmul float %v12, %x
  %v14 = fmul float %v13, %x
  %v15 = fmul float %v14, %x
  %v16 = fmul float %v15, %x
  %v17 = fmul float %v16, %x
  %v18 = fmul float %v17, %x
  %v19 = fmul float %v18, %x
  %v20 = fmul float %v19, %x
  %v21 = fmul float %v20, %x
  %v22 = fmul float %v21, %x
  %v23 = fmul float %v22, %x
  %v24 = fmul float %v23, %x
  %y = load float, ptr %variable
  %s = fsub float %v24, %y
  ret float %s
}

; CHECK: define internal float @short(
define internal float @short(float %x) {
  %y = fmul float %x, %x
  ret float %y
}

; It might not end for what idle lanes have.
; CHECK: define internal float @turns(
define internal float @turns(float %x) {
entry:
  %w0 = fmul float %x, %x
  %w1 = fmul float %w0, %x
  %w2 = fmul float %w1, %x
  %w3 = fmul float %w2, %x
  %w4 = fmul float %w3, %x
  %w5 = fmul float %w4, %x
  %w6 = fmul float %w5, %x
  %w7 = fmul float %w6, %x
  %w8 = fmul float %w7, %x
  %w9 = fmul float %w8, %x
  %w10 = fmul float %w9, %x
  %w11 = fmul float %w10, %x
  %w12 = fmul float %w11, %x
  %w13 = fmul float %w12, %x
  %w14 = fmul float %w13, %x
  %w15 = fmul float %w14, %x
  %w16 = fmul float %w15, %x
  %w17 = fmul float %w16, %x
  %w18 = fmul float %w17, %x
  %w19 = fmul float %w18, %x
  %w20 = fmul float %w19, %x
  %w21 = fmul float %w20, %x
  %w22 = fmul float %w21, %x
  %w23 = fmul float %w22, %x
  %w24 = fmul float %w23, %x
  br label %loop
loop:
  %i = phi float [ %w24, %entry ], [ %half, %loop ]
  %half = fmul float %i, 0.5
  %more = fcmp ogt float %half, 1.0
  br i1 %more, label %loop, label %end
end:
  ret float %half
}

@memory = internal addrspace(1) global float 0.0
; CHECK: define internal float @writes(
define internal float @writes(float %x) {
  %v0 = fmul float %x, %x
  %v1 = fmul float %v0, %x
  %v2 = fmul float %v1, %x
  %v3 = fmul float %v2, %x
  %v4 = fmul float %v3, %x
  %v5 = fmul float %v4, %x
  %v6 = fmul float %v5, %x
  %v7 = fmul float %v6, %x
  %v8 = fmul float %v7, %x
  %v9 = fmul float %v8, %x
  %v10 = fmul float %v9, %x
  %v11 = fmul float %v10, %x
  %v12 = fmul float %v11, %x
  %v13 = fmul float %v12, %x
  %v14 = fmul float %v13, %x
  %v15 = fmul float %v14, %x
  %v16 = fmul float %v15, %x
  %v17 = fmul float %v16, %x
  %v18 = fmul float %v17, %x
  %v19 = fmul float %v18, %x
  %v20 = fmul float %v19, %x
  %v21 = fmul float %v20, %x
  %v22 = fmul float %v21, %x
  %v23 = fmul float %v22, %x
  %v24 = fmul float %v23, %x
  store float %v24, ptr addrspace(1) @memory
  ret float %v24
}

; An idle lane's place may be none of the array's.
; CHECK: define internal float @picks(
define internal float @picks(float %x) {
  %array = alloca [4 x float]
  %v0 = fmul float %x, %x
  %v1 = fmul float %v0, %x
  %v2 = fmul float %v1, %x
  %v3 = fmul float %v2, %x
  %v4 = fmul float %v3, %x
  %v5 = fmul float %v4, %x
  %v6 = fmul float %v5, %x
  %v7 = fmul float %v6, %x
  %v8 = fmul float %v7, %x
  %v9 = fmul float %v8, %x
  %v10 = fmul float %v9, %x
  %v11 = fmul float %v10, %x
  %v12 = fmul float %v11, %x
  %v13 = fmul float %v12, %x
  %v14 = fmul float %v13, %x
  %v15 = fmul float %v14, %x
  %v16 = fmul float %v15, %x
  %v17 = fmul float %v16, %x
  %v18 = fmul float %v17, %x
  %v19 = fmul float %v18, %x
  %v20 = fmul float %v19, %x
  %v21 = fmul float %v20, %x
  %v22 = fmul float %v21, %x
  %v23 = fmul float %v22, %x
  %v24 = fmul float %v23, %x
  %i = fptosi float %v24 to i64
  %place = getelementptr [4 x float], ptr %array, i64 0, i64 %i
  store float %x, ptr %place
  %y = load float, ptr %array
  ret float %y
}

; What both call is called there, too.
; CHECK: define dso_local %two @both.body(float %x) #[[ONLY]]
; CHECK: call float @f(float
; LOWERED: define internal %two @both.body(
; LOWERED: call float @f.body(float
define internal %two @both(float %x) {
  %v0 = fmul float %x, %x
  %v1 = fmul float %v0, %x
  %v2 = fmul float %v1, %x
  %v3 = fmul float %v2, %x
  %v4 = fmul float %v3, %x
  %v5 = fmul float %v4, %x
  %v6 = fmul float %v5, %x
  %v7 = fmul float %v6, %x
  %v8 = fmul float %v7, %x
  %v9 = fmul float %v8, %x
  %v10 = fmul float %v9, %x
  %v11 = fmul float %v10, %x
  %v12 = fmul float %v11, %x
  %v13 = fmul float %v12, %x
  %v14 = fmul float %v13, %x
  %v15 = fmul float %v14, %x
  %v16 = fmul float %v15, %x
  %v17 = fmul float %v16, %x
  %v18 = fmul float %v17, %x
  %v19 = fmul float %v18, %x
  %v20 = fmul float %v19, %x
  %v21 = fmul float %v20, %x
  %v22 = fmul float %v21, %x
  %v23 = fmul float %v22, %x
  %v24 = fmul float %v23, %x
  %y = call float @f(float %v24)
  %r = insertvalue %two poison, float %y, 0
  %s = insertvalue %two %r, float %v24, 1
  ret %two %s
}

; CHECK: declare float @f(float) #[[PURE:[0-9]+]]
; CHECK: declare %two @both(float) #[[PURE_BOTH:[0-9]+]]
; CHECK-DAG: attributes #[[ONLY]] = { nounwind speculatable willreturn memory(none) "lanza-computes-only" }
; CHECK-DAG: attributes #[[PURE]] = { nounwind speculatable willreturn memory(none) "lanza-lane-function" "lanza-steps"="{{[0-9]+}}" }
