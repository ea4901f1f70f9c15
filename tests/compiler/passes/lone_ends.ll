; RUN: %opt -passes=implicit-points %s | %check %s
; Loops around atomic operations that wait for nobody, and those that only look like it.
target triple = "nvptx64-nvidia-cuda"
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)
@table = internal addrspace(3) global [64 x i32] undef

; CHECK-LABEL: @retry(
; CHECK-NOT: __lanza_sync
; CHECK: ret void
define void @retry(ptr %p, i32 %v) {
entry:
  %first = load i32, ptr %p
  br label %loop
loop:
  %seen = phi i32 [ %first, %entry ], [ %old, %loop ]
  %new = mul i32 %seen, %v
  %swap = cmpxchg ptr %p, i32 %seen, i32 %new monotonic monotonic
  %old = extractvalue { i32, i1 } %swap, 0
  %same = icmp eq i32 %old, %seen
  br i1 %same, label %done, label %loop
done:
  ret void
}

; It may succeed and go on.
; CHECK-LABEL: @semaphore(
; CHECK: call i64 @__lanza_sync(i32 9,
define void @semaphore(ptr %p) {
entry:
  br label %loop
loop:
  %seen = phi i32 [ 0, %entry ], [ %old, %loop ]
  %free = icmp sgt i32 %seen, 0
  %step = zext i1 %free to i32
  %new = sub i32 %seen, %step
  %swap = cmpxchg ptr %p, i32 %seen, i32 %new monotonic monotonic
  %old = extractvalue { i32, i1 } %swap, 0
  %same = icmp eq i32 %old, %seen
  %in = and i1 %same, %free
  br i1 %in, label %done, label %loop
done:
  ret void
}

; CHECK-LABEL: @looks_in_each_turn(
; CHECK-NOT: __lanza_sync
; CHECK: ret void
define void @looks_in_each_turn(ptr %p, ptr %next, i32 %me) {
entry:
  br label %loop
loop:
  %seen = load volatile i32, ptr %p
  store i32 %seen, ptr %next
  fence seq_cst
  %swap = cmpxchg ptr %p, i32 %seen, i32 %me monotonic monotonic
  %won = extractvalue { i32, i1 } %swap, 1
  br i1 %won, label %done, label %loop
done:
  ret void
}

; Turns without a swap.
; CHECK-LABEL: @looks_without_a_swap(
; CHECK: call i64 @__lanza_sync(i32 9,
define void @looks_without_a_swap(ptr %p) {
entry:
  br label %loop
loop:
  %seen = load i32, ptr %p
  %free = icmp sgt i32 %seen, 0
  br i1 %free, label %try, label %next
try:
  %new = sub i32 %seen, 1
  %swap = cmpxchg ptr %p, i32 %seen, i32 %new monotonic monotonic
  %won = extractvalue { i32, i1 } %swap, 1
  br i1 %won, label %done, label %next
next:
  br label %loop
done:
  ret void
}

; CHECK-LABEL: @inserts(
; CHECK-NOT: __lanza_sync
; CHECK: ret void
define void @inserts(ptr %keys, ptr %values, i32 %key, i32 %mask) {
entry:
  br label %loop
loop:
  %slot = phi i32 [ 0, %entry ], [ %after, %next ]
  %at = getelementptr i32, ptr %keys, i32 %slot
  %swap = cmpxchg ptr %at, i32 0, i32 %key monotonic monotonic
  %old = extractvalue { i32, i1 } %swap, 0
  %won = extractvalue { i32, i1 } %swap, 1
  %mine = icmp eq i32 %old, %key
  %leave = select i1 %won, i1 true, i1 %mine
  br i1 %leave, label %found, label %next
found:
  %value = getelementptr i32, ptr %values, i32 %slot
  store i32 1, ptr %value
  br label %next
next:
  %up = add i32 %slot, 1
  %after = and i32 %up, %mask
  br i1 %leave, label %done, label %loop
done:
  ret void
}

; What is taken is given back.
; CHECK-LABEL: @takes(
; CHECK: call i64 @__lanza_sync(i32 9,
define void @takes(ptr %slots, i32 %mask) {
entry:
  br label %loop
loop:
  %slot = phi i32 [ 0, %entry ], [ %after, %loop ]
  %at = getelementptr i32, ptr %slots, i32 %slot
  %swap = cmpxchg ptr %at, i32 0, i32 1 monotonic monotonic
  %won = extractvalue { i32, i1 } %swap, 1
  %up = add i32 %slot, 1
  %after = and i32 %up, %mask
  br i1 %won, label %done, label %loop
done:
  store i32 0, ptr %at
  ret void
}

; Emptied in front of a barrier.
; CHECK-LABEL: @inserts_in_shared_memory(
; CHECK-NOT: __lanza_sync(i32 9,
; CHECK: ret void
define void @inserts_in_shared_memory(i32 %t, i32 %key) {
entry:
  %own = getelementptr i32, ptr addrspace(3) @table, i32 %t
  store i32 0, ptr addrspace(3) %own
  %barrier = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %loop
loop:
  %slot = phi i32 [ %key, %entry ], [ %up, %loop ]
  %in = and i32 %slot, 63
  %at = getelementptr i32, ptr addrspace(3) @table, i32 %in
  %swap = cmpxchg ptr addrspace(3) %at, i32 0, i32 %key monotonic monotonic
  %won = extractvalue { i32, i1 } %swap, 1
  %up = add i32 %slot, 1
  br i1 %won, label %done, label %loop
done:
  ret void
}

; CHECK-LABEL: @empties_without_a_barrier(
; CHECK: __lanza_sync(i32 9,
define void @empties_without_a_barrier(i32 %t, i32 %key) {
entry:
  %own = getelementptr i32, ptr addrspace(3) @table, i32 %t
  store i32 0, ptr addrspace(3) %own
  br label %loop
loop:
  %slot = phi i32 [ %key, %entry ], [ %up, %loop ]
  %in = and i32 %slot, 63
  %at = getelementptr i32, ptr addrspace(3) @table, i32 %in
  %swap = cmpxchg ptr addrspace(3) %at, i32 0, i32 %key monotonic monotonic
  %won = extractvalue { i32, i1 } %swap, 1
  %up = add i32 %slot, 1
  br i1 %won, label %done, label %loop
done:
  ret void
}

; A flag that is not set yet is swapped for itself.
; CHECK-LABEL: @polls(
; CHECK: call i64 @__lanza_sync(i32 9,
define void @polls(ptr %flag) {
entry:
  br label %loop
loop:
  %swap = cmpxchg ptr %flag, i32 0, i32 0 monotonic monotonic
  %old = extractvalue { i32, i1 } %swap, 0
  %set = icmp ne i32 %old, 0
  br i1 %set, label %done, label %loop
done:
  ret void
}

; CHECK-LABEL: @queue(
; CHECK-NOT: __lanza_sync
; CHECK: ret void
define void @queue(ptr %next, ptr %out, i32 %count) {
entry:
  br label %loop
loop:
  %i = atomicrmw add ptr %next, i32 1 monotonic
  %more = icmp slt i32 %i, %count
  br i1 %more, label %work, label %done
work:
  %at = getelementptr i32, ptr %out, i32 %i
  store i32 %i, ptr %at
  br label %loop
done:
  ret void
}

; CHECK-LABEL: @hooks(
; CHECK-NOT: __lanza_sync
; CHECK: ret void
define void @hooks(ptr %p, i32 %b) {
entry:
  br label %loop
loop:
  %from = phi i32 [ %b, %entry ], [ %root, %hook ]
  br label %find
find:
  %x = phi i32 [ %from, %loop ], [ %up, %find ]
  %at = getelementptr i32, ptr %p, i32 %x
  %up = load i32, ptr %at
  %is_root = icmp eq i32 %up, %x
  br i1 %is_root, label %hook, label %find
hook:
  %root = phi i32 [ %x, %find ]
  %place = getelementptr i32, ptr %p, i32 %root
  %swap = cmpxchg ptr %place, i32 %root, i32 0 monotonic monotonic
  %won = extractvalue { i32, i1 } %swap, 1
  br i1 %won, label %done, label %loop
done:
  ret void
}

; The larger one of two roots.
; CHECK-LABEL: @hooks_one_of_two(
; CHECK-NOT: __lanza_sync
; CHECK: ret void
define void @hooks_one_of_two(ptr %p, i32 %a, i32 %b) {
entry:
  br label %find
find:
  %x = phi i32 [ %a, %entry ], [ %up, %find ], [ %root, %hook ]
  %at = getelementptr i32, ptr %p, i32 %x
  %up = load i32, ptr %at
  %is_root = icmp eq i32 %up, %x
  br i1 %is_root, label %find_other, label %find
find_other:
  %y = phi i32 [ %b, %find ], [ %up_other, %find_other ]
  %at_other = getelementptr i32, ptr %p, i32 %y
  %up_other = load i32, ptr %at_other
  %is_root_other = icmp eq i32 %up_other, %y
  br i1 %is_root_other, label %choose, label %find_other
choose:
  %less = icmp slt i32 %x, %y
  br i1 %less, label %other, label %hook
other:
  br label %hook
hook:
  %root = phi i32 [ %x, %choose ], [ %y, %other ]
  %place = getelementptr i32, ptr %p, i32 %root
  %swap = cmpxchg ptr %place, i32 %root, i32 0 monotonic monotonic
  %won = extractvalue { i32, i1 } %swap, 1
  br i1 %won, label %done, label %find
done:
  ret void
}

; What comes from `other` was looked at, and is none.
; CHECK-LABEL: @hooks_no_root(
; CHECK: call i64 @__lanza_sync(i32 9,
define void @hooks_no_root(ptr %p, i32 %a) {
entry:
  br label %find
find:
  %x = phi i32 [ %a, %entry ], [ %root, %hook ]
  %at = getelementptr i32, ptr %p, i32 %x
  %up = load i32, ptr %at
  %is_root = icmp eq i32 %up, %x
  br i1 %is_root, label %hook, label %other
other:
  br label %hook
hook:
  %root = phi i32 [ %x, %find ], [ %x, %other ]
  %place = getelementptr i32, ptr %p, i32 %root
  %swap = cmpxchg ptr %place, i32 %root, i32 0 monotonic monotonic
  %won = extractvalue { i32, i1 } %swap, 1
  br i1 %won, label %done, label %find
done:
  ret void
}

; It was a root in the turn before.
; CHECK-LABEL: @hooks_an_earlier_root(
; CHECK: call i64 @__lanza_sync(i32 9,
define void @hooks_an_earlier_root(ptr %p, i32 %a) {
entry:
  br label %hook
hook:
  %root = phi i32 [ %a, %entry ], [ %x, %find ]
  %place = getelementptr i32, ptr %p, i32 %root
  %swap = cmpxchg ptr %place, i32 %root, i32 0 monotonic monotonic
  %won = extractvalue { i32, i1 } %swap, 1
  br i1 %won, label %done, label %find
find:
  %x = phi i32 [ %a, %hook ], [ %up, %find ]
  %at = getelementptr i32, ptr %p, i32 %x
  %up = load i32, ptr %at
  %is_root = icmp eq i32 %up, %x
  br i1 %is_root, label %hook, label %find
done:
  ret void
}

; A row's end is read in each turn, from an array that is only read; what is found passes through another one.
; CHECK-LABEL: @visits(
; CHECK-NOT: __lanza_sync
; CHECK: ret void
define void @visits(ptr %rows, ptr %levels, ptr %next, ptr %count) {
entry:
  br label %loop
loop:
  %e = phi i32 [ 0, %entry ], [ %up, %after ]
  %level = getelementptr i32, ptr %levels, i32 %e
  %swap = cmpxchg ptr %level, i32 -1, i32 4 monotonic monotonic
  %won = extractvalue { i32, i1 } %swap, 1
  br i1 %won, label %first, label %after
first:
  %n = atomicrmw add ptr %count, i32 1 monotonic
  %at = getelementptr i32, ptr %next, i32 %n
  store i32 %e, ptr %at
  br label %after
after:
  %up = add i32 %e, 1
  %end = load i32, ptr %rows
  %more = icmp slt i32 %up, %end
  br i1 %more, label %loop, label %done
done:
  ret void
}

; Given back by another parameter, which may be the same address.
; CHECK-LABEL: @gives_back_elsewhere(
; CHECK: call i64 @__lanza_sync(i32 9,
define void @gives_back_elsewhere(ptr %slots, ptr %same) {
entry:
  br label %loop
loop:
  %slot = phi i32 [ 0, %entry ], [ %after, %loop ]
  %at = getelementptr i32, ptr %slots, i32 %slot
  %swap = cmpxchg ptr %at, i32 0, i32 1 monotonic monotonic
  %won = extractvalue { i32, i1 } %swap, 1
  %up = add i32 %slot, 1
  %after = and i32 %up, 3
  br i1 %won, label %done, label %loop
done:
  %give = getelementptr i32, ptr %same, i32 %slot
  %old = atomicrmw xchg ptr %give, i32 0 monotonic
  ret void
}

; By a plain store.
; CHECK-LABEL: @gives_back_plainly(
; CHECK: call i64 @__lanza_sync(i32 9,
define void @gives_back_plainly(ptr %slots, ptr %same) {
entry:
  br label %loop
loop:
  %slot = phi i32 [ 0, %entry ], [ %after, %loop ]
  %at = getelementptr i32, ptr %slots, i32 %slot
  %swap = cmpxchg ptr %at, i32 0, i32 1 monotonic monotonic
  %won = extractvalue { i32, i1 } %swap, 1
  %up = add i32 %slot, 1
  %after = and i32 %up, 3
  br i1 %won, label %done, label %loop
done:
  %give = getelementptr i32, ptr %same, i32 %slot
  store i32 0, ptr %give
  ret void
}

; By taking 1 away.
; CHECK-LABEL: @takes_away(
; CHECK: call i64 @__lanza_sync(i32 9,
define void @takes_away(ptr %slots, ptr %same) {
entry:
  br label %loop
loop:
  %slot = phi i32 [ 0, %entry ], [ %after, %loop ]
  %at = getelementptr i32, ptr %slots, i32 %slot
  %swap = cmpxchg ptr %at, i32 0, i32 1 monotonic monotonic
  %won = extractvalue { i32, i1 } %swap, 1
  %up = add i32 %slot, 1
  %after = and i32 %up, 3
  br i1 %won, label %done, label %loop
done:
  %give = getelementptr i32, ptr %same, i32 %slot
  %old = atomicrmw add ptr %give, i32 -1 monotonic
  ret void
}

; What is written as well is the block's.
; CHECK-LABEL: @counts_beside(
; CHECK-NOT: __lanza_sync(i32 9,
; CHECK: ret void
define void @counts_beside(ptr %slots, i32 %key) {
entry:
  store i32 0, ptr addrspace(3) @table
  br label %loop
loop:
  %slot = phi i32 [ 0, %entry ], [ %after, %loop ]
  %at = getelementptr i32, ptr %slots, i32 %slot
  %swap = cmpxchg ptr %at, i32 0, i32 %key monotonic monotonic
  %won = extractvalue { i32, i1 } %swap, 1
  %up = add i32 %slot, 1
  %after = and i32 %up, 3
  br i1 %won, label %done, label %loop
done:
  ret void
}

; Records of keys and values: a value is no key.
; CHECK-LABEL: @inserts_records(
; CHECK-NOT: __lanza_sync
; CHECK: ret void
define void @inserts_records(ptr %table, i32 %key, i32 %value, i32 %mask) {
entry:
  br label %loop
loop:
  %slot = phi i32 [ 0, %entry ], [ %after, %loop ]
  %index = zext i32 %slot to i64
  %record = getelementptr inbounds [8 x i8], ptr %table, i64 %index
  %at = getelementptr inbounds i8, ptr %record, i64 4
  %swap = cmpxchg ptr %at, i32 0, i32 %key monotonic monotonic
  %won = extractvalue { i32, i1 } %swap, 1
  %up = add i32 %slot, 1
  %after = and i32 %up, %mask
  br i1 %won, label %done, label %loop
done:
  store i32 %value, ptr %record
  ret void
}

; A value of eight bytes is a key as well.
; CHECK-LABEL: @writes_over_keys(
; CHECK: call i64 @__lanza_sync(i32 9,
define void @writes_over_keys(ptr %table, i32 %key, i64 %value, i32 %mask) {
entry:
  br label %loop
loop:
  %slot = phi i32 [ 0, %entry ], [ %after, %loop ]
  %index = zext i32 %slot to i64
  %record = getelementptr inbounds [8 x i8], ptr %table, i64 %index
  %at = getelementptr inbounds i8, ptr %record, i64 4
  %swap = cmpxchg ptr %at, i32 0, i32 %key monotonic monotonic
  %won = extractvalue { i32, i1 } %swap, 1
  %up = add i32 %slot, 1
  %after = and i32 %up, %mask
  br i1 %won, label %done, label %loop
done:
  store i64 %value, ptr %record
  ret void
}

; So is the value of a record of four bytes' step.
; CHECK-LABEL: @writes_other_slots(
; CHECK: call i64 @__lanza_sync(i32 9,
define void @writes_other_slots(ptr %table, i32 %key, i32 %value, i32 %mask) {
entry:
  br label %loop
loop:
  %slot = phi i32 [ 0, %entry ], [ %after, %loop ]
  %index = zext i32 %slot to i64
  %at = getelementptr inbounds i32, ptr %table, i64 %index
  %swap = cmpxchg ptr %at, i32 0, i32 %key monotonic monotonic
  %won = extractvalue { i32, i1 } %swap, 1
  %up = add i32 %slot, 1
  %after = and i32 %up, %mask
  br i1 %won, label %done, label %loop
done:
  %next = getelementptr inbounds i8, ptr %at, i64 4
  store i32 %value, ptr %next
  ret void
}
