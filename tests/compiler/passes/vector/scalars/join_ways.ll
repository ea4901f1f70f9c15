; RUN: %opt -kernel=one_quotient -block=64 -lanes=16 -passes=join-ways %s | %check %s --check-prefix=ONE
; RUN: %opt -kernel=what_ways_load -block=64 -lanes=16 -passes=join-ways %s | %check %s --check-prefix=LOADS
; RUN: %opt -kernel=guarded -block=64 -lanes=16 -passes=join-ways %s | %check %s --check-prefix=GUARDED
; RUN: %opt -kernel=all_alike -block=64 -lanes=16 -passes=join-ways %s | %check %s --check-prefix=ALIKE
; RUN: %opt -kernel=places -block=64 -lanes=16 -passes=join-ways %s | %check %s --check-prefix=PLACES
; RUN: %opt -kernel=leaves_a_loop -block=64 -lanes=16 -passes=join-ways %s | %check %s --check-prefix=LOOP
target triple = "x86_64-unknown-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @llvm.sqrt.f32(float)
declare float @llvm.fabs.f32(float)

; `if (x > y) q = -x / y; else { q = y / (x + 1); w[t] = 0; }`: one quotient; what else a way does stays on it.
; ONE-LABEL: define void @one_quotient(
; ONE: [[NEGATIVE:%.*]] = fneg float %x
; ONE-NEXT: [[MORE:%.*]] = fadd float %x, 1.000000e+00
; ONE-NEXT: [[OF:%.*]] = select i1 %greater, float [[NEGATIVE]], float %y
; ONE-NEXT: [[BY:%.*]] = select i1 %greater, float %y, float [[MORE]]
; ONE-NEXT: [[Q:%.*]] = fdiv float [[OF]], [[BY]]
; ONE-NEXT: br i1 %greater, label %yes, label %no
; ONE: no:
; ONE-NEXT: getelementptr
; ONE-NEXT: store float 0.000000e+00
; ONE: behind:
; ONE-NEXT: %q = phi float [ [[Q]], %yes ], [ [[Q]], %no ]
define void @one_quotient(ptr noalias %v, ptr noalias %w) {
entry:
  %t = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr {float, float}, ptr %v, i32 %t
  %next = getelementptr i8, ptr %at, i64 4
  %x = load float, ptr %at
  %y = load float, ptr %next
  %greater = fcmp ogt float %x, %y
  br i1 %greater, label %yes, label %no
yes:
  %negative = fneg float %x
  %a = fdiv float %negative, %y
  br label %behind
no:
  %more = fadd float %x, 1.0
  %b = fdiv float %y, %more
  %to = getelementptr float, ptr %w, i32 %t
  store float 0.0, ptr %to
  br label %behind
behind:
  %q = phi float [ %a, %yes ], [ %b, %no ]
  store float %q, ptr %at
  ret void
}

; What the ways load first they load by themselves, and meet to divide. What comes of it on one way alone stays there.
; LOADS-LABEL: define void @what_ways_load(
; LOADS: br i1 %up, label %first, label %second
; LOADS: first:
; LOADS-NEXT: [[LEFT:%.*]] = load float, ptr %left
; LOADS-NEXT: br label %both
; LOADS: second:
; LOADS-NEXT: [[RIGHT:%.*]] = load float, ptr %right
; LOADS-NEXT: br label %both
; LOADS: both:
; LOADS-NEXT: [[HERE:%.*]] = phi float [ [[LEFT]], %first ], [ poison, %second ]
; LOADS-NEXT: [[OF:%.*]] = phi float [ [[LEFT]], %first ], [ [[RIGHT]], %second ]
; LOADS-NEXT: [[Q:%.*]] = fdiv float [[OF]], %x
; LOADS-NEXT: [[S:%.*]] = call float @llvm.sqrt.f32(float [[Q]])
; LOADS-NEXT: br i1 %up, label %yes, label %no
; LOADS: yes:
; LOADS-NEXT: fadd float [[S]], [[HERE]]
; LOADS: no:
; LOADS-NEXT: br label %behind
define void @what_ways_load(ptr noalias %v, ptr noalias %w) {
entry:
  %t = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr float, ptr %v, i32 %t
  %left = getelementptr i8, ptr %at, i64 -4
  %right = getelementptr i8, ptr %at, i64 4
  %x = load float, ptr %at
  %up = fcmp ogt float %x, 0.0
  br i1 %up, label %yes, label %no
yes:
  %l = load float, ptr %left
  %a = fdiv float %l, %x
  %a.root = call float @llvm.sqrt.f32(float %a)
  %a.sum = fadd float %a.root, %l
  br label %behind
no:
  %r = load float, ptr %right
  %b = fdiv float %r, %x
  %b.root = call float @llvm.sqrt.f32(float %b)
  br label %behind
behind:
  %s = phi float [ %a.sum, %yes ], [ %b.root, %no ]
  %to = getelementptr float, ptr %w, i32 %t
  store float %s, ptr %to
  ret void
}

; `q = fabsf(y) > 1 ? x / y : 0` and `... ? y / x : 0`: both divide, one quotient.
; GUARDED-LABEL: define void @guarded(
; GUARDED-COUNT-1: fdiv
; GUARDED-NOT: fdiv
; GUARDED: ret void
define void @guarded(ptr noalias %v, ptr noalias %w) {
entry:
  %t = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr {float, float}, ptr %v, i32 %t
  %next = getelementptr i8, ptr %at, i64 4
  %x = load float, ptr %at
  %y = load float, ptr %next
  %greater = fcmp ogt float %x, %y
  br i1 %greater, label %yes, label %no
yes:
  %y.size = call float @llvm.fabs.f32(float %y)
  %y.some = fcmp ogt float %y.size, 1.0
  br i1 %y.some, label %by.y, label %yes.behind
by.y:
  %a = fdiv float %x, %y
  br label %yes.behind
yes.behind:
  %a.or.0 = phi float [ 0.0, %yes ], [ %a, %by.y ]
  br label %behind
no:
  %x.size = call float @llvm.fabs.f32(float %x)
  %x.some = fcmp ogt float %x.size, 1.0
  br i1 %x.some, label %by.x, label %no.behind
by.x:
  %b = fdiv float %y, %x
  br label %no.behind
no.behind:
  %b.or.0 = phi float [ 0.0, %no ], [ %b, %by.x ]
  br label %behind
behind:
  %q = phi float [ %a.or.0, %yes.behind ], [ %b.or.0, %no.behind ]
  %to = getelementptr float, ptr %w, i32 %t
  store float %q, ptr %to
  ret void
}

; Then only one of them divides.
; ALIKE-LABEL: define void @all_alike(
; ALIKE: yes:
; ALIKE-NEXT: fdiv
; ALIKE: no:
; ALIKE-NEXT: fdiv
define void @all_alike(ptr noalias %v, i1 %up) {
entry:
  %t = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr float, ptr %v, i32 %t
  %x = load float, ptr %at
  br i1 %up, label %yes, label %no
yes:
  %a = fdiv float %x, 3.0
  br label %behind
no:
  %b = fdiv float 2.0, %x
  br label %behind
behind:
  %q = phi float [ %a, %yes ], [ %b, %no ]
  store float %q, ptr %at
  ret void
}

; Integers may be places, which neighbours have side by side on each way.
; PLACES-LABEL: define void @places(
; PLACES: yes:
; PLACES-NEXT: udiv
; PLACES: no:
; PLACES-NEXT: udiv
define void @places(ptr noalias %v) {
entry:
  %t = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %up = icmp ult i32 %t, 7
  br i1 %up, label %yes, label %no
yes:
  %a = udiv i32 %t, 3
  br label %behind
no:
  %b = udiv i32 %t, 5
  br label %behind
behind:
  %q = phi i32 [ %a, %yes ], [ %b, %no ]
  %at = getelementptr i32, ptr %v, i32 %q
  store i32 %q, ptr %at
  ret void
}

; A way out of a loop is taken once, the other one in each turn.
; LOOP-LABEL: define void @leaves_a_loop(
; LOOP: more:
; LOOP-NEXT: fdiv
; LOOP: done:
; LOOP-NEXT: fdiv
define void @leaves_a_loop(ptr noalias %v) {
entry:
  %t = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr float, ptr %v, i32 %t
  %x = load float, ptr %at
  br label %loop
loop:
  %y = phi float [ %x, %entry ], [ %a, %more ]
  %up = fcmp ogt float %y, 1.0
  br i1 %up, label %more, label %done
more:
  %a = fdiv float %y, 3.0
  br label %loop
done:
  %b = fdiv float %y, %x
  store float %b, ptr %at
  ret void
}
