; RUN: %opt -kernel=first_of_two -block=64 -lanes=8 -passes=version-strides %s | %check %s --check-prefix=BIT
; RUN: %opt -kernel=exchange -block=64 -lanes=8 -passes=version-strides %s | %check %s
; RUN: %opt -kernel=waits -block=64 -lanes=8 -passes=version-strides %s | %check %s --check-prefix=WAITS
; RUN: %opt -kernel=stays -block=64 -lanes=8 -passes=version-strides %s | %check %s --check-prefix=STAYS
; RUN: %opt -kernel=counted -block=64 -lanes=8 -passes=version-strides %s | %check %s --check-prefix=COUNTED
; RUN: %opt -kernel=multiplies -block=64 -lanes=16 -passes=version-strides %s | %check %s --check-prefix=FACTOR
; RUN: %opt -kernel=any_factor -block=64 -lanes=16 -passes=version-strides %s | %check %s --check-prefix=ANY
; RUN: %opt -kernel=by_arguments -block=64 -lanes=16 -passes=version-strides %s | %check %s --check-prefix=ARGUMENTS
; RUN: %opt -kernel=by_a_size -block=64 -lanes=16 -passes=version-strides %s | %check %s --check-prefix=SIZE
; RUN: %opt -kernel=guarded -block=64 -lanes=8 -passes=version-strides %s | %check %s --check-prefix=REGION
; RUN: %opt -kernel=entered_twice -block=64 -lanes=8 -passes=version-strides %s | %check %s --check-prefix=TWICE
; RUN: %opt -kernel=by_members -block=64 -lanes=16 -passes=version-strides %s | %check %s --check-prefix=MEMBERS
; RUN: %opt -kernel=in_a_loop -block=64 -lanes=16 -passes=version-strides %s | %check %s --check-prefix=LOOP
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; A copy for each power of two below the lanes, one for their multiples, and the original for the rest; what is used
; behind comes from any of them.
; CHECK-LABEL: define void @exchange(
; CHECK: switch i32 %s, label %stride [
; CHECK-NEXT: i32 1, label %[[ONE:.*]]
; CHECK-NEXT: i32 2, label %[[TWO:.*]]
; CHECK-NEXT: i32 4, label
; CHECK-NEXT: ]
; CHECK: stride:
; CHECK: [[HIGH:%.*]] = lshr i32 %s, 3
; CHECK: [[WHOLE:%.*]] = shl i32 [[HIGH]], 3
; CHECK: icmp eq i32 [[WHOLE]], %s
; CHECK: phi float [ %v, {{.*}} ], [ %v{{.*}}, %[[ONE]] ], [ %v{{.*}}, %[[TWO]] ]
; CHECK-NOT: phi
; CHECK: [[ONE]]:
; CHECK: xor i32 %t, 1
; CHECK: [[TWO]]:
; CHECK: xor i32 %t, 2
; CHECK: xor i32 %t, [[WHOLE]]
define void @exchange(ptr %x, ptr %y, i32 %s) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %j = xor i32 %t, %s
  %wide = zext i32 %j to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %own = zext i32 %t to i64
  %q = getelementptr float, ptr %y, i64 %own
  store float %v, ptr %q
  ret void
}

; From behind one barrier to the next; branches in between are copied too. Each copy begins with a barrier of its own, and
; all end at the one that stands there.
; WAITS-LABEL: define void @waits(
; WAITS: call i64 @__lanza_sync
; WAITS: switch i32 %s
; WAITS: entry.split:
; WAITS-NEXT: call i64 @__lanza_sync
; WAITS: join:
; WAITS-NEXT: call i64 @__lanza_sync
; WAITS-NEXT: ret void
; WAITS: call i64 @__lanza_sync
; WAITS-NEXT: add i32 1, -1
; WAITS: call i64 @__lanza_sync
; WAITS-NEXT: [[LESS:%.*]] = add i32 2, -1
; WAITS-NEXT: and i32 %t, [[LESS]]
; WAITS: call i64 @__lanza_sync
; WAITS-NEXT: [[LESS:%.*]] = add i32 4, -1
; WAITS-NEXT: and i32 %t, [[LESS]]
define void @waits(ptr %x, i32 %s) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %less = add i32 %s, -1
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %low = and i32 %t, %less
  %twice = shl i32 %t, 1
  %at = sub i32 %twice, %low
  %wide = zext i32 %at to i64
  %p = getelementptr i32, ptr %x, i64 %wide
  %v = load i32, ptr %p
  %odd = trunc i32 %v to i1
  br i1 %odd, label %then, label %join
then:
  store i32 0, ptr %p
  br label %join
join:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  ret void
}

