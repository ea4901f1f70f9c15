; RUN: %opt -kernel=below -passes=prove-counters %s | %check %s --check-prefix=BELOW
; RUN: %opt -kernel=to_last -passes=prove-counters %s | %check %s --check-prefix=LAST
; RUN: %opt -kernel=no_sign -passes=prove-counters %s | %check %s --check-prefix=NOSIGN
; RUN: %opt -kernel=may_wrap -passes=prove-counters %s | %check %s --check-prefix=WRAPS
; RUN: %opt -kernel=two_exits -passes=prove-counters %s | %check %s --check-prefix=EXITS
; RUN: %opt -kernel=waits -passes=prove-counters %s | %check %s --check-prefix=WAITS
; RUN: %opt -kernel=not_asked -passes=prove-counters %s | %check %s --check-prefix=ASKED
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; for (int i = tid + 1; i < n; i += blockDim.x) x[i] = 0;
; BELOW-LABEL: @below(
; BELOW: %next = add nsw i32 %i, 128
define void @below(ptr %x, i32 %n) mustprogress {
  %t = call range(i32 0, 128) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = add nuw nsw i32 %t, 1
  %any = icmp slt i32 %start, %n
  br i1 %any, label %before, label %end
before:
  br label %loop
loop:
  %i = phi i32 [ %start, %before ], [ %next, %loop ]
  %at = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %at
  store float 0.0, ptr %p
  %next = add i32 %i, 128
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; tid < n says that tid + 1 <= n.
; LAST-LABEL: @to_last(
; LAST: %next = add nsw i32 %i, 128
define void @to_last(ptr %x, i32 %n) mustprogress {
  %t = call range(i32 0, 128) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %any = icmp slt i32 %t, %n
  br i1 %any, label %before, label %end
before:
  %start = add nuw nsw i32 %t, 1
  br label %loop
loop:
  %i = phi i32 [ %start, %before ], [ %next, %loop ]
  %at = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %at
  store float 0.0, ptr %p
  %next = add i32 %i, 128
  %gone = icmp sgt i32 %next, %n
  br i1 %gone, label %end, label %loop
end:
  ret void
}

; NOSIGN-LABEL: @no_sign(
; NOSIGN: %next = add nuw i32 %i, 128
define void @no_sign(ptr %x, i32 %n, i32 %start) mustprogress {
  %any = icmp ult i32 %start, %n
  br i1 %any, label %before, label %end
before:
  br label %loop
loop:
  %i = phi i32 [ %start, %before ], [ %next, %loop ]
  %at = zext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %at
  store float 0.0, ptr %p
  %next = add i32 %i, 128
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Steps of 96 come by other numbers when they have wrapped, and end by one of them.
; WRAPS-LABEL: @may_wrap(
; WRAPS: %next = add i32 %i, 96
define void @may_wrap(ptr %x, i32 %n, i32 %start) mustprogress {
  %any = icmp slt i32 %start, %n
  br i1 %any, label %before, label %end
before:
  br label %loop
loop:
  %i = phi i32 [ %start, %before ], [ %next, %loop ]
  %at = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %at
  store float 0.0, ptr %p
  %next = add i32 %i, 96
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; EXITS-LABEL: @two_exits(
; EXITS: %next = add i32 %i, 128
define void @two_exits(ptr %x, i32 %n, i32 %start) mustprogress {
  %any = icmp slt i32 %start, %n
  br i1 %any, label %before, label %end
before:
  br label %loop
loop:
  %i = phi i32 [ %start, %before ], [ %next, %latch ]
  %at = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %at
  %v = load float, ptr %p
  %found = fcmp oeq float %v, 0.0
  br i1 %found, label %end, label %latch
latch:
  %next = add i32 %i, 128
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; What others see while it runs may go on for ever.
; WAITS-LABEL: @waits(
; WAITS: %next = add i32 %i, 128
define void @waits(ptr %x, i32 %n, i32 %start) mustprogress {
  %any = icmp slt i32 %start, %n
  br i1 %any, label %before, label %end
before:
  br label %loop
loop:
  %i = phi i32 [ %start, %before ], [ %next, %loop ]
  %at = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %at
  store volatile float 0.0, ptr %p
  %next = add i32 %i, 128
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The first number may be any: one that wraps may end the loop at once.
; ASKED-LABEL: @not_asked(
; ASKED: %next = add i32 %i, 128
define void @not_asked(ptr %x, i32 %n, i32 %start) mustprogress {
  br label %loop
loop:
  %i = phi i32 [ %start, %0 ], [ %next, %loop ]
  %at = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %at
  store float 0.0, ptr %p
  %next = add i32 %i, 128
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
