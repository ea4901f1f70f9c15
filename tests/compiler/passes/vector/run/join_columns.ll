; Threads side by side go down columns of a matrix, far from row to row: of a block that runs along a row with others
; eight groups walk together, though four would not wait for each other; of a row's end one goes by itself.
; RUN: %opt -kernel=column -target=x86-64-v4 -lanes=16 -block=256 -passes=whole-rows,prepare-control,linearise,widen,join-groups %s | %check %s --check-prefix=EIGHT
; RUN: %opt -kernel=product -target=znver4 -lanes=16 -block=128 -passes=whole-rows,prepare-control,linearise,widen,join-groups %s | %check %s --check-prefix=PRODUCT
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

; EIGHT: loop:
; EIGHT: load <16 x float>
; EIGHT-NOT: load <16 x float>
; EIGHT: done:
; EIGHT-COUNT-8: load <16 x float>
; EIGHT-NOT: load <16 x float>
; EIGHT: {{^[}]}}
define void @column(ptr %in, ptr %out, i64 %width, i64 %height) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = shl i32 %b, 8
  %x = add i32 %first, %t
  %wide = zext i32 %x to i64
  br label %loop
loop:
  %row = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %down = mul i64 %row, %width
  %i = add i64 %down, %wide
  %p = getelementptr float, ptr %in, i64 %i
  %v = load float, ptr %p
  %sum.next = fadd float %sum, %v
  %next = add i64 %row, 1
  %more = icmp ult i64 %next, %height
  br i1 %more, label %loop, label %end
end:
  %q = getelementptr float, ptr %out, i64 %wide
  store float %sum.next, ptr %q
  ret void
}

; Of a matrix by a vector: what the groups share would be worth sixteen, but more of a row would be left to single ones.
; PRODUCT-LABEL: define void @product(
; PRODUCT-COUNT-9: load <16 x float>
; PRODUCT-NOT: load <16 x float>
; PRODUCT: {{^[}]}}
define void @product(ptr %a, ptr %x, ptr %y, i32 %rows, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = shl nuw i32 %b, 7
  %c = add nuw nsw i32 %first, %t
  %wide = sext i32 %c to i64
  br label %loop
loop:
  %j = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %down = mul nsw i32 %j, %n
  %place = sext i32 %down to i64
  %row = getelementptr float, ptr %a, i64 %place
  %p = getelementptr float, ptr %row, i64 %wide
  %v = load float, ptr %p
  %k = sext i32 %j to i64
  %q = getelementptr float, ptr %x, i64 %k
  %f = load float, ptr %q
  %sum.next = call float @llvm.fma.f32(float %v, float %f, float %sum)
  %next = add nuw nsw i32 %j, 1
  %more = icmp slt i32 %next, %rows
  br i1 %more, label %loop, label %end
end:
  %o = getelementptr float, ptr %y, i64 %wide
  store float %sum.next, ptr %o
  ret void
}
declare float @llvm.fma.f32(float, float, float)
