; RUN: %opt -kernel=word -block=64 -lanes=8 -passes=ask-before-turns %s | %check %s --check-prefix=WORD
; RUN: %opt -kernel=own -block=64 -lanes=8 -passes=ask-before-turns %s | %check %s --check-prefix=OWN
; RUN: %opt -kernel=together -block=64 -lanes=8 -passes=ask-before-turns %s | %check %s --check-prefix=TOGETHER
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; All that are left leave at the limit: at the head, in front of the next turn, with what the last one computed.
; WORD-LABEL: define i32 @word(
; WORD: loop:
; WORD-NEXT: [[SUM:%.*]] = phi i32 [ poison, %entry ], [ %more, %next ]
; WORD-NEXT: [[LEAVES:%.*]] = phi i1 [ false, %entry ], [ %done, %next ]
; WORD-NEXT: %j = phi
; WORD-NEXT: %s = phi
; WORD-NEXT: br i1 [[LEAVES]], label %after, label %turn
; WORD: next:
; WORD: br label %loop
; WORD: after:
; WORD-NEXT: phi i32 [ %s, %turn ], [ [[SUM]], %loop ]
define i32 @word(ptr %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %j = phi i32 [ 0, %entry ], [ %k, %next ]
  %s = phi i32 [ %t, %entry ], [ %half, %next ]
  %i = add i32 %t, %j
  %p = getelementptr i8, ptr %x, i32 %i
  %a = load i8, ptr %p
  %same = icmp eq i8 %a, 7
  br i1 %same, label %next, label %after
next:
  %more = add i32 %s, %j
  %half = lshr i32 %more, 1
  %k = add nuw nsw i32 %j, 1
  %done = icmp eq i32 %k, %n
  br i1 %done, label %after, label %loop
after:
  %last = phi i32 [ %s, %loop ], [ %more, %next ]
  ret i32 %last
}

; Each lane has a limit of its own.
; OWN-LABEL: define i32 @own(
; OWN-NOT: turn
; OWN: br i1 %done, label %after, label %loop
define i32 @own(ptr %x) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %j = phi i32 [ 0, %entry ], [ %k, %next ]
  %i = add i32 %t, %j
  %p = getelementptr i8, ptr %x, i32 %i
  %a = load i8, ptr %p
  %same = icmp eq i8 %a, 7
  br i1 %same, label %next, label %after
next:
  %k = add nuw nsw i32 %j, 1
  %done = icmp ugt i32 %k, %t
  br i1 %done, label %after, label %loop
after:
  %last = phi i32 [ %j, %loop ], [ %k, %next ]
  ret i32 %last
}

; Nobody leaves alone.
; TOGETHER-LABEL: define i32 @together(
; TOGETHER-NOT: turn
; TOGETHER: br i1 %done, label %after, label %loop
define i32 @together(ptr %x, i32 %n) {
entry:
  br label %loop
loop:
  %j = phi i32 [ 0, %entry ], [ %k, %next ]
  %p = getelementptr i8, ptr %x, i32 %j
  %a = load i8, ptr %p
  %same = icmp eq i8 %a, 7
  br i1 %same, label %next, label %after
next:
  %k = add nuw nsw i32 %j, 1
  %done = icmp eq i32 %k, %n
  br i1 %done, label %after, label %loop
after:
  %last = phi i32 [ %j, %loop ], [ %k, %next ]
  ret i32 %last
}
