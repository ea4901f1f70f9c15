; RUN: %opt -kernel=product -passes=split-sums %s | %check %s --check-prefix=PRODUCT
; RUN: %opt -kernel=apart -passes=split-sums %s | %check %s --check-prefix=APART

declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; Eight sums in the first four of sixteen registers each: those that need the first vector, then those that need the
; second one, in a loop behind a barrier.
; PRODUCT-LABEL: define void @product(
; PRODUCT: call i64 @__lanza_sync(
; PRODUCT: {{^}}loop:
; PRODUCT-COUNT-4: phi <8 x float>
; PRODUCT-NOT: phi <8 x float>
; PRODUCT: load <8 x float>, ptr %p
; PRODUCT-NOT: load <8 x float>
; PRODUCT-COUNT-4: call <8 x float> @llvm.fma.v8f32
; PRODUCT-NOT: call <8 x float> @llvm.fma.v8f32
; PRODUCT: br i1 {{.*}}, label %{{.*}}, label %[[END:sums.*]]
; PRODUCT: [[SECOND:loop.sums.*]]:
; PRODUCT-COUNT-4: phi <8 x float>
; PRODUCT-NOT: phi <8 x float>
; PRODUCT-COUNT-4: call <8 x float> @llvm.fma.v8f32
; PRODUCT-NOT: call <8 x float> @llvm.fma.v8f32
; PRODUCT: [[END]]:
; PRODUCT-COUNT-4: phi <8 x float>
; PRODUCT: call i64 @__lanza_sync(
; PRODUCT-NEXT: br label %[[SECOND]]
; PRODUCT: {{^}}end:
; PRODUCT-COUNT-8: store <8 x float>
define void @product(ptr %a, ptr %b, ptr %c, i1 %some) {
entry:
  br label %meet
meet:
  %s = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %before
before:
  br label %loop
loop:
  %k = phi i64 [ 0, %before ], [ %next, %loop ]
  %sum0 = phi <8 x float> [ zeroinitializer, %before ], [ %more0, %loop ]
  %sum1 = phi <8 x float> [ zeroinitializer, %before ], [ %more1, %loop ]
  %sum2 = phi <8 x float> [ zeroinitializer, %before ], [ %more2, %loop ]
  %sum3 = phi <8 x float> [ zeroinitializer, %before ], [ %more3, %loop ]
  %sum4 = phi <8 x float> [ zeroinitializer, %before ], [ %more4, %loop ]
  %sum5 = phi <8 x float> [ zeroinitializer, %before ], [ %more5, %loop ]
  %sum6 = phi <8 x float> [ zeroinitializer, %before ], [ %more6, %loop ]
  %sum7 = phi <8 x float> [ zeroinitializer, %before ], [ %more7, %loop ]
  %p = getelementptr <8 x float>, ptr %b, i64 %k
  %v = load <8 x float>, ptr %p
  %q = getelementptr i8, ptr %p, i64 4096
  %w = load <8 x float>, ptr %q
  %p0 = getelementptr [4 x float], ptr %a, i64 %k, i64 0
  %x0 = load float, ptr %p0
  %i0 = insertelement <8 x float> poison, float %x0, i64 0
  %y0 = shufflevector <8 x float> %i0, <8 x float> poison, <8 x i32> zeroinitializer
  %p1 = getelementptr [4 x float], ptr %a, i64 %k, i64 1
  %x1 = load float, ptr %p1
  %i1 = insertelement <8 x float> poison, float %x1, i64 0
  %y1 = shufflevector <8 x float> %i1, <8 x float> poison, <8 x i32> zeroinitializer
  %p2 = getelementptr [4 x float], ptr %a, i64 %k, i64 2
  %x2 = load float, ptr %p2
  %i2 = insertelement <8 x float> poison, float %x2, i64 0
  %y2 = shufflevector <8 x float> %i2, <8 x float> poison, <8 x i32> zeroinitializer
  %p3 = getelementptr [4 x float], ptr %a, i64 %k, i64 3
  %x3 = load float, ptr %p3
  %i3 = insertelement <8 x float> poison, float %x3, i64 0
  %y3 = shufflevector <8 x float> %i3, <8 x float> poison, <8 x i32> zeroinitializer
  %more0 = call <8 x float> @llvm.fma.v8f32(<8 x float> %y0, <8 x float> %v, <8 x float> %sum0)
  %more1 = call <8 x float> @llvm.fma.v8f32(<8 x float> %y0, <8 x float> %w, <8 x float> %sum1)
  %more2 = call <8 x float> @llvm.fma.v8f32(<8 x float> %y1, <8 x float> %v, <8 x float> %sum2)
  %more3 = call <8 x float> @llvm.fma.v8f32(<8 x float> %y1, <8 x float> %w, <8 x float> %sum3)
  %more4 = call <8 x float> @llvm.fma.v8f32(<8 x float> %y2, <8 x float> %v, <8 x float> %sum4)
  %more5 = call <8 x float> @llvm.fma.v8f32(<8 x float> %y2, <8 x float> %w, <8 x float> %sum5)
  %more6 = call <8 x float> @llvm.fma.v8f32(<8 x float> %y3, <8 x float> %v, <8 x float> %sum6)
  %more7 = call <8 x float> @llvm.fma.v8f32(<8 x float> %y3, <8 x float> %w, <8 x float> %sum7)
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, 8
  br i1 %again, label %loop, label %end
end:
  %c0 = getelementptr <8 x float>, ptr %c, i64 0
  store <8 x float> %more0, ptr %c0
  %c1 = getelementptr <8 x float>, ptr %c, i64 1
  store <8 x float> %more1, ptr %c1
  %c2 = getelementptr <8 x float>, ptr %c, i64 2
  store <8 x float> %more2, ptr %c2
  %c3 = getelementptr <8 x float>, ptr %c, i64 3
  store <8 x float> %more3, ptr %c3
  %c4 = getelementptr <8 x float>, ptr %c, i64 4
  store <8 x float> %more4, ptr %c4
  %c5 = getelementptr <8 x float>, ptr %c, i64 5
  store <8 x float> %more5, ptr %c5
  %c6 = getelementptr <8 x float>, ptr %c, i64 6
  store <8 x float> %more6, ptr %c6
  %c7 = getelementptr <8 x float>, ptr %c, i64 7
  store <8 x float> %more7, ptr %c7
  ret void
}

; Not where only some threads come to.
; APART-LABEL: define void @apart(
; APART-COUNT-1: call i64 @__lanza_sync(
; APART-NOT: call i64 @__lanza_sync(
; APART: {{^}}loop:
; APART-COUNT-8: phi <8 x float>
; APART-NOT: call i64 @__lanza_sync(
; APART: ret void
define void @apart(ptr %a, ptr %b, ptr %c, i1 %some) {
entry:
  %s = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br i1 %some, label %before, label %out
before:
  br label %loop
loop:
  %k = phi i64 [ 0, %before ], [ %next, %loop ]
  %sum0 = phi <8 x float> [ zeroinitializer, %before ], [ %more0, %loop ]
  %sum1 = phi <8 x float> [ zeroinitializer, %before ], [ %more1, %loop ]
  %sum2 = phi <8 x float> [ zeroinitializer, %before ], [ %more2, %loop ]
  %sum3 = phi <8 x float> [ zeroinitializer, %before ], [ %more3, %loop ]
  %sum4 = phi <8 x float> [ zeroinitializer, %before ], [ %more4, %loop ]
  %sum5 = phi <8 x float> [ zeroinitializer, %before ], [ %more5, %loop ]
  %sum6 = phi <8 x float> [ zeroinitializer, %before ], [ %more6, %loop ]
  %sum7 = phi <8 x float> [ zeroinitializer, %before ], [ %more7, %loop ]
  %p = getelementptr <8 x float>, ptr %b, i64 %k
  %v = load <8 x float>, ptr %p
  %q = getelementptr i8, ptr %p, i64 4096
  %w = load <8 x float>, ptr %q
  %p0 = getelementptr [4 x float], ptr %a, i64 %k, i64 0
  %x0 = load float, ptr %p0
  %i0 = insertelement <8 x float> poison, float %x0, i64 0
  %y0 = shufflevector <8 x float> %i0, <8 x float> poison, <8 x i32> zeroinitializer
  %p1 = getelementptr [4 x float], ptr %a, i64 %k, i64 1
  %x1 = load float, ptr %p1
  %i1 = insertelement <8 x float> poison, float %x1, i64 0
  %y1 = shufflevector <8 x float> %i1, <8 x float> poison, <8 x i32> zeroinitializer
  %p2 = getelementptr [4 x float], ptr %a, i64 %k, i64 2
  %x2 = load float, ptr %p2
  %i2 = insertelement <8 x float> poison, float %x2, i64 0
  %y2 = shufflevector <8 x float> %i2, <8 x float> poison, <8 x i32> zeroinitializer
  %p3 = getelementptr [4 x float], ptr %a, i64 %k, i64 3
  %x3 = load float, ptr %p3
  %i3 = insertelement <8 x float> poison, float %x3, i64 0
  %y3 = shufflevector <8 x float> %i3, <8 x float> poison, <8 x i32> zeroinitializer
  %more0 = call <8 x float> @llvm.fma.v8f32(<8 x float> %y0, <8 x float> %v, <8 x float> %sum0)
  %more1 = call <8 x float> @llvm.fma.v8f32(<8 x float> %y0, <8 x float> %w, <8 x float> %sum1)
  %more2 = call <8 x float> @llvm.fma.v8f32(<8 x float> %y1, <8 x float> %v, <8 x float> %sum2)
  %more3 = call <8 x float> @llvm.fma.v8f32(<8 x float> %y1, <8 x float> %w, <8 x float> %sum3)
  %more4 = call <8 x float> @llvm.fma.v8f32(<8 x float> %y2, <8 x float> %v, <8 x float> %sum4)
  %more5 = call <8 x float> @llvm.fma.v8f32(<8 x float> %y2, <8 x float> %w, <8 x float> %sum5)
  %more6 = call <8 x float> @llvm.fma.v8f32(<8 x float> %y3, <8 x float> %v, <8 x float> %sum6)
  %more7 = call <8 x float> @llvm.fma.v8f32(<8 x float> %y3, <8 x float> %w, <8 x float> %sum7)
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, 8
  br i1 %again, label %loop, label %end
end:
  %c0 = getelementptr <8 x float>, ptr %c, i64 0
  store <8 x float> %more0, ptr %c0
  %c1 = getelementptr <8 x float>, ptr %c, i64 1
  store <8 x float> %more1, ptr %c1
  %c2 = getelementptr <8 x float>, ptr %c, i64 2
  store <8 x float> %more2, ptr %c2
  %c3 = getelementptr <8 x float>, ptr %c, i64 3
  store <8 x float> %more3, ptr %c3
  %c4 = getelementptr <8 x float>, ptr %c, i64 4
  store <8 x float> %more4, ptr %c4
  %c5 = getelementptr <8 x float>, ptr %c, i64 5
  store <8 x float> %more5, ptr %c5
  %c6 = getelementptr <8 x float>, ptr %c, i64 6
  store <8 x float> %more6, ptr %c6
  %c7 = getelementptr <8 x float>, ptr %c, i64 7
  store <8 x float> %more7, ptr %c7
  br label %out
out:
  ret void
}
