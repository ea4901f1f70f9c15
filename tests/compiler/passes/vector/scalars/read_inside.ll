; Tiles in the copy for blocks inside, as version_blocks() leaves it: what they hold is read where it came from.
; RUN: %opt -kernel=stencil -block=16 -lanes=16 -passes='read-inside,llvm(verify,simplifycfg,early-cse,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=STENCIL
; RUN: %opt -kernel=restricted -block=16 -lanes=16 -passes='read-inside,llvm(verify,simplifycfg,early-cse,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=RESTRICTED
; RUN: %opt -kernel=by_few -block=16 -lanes=16 -passes='read-inside,llvm(verify,simplifycfg,early-cse,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=FEW
; RUN: %opt -kernel=in_place -block=16 -lanes=16 -passes='read-inside,llvm(verify,simplifycfg,early-cse,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=PLACE
; RUN: %opt -kernel=two_sources -block=16 -lanes=16 -passes='read-inside,llvm(verify,simplifycfg,early-cse,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=SOURCES
; RUN: %opt -kernel=early_write -block=16 -lanes=16 -passes='read-inside,llvm(verify,simplifycfg,early-cse,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=EARLY
; RUN: %opt -kernel=columns -block=16 -lanes=16 -passes='read-inside,llvm(verify,simplifycfg,early-cse,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=COLUMNS
; RUN: %opt -kernel=stencil -block=16 -lanes=16 -target=znver5 -passes='read-inside,llvm(verify,simplifycfg,early-cse,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=SLOW
; RUN: %opt -kernel=within -block=20 -lanes=16 -passes='read-inside,llvm(verify,simplifycfg,early-cse,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=WITHIN
; RUN: %opt -kernel=down -block=16,2 -lanes=16 -target=znver5 -passes='read-inside,llvm(verify,simplifycfg,early-cse,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=DOWN
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare range(i32 0, 2) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare range(i32 0, 1000000) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare ptr @__lanza_shared() memory(none) willreturn nounwind
declare i64 @__lanza_sync(i32, i32, i32, i64, i32) convergent

; The block writes out[first .. first + 15] and reads in[first - 1 .. first + 16]: asked, for the block, whether these lie
; apart. Then threads read in[g - 1] and in[g + 1].
; STENCIL-LABEL: define void @stencil(
; STENCIL-DAG: [[IN:%.*]] = ptrtoint ptr %in to i64
; STENCIL-DAG: [[OUT:%.*]] = ptrtoint ptr %out to i64
; STENCIL-DAG: or i1
; STENCIL: br i1 {{.*}}, label %inside, label %edges
; STENCIL: inside:
; STENCIL: call i64 @__lanza_sync
; STENCIL-NOT: @__lanza_shared
; STENCIL-NOT: @__lanza_sync
; STENCIL: [[LEFT:%.*]] = getelementptr i8, ptr {{.*}}, i64 -4
; STENCIL: load float, ptr [[LEFT]]
; STENCIL: [[RIGHT:%.*]] = getelementptr i8, ptr {{.*}}, i64 4
; STENCIL: load float, ptr [[RIGHT]]
; STENCIL-NOT: load float
; STENCIL: store float {{.*}}, ptr

define void @stencil(ptr %in, ptr %out) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = shl nuw nsw i32 %b, 4
  %lies = icmp ne i32 %b, 0
  br i1 %lies, label %inside, label %edges
edges:
  %e = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0), !lanza.seldom !0
  ret void
inside:
  %i = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = add nuw nsw i32 %first, %t
  %at = zext nneg i32 %g to i64
  %p = getelementptr float, ptr %in, i64 %at
  %s = call ptr @__lanza_shared()
  %t.wide = zext nneg i32 %t to i64
  %left = getelementptr float, ptr %s, i64 %t.wide
  %middle = getelementptr i8, ptr %left, i64 4
  %v = load float, ptr %p
  store float %v, ptr %middle
  %few = icmp ult i32 %t, 1
  br i1 %few, label %ends, label %wait
ends:
  %before = getelementptr i8, ptr %p, i64 -4
  %w = load float, ptr %before
  store float %w, ptr %left
  %behind = getelementptr i8, ptr %p, i64 64
  %x = load float, ptr %behind
  %last = getelementptr i8, ptr %middle, i64 64
  store float %x, ptr %last
  br label %wait
wait:
  %n = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %a = load float, ptr %left
  %right = getelementptr i8, ptr %left, i64 8
  %c = load float, ptr %right
  %sum = fadd float %a, %c
  %q = getelementptr float, ptr %out, i64 %at
  store float %sum, ptr %q
  ret void
}

