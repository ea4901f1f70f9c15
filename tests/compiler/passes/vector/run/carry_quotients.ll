; RUN: %opt -kernel=strides -passes='carry-quotients,llvm(verify)' %s | %check %s
; RUN: %opt -kernel=jumps -passes='carry-quotients,llvm(verify)' %s | %check %s --check-prefix=JUMPS
; RUN: %opt -kernel=walk -passes='carry-quotients,llvm(verify)' %s | %check %s --check-prefix=WALK
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; What is divided by the same in outer loops is carried through them; of the quotient, too.
; CHECK-LABEL: define void @strides(
; CHECK: turn:
; CHECK: phi i32 [ 0, %entry ]
; CHECK: group:
; CHECK: [[REST:%.*]] = sub i32 %i, [[START:%.*]]
; CHECK: icmp ult i32 [[REST]], %width
; CHECK: br i1 {{.*}}, label %[[KNOWN:.*]], label %[[FOLLOWS:.*]]
; CHECK: [[FOLLOWS]]:
; CHECK: add i32 [[START]], %width
; CHECK: br i1 {{.*}}, label %[[KNOWN]], label %[[DIVIDES:.*]]
; CHECK: [[DIVIDES]]:
; CHECK: udiv i32 %i, %width
; CHECK: [[KNOWN]]:
; CHECK: [[ROW:%.*]] = phi i32 {{.*}}, [ %{{.*}}, %[[DIVIDES]] ]
; CHECK: sub i32 [[ROW]], {{%.*}}
; CHECK: udiv i32 [[ROW]], %height
; CHECK-NOT: rem i32
; CHECK: br i1 %more
define void @strides(ptr %x, i32 %first, i32 %n, i32 %width, i32 %height) {
entry:
  br label %turn
turn:
  %k = phi i32 [ 0, %entry ], [ %k1, %next ]
  %at = add i32 %first, %k
  br label %group
group:
  %g = phi i32 [ 0, %turn ], [ %g1, %group ]
  %i = add i32 %at, %g
  %row = udiv i32 %i, %width
  %column = urem i32 %i, %width
  %channel = urem i32 %row, %height
  %wide = zext i32 %channel to i64
  %p = getelementptr i32, ptr %x, i64 %wide
  store i32 %column, ptr %p
  %g1 = add i32 %g, 16
  %more = icmp ult i32 %g1, 256
  br i1 %more, label %group, label %next
next:
  %k1 = add i32 %k, %n
  %on = icmp ult i32 %k1, 100000
  br i1 %on, label %turn, label %end
end:
  ret void
}

; Not what may jump, nor divisors that change or are constants.
; JUMPS-LABEL: define void @jumps(
; JUMPS: %a = udiv i32 %v, %width
; JUMPS-NEXT: %b = udiv i32 %i, %v
; JUMPS-NEXT: %c = udiv i32 %i, 7
; JUMPS-NEXT: %d = udiv i32 %far, %width
define void @jumps(ptr %x, i32 %width, i32 %step) {
entry:
  br label %group
group:
  %i = phi i32 [ 0, %entry ], [ %i1, %group ]
  %far = phi i32 [ 0, %entry ], [ %far1, %group ]
  %wide = zext i32 %i to i64
  %p = getelementptr i32, ptr %x, i64 %wide
  %v = load i32, ptr %p
  %a = udiv i32 %v, %width
  %b = udiv i32 %i, %v
  %c = udiv i32 %i, 7
  %d = udiv i32 %far, %width
  %ab = add i32 %a, %b
  %abc = add i32 %ab, %c
  %abcd = add i32 %abc, %d
  store i32 %abcd, ptr %p
  %i1 = add i32 %i, 16
  %far1 = add i32 %far, %step
  %more = icmp ult i32 %i1, 256
  br i1 %more, label %group, label %end
end:
  ret void
}

; Of a walk each turn begins where the row of the one before ended.
; WALK-LABEL: define void @walk(
; WALK: turn:
; WALK: [[START:%.*]] = phi i32 [ 0, %entry ]
; WALK: %i = add i32 %base, %first
; WALK: [[REST:%.*]] = sub i32 %i, [[START]]
; WALK: icmp ult i32 [[REST]], %width
; WALK: follows:
; WALK: add i32 [[START]], %width
; WALK: divides:
; WALK: udiv i32 %i, %width
; WALK-NOT: urem
; WALK: ret void
define void @walk(ptr %x, i32 %base, i32 %width) {
entry:
  br label %turn
turn:
  %first = phi i32 [ 0, %entry ], [ %end, %turn ]
  %i = add i32 %base, %first
  %column = urem i32 %i, %width
  %room = sub i32 %width, %column
  %few = call i32 @llvm.umin.i32(i32 %room, i32 16)
  %behind = add i32 %first, %few
  %end = call i32 @llvm.umin.i32(i32 %behind, i32 16)
  %wide = zext i32 %column to i64
  %p = getelementptr i32, ptr %x, i64 %wide
  store i32 %end, ptr %p
  %more = icmp ult i32 %end, 16
  br i1 %more, label %turn, label %done
done:
  ret void
}
