; RUN: %opt -kernel=below -passes=inside-loops %s | %check %s --check-prefix=BELOW
; RUN: %opt -kernel=between -passes=inside-loops %s | %check %s --check-prefix=BETWEEN
; RUN: %opt -kernel=step -passes=inside-loops %s | %check %s --check-prefix=STEP
; RUN: %opt -kernel=rarely -passes=inside-loops %s | %check %s --check-prefix=RARELY
; RUN: %opt -kernel=long -passes=inside-loops %s | %check %s --check-prefix=LONG
; RUN: %opt -kernel=beyond -passes=inside-loops %s | %check %s --check-prefix=BEYOND
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Groups below the limit have a loop of their own, with an index of 64 bits; others go on as before.
; BELOW-LABEL: define void @below(
; BELOW: group:
; BELOW: [[LANE:%.*]] = phi i32 [ 0, %{{.*}} ], [ [[NEXT:%.*]], %latch ]
; BELOW: br i1 {{.*}}, label %[[BEGIN:.*]], label %edge
; BELOW: [[BEGIN]]:
; BELOW: [[FIRST:%.*]] = zext i32 [[LANE]] to i64
; BELOW: call i64 @llvm.usub.sat.i64
; BELOW: [[LAST:%.*]] = sub i64 {{.*}}, 1
; BELOW: [[LEFT:%.*]] = sub i64 [[LAST]], {{.*}}
; BELOW: lshr i64 [[LEFT]], 4
; BELOW: call i64 @llvm.umin.i64
; BELOW: [[START:%.*]] = getelementptr float, ptr %p, i64
; BELOW: [[COUNTER:%.*]] = phi i64 [ [[FIRST]], %[[BEGIN]] ]
; BELOW-NOT: icmp
; BELOW: getelementptr float, ptr [[START]], i64 [[COUNTER]]
; BELOW: add nuw i64 [[COUNTER]], 16
; BELOW: br i1 {{.*}}, label %{{.*}}, label %latch, !llvm.loop
; BELOW: latch:
; BELOW: [[DONE:%.*]] = phi i32
; BELOW: [[NEXT]] = add nuw i32 [[DONE]], 16
define void @below(ptr %p, i32 %base, i32 %n, i32 %end) {
  br label %group
group:
  %lane = phi i32 [ 0, %0 ], [ %next, %latch ]
  %index = add i32 %base, %lane
  %last = or disjoint i32 %index, 15
  %in = icmp slt i32 %last, %n
  br i1 %in, label %inside, label %edge
inside:
  %wide = sext i32 %index to i64
  %q = getelementptr float, ptr %p, i64 %wide
  %v = load <16 x float>, ptr %q, align 4
  %w = fadd <16 x float> %v, %v
  store <16 x float> %w, ptr %q, align 4
  br label %latch
edge:
  call void @rest(i32 %index)
  br label %latch
latch:
  %next = add nuw i32 %lane, 16
  %more = icmp ult i32 %next, %end
  br i1 %more, label %group, label %done, !llvm.loop !0
done:
  ret void
}

; The lower end is asked once, the upper one counted.
; BETWEEN-LABEL: define void @between(
; BETWEEN: br i1 {{.*}}, label %[[BEGIN:.*]], label %latch
; BETWEEN: [[BEGIN]]:
; BETWEEN: sub i64 2147483647, {{.*}}
; BETWEEN: phi i64
; BETWEEN-NOT: icmp s
; BETWEEN: store <16 x float>
define void @between(ptr %p, i32 %base, i32 %n, i32 %end) {
  br label %group
group:
  %lane = phi i32 [ 0, %0 ], [ %next, %latch ]
  %index = add i32 %base, %lane
  %last = or disjoint i32 %index, 15
  %over = icmp sgt i32 %index, 0
  %below = icmp slt i32 %last, %n
  %in = and i1 %over, %below
  br i1 %in, label %inside, label %latch
inside:
  %wide = sext i32 %index to i64
  %q = getelementptr float, ptr %p, i64 %wide
  store <16 x float> zeroinitializer, ptr %q, align 4
  br label %latch
latch:
  %next = add nuw i32 %lane, 16
  %more = icmp ult i32 %next, %end
  br i1 %more, label %group, label %done, !llvm.loop !0
done:
  ret void
}

; What is asked is no affine index.
; STEP-LABEL: define void @step(
; STEP-NOT: phi i64
; STEP: ret void
define void @step(ptr %p, i32 %base, i32 %n, i32 %end) {
  br label %group
group:
  %lane = phi i32 [ 0, %0 ], [ %next, %latch ]
  %index = xor i32 %base, %lane
  %in = icmp slt i32 %index, %n
  br i1 %in, label %inside, label %latch
inside:
  %wide = sext i32 %index to i64
  %q = getelementptr float, ptr %p, i64 %wide
  store <16 x float> zeroinitializer, ptr %q, align 4
  br label %latch
latch:
  %next = add nuw i32 %lane, 16
  %more = icmp ult i32 %next, %end
  br i1 %more, label %group, label %done, !llvm.loop !0
done:
  ret void
}

; What seldom runs does not make a body long.
; RARELY-LABEL: define void @rarely(
; RARELY: phi i64
; RARELY: ret void
define void @rarely(ptr %p, i32 %base, i32 %n, i32 %end) {
  br label %group
group:
  %lane = phi i32 [ 0, %0 ], [ %next, %latch ]
  %index = add i32 %base, %lane
  %in = icmp slt i32 %index, %n
  br i1 %in, label %inside, label %latch
inside:
  %wide = sext i32 %index to i64
  %q = getelementptr float, ptr %p, i64 %wide
  %v0 = load <16 x float>, ptr %q, align 4
  %zeros = fcmp oeq <16 x float> %v0, zeroinitializer
  %bits = bitcast <16 x i1> %zeros to i16
  %none = icmp eq i16 %bits, 0
  br i1 %none, label %latch, label %rare
rare:
  %v1 = fadd <16 x float> %v0, %v0
  %v2 = fmul <16 x float> %v1, %v0
  %v3 = fadd <16 x float> %v2, %v1
  %v4 = fmul <16 x float> %v3, %v2
  %v5 = fadd <16 x float> %v4, %v3
  %v6 = fmul <16 x float> %v5, %v4
  %v7 = fadd <16 x float> %v6, %v5
  %v8 = fmul <16 x float> %v7, %v6
  %v9 = fadd <16 x float> %v8, %v7
  %v10 = fmul <16 x float> %v9, %v8
  %v11 = fadd <16 x float> %v10, %v9
  %v12 = fmul <16 x float> %v11, %v10
  %v13 = fadd <16 x float> %v12, %v11
  %v14 = fmul <16 x float> %v13, %v12
  %v15 = fadd <16 x float> %v14, %v13
  %v16 = fmul <16 x float> %v15, %v14
  %v17 = fadd <16 x float> %v16, %v15
  %v18 = fmul <16 x float> %v17, %v16
  %v19 = fadd <16 x float> %v18, %v17
  %v20 = fmul <16 x float> %v19, %v18
  %v21 = fadd <16 x float> %v20, %v19
  %v22 = fmul <16 x float> %v21, %v20
  %v23 = fadd <16 x float> %v22, %v21
  %v24 = fmul <16 x float> %v23, %v22
  %v25 = fadd <16 x float> %v24, %v23
  %v26 = fmul <16 x float> %v25, %v24
  %v27 = fadd <16 x float> %v26, %v25
  %v28 = fmul <16 x float> %v27, %v26
  %v29 = fadd <16 x float> %v28, %v27
  %v30 = fmul <16 x float> %v29, %v28
  %v31 = fadd <16 x float> %v30, %v29
  %v32 = fmul <16 x float> %v31, %v30
  %v33 = fadd <16 x float> %v32, %v31
  %v34 = fmul <16 x float> %v33, %v32
  store <16 x float> %v34, ptr %q, align 4
  br label %latch
latch:
  %next = add nuw i32 %lane, 16
  %more = icmp ult i32 %next, %end
  br i1 %more, label %group, label %done, !llvm.loop !0
done:
  ret void
}

; The question is little of the work.
; LONG-LABEL: define void @long(
; LONG-NOT: phi i64
; LONG: ret void
define void @long(ptr %p, i32 %base, i32 %n, i32 %end) {
  br label %group
group:
  %lane = phi i32 [ 0, %0 ], [ %next, %latch ]
  %index = add i32 %base, %lane
  %in = icmp slt i32 %index, %n
  br i1 %in, label %inside, label %latch
inside:
  %wide = sext i32 %index to i64
  %q = getelementptr float, ptr %p, i64 %wide
  %v0 = load <16 x float>, ptr %q, align 4
  %v1 = fadd <16 x float> %v0, %v0
  %v2 = fmul <16 x float> %v1, %v0
  %v3 = fadd <16 x float> %v2, %v1
  %v4 = fmul <16 x float> %v3, %v2
  %v5 = fadd <16 x float> %v4, %v3
  %v6 = fmul <16 x float> %v5, %v4
  %v7 = fadd <16 x float> %v6, %v5
  %v8 = fmul <16 x float> %v7, %v6
  %v9 = fadd <16 x float> %v8, %v7
  %v10 = fmul <16 x float> %v9, %v8
  %v11 = fadd <16 x float> %v10, %v9
  %v12 = fmul <16 x float> %v11, %v10
  %v13 = fadd <16 x float> %v12, %v11
  %v14 = fmul <16 x float> %v13, %v12
  %v15 = fadd <16 x float> %v14, %v13
  %v16 = fmul <16 x float> %v15, %v14
  %v17 = fadd <16 x float> %v16, %v15
  %v18 = fmul <16 x float> %v17, %v16
  %v19 = fadd <16 x float> %v18, %v17
  %v20 = fmul <16 x float> %v19, %v18
  %v21 = fadd <16 x float> %v20, %v19
  %v22 = fmul <16 x float> %v21, %v20
  %v23 = fadd <16 x float> %v22, %v21
  %v24 = fmul <16 x float> %v23, %v22
  %v25 = fadd <16 x float> %v24, %v23
  %v26 = fmul <16 x float> %v25, %v24
  %v27 = fadd <16 x float> %v26, %v25
  %v28 = fmul <16 x float> %v27, %v26
  %v29 = fadd <16 x float> %v28, %v27
  %v30 = fmul <16 x float> %v29, %v28
  %v31 = fadd <16 x float> %v30, %v29
  %v32 = fmul <16 x float> %v31, %v30
  %v33 = fadd <16 x float> %v32, %v31
  %v34 = fmul <16 x float> %v33, %v32
  store <16 x float> %v34, ptr %q, align 4
  br label %latch
latch:
  %next = add nuw i32 %lane, 16
  %more = icmp ult i32 %next, %end
  br i1 %more, label %group, label %done, !llvm.loop !0
done:
  ret void
}

; Of a loop some of whose lanes are nobody nothing is noted, so that a note of the one inside would stand behind it, too.
; BEYOND-LABEL: define void @beyond(
; BEYOND-DAG: br i1 {{.*}}, label %{{.*}}, label %latch, !llvm.loop [[INSIDE:![0-9]+]]
; BEYOND-DAG: br i1 {{.*}}, label %group, label %done, !llvm.loop [[AROUND:![0-9]+]]
; BEYOND-DAG: [[MARK:![0-9]+]] = !{!"lanza.lanes-beyond"}
; BEYOND-DAG: [[AROUND]] = distinct !{[[AROUND]], [[MARK]]}
; BEYOND-DAG: [[INSIDE]] = distinct !{[[INSIDE]], [[MARK]]}
define void @beyond(ptr %p) {
  br label %group
group:
  %lane = phi i32 [ 0, %0 ], [ %next, %latch ]
  %last = or disjoint i32 %lane, 15
  %in = icmp ult i32 %last, 100
  br i1 %in, label %inside, label %edge
inside:
  %wide = zext i32 %lane to i64
  %q = getelementptr float, ptr %p, i64 %wide
  %v = load <16 x float>, ptr %q, align 4
  %w = fadd <16 x float> %v, %v
  store <16 x float> %w, ptr %q, align 4
  br label %latch
edge:
  call void @rest(i32 %lane)
  br label %latch
latch:
  %next = add nuw i32 %lane, 16
  %more = icmp ult i32 %next, 100
  br i1 %more, label %group, label %done, !llvm.loop !2
done:
  ret void
}

declare void @rest(i32)

!0 = distinct !{!0, !1}
!1 = !{!"lanza.lanes"}
!2 = distinct !{!2, !3}
!3 = !{!"lanza.lanes-beyond"}
