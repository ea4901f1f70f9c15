; RUN: %opt -kernel=plain -passes=uniform-barriers %s | %check %s --check-prefix=PLAIN
; RUN: %opt -kernel=uniform_loop -passes=uniform-barriers %s | %check %s --check-prefix=LOOP
; RUN: %opt -kernel=divergent_loop -passes=uniform-barriers %s | %check %s --check-prefix=DIVERGENT
; RUN: %opt -kernel=leaves_early -passes=uniform-barriers %s | %check %s --check-prefix=EARLY
; RUN: %opt -kernel=leaves_in_loop -passes=uniform-barriers %s | %check %s --check-prefix=LEAVES
; RUN: %opt -kernel=two_barriers -passes=uniform-barriers %s | %check %s --check-prefix=TWO
; RUN: %opt -kernel=meet_before -passes=uniform-barriers %s | %check %s --check-prefix=MEET
; RUN: %opt -kernel=counted -passes=uniform-barriers %s | %check %s --check-prefix=COUNTED
; RUN: %opt -kernel=watches -passes=uniform-barriers %s | %check %s --check-prefix=WATCHES
; RUN: %opt -kernel=warp -passes=uniform-barriers %s | %check %s --check-prefix=WARP
; RUN: %opt -kernel=some_threads -passes=uniform-barriers %s | %check %s --check-prefix=SOME
; RUN: %opt -kernel=undefined_for_some -passes=uniform-barriers %s | %check %s --check-prefix=UNDEFINED
; RUN: %opt -kernel=leaves_early -passes=why-leaving-matters %s | %check %s --check-prefix=NOTHING
; RUN: %opt -kernel=leaves_in_loop -passes=why-leaving-matters %s | %check %s --check-prefix=NOTHING
; RUN: %opt -kernel=work_behind_loop -passes=why-leaving-matters %s | %check %s --check-prefix=WORK
; RUN: %opt -kernel=work_for_all -passes=why-leaving-matters %s | %check %s --check-prefix=WORK
; RUN: %opt -kernel=some_leave -passes=uniform-barriers %s | %check %s --check-prefix=SOME_LEAVE
; RUN: %opt -kernel=some_leave -passes=why-leaving-matters %s | %check %s --check-prefix=WORK
; RUN: %opt -kernel=block_leaves -passes=why-leaving-matters %s | %check %s --check-prefix=NOTHING

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; PLAIN: plain: proved
define void @plain() {
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  ret void
}

; A loop whose number of turns is an argument.
; LOOP: uniform_loop: proved
define void @uniform_loop(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  ret void
}

; Some threads wait in the loop, some behind it.
; DIVERGENT: divergent_loop: threads that part at a branch may come to different barriers
define void @divergent_loop() {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %more = icmp ult i32 %next, %t
  br i1 %more, label %loop, label %end
end:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  ret void
}

; EARLY: leaves_early: proved
define void @leaves_early(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %out = icmp uge i32 %t, %n
  br i1 %out, label %end, label %go
go:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %end
end:
  ret void
}

; Behind the loop no barrier comes: whoever leaves it is waited for no more.
; LEAVES: leaves_in_loop: proved
define void @leaves_in_loop() {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %more = icmp ult i32 %next, %t
  br i1 %more, label %loop, label %end
end:
  ret void
}

; TWO: two_barriers: threads that part at a branch may come to different barriers
define void @two_barriers(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %one = icmp uge i32 %t, %n
  br i1 %one, label %a, label %b
a:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %end
b:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %end
end:
  ret void
}

; Together again in front of the branch that chooses between barriers.
; MEET: meet_before: proved
define void @meet_before(i32 %n, ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %one = icmp eq i32 %t, 1
  br i1 %one, label %work, label %meet
work:
  store i32 1, ptr %p
  br label %meet
meet:
  %few = icmp ult i32 %n, 8
  br i1 %few, label %a, label %b
a:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %end
b:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %end
end:
  ret void
}

; What a barrier counts is the same for all.
; COUNTED: counted: proved
define void @counted() {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  br label %loop
loop:
  %c = call i64 @__lanza_sync(i32 2, i32 0, i32 0, i64 %w, i32 0)
  %more = icmp ugt i64 %c, 3
  br i1 %more, label %loop, label %end
end:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  ret void
}

; Two threads may see different values of volatile memory.
; WATCHES: watches: threads that part at a branch may come to different barriers
define void @watches(ptr %p) {
  %v = load volatile i32, ptr %p
  %one = icmp eq i32 %v, 0
  br i1 %one, label %a, label %b
a:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %b
b:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  ret void
}

; What only a warp meets at is another proof's; at a barrier of the grid the block meets; some only arrive at the last.
; WARP: warp: a synchronisation point is not a barrier of the whole block
define void @warp() {
  call i64 @__lanza_sync(i32 3, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 13, i32 0, i32 0, i64 0, i32 0)
  call i64 @__lanza_sync(i32 14, i32 0, i32 0, i64 0, i32 0)
  ret void
}

; bar.sync 0, 64
; SOME: some_threads: a synchronisation point is not a barrier of the whole block
define void @some_threads() {
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 64)
  ret void
}

; Some threads have read the value, others have any: it is not the same for all, and neither is what is decided by it.
; UNDEFINED: undefined_for_some: threads that part at a branch may come to different barriers
define void @undefined_for_some(ptr %p) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %few = icmp ult i32 %t, 5
  br i1 %few, label %read, label %on
read:
  %value = load i32, ptr %p
  br label %on
on:
  %some = phi i32 [ %value, %read ], [ undef, %entry ]
  %is = icmp eq i32 %some, 0
  br i1 %is, label %one, label %other
one:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %end
other:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %end
end:
  ret void
}

; A group that goes on while one thread is in the loop would write for the others when barriers have passed.
; NOTHING: proved
; WORK: threads that leave before a barrier have work to do on their way out
define void @work_behind_loop(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %more = icmp ult i32 %next, %t
  br i1 %more, label %loop, label %end
end:
  store i32 1, ptr %out
  ret void
}

; Those that do not come to the barrier would write behind it.
define void @work_for_all(ptr %out, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %out_of = icmp uge i32 %t, %n
  br i1 %out_of, label %end, label %go
go:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %end
end:
  store i32 1, ptr %out
  ret void
}

; The whole block leaves.
define void @block_leaves(ptr %out, i32 %n) {
  %leave = icmp eq i32 %n, 0
  br i1 %leave, label %end, label %go
go:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %end
end:
  store i32 1, ptr %out
  ret void
}

; All that are in the branch leave or none: the others go on without them.
; SOME_LEAVE: some_leave: proved
define void @some_leave(ptr %x, i1 %all) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %some = icmp ult i32 %t, 20
  br i1 %some, label %part, label %join
part:
  br i1 %all, label %leave, label %join
leave:
  store i32 1, ptr %x
  ret void
join:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  ret void
}
