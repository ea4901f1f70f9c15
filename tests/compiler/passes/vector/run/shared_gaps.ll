; RUN: %opt -kernel=sums -block=10,10 -lanes=16 -passes=run-form %s | %check %s
; RUN: sed 's/lanza.reads_gaps/lanza.other/' %s > %t.ll
; RUN: %opt -kernel=sums -block=10,10 -lanes=16 -passes=run-form %t.ll | %check %s --check-prefix=ONE
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare ptr @__lanza_shared() memory(none)

; What no variable fills is zero in each block: idle lanes compute with it. Not where they read nothing there.
; CHECK-LABEL: define internal i32 @run(
; CHECK: call void @llvm.lifetime.start.p0(i64 -1, ptr %shared)
; CHECK: [[BETWEEN:%.*]] = getelementptr inbounds i8, ptr %shared, i64 12
; CHECK: store i32 0, ptr [[BETWEEN]], align 1, !lanza.clears_gap
; CHECK: [[BEHIND:%.*]] = getelementptr inbounds i8, ptr %shared, i64 40
; CHECK: call void @llvm.memset.p0.i64(ptr [[BEHIND]], i8 0, i64 24, i1 false), !lanza.clears_gap
; ONE-LABEL: define internal i32 @run(
; ONE-NOT: memset
define void @sums() {
  %memory = call ptr @__lanza_shared()
  %v = load volatile float, ptr %memory
  ret void
}

!llvm.module.flags = !{!0, !1, !3}
!0 = !{i32 2, !"lanza.shared_bytes", i64 64}
!1 = !{i32 2, !"lanza.shared_gaps", !2}
!2 = !{i64 12, i64 4, i64 40, i64 24}
!3 = !{i32 7, !"lanza.reads_gaps", i32 1}
