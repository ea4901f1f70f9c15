; RUN: env GLIBC_TUNABLES=glibc.malloc.tcache_count=0 MALLOC_PERTURB_=85 %opt -kernel=alone -block=20,20 -lanes=16 -passes=skip-margins %s | %check %s --check-prefix=ALONE
; RUN: %opt -kernel=joined -block=20,20,1 -lanes=16 -passes=skip-margins %s | %check %s --check-prefix=JOINED
; RUN: %opt -kernel=joined -block=20,20,1 -lanes=2 -passes=skip-margins %s | %check %s --check-prefix=FITS
; RUN: %opt -kernel=cases -block=18,1,1 -lanes=16 -passes=skip-margins %s | %check %s --check-prefix=CASES
; RUN: %opt -kernel=written -block=18,1,1 -lanes=16 -passes=skip-margins %s | %check %s --check-prefix=WRITTEN
; RUN: %opt -kernel=goes_on -block=18,1,1 -lanes=16 -passes=skip-margins %s | %check %s --check-prefix=ON
; RUN: %opt -kernel=some_left -block=18,1,1 -lanes=16 -passes=skip-margins %s | %check %s --check-prefix=LEFT
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare range(i32 0, 20) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare range(i32 0, 20) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)
declare ptr @__lanza_shared() nounwind willreturn memory(none)

; Both limits were one question; what y and n say is asked for the other thread, and the address goes by it.
; JOINED-LABEL: @joined(
; JOINED: [[T:%.*]] = call range(i32 0, 20) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; JOINED: call i64 @__lanza_sync
; JOINED: [[OTHER:%.*]] = add nuw nsw i32 [[T]], 2
; JOINED: [[WORKS:%.*]] = icmp ult i32 [[T]], 16
; JOINED: [[IN:%.*]] = icmp slt i32 [[OTHER]], %n
; JOINED: br i1
; JOINED: work:
; JOINED-NEXT: [[WIDE:%.*]] = zext nneg i32 [[OTHER]] to i64
; JOINED: getelementptr inbounds float, ptr %out, i64 [[WIDE]]
; JOINED: ret void
; Pairs begin where the work does.
; FITS-LABEL: @joined(
; FITS-NOT: add nuw nsw i32
; FITS: ret void
define void @joined(ptr %in, ptr noalias %out, i32 %n) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %wide = zext nneg i32 %x to i64
  %tile = call ptr @__lanza_shared()
  %own = getelementptr inbounds float, ptr %tile, i64 %wide
  %p = getelementptr inbounds float, ptr %in, i64 %wide
  %v = load float, ptr %p, align 4
  store float %v, ptr %own, align 4
  %b = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %xi = add nsw i32 %x, -2
  %yi = add nsw i32 %y, -2
  %or = or i32 %xi, %yi
  %within = icmp ult i32 %or, 16
  %in.n = icmp slt i32 %x, %n
  %both = and i1 %within, %in.n
  br i1 %both, label %work, label %end
work:
  %a = load float, ptr %own, align 4
  %to = getelementptr inbounds float, ptr %out, i64 %wide
  store float %a, ptr %to, align 4
  br label %end
end:
  ret void
}

; A switch leads the margin away. What was read from memory that nobody writes is read for the other thread.
; CASES-LABEL: @cases(
; CASES: [[OTHER:%.*]] = add nuw nsw i32 [[T:%.*]], 1
; CASES: icmp uge i32 [[T]], 16
; CASES: work:
; CASES: [[WIDE:%.*]] = zext nneg i32 [[OTHER]] to i64
; CASES: [[P:%.*]] = getelementptr inbounds float, ptr %in, i64 [[WIDE]]
; CASES: load float, ptr [[P]]
; CASES: ret void
define void @cases(ptr noalias %in, ptr noalias %out) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %x to i64
  %tile = call ptr @__lanza_shared()
  %own = getelementptr inbounds float, ptr %tile, i64 %wide
  %p = getelementptr inbounds float, ptr %in, i64 %wide
  %v = load float, ptr %p, align 4
  store float %v, ptr %own, align 4
  %b = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  switch i32 %x, label %work [
    i32 0, label %end
    i32 17, label %end
  ]
work:
  %to = getelementptr inbounds float, ptr %out, i64 %wide
  store float %v, ptr %to, align 4
  br label %end
end:
  ret void
}

; The work may change what the thread has read: nobody can read it again.
; WRITTEN-LABEL: @written(
; WRITTEN-NOT: add nuw nsw i32
; WRITTEN: ret void
define void @written(ptr %in, ptr %out) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %x to i64
  %p = getelementptr inbounds float, ptr %in, i64 %wide
  %v = load float, ptr %p, align 4
  %b = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %xi = add nsw i32 %x, -1
  %within = icmp ult i32 %xi, 16
  br i1 %within, label %work, label %end
work:
  %to = getelementptr inbounds float, ptr %out, i64 %wide
  store float %v, ptr %to, align 4
  br label %end
end:
  ret void
}

; Behind the work each thread reads what it wrote.
; ON-LABEL: @goes_on(
; ON-NOT: add nuw nsw i32
; ON: ret void
define void @goes_on(ptr %out) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %x to i64
  %to = getelementptr inbounds float, ptr %out, i64 %wide
  %b = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %xi = add nsw i32 %x, -1
  %within = icmp ult i32 %xi, 16
  br i1 %within, label %work, label %end
work:
  store float 1.0, ptr %to, align 4
  br label %end
end:
  %v = load float, ptr %to, align 4
  %more = fadd float %v, 1.0
  store float %more, ptr %to, align 4
  ret void
}

; Some threads never come to the question.
; LEFT-LABEL: @some_left(
; LEFT-NOT: add nuw nsw i32
; LEFT: ret void
define void @some_left(ptr %out, i32 %n) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %x to i64
  %to = getelementptr inbounds float, ptr %out, i64 %wide
  %b = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %stays = icmp slt i32 %x, %n
  br i1 %stays, label %asks, label %end
asks:
  %xi = add nsw i32 %x, -1
  %within = icmp ult i32 %xi, 16
  br i1 %within, label %work, label %end
work:
  store float 1.0, ptr %to, align 4
  br label %end
end:
  ret void
}

; Both limits are all that the guard asks: the question that became two is looked at once, as it is gone then.
; ALONE-LABEL: @alone(
; ALONE: [[OTHER:%.*]] = add nuw nsw i32 [[T:%.*]], 2
; ALONE: icmp ult i32 [[T]], 16
; ALONE: ret void
define void @alone(ptr %in, ptr noalias %out) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %wide = zext nneg i32 %x to i64
  %tile = call ptr @__lanza_shared()
  %own = getelementptr inbounds float, ptr %tile, i64 %wide
  %p = getelementptr inbounds float, ptr %in, i64 %wide
  %v = load float, ptr %p, align 4
  store float %v, ptr %own, align 4
  %b = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %xi = add nsw i32 %x, -2
  %yi = add nsw i32 %y, -2
  %or = or i32 %xi, %yi
  %within = icmp ult i32 %or, 16
  br i1 %within, label %work, label %end
work:
  %a = load float, ptr %own, align 4
  %to = getelementptr inbounds float, ptr %out, i64 %wide
  store float %a, ptr %to, align 4
  br label %end
end:
  ret void
}
