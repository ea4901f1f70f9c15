; RUN: %opt -kernel=tile -passes=hoist-invariants %s | %check %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare ptr @__lanza_shared() memory(none) willreturn nounwind

; The base of shared memory and an address in it leave both loops; what memory holds, what divides by a number that may
; be 0, and what goes with the loop, stays.
; CHECK-LABEL: @tile(
; CHECK: entry:
; CHECK: [[BASE:%.*]] = call ptr @__lanza_shared()
; CHECK: %row = getelementptr inbounds float, ptr [[BASE]], i64 20
; CHECK: outer:
; CHECK-NOT: call
; CHECK: inner:
; CHECK: %i = phi
; CHECK-NEXT: load i32
; CHECK-NEXT: udiv
; CHECK-NEXT: add
; CHECK-NEXT: getelementptr inbounds i32, ptr %row
define void @tile(ptr %n, i32 %by) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %outer
outer:
  %j = phi i32 [ 0, %entry ], [ %j.next, %outer.end ]
  br label %inner
inner:
  %i = phi i32 [ %t, %outer ], [ %i.next, %inner ]
  %shared = call ptr @__lanza_shared()
  %row = getelementptr inbounds float, ptr %shared, i64 20
  %held = load i32, ptr %n
  %part = udiv i32 %held, %by
  %sum = add i32 %part, %i
  %to = getelementptr inbounds i32, ptr %row, i32 %i
  store i32 %sum, ptr %to
  %i.next = add nuw nsw i32 %i, 16
  %more = icmp ult i32 %i, 4
  br i1 %more, label %inner, label %outer.end
outer.end:
  %j.next = add nuw nsw i32 %j, 1
  %again = icmp ult i32 %j, 7
  br i1 %again, label %outer, label %end
end:
  ret void
}
