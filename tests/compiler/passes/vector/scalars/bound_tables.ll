; RUN: %opt -block=64 -passes=bound-tables %s | %check %s
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@bounds = internal addrspace(4) constant [21 x float] zeroinitializer
@shared = internal addrspace(3) global [64 x i32] undef
@long = internal addrspace(4) constant [65 x float] zeroinitializer
@rows = internal addrspace(4) constant [4 x [5 x float]] zeroinitializer
@many = internal addrspace(4) constant [13 x [5 x float]] zeroinitializer

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; A place that a search has found: 31 lets all 21 of them through.
; CHECK-LABEL: @search(
; CHECK: %[[k:.*]] = and i64 %wide, 31
; CHECK: getelementptr inbounds float, ptr addrspace(4) @bounds, i64 %[[k]]
define i32 @search(float %x) {
entry:
  br label %step
step:
  %low = phi i32 [ 0, %entry ], [ %low1, %step ]
  %high = phi i32 [ 20, %entry ], [ %high1, %step ]
  %sum = add i32 %low, %high
  %k = lshr i32 %sum, 1
  %wide = zext i32 %k to i64
  %p = getelementptr inbounds [21 x float], ptr addrspace(4) @bounds, i64 0, i64 %wide
  %bound = load float, ptr addrspace(4) %p
  %less = fcmp olt float %x, %bound
  %low1 = select i1 %less, i32 %low, i32 %k
  %high1 = select i1 %less, i32 %k, i32 %high
  %end1 = add i32 %low1, 1
  %more = icmp ugt i32 %high1, %end1
  br i1 %more, label %step, label %end
end:
  ret i32 %low1
}

; One that lies in memory; in words.
; CHECK-LABEL: @loaded(
; CHECK: %[[k:.*]] = and i32 %k, 63
; CHECK: getelementptr i32, ptr addrspace(3) @shared, i32 %[[k]]
define i32 @loaded(ptr %places) {
  %k = load i32, ptr %places
  %p = getelementptr i32, ptr addrspace(3) @shared, i32 %k
  %v = load i32, ptr addrspace(3) %p
  ret i32 %v
}

; Rows: the element's number among all of them, whose address is made in two steps.
; CHECK-LABEL: @rows_of(
; CHECK: %[[k:.*]] = trunc i64 %k to i32
; CHECK: mul i32 %[[k]], 5
; CHECK: %[[at:.*]] = and i32 %{{.*}}, 31
; CHECK: %[[wide:.*]] = zext i32 %[[at]] to i64
; CHECK: %[[p:.*]] = getelementptr float, ptr addrspace(4) @rows, i64 %[[wide]]
; CHECK: load float, ptr addrspace(4) %[[p]]
define float @rows_of(ptr %places) {
  %k = load i64, ptr %places
  %q = getelementptr i64, ptr %places, i64 1
  %j = load i64, ptr %q
  %row = getelementptr [4 x [5 x float]], ptr addrspace(4) @rows, i64 0, i64 %k
  %p = getelementptr [5 x float], ptr addrspace(4) %row, i64 0, i64 %j
  %v = load float, ptr addrspace(4) %p
  ret float %v
}

; What is below a place that was found.
; CHECK-LABEL: @below(
; CHECK: add i32 {{.*}}, -1
; CHECK: and i32 {{.*}}, 31
define float @below(ptr %places) {
  %k = load i64, ptr %places
  %at = getelementptr float, ptr addrspace(4) @bounds, i64 %k
  %p = getelementptr i8, ptr addrspace(4) %at, i64 -4
  %v = load float, ptr addrspace(4) %p
  ret float %v
}

; Not what is counted or goes by the thread, nor where the table is too long or is stored to at that place.
; CHECK-LABEL: @others(
; CHECK-NOT: and i
; CHECK: ret
define void @others(ptr %places, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %k = load i32, ptr %places
  %near = add i32 %t, %k
  %p0 = getelementptr i32, ptr addrspace(3) @shared, i32 %near
  %v0 = load i32, ptr addrspace(3) %p0
  %p1 = getelementptr [65 x float], ptr addrspace(4) @long, i32 0, i32 %k
  %v1 = load float, ptr addrspace(4) %p1
  %p2 = getelementptr [13 x [5 x float]], ptr addrspace(4) @many, i32 0, i32 %k, i32 %k
  %v2 = load float, ptr addrspace(4) %p2
  %p3 = getelementptr i32, ptr addrspace(3) @shared, i32 %k
  %v3 = load i32, ptr addrspace(3) %p3
  store i32 %v0, ptr addrspace(3) %p3
  br label %step
step:
  %i = phi i32 [ 0, %entry ], [ %i1, %step ]
  %p4 = getelementptr i32, ptr addrspace(3) @shared, i32 %i
  %v4 = load i32, ptr addrspace(3) %p4
  %i1 = add i32 %i, 1
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %step, label %end
end:
  ret void
}