; Neighbours, and what no bits of an index make, stay as they are.
; STAYS-LABEL: define void @stays(
; STAYS-NOT: switch
define void @stays(ptr %x, i32 %s) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %j = add i32 %t, %s
  %wide = zext i32 %j to i64
  %p = getelementptr i32, ptr %x, i64 %wide
  %k = load i32, ptr %p
  %far = zext i32 %k to i64
  %q = getelementptr i32, ptr %x, i64 %far
  store i32 0, ptr %q
  ret void
}

; A counter is a power of two in few turns only (a row's number and a column, put together as bits).
; COUNTED-LABEL: define void @counted(
; COUNTED-NOT: switch
; COUNTED: ret void
define void @counted(ptr %x, ptr %y) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = shl i32 %t, 3
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %j = or i32 %row, %k
  %at = or i32 %j, 56
  %wide = zext i32 %at to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  %q = getelementptr float, ptr %y, i64 %wide
  store float %v, ptr %q
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, 8
  br i1 %more, label %loop, label %end
end:
  ret void
}

; A loop with two entries: the way between them is entered from behind too, and copies would not be. What stands in front
; of the branch is copied alone.
; TWICE-LABEL: define void @entered_twice(
; TWICE: switch i32 %s
; TWICE: br i1 %{{.*}}, label %middle, label %test
; TWICE: ret void
; TWICE-NOT: label %middle
; TWICE-NOT: label %test
; TWICE-NOT: label %again
; TWICE: }
define void @entered_twice(ptr %x, i32 %s, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %low = and i32 %t, %s
  %wide = zext i32 %low to i64
  %p = getelementptr i32, ptr %x, i64 %wide
  %v = load i32, ptr %p
  %c = icmp eq i32 %v, %n
  br i1 %c, label %middle, label %test
middle:
  %i = phi i32 [ 0, %entry ], [ %next, %again ]
  br label %test
test:
  %j = phi i32 [ 7, %entry ], [ %i, %middle ]
  %more = icmp slt i32 %j, %n
  br i1 %more, label %again, label %end
again:
  %next = add i32 %j, 1
  %d = icmp eq i32 %next, %v
  br i1 %d, label %end, label %middle
end:
  ret void
}

; A factor that is a power of two, as of a scan's steps: lanes are near each other where it is small.
; FACTOR-LABEL: define void @multiplies(
; FACTOR: switch i32 %s, label %stride [
; FACTOR-NEXT: i32 1, label
; FACTOR-NEXT: i32 2, label
; FACTOR-NEXT: ]
; FACTOR: stride:
; FACTOR-NEXT: br label
define void @multiplies(ptr %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = shl i32 %t, 1
  br label %step
step:
  %s = phi i32 [ 1, %entry ], [ %next, %step ]
  %i = mul i32 %odd, %s
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  store float 0.0, ptr %p
  %next = shl i32 %s, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %step, label %end
end:
  ret void
}

; ANY-LABEL: define void @any_factor(
; ANY-NOT: switch
; ANY: ret void
define void @any_factor(ptr %x, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = mul i32 %t, %n
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  store float 0.0, ptr %p
  ret void
}

; What follows a barrier is asked about once for the block: each copy begins and ends at a barrier of its own, so that its
; loop over groups has nothing else.
; REGION-LABEL: define void @guarded(
; REGION: call i64 @__lanza_sync
; REGION: switch i32 %s
; REGION: call i64 @__lanza_sync
; REGION-NEXT: icmp ult i32 %t, %n
; REGION: call i64 @__lanza_sync
; REGION: %after =
; REGION: call i64 @__lanza_sync
; REGION-NEXT: icmp ult i32 %t, %n
define void @guarded(ptr %x, i32 %s, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %point
point:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %ask
ask:
  %in = icmp ult i32 %t, %n
  br i1 %in, label %work, label %rest
work:
  %i = xor i32 %t, %s
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  %own = zext i32 %t to i64
  %q = getelementptr float, ptr %x, i64 %own
  store float %v, ptr %q
  br label %rest
rest:
  %after = add i32 %n, 1
  store i32 %after, ptr %x
  ret void
}

; Who of two partners comes first is one bit of the index, where the stride is known.
; BIT-LABEL: define void @first_of_two(
; BIT: xor i32 %t, 1
; BIT-NEXT: [[BIT:%.*]] = and i32 %t, 1
; BIT-NEXT: icmp eq i32 [[BIT]], 0
; BIT: xor i32 %t, 4
; BIT-NEXT: [[BIT:%.*]] = and i32 %t, 4
; BIT-NEXT: icmp eq i32 [[BIT]], 0
define void @first_of_two(ptr %x, ptr %y, i32 %s) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %j = xor i32 %t, %s
  %first = icmp ugt i32 %j, %t
  %wide = zext i32 %j to i64
  %p = getelementptr i32, ptr %x, i64 %wide
  %v = load i32, ptr %p
  %w = select i1 %first, i32 %v, i32 0
  %own = zext i32 %t to i64
  %q = getelementptr i32, ptr %y, i64 %own
  store i32 %w, ptr %q
  ret void
}

; Strides that are arguments are 1 in most launches: one copy where all of them are.
; ARGUMENTS-LABEL: define void @by_arguments(
; ARGUMENTS: [[X:%.*]] = icmp eq i32 %incx, 1
; ARGUMENTS: [[Y:%.*]] = icmp eq i32 %incy, 1
; ARGUMENTS: [[BOTH:%.*]] = and i1 {{.*}}, [[Y]]
; ARGUMENTS: br i1 [[BOTH]], label %[[NEAR:[a-z0-9.]+]], label
; ARGUMENTS: mul nsw i32 %t, %incx
; ARGUMENTS: [[NEAR]]:
; ARGUMENTS: mul nsw i32 %t, 1
; ARGUMENTS: mul nsw i32 %t, 1
; ARGUMENTS: ret void
define void @by_arguments(ptr %x, ptr %y, i32 %incx, i32 %incy) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = mul nsw i32 %t, %incx
  %from = getelementptr float, ptr %x, i32 %i
  %v = load float, ptr %from
  %j = mul nsw i32 %t, %incy
  %to = getelementptr float, ptr %y, i32 %j
  store float %v, ptr %to
  ret void
}

; What is compared with something is a size, of rows that lie that far from each other.
; SIZE-LABEL: define void @by_a_size(
; SIZE-NOT: icmp eq
; SIZE: ret void
define void @by_a_size(ptr %x, i32 %n, i32 %m) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = mul nsw i32 %t, %n
  %from = getelementptr float, ptr %x, i32 %i
  %inside = icmp slt i32 %m, %n
  %v = select i1 %inside, float 1.0, float 2.0
  store float %v, ptr %from
  ret void
}

; x[t * s.x + y * s.y]: of a structure by value, and only what lanes differ by is asked whether it is 1.
; MEMBERS-LABEL: @by_members(
; MEMBERS: [[ONE:%.*]] = icmp eq i32 %sx, 1
; MEMBERS: [[ALL:%.*]] = and i1 true, [[ONE]]
; MEMBERS: br i1 [[ALL]], label %{{.*}}.neighbours
; MEMBERS: mul i32 %t, 1
; MEMBERS: }
define void @by_members(ptr %x, i32 %y, ptr byval([2 x i32]) %s) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %sx = load i32, ptr %s
  %p = getelementptr i8, ptr %s, i64 4
  %sy = load i32, ptr %p
  %row = mul i32 %y, %sy
  %column = mul i32 %t, %sx
  %at = add i32 %row, %column
  %wide = sext i32 %at to i64
  %a = getelementptr float, ptr %x, i64 %wide
  store float 0.0, ptr %a
  ret void
}

; for (k ...) sum += x[t * s + k]: all of the loop has a copy, with what lies behind it.
; LOOP-LABEL: @in_a_loop(
; LOOP: [[ONE:%.*]] = icmp eq i32 %s, 1
; LOOP: [[ALL:%.*]] = and i1 true, [[ONE]]
; LOOP: br i1 [[ALL]], label %{{.*}}.neighbours, label
; LOOP: turn:
; LOOP: end.together:
; LOOP: phi float [ {{.*}}, %turn ], [ {{.*}}, %turn.neighbours ]
; LOOP: turn.neighbours:
; LOOP: mul i32 %t, 1
; LOOP: }
define void @in_a_loop(ptr %x, ptr %y, i32 %s, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %column = mul i32 %t, %s
  br label %turn
turn:
  %k = phi i32 [ 0, %0 ], [ %k1, %turn ]
  %sum = phi float [ 0.0, %0 ], [ %more, %turn ]
  %at = add i32 %column, %k
  %wide = sext i32 %at to i64
  %a = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %a
  %more = fadd float %sum, %v
  %k1 = add i32 %k, 1
  %again = icmp slt i32 %k1, %n
  br i1 %again, label %turn, label %end
end:
  %all = phi float [ %more, %turn ]
  %o = getelementptr float, ptr %y, i32 %t
  store float %all, ptr %o
  ret void
}
