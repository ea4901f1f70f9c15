; Guards and clamps of what a thread reads around its place, in kernels without a guard of their own.
; RUN: %opt -kernel=taps -block=256 -lanes=16 -passes='version-guards,llvm(verify,simplifycfg,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=TAPS
; RUN: %opt -kernel=rows -block=32,8 -lanes=16 -passes='version-guards,llvm(verify,simplifycfg,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=ROWS
; RUN: %opt -kernel=clamped_rows -block=32,8 -lanes=16 -passes='version-guards,llvm(verify,simplifycfg,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=CLAMP
; RUN: %opt -kernel=turns -block=32,8 -lanes=16 -passes=version-guards %s | %check %s --check-prefix=TURNS
; RUN: %opt -kernel=neighbours -block=256 -lanes=16 -passes='version-guards,llvm(verify,simplifycfg,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=BESIDE
; RUN: %opt -kernel=first_row -block=32,8 -lanes=16 -passes='version-guards,llvm(verify,simplifycfg,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=TOPROW
; RUN: %opt -kernel=by_data -block=256 -lanes=16 -passes=version-guards %s | %check %s --check-prefix=DATA
; RUN: %opt -kernel=shifted -block=256 -lanes=16 -passes='version-guards,llvm(verify,simplifycfg,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=SHIFTED
; RUN: %opt -kernel=behind_barrier -block=256 -lanes=16 -passes='version-guards,llvm(verify,simplifycfg,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=BEHIND
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)

