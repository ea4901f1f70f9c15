; RUN: %opt -kernel=sparse -passes=gather-bound %s | %check %s --check-prefix=BOUND
; RUN: %opt -target=x86-64-v4 -kernel=sparse -passes=gather-bound %s | %check %s --check-prefix=NOT
; RUN: %opt -target=znver4 -kernel=sparse -passes=gather-bound %s | %check %s --check-prefix=NOT
; RUN: %opt -target=znver4 -kernel=sparse_doubles -passes=gather-bound %s | %check %s --check-prefix=DOUBLES
; RUN: %opt -target=x86-64-v4 -kernel=indirect -passes=gather-bound %s | %check %s --check-prefix=INDIRECT
; RUN: %opt -target=x86-64-v4 -kernel=roots -passes=gather-bound %s | %check %s --check-prefix=NOT
; RUN: %opt -target=znver4 -kernel=roots -passes=gather-bound %s | %check %s --check-prefix=CHASES
; RUN: %opt -kernel=alike -passes=gather-bound %s | %check %s --check-prefix=NOT
; RUN: %opt -kernel=neighbours -passes=gather-bound %s | %check %s --check-prefix=NOT
; RUN: %opt -kernel=rows -passes=gather-bound %s | %check %s --check-prefix=NOT
; RUN: %opt -kernel=places -passes=gather-bound %s | %check %s --check-prefix=PLACES
; RUN: %opt -kernel=works -passes=gather-bound %s | %check %s --check-prefix=NOT
; RUN: %opt -target=znver4 -kernel=adds_apart -passes=gather-bound %s | %check %s --check-prefix=APART
; RUN: %opt -target=znver4 -kernel=counts_apart -passes=gather-bound %s | %check %s --check-prefix=COUNTS
; RUN: %opt -target=znver4 -kernel=counts_together -passes=gather-bound %s | %check %s --check-prefix=NOT
; RUN: %opt -target=znver4 -kernel=minima_at_times -passes=gather-bound %s | %check %s --check-prefix=MINIMA
; RUN: %opt -target=znver4 -kernel=adds_rows -passes=gather-bound %s | %check %s --check-prefix=ROWS
; RUN: %opt -target=znver4 -kernel=adds_neighbours -passes=gather-bound %s | %check %s --check-prefix=NOT
; RUN: %opt -target=znver4 -kernel=stack -passes=gather-bound %s | %check %s --check-prefix=STACK
; RUN: %opt -target=x86-64-v4 -kernel=guesses -passes=gather-bound %s | %check %s --check-prefix=NOT
; RUN: %opt -target=x86-64-v4 -kernel=ends_early -passes=gather-bound %s | %check %s --check-prefix=NOT
; RUN: %opt -target=znver4 -kernel=ends_early -passes=gather-bound %s | %check %s --check-prefix=EARLY
; RUN: %opt -target=znver4 -kernel=breaks -passes=gather-bound %s | %check %s --check-prefix=BREAKS
; RUN: %opt -target=znver4 -kernel=ends_by_sum -passes=gather-bound %s | %check %s --check-prefix=NOT
; RUN: %opt -target=x86-64-v4 -kernel=stores_at_times -passes=gather-bound %s | %check %s --check-prefix=TIMES

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; Element by element, in lines that serve many turns: that is for instructions that gather, or for masks in registers,
; by which rows are loaded in pieces.
; BOUND: sparse: a loop of it does little but gather
; NOT: proved
define void @sparse(ptr %starts, ptr %values) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %starts, i32 %t
  %start = load i32, ptr %at
  br label %loop
loop:
  %j = phi i32 [ %start, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %address = getelementptr float, ptr %values, i32 %j
  %value = load float, ptr %address
  %more = fadd float %sum, %value
  %next = add i32 %j, 1
  %again = icmp slt i32 %next, 100
  br i1 %again, label %loop, label %end
end:
  ret void
}

; DOUBLES: sparse_doubles: a loop of it does little but gather
define void @sparse_doubles(ptr %starts, ptr %values) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %starts, i32 %t
  %start = load i32, ptr %at
  br label %loop
