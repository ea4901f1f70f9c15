; RUN: %opt -kernel=first_thread -block=16 -lanes=16 -passes=version-guards %s | %check %s --check-prefix=NOBODY
; RUN: %opt -kernel=bits -block=256 -lanes=16 -passes=version-guards %s | %check %s --check-prefix=BITS
; RUN: %opt -kernel=steps -block=256 -lanes=16 -passes='version-guards,llvm(simplifycfg,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=STEP
; RUN: %opt -kernel=clamped -block=256 -lanes=16 -passes='version-guards,llvm(simplifycfg,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=CLAMP
; RUN: %opt -kernel=wrapped -block=256 -lanes=16 -passes='version-guards,llvm(simplifycfg,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=WRAP
; RUN: %opt -kernel=columns -block=256 -lanes=16 -passes=version-guards %s | %check %s --check-prefix=COLUMN
; RUN: %opt -kernel=remainders -block=256 -lanes=16 -passes='version-guards,llvm(simplifycfg,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=REM
; RUN: %opt -kernel=two_back -block=256 -lanes=16 -passes='version-guards,llvm(simplifycfg,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=BACK
; RUN: %opt -kernel=neighbours -block=256 -lanes=16 -passes='version-guards,llvm(simplifycfg)' %s | %check %s --check-prefix=INNER
; RUN: %opt -kernel=bare -block=256 -lanes=16 -passes='version-guards,llvm(simplifycfg,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=BARE
; RUN: %opt -kernel=small -block=256 -lanes=16 -passes=version-guards %s | %check %s --check-prefix=SMALL
; RUN: %opt -kernel=waits -block=256 -lanes=16 -passes=version-guards %s | %check %s --check-prefix=WAITS
; RUN: %opt -kernel=strides -block=256 -lanes=16 -passes=version-guards %s | %check %s --check-prefix=STRIDES
; RUN: %opt -kernel=by_data -block=256 -lanes=16 -passes=version-guards %s | %check %s --check-prefix=DATA
; RUN: %opt -kernel=clamped -block=256 -lanes=16 -passes=version-guards,single-lane %s | %check %s --check-prefix=ONE
; RUN: %opt -kernel=all_but_one -block=256 -lanes=16 -passes=version-guards %s | %check %s --check-prefix=BUT
; RUN: %opt -kernel=colours -block=256 -lanes=16 -passes=version-guards %s | %check %s --check-prefix=COLOUR
; RUN: %opt -kernel=window -block=256 -lanes=16 -passes='version-guards,llvm(verify,simplifycfg,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=WINDOW
; RUN: %opt -kernel=disparities -block=256 -lanes=16 -passes='version-guards,llvm(verify,simplifycfg,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=FALLS
; RUN: %opt -kernel=behind_a_loop -block=256 -lanes=16 -passes=version-guards %s | %check %s --check-prefix=BEHIND
; RUN: %opt -kernel=tile -block=256 -lanes=16 -passes='version-guards,llvm(simplifycfg,instcombine<no-verify-fixpoint>)' %s | %check %s --check-prefix=TILE
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)
declare i64 @__lanza_sync(i32, i32, i32, i64, i32) convergent

