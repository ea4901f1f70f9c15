; RUN: %opt -passes=clamp-shifts %s | %check %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: @known(
; CHECK-NEXT: and
; CHECK-NEXT: shl
; CHECK-NEXT: ret
define i32 @known(i32 %x, i32 %n) {
  %m = and i32 %n, 31
  %r = shl i32 %x, %m
  ret i32 %r
}

; CHECK-LABEL: @left(
; CHECK: [[N:%.*]] = freeze i32 %n
; CHECK: [[IN:%.*]] = icmp ult i32 [[N]], 32
; CHECK: [[M:%.*]] = and i32 [[N]], 31
; CHECK: [[R:%.*]] = shl i32 %x, [[M]]
; CHECK: select i1 [[IN]], i32 [[R]], i32 0
define i32 @left(i32 %x, i32 %n) {
  %r = shl nuw i32 %x, %n
  ret i32 %r
}

; CHECK-LABEL: @sign(
; CHECK: [[M:%.*]] = select i1 {{%.*}}, i64 {{%.*}}, i64 63
; CHECK: ashr i64 %x, [[M]]
define i64 @sign(i64 %x, i64 %n) {
  %r = ashr i64 %x, %n
  ret i64 %r
}
