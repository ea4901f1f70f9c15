; RUN: %opt -kernel=pivot -block=32 -lanes=16 -passes=uniform-places %s | %check %s --check-prefix=PIVOT
; RUN: %opt -kernel=others -block=32 -lanes=16 -passes=uniform-places %s | %check %s --check-prefix=OTHERS
; RUN: %opt -kernel=edges -block=32 -lanes=16 -passes=uniform-places %s | %check %s --check-prefix=ASKED
; RUN: %opt -kernel=edges -block=32 -lanes=16 -passes=known-places %s | %check %s --check-prefix=EDGES
; RUN: %opt -kernel=shared -block=32 -lanes=16 -passes=retarget,known-places %s | %check %s --check-prefix=SHARED
; RUN: %opt -kernel=corner -block=32,8 -lanes=16 -passes=known-places %s | %check %s --check-prefix=CORNER
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()

; a[t][t], behind t == k, is a[k][k]. Not what was computed of t, nor what stands elsewhere.
; PIVOT-LABEL: define void @pivot(
; PIVOT: mul i32 %t, 33
; PIVOT: [[ROW:%.*]] = mul i32 %k, 33
; PIVOT: [[WIDE:%.*]] = zext i32 [[ROW]] to i64
; PIVOT: getelementptr float, ptr %a, i64 [[WIDE]]
; PIVOT: then:
; PIVOT-NEXT: %x = load float, ptr {{%[0-9]+}}
; PIVOT: %f = uitofp i32 %t to float
; PIVOT: store float %y, ptr {{%[0-9]+}}
; PIVOT-NEXT: br label %end
; PIVOT: end:
; PIVOT-NEXT: store i32 %t, ptr %p
define void @pivot(ptr %a, i32 %k, i1 %also) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul i32 %t, 33
  %w = zext i32 %row to i64
  %p = getelementptr float, ptr %a, i64 %w
  %is_k = icmp eq i32 %t, %k
  %both = and i1 %is_k, %also
  br i1 %both, label %then, label %end
then:
  %x = load float, ptr %p
  %f = uitofp i32 %t to float
  %y = fmul float %x, %f
  store float %y, ptr %p
  br label %end
end:
  store i32 %t, ptr %p
  ret void
}

; Of two that vary, and where another index of the lane's is in the address.
; OTHERS-LABEL: define void @others(
; OTHERS: then:
; OTHERS-NEXT: store i32 0, ptr %q
; OTHERS: behind:
; OTHERS-NEXT: store i32 1, ptr %p
define void @others(ptr %a, ptr %b, i32 %k) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %p = getelementptr i32, ptr %a, i64 %w
  %j = load i32, ptr %p
  %v = zext i32 %j to i64
  %q = getelementptr i32, ptr %p, i64 %v
  %is_k = icmp eq i32 %j, %k
  br i1 %is_k, label %then, label %rest
then:
  store i32 0, ptr %q
  br label %rest
rest:
  %is_own = icmp eq i32 %t, %j
  br i1 %is_own, label %behind, label %end
behind:
  store i32 1, ptr %p
  br label %end
end:
  ret void
}

; A row's ends ask for themselves, and load one element: what goes along with the thread's index is what it is at that
; end, from turn to turn, too. Questions that no loop changes stay in front of it. In the middle everybody has his own.
; ASKED-LABEL: define void @edges(
; ASKED: [[X:%.*]] = sub i32 %x, %t
; ASKED-NEXT: [[END:%.*]] = add i32 [[X]], 31
; ASKED: [[HAS:%.*]] = icmp slt i32 [[END]], %n
; ASKED: last:
; ASKED-NEXT: br i1 [[HAS]], label %take, label %next
; ASKED: take:
; ASKED-NEXT: %p = getelementptr float, ptr %a, i32 %at
; EDGES-LABEL: define void @edges(
; EDGES: %at = phi
; EDGES: [[AT0:%.*]] = sub i32 %at, %t
; EDGES-NEXT: [[FIRST:%.*]] = add i32 [[AT0]], 0
; EDGES-NEXT: [[AT31:%.*]] = sub i32 %at, %t
; EDGES-NEXT: [[LAST:%.*]] = add i32 [[AT31]], 31
; EDGES: take:
; EDGES: [[P:%.*]] = getelementptr float, ptr %a, i32 [[LAST]]
; EDGES-NEXT: %v = load float, ptr [[P]]
; EDGES: first:
; EDGES: [[Q:%.*]] = getelementptr float, ptr %b, i32 [[FIRST]]
; EDGES-NEXT: store float 0.000000e+00, ptr [[Q]]
; EDGES: store float 1.000000e+00, ptr %o
define void @edges(ptr %a, ptr %b, i32 %n, i32 %stride, i32 %from) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x = add nsw i32 %from, %t
  %has = icmp slt i32 %x, %n
  br label %plane
plane:
  %at = phi i32 [ %x, %entry ], [ %up, %next ]
  %sum = phi float [ 0.0, %entry ], [ %all, %next ]
  switch i32 %t, label %others [
    i32 31, label %last
    i32 0, label %first
  ]
last:
  br i1 %has, label %take, label %next
take:
  %p = getelementptr float, ptr %a, i32 %at
  %v = load float, ptr %p
  br label %next
first:
  %q = getelementptr float, ptr %b, i32 %at
  store float 0.0, ptr %q
  br label %next
others:
  %o = getelementptr float, ptr %b, i32 %at
  store float 1.0, ptr %o
  br label %next
next:
  %all = phi float [ %sum, %last ], [ %v, %take ], [ 1.0, %first ], [ 2.0, %others ]
  %up = add nsw i32 %at, %stride
  %more = icmp slt i32 %up, 1000000
  br i1 %more, label %plane, label %end
end:
  store float %all, ptr %b
  ret void
}

@s = internal addrspace(3) global [64 x float] undef, align 4

; Shared memory may become registers, of which nobody takes one lane by its place.
; SHARED-LABEL: define void @shared(
; SHARED: then:
; SHARED-NEXT: %v = load float, ptr %p
define void @shared(ptr %b) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %next = add nuw nsw i32 %t, 1
  %p = getelementptr [64 x float], ptr addrspace(3) @s, i32 0, i32 %next
  %is_first = icmp eq i32 %t, 0
  br i1 %is_first, label %then, label %end
then:
  %v = load float, ptr addrspace(3) %p
  store float %v, ptr %b
  br label %end
end:
  ret void
}

; A tile's corner: both indices are 0, and so is known what the one lane chooses.
; CORNER-LABEL: define void @corner(
; CORNER: [[X:%.*]] = sub i32 %x, %t
; CORNER: [[FIRST:%.*]] = add i32 [[X]], 0
; CORNER: [[WRAPS:%.*]] = icmp eq i32 [[FIRST]], 0
; CORNER: [[AT:%.*]] = select i1 [[WRAPS]], i32 %last, i32 %{{.*}}
; CORNER: [[P:%.*]] = getelementptr i8, ptr %a, i32 [[AT]]
; CORNER: %v = load i8, ptr [[P]]
define void @corner(ptr %a, ptr %b, i32 %first, i32 %last) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %u = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %x = add i32 %first, %t
  %either = or i32 %t, %u
  %is_corner = icmp eq i32 %either, 0
  br i1 %is_corner, label %then, label %end
then:
  %wraps = icmp eq i32 %x, 0
  %before = add i32 %x, -1
  %at = select i1 %wraps, i32 %last, i32 %before
  %p = getelementptr i8, ptr %a, i32 %at
  %v = load i8, ptr %p
  store i8 %v, ptr %b
  br label %end
end:
  ret void
}