; Nothing is asked where nobody else writes what is read.
; RESTRICTED-LABEL: define void @restricted(
; RESTRICTED-NOT: ptrtoint
; RESTRICTED: inside:
; RESTRICTED-NOT: @__lanza_shared
; RESTRICTED: {{^[}]}}
define void @restricted(ptr noalias %in, ptr %out) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = shl nuw nsw i32 %b, 4
  %lies = icmp ne i32 %b, 0
  br i1 %lies, label %inside, label %edges
edges:
  %e = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0), !lanza.seldom !0
  ret void
inside:
  %i = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = add nuw nsw i32 %first, %t
  %at = zext nneg i32 %g to i64
  %p = getelementptr float, ptr %in, i64 %at
  %s = call ptr @__lanza_shared()
  %t.wide = zext nneg i32 %t to i64
  %left = getelementptr float, ptr %s, i64 %t.wide
  %middle = getelementptr i8, ptr %left, i64 4
  %v = load float, ptr %p
  store float %v, ptr %middle
  %few = icmp ult i32 %t, 1
  br i1 %few, label %ends, label %wait
ends:
  %before = getelementptr i8, ptr %p, i64 -4
  %w = load float, ptr %before
  store float %w, ptr %left
  %behind = getelementptr i8, ptr %p, i64 64
  %x = load float, ptr %behind
  %last = getelementptr i8, ptr %middle, i64 64
  store float %x, ptr %last
  br label %wait
wait:
  %n = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %a = load float, ptr %left
  %right = getelementptr i8, ptr %left, i64 8
  %c = load float, ptr %right
  %sum = fadd float %a, %c
  %q = getelementptr float, ptr %out, i64 %at
  store float %sum, ptr %q
  ret void
}

; Both ends by a thread each, chosen by a switch.
; FEW-LABEL: define void @by_few(
; FEW: inside:
; FEW-NOT: @__lanza_shared
; FEW-COUNT-2: load float
; FEW-NOT: load float
; FEW: {{^[}]}}
define void @by_few(ptr %in, ptr %out) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = shl nuw nsw i32 %b, 4
  %lies = icmp ne i32 %b, 0
  br i1 %lies, label %inside, label %edges
edges:
  %e = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0), !lanza.seldom !0
  ret void
inside:
  %i = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = add nuw nsw i32 %first, %t
  %at = zext nneg i32 %g to i64
  %p = getelementptr float, ptr %in, i64 %at
  %s = call ptr @__lanza_shared()
  %t.wide = zext nneg i32 %t to i64
  %left = getelementptr float, ptr %s, i64 %t.wide
  %middle = getelementptr i8, ptr %left, i64 4
  %v = load float, ptr %p
  store float %v, ptr %middle
  switch i32 %t, label %wait [
    i32 0, label %begin
    i32 15, label %end
  ]
begin:
  %before = getelementptr i8, ptr %p, i64 -4
  %w = load float, ptr %before
  store float %w, ptr %s
  br label %wait
end:
  %behind = getelementptr i8, ptr %p, i64 4
  %x = load float, ptr %behind
  %last = getelementptr i8, ptr %s, i64 68
  store float %x, ptr %last
  br label %wait
wait:
  %n = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %a = load float, ptr %left
  %right = getelementptr i8, ptr %left, i64 8
  %c = load float, ptr %right
  %sum = fadd float %a, %c
  %q = getelementptr float, ptr %out, i64 %at
  store float %sum, ptr %q
  ret void
}

; No halo: it may be that the block works in place, and would always take the other way.
; PLACE-LABEL: define void @in_place(
; PLACE-NOT: ptrtoint
; PLACE: inside:
; PLACE: @__lanza_shared
; PLACE: {{^[}]}}
define void @in_place(ptr %in, ptr %out) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = shl nuw nsw i32 %b, 4
  %lies = icmp ne i32 %b, 0
  br i1 %lies, label %inside, label %edges
edges:
  %e = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0), !lanza.seldom !0
  ret void
inside:
  %i = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = add nuw nsw i32 %first, %t
  %at = zext nneg i32 %g to i64
  %p = getelementptr float, ptr %in, i64 %at
  %s = call ptr @__lanza_shared()
  %t.wide = zext nneg i32 %t to i64
  %left = getelementptr float, ptr %s, i64 %t.wide
  %middle = getelementptr i8, ptr %left, i64 4
  %v = load float, ptr %p
  store float %v, ptr %left
  br label %wait
wait:
  %n = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %a = load float, ptr %s
  %sum = fadd float %a, %v
  %q = getelementptr float, ptr %out, i64 %at
  store float %sum, ptr %q
  ret void
}

