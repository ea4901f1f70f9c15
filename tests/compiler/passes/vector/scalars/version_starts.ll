; RUN: %opt -kernel=rows -block=128 -lanes=16 -passes=version-starts %s | %check %s --check-prefix=ROWS
; RUN: %opt -kernel=rows -block=128 -lanes=16 -passes=version-starts,"llvm(early-cse)",prepare-control,linearise,widen %s | %check %s --check-prefix=WIDE
; RUN: %opt -kernel=no_sign -block=128 -lanes=16 -passes=version-starts %s | %check %s --check-prefix=NOSIGN
; RUN: %opt -kernel=used -block=128 -lanes=16 -passes=version-starts %s | %check %s --check-prefix=SAME
; RUN: %opt -kernel=may_wrap -block=128 -lanes=16 -passes=version-starts %s | %check %s --check-prefix=SAME
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; for (int i = first + threadIdx.x; i < end; i += 128) x[i] = 0; what the lanes share leaves room for the last thread.
; ROWS-LABEL: @rows(
; ROWS: [[FITS:%.*]] = icmp sle i32 %first, 2147483520
; ROWS-NEXT: br i1 [[FITS]], label %{{.*}}.steady, label
; ROWS: {{add i32 %first, %t$}}
; ROWS: loop:
; ROWS: store float 0.000000e+00, ptr %p, align 4, !lanza.edge
; ROWS: br i1 %more, label %loop, label %done, !lanza.rest
; ROWS: add nsw i32 %first, %t
; ROWS: loop.steady:
; ROWS: store float 0.000000e+00, ptr %p.steady, align 4{{$}}
; WIDE-LABEL: define void @rows(
; WIDE: call void @llvm.masked.scatter
; WIDE: .steady:
; WIDE: call void @llvm.masked.store
define void @rows(ptr %x, i32 %first, i32 %end) {
entry:
  %t = call range(i32 0, 128) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = add i32 %first, %t
  %any = icmp slt i32 %start, %end
  br i1 %any, label %before, label %after
before:
  br label %loop
loop:
  %i = phi i32 [ %start, %before ], [ %next, %loop ]
  %at = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %at
  store float 0.0, ptr %p
  %next = add nsw i32 %i, 128
  %more = icmp slt i32 %next, %end
  br i1 %more, label %loop, label %done
done:
  br label %after
after:
  ret void
}

; NOSIGN-LABEL: @no_sign(
; NOSIGN: icmp ule i32 %first, -128
; NOSIGN: add nuw i32 %first, %t
define void @no_sign(ptr %x, i32 %first, i32 %end) {
entry:
  %t = call range(i32 0, 128) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = add i32 %first, %t
  %any = icmp ult i32 %start, %end
  br i1 %any, label %before, label %after
before:
  br label %loop
loop:
  %i = phi i32 [ %start, %before ], [ %next, %loop ]
  %at = zext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %at
  store float 0.0, ptr %p
  %next = add nuw i32 %i, 128
  %more = icmp ult i32 %next, %end
  br i1 %more, label %loop, label %done
done:
  br label %after
after:
  ret void
}

; A sum that is there for others, too, would be joined with the copy's.
; SAME-LABEL: define void @
; SAME-NOT: steady
define void @used(ptr %x, i32 %first, i32 %end) {
entry:
  %t = call range(i32 0, 128) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = add i32 %first, %t
  store i32 %start, ptr %x
  %any = icmp slt i32 %start, %end
  br i1 %any, label %before, label %after
before:
  br label %loop
loop:
  %i = phi i32 [ %start, %before ], [ %next, %loop ]
  %at = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %at
  store float 0.0, ptr %p
  %next = add nsw i32 %i, 128
  %more = icmp slt i32 %next, %end
  br i1 %more, label %loop, label %done
done:
  br label %after
after:
  ret void
}

; The counter itself may wrap.
define void @may_wrap(ptr %x, i32 %first, i32 %end) {
entry:
  %t = call range(i32 0, 128) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = add i32 %first, %t
  %any = icmp slt i32 %start, %end
  br i1 %any, label %before, label %after
before:
  br label %loop
loop:
  %i = phi i32 [ %start, %before ], [ %next, %loop ]
  %at = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %at
  store float 0.0, ptr %p
  %next = add i32 %i, 128
  %more = icmp slt i32 %next, %end
  br i1 %more, label %loop, label %done
done:
  br label %after
after:
  ret void
}
