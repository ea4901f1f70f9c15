; RUN: %opt -passes=implicit-points %s | %check %s
; Where a compare-and-swap leads that succeeds: out of the cycle, or not for sure.
target triple = "nvptx64-nvidia-cuda"
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; A flag is asked at the head of the next turn.
; CHECK-LABEL: @leaves_in_the_next_turn(
; CHECK-NOT: __lanza_sync
; CHECK: ret void
define void @leaves_in_the_next_turn(ptr %p, i32 %v) {
entry:
  br label %head
head:
  %done = phi i1 [ false, %entry ], [ %won, %body ]
  %seen = phi i32 [ 0, %entry ], [ %old, %body ]
  br i1 %done, label %exit, label %body
body:
  %new = mul i32 %seen, %v
  %swap = cmpxchg ptr %p, i32 %seen, i32 %new monotonic monotonic
  %old = extractvalue { i32, i1 } %swap, 0
  %won = extractvalue { i32, i1 } %swap, 1
  br label %head
exit:
  ret void
}

; The same flag, forgotten on one of two ways.
; CHECK-LABEL: @may_forget(
; CHECK: call i64 @__lanza_sync(i32 9,
define void @may_forget(ptr %p, i32 %v, i1 %forgets) {
entry:
  br label %head
head:
  %done = phi i1 [ false, %entry ], [ %won, %body ], [ false, %other ]
  %seen = phi i32 [ 0, %entry ], [ %old, %body ], [ %old, %other ]
  br i1 %done, label %exit, label %body
body:
  %new = mul i32 %seen, %v
  %swap = cmpxchg ptr %p, i32 %seen, i32 %new monotonic monotonic
  %old = extractvalue { i32, i1 } %swap, 0
  %won = extractvalue { i32, i1 } %swap, 1
  br i1 %forgets, label %other, label %head
other:
  br label %head
exit:
  ret void
}

; What is known goes through selects and decides a switch.
; CHECK-LABEL: @switches(
; CHECK-NOT: __lanza_sync
; CHECK: ret void
define void @switches(ptr %p, i32 %v) {
entry:
  br label %loop
loop:
  %seen = phi i32 [ 0, %entry ], [ %old, %again ]
  %new = mul i32 %seen, %v
  %swap = cmpxchg ptr %p, i32 %seen, i32 %new monotonic monotonic
  %old = extractvalue { i32, i1 } %swap, 0
  %won = extractvalue { i32, i1 } %swap, 1
  %way = select i1 %won, i32 2, i32 1
  %one_less = sub i32 %way, 1
  switch i32 %one_less, label %again [ i32 1, label %exit ]
again:
  br label %loop
exit:
  ret void
}

; In the next turn the load may find something else.
; CHECK-LABEL: @asks_memory_in_the_next_turn(
; CHECK: call i64 @__lanza_sync(i32 9,
define void @asks_memory_in_the_next_turn(ptr %p, ptr %q) {
entry:
  br label %head
head:
  %seen = phi i32 [ 0, %entry ], [ %old, %body ]
  %open = load volatile i32, ptr %q
  %stop = icmp eq i32 %open, 0
  br i1 %stop, label %exit, label %body
body:
  %swap = cmpxchg ptr %p, i32 %seen, i32 %open monotonic monotonic
  %old = extractvalue { i32, i1 } %swap, 0
  br label %head
exit:
  ret void
}
