; RUN: %opt -passes=read-bools %s | %check %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: @mask(
; CHECK-NEXT: [[BYTE:%.*]] = load i8, ptr %p, align 1
; CHECK-NOT: !range
; CHECK-NEXT: [[BOOL:%.*]] = icmp ne i8 [[BYTE]], 0
; CHECK-NEXT: select i1 [[BOOL]]
define i32 @mask(ptr %p) {
  %byte = load i8, ptr %p, align 1, !range !0
  %bool = trunc i8 %byte to i1
  %r = select i1 %bool, i32 1, i32 2
  ret i32 %r
}

; An unsigned char that is cut has another meaning.
; CHECK-LABEL: @lowest_bit(
; CHECK: trunc i8
define i1 @lowest_bit(ptr %p) {
  %byte = load i8, ptr %p, align 1
  %bit = trunc i8 %byte to i1
  ret i1 %bit
}

; CHECK-LABEL: @enumerator(
; CHECK: !range
define i8 @enumerator(ptr %p) {
  %byte = load i8, ptr %p, align 1, !range !1
  ret i8 %byte
}

!0 = !{i8 0, i8 2}
!1 = !{i8 0, i8 8}
