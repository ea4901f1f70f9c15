; RUN: %opt -kernel=product -lanes=8 -block=8,8 -passes=join-groups %s | %check %s --check-prefix=PRODUCT
; RUN: %opt -kernel=detour -lanes=8 -block=8,2 -passes=join-groups %s | %check %s --check-prefix=DETOUR
; RUN: %opt -kernel=counts -lanes=8 -block=8,8 -passes=join-groups %s | %check %s --check-prefix=COUNTS
; RUN: %opt -kernel=nothing -lanes=8 -block=8,8 -passes=join-groups %s | %check %s --check-prefix=NOTHING

declare i32 @lanza.group(i32) nounwind willreturn memory(none)
declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)

; Eight rows share what they multiply by; each has its own sum.
; PRODUCT-LABEL: define void @product(
; PRODUCT: [[Y:%.*]] = call i32 @lanza.group(i32 1)
; PRODUCT: add nuw i32 {{.*}}, 1
; PRODUCT: add nuw i32 {{.*}}, 7
; PRODUCT: loop:
; PRODUCT-COUNT-8: phi <8 x float>
; PRODUCT-NOT: phi <8 x float>
; PRODUCT: load <8 x float>
; PRODUCT-NOT: load <8 x float>
; PRODUCT-COUNT-8: call <8 x float> @llvm.fma.v8f32
; PRODUCT-NOT: call <8 x float> @llvm.fma.v8f32
; PRODUCT: br i1
; PRODUCT-COUNT-8: store <8 x float>
; PRODUCT-NOT: store
; PRODUCT: ret void
define void @product(ptr %a, ptr %b, ptr %c) {
entry:
  %y = call i32 @lanza.group(i32 1)
  %row = shl i32 %y, 3
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <8 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %j = shl i32 %k, 3
  %q = getelementptr float, ptr %b, i32 %j
  %v = load <8 x float>, ptr %q
  %i = or i32 %row, %k
  %p = getelementptr float, ptr %a, i32 %i
  %one = load float, ptr %p
  %first = insertelement <8 x float> poison, float %one, i64 0
  %all = shufflevector <8 x float> %first, <8 x float> poison, <8 x i32> zeroinitializer
  %sum.next = call <8 x float> @llvm.fma.v8f32(<8 x float> %all, <8 x float> %v, <8 x float> %sum)
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, 8
  br i1 %more, label %loop, label %end
end:
  %r = getelementptr float, ptr %c, i32 %row
  store <8 x float> %sum.next, ptr %r
  ret void
}

; Where rows part they go one after the other: the second goes its way behind the first one's.
; DETOUR-LABEL: define void @detour(
; DETOUR: entry:
; DETOUR: [[ONE:%.*]] = call i32 @lanza.group(i32 1)
; DETOUR: [[ODD:%.*]] = icmp
; DETOUR: [[ODD1:%.*]] = icmp
; DETOUR: br i1 [[ODD]], label %side, label %[[FIRST:.*]]
; DETOUR: side:
; DETOUR: br label %[[FIRST]]
; DETOUR: [[SIDE1:side.*]]:
; DETOUR: br label %[[SECOND:.*]]
; DETOUR: [[FIRST]]:
; DETOUR-NEXT: [[SUM:%.*]] = phi <8 x float> [ %v, %entry ], [ %w, %side ]
; DETOUR-NEXT: br i1 [[ODD1]], label %[[SIDE1]], label %[[SECOND]]
; DETOUR: [[SECOND]]:
; DETOUR-NEXT: [[SUM1:%.*]] = phi <8 x float> [ %v, %[[FIRST]] ], [ {{.*}}, %[[SIDE1]] ]
; DETOUR-NEXT: br label %end
; DETOUR: end:
; DETOUR: store <8 x float> [[SUM]]
; DETOUR: store <8 x float> [[SUM1]]
define void @detour(ptr %a, ptr %c) {
entry:
  %y = call i32 @lanza.group(i32 1)
  %v = load <8 x float>, ptr %a
  %odd = icmp eq i32 %y, 1
  br i1 %odd, label %side, label %end
side:
  %w = fadd <8 x float> %v, %v
  br label %end
end:
  %sum = phi <8 x float> [ %v, %entry ], [ %w, %side ]
  %i = shl i32 %y, 3
  %r = getelementptr float, ptr %c, i32 %i
  store <8 x float> %sum, ptr %r
  ret void
}

; Atomics keep their order.
; COUNTS-LABEL: define void @counts(
; COUNTS: call i32 @lanza.group(i32 1)
; COUNTS-COUNT-1: load <8 x float>
; COUNTS-NOT: load <8 x float>
; COUNTS: ret void
define void @counts(ptr %a, ptr %c) {
  %y = call i32 @lanza.group(i32 1)
  %v = load <8 x float>, ptr %a
  %i = shl i32 %y, 3
  %r = getelementptr float, ptr %c, i32 %i
  store <8 x float> %v, ptr %r
  %old = atomicrmw add ptr %c, i32 1 monotonic
  ret void
}

; Nothing is shared.
; NOTHING-LABEL: define void @nothing(
; NOTHING: call i32 @lanza.group(i32 1)
; NOTHING-NEXT: shl
; NOTHING-NEXT: getelementptr
; NOTHING-NEXT: load
; NOTHING-NEXT: fadd
; NOTHING-NEXT: store
; NOTHING-NEXT: ret void
define void @nothing(ptr %c) {
  %y = call i32 @lanza.group(i32 1)
  %i = shl i32 %y, 3
  %r = getelementptr float, ptr %c, i32 %i
  %v = load <8 x float>, ptr %r
  %w = fadd <8 x float> %v, %v
  store <8 x float> %w, ptr %r
  ret void
}
