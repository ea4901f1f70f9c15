; A sum over points is kept in the frame, and not added up again behind each of them; nor is a long chain of products
; computed again from its first factor.
; RUN: %opt -kernel=sums -passes=device-pipeline,retarget,thread-engine %s | %check %s
; RUN: %opt -kernel=products -passes=device-pipeline,retarget,thread-engine %s | %check %s --check-prefix=PRODUCTS
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; The first part is in the function that starts a thread, too.
; CHECK-LABEL: define {{.*}}void @start.resume(
; CHECK-COUNT-6: fadd float
; CHECK-NOT: fadd float
; CHECK-LABEL: define internal i32 @run(
define void @sums(ptr %p, float %a0) {
  %v0 = load float, ptr %p
  %a1 = fadd float %a0, %v0
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %v1 = load float, ptr %p
  %a2 = fadd float %a1, %v1
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %v2 = load float, ptr %p
  %a3 = fadd float %a2, %v2
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %v3 = load float, ptr %p
  %a4 = fadd float %a3, %v3
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %v4 = load float, ptr %p
  %a5 = fadd float %a4, %v4
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %v5 = load float, ptr %p
  %a6 = fadd float %a5, %v5
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  store float %a6, ptr %p
  ret void
}

; PRODUCTS-LABEL: define {{.*}}void @start.resume(
; PRODUCTS: %a9.reload = load float
; PRODUCTS-NEXT: %a10 = fmul float %a9.reload, 3.0
; PRODUCTS: %a11 = fmul float %a10.reload, 3.0
; PRODUCTS-LABEL: define internal i32 @run(
define void @products(ptr %p, float %a0) {
  %a1 = fmul float %a0, 3.0
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %a2 = fmul float %a1, 3.0
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %a3 = fmul float %a2, 3.0
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %a4 = fmul float %a3, 3.0
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %a5 = fmul float %a4, 3.0
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %a6 = fmul float %a5, 3.0
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %a7 = fmul float %a6, 3.0
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %a8 = fmul float %a7, 3.0
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %a9 = fmul float %a8, 3.0
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %a10 = fmul float %a9, 3.0
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %a11 = fmul float %a10, 3.0
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %a12 = fmul float %a11, 3.0
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  store float %a12, ptr %p
  ret void
}