; for (k = -8; k <= 8; ++k) sum += t + k >= 0 && t + k < w ? in[t + k] : 0: both ends are asked about once; the copy
; asks no more.
; TAPS-LABEL: define void @taps(
; TAPS-COUNT-2: call i1 @lanza.all(
; TAPS: br i1 {{.*}}, label %[[FAST:.*]], label %{{.*}}
; TAPS: icmp ult i32
; TAPS: load float
; TAPS: [[FAST]]:
; TAPS-NOT: icmp ult
; TAPS: load float
; TAPS-NOT: icmp ult
; TAPS: store float
define void @taps(ptr %in, ptr %out, i32 %w) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %k = phi i32 [ -8, %entry ], [ %next, %latch ]
  %sum = phi float [ 0.0, %entry ], [ %more, %latch ]
  %x = add nsw i32 %t, %k
  %inside = icmp ult i32 %x, %w
  br i1 %inside, label %tap, label %latch
tap:
  %wide = sext i32 %x to i64
  %p = getelementptr float, ptr %in, i64 %wide
  %v = load float, ptr %p
  br label %latch
latch:
  %read = phi float [ %v, %tap ], [ 0.0, %loop ]
  %more = fadd float %sum, %read
  %next = add nsw i32 %k, 1
  %done = icmp eq i32 %next, 9
  br i1 %done, label %after, label %loop
after:
  %to = zext i32 %t to i64
  %q = getelementptr float, ptr %out, i64 %to
  store float %more, ptr %q
  ret void
}

; The same along y, which lanes of a row share: asked once, without lanza.all, as the lanes agree; both guards at once.
; ROWS-LABEL: define void @rows(
; ROWS-COUNT-2: call i1 @lanza.all(
; ROWS: br i1 {{.*}}, label %[[FAST:.*]], label %{{.*}}
; ROWS: icmp ult i32 %y
; ROWS: [[FAST]]:
; ROWS-NOT: icmp ult
; ROWS: load float
; ROWS-NOT: icmp ult
; ROWS: store float
define void @rows(ptr %in, ptr %out, i32 %w, i32 %h) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call range(i32 0, 8) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %first = shl nsw i32 %by, 3
  %row = add nsw i32 %first, %ty
  br label %loop
loop:
  %k = phi i32 [ -8, %entry ], [ %next, %latch ]
  %sum = phi float [ 0.0, %entry ], [ %more, %latch ]
  %x = add nsw i32 %t, %k
  %y = add nsw i32 %row, %k
  %in.x = icmp ult i32 %x, %w
  %in.y = icmp ult i32 %y, %h
  %inside = select i1 %in.x, i1 %in.y, i1 false
  br i1 %inside, label %tap, label %latch
tap:
  %down = mul nsw i32 %y, %w
  %at = add nsw i32 %down, %x
  %wide = sext i32 %at to i64
  %p = getelementptr float, ptr %in, i64 %wide
  %v = load float, ptr %p
  br label %latch
latch:
  %read = phi float [ %v, %tap ], [ 0.0, %loop ]
  %more = fadd float %sum, %read
  %next = add nsw i32 %k, 1
  %done = icmp eq i32 %next, 9
  br i1 %done, label %after, label %loop
after:
  %to = zext i32 %t to i64
  %q = getelementptr float, ptr %out, i64 %to
  store float %more, ptr %q
  ret void
}

; A clamp that all lanes share, of a row that goes with a counter.
; CLAMP-LABEL: define void @clamped_rows(
; CLAMP-NOT: @lanza.all
; CLAMP: br i1 {{.*}}, label %[[FAST:.*]], label %{{.*}}
; CLAMP-COUNT-2: call i32 @llvm.sm
; CLAMP: [[FAST]]:
; CLAMP-NOT: call i32 @llvm.sm
; CLAMP: store float
define void @clamped_rows(ptr %in, ptr %out, i32 %w, i32 %h, i32 %r) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call range(i32 0, 8) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %before = shl nsw i32 %by, 3
  %row = add nsw i32 %before, %ty
  %first = sub nsw i32 0, %r
  %last = add nsw i32 %h, -1
  br label %loop
loop:
  %k = phi i32 [ %first, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %y = add nsw i32 %row, %k
  %low = call i32 @llvm.smax.i32(i32 %y, i32 0)
  %at.y = call i32 @llvm.smin.i32(i32 %low, i32 %last)
  %down = mul nsw i32 %at.y, %w
  %at = add nsw i32 %down, %t
  %wide = sext i32 %at to i64
  %p = getelementptr float, ptr %in, i64 %wide
  %v = load float, ptr %p
  %more = fadd float %sum, %v
  %next = add nsw i32 %k, 1
  %goes.on = icmp slt i32 %k, %r
  br i1 %goes.on, label %loop, label %after
after:
  %to = zext i32 %t to i64
  %q = getelementptr float, ptr %out, i64 %to
  store float %more, ptr %q
  ret void
}

; What asks for turns, not for a place, is no edge: `if (k < half)` has no copy.
; TURNS-LABEL: define void @turns(
; TURNS-COUNT-1: load float
; TURNS-NOT: load float
; TURNS: {{^[}]}}
define void @turns(ptr %in, ptr %out, i32 %n, i32 %half) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %latch ]
  %sum = phi float [ 0.0, %entry ], [ %more, %latch ]
  %inside = icmp slt i32 %k, %half
  br i1 %inside, label %tap, label %latch
tap:
  %wide = sext i32 %k to i64
  %p = getelementptr float, ptr %in, i64 %wide
  %v = load float, ptr %p
  br label %latch
latch:
  %read = phi float [ %v, %tap ], [ 0.0, %loop ]
  %more = fadd float %sum, %read
  %next = add nsw i32 %k, 1
  %goes.on = icmp slt i32 %next, %n
  br i1 %goes.on, label %loop, label %after
after:
  %to = zext i32 %t to i64
  %q = getelementptr float, ptr %out, i64 %to
  store float %more, ptr %q
  ret void
}

; t > 0 ? in[t - 1] : 0 and t < n - 1 ? in[t + 1] : 0: loads too small for copies of their own have one together.
; BESIDE-LABEL: define void @neighbours(
; BESIDE: br i1 {{.*}}, label %[[FAST:.*]], label %{{.*}}
; BESIDE: [[FAST]]:
; BESIDE-NOT: br i1
; BESIDE-COUNT-2: load float
; BESIDE-NOT: br i1
; BESIDE: store float
define void @neighbours(ptr %in, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %last = add nsw i32 %n, -1
  %at = zext nneg i32 %t to i64
  %here = getelementptr float, ptr %in, i64 %at
  %has.left = icmp sgt i32 %t, 0
  br i1 %has.left, label %left, label %middle
left:
  %l.p = getelementptr i8, ptr %here, i64 -4
  %l.v = load float, ptr %l.p
  br label %middle
middle:
  %l = phi float [ %l.v, %left ], [ 0.0, %entry ]
  %has.right = icmp slt i32 %t, %last
  br i1 %has.right, label %right, label %end
right:
  %r.p = getelementptr i8, ptr %here, i64 4
  %r.v = load float, ptr %r.p
  br label %end
end:
  %r = phi float [ %r.v, %right ], [ 0.0, %middle ]
  %sum = fadd float %l, %r
  %q = getelementptr float, ptr %out, i64 %at
  store float %sum, ptr %q
  ret void
}

; One of the guards asks for what memory holds: a copy in which it is still asked is not worth it.
; DATA-LABEL: define void @by_data(
; DATA-NOT: @lanza.all
; DATA: {{^[}]}}
define void @by_data(ptr %in, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = zext nneg i32 %t to i64
  %here = getelementptr float, ptr %in, i64 %at
  %h = load float, ptr %here
  %has.left = icmp sgt i32 %t, 0
  br i1 %has.left, label %left, label %middle
left:
  %l.p = getelementptr i8, ptr %here, i64 -4
  %l.v = load float, ptr %l.p
  br label %middle
middle:
  %l = phi float [ %l.v, %left ], [ 0.0, %entry ]
  %goes.on = fcmp ogt float %h, 0.0
  br i1 %goes.on, label %right, label %end
right:
  %r.p = getelementptr i8, ptr %here, i64 4
  %r.v = load float, ptr %r.p
  br label %end
end:
  %r = phi float [ %r.v, %right ], [ 0.0, %middle ]
  %sum = fadd float %l, %r
  %q = getelementptr float, ptr %out, i64 %at
  store float %sum, ptr %q
  ret void
}

; 2 * y + k != 0, as LLVM asks whether 2 * y + k - 1 is a row: known where the first turn's is above 0.
; TOPROW-LABEL: define void @first_row(
; TOPROW: [[ABOVE:%.*]] = icmp {{sgt|ne}} {{i32|i64}} {{%.*}}, 0
; TOPROW: br i1 {{%.*}}, label %[[FAST:.*]], label %{{.*}}
; TOPROW: icmp ne i32 %row, 0
; TOPROW: [[FAST]]:
; TOPROW-NOT: icmp ne
; TOPROW: store float
define void @first_row(ptr %in, ptr %out, i32 %w, i32 %h) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %guard = icmp slt i32 %x, %w
  br i1 %guard, label %start, label %end
start:
  %twice = shl nuw nsw i32 %y, 1
  br label %loop
loop:
  %k = phi i32 [ 0, %start ], [ %next, %latch ]
  %sum = phi float [ 0.0, %start ], [ %more, %latch ]
  %row = add nuw nsw i32 %twice, %k
  %first = icmp ne i32 %row, 0
  %below = icmp sle i32 %row, %h
  %inside = and i1 %first, %below
  br i1 %inside, label %tap, label %latch
tap:
  %above = add nsw i32 %row, -1
  %begin = mul nsw i32 %above, %w
  %at = add nsw i32 %begin, %x
  %wide = sext i32 %at to i64
  %p = getelementptr float, ptr %in, i64 %wide
  %v = load float, ptr %p
  br label %latch
latch:
  %read = phi float [ %v, %tap ], [ 0.0, %loop ]
  %more = fadd float %sum, %read
  %next = add nuw nsw i32 %k, 1
  %done = icmp eq i32 %next, 3
  br i1 %done, label %after, label %loop
after:
  %o = getelementptr float, ptr %out, i32 %x
  store float %more, ptr %o
  br label %end
end:
  ret void
}

; `t + k - 7 >= 0` as LLVM asks it where t + k is never negative: t + k is above 6 without a sign.
; SHIFTED-LABEL: define void @shifted(
; SHIFTED-COUNT-2: call i1 @lanza.all(
; SHIFTED: br i1 {{.*}}, label %[[FAST:.*]], label %{{.*}}
; SHIFTED: icmp ugt i32
; SHIFTED: load float
; SHIFTED: [[FAST]]:
; SHIFTED-NOT: icmp ugt
; SHIFTED: {{^[}]}}
define void @shifted(ptr %in, ptr %out, i32 %w) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %latch ]
  %sum = phi float [ 0.0, %entry ], [ %more, %latch ]
  %place = add nuw nsw i32 %t, %k
  %x = add nsw i32 %place, -7
  %above = icmp ugt i32 %place, 6
  %below = icmp slt i32 %x, %w
  %inside = and i1 %above, %below
  br i1 %inside, label %tap, label %latch
tap:
  %wide = sext i32 %x to i64
  %p = getelementptr float, ptr %in, i64 %wide
  %v = load float, ptr %p
  br label %latch
latch:
  %read = phi float [ %v, %tap ], [ 0.0, %loop ]
  %more = fadd float %sum, %read
  %next = add nuw nsw i32 %k, 1
  %done = icmp eq i32 %next, 15
  br i1 %done, label %after, label %loop
after:
  %to = zext i32 %t to i64
  %q = getelementptr float, ptr %out, i64 %to
  store float %more, ptr %q
  ret void
}

; Behind a barrier as in a kernel without one, and around places that are quotients: base - k >= 0 && base - k < w.
; BEHIND-LABEL: define void @behind_barrier(
; BEHIND: call i64 @__lanza_sync(
; BEHIND-COUNT-2: call i1 @lanza.all(
; BEHIND: br i1 {{.*}}, label %[[FAST:.*]], label %{{.*}}
; BEHIND: icmp ult i32
; BEHIND: load float
; BEHIND: [[FAST]]:
; BEHIND-NOT: icmp ult
; BEHIND: load float
; BEHIND-NOT: icmp ult
; BEHIND: store float
define void @behind_barrier(ptr %in, ptr %out, i32 %w) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wait = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %twice = shl nuw nsw i32 %t, 1
  %base = udiv i32 %twice, 3
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %latch ]
  %sum = phi float [ 0.0, %entry ], [ %more, %latch ]
  %x = sub nsw i32 %base, %k
  %inside = icmp ult i32 %x, %w
  br i1 %inside, label %tap, label %latch
tap:
  %wide = sext i32 %x to i64
  %p = getelementptr float, ptr %in, i64 %wide
  %v = load float, ptr %p
  br label %latch
latch:
  %read = phi float [ %v, %tap ], [ 0.0, %loop ]
  %more = fadd float %sum, %read
  %next = add nsw i32 %k, 1
  %done = icmp eq i32 %next, 9
  br i1 %done, label %after, label %loop
after:
  %to = zext i32 %t to i64
  %q = getelementptr float, ptr %out, i64 %to
  store float %more, ptr %q
  ret void
}
