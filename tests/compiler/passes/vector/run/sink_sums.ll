; RUN: %opt -kernel=product -lanes=8 -block=8,4 -passes=join-groups %s | %check %s --check-prefix=PRODUCT
; RUN: %opt -kernel=loaded -lanes=8 -block=8,4 -passes=join-groups %s | %check %s --check-prefix=LOADED
; RUN: %opt -kernel=gathered -lanes=8 -block=8,4 -passes=join-groups %s | %check %s --check-prefix=GATHERED
; RUN: %opt -kernel=own -lanes=8 -block=8,4 -passes=join-groups %s | %check %s --check-prefix=OWN
; RUN: %opt -kernel=lane -lanes=8 -block=8,4 -passes=join-groups %s | %check %s --check-prefix=LANE

declare i32 @lanza.group(i32) nounwind willreturn memory(none)
declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
declare <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr>, i32, <8 x i1>, <8 x float>)

; A row of b is read by four groups, an element of a by all lanes of one: nobody writes there. The sums are written
; behind the loop.
; PRODUCT-LABEL: define void @product(
; PRODUCT: loop:
; PRODUCT-COUNT-4: phi <8 x float>
; PRODUCT-NOT: store
; PRODUCT: br i1
; PRODUCT: end:
; PRODUCT-COUNT-4: store <8 x float>
; PRODUCT-NOT: store
; PRODUCT: ret void
define void @product(ptr %a, ptr %b, ptr %c, i32 %n) {
entry:
  %y = call i32 @lanza.group(i32 1)
  %row = mul i32 %y, %n
  %r = getelementptr float, ptr %c, i32 %row
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <8 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %j = mul i32 %k, %n
  %q = getelementptr float, ptr %b, i32 %j
  %v = load <8 x float>, ptr %q
  %i = add i32 %row, %k
  %p = getelementptr float, ptr %a, i32 %i
  %one = load float, ptr %p
  %first = insertelement <8 x float> poison, float %one, i64 0
  %all = shufflevector <8 x float> %first, <8 x float> poison, <8 x i32> zeroinitializer
  %sum.next = call <8 x float> @llvm.fma.v8f32(<8 x float> %all, <8 x float> %v, <8 x float> %sum)
  store <8 x float> %sum.next, ptr %r
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; What each turn reads is in a register, too, from the last turn; before the first one it is loaded.
; LOADED-LABEL: define void @loaded(
; LOADED-COUNT-4: load <8 x float>
; LOADED: loop:
; LOADED-COUNT-4: phi <8 x float>
; LOADED-COUNT-1: load <8 x float>
; LOADED-NOT: load
; LOADED-NOT: store
; LOADED: end:
; LOADED-COUNT-4: store <8 x float>
; LOADED-NOT: store
; LOADED: ret void
define void @loaded(ptr %b, ptr %c, i32 %n) {
entry:
  %y = call i32 @lanza.group(i32 1)
  %row = mul i32 %y, %n
  %r = getelementptr float, ptr %c, i32 %row
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %j = mul i32 %k, %n
  %q = getelementptr float, ptr %b, i32 %j
  %v = load <8 x float>, ptr %q
  %sum = load <8 x float>, ptr %r
  %sum.next = fadd <8 x float> %v, %sum
  store <8 x float> %sum.next, ptr %r
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The same of lanes that read rows.
; GATHERED-LABEL: define void @gathered(
; GATHERED: loop:
; GATHERED-COUNT-1: call <8 x float> @llvm.masked.gather
; GATHERED-NOT: store
; GATHERED: end:
; GATHERED-COUNT-4: store <8 x float>
define void @gathered(<8 x ptr> %b, ptr %c, i32 %n) {
entry:
  %y = call i32 @lanza.group(i32 1)
  %row = mul i32 %y, %n
  %r = getelementptr float, ptr %c, i32 %row
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <8 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %q = getelementptr float, <8 x ptr> %b, i32 %k
  %v = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %q, i32 4, <8 x i1> splat (i1 true), <8 x float> poison)
  %sum.next = fadd <8 x float> %v, %sum
  store <8 x float> %sum.next, ptr %r
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; What a group reads alone may be what it writes.
; OWN-LABEL: define void @own(
; OWN: loop:
; OWN-COUNT-4: store <8 x float>
; OWN: br i1
define void @own(ptr %a, ptr %b, ptr %c, i32 %n) {
entry:
  %y = call i32 @lanza.group(i32 1)
  %row = mul i32 %y, %n
  %r = getelementptr float, ptr %c, i32 %row
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <8 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %j = mul i32 %k, %n
  %q = getelementptr float, ptr %b, i32 %j
  %v = load <8 x float>, ptr %q
  %s = getelementptr float, ptr %a, i32 %j
  %u = load <8 x float>, ptr %s
  %i = add i32 %row, %k
  %p = getelementptr <8 x float>, ptr %a, i32 %i
  %w = load <8 x float>, ptr %p
  %f = fmul <8 x float> %v, %u
  %g = fmul <8 x float> %w, %f
  %sum.next = fadd <8 x float> %g, %sum
  store <8 x float> %sum.next, ptr %r
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Nor is what a lane reads alone shared by the others.
; LANE-LABEL: define void @lane(
; LANE: loop:
; LANE-COUNT-4: store <8 x float>
; LANE: br i1
define void @lane(<8 x ptr> %a, ptr %b, ptr %c, i32 %n) {
entry:
  %y = call i32 @lanza.group(i32 1)
  %row = mul i32 %y, %n
  %r = getelementptr float, ptr %c, i32 %row
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <8 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %j = mul i32 %k, %n
  %q = getelementptr float, ptr %b, i32 %j
  %v = load <8 x float>, ptr %q
  %address = extractelement <8 x ptr> %a, i32 3
  %p = getelementptr float, ptr %address, i32 %k
  %one = load float, ptr %p
  %first = insertelement <8 x float> poison, float %one, i64 0
  %all = shufflevector <8 x float> %first, <8 x float> poison, <8 x i32> zeroinitializer
  %sum.next = call <8 x float> @llvm.fma.v8f32(<8 x float> %all, <8 x float> %v, <8 x float> %sum)
  store <8 x float> %sum.next, ptr %r
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
