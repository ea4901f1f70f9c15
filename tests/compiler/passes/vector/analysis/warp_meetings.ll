; RUN: %opt -kernel=whole -lanes=32 -passes=warp-meetings %s | %check %s --check-prefix=WHOLE
; RUN: %opt -kernel=first_warp -lanes=32 -passes=warp-meetings %s | %check %s --check-prefix=WARP
; RUN: %opt -kernel=left -lanes=32 -passes=warp-meetings %s | %check %s --check-prefix=LEFT
; RUN: %opt -kernel=half -lanes=32 -passes=warp-meetings %s | %check %s --check-prefix=HALF
; RUN: %opt -kernel=half_for_all -lanes=32 -passes=warp-meetings %s | %check %s --check-prefix=ALL
; RUN: %opt -kernel=voted -lanes=32 -passes=warp-meetings %s | %check %s --check-prefix=VOTED
; RUN: %opt -kernel=voted_otherwise -lanes=32 -passes=warp-meetings %s | %check %s --check-prefix=OTHERWISE
; RUN: %opt -kernel=active -lanes=32 -passes=warp-meetings %s | %check %s --check-prefix=ACTIVE
; RUN: %opt -kernel=apart -lanes=32 -passes=warp-meetings %s | %check %s --check-prefix=APART
; RUN: %opt -kernel=few_at_the_end -block=256 -lanes=32 -passes=warp-meetings %s | %check %s --check-prefix=FEW
; RUN: %opt -kernel=fewer_at_the_end -block=256 -lanes=32 -passes=warp-meetings %s | %check %s --check-prefix=FEWER
; RUN: %opt -kernel=voted_at_the_end -block=256 -lanes=32 -passes=warp-meetings %s | %check %s --check-prefix=END
; RUN: %opt -kernel=voted_before -block=256 -lanes=32 -passes=warp-meetings %s | %check %s --check-prefix=BEFORE
; RUN: %opt -kernel=warp_that_voted -block=256 -lanes=32 -passes=warp-meetings %s | %check %s --check-prefix=VOTES
; RUN: %opt -kernel=warp_that_voted_otherwise -block=256 -lanes=32 -passes=warp-meetings %s | %check %s --check-prefix=OTHERS
; RUN: %opt -kernel=voted_elsewhere -block=256 -lanes=32 -passes=warp-meetings %s | %check %s --check-prefix=ELSEWHERE
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; WHOLE: ; whole: proved
define void @whole() {
  %v = call i64 @__lanza_sync(i32 4, i32 0, i32 -1, i64 1, i32 0)
  ret void
}

; WARP: ; first_warp: proved
define void @first_warp() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, 32
  br i1 %c, label %a, label %b
a:
  %v = call i64 @__lanza_sync(i32 4, i32 0, i32 -1, i64 1, i32 0)
  br label %b
b:
  %w = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  ret void
}

; Lanes that have ended are not waited for.
; LEFT: ; left: proved
define void @left(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, %n
  br i1 %c, label %a, label %b
a:
  %v = call i64 @__lanza_sync(i32 4, i32 0, i32 -1, i64 1, i32 0)
  br label %b
b:
  ret void
}

; The branch lets by just whom the mask names.
; HALF: ; half: proved
define void @half() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %t, 31
  %c = icmp ult i32 %lane, 16
  br i1 %c, label %a, label %b
a:
  %v = call i64 @__lanza_sync(i32 4, i32 0, i32 65535, i64 1, i32 0)
  br label %b
b:
  %w = call i64 @__lanza_sync(i32 4, i32 0, i32 -1, i64 1, i32 0)
  ret void
}

; Half of the warp would wait for the other.
; ALL: ; half_for_all: it is not certain
define void @half_for_all() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %t, 31
  %c = icmp ult i32 %lane, 16
  br i1 %c, label %a, label %b
a:
  %v = call i64 @__lanza_sync(i32 4, i32 0, i32 -1, i64 1, i32 0)
  br label %b
b:
  %w = call i64 @__lanza_sync(i32 4, i32 0, i32 -1, i64 1, i32 0)
  ret void
}

; VOTED: ; voted: proved
define void @voted(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %x, i32 %t
  %k = load i32, ptr %p
  %c = icmp slt i32 %k, 7
  %vote = zext i1 %c to i64
  %m = call i64 @__lanza_sync(i32 4, i32 0, i32 -1, i64 %vote, i32 0)
  %mask = trunc i64 %m to i32
  br i1 %c, label %a, label %b
a:
  %v = call i64 @__lanza_sync(i32 5, i32 0, i32 %mask, i64 1, i32 0)
  br label %b
b:
  %w = call i64 @__lanza_sync(i32 4, i32 0, i32 -1, i64 1, i32 0)
  ret void
}

