; RUN: %opt -kernel=alike -passes=ask-one-group %s | %check %s --check-prefix=ALIKE
; RUN: %opt -kernel=counts -passes=ask-one-group %s | %check %s --check-prefix=ALL
; RUN: %opt -kernel=by_group -passes=ask-one-group %s | %check %s --check-prefix=ALL
; RUN: %opt -kernel=shifts -passes=ask-one-group %s | %check %s --check-prefix=ALL
; RUN: %opt -kernel=writes -passes=ask-one-group %s | %check %s --check-prefix=ALL
; RUN: %opt -kernel=threads -passes=ask-one-group %s | %check %s --check-prefix=ALL
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; ALL: br i1 %more, label %group, label %done

; Which region comes next, and a size that the block shares: chosen by selects and by branches.
; ALIKE-LABEL: define i32 @alike(
; ALIKE: br i1 false, label %group, label %done
define i32 @alike(i32 %size, i32 %stride, ptr %p) {
entry:
  br label %group
group:
  %lane = phi i64 [ 0, %entry ], [ %next, %join ]
  %region = phi i32 [ 7, %entry ], [ %region_next, %join ]
  %kept = phi i32 [ %stride, %entry ], [ %kept_next, %join ]
  %goes = icmp ult i32 %size, 512
  %twice = shl i32 %size, 1
  %kept_next = select i1 %goes, i32 %twice, i32 %kept
  br i1 %goes, label %short, label %join
short:
  %x = load i32, ptr %p
  br label %join
join:
  %region_next = phi i32 [ %region, %group ], [ %x, %short ]
  %next = add nuw nsw i64 %lane, 16
  %more = icmp ult i64 %next, 1024
  br i1 %more, label %group, label %done, !llvm.loop !0
done:
  %a = phi i32 [ %region_next, %join ]
  %b = phi i32 [ %kept_next, %join ]
  %sum = add i32 %a, %b
  ret i32 %sum
}

; A sum grows with each turn.
define i32 @counts(i32 %size) {
entry:
  br label %group
group:
  %lane = phi i64 [ 0, %entry ], [ %next, %group ]
  %sum = phi i32 [ 0, %entry ], [ %sum_next, %group ]
  %sum_next = add i32 %sum, %size
  %next = add nuw nsw i64 %lane, 16
  %more = icmp ult i64 %next, 1024
  br i1 %more, label %group, label %done, !llvm.loop !0
done:
  %a = phi i32 [ %sum_next, %group ]
  ret i32 %a
}

; The last group decides.
define i32 @by_group(i64 %size, i32 %x) {
entry:
  br label %group
group:
  %lane = phi i64 [ 0, %entry ], [ %next, %group ]
  %kept = phi i32 [ 0, %entry ], [ %kept_next, %group ]
  %is_in = icmp ult i64 %lane, %size
  %kept_next = select i1 %is_in, i32 %kept, i32 %x
  %next = add nuw nsw i64 %lane, 16
  %more = icmp ult i64 %next, 1024
  br i1 %more, label %group, label %done, !llvm.loop !0
done:
  %a = phi i32 [ %kept_next, %group ]
  ret i32 %a
}

; What one turn chose is another value's in the next.
define i32 @shifts(i1 %goes, i32 %x) {
entry:
  br label %group
group:
  %lane = phi i64 [ 0, %entry ], [ %next, %group ]
  %first = phi i32 [ 0, %entry ], [ %x, %group ]
  %second = phi i32 [ 1, %entry ], [ %second_next, %group ]
  %second_next = select i1 %goes, i32 %first, i32 %second
  %next = add nuw nsw i64 %lane, 16
  %more = icmp ult i64 %next, 1024
  br i1 %more, label %group, label %done, !llvm.loop !0
done:
  %a = phi i32 [ %second_next, %group ]
  ret i32 %a
}

define void @writes(ptr %p) {
entry:
  br label %group
group:
  %lane = phi i64 [ 0, %entry ], [ %next, %group ]
  store i32 1, ptr %p
  %next = add nuw nsw i64 %lane, 16
  %more = icmp ult i64 %next, 1024
  br i1 %more, label %group, label %done, !llvm.loop !0
done:
  ret void
}

; A loop of the kernel's own.
define i32 @threads(i32 %size) {
entry:
  br label %group
group:
  %lane = phi i64 [ 0, %entry ], [ %next, %group ]
  %next = add nuw nsw i64 %lane, 16
  %more = icmp ult i64 %next, 1024
  br i1 %more, label %group, label %done
done:
  ret i32 %size
}

!0 = distinct !{!0, !1}
!1 = !{!"lanza.lanes"}
