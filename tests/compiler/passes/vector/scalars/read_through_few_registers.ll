; RUN: %opt -kernel=product -lanes=8 -block=32,32 -passes=read-through %s | %check %s
; RUN: sed 's/^!llvm.module.flags/!others/' %s | %opt -kernel=product -lanes=8 -block=32,32 -passes=read-through | %check %s --check-prefix=MANY
; RUN: sed 's/32 x/16 x/g; s/ 32)/ 16)/g; s/, 5$/, 4/; s/ 31$/ 15/; s/%first, 32/%first, 16/' %s | %opt -kernel=product -lanes=8 -block=16,16 -passes=read-through | %check %s --check-prefix=HALF
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@as = internal addrspace(3) global [32 x [32 x float]] undef, align 4
@bs = internal addrspace(3) global [32 x [32 x float]] undef, align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; A tile of many rows stays where sums of few rows fit into registers.
; CHECK-LABEL: define void @product(
; CHECK: @__lanza_sync
; MANY-LABEL: define void @product(
; MANY-NOT: @__lanza_sync
; MANY: ret void

; Half as many are read through, and wait at the end of each turn.
; HALF-LABEL: define void @product(
; HALF-NOT: @__lanza_sync
; HALF: load float, ptr %{{[a-z0-9.]+}}
; HALF-NOT: addrspace(3)
; HALF: call i64 @__lanza_sync
; HALF-NOT: @__lanza_sync
; HALF: ret void
define void @product(ptr %a, ptr %b, ptr %c, i32 %n) {
entry:
  %x = call range(i32 0, 32) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call range(i32 0, 32) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %top = shl nuw nsw i32 %by, 5
  %row = add nuw nsw i32 %top, %y
  %side = shl nuw nsw i32 %bx, 5
  %column = add nuw nsw i32 %side, %x
  %begin = mul nuw nsw i32 %row, %n
  %wx = zext nneg i32 %x to i64
  %wy = zext nneg i32 %y to i64
  %to.a = getelementptr inbounds [32 x [32 x float]], ptr addrspace(3) @as, i64 0, i64 %wy, i64 %wx
  %to.b = getelementptr inbounds [32 x [32 x float]], ptr addrspace(3) @bs, i64 0, i64 %wy, i64 %wx
  br label %turn
turn:
  %first = phi i32 [ 0, %entry ], [ %next, %end ]
  %sum = phi float [ 0.0, %entry ], [ %new, %end ]
  %left = add nuw nsw i32 %begin, %first
  %ia = add nuw nsw i32 %left, %x
  %za = zext nneg i32 %ia to i64
  %pa = getelementptr inbounds float, ptr %a, i64 %za
  %va = load float, ptr %pa
  store float %va, ptr addrspace(3) %to.a
  %k = add nuw nsw i32 %first, %y
  %down = mul nuw nsw i32 %k, %n
  %ib = add nuw nsw i32 %down, %column
  %zb = zext nneg i32 %ib to i64
  %pb = getelementptr inbounds float, ptr %b, i64 %zb
  %vb = load float, ptr %pb
  store float %vb, ptr addrspace(3) %to.b
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %dot
dot:
  %j = phi i32 [ 0, %turn ], [ %after, %dot ]
  %so.far = phi float [ %sum, %turn ], [ %new, %dot ]
  %wj = zext nneg i32 %j to i64
  %qa = getelementptr inbounds [32 x [32 x float]], ptr addrspace(3) @as, i64 0, i64 %wy, i64 %wj
  %ua = load float, ptr addrspace(3) %qa
  %qb = getelementptr inbounds [32 x [32 x float]], ptr addrspace(3) @bs, i64 0, i64 %wj, i64 %wx
  %ub = load float, ptr addrspace(3) %qb
  %product = fmul float %ua, %ub
  %new = fadd float %so.far, %product
  %after = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j, 31
  br i1 %more, label %dot, label %end
end:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %next = add nuw nsw i32 %first, 32
  %again = icmp slt i32 %next, %n
  br i1 %again, label %turn, label %done
done:
  %ic = add nuw nsw i32 %begin, %column
  %zc = zext nneg i32 %ic to i64
  %pc = getelementptr inbounds float, ptr %c, i64 %zc
  store float %new, ptr %pc
  ret void
}

!llvm.module.flags = !{!0}
!0 = !{i32 7, !"lanza.few-registers", i32 1}
