; RUN: %opt -kernel=ring -block=256 -lanes=16 -passes=fold-rings %s | %check %s --check-prefix=RING
; RUN: %opt -kernel=unguarded -block=256 -lanes=16 -passes=fold-rings %s | %check %s --check-prefix=OPEN
; RUN: %opt -kernel=may_wrap -block=256 -lanes=16 -passes=fold-rings %s | %check %s --check-prefix=WRAP
; RUN: %opt -kernel=two_steps -block=256 -lanes=16 -passes=fold-rings %s | %check %s --check-prefix=TWO
; RUN: %opt -kernel=number -block=256 -lanes=16 -passes=fold-rings %s | %check %s --check-prefix=NUMBER
; RUN: %opt -kernel=mask -block=256 -lanes=16 -passes=fold-rings %s | %check %s --check-prefix=MASK
; RUN: %opt -kernel=crooked -block=256 -lanes=16 -passes=fold-rings %s | %check %s --check-prefix=CROOKED
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare range(i32 0, 8388352) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @use(i32)

; Behind the guard x lies in [0, n): no neighbour on the ring is a remainder.
; RING-LABEL: @ring(
; RING: body:
; RING-NOT: rem
; RING: [[LAST:%.*]] = sub nuw nsw i32 %n, 1
; RING: [[AT:%.*]] = icmp eq i32 %x, [[LAST]]
; RING: [[UP:%.*]] = add nuw nsw i32 %x, 1
; RING: [[RIGHT:%.*]] = select i1 [[AT]], i32 0, i32 [[UP]]
; RING: [[LAST2:%.*]] = sub nuw nsw i32 %n, 1
; RING: [[FIRST:%.*]] = icmp eq i32 %x, 0
; RING: [[DOWN:%.*]] = sub nsw i32 %x, 1
; RING: [[LEFT:%.*]] = select i1 [[FIRST]], i32 [[LAST2]], i32 [[DOWN]]
; RING: call void @use(i32 [[RIGHT]])
; RING: call void @use(i32 [[LEFT]])
; RING: call void @use(i32 %x)
define void @ring(i32 %n, i32 %h, i32 %y) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call range(i32 0, 8388352) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %b = shl nuw nsw i32 %c, 8
  %x = or disjoint i32 %b, %t
  %out = icmp sge i32 %x, %n
  %below = icmp sge i32 %y, %h
  %leave = or i1 %out, %below
  br i1 %leave, label %end, label %body
body:
  %next = add nsw i32 %x, 1
  %right = srem i32 %next, %n
  %round = add nuw nsw i32 %x, %n
  %before = add nsw i32 %round, -1
  %left = urem i32 %before, %n
  %same = srem i32 %round, %n
  call void @use(i32 %right)
  call void @use(i32 %left)
  call void @use(i32 %same)
  br label %end
end:
  ret void
}

; OPEN-LABEL: @unguarded(
; OPEN: srem
define void @unguarded(i32 %n) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %next = add nsw i32 %t, 1
  %right = srem i32 %next, %n
  call void @use(i32 %right)
  ret void
}

; x + n may be negative, and so the remainder; as a number without a sign it is not. A step back alone may be, too.
; WRAP-LABEL: @may_wrap(
; WRAP: srem
; WRAP: srem
; WRAP-NOT: urem
; WRAP: ret
define void @may_wrap(i32 %n) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %t, %n
  br i1 %in, label %body, label %end
body:
  %round = add i32 %t, %n
  %same = srem i32 %round, %n
  %back = add nsw i32 %t, -1
  %left = srem i32 %back, %n
  %also = urem i32 %round, %n
  call void @use(i32 %same)
  call void @use(i32 %left)
  call void @use(i32 %also)
  br label %end
end:
  ret void
}

; On a ring of one, two steps are not one round.
; TWO-LABEL: @two_steps(
; TWO: srem
define void @two_steps(i32 %n) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %t, %n
  br i1 %in, label %body, label %end
body:
  %next = add nsw i32 %t, 2
  %right = srem i32 %next, %n
  call void @use(i32 %right)
  br label %end
end:
  ret void
}

; NUMBER-LABEL: @number(
; NUMBER-NOT: rem
; NUMBER: [[FIRST:%.*]] = icmp eq i32 %t, 0
; NUMBER: [[DOWN:%.*]] = sub nsw i32 %t, 1
; NUMBER: select i1 [[FIRST]], i32 199, i32 [[DOWN]]
define void @number() {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %t, 200
  br i1 %in, label %body, label %end
body:
  %before = add nuw nsw i32 %t, 199
  %left = urem i32 %before, 200
  call void @use(i32 %left)
  br label %end
end:
  ret void
}

; Groups begin at multiples of 16, and so x & 511 does not wrap within one.
; MASK-LABEL: @mask(
; MASK: [[AT:%.*]] = and i32 %x, 511
; MASK: [[UP:%.*]] = add nuw nsw i32 [[AT]], 1
; MASK: [[LAST:%.*]] = icmp eq i32 [[AT]], 511
; MASK: [[RIGHT:%.*]] = select i1 [[LAST]], i32 0, i32 [[UP]]
; MASK: [[FROM:%.*]] = and i32 %x, 511
; MASK: [[DOWN:%.*]] = add nsw i32 [[FROM]], -1
; MASK: [[FIRST:%.*]] = icmp eq i32 [[FROM]], 0
; MASK: [[LEFT:%.*]] = select i1 [[FIRST]], i32 511, i32 [[DOWN]]
; MASK: call void @use(i32 [[RIGHT]])
; MASK: call void @use(i32 [[LEFT]])
define void @mask() {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call range(i32 0, 8388352) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %b = shl nuw nsw i32 %c, 8
  %x = or disjoint i32 %b, %t
  %next = add nuw nsw i32 %x, 1
  %right = and i32 %next, 511
  %before = add nuw nsw i32 %x, 511
  %left = and i32 %before, 511
  call void @use(i32 %right)
  call void @use(i32 %left)
  ret void
}

; CROOKED-LABEL: @crooked(
; CROOKED-NOT: select
; CROOKED: ret
define void @crooked(i32 %from) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x = add i32 %from, %t
  %next = add i32 %x, 1
  %right = and i32 %next, 511
  %twice = shl nuw nsw i32 %t, 1
  %more = add i32 %twice, 1
  %odd = and i32 %more, 511
  %small = add i32 %t, 1
  %ring = and i32 %small, 7
  call void @use(i32 %right)
  call void @use(i32 %odd)
  call void @use(i32 %ring)
  ret void
}
