; A record of shared memory that is there in any case is read without asking whether any lane wants it.
; RUN: %opt -kernel=near -block=128 -lanes=16 -passes=note-inside,linearise %s | %check %s --check-prefix=NEAR
; RUN: %opt -kernel=near -block=128 -lanes=16 -passes=linearise %s | %check %s --check-prefix=ASKED
; RUN: %opt -kernel=beyond -block=128 -lanes=16 -passes=note-inside,linearise %s | %check %s --check-prefix=BEYOND
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare ptr @__lanza_shared() nounwind willreturn memory(none)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; NEAR-LABEL: define void @near(
; NEAR-NOT: call i1 @lanza.any
; NEAR: load float, ptr %mass
; NEAR-NOT: call i1 @lanza.any
; NEAR: ret void
; ASKED-LABEL: define void @near(
; ASKED: call i1 @lanza.any
define void @near(ptr %x, ptr %out) {
entry:
  %tile = call ptr @__lanza_shared()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %l = zext nneg i32 %t to i64
  %from = getelementptr inbounds float, ptr %x, i64 %l
  %mine = load float, ptr %from
  br label %turn
turn:
  %s = phi float [ 0.0, %entry ], [ %next, %end ]
  %k = phi i64 [ 0, %entry ], [ %more, %end ]
  %place = getelementptr inbounds float, ptr %tile, i64 %k
  %other = load float, ptr %place
  %is.near = fcmp olt float %mine, %other
  br i1 %is.near, label %use, label %end
use:
  %masses = getelementptr inbounds i8, ptr %tile, i64 512
  %mass = getelementptr inbounds float, ptr %masses, i64 %k
  %m = load float, ptr %mass
  %sum = fadd float %s, %m
  br label %end
end:
  %next = phi float [ %s, %turn ], [ %sum, %use ]
  %more = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %more, 128
  br i1 %again, label %turn, label %done
done:
  %at = getelementptr inbounds float, ptr %out, i64 %l
  store float %next, ptr %at
  ret void
}

; How far the counter goes is an argument.
; BEYOND-LABEL: define void @beyond(
; BEYOND: call i1 @lanza.any
define void @beyond(ptr %x, ptr %out, i64 %n) {
entry:
  %tile = call ptr @__lanza_shared()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %l = zext nneg i32 %t to i64
  %from = getelementptr inbounds float, ptr %x, i64 %l
  %mine = load float, ptr %from
  br label %turn
turn:
  %s = phi float [ 0.0, %entry ], [ %next, %end ]
  %k = phi i64 [ 0, %entry ], [ %more, %end ]
  %is.near = fcmp olt float %mine, %s
  br i1 %is.near, label %use, label %end
use:
  %mass = getelementptr inbounds float, ptr %tile, i64 %k
  %m = load float, ptr %mass
  %sum = fadd float %s, %m
  br label %end
end:
  %next = phi float [ %s, %turn ], [ %sum, %use ]
  %more = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %more, %n
  br i1 %again, label %turn, label %done
done:
  %at = getelementptr inbounds float, ptr %out, i64 %l
  store float %next, ptr %at
  ret void
}

!llvm.module.flags = !{!0}
!0 = !{i32 7, !"lanza.shared_bytes", i32 1024}
