; RUN: %opt -kernel=taps -lanes=8 -block=8,4 -passes=join-groups %s | %check %s --check-prefix=TAPS
; RUN: %opt -kernel=own -lanes=8 -block=8,4 -passes=join-groups %s | %check %s --check-prefix=OWN

declare i32 @lanza.group(i32) nounwind willreturn memory(none)
declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)

; A guard that some groups pass and others do not is passed by all if one does: loads are masked, what all share is loaded
; once, and sums of lanes that have nothing to add stay as they are.
; TAPS-LABEL: define void @taps(
; TAPS: loop:
; TAPS-COUNT-4: phi <8 x float>
; TAPS-COUNT-3: or i1
; TAPS: br i1 {{.*}}, label %tap, label %behind
; TAPS: tap:
; TAPS-COUNT-4: call <8 x float> @llvm.masked.load
; TAPS: = load float
; TAPS-NOT: = load float
; TAPS-COUNT-4: select <8 x i1> {{.*}}, <8 x float>
; TAPS: br label %behind
; TAPS: behind:
; TAPS-COUNT-4: phi <8 x float>
; TAPS-NOT: together:
; TAPS: ret void
define void @taps(ptr %x, ptr %weights, ptr %c, i32 %n) {
entry:
  %y = call i32 @lanza.group(i32 1)
  %row = mul i32 %y, %n
  %v = insertelement <8 x i32> poison, i32 %y, i64 0
  %vs = shufflevector <8 x i32> %v, <8 x i32> poison, <8 x i32> zeroinitializer
  %mask = icmp slt <8 x i32> %vs, <i32 3, i32 3, i32 3, i32 3, i32 2, i32 2, i32 2, i32 2>
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %behind ]
  %sum = phi <8 x float> [ zeroinitializer, %entry ], [ %sum.next, %behind ]
  %bits = bitcast <8 x i1> %mask to i8
  %any = icmp ne i8 %bits, 0
  br i1 %any, label %tap, label %behind
tap:
  %i = add i32 %row, %k
  %p = getelementptr float, ptr %x, i32 %i
  %a = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %p, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
  %q = getelementptr float, ptr %weights, i32 %k
  %w = load float, ptr %q
  %first = insertelement <8 x float> poison, float %w, i64 0
  %ws = shufflevector <8 x float> %first, <8 x float> poison, <8 x i32> zeroinitializer
  %new = call <8 x float> @llvm.fma.v8f32(<8 x float> %a, <8 x float> %ws, <8 x float> %sum)
  br label %behind
behind:
  %sum.next = phi <8 x float> [ %sum, %loop ], [ %new, %tap ]
  %next = add i32 %k, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %r = getelementptr float, ptr %c, i32 %row
  store <8 x float> %sum.next, ptr %r
  ret void
}

; What each group loads of its own is loaded by those that pass the guard.
; OWN-LABEL: define void @own(
; OWN: br i1 %any, label %tap, label %together
; OWN-NOT: or i1
; OWN: tap:
; OWN-COUNT-1: load float
; OWN: br label %together
; OWN: tap1:
; OWN-COUNT-1: load float
; OWN: ret void
define void @own(ptr %x, ptr %weights, ptr %c, i32 %n) {
entry:
  %y = call i32 @lanza.group(i32 1)
  %row = mul i32 %y, %n
  %v = insertelement <8 x i32> poison, i32 %y, i64 0
  %vs = shufflevector <8 x i32> %v, <8 x i32> poison, <8 x i32> zeroinitializer
  %mask = icmp slt <8 x i32> %vs, <i32 3, i32 3, i32 3, i32 3, i32 2, i32 2, i32 2, i32 2>
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %behind ]
  %sum = phi <8 x float> [ zeroinitializer, %entry ], [ %sum.next, %behind ]
  %j = shl i32 %k, 3
  %s = getelementptr float, ptr %x, i32 %j
  %shared = load <8 x float>, ptr %s
  %bits = bitcast <8 x i1> %mask to i8
  %any = icmp ne i8 %bits, 0
  br i1 %any, label %tap, label %behind
tap:
  %i = add i32 %row, %k
  %q = getelementptr float, ptr %weights, i32 %i
  %w = load float, ptr %q
  %first = insertelement <8 x float> poison, float %w, i64 0
  %ws = shufflevector <8 x float> %first, <8 x float> poison, <8 x i32> zeroinitializer
  %new = call <8 x float> @llvm.fma.v8f32(<8 x float> %shared, <8 x float> %ws, <8 x float> %sum)
  br label %behind
behind:
  %sum.next = phi <8 x float> [ %sum, %loop ], [ %new, %tap ]
  %next = add i32 %k, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %r = getelementptr float, ptr %c, i32 %row
  store <8 x float> %sum.next, ptr %r
  ret void
}
