; RUN: %opt -kernel=products -passes=pack-factors %s | %check %s --check-prefix=PRODUCTS
; RUN: %opt -kernel=halves -passes=pack-factors %s | %check %s --check-prefix=HALVES
; RUN: %opt -kernel=writes -passes=pack-factors %s | %check %s --check-prefix=WRITES
; RUN: %opt -kernel=used -passes=pack-factors %s | %check %s --check-prefix=USED

; Four elements of a row times a number that is loaded in front of the block: one product, of which each element is
; broadcast from memory.
; PRODUCTS-LABEL: define void @products(
; PRODUCTS: %factors = alloca [4 x float], align 16
; PRODUCTS: turn:
; PRODUCTS: %[[ROW:.*]] = load <4 x float>, ptr %p0, align 4
; PRODUCTS: %[[TIMES:.*]] = shufflevector <4 x float> {{.*}}, <4 x i32> zeroinitializer
; PRODUCTS: %[[ALL:.*]] = fmul <4 x float> %[[ROW]], %[[TIMES]]
; PRODUCTS: store <4 x float> %[[ALL]], ptr %factors, align 16
; PRODUCTS-NOT: fmul
; PRODUCTS: %[[P1:.*]] = getelementptr inbounds float, ptr %factors, i64 1
; PRODUCTS: %[[F1:.*]] = load float, ptr %[[P1]], align 4
; PRODUCTS: insertelement <8 x float> poison, float %[[F1]], i64 0
define void @products(ptr %a, ptr %b, ptr %alphas) {
entry:
  %alpha = load float, ptr %alphas
  br label %turn
turn:
  %i = phi i64 [ 0, %entry ], [ %next, %turn ]
  %p0 = getelementptr float, ptr %a, i64 %i
  %e0 = load float, ptr %p0, align 4
  %f0 = fmul float %e0, %alpha
  %i0 = insertelement <8 x float> poison, float %f0, i64 0
  %s0 = shufflevector <8 x float> %i0, <8 x float> poison, <8 x i32> zeroinitializer
  %n1 = add nuw nsw i64 %i, 1
  %p1 = getelementptr float, ptr %a, i64 %n1
  %e1 = load float, ptr %p1, align 4
  %f1 = fmul float %e1, %alpha
  %i1 = insertelement <8 x float> poison, float %f1, i64 0
  %s1 = shufflevector <8 x float> %i1, <8 x float> poison, <8 x i32> zeroinitializer
  %n2 = add nuw nsw i64 %i, 2
  %p2 = getelementptr float, ptr %a, i64 %n2
  %e2 = load float, ptr %p2, align 4
  %f2 = fmul float %e2, %alpha
  %i2 = insertelement <8 x float> poison, float %f2, i64 0
  %s2 = shufflevector <8 x float> %i2, <8 x float> poison, <8 x i32> zeroinitializer
  %n3 = add nuw nsw i64 %i, 3
  %p3 = getelementptr float, ptr %a, i64 %n3
  %e3 = load float, ptr %p3, align 4
  %f3 = fmul float %e3, %alpha
  %i3 = insertelement <8 x float> poison, float %f3, i64 0
  %s3 = shufflevector <8 x float> %i3, <8 x float> poison, <8 x i32> zeroinitializer
  %q = getelementptr <8 x float>, ptr %b, i64 %i
  %t0 = fadd <8 x float> %s0, %s1
  %t1 = fadd <8 x float> %s2, %s3
  %t2 = fadd <8 x float> %t0, %t1
  store <8 x float> %t2, ptr %q
  %next = add i64 %i, 4
  %more = icmp ne i64 %next, 64
  br i1 %more, label %turn, label %out
out:
  ret void
}

; HALVES-LABEL: define void @halves(
; HALVES: %[[ROW:.*]] = load <4 x half>, ptr %p0, align 2
; HALVES: %[[ALL:.*]] = fpext <4 x half> %[[ROW]] to <4 x float>
; HALVES: store <4 x float> %[[ALL]], ptr %factors, align 16
define void @halves(ptr %a, ptr %b, ptr %alphas) {
entry:
  %alpha = load float, ptr %alphas
  br label %turn
turn:
  %i = phi i64 [ 0, %entry ], [ %next, %turn ]
  %p0 = getelementptr half, ptr %a, i64 %i
  %e0 = load half, ptr %p0, align 2
  %f0 = fpext half %e0 to float
  %i0 = insertelement <8 x float> poison, float %f0, i64 0
  %s0 = shufflevector <8 x float> %i0, <8 x float> poison, <8 x i32> zeroinitializer
  %n1 = add nuw nsw i64 %i, 1
  %p1 = getelementptr half, ptr %a, i64 %n1
  %e1 = load half, ptr %p1, align 2
  %f1 = fpext half %e1 to float
  %i1 = insertelement <8 x float> poison, float %f1, i64 0
  %s1 = shufflevector <8 x float> %i1, <8 x float> poison, <8 x i32> zeroinitializer
  %n2 = add nuw nsw i64 %i, 2
  %p2 = getelementptr half, ptr %a, i64 %n2
  %e2 = load half, ptr %p2, align 2
  %f2 = fpext half %e2 to float
  %i2 = insertelement <8 x float> poison, float %f2, i64 0
  %s2 = shufflevector <8 x float> %i2, <8 x float> poison, <8 x i32> zeroinitializer
  %n3 = add nuw nsw i64 %i, 3
  %p3 = getelementptr half, ptr %a, i64 %n3
  %e3 = load half, ptr %p3, align 2
  %f3 = fpext half %e3 to float
  %i3 = insertelement <8 x float> poison, float %f3, i64 0
  %s3 = shufflevector <8 x float> %i3, <8 x float> poison, <8 x i32> zeroinitializer
  %q = getelementptr <8 x float>, ptr %b, i64 %i
  %t0 = fadd <8 x float> %s0, %s1
  %t1 = fadd <8 x float> %s2, %s3
  %t2 = fadd <8 x float> %t0, %t1
  store <8 x float> %t2, ptr %q
  %next = add i64 %i, 4
  %more = icmp ne i64 %next, 64
  br i1 %more, label %turn, label %out
out:
  ret void
}

; What is written in between may be an element.
; WRITES-LABEL: define void @writes(
; WRITES-NOT: alloca
; WRITES-COUNT-4: fmul float
define void @writes(ptr %a, ptr %b, ptr %alphas) {
entry:
  %alpha = load float, ptr %alphas
  br label %turn
turn:
  %i = phi i64 [ 0, %entry ], [ %next, %turn ]
  %p0 = getelementptr float, ptr %a, i64 %i
  %e0 = load float, ptr %p0, align 4
  %f0 = fmul float %e0, %alpha
  %i0 = insertelement <8 x float> poison, float %f0, i64 0
  %s0 = shufflevector <8 x float> %i0, <8 x float> poison, <8 x i32> zeroinitializer
  %n1 = add nuw nsw i64 %i, 1
  %p1 = getelementptr float, ptr %a, i64 %n1
  %e1 = load float, ptr %p1, align 4
  %f1 = fmul float %e1, %alpha
  %i1 = insertelement <8 x float> poison, float %f1, i64 0
  %s1 = shufflevector <8 x float> %i1, <8 x float> poison, <8 x i32> zeroinitializer
  store float 0.0, ptr %b
  %n2 = add nuw nsw i64 %i, 2
  %p2 = getelementptr float, ptr %a, i64 %n2
  %e2 = load float, ptr %p2, align 4
  %f2 = fmul float %e2, %alpha
  %i2 = insertelement <8 x float> poison, float %f2, i64 0
  %s2 = shufflevector <8 x float> %i2, <8 x float> poison, <8 x i32> zeroinitializer
  %n3 = add nuw nsw i64 %i, 3
  %p3 = getelementptr float, ptr %a, i64 %n3
  %e3 = load float, ptr %p3, align 4
  %f3 = fmul float %e3, %alpha
  %i3 = insertelement <8 x float> poison, float %f3, i64 0
  %s3 = shufflevector <8 x float> %i3, <8 x float> poison, <8 x i32> zeroinitializer
  %q = getelementptr <8 x float>, ptr %b, i64 %i
  %t0 = fadd <8 x float> %s0, %s1
  %t1 = fadd <8 x float> %s2, %s3
  %t2 = fadd <8 x float> %t0, %t1
  store <8 x float> %t2, ptr %q
  %next = add i64 %i, 4
  %more = icmp ne i64 %next, 64
  br i1 %more, label %turn, label %out
out:
  ret void
}

; Nor what is a number elsewhere.
; USED-LABEL: define void @used(
; USED-NOT: alloca
; USED-COUNT-4: fmul float
define void @used(ptr %a, ptr %b, ptr %alphas) {
entry:
  %alpha = load float, ptr %alphas
  br label %turn
turn:
  %i = phi i64 [ 0, %entry ], [ %next, %turn ]
  %p0 = getelementptr float, ptr %a, i64 %i
  %e0 = load float, ptr %p0, align 4
  %f0 = fmul float %e0, %alpha
  %i0 = insertelement <8 x float> poison, float %f0, i64 0
  %s0 = shufflevector <8 x float> %i0, <8 x float> poison, <8 x i32> zeroinitializer
  %n1 = add nuw nsw i64 %i, 1
  %p1 = getelementptr float, ptr %a, i64 %n1
  %e1 = load float, ptr %p1, align 4
  %f1 = fmul float %e1, %alpha
  %i1 = insertelement <8 x float> poison, float %f1, i64 0
  %s1 = shufflevector <8 x float> %i1, <8 x float> poison, <8 x i32> zeroinitializer
  store float %f1, ptr %alphas
  %n2 = add nuw nsw i64 %i, 2
  %p2 = getelementptr float, ptr %a, i64 %n2
  %e2 = load float, ptr %p2, align 4
  %f2 = fmul float %e2, %alpha
  %i2 = insertelement <8 x float> poison, float %f2, i64 0
  %s2 = shufflevector <8 x float> %i2, <8 x float> poison, <8 x i32> zeroinitializer
  %n3 = add nuw nsw i64 %i, 3
  %p3 = getelementptr float, ptr %a, i64 %n3
  %e3 = load float, ptr %p3, align 4
  %f3 = fmul float %e3, %alpha
  %i3 = insertelement <8 x float> poison, float %f3, i64 0
  %s3 = shufflevector <8 x float> %i3, <8 x float> poison, <8 x i32> zeroinitializer
  %q = getelementptr <8 x float>, ptr %b, i64 %i
  %t0 = fadd <8 x float> %s0, %s1
  %t1 = fadd <8 x float> %s2, %s3
  %t2 = fadd <8 x float> %t0, %t1
  store <8 x float> %t2, ptr %q
  %next = add i64 %i, 4
  %more = icmp ne i64 %next, 64
  br i1 %more, label %turn, label %out
out:
  ret void
}