loop:
  %j = phi i32 [ %start, %entry ], [ %next, %loop ]
  %sum = phi double [ 0.0, %entry ], [ %more, %loop ]
  %address = getelementptr double, ptr %values, i32 %j
  %value = load double, ptr %address
  %more = fadd double %sum, %value
  %next = add i32 %j, 1
  %again = icmp slt i32 %next, 100
  br i1 %again, label %loop, label %end
end:
  ret void
}

; From parent to parent: one thread waits for each load, lanes that gather for all of theirs at once.
; CHASES: roots: a loop of it does little but gather
define void @roots(ptr %parents, ptr %roots) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %root = phi i32 [ %t, %entry ], [ %parent, %loop ]
  %at = getelementptr i32, ptr %parents, i32 %root
  %parent = load i32, ptr %at
  %done = icmp eq i32 %parent, %root
  br i1 %done, label %end, label %loop
end:
  %to = getelementptr i32, ptr %roots, i32 %t
  store i32 %root, ptr %to
  ret void
}

; All lanes leave together.
define void @alike(ptr %starts, ptr %values, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %starts, i32 %t
  %start = load i32, ptr %at
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %j = add i32 %start, %i
  %address = getelementptr float, ptr %values, i32 %j
  %value = load float, ptr %address
  %next = add i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

; What lies next to each other is no gather.
define void @neighbours(ptr %values, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %j = phi i32 [ %t, %entry ], [ %next, %loop ]
  %wide = zext nneg i32 %j to i64
  %address = getelementptr float, ptr %values, i64 %wide
  %value = load float, ptr %address
  %next = add nuw nsw i32 %j, 256
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

define void @works(ptr %starts, ptr %values) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %starts, i32 %t
  %start = load i32, ptr %at
  br label %loop
loop:
  %j = phi i32 [ %start, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %address = getelementptr float, ptr %values, i32 %j
  %value = load float, ptr %address
  %a = fmul float %value, %value
  %b = fdiv float %a, %sum
  %more = fadd float %sum, %b
  %next = add i32 %j, 1
  %again = icmp slt i32 %next, 100
  br i1 %again, label %loop, label %end
end:
  ret void
}

; Rows and columns of an index that goes with the lanes: neighbours, where they lie in one row.
define void @rows(ptr %values, ptr %biases, i32 %n, i32 %width) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %j = phi i32 [ %t, %entry ], [ %next, %loop ]
  %divided = sdiv i32 %j, %width
  %none = icmp eq i32 %width, 0
  %row = select i1 %none, i32 -1, i32 %divided
  %first = mul i32 %row, %width
  %column = sub i32 %j, %first
  %wide = sext i32 %column to i64
  %address = getelementptr float, ptr %biases, i64 %wide
  %value = load float, ptr %address
  %next = add nuw nsw i32 %j, 256
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

; What is taken apart lies anywhere.
; PLACES: places: a loop of it does little but gather
define void @places(ptr %indices, ptr %values, i32 %n, i32 %width) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %j = phi i32 [ %t, %entry ], [ %next, %loop ]
  %at = getelementptr i32, ptr %indices, i32 %j
  %index = load i32, ptr %at
  %row = udiv i32 %index, %width
  %address = getelementptr float, ptr %values, i32 %row
  %value = load float, ptr %address
  %next = add nuw nsw i32 %j, 256
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

; Where each element says goes no line twice.
; INDIRECT: indirect: a loop of it does little but gather
define void @indirect(ptr %starts, ptr %columns, ptr %values) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %starts, i32 %t
  %start = load i32, ptr %at
  br label %loop
loop:
  %j = phi i32 [ %start, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %column.at = getelementptr i32, ptr %columns, i32 %j
  %column = load i32, ptr %column.at
  %address = getelementptr float, ptr %values, i32 %column
  %value = load float, ptr %address
  %more = fadd float %sum, %value
  %next = add i32 %j, 1
  %again = icmp slt i32 %next, 100
  br i1 %again, label %loop, label %end
end:
  ret void
}

; Floats are added lane by lane.
; APART: adds_apart: a loop of it does little but gather
define void @adds_apart(ptr %starts, ptr %columns, ptr %sums, float %value) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %starts, i32 %t
  %start = load i32, ptr %at
  br label %loop
loop:
  %j = phi i32 [ %start, %entry ], [ %next, %loop ]
  %column.at = getelementptr i32, ptr %columns, i32 %j
  %column = load i32, ptr %column.at
  %address = getelementptr float, ptr %sums, i32 %column
  %old = atomicrmw fadd ptr %address, float %value monotonic
  %next = add i32 %j, 1
  %again = icmp slt i32 %next, 100
  br i1 %again, label %loop, label %end
end:
  ret void
}

; Rows of the lanes' own, which they leave together.
; ROWS: adds_rows: a loop of it adds to a row of each thread's own
define void @adds_rows(ptr %numbers, ptr %values, ptr %sums, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %numbers, i32 %t
  %number = load i32, ptr %at
  %row = mul i32 %number, %n
  %mine = mul i32 %t, %n
  br label %loop
loop:
  %j = phi i32 [ 0, %entry ], [ %next, %loop ]
  %from = add i32 %j, %mine
  %value.at = getelementptr float, ptr %values, i32 %from
  %value = load float, ptr %value.at
  %to = add i32 %j, %row
  %address = getelementptr float, ptr %sums, i32 %to
  %old = atomicrmw fadd ptr %address, float %value monotonic
  %next = add i32 %j, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

define void @adds_neighbours(ptr %values, ptr %sums, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %j = phi i32 [ %t, %entry ], [ %next, %loop ]
  %wide = zext nneg i32 %j to i64
  %value.at = getelementptr float, ptr %values, i64 %wide
  %value = load float, ptr %value.at
  %address = getelementptr float, ptr %sums, i64 %wide
  %old = atomicrmw fadd ptr %address, float %value monotonic
  %next = add nuw nsw i32 %j, 256
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

; A stack of each thread's own, on which the depths differ: scattered, and gathered again.
; STACK: stack: a loop of it does little but gather
define void @stack(ptr %starts, ptr %out) {
entry:
  %todo = alloca [16 x i32]
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %starts, i32 %t
  %start = load i32, ptr %at
  br label %loop
loop:
  %depth = phi i32 [ %start, %entry ], [ %next, %loop ]
  %top = getelementptr i32, ptr %todo, i32 %depth
  %node = load i32, ptr %top
  %rest = lshr i32 %node, 1
  %odd = and i32 %node, 1
  %up = add i32 %depth, %odd
  %place = getelementptr i32, ptr %todo, i32 %up
  store i32 %rest, ptr %place
  %next = sub i32 %up, 1
  %again = icmp sgt i32 %next, 0
  br i1 %again, label %loop, label %end
end:
  ret void
}

; Each turn asks what the place that it has found holds: one thread guesses wrong, lanes ask at once.
define void @guesses(ptr %starts, ptr %edges, ptr %colors, ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %starts, i32 %t
  %start = load i32, ptr %at
  %end.at = getelementptr i8, ptr %at, i64 4
  %end = load i32, ptr %end.at
  br label %loop
loop:
  %k = phi i32 [ %start, %entry ], [ %next, %latch ]
  %least = phi i32 [ 0, %entry ], [ %lower, %latch ]
  %edge.at = getelementptr i32, ptr %edges, i32 %k
  %edge = load i32, ptr %edge.at
  %color.at = getelementptr i32, ptr %colors, i32 %edge
  %color = load i32, ptr %color.at
  %is_free = icmp eq i32 %color, -1
  br i1 %is_free, label %look, label %latch
look:
  %number.at = getelementptr i32, ptr %out, i32 %edge
  %number = load i32, ptr %number.at
  %sum = add i32 %number, %least
  %double = mul i32 %sum, %sum
  %mixed = xor i32 %double, %edge
  br label %latch
latch:
  %lower = phi i32 [ %least, %loop ], [ %mixed, %look ]
  %next = add i32 %k, 1
  %again = icmp slt i32 %next, %end
  br i1 %again, label %loop, label %done
done:
  %own = getelementptr i32, ptr %out, i32 %t
  store i32 %lower, ptr %own
  ret void
}

; What a turn has loaded ends the loop: where gathers are slow, the few lanes that stay do not pay for them.
; EARLY: ends_early: a loop of it does little but gather
define void @ends_early(ptr %starts, ptr %edges, ptr %states, ptr %numbers, ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %starts, i32 %t
  %start = load i32, ptr %at
  %end.at = getelementptr i8, ptr %at, i64 4
  %end = load i32, ptr %end.at
  br label %loop
loop:
  %k = phi i32 [ %start, %entry ], [ %next, %latch ]
  %best = phi i32 [ 1, %entry ], [ %better, %latch ]
  %edge.at = getelementptr i32, ptr %edges, i32 %k
  %edge = load i32, ptr %edge.at
  %state.at = getelementptr i32, ptr %states, i32 %edge
  %state = load i32, ptr %state.at
  %is_in = icmp eq i32 %state, 1
  br i1 %is_in, label %latch, label %ask
ask:
  %is_open = icmp slt i32 %state, 0
  br i1 %is_open, label %look, label %latch
look:
  %number.at = getelementptr i32, ptr %numbers, i32 %edge
  %number = load i32, ptr %number.at
  %is_more = icmp ugt i32 %number, 17
  %other = select i1 %is_more, i32 -1, i32 %best
  br label %latch
latch:
  %better = phi i32 [ 0, %loop ], [ %best, %ask ], [ %other, %look ]
  %stays = xor i1 %is_in, true
  %next = add i32 %k, 1
  %more = icmp slt i32 %next, %end
  %again = select i1 %stays, i1 %more, i1 false
  br i1 %again, label %loop, label %done
done:
  %own = getelementptr i32, ptr %out, i32 %t
  store i32 %better, ptr %own
  ret void
}

; The same, as a number says at the end of a turn whether it was the last one.
; BREAKS: breaks: a loop of it does little but gather
define void @breaks(ptr %starts, ptr %edges, ptr %states, ptr %numbers, ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %starts, i32 %t
  %start = load i32, ptr %at
  %end.at = getelementptr i8, ptr %at, i64 4
  %end = load i32, ptr %end.at
  br label %loop
loop:
  %k = phi i32 [ %start, %entry ], [ %next, %latch ]
  %used = phi i32 [ 0, %entry ], [ %all, %latch ]
  %edge.at = getelementptr i32, ptr %edges, i32 %k
  %edge = load i32, ptr %edge.at
  %itself = icmp eq i32 %edge, %t
  br i1 %itself, label %turned, label %ask
ask:
  %state.at = getelementptr i32, ptr %states, i32 %edge
  %state = load i32, ptr %state.at
  %is_set = icmp sgt i32 %state, -1
  br i1 %is_set, label %mark, label %look
mark:
  %low = and i32 %state, 31
  %bit = shl i32 1, %low
  %more_used = or i32 %used, %bit
  br label %turned
look:
  %number.at = getelementptr i32, ptr %numbers, i32 %edge
  %number = load i32, ptr %number.at
  %is_more = icmp ugt i32 %number, 17
  %code = select i1 %is_more, i32 2, i32 0
  br label %turned
turned:
  %all = phi i32 [ %used, %loop ], [ %more_used, %mark ], [ %used, %look ]
  %way = phi i32 [ 4, %loop ], [ 0, %mark ], [ %code, %look ]
  switch i32 %way, label %done [
    i32 0, label %latch
    i32 4, label %latch
  ]
latch:
  %next = add i32 %k, 1
  %more = icmp slt i32 %next, %end
  br i1 %more, label %loop, label %done
done:
  %own = getelementptr i32, ptr %out, i32 %t
  store i32 %all, ptr %own
  ret void
}

; A sum of what was loaded grows alike in neighbours.
define void @ends_by_sum(ptr %starts, ptr %edges, ptr %states, ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %starts, i32 %t
  %start = load i32, ptr %at
  %end.at = getelementptr i8, ptr %at, i64 4
  %end = load i32, ptr %end.at
  br label %loop
loop:
  %k = phi i32 [ %start, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %edge.at = getelementptr i32, ptr %edges, i32 %k
  %edge = load i32, ptr %edge.at
  %state.at = getelementptr i32, ptr %states, i32 %edge
  %state = load i32, ptr %state.at
  %a = mul i32 %state, %state
  %b = xor i32 %a, %edge
  %c = mul i32 %b, %b
  %d = lshr i32 %c, 3
  %more = add i32 %sum, %d
  %next = add i32 %k, 1
  %is_less = icmp slt i32 %more, 1000
  %has_more = icmp slt i32 %next, %end
  %again = and i1 %is_less, %has_more
  br i1 %again, label %loop, label %done
done:
  %own = getelementptr i32, ptr %out, i32 %t
  store i32 %more, ptr %own
  ret void
}

; Stores of some lanes are done for one after the other.
; TIMES: stores_at_times: a loop of it does little but gather
define void @stores_at_times(ptr %starts, ptr %edges, ptr %colors, ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %starts, i32 %t
  %start = load i32, ptr %at
  %end.at = getelementptr i8, ptr %at, i64 4
  %end = load i32, ptr %end.at
  br label %loop
loop:
  %k = phi i32 [ %start, %entry ], [ %next, %latch ]
  %edge.at = getelementptr i32, ptr %edges, i32 %k
  %edge = load i32, ptr %edge.at
  %color.at = getelementptr i32, ptr %colors, i32 %edge
  %color = load i32, ptr %color.at
  %is_free = icmp eq i32 %color, -1
  br i1 %is_free, label %mark, label %latch
mark:
  store i32 %t, ptr %color.at
  br label %latch
latch:
  %next = add i32 %k, 1
  %again = icmp slt i32 %next, %end
  br i1 %again, label %loop, label %done
done:
  ret void
}

; Whole numbers as well: lanes whose places may be the same go one after the other.
; COUNTS: counts_apart: a loop of it does little but gather
define void @counts_apart(ptr %starts, ptr %columns, ptr %counts) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %starts, i32 %t
  %start = load i32, ptr %at
  br label %loop
loop:
  %j = phi i32 [ %start, %entry ], [ %next, %loop ]
  %column.at = getelementptr i32, ptr %columns, i32 %j
  %column = load i32, ptr %column.at
  %address = getelementptr i32, ptr %counts, i32 %column
  %old = atomicrmw add ptr %address, i32 1 monotonic
  %next = add i32 %j, 1
  %again = icmp slt i32 %next, 100
  br i1 %again, label %loop, label %end
end:
  ret void
}

; One counter is changed once for all lanes.
define void @counts_together(ptr %starts, ptr %colors, ptr %count) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %starts, i32 %t
  %start = load i32, ptr %at
  br label %loop
loop:
  %k = phi i32 [ %start, %entry ], [ %next, %latch ]
  %color.at = getelementptr i32, ptr %colors, i32 %k
  %color = load i32, ptr %color.at
  %is_free = icmp eq i32 %color, -1
  br i1 %is_free, label %count.it, label %latch
count.it:
  %old = atomicrmw add ptr %count, i32 1 monotonic
  br label %latch
latch:
  %next = add i32 %k, 1
  %again = icmp slt i32 %next, 100
  br i1 %again, label %loop, label %end
end:
  ret void
}

; A branch that memory decides gains nothing where one way is gone lane by lane.
; MINIMA: minima_at_times: a loop of it does little but gather
define void @minima_at_times(ptr %starts, ptr %edges, ptr %weights, ptr %lengths) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %starts, i32 %t
  %start = load i32, ptr %at
  br label %loop
loop:
  %k = phi i32 [ %start, %entry ], [ %next, %latch ]
  %weight.at = getelementptr i32, ptr %weights, i32 %k
  %weight = load i32, ptr %weight.at
  %length = add i32 %weight, %start
  %edge.at = getelementptr i32, ptr %edges, i32 %k
  %edge = load i32, ptr %edge.at
  %length.at = getelementptr i32, ptr %lengths, i32 %edge
  %known = load i32, ptr %length.at
  %is_shorter = icmp slt i32 %length, %known
  br i1 %is_shorter, label %shorten, label %latch
shorten:
  %old = atomicrmw min ptr %length.at, i32 %length monotonic
  br label %latch
latch:
  %next = add i32 %k, 1
  %again = icmp slt i32 %next, 100
  br i1 %again, label %loop, label %end
end:
  ret void
}
