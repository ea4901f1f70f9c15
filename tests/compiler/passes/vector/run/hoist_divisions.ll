; RUN: %opt -kernel=rows -passes=hoist-divisions %s | %check %s
; RUN: %opt -kernel=any_number -passes=hoist-divisions %s | %check %s --check-prefix=ANY
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; By what is above 0, in front of both loops, though only some turns need it; what changes in a loop stays.
; CHECK-LABEL: @rows(
; CHECK: entry:
; CHECK: [[Q:%.*]] = udiv i32 %plane, %above
; CHECK: row:
; CHECK: [[R:%.*]] = srem i32 %y, %above
; CHECK: group:
; CHECK: some:
; CHECK-NEXT: add i32 [[Q]], [[R]]
; CHECK: ret void
define void @rows(ptr %x, i32 %plane, i32 noundef %n, i32 %m) {
entry:
  %above = call i32 @llvm.smax.i32(i32 %n, i32 1)
  br label %row
row:
  %y = phi i32 [ 0, %entry ], [ %below, %row.end ]
  br label %group
group:
  %lane = phi i32 [ 0, %row ], [ %next, %group.end ]
  %on = icmp slt i32 %lane, %m
  br i1 %on, label %some, label %group.end
some:
  %q = udiv i32 %plane, %above
  %r = srem i32 %y, %above
  %at = add i32 %q, %r
  %wide = sext i32 %at to i64
  %to = getelementptr float, ptr %x, i64 %wide
  store <16 x float> zeroinitializer, ptr %to
  br label %group.end
group.end:
  %next = add nuw nsw i32 %lane, 16
  %again = icmp ult i32 %next, 1024
  br i1 %again, label %group, label %row.end
row.end:
  %below = add nuw nsw i32 %y, 1
  %more = icmp ult i32 %below, 16
  br i1 %more, label %row, label %end
end:
  ret void
}

; By 0 nothing is divided that would not have been; by -1 the least number neither.
; ANY-LABEL: @any_number(
; ANY: some:
; ANY-NEXT: udiv
; ANY-NEXT: sdiv
; ANY: ret void
define void @any_number(ptr %x, i32 %plane, i32 noundef %n, i32 noundef %m) {
entry:
  %odd = or i32 %m, 1
  br label %group
group:
  %lane = phi i32 [ 0, %entry ], [ %next, %group.end ]
  %on = icmp slt i32 %lane, %m
  br i1 %on, label %some, label %group.end
some:
  %q = udiv i32 %plane, %n
  %r = sdiv i32 %plane, %odd
  %at = add i32 %q, %r
  %wide = sext i32 %at to i64
  %to = getelementptr float, ptr %x, i64 %wide
  store <16 x float> zeroinitializer, ptr %to
  br label %group.end
group.end:
  %next = add nuw nsw i32 %lane, 16
  %again = icmp ult i32 %next, 1024
  br i1 %again, label %group, label %end
end:
  ret void
}

declare i32 @llvm.smax.i32(i32, i32)
