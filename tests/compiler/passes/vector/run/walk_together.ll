; RUN: %opt -kernel=guarded -lanes=8 -block=8,4 -passes=join-groups %s | %check %s --check-prefix=GUARDED
; RUN: %opt -kernel=alone -lanes=8 -block=8,4 -passes=join-groups %s | %check %s --check-prefix=ALONE
; RUN: %opt -kernel=asked -lanes=8 -block=8,4 -passes=join-groups %s | %check %s --check-prefix=ASKED

declare i32 @lanza.group(i32) nounwind willreturn memory(none)
declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)

; Four rows are asked at once whether all lie below n. If they do, they share the loads of a column; else one goes after
; the other through the code as it was.
; GUARDED-LABEL: define void @guarded(
; GUARDED: asks:
; GUARDED: [[Y:%.*]] = call i32 @lanza.group(i32 1)
; GUARDED-COUNT-4: icmp slt
; GUARDED-COUNT-3: select i1 {{.*}}, i1 {{.*}}, i1 false
; GUARDED-NEXT: br i1 {{.*}}, label %[[FAST:.*]], label %alone, !prof
; GUARDED: alone:
; GUARDED-NEXT: br label %turn
; GUARDED: turn:
; GUARDED-NEXT: [[OFFSET:%.*]] = phi i32 [ 0, %alone ], [ [[NEXT:%.*]], %[[LATCH:.*]] ]
; GUARDED: call i32 @lanza.group(i32 1)
; GUARDED-NEXT: add nuw i32 {{.*}}, [[OFFSET]]
; GUARDED: br i1 %below, label %work, label %
; GUARDED: [[LATCH]]:
; GUARDED-NEXT: [[NEXT]] = add nuw i32 [[OFFSET]], 1
; GUARDED-NEXT: [[MORE:%.*]] = icmp ult i32 [[NEXT]], 4
; GUARDED-NEXT: br i1 [[MORE]], label %turn, label %done
; GUARDED: [[FAST]]:
; GUARDED: br label %work.together
; GUARDED: loop.together:
; GUARDED-COUNT-4: phi <8 x float>
; GUARDED-COUNT-1: load <8 x float>
; GUARDED-COUNT-4: call <8 x float> @llvm.fma.v8f32
; GUARDED: end.together:
; GUARDED-COUNT-4: store <8 x float>
; GUARDED-NOT: call i1 @lanza.together
define void @guarded(ptr %a, ptr %b, ptr %c, i32 %n) {
entry:
  %y = call i32 @lanza.group(i32 1)
  %below = icmp slt i32 %y, %n
  br i1 %below, label %work, label %out
work:
  %row = mul i32 %y, %n
  br label %loop
loop:
  %k = phi i32 [ 0, %work ], [ %next, %loop ]
  %sum = phi <8 x float> [ zeroinitializer, %work ], [ %sum.next, %loop ]
  %j = shl i32 %k, 3
  %q = getelementptr float, ptr %b, i32 %j
  %v = load <8 x float>, ptr %q
  %i = add i32 %row, %k
  %p = getelementptr float, ptr %a, i32 %i
  %one = load float, ptr %p
  %first = insertelement <8 x float> poison, float %one, i64 0
  %all = shufflevector <8 x float> %first, <8 x float> poison, <8 x i32> zeroinitializer
  %sum.next = call <8 x float> @llvm.fma.v8f32(<8 x float> %all, <8 x float> %v, <8 x float> %sum)
  %next = add i32 %k, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %r = getelementptr float, ptr %c, i32 %row
  store <8 x float> %sum.next, ptr %r
  br label %out
out:
  ret void
}

; Nothing is shared, no turn waits: no copy, no question.
; ALONE-LABEL: define void @alone(
; ALONE-NOT: lanza.together
; ALONE: br i1 %below
; ALONE: loop:
; ALONE-COUNT-1: load <8 x float>
; ALONE-NOT: load <8 x float>
; ALONE-NOT: lanza.together
; ALONE: ret void
define void @alone(ptr %b, ptr %c, i32 %n) {
entry:
  %y = call i32 @lanza.group(i32 1)
  %below = icmp slt i32 %y, %n
  br i1 %below, label %work, label %out
work:
  %row = mul i32 %y, %n
  br label %loop
loop:
  %k = phi i32 [ 0, %work ], [ %next, %loop ]
  %j = add nsw i32 %row, %k
  %q = getelementptr float, ptr %b, i32 %j
  %v = load <8 x float>, ptr %q
  %w = fadd <8 x float> %v, %v
  store <8 x float> %w, ptr %q
  %next = add nsw i32 %k, 8
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out
out:
  ret void
}

; What lies behind a store is asked first, too, where it chooses between two copies of a loop: row by row, also whether
; there are turns at all.
; ASKED-LABEL: define void @asked(
; ASKED: asks:
; ASKED: icmp slt i32 {{.*}}, %n
; ASKED-NEXT: icmp sgt i32 %n, 0
; ASKED-COUNT-4: icmp ugt i32 {{.*}}, 64
; ASKED: br i1 {{.*}}, label %[[FAST:.*]], label %alone, !prof
; ASKED: [[FAST]]:
; ASKED: sums.together:
; ASKED: loop.sums.together:
; ASKED-COUNT-4: phi <8 x float>
; ASKED-COUNT-1: load <8 x float>
; ASKED-NOT: load <8 x float>
; ASKED-NOT: store
; ASKED: br i1
define void @asked(ptr %b, ptr %c, i32 %n) {
entry:
  %y = call i32 @lanza.group(i32 1)
  %below = icmp slt i32 %y, %n
  br i1 %below, label %work, label %out
work:
  %row = shl i32 %y, 3
  %r = getelementptr float, ptr %c, i32 %row
  store <8 x float> zeroinitializer, ptr %r
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %ask, label %out
ask:
  %apart = icmp ugt i32 %row, 64
  br i1 %apart, label %sums, label %loop
sums:
  %start = load <8 x float>, ptr %r
  br label %loop.sums
loop.sums:
  %l = phi i32 [ 0, %sums ], [ %l.next, %loop.sums ]
  %sum = phi <8 x float> [ %start, %sums ], [ %sum.next, %loop.sums ]
  %i = shl i32 %l, 3
  %p = getelementptr float, ptr %b, i32 %i
  %u = load <8 x float>, ptr %p
  %sum.next = fadd <8 x float> %u, %sum
  %l.next = add i32 %l, 1
  %l.more = icmp slt i32 %l.next, %n
  br i1 %l.more, label %loop.sums, label %sums.end
sums.end:
  store <8 x float> %sum.next, ptr %r
  br label %out
loop:
  %k = phi i32 [ 0, %ask ], [ %next, %loop ]
  %j = shl i32 %k, 3
  %q = getelementptr float, ptr %b, i32 %j
  %v = load <8 x float>, ptr %q
  %before = load <8 x float>, ptr %r
  %w = fadd <8 x float> %v, %before
  store <8 x float> %w, ptr %r
  %next = add i32 %k, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out
out:
  ret void
}
