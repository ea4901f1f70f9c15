; RUN: %opt -kernel=guarded -lanes=8 -block=8,4 -passes=join-groups %s | %check %s --check-prefix=GUARDED
; RUN: %opt -kernel=alone -lanes=8 -block=8,4 -passes=join-groups %s | %check %s --check-prefix=ALONE

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
