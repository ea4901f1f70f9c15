; RUN: %opt -passes=join-stores %s | %check %s

; if (c) p[i] = x; else p[i] = 0;
; CHECK-LABEL: define void @either(
; CHECK: join:
; CHECK-NEXT: [[VALUE:%.*]] = phi float [ 0.000000e+00, %no ], [ %x, %yes ]
; CHECK: [[ADDRESS:%.*]] = getelementptr float, ptr %p, i64
; CHECK: store float [[VALUE]], ptr [[ADDRESS]], align 4
; CHECK-NOT: store
; CHECK: ret void
define void @either(i1 %c, ptr %p, i32 %i, float %x) {
entry:
  br i1 %c, label %yes, label %no
yes:
  %a = zext i32 %i to i64
  %q = getelementptr float, ptr %p, i64 %a
  store float %x, ptr %q
  br label %join
no:
  %b = zext i32 %i to i64
  %r = getelementptr float, ptr %p, i64 %b
  store float 0.0, ptr %r
  br label %join
join:
  ret void
}

; Another place.
; CHECK-LABEL: define void @elsewhere(
; CHECK: store float
; CHECK: store float
; CHECK: join:
; CHECK-NEXT: ret void
define void @elsewhere(i1 %c, ptr %p, ptr %q, float %x) {
entry:
  br i1 %c, label %yes, label %no
yes:
  store float %x, ptr %p
  br label %join
no:
  store float 0.0, ptr %q
  br label %join
join:
  ret void
}

; What comes behind the store on its way may see it.
; CHECK-LABEL: define float @seen(
; CHECK: store float
; CHECK: load
; CHECK: store float
; CHECK: join:
define float @seen(i1 %c, ptr %p, ptr %q, float %x) {
entry:
  br i1 %c, label %yes, label %no
yes:
  store float %x, ptr %p
  %v = load float, ptr %q
  br label %join
no:
  store float 0.0, ptr %p
  br label %join
join:
  %w = phi float [ %v, %yes ], [ 0.0, %no ]
  ret float %w
}

; Volatile stores stay.
; CHECK-LABEL: define void @volatile(
; CHECK: store volatile
; CHECK: store volatile
define void @volatile(i1 %c, ptr %p, float %x) {
entry:
  br i1 %c, label %yes, label %no
yes:
  store volatile float %x, ptr %p
  br label %join
no:
  store volatile float 0.0, ptr %p
  br label %join
join:
  ret void
}

; Two of three ways.
; CHECK-LABEL: define void @some_ways(
; CHECK: end.stores:
; CHECK-NEXT: [[VALUE:%.*]] = phi float
; CHECK: store float [[VALUE]], ptr %p
; CHECK-NEXT: br label %end
; CHECK: end:
define void @some_ways(i1 %a, i1 %b, i1 %c, ptr %p, float %x, float %y) {
entry:
  br i1 %a, label %up, label %down
up:
  br i1 %b, label %yes, label %end
yes:
  store float %x, ptr %p
  br label %end
down:
  br i1 %c, label %no, label %end
no:
  store float %y, ptr %p
  br label %end
end:
  ret void
}
