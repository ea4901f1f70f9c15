; RUN: %opt -kernel=run -passes=unroll-tiny-groups %s | %check %s
; RUN: %opt -kernel=chosen -passes=unroll-tiny-groups %s | %check %s --check-prefix=CHOSEN
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; Which groups are under way is asked without a loop; what they do stays one.
; CHECK-LABEL: define void @run(
; CHECK: ask:
; CHECK-NEXT: trunc i32 %idle to i1
; CHECK-NEXT: %[[FIRST:.*]] = select i1 {{.*}}, i32 0, i32 2
; CHECK-NEXT: lshr i32 %idle, 1
; CHECK: select i1 {{.*}}, i32 %[[FIRST]], i32 2
; CHECK: lshr i32 %idle, 3
; CHECK: %[[LAST:.*]] = select
; CHECK-NEXT: br label %work
; CHECK: work:
; CHECK: mul i32 {{.*}}, %[[LAST]]
; CHECK: store
; CHECK-NOT: store
; CHECK: br i1 {{.*}}, label %work, label %end, !llvm.loop
define void @run(i32 %idle, ptr %p) {
entry:
  br label %ask
ask:
  %i = phi i32 [ 0, %entry ], [ %i1, %ask ]
  %region = phi i32 [ 0, %entry ], [ %then, %ask ]
  %bit = lshr i32 %idle, %i
  %is_idle = trunc i32 %bit to i1
  %then = select i1 %is_idle, i32 %region, i32 2
  %i1 = add nuw i32 %i, 1
  %again = icmp ult i32 %i1, 4
  br i1 %again, label %ask, label %work, !llvm.loop !0
work:
  %j = phi i32 [ 0, %ask ], [ %j1, %work ]
  %a = mul i32 %j, %then
  %b = mul i32 %a, %a
  %c = mul i32 %b, %a
  %d = mul i32 %c, %b
  %e = xor i32 %d, %c
  %f = xor i32 %e, %b
  %g = mul i32 %f, %e
  %h = mul i32 %g, %f
  %q = getelementptr i32, ptr %p, i32 %j
  store i32 %h, ptr %q
  %j1 = add nuw i32 %j, 1
  %more = icmp ult i32 %j1, 16
  br i1 %more, label %work, label %end, !llvm.loop !1
end:
  ret void
}

; The last turn does not go on, which says nothing of what holds at its head.
; CHOSEN-LABEL: define i32 @chosen(
; CHOSEN: %[[FIRST:.*]] = select i1 %c, i32 0, i32 4
; CHOSEN: %[[SECOND:.*]] = select i1 %c, i32 %[[FIRST]], i32 4
; CHOSEN: phi i32 [ %[[SECOND]],
define i32 @chosen(ptr %x, i32 %m) {
entry:
  %bits = and i32 %m, 6
  %c = icmp eq i32 %bits, 0
  br label %group
group:
  %n = phi i32 [ 0, %entry ], [ %chosen, %group ]
  %lane = phi i32 [ 0, %entry ], [ %next, %group ]
  %address = getelementptr i32, ptr %x, i32 %lane
  store <16 x i32> zeroinitializer, ptr %address
  %chosen = select i1 %c, i32 %n, i32 4
  %next = add nuw i32 %lane, 16
  %more = icmp eq i32 %lane, 0
  br i1 %more, label %group, label %done, !llvm.loop !0
done:
  %result = phi i32 [ %chosen, %group ]
  ret i32 %result
}

!0 = distinct !{!0, !2}
!1 = distinct !{!1, !2}
!2 = !{!"lanza.lanes"}
