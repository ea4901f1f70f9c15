; RUN: %opt -kernel=masked -lanes=8 -block=8,4 -passes=join-groups %s | %check %s --check-prefix=MASKED
; RUN: %opt -kernel=loads -lanes=8 -block=8,4 -passes=join-groups %s | %check %s --check-prefix=LOADS
; RUN: %opt -kernel=leaves -lanes=8 -block=8,4 -passes=join-groups %s | %check %s --check-prefix=LEAVES
; RUN: %opt -kernel=divides -lanes=8 -block=8,4 -passes=join-groups %s | %check %s --check-prefix=DIVIDES

declare i32 @lanza.group(i32) nounwind willreturn memory(none)
declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)

; Where not all lanes of all groups go, but some of one group do, the groups walk together as well: what they load is
; masked, and of a row beyond the last one nothing is seen.
; MASKED-LABEL: define void @masked(
; MASKED: asks:
; MASKED-COUNT-3: select i1 {{.*}}, i1 {{.*}}, i1 false
; MASKED: br i1 {{.*}}, label %[[ALL:.*]], label %alone, !prof
; MASKED: alone:
; MASKED: asks1:
; MASKED-COUNT-3: select i1 {{.*}}, i1 true, i1 {{.*}}
; MASKED: br i1 {{.*}}, label %[[SOME:.*]], label %alone2, !prof
; MASKED: alone2:
; MASKED-NEXT: br label %turn
; MASKED: loop.all.together:
; MASKED-COUNT-4: phi <8 x float>
; MASKED: loop.some.some:
; MASKED-COUNT-4: phi <8 x float>
; MASKED-COUNT-4: call <8 x float> @llvm.masked.load
; MASKED-NOT: lanza.any-group
define void @masked(ptr %b, ptr %c, i32 %n, i32 %width) {
entry:
  %y = call i32 @lanza.group(i32 1)
  %below = icmp slt i32 %y, %n
  %row = mul i32 %y, %n
  %base = getelementptr float, ptr %b, i32 %row
  %r = getelementptr float, ptr %c, i32 %row
  %w = insertelement <8 x i32> poison, i32 %width, i64 0
  %ws = shufflevector <8 x i32> %w, <8 x i32> poison, <8 x i32> zeroinitializer
  %inside = icmp slt <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %ws
  %ends = icmp sge i32 %width, 8
  %all = and i1 %ends, %below
  br i1 %all, label %work.all, label %ask
work.all:
  br label %loop.all
loop.all:
  %k = phi i32 [ 0, %work.all ], [ %next, %loop.all ]
  %sum = phi <8 x float> [ zeroinitializer, %work.all ], [ %sum.next, %loop.all ]
  %j = shl i32 %k, 3
  %q = getelementptr float, ptr %base, i32 %j
  %v = load <8 x float>, ptr %q
  %sum.next = call <8 x float> @llvm.fma.v8f32(<8 x float> %v, <8 x float> %v, <8 x float> %sum)
  %next = add i32 %k, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop.all, label %end.all
end.all:
  store <8 x float> %sum.next, ptr %r
  br label %out
ask:
  %one = insertelement <8 x i1> poison, i1 %below, i64 0
  %ones = shufflevector <8 x i1> %one, <8 x i1> poison, <8 x i32> zeroinitializer
  %mask = and <8 x i1> %ones, %inside
  br i1 %below, label %work.some, label %out
work.some:
  br label %loop.some
loop.some:
  %k2 = phi i32 [ 0, %work.some ], [ %next2, %loop.some ]
  %sum2 = phi <8 x float> [ zeroinitializer, %work.some ], [ %sum.next2, %loop.some ]
  %j2 = shl i32 %k2, 3
  %q2 = getelementptr float, ptr %base, i32 %j2
  %v2 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %q2, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
  %sum.next2 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v2, <8 x float> %v2, <8 x float> %sum2)
  %next2 = add i32 %k2, 1
  %more2 = icmp slt i32 %next2, %n
  br i1 %more2, label %loop.some, label %end.some
end.some:
  call void @llvm.masked.store.v8f32.p0(<8 x float> %sum.next2, ptr %r, i32 4, <8 x i1> %mask)
  br label %out
out:
  ret void
}

