; RUN: %opt -kernel=lone -lanes=8 -block=8,8 -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=LONE
; RUN: %opt -kernel=lone -lanes=8 -block=8,8 -passes=prepare-control,linearise,widen,join-groups,inline-updates %s | %check %s --check-prefix=JOINED
; RUN: %opt -kernel=floats -lanes=8 -block=16,8 -passes=prepare-control,linearise,widen,join-groups %s | %check %s --check-prefix=FLOATS
; RUN: %opt -kernel=found -lanes=8 -block=8,8 -passes=prepare-control,linearise,widen,join-groups %s | %check %s --check-prefix=MANY
; RUN: %opt -kernel=turns -lanes=8 -block=8,8 -passes=prepare-control,linearise,widen,join-groups %s | %check %s --check-prefix=TURNS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()

; Behind a product, in a place that all rows have in common.
; LONE-LABEL: define void @lone(
; LONE: call void @lone.update(
; LONE-LABEL: define internal void @lone.update(
; LONE: load <8 x i32>
; LONE: store <8 x i32>
; Rows walk together, and each loads what the one before has stored.
; JOINED-LABEL: define void @lone(
; JOINED-COUNT-4: phi <8 x i32>
; JOINED: codeRepl:
; JOINED: [[A:%.*]] = load <8 x i32>, ptr [[P:%[0-9]+]]
; JOINED: [[B:%.*]] = add <8 x i32> [[A]]
; JOINED-NEXT: store <8 x i32> [[B]], ptr [[P]]
; JOINED: [[C:%.*]] = load <8 x i32>, ptr [[P]]
; JOINED: [[D:%.*]] = add <8 x i32> [[C]]
; JOINED-NEXT: store <8 x i32> [[D]], ptr [[P]]
define void @lone(ptr %a, ptr %b, ptr %s) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x = zext i32 %t to i64
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = mul i32 %y, 8
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %i = add nsw i32 %row, %k
  %p = getelementptr i32, ptr %a, i32 %i
  %v = load i32, ptr %p
  %j = shl nsw i32 %k, 3
  %wide = zext i32 %j to i64
  %at = add nsw i64 %wide, %x
  %q = getelementptr i32, ptr %b, i64 %at
  %w = load i32, ptr %q
  %product = mul i32 %v, %w
  %more = add i32 %sum, %product
  %next = add nsw i32 %k, 1
  %again = icmp slt i32 %next, 8
  br i1 %again, label %loop, label %end
end:
  %to = getelementptr i32, ptr %s, i64 %x
  %o = atomicrmw add ptr %to, i32 %more syncscope("singlethread") monotonic
  ret void
}

; Sums of floats keep the order of threads: groups of a row walk together, not rows.
; FLOATS-LABEL: define void @floats(
; FLOATS-COUNT-2: call void @floats.update(
; FLOATS-NOT: call void @floats.update(
; FLOATS: ret void
define void @floats(ptr %a, ptr %b, ptr %s) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x = zext i32 %t to i64
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = mul i32 %y, 8
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %i = add nsw i32 %row, %k
  %p = getelementptr float, ptr %a, i32 %i
  %v = load float, ptr %p
  %j = shl nsw i32 %k, 4
  %wide = zext i32 %j to i64
  %at = add nsw i64 %wide, %x
  %q = getelementptr float, ptr %b, i64 %at
  %w = load float, ptr %q
  %product = fmul float %v, %w
  %more = fadd float %sum, %product
  %next = add nsw i32 %k, 1
  %again = icmp slt i32 %next, 8
  br i1 %again, label %loop, label %end
end:
  %to = getelementptr float, ptr %s, i64 %x
  %o = atomicrmw fadd ptr %to, float %more syncscope("singlethread") monotonic
  ret void
}

; Whoever asks what was there, or comes again, stays by itself.
; MANY-LABEL: define void @found(
; MANY-NOT: call void @found.update(
; MANY: load <8 x i32>
; MANY: store <8 x i32>
; MANY-NOT: load <8 x i32>
; MANY: ret void
define void @found(ptr %s, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x = zext i32 %t to i64
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %to = getelementptr i32, ptr %s, i64 %x
  %o = atomicrmw add ptr %to, i32 %y syncscope("singlethread") monotonic
  %row = mul i32 %y, 8
  %wide = zext i32 %row to i64
  %i = add nsw i64 %wide, %x
  %p = getelementptr i32, ptr %out, i64 %i
  store i32 %o, ptr %p
  ret void
}

; TURNS-LABEL: define void @turns(
; TURNS-NOT: call void @turns.update(
; TURNS: ret void
define void @turns(ptr %s) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x = zext i32 %t to i64
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %wide = zext i32 %k to i64
  %i = add nsw i64 %x, %wide
  %to = getelementptr i32, ptr %s, i64 %i
  %o = atomicrmw add ptr %to, i32 %k syncscope("singlethread") monotonic
  %next = add nsw i32 %k, 1
  %again = icmp slt i32 %next, 8
  br i1 %again, label %loop, label %end
end:
  ret void
}
