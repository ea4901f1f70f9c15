; RUN: %opt -kernel=index_behind_branch -passes=device-pipeline %s | %check %s
; RUN: %opt -passes=join-equals %s | %check %s --check-prefix=JOIN
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare void @llvm.nvvm.barrier0()

; `if (threadIdx.x == 0) a[threadIdx.y] = 1; b[threadIdx.y * 16] = 2;`: the index behind the branch is no phi of what
; threads computed on different ways.
; CHECK-LABEL: define {{.*}}@index_behind_branch(
; CHECK-NOT: phi
; CHECK: ret void
define void @index_behind_branch(ptr %a, ptr %b) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %first = icmp eq i32 %x, 0
  br i1 %first, label %one, label %all
one:
  %i = zext i32 %y to i64
  %p = getelementptr float, ptr %a, i64 %i
  store float 1.0, ptr %p
  br label %all
all:
  call void @llvm.nvvm.barrier0()
  %j = zext i32 %y to i64
  %q = getelementptr [16 x float], ptr %b, i64 %j
  store float 2.0, ptr %q
  ret void
}

; What it is made of goes along; flags that not all have are lost. Different arithmetic, division and memory stay.
; JOIN-LABEL: define void @joins(
; JOIN: join:
; JOIN-NEXT: %other = phi i32 [ %c, %left ], [ %d, %right ]
; JOIN-NEXT: %quotient = phi i32
; JOIN-NEXT: %value = phi i32
; JOIN-NEXT: [[SUM:%.*]] = add nuw i32 %n, 1
; JOIN-NEXT: [[WIDE:%.*]] = zext i32 [[SUM]] to i64
; JOIN-NEXT: getelementptr i32, ptr %x, i64 [[WIDE]]
define void @joins(ptr %x, i32 %n, i1 %way) {
  br i1 %way, label %left, label %right
left:
  %a = add nuw nsw i32 %n, 1
  %a.wide = zext i32 %a to i64
  %c = add i32 %n, 2
  %e = udiv i32 %n, 3
  %v = load i32, ptr %x
  br label %join
right:
  %b = add nuw i32 %n, 1
  %b.wide = zext i32 %b to i64
  %d = add i32 %n, 3
  %f = udiv i32 %n, 3
  %w = load i32, ptr %x
  br label %join
join:
  %index = phi i64 [ %a.wide, %left ], [ %b.wide, %right ]
  %other = phi i32 [ %c, %left ], [ %d, %right ]
  %quotient = phi i32 [ %e, %left ], [ %f, %right ]
  %value = phi i32 [ %v, %left ], [ %w, %right ]
  %p = getelementptr i32, ptr %x, i64 %index
  store i32 %other, ptr %p
  store i32 %quotient, ptr %p
  store i32 %value, ptr %p
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @index_behind_branch, !"kernel", i32 1}
