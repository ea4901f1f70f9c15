; RUN: %opt -kernel=product -lanes=8 -block=8,8 -passes=join-groups %s | %check %s --check-prefix=PRODUCT
; RUN: %opt -kernel=private -lanes=8 -block=8,4 -passes=join-groups %s | %check %s --check-prefix=PRIVATE
; RUN: sed 's/.16 x <8 x float>/[600 x <8 x float>/' %s > %t.ll
; RUN: %opt -kernel=private -lanes=8 -block=8,4 -passes=join-groups %t.ll | %check %s --check-prefix=LONG
; RUN: %opt -kernel=detour -lanes=8 -block=8,2 -passes=join-groups %s | %check %s --check-prefix=DETOUR
; RUN: %opt -kernel=counts -lanes=8 -block=8,8 -passes=join-groups %s | %check %s --check-prefix=COUNTS
; RUN: %opt -kernel=alike -lanes=8 -block=8,8 -passes=join-groups %s | %check %s --check-prefix=ALIKE
; RUN: %opt -kernel=nothing -lanes=8 -block=8,8 -passes=join-groups %s | %check %s --check-prefix=NOTHING
; RUN: %opt -kernel=rows -lanes=8 -block=8,8 -passes=join-groups %s | %check %s --check-prefix=ROWS
; RUN: %opt -kernel=tile -lanes=8 -block=16,16 -passes=join-groups %s | %check %s --check-prefix=TILE
; RUN: %opt -kernel=tile_of_two -target=x86-64-v3 -lanes=16 -block=32,16 -passes=join-groups %s | %check %s --check-prefix=TWO
; RUN: %opt -kernel=walks -target=znver5 -lanes=16 -block=256 -passes=join-groups %s | %check %s --check-prefix=WALKS
; RUN: %opt -kernel=walks -target=x86-64-v4 -lanes=16 -block=256 -passes=join-groups %s | %check %s --check-prefix=ALONE
; RUN: %opt -kernel=rows_of_lanes -target=znver5 -lanes=16 -block=256 -passes=join-groups %s | %check %s --check-prefix=LANES
; RUN: %opt -kernel=again -target=x86-64-v4 -lanes=16 -block=256 -passes=join-groups %s | %check %s --check-prefix=AGAIN
; RUN: %opt -kernel=columns -target=x86-64-v4 -lanes=8 -block=8,8 -passes=join-groups %s | %check %s --check-prefix=COLUMNS
; RUN: %opt -kernel=extrema -target=x86-64-v4 -lanes=16 -block=64 -passes=join-groups %s | %check %s --check-prefix=EXTREMA
; RUN: %opt -kernel=streams -target=x86-64-v4 -lanes=32 -block=32,8 -passes=join-groups %s | %check %s --check-prefix=STREAMS
; RUN: sed 's/far, i64/near, i64/' %s > %t.near.ll
; RUN: %opt -kernel=streams -target=x86-64-v4 -lanes=32 -block=32,8 -passes=join-groups %t.near.ll | %check %s --check-prefix=NEAR

declare i32 @lanza.group(i32) nounwind willreturn memory(none)
declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)