; Nor does a group without lanes make turns by a number of its own, of which there may be no end.
; LEAVES-LABEL: define void @leaves(
; LEAVES: asks1:
; LEAVES-COUNT-3: select i1 {{.*}}, i1 {{.*}}, i1 false
; LEAVES-NOT: select i1 {{.*}}, i1 true
; LEAVES: loop.some.some:
define void @leaves(ptr %b, ptr %c, i32 %n, i32 %width) {
entry:
  %y = call i32 @lanza.group(i32 1)
  %below = icmp slt i32 %y, %n
  %row = mul i32 %y, %n
  %base = getelementptr float, ptr %b, i32 %row
  %left = sub i32 %n, %y
  %r = getelementptr float, ptr %c, i32 %row
  %w = insertelement <8 x i32> poison, i32 %width, i64 0
  %ws = shufflevector <8 x i32> %w, <8 x i32> poison, <8 x i32> zeroinitializer
  %inside = icmp slt <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %ws
  %ends = icmp sge i32 %width, 8
  %all = and i1 %ends, %below
  br i1 %all, label %work.all, label %ask
work.all:
  br label %loop.all
loop.all:
  %k = phi i32 [ 0, %work.all ], [ %next, %loop.all ]
  %sum = phi <8 x float> [ zeroinitializer, %work.all ], [ %sum.next, %loop.all ]
  %j = shl i32 %k, 3
  %q = getelementptr float, ptr %base, i32 %j
  %v = load <8 x float>, ptr %q
  %sum.next = call <8 x float> @llvm.fma.v8f32(<8 x float> %v, <8 x float> %v, <8 x float> %sum)
  %next = add i32 %k, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop.all, label %end.all
end.all:
  store <8 x float> %sum.next, ptr %r
  br label %out
ask:
  %one = insertelement <8 x i1> poison, i1 %below, i64 0
  %ones = shufflevector <8 x i1> %one, <8 x i1> poison, <8 x i32> zeroinitializer
  %mask = and <8 x i1> %ones, %inside
  br i1 %below, label %work.some, label %out
work.some:
  br label %loop.some
loop.some:
  %k2 = phi i32 [ 0, %work.some ], [ %next2, %loop.some ]
  %sum2 = phi <8 x float> [ zeroinitializer, %work.some ], [ %sum.next2, %loop.some ]
  %j2 = shl i32 %k2, 3
  %q2 = getelementptr float, ptr %base, i32 %j2
  %v2 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %q2, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
  %sum.next2 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v2, <8 x float> %v2, <8 x float> %sum2)
  %next2 = add i32 %k2, 1
  %more2 = icmp ne i32 %next2, %left
  br i1 %more2, label %loop.some, label %end.some
end.some:
  call void @llvm.masked.store.v8f32.p0(<8 x float> %sum.next2, ptr %r, i32 4, <8 x i1> %mask)
  br label %out
out:
  ret void
}

