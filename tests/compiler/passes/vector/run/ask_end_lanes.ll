; RUN: %opt -kernel=asks -passes=ask-end-lanes %s | %check %s
; RUN: %opt -kernel=signed_numbers -passes='ask-end-lanes,llvm(verify)' %s | %check %s --check-prefix=SIGNED
; RUN: %opt -kernel=stays -passes=ask-end-lanes %s | %check %s --check-prefix=STAYS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; Any index below a limit: the first one. All: the last one. Above it, the other way round.
; CHECK-LABEL: define void @asks(
; CHECK: %[[ANY:.*]] = icmp uge i32 %first, 250
; CHECK: store i1 %[[ANY]], ptr %p
; CHECK: %[[LAST:.*]] = add nuw i32 %first, 7
; CHECK: %[[ALL:.*]] = icmp ult i32 %[[LAST]], 250
; CHECK: store i1 %[[ALL]], ptr %p
; CHECK: %[[LAST2:.*]] = add nuw i32 %first, 7
; CHECK: %[[ABOVE:.*]] = icmp ugt i32 %[[LAST2]], %limit
; CHECK: store i1 %[[ABOVE]], ptr %p
; CHECK: %[[NOT_ALL:.*]] = icmp ule i32 %first, %limit
; CHECK: store i1 %[[NOT_ALL]], ptr %p
define void @asks(i32 %group, i32 %limit, ptr %p) {
  %first = shl nuw i32 %group, 3
  %in = insertelement <8 x i32> poison, i32 %first, i64 0
  %all_first = shufflevector <8 x i32> %in, <8 x i32> poison, <8 x i32> zeroinitializer
  %index = or disjoint <8 x i32> %all_first, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %below = icmp ult <8 x i32> %index, <i32 250, i32 250, i32 250, i32 250, i32 250, i32 250, i32 250, i32 250>
  %bits = bitcast <8 x i1> %below to i8
  %none = icmp eq i8 %bits, 0
  store i1 %none, ptr %p
  %all = icmp eq i8 %bits, -1
  store i1 %all, ptr %p
  %limit_in = insertelement <8 x i32> poison, i32 %limit, i64 0
  %limits = shufflevector <8 x i32> %limit_in, <8 x i32> poison, <8 x i32> zeroinitializer
  %index2 = add nuw <8 x i32> %all_first, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %above = icmp ugt <8 x i32> %index2, %limits
  %bits2 = bitcast <8 x i1> %above to i8
  %any = icmp ne i8 %bits2, 0
  store i1 %any, ptr %p
  %not_all = icmp ne i8 %bits2, -1
  store i1 %not_all, ptr %p
  ret void
}

; Signed numbers: a group's first index is a multiple of its lanes, so that none of them is beyond the end, or it is
; said that none wraps. What all lanes share may come two ways, as where a loop has gone on for all of them.
; SIGNED-LABEL: define void @signed_numbers(
; SIGNED: rest:
; SIGNED: %[[FIRST:.*]] = phi i32 [ %group, %entry ], [ %more, %loop ]
; SIGNED: %[[NONE:.*]] = icmp sge i32 %[[FIRST]], %limit
; SIGNED: store i1 %[[NONE]], ptr %p
; SIGNED: %[[LAST:.*]] = add nsw i32 %group, 7
; SIGNED: %[[ALL:.*]] = icmp slt i32 %[[LAST]], %limit
; SIGNED: store i1 %[[ALL]], ptr %p
define void @signed_numbers(i32 %group, i32 %limit, i1 %enters, ptr %p) {
entry:
  %limit_in = insertelement <8 x i32> poison, i32 %limit, i64 0
  %limits = shufflevector <8 x i32> %limit_in, <8 x i32> poison, <8 x i32> zeroinitializer
  %in = insertelement <8 x i32> poison, i32 %group, i64 0
  %all_group = shufflevector <8 x i32> %in, <8 x i32> poison, <8 x i32> zeroinitializer
  br i1 %enters, label %loop, label %rest
loop:
  %i = phi i32 [ %group, %entry ], [ %more, %loop ]
  %more = add nuw nsw i32 %i, 256
  %more_in = insertelement <8 x i32> poison, i32 %more, i64 0
  %all_more = shufflevector <8 x i32> %more_in, <8 x i32> poison, <8 x i32> zeroinitializer
  %again = icmp slt i32 %more, %limit
  br i1 %again, label %loop, label %rest
rest:
  %first = phi <8 x i32> [ %all_group, %entry ], [ %all_more, %loop ]
  %index = or disjoint <8 x i32> %first, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %below = icmp slt <8 x i32> %index, %limits
  %bits = bitcast <8 x i1> %below to i8
  %none = icmp eq i8 %bits, 0
  store i1 %none, ptr %p
  %index2 = add nsw <8 x i32> %all_group, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %below2 = icmp slt <8 x i32> %index2, %limits
  %bits2 = bitcast <8 x i1> %below2 to i8
  %all = icmp eq i8 %bits2, -1
  store i1 %all, ptr %p
  ret void
}

; Not where indices may wrap around between two lanes, nor where they are no neighbours, nor where an order of signed
; numbers is asked for of which only those without a sign do not wrap.
; STAYS-LABEL: define void @stays(
; STAYS-COUNT-3: icmp eq i8
define void @stays(i32 %first, i32 %limit, ptr %p) {
  %in = insertelement <8 x i32> poison, i32 %first, i64 0
  %all_first = shufflevector <8 x i32> %in, <8 x i32> poison, <8 x i32> zeroinitializer
  %index = add <8 x i32> %all_first, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %below = icmp ult <8 x i32> %index, <i32 250, i32 250, i32 250, i32 250, i32 250, i32 250, i32 250, i32 250>
  %bits = bitcast <8 x i1> %below to i8
  %none = icmp eq i8 %bits, 0
  store i1 %none, ptr %p
  %apart = add nuw <8 x i32> %all_first, <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %below2 = icmp ult <8 x i32> %apart, <i32 250, i32 250, i32 250, i32 250, i32 250, i32 250, i32 250, i32 250>
  %bits2 = bitcast <8 x i1> %below2 to i8
  %none2 = icmp eq i8 %bits2, 0
  store i1 %none2, ptr %p
  %index3 = add nuw <8 x i32> %all_first, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %below3 = icmp slt <8 x i32> %index3, <i32 250, i32 250, i32 250, i32 250, i32 250, i32 250, i32 250, i32 250>
  %bits3 = bitcast <8 x i1> %below3 to i8
  %none3 = icmp eq i8 %bits3, 0
  store i1 %none3, ptr %p
  ret void
}
