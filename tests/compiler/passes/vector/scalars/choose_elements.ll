; RUN: %opt -block=64 -passes='choose-elements,llvm(function(sroa<modify-cfg>))' %s | %check %s
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; A place that threads compute: two questions choose from four, and each element asks whether it is stored to.
; CHECK-LABEL: @choice(
; CHECK-NOT: alloca
; CHECK: %[[high:.*]] = and i32 %i, 2
; CHECK: icmp ne i32 %[[high]], 0
; CHECK: %[[low:.*]] = and i32 %i, 1
; CHECK-COUNT-3: select
; CHECK-NOT: select
; CHECK: icmp eq i32 %i, 0
; CHECK: select i1 %{{.*}}, float 9.000000e+00, float 1.000000e+00
; CHECK: icmp eq i32 %i, 3
; CHECK: select i1 %{{.*}}, float 9.000000e+00, float 4.000000e+00
define void @choice(ptr %p, ptr %out) {
  %a = alloca [4 x float]
  %a1 = getelementptr i8, ptr %a, i64 4
  %a2 = getelementptr i8, ptr %a, i64 8
  %a3 = getelementptr i8, ptr %a, i64 12
  store float 1.0, ptr %a
  store float 2.0, ptr %a1
  store float 3.0, ptr %a2
  store float 4.0, ptr %a3
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = getelementptr i32, ptr %p, i32 %t
  %i = load i32, ptr %from
  %wide = sext i32 %i to i64
  %at = getelementptr [4 x float], ptr %a, i64 0, i64 %wide
  %v = load float, ptr %at
  store float 9.0, ptr %at
  %x = load float, ptr %a
  %y = load float, ptr %a3
  store float %v, ptr %out
  %out1 = getelementptr float, ptr %out, i64 1
  store float %x, ptr %out1
  %out2 = getelementptr float, ptr %out, i64 2
  store float %y, ptr %out2
  ret void
}

; Of a choice between places it is the choice between what lies there; a place beyond the array is nobody's.
; CHECK-LABEL: @choice_of_places(
; CHECK-NOT: alloca
; CHECK: %[[v:.*]] = select i1 %less, float 2.000000e+00, float 1.000000e+00
; CHECK-NEXT: ret float %[[v]]
define float @choice_of_places() {
  %a = alloca [4 x float]
  %a1 = getelementptr i8, ptr %a, i64 4
  store float 1.0, ptr %a
  store float 2.0, ptr %a1
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %less = icmp slt i32 %t, 3
  %i = select i1 %less, i32 1, i32 0
  %wide = zext i32 %i to i64
  %at = getelementptr [4 x float], ptr %a, i64 0, i64 %wide
  %v = load float, ptr %at
  ret float %v
}

; All threads have the same place: a row of the array, as it lies in memory.
; CHECK-LABEL: @shared_place(
; CHECK: alloca
; CHECK-NOT: select
; CHECK: ret
define void @shared_place(ptr %p, float %x, ptr %out) {
  %i = load i64, ptr %p
  %a = alloca [4 x float]
  %at = getelementptr [4 x float], ptr %a, i64 0, i64 %i
  store float %x, ptr %at
  %v = load float, ptr %a
  store float %v, ptr %out
  ret void
}

; Rows of a matrix, found by one index: the others stay as they are.
; CHECK-LABEL: @row(
; CHECK-NOT: alloca
; CHECK: select i1 %{{.*}}, i32 30, i32 10
define i32 @row(ptr %p) {
  %a = alloca [2 x [2 x i32]]
  %a1 = getelementptr i8, ptr %a, i64 4
  %a2 = getelementptr i8, ptr %a, i64 8
  %a3 = getelementptr i8, ptr %a, i64 12
  store i32 0, ptr %a
  store i32 10, ptr %a1
  store i32 20, ptr %a2
  store i32 30, ptr %a3
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = getelementptr i64, ptr %p, i32 %t
  %i = load i64, ptr %from
  %at = getelementptr [2 x [2 x i32]], ptr %a, i64 0, i64 %i, i64 1
  %v = load i32, ptr %at
  ret i32 %v
}

; In a loop each turn would choose from all twelve.
; CHECK-LABEL: @counts(
; CHECK: alloca
; CHECK-NOT: select
; CHECK: ret
define void @counts(ptr %p, ptr %out, i32 %n) {
entry:
  %a = alloca [12 x i32]
  call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 48, i1 false)
  br label %loop
loop:
  %j = phi i32 [ 0, %entry ], [ %j1, %loop ]
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %jt = add i32 %j, %t
  %from = getelementptr i32, ptr %p, i32 %jt
  %i = load i32, ptr %from
  %at = getelementptr [12 x i32], ptr %a, i64 0, i32 %i
  %c = load i32, ptr %at
  %c1 = add i32 %c, 1
  store i32 %c1, ptr %at
  %j1 = add i32 %j, 1
  %more = icmp ult i32 %j1, %n
  br i1 %more, label %loop, label %end
end:
  %v = load i32, ptr %a
  store i32 %v, ptr %out
  ret void
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; A place that an unrolled loop leaves, chosen where a guard does not hide that it is constant: of 0 as one bit, of 1 and
; of 3, and no other element asks whether it is stored to.
; CHECK-LABEL: @left_by_a_loop(
; CHECK-NOT: alloca
; CHECK-NOT: and i32
; CHECK: %[[one:.*]] = select i1 %less, float 2.000000e+00, float 1.000000e+00
; CHECK: %[[v:.*]] = select i1 %more, float 4.000000e+00, float %[[one]]
; CHECK: icmp eq i32 %{{.*}}, 0
; CHECK: icmp eq i32 %{{.*}}, 1
; CHECK-NOT: icmp eq i32 %{{.*}}, 2
; CHECK: store float %[[v]], ptr %out
define void @left_by_a_loop(ptr %out) {
  %a = alloca [4 x float]
  %a1 = getelementptr i8, ptr %a, i64 4
  %a2 = getelementptr i8, ptr %a, i64 8
  %a3 = getelementptr i8, ptr %a, i64 12
  store float 1.0, ptr %a
  store float 2.0, ptr %a1
  store float 3.0, ptr %a2
  store float 4.0, ptr %a3
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %less = icmp ult i32 %t, 3
  %more = icmp ult i32 %t, 2
  %begins = icmp ult i32 1, 4
  br i1 %begins, label %turns, label %left
turns:
  %first = zext i1 %less to i32
  %at.end = select i1 %more, i32 3, i32 %first
  br label %left
left:
  %place = phi i32 [ 2, %0 ], [ %at.end, %turns ]
  %wide = zext i32 %place to i64
  %at = getelementptr [4 x float], ptr %a, i64 0, i64 %wide
  %v = load float, ptr %at
  store float 9.0, ptr %at
  %x = load float, ptr %a
  %y = load float, ptr %a1
  %z = load float, ptr %a2
  store float %v, ptr %out
  %xy = fadd float %x, %y
  %sum = fadd float %xy, %z
  %out1 = getelementptr float, ptr %out, i64 1
  store float %sum, ptr %out1
  ret void
}
