; RUN: %opt -kernel=tile_or_halo -block=16,16 -lanes=16 -passes=load-by-ways %s | %check %s --check-prefix=WAYS
; RUN: %opt -kernel=behind_a_write -block=16,16 -lanes=16 -passes=load-by-ways %s | %check %s --check-prefix=WRITE
; RUN: %opt -kernel=scattered -block=16,16 -lanes=16 -passes=load-by-ways %s | %check %s --check-prefix=SCATTERED
target triple = "x86_64-unknown-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; Each way loads what lies beside each other for its lanes; what is uniform is loaded once.
; WAYS-LABEL: define void @tile_or_halo(
; WAYS: first:
; WAYS: [[HALO:%.*]] = load float, ptr %halo
; WAYS: inside:
; WAYS: [[TILE:%.*]] = load float, ptr %left
; WAYS: both:
; WAYS-NEXT: [[V:%.*]] = phi float [ [[HALO]], %first ], [ [[TILE]], %inside ]
; WAYS: store float [[V]], ptr %to
define void @tile_or_halo(ptr %halo, ptr %tile, ptr %out) {
  %t = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %is.first = icmp eq i32 %t, 0
  br i1 %is.first, label %first, label %inside
first:
  br label %both
inside:
  %here = getelementptr float, ptr %tile, i64 %wide
  %left = getelementptr i8, ptr %here, i64 -4
  br label %both
both:
  %place = phi ptr [ %halo, %first ], [ %left, %inside ]
  %v = load float, ptr %place
  %to = getelementptr float, ptr %out, i64 %wide
  store float %v, ptr %to
  ret void
}

; What is written before may be what is loaded.
; WRITE-LABEL: define void @behind_a_write(
; WRITE: both:
; WRITE: load float, ptr %place
define void @behind_a_write(ptr %halo, ptr %tile, ptr %out) {
  %t = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %is.first = icmp eq i32 %t, 0
  br i1 %is.first, label %first, label %inside
first:
  br label %both
inside:
  %here = getelementptr float, ptr %tile, i64 %wide
  br label %both
both:
  %place = phi ptr [ %halo, %first ], [ %here, %inside ]
  %to = getelementptr float, ptr %out, i64 %wide
  store float 1.0, ptr %to
  %v = load float, ptr %place
  store float %v, ptr %to
  ret void
}

; Lanes that gather on one way gather as well behind both.
; SCATTERED-LABEL: define void @scattered(
; SCATTERED: both:
; SCATTERED: load float, ptr %place
define void @scattered(ptr %halo, ptr %tile, ptr %out) {
  %t = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %is.first = icmp eq i32 %t, 0
  br i1 %is.first, label %first, label %inside
first:
  br label %both
inside:
  %square = mul i64 %wide, %wide
  %here = getelementptr float, ptr %tile, i64 %square
  br label %both
both:
  %place = phi ptr [ %halo, %first ], [ %here, %inside ]
  %v = load float, ptr %place
  %to = getelementptr float, ptr %out, i64 %wide
  store float %v, ptr %to
  ret void
}
