; RUN: %opt -kernel=word -passes=ask-at-exits %s | %check %s --check-prefix=WORD
; RUN: %opt -kernel=number -passes=ask-at-exits %s | %check %s --check-prefix=NUMBER
; RUN: %opt -kernel=other -passes=ask-at-exits %s | %check %s --check-prefix=OTHER
; RUN: %opt -kernel=switched -passes=ask-at-exits %s | %check %s --check-prefix=SWITCHED
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Whoever finds a difference has not come to the end; who goes around the loop is asked there.
; WORD-LABEL: define i1 @word(
; WORD: [[NONE:%.*]] = icmp eq i32 0, %n
; WORD-NEXT: br i1 %some, label %loop, label %after
; WORD: after:
; WORD-NEXT: [[ANSWER:%.*]] = phi i1 [ [[NONE]], %entry ], [ false, %loop ], [ true, %next ]
; WORD-NEXT: ret i1 [[ANSWER]]
define i1 @word(ptr %x, ptr %w, i32 %n) {
entry:
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %loop, label %after
loop:
  %j = phi i32 [ 0, %entry ], [ %more, %next ]
  %p = getelementptr i8, ptr %x, i32 %j
  %q = getelementptr i8, ptr %w, i32 %j
  %a = load i8, ptr %p
  %b = load i8, ptr %q
  %same = icmp eq i8 %a, %b
  br i1 %same, label %next, label %after
next:
  %more = add nuw nsw i32 %j, 1
  %done = icmp eq i32 %more, %n
  br i1 %done, label %after, label %loop
after:
  %last = phi i32 [ 0, %entry ], [ %j, %loop ], [ %more, %next ]
  %end = icmp eq i32 %last, %n
  ret i1 %end
}

; The number itself is wanted, too.
; NUMBER-LABEL: define i32 @number(
; NUMBER: %last = phi i32
; NUMBER-NEXT: icmp eq i32 %last, %n
define i32 @number(ptr %x, i32 %n) {
entry:
  br label %loop
loop:
  %j = phi i32 [ 0, %entry ], [ %more, %next ]
  %p = getelementptr i8, ptr %x, i32 %j
  %a = load i8, ptr %p
  %same = icmp eq i8 %a, 7
  br i1 %same, label %next, label %after
next:
  %more = add nuw nsw i32 %j, 1
  %done = icmp eq i32 %more, %n
  br i1 %done, label %after, label %loop
after:
  %last = phi i32 [ %j, %loop ], [ %more, %next ]
  %end = icmp eq i32 %last, %n
  %r = select i1 %end, i32 -1, i32 %last
  ret i32 %r
}

; The loop's exits say nothing of the question: it would be asked in each turn.
; OTHER-LABEL: define i1 @other(
; OTHER: %last = phi i32
; OTHER-NEXT: icmp eq i32 %last, %m
define i1 @other(ptr %x, i32 %n, i32 %m) {
entry:
  br label %loop
loop:
  %j = phi i32 [ 0, %entry ], [ %more, %next ]
  %p = getelementptr i8, ptr %x, i32 %j
  %a = load i8, ptr %p
  %same = icmp eq i8 %a, 7
  br i1 %same, label %next, label %after
next:
  %more = add nuw nsw i32 %j, 1
  %done = icmp eq i32 %more, %n
  br i1 %done, label %after, label %loop
after:
  %last = phi i32 [ %j, %loop ], [ %more, %next ]
  %end = icmp eq i32 %last, %m
  ret i1 %end
}

; Two ways from one block have one answer.
; SWITCHED-LABEL: define i1 @switched(
; SWITCHED: [[NONE:%.*]] = icmp eq i32 0, %n
; SWITCHED-NEXT: br
; SWITCHED: [[KIND:%.*]] = icmp eq i32 %kind, %n
; SWITCHED-NEXT: switch
; SWITCHED: after:
; SWITCHED-NEXT: phi i1 [ [[NONE]], %entry ], [ [[KIND]], %pick ], [ [[KIND]], %pick ], [ false, %loop ], [ true, %next ]
define i1 @switched(ptr %x, ptr %w, i32 %n, i32 %kind) {
entry:
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %pick, label %after
pick:
  switch i32 %kind, label %loop [
    i32 1, label %after
    i32 7, label %after
  ]
loop:
  %j = phi i32 [ 0, %pick ], [ %more, %next ]
  %p = getelementptr i8, ptr %x, i32 %j
  %q = getelementptr i8, ptr %w, i32 %j
  %a = load i8, ptr %p
  %b = load i8, ptr %q
  %same = icmp eq i8 %a, %b
  br i1 %same, label %next, label %after
next:
  %more = add nuw nsw i32 %j, 1
  %done = icmp eq i32 %more, %n
  br i1 %done, label %after, label %loop
after:
  %last = phi i32 [ 0, %entry ], [ %kind, %pick ], [ %kind, %pick ], [ %j, %loop ], [ %more, %next ]
  %end = icmp eq i32 %last, %n
  ret i1 %end
}
