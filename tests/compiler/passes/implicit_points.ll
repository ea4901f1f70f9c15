; RUN: %opt -passes=implicit-points %s | %check %s
; RUN: %opt -generic -passes=implicit-points %s | %check %s --check-prefix=GENERIC
target triple = "nvptx64-nvidia-cuda"
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

@s = internal addrspace(3) global [32 x i32] undef

; Volatile accesses to shared memory go in lock step, numbered in program order; those to global memory do not.
; CHECK-LABEL: @tail(
; CHECK: call i64 @__lanza_sync(i32 10, i32 1, i32 0, i64 0, i32 1)
; CHECK-NEXT: load volatile i32, ptr addrspace(3)
; CHECK: call i64 @__lanza_sync(i32 10, i32 2, i32 0, i64 0, i32 2)
; CHECK-NEXT: store volatile i32
; CHECK-NEXT: store volatile i32 {{.*}}, ptr %g
; GENERIC-LABEL: @tail(
; GENERIC: call i64 @__lanza_sync(i32 10, i32 3, i32 0, i64 0, i32 3)
; GENERIC-NEXT: store volatile i32 {{.*}}, ptr %g
define void @tail(ptr %g) {
  %v = load volatile i32, ptr addrspace(3) @s
  store volatile i32 %v, ptr addrspace(3) @s
  store volatile i32 %v, ptr %g
  ret void
}

; The yield stands on the back edge: on the way out the lock is held.
; CHECK-LABEL: @lock(
; CHECK-SAME: [[BLOCKING:#[0-9]+]]
; CHECK: cmpxchg
; CHECK: br i1 %ok, label %got, label %[[EDGE:.*]]
; CHECK: [[EDGE]]:
; CHECK-NEXT: call i64 @__lanza_sync(i32 9,
; CHECK-NEXT: br label %spin
define void @lock(ptr %l) {
entry:
  br label %spin
spin:
  %x = cmpxchg ptr %l, i32 0, i32 1 monotonic monotonic
  %ok = extractvalue { i32, i1 } %x, 1
  br i1 %ok, label %got, label %spin
got:
  ret void
}

; A compare-and-swap that retries with its own last result fails only when another thread succeeded.
; CHECK-LABEL: @add(
; CHECK-NOT: __lanza_sync
; CHECK: ret void
define void @add(ptr %p) {
entry:
  %first = load i32, ptr %p
  br label %again
again:
  %old = phi i32 [ %first, %entry ], [ %seen, %again ]
  %new = add i32 %old, 5
  %x = cmpxchg ptr %p, i32 %old, i32 %new monotonic monotonic
  %seen = extractvalue { i32, i1 } %x, 0
  %ok = extractvalue { i32, i1 } %x, 1
  br i1 %ok, label %done, label %again
done:
  ret void
}

; A loop with a known trip count ends by itself.
; CHECK-LABEL: @counted(
; CHECK-NOT: __lanza_sync
; CHECK: ret void
define void @counted(ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = load volatile i32, ptr %p
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 10
  br i1 %more, label %loop, label %done
done:
  ret void
}

; CHECK-LABEL: @mask(
; CHECK: call i64 @__lanza_sync(i32 11, i32 1, i32 0, i64 0, i32 1)
; CHECK: call i64 @__lanza_sync(i32 11, i32 2, i32 0, i64 0, i32 2)
define i64 @mask() {
  %a = call i64 @__lanza_sync(i32 11, i32 0, i32 0, i64 0, i32 0)
  %b = call i64 @__lanza_sync(i32 11, i32 0, i32 0, i64 0, i32 0)
  %c = and i64 %a, %b
  ret i64 %c
}
; CHECK: attributes [[BLOCKING]] = { "lanza-blocking" "lanza-unbounded" }