; OTHERWISE: ; voted_otherwise: it is not certain
define void @voted_otherwise(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %x, i32 %t
  %k = load i32, ptr %p
  %c = icmp slt i32 %k, 7
  %vote = zext i1 %c to i64
  %m = call i64 @__lanza_sync(i32 4, i32 0, i32 -1, i64 %vote, i32 0)
  %mask = trunc i64 %m to i32
  br i1 %c, label %b, label %a
a:
  %v = call i64 @__lanza_sync(i32 5, i32 0, i32 %mask, i64 1, i32 0)
  br label %b
b:
  %w = call i64 @__lanza_sync(i32 4, i32 0, i32 -1, i64 1, i32 0)
  ret void
}

; ACTIVE: ; active: proved
define void @active(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %x, i32 %t
  %k = load i32, ptr %p
  %c = icmp slt i32 %k, 7
  br i1 %c, label %a, label %b
a:
  %m = call i64 @__lanza_sync(i32 11, i32 1, i32 0, i64 0, i32 1)
  %mask = trunc i64 %m to i32
  %v = call i64 @__lanza_sync(i32 5, i32 0, i32 %mask, i64 1, i32 0)
  br label %b
b:
  %w = call i64 @__lanza_sync(i32 4, i32 0, i32 -1, i64 1, i32 0)
  ret void
}

; Lanes leave the loop one by one, while the mask names all.
; APART: ; apart: it is not certain
define void @apart() {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = call i64 @__lanza_sync(i32 4, i32 0, i32 -1, i64 1, i32 0)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %t
  br i1 %more, label %loop, label %end
end:
  %w = call i64 @__lanza_sync(i32 4, i32 0, i32 -1, i64 1, i32 0)
  ret void
}

; The others leave, and the mask does not name them.
; FEW: ; few_at_the_end: proved
define void @few_at_the_end() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, 8
  br i1 %c, label %a, label %b
a:
  %v = call i64 @__lanza_sync(i32 4, i32 0, i32 255, i64 1, i32 0)
  br label %b
b:
  ret void
}

; It names one who stays.
; FEWER: ; fewer_at_the_end: it is not certain
define void @fewer_at_the_end() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, 9
  br i1 %c, label %a, label %b
a:
  %v = call i64 @__lanza_sync(i32 4, i32 0, i32 255, i64 1, i32 0)
  br label %b
b:
  ret void
}

; END: ; voted_at_the_end: proved
define void @voted_at_the_end(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, %n
  %p = zext i1 %c to i64
  %ballot = call i64 @__lanza_sync(i32 4, i32 0, i32 -1, i64 %p, i32 0)
  %mask = trunc i64 %ballot to i32
  br i1 %c, label %a, label %b
a:
  %v = call i64 @__lanza_sync(i32 4, i32 0, i32 %mask, i64 1, i32 0)
  br label %b
b:
  ret void
}

; Some of those that voted have left, and are not waited for.
; BEFORE: ; voted_before: proved
define void @voted_before(i32 %n, i32 %m) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, %n
  %p = zext i1 %c to i64
  %ballot = call i64 @__lanza_sync(i32 4, i32 0, i32 -1, i64 %p, i32 0)
  %mask = trunc i64 %ballot to i32
  %d = icmp ult i32 %t, %m
  br i1 %d, label %go, label %b
go:
  br i1 %c, label %a, label %b
a:
  %v = call i64 @__lanza_sync(i32 4, i32 0, i32 %mask, i64 1, i32 0)
  br label %b
b:
  ret void
}

; Some of those that voted are elsewhere.
; ELSEWHERE: ; voted_elsewhere: it is not certain
define void @voted_elsewhere(i32 %n, i32 %m) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, %n
  %p = zext i1 %c to i64
  %ballot = call i64 @__lanza_sync(i32 4, i32 0, i32 -1, i64 %p, i32 0)
  %mask = trunc i64 %ballot to i32
  %d = icmp ult i32 %t, %m
  br i1 %d, label %go, label %b
go:
  br i1 %c, label %a, label %b
a:
  %v = call i64 @__lanza_sync(i32 4, i32 0, i32 %mask, i64 1, i32 0)
  br label %b
b:
  %w = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  ret void
}

; All lanes of the first warp have said yes.
; VOTES: ; warp_that_voted: proved
define void @warp_that_voted() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, 32
  %p = zext i1 %c to i64
  %ballot = call i64 @__lanza_sync(i32 4, i32 0, i32 -1, i64 %p, i32 0)
  %mask = trunc i64 %ballot to i32
  br i1 %c, label %a, label %b
a:
  %v = call i64 @__lanza_sync(i32 4, i32 0, i32 %mask, i64 1, i32 0)
  br label %b
b:
  %w = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  ret void
}

; Those of the other warps no, and no lane is named.
; OTHERS: ; warp_that_voted_otherwise: it is not certain
define void @warp_that_voted_otherwise() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, 32
  %p = zext i1 %c to i64
  %ballot = call i64 @__lanza_sync(i32 4, i32 0, i32 -1, i64 %p, i32 0)
  %mask = trunc i64 %ballot to i32
  br i1 %c, label %b, label %a
a:
  %v = call i64 @__lanza_sync(i32 4, i32 0, i32 %mask, i64 1, i32 0)
  br label %b
b:
  %w = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  ret void
}
