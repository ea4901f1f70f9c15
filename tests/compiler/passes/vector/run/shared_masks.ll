; RUN: %opt -kernel=triangle -lanes=8 -block=8,4 -passes=join-groups %s | %check %s --check-prefix=TRIANGLE
; RUN: %opt -kernel=rows -lanes=8 -block=8,4 -passes=join-groups %s | %check %s --check-prefix=ROWS

declare i32 @lanza.group(i32) nounwind willreturn memory(none)
declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)

; Each of four groups has lanes of its own, up to its row's number, and all of them load the same: it is loaded once,
; for the lanes of any of them, and so is its sum, which each group's own lanes store.
; TRIANGLE-LABEL: define void @triangle(
; TRIANGLE: loop.some.some:
; TRIANGLE: %[[TWO:.*]] = or <8 x i1> %mask.some, %[[M1:.*]]
; TRIANGLE: %[[THREE:.*]] = or <8 x i1> %[[TWO]], %[[M2:.*]]
; TRIANGLE: %[[ANY:.*]] = or <8 x i1> %[[THREE]], %[[M3:.*]]
; TRIANGLE: call <8 x float> @llvm.masked.load.v8f32.p0({{.*}}, <8 x i1> %[[ANY]], <8 x float> zeroinitializer)
; TRIANGLE-NOT: @llvm.masked.load
; TRIANGLE-COUNT-1: call <8 x float> @llvm.fma
; TRIANGLE-NOT: @llvm.fma
; TRIANGLE: end.some.some:
; TRIANGLE: call void @llvm.masked.store.v8f32.p0({{.*}}, <8 x i1> %mask.some)
; TRIANGLE: call void @llvm.masked.store.v8f32.p0({{.*}}, <8 x i1> %[[M1]])
; TRIANGLE: call void @llvm.masked.store.v8f32.p0({{.*}}, <8 x i1> %[[M2]])
; TRIANGLE: call void @llvm.masked.store.v8f32.p0({{.*}}, <8 x i1> %[[M3]])
; TRIANGLE-NOT: any-lanes
define void @triangle(ptr %b, ptr %c, i32 %n, i32 %width) {
entry:
  %y = call i32 @lanza.group(i32 1)
  %below = icmp slt i32 %y, %n
  %row = mul i32 %y, %n
  %r = getelementptr float, ptr %c, i32 %row
  %w = insertelement <8 x i32> poison, i32 %y, i64 0
  %ws = shufflevector <8 x i32> %w, <8 x i32> poison, <8 x i32> zeroinitializer
  %inside = icmp sle <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %ws
  %ends = icmp sge i32 %y, 8
  %all = and i1 %ends, %below
  br i1 %all, label %work.all, label %ask
work.all:
  br label %loop.all
loop.all:
  %k = phi i32 [ 0, %work.all ], [ %next, %loop.all ]
  %sum = phi <8 x float> [ zeroinitializer, %work.all ], [ %sum.next, %loop.all ]
  %j = shl i32 %k, 3
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
  %j2 = shl i32 %k2, 3
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

; What is a row of each group's own is loaded by its own lanes.
; ROWS-LABEL: define void @rows(
; ROWS: loop.some.some:
; ROWS-NOT: or <8 x i1>
; ROWS-COUNT-4: call <8 x float> @llvm.masked.load
; ROWS-NOT: any-lanes
define void @rows(ptr %b, ptr %c, i32 %n, i32 %width) {
entry:
  %y = call i32 @lanza.group(i32 1)
  %below = icmp slt i32 %y, %n
  %row = mul i32 %y, %n
  %r = getelementptr float, ptr %c, i32 %row
  %w = insertelement <8 x i32> poison, i32 %y, i64 0
  %ws = shufflevector <8 x i32> %w, <8 x i32> poison, <8 x i32> zeroinitializer
  %inside = icmp sle <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %ws
  %ends = icmp sge i32 %y, 8
  %all = and i1 %ends, %below
  br i1 %all, label %work.all, label %ask
work.all:
  br label %loop.all
loop.all:
  %k = phi i32 [ 0, %work.all ], [ %next, %loop.all ]
  %sum = phi <8 x float> [ zeroinitializer, %work.all ], [ %sum.next, %loop.all ]
  %j = add i32 %k, %row
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
  %j2 = add i32 %k2, %row
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
