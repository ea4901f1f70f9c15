; RUN: %opt -kernel=index -passes=wide-indices %s | %check %s --check-prefix=INDEX
; RUN: %opt -kernel=index -passes='wide-indices,llvm(loop-simplify,lcssa,loop-mssa(licm))' %s | %check %s --check-prefix=MOVED
; RUN: %opt -kernel=unsigned_index -passes=wide-indices %s | %check %s --check-prefix=UNSIGNED
; RUN: %opt -kernel=offset -passes=wide-indices %s | %check %s --check-prefix=OFFSET
; RUN: %opt -kernel=may_wrap -passes=wide-indices %s | %check %s --check-prefix=WRAPS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; What the loop does not change is extended in front of it, and the counter has 64 bits.
; INDEX-LABEL: @index(
; INDEX: [[LANE:%.*]] = phi i64 [ 0, %entry ]
; INDEX: [[FIRST:%.*]] = sext i32 %first to i64
; INDEX: add nsw i64 [[FIRST]], [[LANE]]
; INDEX: icmp ult i64 [[LANE]], 1008
; INDEX: ret void
; MOVED-LABEL: @index(
; MOVED: sext i32 %first to i64
; MOVED: group:
; MOVED-NOT: sext
; MOVED: ret void
define void @index(i32 %first, ptr %x) {
entry:
  br label %group
group:
  %lane = phi i32 [ 0, %entry ], [ %next, %group ]
  %i = add nsw i32 %first, %lane
  %wide = sext i32 %i to i64
  %to = getelementptr float, ptr %x, i64 %wide
  store <16 x float> zeroinitializer, ptr %to
  %next = add nuw nsw i32 %lane, 16
  %more = icmp ult i32 %lane, 1008
  br i1 %more, label %group, label %done
done:
  ret void
}

; The same without a sign, and step by step: what is left of the sum is the counter.
; UNSIGNED-LABEL: @unsigned_index(
; UNSIGNED: phi i64
; UNSIGNED-DAG: zext i32 %first to i64
; UNSIGNED-DAG: zext i32 %second to i64
; UNSIGNED: add nuw nsw i64
; UNSIGNED: add nuw nsw i64
define void @unsigned_index(i32 %first, i32 %second, ptr %x) {
entry:
  br label %group
group:
  %lane = phi i32 [ 0, %entry ], [ %next, %group ]
  %j = add nuw i32 %first, %lane
  %i = add nuw i32 %second, %j
  %wide = zext i32 %i to i64
  %to = getelementptr float, ptr %x, i64 %wide
  store <16 x float> zeroinitializer, ptr %to
  %next = add nuw nsw i32 %lane, 16
  %more = icmp ult i32 %lane, 1008
  br i1 %more, label %group, label %done
done:
  ret void
}

; Bits that are not set in the other operand are a sum. A constant becomes part of the address.
; OFFSET-LABEL: @offset(
; OFFSET: [[WIDE:%.*]] = phi i64
; OFFSET: add nsw i64 [[WIDE]], 16
define void @offset(ptr %x) {
entry:
  br label %group
group:
  %lane = phi i32 [ 0, %entry ], [ %next, %group ]
  %i = or disjoint i32 %lane, 16
  %wide = sext i32 %i to i64
  %to = getelementptr float, ptr %x, i64 %wide
  store <16 x float> zeroinitializer, ptr %to
  %next = add nuw nsw i32 %lane, 32
  %more = icmp ult i32 %lane, 992
  br i1 %more, label %group, label %done
done:
  ret void
}

; A sum that may wrap stays, and so does one that all of changes.
; WRAPS-LABEL: @may_wrap(
; WRAPS: %wide = zext i32 %i to i64
; WRAPS: %wide2 = zext i32 %twice to i64
define void @may_wrap(i32 %first, ptr %x) {
entry:
  br label %group
group:
  %lane = phi i32 [ 0, %entry ], [ %next, %group ]
  %i = add nsw i32 %first, %lane
  %wide = zext i32 %i to i64
  %twice = add nuw i32 %lane, %lane
  %wide2 = zext i32 %twice to i64
  %sum = add i64 %wide, %wide2
  %to = getelementptr float, ptr %x, i64 %sum
  store <16 x float> zeroinitializer, ptr %to
  %next = add nuw nsw i32 %lane, 16
  %more = icmp ult i32 %lane, 1008
  br i1 %more, label %group, label %done
done:
  ret void
}