; A group's own element is loaded only where each group has lanes.
; LOADS-LABEL: define void @loads(
; LOADS: asks:
; LOADS-COUNT-3: select i1 {{.*}}, i1 {{.*}}, i1 false
; LOADS: asks1:
; LOADS-COUNT-3: select i1 {{.*}}, i1 {{.*}}, i1 false
; LOADS-NOT: select i1 {{.*}}, i1 true
; LOADS: loop.some.some:
; LOADS-COUNT-4: load float
define void @loads(ptr %b, ptr %c, i32 %n, i32 %width) {
entry:
  %y = call i32 @lanza.group(i32 1)
  %below = icmp slt i32 %y, %n
  %row = mul i32 %y, %n
  %base = getelementptr float, ptr %b, i32 %row
  %r = getelementptr float, ptr %c, i32 %row
  %w = insertelement <8 x i32> poison, i32 %width, i64 0
  %ws = shufflevector <8 x i32> %w, <8 x i32> poison, <8 x i32> zeroinitializer
  %inside = icmp slt <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %ws
  %ends = icmp sge i32 %width, 8
  %all = and i1 %ends, %below
  br i1 %all, label %work.all, label %ask
work.all:
  br label %loop.all
loop.all:
  %k = phi i32 [ 0, %work.all ], [ %next, %loop.all ]
  %sum = phi <8 x float> [ zeroinitializer, %work.all ], [ %sum.next, %loop.all ]
  %q = getelementptr float, ptr %base, i32 %k
  %v = load float, ptr %q
  %first = insertelement <8 x float> poison, float %v, i64 0
  %vs = shufflevector <8 x float> %first, <8 x float> poison, <8 x i32> zeroinitializer
  %sum.next = call <8 x float> @llvm.fma.v8f32(<8 x float> %vs, <8 x float> %vs, <8 x float> %sum)
  %next = add i32 %k, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop.all, label %end.all
end.all:
  store <8 x float> %sum.next, ptr %r
  br label %out
ask:
  %one = insertelement <8 x i1> poison, i1 %below, i64 0
  %ones = shufflevector <8 x i1> %one, <8 x i1> poison, <8 x i32> zeroinitializer
  %mask = and <8 x i1> %ones, %inside
  br i1 %below, label %work.some, label %out
work.some:
  br label %loop.some
loop.some:
  %k2 = phi i32 [ 0, %work.some ], [ %next2, %loop.some ]
  %sum2 = phi <8 x float> [ zeroinitializer, %work.some ], [ %sum.next2, %loop.some ]
  %q2 = getelementptr float, ptr %base, i32 %k2
  %v2 = load float, ptr %q2
  %first2 = insertelement <8 x float> poison, float %v2, i64 0
  %vs2 = shufflevector <8 x float> %first2, <8 x float> poison, <8 x i32> zeroinitializer
  %sum.next2 = call <8 x float> @llvm.fma.v8f32(<8 x float> %vs2, <8 x float> %vs2, <8 x float> %sum2)
  %next2 = add i32 %k2, 1
  %more2 = icmp slt i32 %next2, %n
  br i1 %more2, label %loop.some, label %end.some
end.some:
  call void @llvm.masked.store.v8f32.p0(<8 x float> %sum.next2, ptr %r, i32 4, <8 x i1> %mask)
  br label %out
out:
  ret void
}

; Nor is divided by a number of a group that has none.
; DIVIDES-LABEL: define void @divides(
; DIVIDES: asks1:
; DIVIDES-COUNT-3: select i1 {{.*}}, i1 {{.*}}, i1 false
; DIVIDES-NOT: select i1 {{.*}}, i1 true
; DIVIDES: loop.some.some:
; DIVIDES-COUNT-4: sdiv i32
define void @divides(ptr %b, ptr %c, i32 %n, i32 %width) {
entry:
  %y = call i32 @lanza.group(i32 1)
  %below = icmp slt i32 %y, %n
  %row = mul i32 %y, %n
  %left = sub i32 %n, %y
  %r = getelementptr float, ptr %c, i32 %row
  %w = insertelement <8 x i32> poison, i32 %width, i64 0
  %ws = shufflevector <8 x i32> %w, <8 x i32> poison, <8 x i32> zeroinitializer
  %inside = icmp slt <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %ws
  %ends = icmp sge i32 %width, 8
  %all = and i1 %ends, %below
  br i1 %all, label %work.all, label %ask
work.all:
  br label %loop.all
loop.all:
  %k = phi i32 [ 0, %work.all ], [ %next, %loop.all ]
  %sum = phi <8 x float> [ zeroinitializer, %work.all ], [ %sum.next, %loop.all ]
  %j = sdiv i32 %k, %left
  %q = getelementptr float, ptr %b, i32 %j
  %v = load <8 x float>, ptr %q
  %sum.next = call <8 x float> @llvm.fma.v8f32(<8 x float> %v, <8 x float> %v, <8 x float> %sum)
  %next = add i32 %k, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop.all, label %end.all
end.all:
  store <8 x float> %sum.next, ptr %r
  br label %out
ask:
  %one = insertelement <8 x i1> poison, i1 %below, i64 0
  %ones = shufflevector <8 x i1> %one, <8 x i1> poison, <8 x i32> zeroinitializer
  %mask = and <8 x i1> %ones, %inside
  br i1 %below, label %work.some, label %out
work.some:
  br label %loop.some
loop.some:
  %k2 = phi i32 [ 0, %work.some ], [ %next2, %loop.some ]
  %sum2 = phi <8 x float> [ zeroinitializer, %work.some ], [ %sum.next2, %loop.some ]
  %j2 = sdiv i32 %k2, %left
  %q2 = getelementptr float, ptr %b, i32 %j2
  %v2 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %q2, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
  %sum.next2 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v2, <8 x float> %v2, <8 x float> %sum2)
  %next2 = add i32 %k2, 1
  %more2 = icmp slt i32 %next2, %n
  br i1 %more2, label %loop.some, label %end.some
end.some:
  call void @llvm.masked.store.v8f32.p0(<8 x float> %sum.next2, ptr %r, i32 4, <8 x i1> %mask)
  br label %out
out:
  ret void
}