; Eight rows share what they multiply by; each has its own sum.
; PRODUCT-LABEL: define void @product(
; PRODUCT: [[Y:%.*]] = call i32 @lanza.group(i32 1)
; PRODUCT: add nuw i32 {{.*}}, 1
; PRODUCT: add nuw i32 {{.*}}, 7
; PRODUCT: loop:
; PRODUCT-COUNT-8: phi <8 x float>
; PRODUCT-NOT: phi <8 x float>
; PRODUCT: load <8 x float>
; PRODUCT-NOT: load <8 x float>
; PRODUCT-COUNT-8: call <8 x float> @llvm.fma.v8f32
; PRODUCT-NOT: call <8 x float> @llvm.fma.v8f32
; PRODUCT: br i1
; PRODUCT-COUNT-8: store <8 x float>
; PRODUCT-NOT: store
; PRODUCT: ret void
define void @product(ptr %a, ptr %b, ptr %c) {
entry:
  %y = call i32 @lanza.group(i32 1)
  %row = shl i32 %y, 3
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <8 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %j = shl i32 %k, 3
  %q = getelementptr float, ptr %b, i32 %j
  %v = load <8 x float>, ptr %q
  %i = or i32 %row, %k
  %p = getelementptr float, ptr %a, i32 %i
  %one = load float, ptr %p
  %first = insertelement <8 x float> poison, float %one, i64 0
  %all = shufflevector <8 x float> %first, <8 x float> poison, <8 x i32> zeroinitializer
  %sum.next = call <8 x float> @llvm.fma.v8f32(<8 x float> %all, <8 x float> %v, <8 x float> %sum)
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, 8
  br i1 %more, label %loop, label %end
end:
  %r = getelementptr float, ptr %c, i32 %row
  store <8 x float> %sum.next, ptr %r
  ret void
}

; Private arrays are one for each group.
; As many as a first cache holds.
; LONG-LABEL: define void @private(
; LONG-COUNT-2: alloca [600 x <8 x float>]
; LONG-NOT: alloca
; LONG: loop:
; PRIVATE-LABEL: define void @private(
; PRIVATE-COUNT-4: alloca [16 x <8 x float>]
; PRIVATE-NOT: alloca
; PRIVATE: loop:
; PRIVATE-COUNT-4: phi <8 x float>
; PRIVATE: load float
; PRIVATE-NOT: load float
; PRIVATE-COUNT-4: call <8 x float> @llvm.fma.v8f32
; PRIVATE: ret void
define void @private(ptr %a, ptr %c, i32 %n) {
entry:
  %own = alloca [16 x <8 x float>]
  %y = call i32 @lanza.group(i32 1)
  %row = shl i32 %y, 3
  %p = getelementptr float, ptr %c, i32 %row
  %start = load <8 x float>, ptr %p
  %to = getelementptr [16 x <8 x float>], ptr %own, i32 0, i32 %n
  store <8 x float> %start, ptr %to
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <8 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %at = getelementptr [16 x <8 x float>], ptr %own, i32 0, i32 %k
  %v = load <8 x float>, ptr %at
  %q = getelementptr float, ptr %a, i32 %k
  %one = load float, ptr %q
  %first = insertelement <8 x float> poison, float %one, i64 0
  %all = shufflevector <8 x float> %first, <8 x float> poison, <8 x i32> zeroinitializer
  %sum.next = call <8 x float> @llvm.fma.v8f32(<8 x float> %all, <8 x float> %v, <8 x float> %sum)
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, 16
  br i1 %more, label %loop, label %end
end:
  store <8 x float> %sum.next, ptr %p
  ret void
}

; Where rows part they go one after the other: the second goes its way behind the first one's.
; DETOUR-LABEL: define void @detour(
; DETOUR: entry:
; DETOUR: [[ONE:%.*]] = call i32 @lanza.group(i32 1)
; DETOUR: [[ODD:%.*]] = icmp
; DETOUR: [[ODD1:%.*]] = icmp
; DETOUR: br i1 [[ODD]], label %side, label %[[FIRST:.*]]
; DETOUR: side:
; DETOUR: br label %[[FIRST]]
; DETOUR: [[SIDE1:side.*]]:
; DETOUR: br label %[[SECOND:.*]]
; DETOUR: [[FIRST]]:
; DETOUR-NEXT: [[SUM:%.*]] = phi <8 x float> [ %v, %entry ], [ %w, %side ]
; DETOUR-NEXT: br i1 [[ODD1]], label %[[SIDE1]], label %[[SECOND]]
; DETOUR: [[SECOND]]:
; DETOUR-NEXT: [[SUM1:%.*]] = phi <8 x float> [ %v, %[[FIRST]] ], [ {{.*}}, %[[SIDE1]] ]
; DETOUR-NEXT: br label %end
; DETOUR: end:
; DETOUR: store <8 x float> [[SUM]]
; DETOUR: store <8 x float> [[SUM1]]
define void @detour(ptr %a, ptr %c) {
entry:
  %y = call i32 @lanza.group(i32 1)
  %v = load <8 x float>, ptr %a
  %odd = icmp eq i32 %y, 1
  br i1 %odd, label %side, label %end
side:
  %w = fadd <8 x float> %v, %v
  br label %end
end:
  %sum = phi <8 x float> [ %v, %entry ], [ %w, %side ]
  %i = shl i32 %y, 3
  %r = getelementptr float, ptr %c, i32 %i
  store <8 x float> %sum, ptr %r
  ret void
}

; Atomics keep their order.
; COUNTS-LABEL: define void @counts(
; COUNTS: call i32 @lanza.group(i32 1)
; COUNTS-COUNT-1: load <8 x float>
; COUNTS-NOT: load <8 x float>
; COUNTS: ret void
define void @counts(ptr %a, ptr %c) {
  %y = call i32 @lanza.group(i32 1)
  %v = load <8 x float>, ptr %a
  %i = shl i32 %y, 3
  %r = getelementptr float, ptr %c, i32 %i
  store <8 x float> %v, ptr %r
  %old = atomicrmw add ptr %c, i32 1 monotonic
  ret void
}

; Nothing is shared.
; NOTHING-LABEL: define void @nothing(
; NOTHING: call i32 @lanza.group(i32 1)
; NOTHING-NEXT: shl
; NOTHING-NEXT: getelementptr
; NOTHING-NEXT: load
; NOTHING-NEXT: fadd
; NOTHING-NEXT: store
; NOTHING-NEXT: ret void
define void @nothing(ptr %c) {
  %y = call i32 @lanza.group(i32 1)
  %i = shl i32 %y, 3
  %r = getelementptr float, ptr %c, i32 %i
  %v = load <8 x float>, ptr %r
  %w = fadd <8 x float> %v, %v
  store <8 x float> %w, ptr %r
  ret void
}

; All loads in front would be a register each; in front of their uses, four rows share the weights. Twice as many would
; save little more. What few blocks come to does not count.
; ROWS-LABEL: define void @rows(
; ROWS: inside:
; ROWS: load float, ptr %q0
; ROWS: load <8 x float>
; ROWS-NEXT: call <8 x float> @llvm.fma.v8f32
; ROWS: load <8 x float>
; ROWS-NEXT: call <8 x float> @llvm.fma.v8f32
; ROWS: load <8 x float>
; ROWS-NEXT: call <8 x float> @llvm.fma.v8f32
; ROWS: load <8 x float>
; ROWS-NEXT: call <8 x float> @llvm.fma.v8f32
; ROWS: load float, ptr %q1
; ROWS: load <8 x float>
; ROWS-NEXT: call <8 x float> @llvm.fma.v8f32
; ROWS: load <8 x float>
; ROWS-NEXT: call <8 x float> @llvm.fma.v8f32
; ROWS: load <8 x float>
; ROWS-NEXT: call <8 x float> @llvm.fma.v8f32
; ROWS: load <8 x float>
; ROWS-NEXT: call <8 x float> @llvm.fma.v8f32
; ROWS: load float, ptr %q2
; ROWS: load <8 x float>
; ROWS-NEXT: call <8 x float> @llvm.fma.v8f32
; ROWS: load <8 x float>
; ROWS-NEXT: call <8 x float> @llvm.fma.v8f32
; ROWS: load <8 x float>
; ROWS-NEXT: call <8 x float> @llvm.fma.v8f32
; ROWS: load <8 x float>
; ROWS-NEXT: call <8 x float> @llvm.fma.v8f32
; ROWS: load float, ptr %q3
; ROWS: load <8 x float>
; ROWS-NEXT: call <8 x float> @llvm.fma.v8f32
; ROWS: load <8 x float>
; ROWS-NEXT: call <8 x float> @llvm.fma.v8f32
; ROWS: load <8 x float>
; ROWS-NEXT: call <8 x float> @llvm.fma.v8f32
; ROWS: load <8 x float>
; ROWS-NEXT: call <8 x float> @llvm.fma.v8f32
; ROWS: load float, ptr %q4
; ROWS: load <8 x float>
; ROWS-NEXT: call <8 x float> @llvm.fma.v8f32
; ROWS: load <8 x float>
; ROWS-NEXT: call <8 x float> @llvm.fma.v8f32
; ROWS: load <8 x float>
; ROWS-NEXT: call <8 x float> @llvm.fma.v8f32
; ROWS: load <8 x float>
; ROWS-NEXT: call <8 x float> @llvm.fma.v8f32
; ROWS: load float, ptr %q5
; ROWS: load <8 x float>
; ROWS-NEXT: call <8 x float> @llvm.fma.v8f32
; ROWS: load <8 x float>
; ROWS-NEXT: call <8 x float> @llvm.fma.v8f32
; ROWS: load <8 x float>
; ROWS-NEXT: call <8 x float> @llvm.fma.v8f32
; ROWS: load <8 x float>
; ROWS-NEXT: call <8 x float> @llvm.fma.v8f32
; ROWS-NOT: call <8 x float> @llvm.fma.v8f32
; ROWS: ret void
define void @rows(ptr noalias %w, ptr noalias %a, ptr noalias %c, i1 %edge) {
entry:
  %y = call i32 @lanza.group(i32 1)
  %row = shl nuw nsw i32 %y, 3
  br i1 %edge, label %inside, label %seldom, !prof !0
inside:
  %i5 = add nuw nsw i32 %row, 40
  %p5 = getelementptr float, ptr %a, i32 %i5
  %v5 = load <8 x float>, ptr %p5
  %q5 = getelementptr float, ptr %w, i32 5
  %w5 = load float, ptr %q5
  %f5 = insertelement <8 x float> poison, float %w5, i64 0
  %s5 = shufflevector <8 x float> %f5, <8 x float> poison, <8 x i32> zeroinitializer
  %i4 = add nuw nsw i32 %row, 32
  %p4 = getelementptr float, ptr %a, i32 %i4
  %v4 = load <8 x float>, ptr %p4
  %q4 = getelementptr float, ptr %w, i32 4
  %w4 = load float, ptr %q4
  %f4 = insertelement <8 x float> poison, float %w4, i64 0
  %s4 = shufflevector <8 x float> %f4, <8 x float> poison, <8 x i32> zeroinitializer
  %i3 = add nuw nsw i32 %row, 24
  %p3 = getelementptr float, ptr %a, i32 %i3
  %v3 = load <8 x float>, ptr %p3
  %q3 = getelementptr float, ptr %w, i32 3
  %w3 = load float, ptr %q3
  %f3 = insertelement <8 x float> poison, float %w3, i64 0
  %s3 = shufflevector <8 x float> %f3, <8 x float> poison, <8 x i32> zeroinitializer
  %i2 = add nuw nsw i32 %row, 16
  %p2 = getelementptr float, ptr %a, i32 %i2
  %v2 = load <8 x float>, ptr %p2
  %q2 = getelementptr float, ptr %w, i32 2
  %w2 = load float, ptr %q2
  %f2 = insertelement <8 x float> poison, float %w2, i64 0
  %s2 = shufflevector <8 x float> %f2, <8 x float> poison, <8 x i32> zeroinitializer
  %i1 = add nuw nsw i32 %row, 8
  %p1 = getelementptr float, ptr %a, i32 %i1
  %v1 = load <8 x float>, ptr %p1
  %q1 = getelementptr float, ptr %w, i32 1
  %w1 = load float, ptr %q1
  %f1 = insertelement <8 x float> poison, float %w1, i64 0
  %s1 = shufflevector <8 x float> %f1, <8 x float> poison, <8 x i32> zeroinitializer
  %i0 = add nuw nsw i32 %row, 0
  %p0 = getelementptr float, ptr %a, i32 %i0
  %v0 = load <8 x float>, ptr %p0
  %q0 = getelementptr float, ptr %w, i32 0
  %w0 = load float, ptr %q0
  %f0 = insertelement <8 x float> poison, float %w0, i64 0
  %s0 = shufflevector <8 x float> %f0, <8 x float> poison, <8 x i32> zeroinitializer
  %t0 = call <8 x float> @llvm.fma.v8f32(<8 x float> %s0, <8 x float> %v0, <8 x float> zeroinitializer)
  %t1 = call <8 x float> @llvm.fma.v8f32(<8 x float> %s1, <8 x float> %v1, <8 x float> %t0)
  %t2 = call <8 x float> @llvm.fma.v8f32(<8 x float> %s2, <8 x float> %v2, <8 x float> %t1)
  %t3 = call <8 x float> @llvm.fma.v8f32(<8 x float> %s3, <8 x float> %v3, <8 x float> %t2)
  %t4 = call <8 x float> @llvm.fma.v8f32(<8 x float> %s4, <8 x float> %v4, <8 x float> %t3)
  %t5 = call <8 x float> @llvm.fma.v8f32(<8 x float> %s5, <8 x float> %v5, <8 x float> %t4)
  %r = getelementptr float, ptr %c, i32 %row
  store <8 x float> %t5, ptr %r
  br label %end
seldom:
  %p = getelementptr float, ptr %a, i32 %row
  br label %loop
loop:
  %k = phi i32 [ 0, %seldom ], [ %next, %loop ]
  %v = load <8 x float>, ptr %p
  %x = fmul <8 x float> %v, %v
  %z = fadd <8 x float> %x, %v
  store <8 x float> %z, ptr %p
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, 8
  br i1 %more, label %loop, label %end
end:
  ret void
}
!0 = !{!"branch_weights", i32 2000, i32 1}
; Rows share what columns do not, and columns what rows do not: four by two sums go round together, of two vectors and
; four scalars.
; TILE-LABEL: define void @tile(
; TILE: loop:
; TILE-COUNT-8: phi <8 x float>
; TILE-NOT: phi <8 x float>
; TILE-COUNT-2: load <8 x float>
; TILE-NOT: load <8 x float>
; TILE: br i1
; TILE-COUNT-8: store <8 x float>
; TILE-NOT: store
; TILE: ret void
define void @tile(ptr %a, ptr %b, ptr %c) {
entry:
  %x = call i32 @lanza.group(i32 0)
  %y = call i32 @lanza.group(i32 1)
  %row = shl i32 %y, 4
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <8 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %below = shl i32 %k, 4
  %j = or i32 %below, %x
  %q = getelementptr float, ptr %b, i32 %j
  %v = load <8 x float>, ptr %q
  %i = or i32 %row, %k
  %p = getelementptr float, ptr %a, i32 %i
  %one = load float, ptr %p
  %first = insertelement <8 x float> poison, float %one, i64 0
  %all = shufflevector <8 x float> %first, <8 x float> poison, <8 x i32> zeroinitializer
  %sum.next = call <8 x float> @llvm.fma.v8f32(<8 x float> %all, <8 x float> %v, <8 x float> %sum)
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, 16
  br i1 %more, label %loop, label %end
end:
  %place = or i32 %row, %x
  %r = getelementptr float, ptr %c, i32 %place
  store <8 x float> %sum.next, ptr %r
  ret void
}

; A group fills two of few registers: two by two sums would load two vectors, four rows load one and two scalars more.
; TWO-LABEL: define void @tile_of_two(
; TWO: loop:
; TWO-COUNT-4: phi <16 x float>
; TWO-NOT: phi <16 x float>
; TWO: load <16 x float>
; TWO-NOT: load <16 x float>
; TWO: br i1
; TWO-COUNT-4: store <16 x float>
; TWO: ret void
define void @tile_of_two(ptr %a, ptr %b, ptr %c) {
entry:
  %x = call i32 @lanza.group(i32 0)
  %y = call i32 @lanza.group(i32 1)
  %side = shl i32 %x, 4
  %row = shl i32 %y, 5
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <16 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %below = shl i32 %k, 5
  %j = or i32 %below, %side
  %q = getelementptr float, ptr %b, i32 %j
  %v = load <16 x float>, ptr %q
  %i = or i32 %row, %k
  %p = getelementptr float, ptr %a, i32 %i
  %one = load float, ptr %p
  %first = insertelement <16 x float> poison, float %one, i64 0
  %all = shufflevector <16 x float> %first, <16 x float> poison, <16 x i32> zeroinitializer
  %sum.next = call <16 x float> @llvm.fma.v16f32(<16 x float> %all, <16 x float> %v, <16 x float> %sum)
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, 16
  br i1 %more, label %loop, label %end
end:
  %place = or i32 %row, %side
  %r = getelementptr float, ptr %c, i32 %place
  store <16 x float> %sum.next, ptr %r
  ret void
}

; Nothing is shared, but a wide core has other groups' work to do while one waits.
; WALKS-LABEL: define void @walks(
; WALKS: loop:
; WALKS-COUNT-2: load <16 x float>
; ALONE-LABEL: define void @walks(
; ALONE: loop:
; ALONE: load <16 x float>
; ALONE-NOT: load
; ALONE: ret void
define void @walks(ptr %c, i32 %n) {
entry:
  %x = call i32 @lanza.group(i32 0)
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %row = mul i32 %k, 256
  %i = add i32 %row, %x
  %w = sext i32 %i to i64
  %p = getelementptr float, ptr %c, i64 %w
  %v = load <16 x float>, ptr %p
  %s = fadd <16 x float> %v, %v
  store <16 x float> %s, ptr %p
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Sixteen loads a turn, one for each lane's row: a broadcast that groups share is little beside them.
; LANES-LABEL: define void @rows_of_lanes(
; LANES-COUNT-1: call <16 x float> @llvm.masked.gather
; LANES-NOT: call <16 x float> @llvm.masked.gather
define void @rows_of_lanes(ptr %a, ptr %x, ptr %c, i32 %n) {
entry:
  %g = call i32 @lanza.group(i32 0)
  %first = insertelement <16 x i32> poison, i32 %g, i64 0
  %groups = shufflevector <16 x i32> %first, <16 x i32> poison, <16 x i32> zeroinitializer
  %i = or <16 x i32> %groups, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %n1 = insertelement <16 x i32> poison, i32 %n, i64 0
  %ns = shufflevector <16 x i32> %n1, <16 x i32> poison, <16 x i32> zeroinitializer
  %row = mul <16 x i32> %i, %ns
  br label %loop
loop:
  %j = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <16 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %j1 = insertelement <16 x i32> poison, i32 %j, i64 0
  %js = shufflevector <16 x i32> %j1, <16 x i32> poison, <16 x i32> zeroinitializer
  %at = add <16 x i32> %row, %js
  %p = getelementptr float, ptr %a, <16 x i32> %at
  %v = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p, i32 4, <16 x i1> splat (i1 true), <16 x float> poison)
  %q = getelementptr float, ptr %x, i32 %j
  %one = load float, ptr %q
  %o1 = insertelement <16 x float> poison, float %one, i64 0
  %all = shufflevector <16 x float> %o1, <16 x float> poison, <16 x i32> zeroinitializer
  %sum.next = call <16 x float> @llvm.fma.v16f32(<16 x float> %all, <16 x float> %v, <16 x float> %sum)
  %next = add i32 %j, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %r = getelementptr float, ptr %c, i32 %g
  store <16 x float> %sum.next, ptr %r
  ret void
}

declare <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x float>)
declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)

; Straight code that rows do a good part of alike: once for those that walk together.
; ALIKE-LABEL: define void @alike(
; ALIKE: add nuw i32 {{.*}}, 1
; ALIKE-COUNT-1: call <8 x float> @llvm.fma.v8f32(
; ALIKE-NOT: call <8 x float> @llvm.fma.v8f32(
; ALIKE-COUNT-2: store <8 x float>
define void @alike(ptr %a, ptr %c) {
  %x = call i32 @lanza.group(i32 0)
  %y = call i32 @lanza.group(i32 1)
  %s = insertelement <8 x i32> poison, i32 %x, i64 0
  %xs = shufflevector <8 x i32> %s, <8 x i32> poison, <8 x i32> zeroinitializer
  %at = add <8 x i32> %xs, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %f = sitofp <8 x i32> %at to <8 x float>
  %g = fmul <8 x float> %f, %f
  %h = call <8 x float> @llvm.fma.v8f32(<8 x float> %g, <8 x float> %f, <8 x float> %g)
  %i = fadd <8 x float> %h, %f
  %j = fmul <8 x float> %i, %g
  %row = shl i32 %y, 3
  %q = getelementptr float, ptr %a, i32 %row
  %v = load <8 x float>, ptr %q
  %w = fmul <8 x float> %v, %j
  %p = getelementptr float, ptr %c, i32 %row
  store <8 x float> %w, ptr %p
  ret void
}

; out[x * 512 + y]: lanes a constant apart, the next row's beside them. Eight rows store whole pieces of out's rows.
; COLUMNS-LABEL: define void @columns(
; COLUMNS-COUNT-8: call void @llvm.masked.scatter
; COLUMNS-NOT: scatter
; COLUMNS: ret void
declare void @llvm.masked.scatter.v8f32.v8p0(<8 x float>, <8 x ptr>, i32, <8 x i1>)
define void @columns(ptr %out, ptr %in) {
  %y = call i32 @lanza.group(i32 1)
  %row = shl i32 %y, 9
  %p = getelementptr float, ptr %in, i32 %row
  %v = load <8 x float>, ptr %p
  %wide = zext i32 %y to i64
  %first = getelementptr [512 x float], ptr %out, i64 0, i64 %wide
  %places = getelementptr [512 x float], ptr %first, <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
  call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %v, <8 x ptr> %places, i32 4, <8 x i1> splat (i1 true))
  ret void
}

; A product, a column a thread: the strip of b that is walked down for each row of a is to stay in a cache.
; AGAIN-LABEL: define void @again(
; AGAIN: inner:
; AGAIN-COUNT-4: load <16 x float>
; AGAIN-NOT: load <16 x float>
; AGAIN: ret void
define void @again(ptr %a, ptr %b, ptr %c, i64 %n) {
entry:
  %g = call i32 @lanza.group(i32 0)
  %column = sext i32 %g to i64
  br label %outer
outer:
  %r = phi i64 [ 0, %entry ], [ %r.next, %row.end ]
  %row = mul nsw i64 %r, %n
  br label %inner
inner:
  %k = phi i64 [ 0, %outer ], [ %k.next, %inner ]
  %sum = phi <16 x float> [ zeroinitializer, %outer ], [ %sum.next, %inner ]
  %i = add nsw i64 %row, %k
  %p = getelementptr inbounds float, ptr %a, i64 %i
  %x = load float, ptr %p
  %x1 = insertelement <16 x float> poison, float %x, i64 0
  %xs = shufflevector <16 x float> %x1, <16 x float> poison, <16 x i32> zeroinitializer
  %down = mul nsw i64 %k, %n
  %j = add nsw i64 %down, %column
  %q = getelementptr inbounds float, ptr %b, i64 %j
  %y = load <16 x float>, ptr %q
  %m = fmul <16 x float> %xs, %y
  %sum.next = fadd <16 x float> %sum, %m
  %k.next = add nsw i64 %k, 1
  %k.more = icmp slt i64 %k.next, %n
  br i1 %k.more, label %inner, label %row.end
row.end:
  %o = add nsw i64 %row, %column
  %to = getelementptr inbounds float, ptr %c, i64 %o
  store <16 x float> %sum.next, ptr %to
  %r.next = add nsw i64 %r, 1
  %r.more = icmp slt i64 %r.next, %n
  br i1 %r.more, label %outer, label %end
end:
  ret void
}

; The greatest of many, with the zeros in order: what has another type only is no work, and four groups wait together.
; EXTREMA-LABEL: define void @extrema(
; EXTREMA: loop:
; EXTREMA-COUNT-4: phi <16 x float>
; EXTREMA-COUNT-4: call <16 x float> @llvm.maxnum.v16f32
; EXTREMA: br i1
declare <16 x float> @llvm.maxnum.v16f32(<16 x float>, <16 x float>)
define void @extrema(ptr %a, ptr %b, ptr %c) {
entry:
  %x = call i32 @lanza.group(i32 0)
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %most = phi <16 x float> [ zeroinitializer, %entry ], [ %more.so, %loop ]
  %p = getelementptr float, ptr %a, i32 %k
  %one = load float, ptr %p
  %first = insertelement <16 x float> poison, float %one, i64 0
  %all = shufflevector <16 x float> %first, <16 x float> poison, <16 x i32> zeroinitializer
  %j = shl i32 %k, 6
  %i = or i32 %j, %x
  %q = getelementptr float, ptr %b, i32 %i
  %v = load <16 x float>, ptr %q
  %s = fadd <16 x float> %all, %v
  %m = call <16 x float> @llvm.maxnum.v16f32(<16 x float> %most, <16 x float> %s)
  %same = fcmp oeq <16 x float> %most, %s
  %bits = bitcast <16 x float> %most to <16 x i32>
  %others = bitcast <16 x float> %s to <16 x i32>
  %both = and <16 x i32> %bits, %others
  %zero = bitcast <16 x i32> %both to <16 x float>
  %more.so = select <16 x i1> %same, <16 x float> %zero, <16 x float> %m
  %next = add nuw nsw i32 %k, 1
  %end = icmp eq i32 %next, 64
  br i1 %end, label %done, label %loop
done:
  %r = getelementptr float, ptr %c, i32 %x
  store <16 x float> %more.so, ptr %r
  ret void
}

; Each row of threads adds up a row of its own: lines come one by one, so none would wait less with others.
; STREAMS-LABEL: define void @streams(
; STREAMS: phi <32 x float>
; STREAMS-NOT: phi <32 x float>
; STREAMS: ret void
;
; From the block's own memory they come at once.
; NEAR-LABEL: define void @streams(
; NEAR-COUNT-4: phi <32 x float>
; NEAR: ret void
declare ptr @shared() nounwind willreturn memory(none)
declare <32 x float> @llvm.fma.v32f32(<32 x float>, <32 x float>, <32 x float>)
define void @streams(ptr %far, ptr %c) {
entry:
  %near = call ptr @shared()
  %y = call i32 @lanza.group(i32 1)
  %row = zext i32 %y to i64
  %first = shl nuw nsw i64 %row, 10
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <32 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %i = add nuw nsw i64 %first, %k
  %p = getelementptr inbounds float, ptr %far, i64 %i
  %v = load <32 x float>, ptr %p
  %sum.next = call <32 x float> @llvm.fma.v32f32(<32 x float> %v, <32 x float> %v, <32 x float> %sum)
  %next = add nuw nsw i64 %k, 32
  %more = icmp ult i64 %next, 1024
  br i1 %more, label %loop, label %done
done:
  %r = getelementptr float, ptr %c, i64 %first
  store <32 x float> %sum.next, ptr %r
  ret void
}
