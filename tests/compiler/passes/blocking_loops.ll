; RUN: %opt -passes=implicit-points %s | %check %s
target triple = "nvptx64-nvidia-cuda"
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)
@changed = internal addrspace(3) global i32 undef

; What ends the loop is plain memory; the result of the atomic only passes through the body.
; CHECK-LABEL: @walk(
; CHECK-SAME: [[ENDLESS:#[0-9]+]] {
; CHECK-NOT: __lanza_sync
; CHECK: ret void
define void @walk(ptr %p, ptr %q) {
entry:
  br label %loop
loop:
  %at = phi ptr [ %p, %entry ], [ %next, %loop ]
  %old = atomicrmw add ptr %q, i32 1 monotonic
  %odd = and i32 %old, 1
  %slot = getelementptr i32, ptr %q, i32 %odd
  store i32 %old, ptr %slot
  %next = getelementptr i8, ptr %at, i64 8
  %more = icmp ne ptr %next, null
  br i1 %more, label %loop, label %done
done:
  ret void
}

; Plain memory that is read again behind a fence.
; CHECK-LABEL: @fenced(
; CHECK-SAME: [[BLOCKING:#[0-9]+]]
; CHECK: call i64 @__lanza_sync(i32 9,
define void @fenced(ptr %p) {
entry:
  br label %loop
loop:
  fence seq_cst
  %v = load i32, ptr %p
  %zero = icmp eq i32 %v, 0
  br i1 %zero, label %loop, label %done
done:
  ret void
}

; The branch that leads to the exit decides, not only the exit's own.
; CHECK-LABEL: @guarded(
; CHECK-SAME: [[BLOCKING]]
; CHECK: call i64 @__lanza_sync(i32 9,
define void @guarded(ptr %p, i1 %leave) {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr %p
  %set = icmp ne i32 %v, 0
  br i1 %set, label %ready, label %loop
ready:
  br i1 %leave, label %done, label %loop
done:
  ret void
}

; A value chosen by a branch on watched memory.
; CHECK-LABEL: @chosen(
; CHECK-SAME: [[BLOCKING]]
; CHECK: call i64 @__lanza_sync(i32 9,
define void @chosen(ptr %p) {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr %p
  %set = icmp ne i32 %v, 0
  br i1 %set, label %yes, label %no
yes:
  br label %join
no:
  br label %join
join:
  %leave = phi i1 [ true, %yes ], [ false, %no ]
  br i1 %leave, label %done, label %loop
done:
  ret void
}

; Behind synchronisation points the other threads of the block go on, but the memory may be another block's.
; CHECK-LABEL: @joined(
; CHECK-SAME: [[JOINS:#[0-9]+]]
; CHECK: call i64 @__lanza_sync(i32 3,
; CHECK-NOT: call i64 @__lanza_sync(i32 9,
; CHECK: ret void
define void @joined(ptr %p) {
entry:
  br label %loop
loop:
  %s = call i64 @__lanza_sync(i32 3, i32 0, i32 -1, i64 0, i32 0)
  %v = load i32, ptr %p
  %zero = icmp eq i32 %v, 0
  br i1 %zero, label %loop, label %done
done:
  ret void
}

; A function that was not inlined, and looks.
; CHECK-LABEL: @asks(
; CHECK-SAME: [[BLOCKING]]
; CHECK: call i64 @__lanza_sync(i32 9,
define void @asks(ptr %p) {
entry:
  br label %loop
loop:
  %v = call i32 @look(ptr %p, i32 2)
  %zero = icmp eq i32 %v, 0
  br i1 %zero, label %loop, label %done
done:
  ret void
}
define internal i32 @look(ptr %p, i32 %depth) {
  %deep = icmp ne i32 %depth, 0
  br i1 %deep, label %down, label %here
down:
  %less = sub i32 %depth, 1
  %r = call i32 @look(ptr %p, i32 %less)
  ret i32 %r
here:
  %v = load atomic i32, ptr %p monotonic, align 4
  ret i32 %v
}

; One that only computes.
; CHECK-LABEL: @computes(
; CHECK-SAME: [[ENDLESS]] {
; CHECK-NOT: __lanza_sync
; CHECK: ret i32
define i32 @computes(i32 %n) {
entry:
  br label %loop
loop:
  %v = phi i32 [ %n, %entry ], [ %w, %loop ]
  %w = call i32 @half(i32 %v)
  %more = icmp ugt i32 %w, 3
  br i1 %more, label %loop, label %done
done:
  ret i32 %w
}
define internal i32 @half(i32 %n) {
  %small = icmp ult i32 %n, 8
  br i1 %small, label %yes, label %no
yes:
  ret i32 %n
no:
  %h = lshr i32 %n, 1
  %r = call i32 @half(i32 %h)
  ret i32 %r
}

; A counter that goes up by one comes to its limit, whatever else the loop looks at.
; CHECK-LABEL: @one_by_one(
; CHECK-NOT: #
; CHECK-SAME: {
; CHECK-NOT: __lanza_sync
; CHECK: ret void
define void @one_by_one(ptr %p, i32 %from, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ %from, %entry ], [ %next, %loop ]
  %v = load volatile i32, ptr %p
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; But not where the question is not asked in each turn: it may be past the limit then.
; CHECK-LABEL: @asked_now_and_then(
; CHECK-SAME: [[ENDLESS]]
; CHECK: ret void
define void @asked_now_and_then(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %v = load i32, ptr %p
  %asks = icmp eq i32 %v, 0
  br i1 %asks, label %question, label %latch
question:
  %more = icmp ne i32 %i, %n
  br i1 %more, label %latch, label %done
latch:
  store i32 %i, ptr %p
  %next = add i32 %i, 1
  br label %loop
done:
  ret void
}
; All threads meet in each turn, and ask memory of the block: nobody else is waited for.
; CHECK-LABEL: @meets(
; CHECK-SAME: [[ENDLESS]] {
; CHECK: ret void
define void @meets(ptr %p) {
entry:
  br label %loop
loop:
  store i32 0, ptr addrspace(3) @changed
  %a = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %v = load i32, ptr addrspace(3) @changed
  %more = icmp ne i32 %v, 0
  br i1 %more, label %loop, label %done
done:
  ret void
}

; Other blocks may write to what a parameter points to.
; CHECK-LABEL: @asks_others(
; CHECK-SAME: [[JOINS]] {
; CHECK: ret void
define void @asks_others(ptr %p) {
entry:
  br label %loop
loop:
  store i32 0, ptr %p
  %a = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %v = load i32, ptr %p
  %more = icmp ne i32 %v, 0
  br i1 %more, label %loop, label %done
done:
  ret void
}

; Some turns have no barrier.
; CHECK-LABEL: @meets_at_times(
; CHECK-SAME: [[JOINS]] {
; CHECK: ret void
define void @meets_at_times(i1 %asks) {
entry:
  br label %loop
loop:
  br i1 %asks, label %meet, label %latch
meet:
  %a = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %latch
latch:
  %v = load i32, ptr addrspace(3) @changed
  store i32 1, ptr addrspace(3) @changed
  %more = icmp ne i32 %v, 0
  br i1 %more, label %loop, label %done
done:
  ret void
}
; CHECK: attributes [[ENDLESS]] = { "lanza-unbounded" }
; CHECK: attributes [[BLOCKING]] = { "lanza-blocking" "lanza-unbounded" }
; CHECK: attributes [[JOINS]] = { "lanza-blocking"="joins" "lanza-unbounded" }
