; RUN: %opt -kernel=triangle -block=64 -lanes=16 -passes=join-turns %s | %check %s
; RUN: %opt -kernel=together -block=64 -lanes=16 -passes=join-turns %s | %check %s --check-prefix=TOGETHER
; RUN: %opt -kernel=in_place -block=64 -lanes=16 -passes=join-turns %s | %check %s --check-prefix=PLACE
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; Four turns at once, whose sums do not wait for each other; what they share is loaded once. Their stores follow each
; other, each turn's as they were, but for the zero that is written over. What is left goes one by one.
; CHECK-LABEL: define void @triangle(
; CHECK: %some = icmp sgt i32 %n, 0
; CHECK: [[APART:%.*]] = select i1 %some, i1 {{.*}}, i1 false
; CHECK: [[ALL:%.*]] = call i1 @lanza.all(i1 [[APART]])
; CHECK: br i1 [[ALL]], label %enter, label %head
; CHECK: enter:
; CHECK: [[COUNT:%.*]] = udiv i32 {{.*}}, 4
; CHECK: br i1 {{.*}}, label %joined, label %rest
; CHECK: rest:
; CHECK: phi i32 [ %t, %enter ], [ [[FIFTH:%.*]], %left ]
; CHECK: br label %head.apart
; CHECK: left:
; CHECK: urem i32 {{.*}}, 4
; CHECK: br i1 {{.*}}, label %rest, label %end
;
; The original is for few groups.
; CHECK: head:
; CHECK: store float 0.000000e+00, ptr %from, align 4, !lanza.edge
; CHECK: end:
; CHECK-NEXT: ret void
;
; CHECK: joined:
; CHECK-NEXT: %left{{.*}} = phi i32 [ [[COUNT]], %enter ]
; CHECK-NEXT: [[J:%.*]] = phi i32 [ %t, %enter ], [ [[FIFTH]],
; CHECK-NEXT: [[J1:%.*]] = add nuw nsw i32 [[J]], 1
; CHECK-NEXT: [[J2:%.*]] = add nuw nsw i32 [[J1]], 1
; CHECK-NEXT: [[J3:%.*]] = add nuw nsw i32 [[J2]], 1
; CHECK: [[INNER:joined[0-9]+]]:
; CHECK-COUNT-4: = phi float [ 0.000000e+00, %joined ]
; CHECK-COUNT-5: = load float
; CHECK-NOT: load
; CHECK-COUNT-4: call float @llvm.fma.f32(
; CHECK-NOT: store
; CHECK: br i1 {{.*}}, label %{{.*}}, label %[[INNER]]
; CHECK-COUNT-8: store float %
; CHECK-NOT: store float
;
; CHECK: head.apart:
; CHECK-NOT: store
; CHECK: body.apart:
; CHECK-NOT: store
; CHECK: done.apart:
; CHECK: store float %sum.end
; CHECK: latch.apart:
; CHECK: store float
define void @triangle(ptr %sums, ptr %a, i32 %m, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul nsw i32 %t, %m
  %in = icmp slt i32 %t, %m
  br i1 %in, label %before, label %none
none:
  ret void
before:
  %some = icmp sgt i32 %n, 0
  br label %head
head:
  %j = phi i32 [ %t, %before ], [ %next, %latch ]
  %at = add nsw i32 %row, %j
  %at.wide = sext i32 %at to i64
  %from = getelementptr inbounds float, ptr %sums, i64 %at.wide
  store float 0.0, ptr %from
  br i1 %some, label %begin, label %latch
begin:
  br label %body
body:
  %k = phi i32 [ 0, %begin ], [ %k1, %body ]
  %sum = phi float [ 0.0, %begin ], [ %sum1, %body ]
  %line = mul nsw i32 %k, %m
  %x.at = add nsw i32 %line, %t
  %x.wide = sext i32 %x.at to i64
  %x.from = getelementptr inbounds float, ptr %a, i64 %x.wide
  %x = load float, ptr %x.from
  %y.at = add nsw i32 %line, %j
  %y.wide = sext i32 %y.at to i64
  %y.from = getelementptr inbounds float, ptr %a, i64 %y.wide
  %y = load float, ptr %y.from
  %sum1 = call float @llvm.fma.f32(float %x, float %y, float %sum)
  store float %sum1, ptr %from
  %k1 = add nuw nsw i32 %k, 1
  %last = icmp eq i32 %k1, %n
  br i1 %last, label %done, label %body
done:
  %sum.done = phi float [ %sum1, %body ]
  br label %latch
latch:
  %result = phi float [ 0.0, %head ], [ %sum.done, %done ]
  %column = mul nsw i32 %j, %m
  %to.at = add nsw i32 %column, %t
  %to.wide = sext i32 %to.at to i64
  %to = getelementptr inbounds float, ptr %sums, i64 %to.wide
  store float %result, ptr %to
  %next = add nuw nsw i32 %j, 1
  %more = icmp slt i32 %next, %m
  br i1 %more, label %head, label %end
end:
  ret void
}

; All lanes leave the loop together: join_groups() has other lanes' sums beside these.
; TOGETHER-LABEL: define void @together(
; TOGETHER-NOT: lanza.all
define void @together(ptr %sums, ptr %a, i32 %m, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %head
head:
  %j = phi i32 [ 0, %entry ], [ %next, %done ]
  br label %body
body:
  %k = phi i32 [ 0, %head ], [ %k1, %body ]
  %sum = phi float [ 0.0, %head ], [ %sum1, %body ]
  %line = mul nsw i32 %k, %m
  %x.at = add nsw i32 %line, %j
  %x.wide = sext i32 %x.at to i64
  %x.from = getelementptr inbounds float, ptr %a, i64 %x.wide
  %x = load float, ptr %x.from
  %sum1 = fadd float %sum, %x
  %k1 = add nuw nsw i32 %k, 1
  %last = icmp eq i32 %k1, 64
  br i1 %last, label %done, label %body
done:
  %sum.done = phi float [ %sum1, %body ]
  %column = mul nsw i32 %j, 64
  %to.at = add nsw i32 %column, %t
  %to.wide = sext i32 %to.at to i64
  %to = getelementptr inbounds float, ptr %sums, i64 %to.wide
  store float %sum.done, ptr %to
  %next = add nuw nsw i32 %j, 1
  %more = icmp slt i32 %next, 100
  br i1 %more, label %head, label %end
end:
  ret void
}

; A decomposition in place reads what it has written.
; PLACE-LABEL: define void @in_place(
; PLACE-NOT: lanza.all
define void @in_place(ptr %a, i32 %m) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %t, %m
  br i1 %in, label %before, label %none
none:
  ret void
before:
  br label %head
head:
  %j = phi i32 [ %t, %before ], [ %next, %done ]
  br label %body
body:
  %k = phi i32 [ 0, %head ], [ %k1, %body ]
  %sum = phi float [ 0.0, %head ], [ %sum1, %body ]
  %line = mul nsw i32 %k, %m
  %x.at = add nsw i32 %line, %j
  %x.wide = sext i32 %x.at to i64
  %x.from = getelementptr inbounds float, ptr %a, i64 %x.wide
  %x = load float, ptr %x.from
  %sum1 = fadd float %sum, %x
  %k1 = add nuw nsw i32 %k, 1
  %last = icmp eq i32 %k1, 64
  br i1 %last, label %done, label %body
done:
  %sum.done = phi float [ %sum1, %body ]
  %column = mul nsw i32 %j, 64
  %to.at = add nsw i32 %column, %t
  %to.wide = sext i32 %to.at to i64
  %to = getelementptr inbounds float, ptr %a, i64 %to.wide
  store float %sum.done, ptr %to
  %next = add nuw nsw i32 %j, 1
  %more = icmp slt i32 %next, %m
  br i1 %more, label %head, label %end
end:
  ret void
}

declare float @llvm.fma.f32(float, float, float)