; Two clamps on either side are one bound each; in the copy the addresses are those of the neighbours.
; CLAMP-LABEL: @clamped(
; CLAMP: [[ENOUGH:%.*]] = icmp sle i64 [[UP:%.*]], %{{.*}}
; CLAMP: [[A:%.*]] = call i1 @lanza.all(i1 [[ENOUGH]])
; CLAMP: [[LOW:%.*]] = icmp sgt i32 %i, 1
; CLAMP: [[B:%.*]] = call i1 @lanza.all(i1 [[LOW]])
; CLAMP: [[ALL:%.*]] = and i1 [[A]], [[B]]
; CLAMP: br i1 [[ALL]], label %[[FAST:.*]], label %some
; CLAMP: some:
; CLAMP: br i1 %in, label %body, label %end
; CLAMP: body:
; CLAMP-COUNT-4: call i32 @llvm.sm
; CLAMP: [[FAST]]:
; CLAMP-NOT: llvm.sm
; CLAMP: store float
; CLAMP: br label %end
; ONE-LABEL: @clamped(
; ONE-NOT: lanza.all
define void @clamped(i32 %n, ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %b = shl i32 %c, 8
  %i = or disjoint i32 %b, %t
  %in = icmp slt i32 %i, %n
  br i1 %in, label %body, label %end
body:
  %last = add nsw i32 %n, -1
  %l1 = add nsw i32 %i, -1
  %l1c = call i32 @llvm.smax.i32(i32 %l1, i32 0)
  %l2 = add nsw i32 %i, -2
  %l2c = call i32 @llvm.smax.i32(i32 %l2, i32 0)
  %r1 = add nsw i32 %i, 1
  %r1c = call i32 @llvm.smin.i32(i32 %r1, i32 %last)
  %r2 = add nsw i32 %i, 2
  %r2c = call i32 @llvm.smin.i32(i32 %r2, i32 %last)
  %a = call float @at(ptr %x, i32 %l1c)
  %bb = call float @at(ptr %x, i32 %l2c)
  %cc = call float @at(ptr %x, i32 %r1c)
  %d = call float @at(ptr %x, i32 %r2c)
  %s1 = fadd float %a, %bb
  %s2 = fadd float %cc, %d
  %s = fadd float %s1, %s2
  %wide = sext i32 %i to i64
  %to = getelementptr float, ptr %y, i64 %wide
  store float %s, ptr %to
  br label %end
end:
  ret void
}
declare float @at(ptr, i32)

; Below n, and not n - 1, is one bound; not 0 is taken to be above it.
; WRAP-LABEL: @wrapped(
; WRAP: add nsw i64 %{{.*}}, 2
; WRAP: [[IN:%.*]] = icmp sle i64
; WRAP: call i1 @lanza.all(i1 [[IN]])
; WRAP: [[FIRST:%.*]] = icmp sgt i32 %i, 0
; WRAP: call i1 @lanza.all(i1 [[FIRST]])
; WRAP-NOT: lanza.all
; WRAP: label %some
; WRAP: body:
; WRAP: select
; WRAP: body.fast:
; WRAP-NOT: select
; WRAP: call float @at(ptr %x, i32 [[L:%.*]])
define void @wrapped(i32 %n, ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %b = shl i32 %c, 8
  %i = or disjoint i32 %b, %t
  %in = icmp slt i32 %i, %n
  br i1 %in, label %body, label %end
body:
  %last = add nsw i32 %n, -1
  %l = add nsw i32 %i, -1
  %first = icmp eq i32 %i, 0
  %left = select i1 %first, i32 %last, i32 %l
  %r = add nsw i32 %i, 1
  %final = icmp eq i32 %i, %last
  %right = select i1 %final, i32 0, i32 %r
  %a = call float @at(ptr %x, i32 %left)
  %c1 = call float @at(ptr %x, i32 %right)
  %wide = sext i32 %i to i64
  %to = getelementptr float, ptr %y, i64 %wide
  store float %a, ptr %to
  br label %end
end:
  ret void
}

; (i + n - 1) % n is i - 1 in the copy, and the guard against n = 0 is out of it.
; REM-LABEL: @remainders(
; REM: call i1 @lanza.all(
; REM: body:
; REM: srem
; REM: body.fast:
; REM-NOT: srem
; REM-NOT: select
; REM: [[L:%.*]] = add nsw i32 %i, -1
; REM: call float @at(ptr %x, i32 [[L]])
define void @remainders(i32 %n, ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %b = shl i32 %c, 8
  %i = or disjoint i32 %b, %t
  %in = icmp slt i32 %i, %n
  br i1 %in, label %body, label %end
body:
  %none = icmp eq i32 %n, 0
  %safe = select i1 %none, i32 1, i32 %n
  %up = add nsw i32 %i, %n
  %l = add nsw i32 %up, -1
  %r = srem i32 %l, %safe
  %left = select i1 %none, i32 -1, i32 %r
  %a = call float @at(ptr %x, i32 %left)
  %wide = sext i32 %i to i64
  %to = getelementptr float, ptr %y, i64 %wide
  store float %a, ptr %to
  br label %end
end:
  ret void
}

; As a number without a sign x + n - 2 may wrap; not where n is at most 2^30 and x - 2 lies within [0, n).
; BACK-LABEL: @two_back(
; BACK: icmp ult i32 %n, 1073741825
; BACK: body:
; BACK: urem
; BACK: body.fast:
; BACK-NOT: urem
; BACK: [[L:%.*]] = add nsw i32 %i, -2
; BACK: call float @at(ptr %x, i32 [[L]])
define void @two_back(i32 %n, ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %b = shl i32 %c, 8
  %i = or disjoint i32 %b, %t
  %in = icmp slt i32 %i, %n
  br i1 %in, label %body, label %end
body:
  %up = add nuw nsw i32 %i, %n
  %l = add nsw i32 %up, -2
  %left = urem i32 %l, %n
  %a = call float @at(ptr %x, i32 %left)
  %wide = sext i32 %i to i64
  %to = getelementptr float, ptr %y, i64 %wide
  store float %a, ptr %to
  br label %end
end:
  ret void
}

; i % n without a step is no wrap but the column of a flat index; so is (i + 1) % n beside (i + 1) / n.
; COLUMN-LABEL: @columns(
; COLUMN: body.fast:
; COLUMN: srem
; COLUMN: srem
define void @columns(i32 %n, i32 %width, ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %b = shl i32 %c, 8
  %i = or disjoint i32 %b, %t
  %in = icmp slt i32 %i, %n
  br i1 %in, label %body, label %end
body:
  %column = srem i32 %i, %width
  %next = add nsw i32 %i, 1
  %row = sdiv i32 %next, %width
  %other = srem i32 %next, %width
  %a = call float @at(ptr %x, i32 %column)
  %d = call float @at(ptr %x, i32 %row)
  %e = call float @at(ptr %x, i32 %other)
  %s = fadd float %a, %d
  %u = fadd float %s, %e
  %wide = sext i32 %i to i64
  %to = getelementptr float, ptr %x, i64 %wide
  store float %u, ptr %to
  br label %end
end:
  ret void
}

; Guards inside the guard are tested with it; what they guard is straight-line code in the copy.
; INNER-LABEL: @neighbours(
; INNER: body.fast:
; INNER-NOT: br i1
; INNER: call float @at
; INNER-NOT: br i1
; INNER: store float
define void @neighbours(i32 %n, ptr %x, ptr %y) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %b = shl i32 %c, 8
  %i = or disjoint i32 %b, %t
  %out = icmp sge i32 %i, %n
  br i1 %out, label %end, label %body
body:
  %has = icmp sgt i32 %i, 0
  br i1 %has, label %left, label %join
left:
  %l = add nsw i32 %i, -1
  %v = call float @at(ptr %x, i32 %l)
  br label %join
join:
  %s = phi float [ 0.0, %body ], [ %v, %left ]
  %wide = sext i32 %i to i64
  %to = getelementptr float, ptr %y, i64 %wide
  store float %s, ptr %to
  br label %end
end:
  ret void
}

; BARE-LABEL: @bare(
; BARE: call i1 @lanza.all(
; BARE: br i1 {{.*}}, label %[[FAST:.*]], label %[[SLOW:.*]]
; BARE: [[SLOW]]:
; BARE: llvm.smax
; BARE: [[FAST]]:
; BARE-NOT: llvm.smax
; BARE: store float
define void @bare(i32 %n, ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %b = shl i32 %c, 8
  %i = or disjoint i32 %b, %t
  %l = add nsw i32 %i, -1
  %left = call i32 @llvm.smax.i32(i32 %l, i32 0)
  %a = call float @at(ptr %x, i32 %left)
  %wide = sext i32 %i to i64
  %to = getelementptr float, ptr %y, i64 %wide
  store float %a, ptr %to
  ret void
}

; A masked store alone costs no more than the test.
; SMALL-LABEL: @small(
; SMALL-NOT: lanza.all
; SMALL: ret void
define void @small(i32 %n, ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %t, %n
  br i1 %in, label %body, label %end
body:
  store float 1.0, ptr %x
  br label %end
end:
  ret void
}

; Groups must agree about barriers; a loop's guard is not what decides; data seldom agree.
; WAITS-LABEL: @waits(
; WAITS-NOT: lanza.all
; WAITS: ret void
define void @waits(i32 %n, ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %t, %n
  br i1 %in, label %body, label %end
body:
  %l = add nsw i32 %t, -1
  %left = call i32 @llvm.smax.i32(i32 %l, i32 0)
  %a = call float @at(ptr %x, i32 %left)
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  store float %a, ptr %y
  br label %end
end:
  ret void
}

; STRIDES-LABEL: @strides(
; STRIDES-NOT: lanza.all
; STRIDES: ret void
define void @strides(i32 %n, ptr %x, ptr %y) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %t, %n
  br i1 %in, label %before, label %end
before:
  %k = mul i32 %n, 3
  br label %body
body:
  %i = phi i32 [ %t, %before ], [ %next, %body ]
  %wide = sext i32 %i to i64
  %to = getelementptr float, ptr %y, i64 %wide
  %from = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %from
  %w = fadd float %v, 1.0
  store float %w, ptr %to
  %next = add nsw i32 %i, 32
  %more = icmp slt i32 %next, %n
  br i1 %more, label %body, label %done
done:
  br label %end
end:
  ret void
}

; DATA-LABEL: @by_data(
; DATA-NOT: lanza.all
; DATA: ret void
define void @by_data(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %t to i64
  %from = getelementptr i32, ptr %x, i64 %wide
  %v = load i32, ptr %from
  %in = icmp slt i32 %v, 9
  br i1 %in, label %body, label %end
body:
  %l = add nsw i32 %t, -1
  %left = call i32 @llvm.smax.i32(i32 %l, i32 0)
  %a = call float @at(ptr %x, i32 %left)
  store float %a, ptr %y
  br label %end
end:
  ret void
}

; What decides about another turn of a loop is no guard of the code behind it: that would be one more exit. The kernel as
; a whole is copied, loop and all.
; BEHIND-LABEL: @behind_a_loop(
; BEHIND: [[ALL:%.*]] = call i1 @lanza.all(
; BEHIND-NEXT: br i1 [[ALL]], label %entry.split.fast, label %entry.split
; BEHIND: entry.split:
; BEHIND-NOT: lanza.all
; BEHIND: br i1 %again, label %loop, label %behind
; BEHIND-NOT: lanza.all
; BEHIND: br i1 {{.*}}, label %loop.fast, label %behind.fast
; BEHIND-NOT: call i1 @lanza.all
define void @behind_a_loop(i32 %n, ptr %x) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %next, %loop ]
  %next = add nsw i32 %i, 32
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %behind
behind:
  %l = add nsw i32 %t, -1
  %left = call i32 @llvm.smax.i32(i32 %l, i32 0)
  %a = call float @at(ptr %x, i32 %left)
  store float %a, ptr %x
  ret void
}

; An index in the middle says nothing about those above or below it.
; BUT-LABEL: @all_but_one(
; BUT: [[OTHERS:%.*]] = icmp ne i64
; BUT: call i1 @lanza.all(i1 [[OTHERS]])
define void @all_but_one(i32 %n, i32 %one, ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %t, %n
  br i1 %in, label %body, label %end
body:
  %is = icmp eq i32 %t, %one
  %l = add nsw i32 %t, -1
  %from = select i1 %is, i32 %n, i32 %l
  %a = call float @at(ptr %x, i32 %from)
  store float %a, ptr %y
  br label %end
end:
  ret void
}

; x < n - 1 ? x + 1 : x and x == 0 ? 0 : x - 1, as simplification leaves them: in the copy all go one further.
; STEP-LABEL: @steps(
; STEP: call i1 @lanza.all(
; STEP: call i1 @lanza.all(
; STEP: .fast:
; STEP-NOT: zext i1
; STEP-NOT: sext i1
; STEP: br label %end
define void @steps(i32 %n, ptr %x, ptr %y) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %m = shl i32 %c, 8
  %i = or disjoint i32 %m, %t
  %in = icmp slt i32 %i, %n
  br i1 %in, label %body, label %end
body:
  %last = add nsw i32 %n, -1
  %more = icmp slt i32 %i, %last
  %one = zext i1 %more to i32
  %right = add nsw i32 %i, %one
  %some = icmp ne i32 %i, 0
  %minus = sext i1 %some to i32
  %left = add nsw i32 %i, %minus
  %wide.right = sext i32 %right to i64
  %p = getelementptr float, ptr %x, i64 %wide.right
  %a = load float, ptr %p
  %wide.left = sext i32 %left to i64
  %q = getelementptr float, ptr %x, i64 %wide.left
  %b = load float, ptr %q
  %s = fadd float %a, %b
  %own = sext i32 %i to i64
  %r = getelementptr float, ptr %y, i64 %own
  store float %s, ptr %r
  br label %end
end:
  ret void
}

; A condition on the lowest bits never holds for all lanes: no copy assumes it, the copy for neighbours asks it again.
; COLOUR-LABEL: @colours(
; COLOUR: icmp sle
; COLOUR-COUNT-1: call i1 @lanza.all
; COLOUR-NOT: @lanza.all
; COLOUR: srem i32 {{.*}}, 2
; COLOUR: ret void
define void @colours(ptr %x, i32 %n, i32 %y, i32 %colour) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %t, %n
  br i1 %in, label %body, label %end
body:
  %sum = add nsw i32 %t, %y
  %bit = srem i32 %sum, 2
  %is = icmp eq i32 %bit, %colour
  br i1 %is, label %own, label %end
own:
  %more = add nsw i32 %t, 1
  %limit = add nsw i32 %n, -1
  %right = call i32 @llvm.smin.i32(i32 %more, i32 %limit)
  %wide = sext i32 %right to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %a = load float, ptr %p
  %at = sext i32 %t to i64
  %q = getelementptr float, ptr %x, i64 %at
  %b = load float, ptr %q
  %s = fadd float %a, %b
  %twice = fmul float %s, 2.0
  store float %twice, ptr %q
  br label %end
end:
  ret void
}

; A window whose size only the launch knows: both ends are asked about once, and that the loop has a turn; in the copy
; nothing is clamped.
; WINDOW-LABEL: define void @window(
; WINDOW: [[FIRST:%.*]] = sub i32 0, %r
; WINDOW: [[LOW:%.*]] = icmp sgt i64 {{.*}}, -1
; WINDOW: call i1 @lanza.all(i1 [[LOW]])
; WINDOW: [[LAST:%.*]] = add nsw i64
; WINDOW: [[HIGH:%.*]] = icmp slt i64 [[LAST]],
; WINDOW: call i1 @lanza.all(i1 [[HIGH]])
; WINDOW: icmp sle i32 [[FIRST]], %r
; WINDOW: br i1 {{.*}}, label %[[FAST:.*]], label %some
; WINDOW: loop:
; WINDOW-COUNT-2: call i32 @llvm.sm
; WINDOW: [[FAST]]:
; WINDOW-NOT: call i32 @llvm.sm
; WINDOW: store float
define void @window(ptr %in, ptr %out, i32 %w, i32 %r) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %inside = icmp slt i32 %t, %w
  br i1 %inside, label %body, label %end
body:
  %first = sub nsw i32 0, %r
  %last = add nsw i32 %w, -1
  br label %loop
loop:
  %i = phi i32 [ %first, %body ], [ %next, %loop ]
  %sum = phi float [ 0.0, %body ], [ %more, %loop ]
  %x = add nsw i32 %t, %i
  %low = call i32 @llvm.smax.i32(i32 %x, i32 0)
  %at = call i32 @llvm.smin.i32(i32 %low, i32 %last)
  %wide = sext i32 %at to i64
  %p = getelementptr float, ptr %in, i64 %wide
  %v = load float, ptr %p
  %more = fadd float %sum, %v
  %next = add i32 %i, 1
  %done = icmp eq i32 %i, %r
  br i1 %done, label %after, label %loop
after:
  %to = zext i32 %t to i64
  %q = getelementptr float, ptr %out, i64 %to
  store float %more, ptr %q
  br label %end
end:
  ret void
}

; A thread's elements, each behind its guard: one question for all, behind which they follow on each other. At the edge
; lanes ask for each.
; TILE-LABEL: @tile(
; TILE-COUNT-1: call i1 @lanza.all(
; TILE-NOT: call i1 @lanza.all(
; TILE: br i1 {{.*}}, label %[[FAST:.*]], label %{{.*}}
; TILE-COUNT-5: store float
; TILE: [[FAST]]:
; TILE-NOT: br i1
; TILE-COUNT-5: store float
; TILE-NOT: store
; TILE: {{^[}]}}
define void @tile(ptr %a, i32 %n) {
entry:
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul nsw i32 %t, 5
  br label %guard0
guard0:
  %x0 = add nsw i32 %first, 0
  %c0 = icmp slt i32 %x0, %n
  br i1 %c0, label %work0, label %guard1
work0:
  %w0 = sext i32 %x0 to i64
  %p0 = getelementptr float, ptr %a, i64 %w0
  %v0 = load float, ptr %p0
  %m0 = fmul float %v0, 2.0
  store float %m0, ptr %p0
  br label %guard1
guard1:
  %x1 = add nsw i32 %first, 1
  %c1 = icmp slt i32 %x1, %n
  br i1 %c1, label %work1, label %guard2
work1:
  %w1 = sext i32 %x1 to i64
  %p1 = getelementptr float, ptr %a, i64 %w1
  %v1 = load float, ptr %p1
  %m1 = fmul float %v1, 3.0
  store float %m1, ptr %p1
  br label %guard2
guard2:
  %x2 = add nsw i32 %first, 2
  %c2 = icmp slt i32 %x2, %n
  br i1 %c2, label %work2, label %guard3
work2:
  %w2 = sext i32 %x2 to i64
  %p2 = getelementptr float, ptr %a, i64 %w2
  %v2 = load float, ptr %p2
  %m2 = fmul float %v2, 4.0
  store float %m2, ptr %p2
  br label %guard3
guard3:
  %x3 = add nsw i32 %first, 3
  %c3 = icmp slt i32 %x3, %n
  br i1 %c3, label %work3, label %guard4
work3:
  %w3 = sext i32 %x3 to i64
  %p3 = getelementptr float, ptr %a, i64 %w3
  %v3 = load float, ptr %p3
  %m3 = fmul float %v3, 5.0
  store float %m3, ptr %p3
  br label %guard4
guard4:
  %x4 = add nsw i32 %first, 4
  %c4 = icmp slt i32 %x4, %n
  br i1 %c4, label %work4, label %guard5
work4:
  %w4 = sext i32 %x4 to i64
  %p4 = getelementptr float, ptr %a, i64 %w4
  %v4 = load float, ptr %p4
  %m4 = fmul float %v4, 6.0
  store float %m4, ptr %p4
  br label %guard5
guard5:
  ret void
}

; What falls with a counter is least in its last turn and greatest in its first.
; FALLS-LABEL: define void @disparities(
; FALLS: [[AHEAD:%.*]] = add nsw i64 {{.*}}, 2
; FALLS: [[MOST:%.*]] = sext i32 %most to i64
; FALLS: [[LOW:%.*]] = icmp sge i64 [[AHEAD]], [[MOST]]
; FALLS: call i1 @lanza.all(i1 [[LOW]])
; FALLS: [[NEXT:%.*]] = add nsw i64 {{.*}}, 3
; FALLS: [[HIGH:%.*]] = icmp sle i64 [[NEXT]],
; FALLS: call i1 @lanza.all(i1 [[HIGH]])
; FALLS: br i1 {{.*}}, label %[[FAST:.*]], label %some
; FALLS: loop:
; FALLS-COUNT-2: call i32 @llvm.sm
; FALLS: [[FAST]]:
; FALLS-NOT: call i32 @llvm.sm
; FALLS: store float
define void @disparities(ptr %in, ptr %out, i32 %w, i32 %most) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %inside = icmp slt i32 %t, %w
  br i1 %inside, label %body, label %end
body:
  %last = add nsw i32 %w, -1
  %ahead = add nsw i32 %t, 2
  br label %loop
loop:
  %d = phi i32 [ 0, %body ], [ %next, %loop ]
  %sum = phi float [ 0.0, %body ], [ %more, %loop ]
  %x = sub nsw i32 %ahead, %d
  %low = call i32 @llvm.smax.i32(i32 %x, i32 0)
  %at = call i32 @llvm.smin.i32(i32 %low, i32 %last)
  %wide = sext i32 %at to i64
  %p = getelementptr float, ptr %in, i64 %wide
  %v = load float, ptr %p
  %more = fadd float %sum, %v
  %next = add i32 %d, 1
  %done = icmp eq i32 %d, %most
  br i1 %done, label %after, label %loop
after:
  %to = zext i32 %t to i64
  %q = getelementptr float, ptr %out, i64 %to
  store float %more, ptr %q
  br label %end
end:
  ret void
}

; A bit of the index is no edge: `(i & k) == 0`, which half of the groups say.
; BITS-LABEL: define void @bits(
; BITS-NOT: lanza.all
; BITS: ret void
define void @bits(ptr %x, i32 %k) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %f = mul nsw i32 %b, 256
  %i = add nsw i32 %f, %t
  %bits = and i32 %i, %k
  %up = icmp ne i32 %bits, 0
  %at = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %at
  br i1 %up, label %work, label %end
work:
  %v = load float, ptr %p
  %a = fmul float %v, %v
  %c = fadd float %a, 1.0
  %d = fmul float %c, %a
  %e = fadd float %d, %v
  %g = fmul float %e, %e
  store float %g, ptr %p
  br label %end
end:
  ret void
}

; Of a block that is one group the first thread never passes.
; NOBODY-LABEL: define void @first_thread(
; NOBODY-NOT: lanza.all
; NOBODY: ret void
define void @first_thread(ptr %x, i32 %k) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = lshr i32 %k, 1
  %beyond = icmp ugt i32 %t, %i
  %at = zext nneg i32 %t to i64
  %p = getelementptr float, ptr %x, i64 %at
  br i1 %beyond, label %work, label %end
work:
  %v = load float, ptr %p
  %a = fmul float %v, %v
  %c = fadd float %a, 1.0
  %d = fmul float %c, %a
  %e = fadd float %d, %v
  %g = fmul float %e, %e
  store float %g, ptr %p
  br label %end
end:
  ret void
}
