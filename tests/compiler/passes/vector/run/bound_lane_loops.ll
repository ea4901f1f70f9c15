; RUN: %opt -kernel=first_half -passes=bound-lane-loops %s | %check %s --check-prefix=HALF
; RUN: %opt -kernel=first_half -passes='bound-lane-loops,llvm(instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=SHORT
; RUN: %opt -kernel=runtime_limit -passes=bound-lane-loops %s | %check %s --check-prefix=LIMIT
; RUN: %opt -kernel=one_thread -passes='bound-lane-loops,llvm(instcombine<no-verify-fixpoint>,simplifycfg)' %s | %check %s --check-prefix=ONE
; RUN: %opt -kernel=nobody -passes='bound-lane-loops,llvm(instcombine<no-verify-fixpoint>,simplifycfg)' %s | %check %s --check-prefix=NOBODY
; RUN: %opt -kernel=some_thread -passes=bound-lane-loops %s | %check %s --check-prefix=SOME
; RUN: %opt -kernel=second_half -passes=bound-lane-loops %s | %check %s --check-prefix=SECOND
; RUN: %opt -kernel=counts -passes=bound-lane-loops %s | %check %s --check-prefix=COUNTS
; RUN: %opt -kernel=by_data -passes=bound-lane-loops %s | %check %s --check-prefix=DATA
; RUN: %opt -kernel=idle -passes=drop-idle-lane-loops %s | %check %s --check-prefix=IDLE
; RUN: %opt -kernel=counted -passes=drop-idle-lane-loops %s | %check %s --check-prefix=COUNTED
; RUN: %opt -kernel=idle_rows -passes=drop-idle-lane-loops %s | %check %s --check-prefix=ROWS
; RUN: %opt -kernel=entered_by_choice -passes=drop-idle-lane-loops %s | %check %s --check-prefix=CHOICE
; RUN: %opt -kernel=shared_exit -passes=drop-idle-lane-loops %s | %check %s --check-prefix=EXIT
; RUN: %opt -kernel=first_rows -passes=bound-lane-loops %s | %check %s --check-prefix=FIRST-ROWS
; RUN: %opt -kernel=one_row -passes='bound-lane-loops,llvm(instcombine<no-verify-fixpoint>,simplifycfg)' %s | %check %s --check-prefix=ONE-ROW
; RUN: %opt -kernel=written_rows -passes=bound-lane-loops %s | %check %s --check-prefix=WRITTEN
; RUN: %opt -kernel=all_or_some -passes=bound-lane-loops %s | %check %s --check-prefix=SOME-OF
; RUN: %opt -kernel=other -passes=bound-lane-loops %s | %check %s --check-prefix=OTHER
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; HALF-LABEL: @first_half(
; HALF: br i1 true, label %work, label %latch
; HALF: %next = add nuw nsw i64 %lane, 16
; HALF: [[WORKS:%.*]] = icmp ult i64 %next, 512
; HALF: [[GOES:%.*]] = and i1 %more, [[WORKS]]
; HALF: br i1 [[GOES]], label %group, label %done
; SHORT-LABEL: @first_half(
; SHORT: icmp {{.*}}, 496
; SHORT-NOT: 1008
; SHORT: ret void
define void @first_half(ptr %x) {
entry:
  br label %group
group:
  %lane = phi i64 [ 0, %entry ], [ %next, %latch ]
  %in = icmp ult i64 %lane, 512
  br i1 %in, label %work, label %latch
work:
  %to = getelementptr float, ptr %x, i64 %lane
  store <16 x float> zeroinitializer, ptr %to
  br label %latch
latch:
  %next = add nuw nsw i64 %lane, 16
  %more = icmp ult i64 %lane, 1008
  br i1 %more, label %group, label %done, !llvm.loop !0
done:
  ret void
}

; Whether the first group works tells in front of the loop whether any does.
; LIMIT-LABEL: @runtime_limit(
; LIMIT: [[ANY:%.*]] = icmp ult i64 0, %limit
; LIMIT: group:
; LIMIT: br i1 [[ANY]], label %work, label %latch
; LIMIT: latch:
; LIMIT: [[WORKS:%.*]] = icmp ult i64 %next, %limit
; LIMIT: [[GOES:%.*]] = and i1 %more, [[WORKS]]
; LIMIT: br i1 [[GOES]], label %group, label %done
define void @runtime_limit(ptr %x, i64 %limit) {
entry:
  br label %group
group:
  %lane = phi i64 [ 0, %entry ], [ %next, %latch ]
  %in = icmp ult i64 %lane, %limit
  br i1 %in, label %work, label %latch
work:
  %to = getelementptr float, ptr %x, i64 %lane
  store <16 x float> zeroinitializer, ptr %to
  br label %latch
latch:
  %next = add nuw nsw i64 %lane, 16
  %more = icmp ult i64 %lane, 1008
  br i1 %more, label %group, label %done, !llvm.loop !0
done:
  ret void
}

; Only the group of one thread works: no loop is left.
; ONE-LABEL: @one_thread(
; ONE-NOT: phi
; ONE: store <16 x float> zeroinitializer, ptr
; ONE-NEXT: ret void
define void @one_thread(ptr %x) {
entry:
  br label %group
group:
  %lane = phi i64 [ 0, %entry ], [ %next, %latch ]
  %in = icmp eq i64 %lane, 48
  br i1 %in, label %work, label %latch
work:
  %to = getelementptr float, ptr %x, i64 %lane
  store <16 x float> zeroinitializer, ptr %to
  br label %latch
latch:
  %next = add nuw nsw i64 %lane, 16
  %more = icmp ult i64 %lane, 1008
  br i1 %more, label %group, label %done, !llvm.loop !0
done:
  ret void
}

; No group begins there.
; NOBODY-LABEL: @nobody(
; NOBODY-NOT: store
; NOBODY: ret void
define void @nobody(ptr %x) {
entry:
  br label %group
group:
  %lane = phi i64 [ 0, %entry ], [ %next, %latch ]
  %in = icmp eq i64 %lane, 1024
  br i1 %in, label %work, label %latch
work:
  %to = getelementptr float, ptr %x, i64 %lane
  store <16 x float> zeroinitializer, ptr %to
  br label %latch
latch:
  %next = add nuw nsw i64 %lane, 16
  %more = icmp ult i64 %lane, 1008
  br i1 %more, label %group, label %done, !llvm.loop !0
done:
  ret void
}

; Where only the run tells which group it is, the loop begins with it, if it is one of them, and ends behind it.
; SOME-LABEL: @some_thread(
; SOME: [[WAY:%.*]] = sub i64 %t, %first
; SOME: [[TURN:%.*]] = call i64 @llvm.fshr.i64(i64 [[WAY]], i64 [[WAY]], i64 4)
; SOME: [[THERE:%.*]] = icmp ult i64 [[TURN]], 64
; SOME: [[START:%.*]] = select i1 [[THERE]], i64 {{.*}}, i64 0
; SOME: [[NOT:%.*]] = xor i1 [[THERE]], true
; SOME: phi i64 [ [[START]], %entry ]
; SOME: br i1 [[NOT]], label %latch, label %work
; SOME: br i1 false, label %group, label %done
define void @some_thread(ptr %x, i64 %first, i64 %t) {
entry:
  br label %group
group:
  %lane = phi i64 [ 0, %entry ], [ %next, %latch ]
  %index = add i64 %first, %lane
  %out = icmp ne i64 %t, %index
  br i1 %out, label %latch, label %work
work:
  %to = getelementptr float, ptr %x, i64 %lane
  store <16 x float> zeroinitializer, ptr %to
  br label %latch
latch:
  %next = add nuw nsw i64 %lane, 16
  %more = icmp ult i64 %lane, 1008
  br i1 %more, label %group, label %done, !llvm.loop !0
done:
  ret void
}

; What works later, counts, or depends on memory, goes to the end; so does a loop that is none over groups or rows.
; SECOND-LABEL: @second_half(
; SECOND: br i1 %more, label %group, label %done
define void @second_half(ptr %x) {
entry:
  br label %group
group:
  %lane = phi i64 [ 0, %entry ], [ %next, %latch ]
  %out = icmp ult i64 %lane, 512
  br i1 %out, label %latch, label %work
work:
  %to = getelementptr float, ptr %x, i64 %lane
  store <16 x float> zeroinitializer, ptr %to
  br label %latch
latch:
  %next = add nuw nsw i64 %lane, 16
  %more = icmp ult i64 %lane, 1008
  br i1 %more, label %group, label %done, !llvm.loop !0
done:
  ret void
}

; COUNTS-LABEL: @counts(
; COUNTS: br i1 %more, label %group, label %done
define i64 @counts(ptr %x, i64 %by) {
entry:
  br label %group
group:
  %lane = phi i64 [ 0, %entry ], [ %next, %latch ]
  %product = phi i64 [ 1, %entry ], [ %times, %latch ]
  %in = icmp ult i64 %lane, 512
  br i1 %in, label %work, label %latch
work:
  %to = getelementptr i64, ptr %x, i64 %lane
  store i64 %product, ptr %to
  br label %latch
latch:
  %times = mul i64 %product, %by
  %next = add nuw nsw i64 %lane, 16
  %more = icmp ult i64 %lane, 1008
  br i1 %more, label %group, label %done, !llvm.loop !0
done:
  %last = phi i64 [ %times, %latch ]
  ret i64 %last
}

; DATA-LABEL: @by_data(
; DATA: br i1 %more, label %group, label %done
define void @by_data(ptr %x) {
entry:
  br label %group
group:
  %lane = phi i64 [ 0, %entry ], [ %next, %latch ]
  %limit = load i64, ptr %x
  %in = icmp ult i64 %lane, %limit
  br i1 %in, label %work, label %latch
work:
  %to = getelementptr float, ptr %x, i64 %lane
  store <16 x float> zeroinitializer, ptr %to
  br label %latch
latch:
  %next = add nuw nsw i64 %lane, 16
  %more = icmp ult i64 %lane, 1008
  br i1 %more, label %group, label %done, !llvm.loop !0
done:
  ret void
}

; Rows of one group each: a row that does nothing need not be noted. What was asked of a frozen value still is.
; FIRST-ROWS-LABEL: @first_rows(
; FIRST-ROWS: [[FIRST:%.*]] = icmp ult i32 0, %limit
; FIRST-ROWS: [[ANY:%.*]] = freeze i1 [[FIRST]]
; FIRST-ROWS: store volatile i32 %row, ptr %note
; FIRST-ROWS: br i1 [[ANY]], label %work, label %latch
; FIRST-ROWS: [[NEXT:%.*]] = icmp ult i32 %next, %limit
; FIRST-ROWS: [[WORKS:%.*]] = freeze i1 [[NEXT]]
; FIRST-ROWS: [[GOES:%.*]] = and i1 %more, [[WORKS]]
; FIRST-ROWS: br i1 [[GOES]], label %rows, label %done
define void @first_rows(ptr %launch, ptr %block, ptr %x, i32 %limit) {
entry:
  %note = getelementptr i8, ptr %block, i64 104
  br label %rows
rows:
  %row = phi i32 [ 0, %entry ], [ %next, %latch ]
  store volatile i32 %row, ptr %note
  %in = icmp ult i32 %row, %limit
  %asked = freeze i1 %in
  br i1 %asked, label %work, label %latch
work:
  %to = getelementptr <16 x float>, ptr %x, i32 %row
  store <16 x float> zeroinitializer, ptr %to
  br label %latch
latch:
  %next = add nuw nsw i32 %row, 1
  %more = icmp ult i32 %row, 15
  br i1 %more, label %rows, label %done, !llvm.loop !10
done:
  ret void
}

; ONE-ROW-LABEL: @one_row(
; ONE-ROW-NOT: phi
; ONE-ROW: store volatile i32 0, ptr
; ONE-ROW: store <16 x float> zeroinitializer, ptr %x
; ONE-ROW-NEXT: ret void
define void @one_row(ptr %launch, ptr %block, ptr %x) {
entry:
  %note = getelementptr i8, ptr %block, i64 104
  br label %rows
rows:
  %row = phi i32 [ 0, %entry ], [ %next, %latch ]
  store volatile i32 %row, ptr %note
  %in = icmp eq i32 %row, 0
  br i1 %in, label %work, label %latch
work:
  %to = getelementptr <16 x float>, ptr %x, i32 %row
  store <16 x float> zeroinitializer, ptr %to
  br label %latch
latch:
  %next = add nuw nsw i32 %row, 1
  %more = icmp ult i32 %row, 15
  br i1 %more, label %rows, label %done, !llvm.loop !10
done:
  ret void
}

; A store of the kernel's is no note.
; WRITTEN-LABEL: @written_rows(
; WRITTEN: br i1 %more, label %rows, label %done
define void @written_rows(ptr %launch, ptr %block) {
entry:
  %x = load ptr, ptr %launch
  br label %rows
rows:
  %row = phi i32 [ 0, %entry ], [ %next, %latch ]
  store volatile i32 %row, ptr %x
  %in = icmp ult i32 %row, 8
  br i1 %in, label %work, label %latch
work:
  %to = getelementptr <16 x float>, ptr %x, i32 %row
  store <16 x float> zeroinitializer, ptr %to
  br label %latch
latch:
  %next = add nuw nsw i32 %row, 1
  %more = icmp ult i32 %row, 15
  br i1 %more, label %rows, label %done, !llvm.loop !10
done:
  ret void
}

; OTHER-LABEL: @other(
; OTHER: br i1 %more, label %group, label %done
define void @other(ptr %x) {
entry:
  br label %group
group:
  %lane = phi i64 [ 0, %entry ], [ %next, %latch ]
  %in = icmp ult i64 %lane, 512
  br i1 %in, label %work, label %latch
work:
  %to = getelementptr float, ptr %x, i64 %lane
  store <16 x float> zeroinitializer, ptr %to
  br label %latch
latch:
  %next = add nuw nsw i64 %lane, 16
  %more = icmp ult i64 %lane, 1008
  br i1 %more, label %group, label %done
done:
  ret void
}

; A loop over groups that does nothing goes; a thread's endless loop stays, even where LLVM may take it for impossible.
; IDLE-LABEL: @idle(
; IDLE-NOT: %lane = phi
; IDLE: endless:
; IDLE-NEXT: br label %endless
define void @idle() mustprogress {
entry:
  br label %group
group:
  %lane = phi i64 [ 0, %entry ], [ %next, %group ]
  %next = add nuw nsw i64 %lane, 16
  %more = icmp ult i64 %lane, 1008
  br i1 %more, label %group, label %done, !llvm.loop !0
done:
  br label %endless
endless:
  br label %endless
}

; Rows of idle groups: to say which row runs is nothing. What a kernel writes is.
; ROWS-LABEL: @idle_rows(
; ROWS-NOT: %row = phi
; ROWS: %other = phi
; ROWS: store volatile i32 %other, ptr %x
define void @idle_rows(ptr %launch, ptr %block) {
entry:
  %note = getelementptr i8, ptr %block, i64 104
  %x = load ptr, ptr %launch
  br label %row_of_groups
row_of_groups:
  %row = phi i32 [ 0, %entry ], [ %next, %end_of_row ]
  store volatile i32 %row, ptr %note
  br label %group
group:
  %lane = phi i64 [ 0, %row_of_groups ], [ %lane_next, %group ]
  %lane_next = add nuw nsw i64 %lane, 16
  %lanes = icmp ult i64 %lane_next, 32
  br i1 %lanes, label %group, label %end_of_row, !llvm.loop !0
end_of_row:
  %next = add nuw nsw i32 %row, 1
  %more = icmp ult i32 %next, 16
  br i1 %more, label %row_of_groups, label %others, !llvm.loop !10
others:
  br label %written
written:
  %other = phi i32 [ 0, %others ], [ %other_next, %written ]
  store volatile i32 %other, ptr %x
  %other_next = add nuw nsw i32 %other, 1
  %others_more = icmp ult i32 %other_next, 16
  br i1 %others_more, label %written, label %done, !llvm.loop !11
done:
  ret void
}

; A branch may lead right into an idle loop.
; CHOICE-LABEL: @entered_by_choice(
; CHOICE-NOT: phi
; CHOICE: store float
; CHOICE: ret void
define void @entered_by_choice(ptr %x, i1 %way) {
entry:
  br i1 %way, label %group, label %other
group:
  %lane = phi i64 [ 0, %entry ], [ %next, %group ]
  %next = add nuw nsw i64 %lane, 16
  %more = icmp ult i64 %lane, 1008
  br i1 %more, label %group, label %done, !llvm.loop !0
other:
  store float 1.0, ptr %x
  br label %done
done:
  ret void
}

; What the loop counts is wanted behind it.
; COUNTED-LABEL: @counted(
; COUNTED: %lane = phi
; COUNTED: ret i64 %sum
define i64 @counted(i64 %each) {
entry:
  br label %group
group:
  %lane = phi i64 [ 0, %entry ], [ %next, %group ]
  %before = phi i64 [ 0, %entry ], [ %sum, %group ]
  %sum = add i64 %before, %each
  %next = add nuw nsw i64 %lane, 16
  %more = icmp ult i64 %lane, 1008
  br i1 %more, label %group, label %done, !llvm.loop !0
done:
  ret i64 %sum
}

; Two idle loops lead to one block: what either way brings there stays.
; EXIT-LABEL: @shared_exit(
; EXIT-NOT: icmp
; EXIT: phi float
; EXIT-SAME: [ %b,
; EXIT: store float
define void @shared_exit(ptr %x, i1 %way, float %a, float %b) {
entry:
  br i1 %way, label %before_one, label %before_other
before_one:
  br label %one
one:
  %i = phi i64 [ 0, %before_one ], [ %i_next, %one ]
  %i_next = add nuw nsw i64 %i, 16
  %i_more = icmp ult i64 %i, 1008
  br i1 %i_more, label %one, label %done, !llvm.loop !0
before_other:
  br label %other
other:
  %j = phi i64 [ 0, %before_other ], [ %j_next, %other ]
  %j_next = add nuw nsw i64 %j, 16
  %j_more = icmp ult i64 %j, 1008
  br i1 %j_more, label %other, label %done, !llvm.loop !9
done:
  %value = phi float [ %a, %one ], [ %b, %other ]
  store float %value, ptr %x
  ret void
}

; Groups that all pass, the one that passes in part, and those behind it, which do nothing.
; SOME-OF-LABEL: @all_or_some(
; SOME-OF: latch:
; SOME-OF: [[LAST:%.*]] = add i64 %next, 15
; SOME-OF: [[ALL:%.*]] = icmp ult i64 [[LAST]], %limit
; SOME-OF: [[FIRST:%.*]] = icmp ult i64 %next, %limit
; SOME-OF: [[ANY:%.*]] = or i1 [[ALL]], [[FIRST]]
; SOME-OF: [[GOES:%.*]] = and i1 %more, [[ANY]]
; SOME-OF: br i1 [[GOES]], label %group, label %done
define void @all_or_some(ptr %x, i64 %limit) {
entry:
  br label %group
group:
  %lane = phi i64 [ 0, %entry ], [ %next, %latch ]
  %last = add nuw nsw i64 %lane, 15
  %all = icmp ult i64 %last, %limit
  br i1 %all, label %whole, label %ask
ask:
  %some = icmp ult i64 %lane, %limit
  br i1 %some, label %part, label %latch
whole:
  %to = getelementptr float, ptr %x, i64 %lane
  store <16 x float> zeroinitializer, ptr %to
  br label %latch
part:
  %there = getelementptr float, ptr %x, i64 %lane
  store <8 x float> zeroinitializer, ptr %there
  br label %latch
latch:
  %next = add nuw nsw i64 %lane, 16
  %more = icmp ult i64 %lane, 1008
  br i1 %more, label %group, label %done, !llvm.loop !0
done:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"lanza.lanes"}
!9 = distinct !{!9, !1}
!10 = distinct !{!10, !12}
!11 = distinct !{!11, !12}
!12 = !{!"lanza.rows"}