; The left end comes from elsewhere: no sum of thread indices says where an element came from.
; SOURCES-LABEL: define void @two_sources(
; SOURCES: inside:
; SOURCES: @__lanza_shared
; SOURCES: {{^[}]}}
define void @two_sources(ptr %in, ptr %out) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = shl nuw nsw i32 %b, 4
  %lies = icmp ne i32 %b, 0
  br i1 %lies, label %inside, label %edges
edges:
  %e = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0), !lanza.seldom !0
  ret void
inside:
  %i = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = add nuw nsw i32 %first, %t
  %at = zext nneg i32 %g to i64
  %p = getelementptr float, ptr %in, i64 %at
  %s = call ptr @__lanza_shared()
  %t.wide = zext nneg i32 %t to i64
  %left = getelementptr float, ptr %s, i64 %t.wide
  %middle = getelementptr i8, ptr %left, i64 4
  %v = load float, ptr %p
  store float %v, ptr %middle
  %few = icmp ult i32 %t, 1
  br i1 %few, label %ends, label %wait
ends:
  %before = getelementptr i8, ptr %p, i64 -8
  %w = load float, ptr %before
  store float %w, ptr %left
  %behind = getelementptr i8, ptr %p, i64 64
  %x = load float, ptr %behind
  %last = getelementptr i8, ptr %middle, i64 64
  store float %x, ptr %last
  br label %wait
wait:
  %n = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %a = load float, ptr %left
  %right = getelementptr i8, ptr %left, i64 8
  %c = load float, ptr %right
  %sum = fadd float %a, %c
  %q = getelementptr float, ptr %out, i64 %at
  store float %sum, ptr %q
  ret void
}

; What is written ahead of the barrier may be what another thread copies behind it, then.
; EARLY-LABEL: define void @early_write(
; EARLY: inside:
; EARLY: @__lanza_shared
; EARLY: {{^[}]}}
define void @early_write(ptr %in, ptr %out) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = shl nuw nsw i32 %b, 4
  %lies = icmp ne i32 %b, 0
  br i1 %lies, label %inside, label %edges
edges:
  %e = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0), !lanza.seldom !0
  ret void
inside:
  %i = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = add nuw nsw i32 %first, %t
  %at = zext nneg i32 %g to i64
  %p = getelementptr float, ptr %in, i64 %at
  %s = call ptr @__lanza_shared()
  %t.wide = zext nneg i32 %t to i64
  %left = getelementptr float, ptr %s, i64 %t.wide
  %o = getelementptr float, ptr %out, i64 %at
  store float 0.0, ptr %o
  %middle = getelementptr i8, ptr %left, i64 4
  %v = load float, ptr %p
  store float %v, ptr %middle
  %few = icmp ult i32 %t, 1
  br i1 %few, label %ends, label %wait
ends:
  %before = getelementptr i8, ptr %p, i64 -4
  %w = load float, ptr %before
  store float %w, ptr %left
  %behind = getelementptr i8, ptr %p, i64 64
  %x = load float, ptr %behind
  %last = getelementptr i8, ptr %middle, i64 64
  store float %x, ptr %last
  br label %wait
wait:
  %n = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %a = load float, ptr %left
  %right = getelementptr i8, ptr %left, i64 8
  %c = load float, ptr %right
  %sum = fadd float %a, %c
  %q = getelementptr float, ptr %out, i64 %at
  store float %sum, ptr %q
  ret void
}

; Threads side by side read what lies far apart: columns are read from the tile.
; COLUMNS-LABEL: define void @columns(
; COLUMNS: inside:
; COLUMNS: @__lanza_shared
; COLUMNS: {{^[}]}}
define void @columns(ptr noalias %in, ptr %out, i32 %width) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = shl nuw nsw i32 %b, 4
  %lies = icmp ne i32 %b, 0
  br i1 %lies, label %inside, label %edges
edges:
  %e = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0), !lanza.seldom !0
  ret void
inside:
  %i = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = add nuw nsw i32 %first, %t
  %at = zext nneg i32 %g to i64
  %down = mul nuw nsw i32 %g, %width
  %down.wide = zext nneg i32 %down to i64
  %p = getelementptr float, ptr %in, i64 %down.wide
  %s = call ptr @__lanza_shared()
  %t.wide = zext nneg i32 %t to i64
  %left = getelementptr float, ptr %s, i64 %t.wide
  %middle = getelementptr i8, ptr %left, i64 4
  %v = load float, ptr %p
  store float %v, ptr %left
  br label %wait
wait:
  %n = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %a = load float, ptr %left
  %sum = fadd float %a, 1.0
  %q = getelementptr float, ptr %out, i64 %at
  store float %sum, ptr %q
  ret void
}

