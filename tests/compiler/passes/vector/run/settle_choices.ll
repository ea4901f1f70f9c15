; RUN: %opt -kernel=run -passes=settle-choices %s | %check %s
; RUN: %opt -kernel=two_ways -passes=settle-choices %s | %check %s --check-prefix=TWO
; RUN: %opt -kernel=user -passes=settle-choices %s | %check %s --check-prefix=USER
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @work(i32)

; The copy that knows its region goes there, and nobody else does.
; CHECK-LABEL: define void @run(
; CHECK: inside:
; CHECK: br label %one
; CHECK: regioned:
; CHECK: switch i32 %next, label %end [
; CHECK-NEXT: i32 2, label %two
; CHECK-NEXT: ]
; CHECK: one:
; CHECK-NEXT: call void @work(i32 7)
; CHECK: two:
; CHECK-NEXT: call void @work(i32 %kept)
; CHECK: end:
; CHECK-NEXT: %last = phi i32 [ 5, %one ], [ %kept, %two ], [ %kept, %regioned ]
define void @run(i1 %is_inside, i32 %n) {
entry:
  br i1 %is_inside, label %inside, label %group
inside:
  call void @work(i32 1)
  br label %regioned
group:
  %i = phi i32 [ 0, %entry ], [ %i1, %latch ]
  %so_far = phi i32 [ 0, %entry ], [ %then, %latch ]
  %goes = icmp slt i32 %i, %n
  br i1 %goes, label %body, label %latch
body:
  call void @work(i32 %i)
  br label %latch
latch:
  %then = phi i32 [ %so_far, %group ], [ 2, %body ]
  %i1 = add i32 %i, 1
  %again = icmp slt i32 %i1, 16
  br i1 %again, label %group, label %regioned
regioned:
  %next = phi i32 [ 1, %inside ], [ %then, %latch ]
  %kept = phi i32 [ 7, %inside ], [ %i1, %latch ]
  switch i32 %next, label %one [
    i32 0, label %end
    i32 2, label %two
  ], !lanza.region !0
one:
  call void @work(i32 %kept)
  br label %end
two:
  call void @work(i32 %kept)
  br label %end
end:
  %last = phi i32 [ 5, %one ], [ %kept, %two ], [ %kept, %regioned ]
  call void @work(i32 %last)
  ret void
}

; The user's own switches stay as they are.
; USER-LABEL: define void @user(
; USER: br label %choose
; USER: choose:
; USER-NEXT: %state = phi i32 [ 1, %entry ], [ 0, %one ]
; USER-NEXT: switch
define void @user() {
entry:
  br label %choose
choose:
  %state = phi i32 [ 1, %entry ], [ 0, %one ]
  switch i32 %state, label %one [
    i32 0, label %end
  ]
one:
  call void @work(i32 1)
  br label %choose
end:
  ret void
}

; Where nothing is left to choose, a comparison is as good as a switch.
; TWO-LABEL: define void @two_ways(
; TWO: inside:
; TWO-NEXT: call void @work(i32 1)
; TWO-NEXT: br label %regioned
; TWO: edge:
; TWO-NEXT: call void @work(i32 2)
; TWO-NEXT: br label %two
; TWO: regioned:
; TWO-NEXT: phi i32 [ 1, %inside ]
define void @two_ways(i1 %is_inside) {
entry:
  br i1 %is_inside, label %inside, label %edge
inside:
  call void @work(i32 1)
  br label %regioned
edge:
  call void @work(i32 2)
  br label %regioned
regioned:
  %next = phi i32 [ 1, %inside ], [ 2, %edge ]
  %is_two = icmp eq i32 %next, 2
  br i1 %is_two, label %two, label %one
one:
  call void @work(i32 3)
  br label %end
two:
  call void @work(i32 4)
  br label %end
end:
  ret void
}

!0 = !{}
