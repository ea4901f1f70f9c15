; RUN: %opt -kernel=rows -passes='walk-rows,llvm(verify)' %s | %check %s
; RUN: %opt -kernel=unlikely -passes='walk-rows,llvm(verify)' %s | %check %s --check-prefix=UNLIKELY
; RUN: %opt -kernel=changes -passes='walk-rows,llvm(verify)' %s | %check %s --check-prefix=CHANGES
; RUN: %opt -kernel=twice -passes='walk-rows,llvm(verify)' %s | %check %s --check-prefix=TWICE
; RUN: %opt -kernel=unsigned -passes='walk-rows,llvm(verify)' %s | %check %s --check-prefix=UNSIGNED
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; The row's end asks what the next turn would ask, with the quotient that it has; a turn that divides first tries the
; quotient of the turn before and the one that follows it.
; CHECK-LABEL: define void @rows(
; CHECK: group:
; CHECK: [[START:%.*]] = phi i32
; CHECK: [[QUOTIENT:%.*]] = phi i32
; CHECK: [[REST:%.*]] = sub i32 %i, [[START]]
; CHECK: icmp ult i32 [[REST]], %divisor
; CHECK: br i1 {{.*}}, label %[[KNOWN:.*]], label %[[FOLLOWS:.*]]
; CHECK: [[FOLLOWS]]:
; CHECK: add i32 [[QUOTIENT]], 1
; CHECK: add i32 [[START]], %divisor
; CHECK: br i1 {{.*}}, label %[[KNOWN]], label %[[DIVIDES:.*]]
; CHECK: [[DIVIDES]]:
; CHECK: sdiv i32 %i, %divisor
; CHECK: [[KNOWN]]:
; CHECK: [[ROW:%.*]] = phi i32
; CHECK: br i1 %inside, label %row, label %other
; CHECK: row:
; CHECK: sext i32 [[ROW]] to i64
; CHECK-NOT: div i32
; CHECK: other:
; CHECK: latch.next:
; CHECK: br i1 {{.*}}, label %group.next, label %end
; CHECK: group.next:
; CHECK-NOT: div i32
; CHECK: [[NEXT:%.*]] = sub i32 %i.next, {{%.*}}
; CHECK: icmp ult i32 [[NEXT]], %room
; CHECK: br i1 %inside.next, label %row, label %group
define void @rows(ptr %x, i32 %first, i32 %n, i32 %width) {
entry:
  %divisor = call i32 @llvm.smax.i32(i32 %width, i32 1)
  %room = call i32 @llvm.usub.sat.i32(i32 %divisor, i32 15)
  br label %group
group:
  %x0 = phi i32 [ 0, %entry ], [ %x1, %latch ]
  %i = add i32 %first, %x0
  %q = sdiv i32 %i, %divisor
  %r = srem i32 %i, %divisor
  %fits = icmp ult i32 %r, %room
  %low = icmp ult i32 %i, 2147483633
  %inside = and i1 %fits, %low
  br i1 %inside, label %row, label %other, !prof !0
row:
  %wide = sext i32 %q to i64
  %p = getelementptr float, ptr %x, i64 %wide
  store float 1.0, ptr %p
  br label %latch
other:
  %p2 = getelementptr float, ptr %x, i32 %i
  store float 2.0, ptr %p2
  br label %latch
latch:
  %x1 = add nuw i32 %x0, 16
  %more = icmp ult i32 %x1, %n
  br i1 %more, label %group, label %end
end:
  ret void
}

; Where nothing says that turns come to the row, all stays.
; UNLIKELY-LABEL: define void @unlikely(
; UNLIKELY-NOT: .next
; UNLIKELY: ret void
define void @unlikely(ptr %x, i32 %n, i32 %width) {
entry:
  br label %group
group:
  %i = phi i32 [ 0, %entry ], [ %x1, %latch ]
  %r = srem i32 %i, %width
  %fits = icmp ult i32 %r, 10
  br i1 %fits, label %row, label %latch
row:
  %p = getelementptr float, ptr %x, i32 %r
  store float 1.0, ptr %p
  br label %latch
latch:
  %x1 = add nuw i32 %i, 16
  %more = icmp ult i32 %x1, %n
  br i1 %more, label %group, label %end
end:
  ret void
}

; Nor where the turn changes what it divides by, or has an effect before it divides.
; CHANGES-LABEL: define void @changes(
; CHANGES-NOT: .next
; CHANGES: ret void
define void @changes(ptr %x, i32 %n) {
entry:
  br label %group
group:
  %i = phi i32 [ 1, %entry ], [ %x1, %latch ]
  %r = srem i32 %n, %i
  %fits = icmp ult i32 %r, 10
  br i1 %fits, label %row, label %latch, !prof !0
row:
  %p = getelementptr float, ptr %x, i32 %r
  store float 1.0, ptr %p
  br label %latch
latch:
  %x1 = add nuw i32 %i, 16
  %more = icmp ult i32 %x1, %n
  br i1 %more, label %group, label %end
end:
  ret void
}

; What remains is divided again. That divisor may be negative, and the index: it is asked.
; TWICE-LABEL: define void @twice(
; TWICE: group.next:
; TWICE: [[REST:%.*]] = sub i32 %i.next, {{%.*}}
; TWICE: icmp ult i32 [[REST]], %plane
; TWICE: icmp sgt i32 %plane, 0
; TWICE: icmp sge i32 %i.next, 0
; TWICE: br i1 {{.*}}, label %[[MORE:.*]], label %group
; TWICE: [[MORE]]:
; TWICE: [[AGAIN:%.*]] = sub i32 [[REST]], {{%.*}}
; TWICE: icmp ult i32 [[AGAIN]], %width
; TWICE: icmp sgt i32 %width, 0
; TWICE-NOT: icmp sge
; TWICE: br i1
define void @twice(ptr %x, i32 %n, i32 %plane, i32 %width) {
entry:
  br label %group
group:
  %i = phi i32 [ 0, %entry ], [ %x1, %latch ]
  %rest = srem i32 %i, %plane
  %r = srem i32 %rest, %width
  %fits = icmp ult i32 %r, 10
  br i1 %fits, label %row, label %latch, !prof !0
row:
  %q = sdiv i32 %rest, %width
  %p = getelementptr float, ptr %x, i32 %q
  store float 1.0, ptr %p
  br label %latch
latch:
  %x1 = add nuw i32 %i, 16
  %more = icmp ult i32 %x1, %n
  br i1 %more, label %group, label %end
end:
  ret void
}

; Without a sign an index below the row's start would look as if it lay in it.
; UNSIGNED-LABEL: define void @unsigned(
; UNSIGNED: group.next:
; UNSIGNED: icmp ult i64 {{%.*}}, %width
; UNSIGNED: icmp uge i64 %i.next, {{%.*}}
; UNSIGNED: br i1 {{.*}}, label %{{.*}}, label %group
define void @unsigned(ptr %x, i64 %first, i64 %n, i64 %width) {
entry:
  br label %group
group:
  %x0 = phi i64 [ 0, %entry ], [ %x1, %latch ]
  %i = add i64 %first, %x0
  %r = urem i64 %i, %width
  %fits = icmp ult i64 %r, 10
  br i1 %fits, label %row, label %latch, !prof !0
row:
  %p = getelementptr float, ptr %x, i64 %r
  store float 1.0, ptr %p
  br label %latch
latch:
  %x1 = add nuw i64 %x0, 16
  %more = icmp ult i64 %x1, %n
  br i1 %more, label %group, label %end
end:
  ret void
}

declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.usub.sat.i32(i32, i32)
!0 = !{!"branch_weights", i32 1048575, i32 1}