!0 = !{}

; Loads across two lines are slow, and the tile's rows begin with one.
; Of 20 threads that copy the first 16 read, who have the same elements beside them wherever the array ends.
; WITHIN-LABEL: define void @within(
; WITHIN: inside:
; WITHIN-NOT: @__lanza_shared
; WITHIN: ret void
define void @within(ptr noalias %in, ptr %out, i32 %n) {
entry:
  %b = call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = shl nuw nsw i32 %b, 4
  %lies = icmp ne i32 %b, 0
  br i1 %lies, label %inside, label %edges
edges:
  %e = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0), !lanza.seldom !0
  ret void
inside:
  %i = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %t = call range(i32 0, 20) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = add nuw nsw i32 %first, %t
  %at = zext nneg i32 %g to i64
  %p = getelementptr float, ptr %in, i64 %at
  %s = call ptr @__lanza_shared()
  %t.wide = zext nneg i32 %t to i64
  %own = getelementptr float, ptr %s, i64 %t.wide
  %v = load float, ptr %p
  store float %v, ptr %own
  %wait = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %few = icmp ult i32 %t, 16
  %known = icmp slt i32 %g, %n
  %both = and i1 %few, %known
  br i1 %both, label %work, label %end
work:
  %beside = getelementptr i8, ptr %own, i64 16
  %a = load float, ptr %own
  %c = load float, ptr %beside
  %sum = fadd float %a, %c
  %o = getelementptr float, ptr %out, i64 %at
  store float %sum, ptr %o
  br label %end
end:
  ret void
}

; SLOW-LABEL: define void @stencil(
; SLOW: inside:
; SLOW: @__lanza_shared
; SLOW: {{^[}]}}

; Not where all that is read begins in its line where the copies did: rows from the one above to the one below.
; DOWN-LABEL: define void @down(
; DOWN: inside:
; DOWN: call i64 @__lanza_sync
; DOWN-NOT: @__lanza_shared
; DOWN-NOT: @__lanza_sync
; DOWN: [[K:%.*]] = phi i32 [ -1, {{.*}} ]
; DOWN: [[WIDE:%.*]] = sext i32 [[K]] to i64
; DOWN: shl nsw i64 [[WIDE]], 2
; DOWN: mul i64
; DOWN: load float, ptr
; DOWN: {{^[}]}}

define void @down(ptr noalias %in, ptr %out, i32 %width) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = shl nuw nsw i32 %b, 1
  %lies = icmp ne i32 %b, 0
  br i1 %lies, label %inside, label %edges
edges:
  %e = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0), !lanza.seldom !0
  ret void
inside:
  %i = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %t.wide = zext nneg i32 %t to i64
  %own = add nuw nsw i32 %first, %row
  %s = call ptr @__lanza_shared()
  %above = add nsw i32 %own, -1
  %above.at = mul nsw i32 %above, %width
  %above.x = add nsw i32 %above.at, %t
  %above.wide = sext i32 %above.x to i64
  %p = getelementptr float, ptr %in, i64 %above.wide
  %v = load float, ptr %p
  %row.wide = zext nneg i32 %row to i64
  %to = getelementptr [16 x float], ptr %s, i64 %row.wide, i64 %t.wide
  store float %v, ptr %to
  %below = add nsw i32 %own, 1
  %below.at = mul nsw i32 %below, %width
  %below.x = add nsw i32 %below.at, %t
  %below.wide = sext i32 %below.x to i64
  %q = getelementptr float, ptr %in, i64 %below.wide
  %w = load float, ptr %q
  %later = add nuw nsw i64 %row.wide, 2
  %to.later = getelementptr [16 x float], ptr %s, i64 %later, i64 %t.wide
  store float %w, ptr %to.later
  br label %wait
wait:
  %n = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %middle = add nuw nsw i32 %row, 1
  br label %loop
loop:
  %k = phi i32 [ -1, %wait ], [ %next, %loop ]
  %sum = phi float [ 0.0, %wait ], [ %more, %loop ]
  %place = add nsw i32 %middle, %k
  %place.wide = sext i32 %place to i64
  %from = getelementptr [16 x float], ptr %s, i64 %place.wide, i64 %t.wide
  %a = load float, ptr %from
  %more = fadd float %sum, %a
  %next = add nsw i32 %k, 1
  %done = icmp eq i32 %next, 2
  br i1 %done, label %end, label %loop
end:
  %out.at = mul nsw i32 %own, %width
  %out.x = add nsw i32 %out.at, %t
  %out.wide = sext i32 %out.x to i64
  %o = getelementptr float, ptr %out, i64 %out.wide
  store float %more, ptr %o
  ret void
}
