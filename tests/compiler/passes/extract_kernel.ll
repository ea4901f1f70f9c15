; RUN: %opt -kernel=wanted -passes=extract-kernel %s | %check %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-NOT: @unused
; CHECK-NOT: llvm.used
; CHECK-NOT: nvvm.annotations
@unused = addrspace(1) global i32 0
@llvm.used = appending global [1 x ptr] [ptr @other]

; CHECK-NOT: @other
define void @other(ptr %p) {
  store i32 0, ptr %p
  ret void
}

; CHECK: define {{.*}}void @wanted
; CHECK-NOT: call i32 @twice
; CHECK-NOT: call i32 @outer
; CHECK-NOT: call i32 @inner
; CHECK: call i32 @factorial(i32 42)
define void @wanted(ptr %p) {
  %a = call i32 @twice(i32 21)
  %b = call i32 @factorial(i32 %a)
  %c = call i32 @outer(i32 %b)
  %d = call i32 @outer(i32 %c)
  store i32 %d, ptr %p
  ret void
}

; Calls within calls, with branches between them.
; CHECK-NOT: @outer
; CHECK-NOT: @inner
define linkonce_odr i32 @outer(i32 %x) noinline {
  %a = call i32 @inner(i32 %x)
  %b = call i32 @inner(i32 %a)
  ret i32 %b
}
define linkonce_odr i32 @inner(i32 %x) noinline {
  %odd = trunc i32 %x to i1
  br i1 %odd, label %end, label %more
more:
  %y = call i32 @twice(i32 %x)
  br label %end
end:
  %r = phi i32 [ %x, %0 ], [ %y, %more ]
  ret i32 %r
}

define linkonce_odr i32 @twice(i32 %x) noinline {
  %r = shl i32 %x, 1
  ret i32 %r
}

; What calls itself stays a function.
; CHECK: define internal i32 @factorial
define linkonce_odr i32 @factorial(i32 %n) {
  %zero = icmp eq i32 %n, 0
  br i1 %zero, label %end, label %more
more:
  %m = sub i32 %n, 1
  %f = call i32 @factorial(i32 %m)
  %r = mul i32 %f, %n
  ret i32 %r
end:
  ret i32 1
}

!nvvm.annotations = !{!0}
!0 = !{ptr @other, !"kernel", i32 1}
