; Loops whose turns wait for each other run in two registers of lanes, or in as many as there is room for.
; RUN: %opt -target=x86-64-v4 -lanes=16 -block=256 -kernel=escape -passes=overlap-turns %s | %check %s --check-prefix=TWO
; RUN: %opt -target=x86-64-v3 -lanes=8 -block=256 -kernel=escape -passes=overlap-turns %s | %check %s --check-prefix=ROOM
; RUN: %opt -target=x86-64-v4 -lanes=16 -block=16,3 -kernel=escape -passes=overlap-turns %s | %check %s --check-prefix=SHAPE
; RUN: %opt -target=x86-64-v4 -lanes=16 -block=16,4 -kernel=escape -passes=overlap-turns %s | %check %s --check-prefix=ROWS
; RUN: %opt -target=x86-64-v4 -lanes=16 -block=256 -kernel=memory -passes=overlap-turns %s | %check %s --check-prefix=MEMORY
; RUN: %opt -target=x86-64-v4 -lanes=16 -block=256 -kernel=nine -passes=overlap-turns %s | %check %s --check-prefix=NINE
; RUN: %opt -target=x86-64-v4 -lanes=16 -block=256 -kernel=shared -passes=overlap-turns %s | %check %s --check-prefix=SHARED
; RUN: %opt -target=x86-64-v4 -lanes=16 -block=256 -kernel=busy -passes=overlap-turns %s | %check %s --check-prefix=BUSY
; RUN: %opt -target=x86-64-v4 -lanes=16 -block=256 -kernel=straight -passes=overlap-turns %s | %check %s --check-prefix=STRAIGHT
; RUN: %opt -target=x86-64-v4 -lanes=16 -block=256 -kernel=states -passes=overlap-turns %s | %check %s --check-prefix=STATES
; RUN: %opt -target=x86-64-v4 -lanes=16 -block=256 -kernel=gathered -passes=overlap-turns %s | %check %s --check-prefix=GATHERED
; RUN: %opt -target=x86-64-v4 -lanes=16 -block=256 -kernel=strides -passes=overlap-turns %s | %check %s --check-prefix=STRIDES
; RUN: %opt -target=x86-64-v4 -lanes=16 -block=256 -kernel=gathers -passes=overlap-turns %s | %check %s --check-prefix=GATHERS
; RUN: %opt -target=x86-64-v4 -lanes=16 -block=256 -kernel=chosen -passes=overlap-turns %s | %check %s --check-prefix=CHOSEN
; RUN: %opt -target=znver5 -lanes=16 -block=256 -kernel=rows -passes=overlap-turns %s | %check %s --check-prefix=WIDE
; RUN: %opt -target=x86-64-v4 -lanes=16 -block=256 -kernel=rows -passes=overlap-turns %s | %check %s --check-prefix=NARROW
; RUN: %opt -target=znver5 -lanes=16 -block=256 -kernel=doubles -passes=overlap-turns %s | %check %s --check-prefix=DOUBLES
; RUN: %opt -target=znver5 -lanes=16 -block=256 -kernel=but_for_one -passes=overlap-turns %s | %check %s --check-prefix=BUT
; RUN: %opt -target=znver5 -lanes=16 -block=256 -kernel=strings -passes=overlap-turns %s | %check %s --check-prefix=STRINGS

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()

; TWO: escape: 32 lanes
; ROOM: escape: 32 lanes
; Rows of 16 lanes in blocks of three: the last would be alone.
; SHAPE: escape: 16 lanes
; ROWS: escape: 32 lanes
define void @escape(ptr %out, i32 %limit) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = sitofp i32 %t to float
  br label %turn
turn:
  %z = phi float [ 0.0, %entry ], [ %next, %turn ]
  %k = phi i32 [ 0, %entry ], [ %more, %turn ]
  %square = fmul float %z, %z
  %next = fadd float %square, %c
  %more = add nuw nsw i32 %k, 1
  %small = fcmp olt float %next, 4.0
  %again = icmp slt i32 %more, %limit
  %on = and i1 %small, %again
  br i1 %on, label %turn, label %done
done:
  %i = zext nneg i32 %t to i64
  %at = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %more, ptr %at
  ret void
}

; A random walk of as many numbers as it takes: which seed goes on is known when both quotients are, although no seed is
; made of them.
; CHOSEN: chosen: 32 lanes
define void @chosen(ptr %out, float %width) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %turn
turn:
  %seed = phi i32 [ %t, %entry ], [ %last, %behind ]
  %place = phi float [ 0.0, %entry ], [ %there, %behind ]
  %first = mul i32 %seed, 1664525
  %number = sitofp i32 %first to float
  %step = fdiv float %width, %number
  %half = fdiv float %step, %width
  %there = fadd float %place, %half
  %turns = fcmp olt float %half, 0.5
  br i1 %turns, label %again, label %behind
again:
  %second = mul i32 %first, 1664525
  br label %behind
behind:
  %last = phi i32 [ %first, %turn ], [ %second, %again ]
  %inside = fcmp olt float %there, %width
  br i1 %inside, label %turn, label %done
done:
  %i = zext nneg i32 %t to i64
  %at = getelementptr inbounds float, ptr %out, i64 %i
  store float %there, ptr %at
  ret void
}

; What all lanes load is one load, and keeps nobody: a quotient is waited for (Sturm's counts of eigenvalues).
; SHARED: shared: 32 lanes
define void @shared(ptr %in, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x = sitofp i32 %t to float
  br label %turn
turn:
  %q = phi float [ 1.0, %entry ], [ %next, %turn ]
  %k = phi i32 [ 0, %entry ], [ %more, %turn ]
  %i = zext i32 %k to i64
  %from = getelementptr inbounds float, ptr %in, i64 %i
  %value = load float, ptr %from
  %quotient = fdiv float %value, %q
  %next = fsub float %x, %quotient
  %more = add nuw nsw i32 %k, 1
  %again = icmp slt i32 %more, %n
  br i1 %again, label %turn, label %done
done:
  %j = zext nneg i32 %t to i64
  %at = getelementptr inbounds float, ptr %out, i64 %j
  store float %next, ptr %at
  ret void
}

; MEMORY: memory: 16 lanes
define void @memory(ptr %in, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %turn
turn:
  %sum = phi float [ 0.0, %entry ], [ %next, %turn ]
  %k = phi i32 [ 0, %entry ], [ %more, %turn ]
  %place = add i32 %k, %t
  %i = zext i32 %place to i64
  %from = getelementptr inbounds float, ptr %in, i64 %i
  %value = load float, ptr %from
  %next = fadd float %sum, %value
  %more = add nuw nsw i32 %k, 1
  %again = icmp slt i32 %more, %n
  br i1 %again, label %turn, label %done
done:
  %j = zext nneg i32 %t to i64
  %at = getelementptr inbounds float, ptr %out, i64 %j
  store float %next, ptr %at
  ret void
}

; Nor do nine additions a turn, which wait as long as a gather takes.
; NINE: nine: 16 lanes
define void @nine(ptr %in, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %turn
turn:
  %sum = phi float [ 0.0, %entry ], [ %s9, %turn ]
  %k = phi i32 [ 0, %entry ], [ %more, %turn ]
  %place = add i32 %k, %t
  %i = zext i32 %place to i64
  %from = getelementptr inbounds float, ptr %in, i64 %i
  %p1 = getelementptr inbounds float, ptr %from, i64 1
  %v1 = load float, ptr %p1
  %s1 = fadd float %sum, %v1
  %p2 = getelementptr inbounds float, ptr %from, i64 2
  %v2 = load float, ptr %p2
  %s2 = fadd float %s1, %v2
  %p3 = getelementptr inbounds float, ptr %from, i64 3
  %v3 = load float, ptr %p3
  %s3 = fadd float %s2, %v3
  %p4 = getelementptr inbounds float, ptr %from, i64 4
  %v4 = load float, ptr %p4
  %s4 = fadd float %s3, %v4
  %p5 = getelementptr inbounds float, ptr %from, i64 5
  %v5 = load float, ptr %p5
  %s5 = fadd float %s4, %v5
  %p6 = getelementptr inbounds float, ptr %from, i64 6
  %v6 = load float, ptr %p6
  %s6 = fadd float %s5, %v6
  %p7 = getelementptr inbounds float, ptr %from, i64 7
  %v7 = load float, ptr %p7
  %s7 = fadd float %s6, %v7
  %p8 = getelementptr inbounds float, ptr %from, i64 8
  %v8 = load float, ptr %p8
  %s8 = fadd float %s7, %v8
  %p9 = getelementptr inbounds float, ptr %from, i64 9
  %v9 = load float, ptr %p9
  %s9 = fadd float %s8, %v9
  %more = add nuw nsw i32 %k, 1
  %again = icmp slt i32 %more, %n
  br i1 %again, label %turn, label %done
done:
  %j = zext nneg i32 %t to i64
  %at = getelementptr inbounds float, ptr %out, i64 %j
  store float %s9, ptr %at
  ret void
}

; Enough to do while the sum is waited for.
; BUSY: busy: 16 lanes
define void @busy(ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = sitofp i32 %t to float
  br label %turn
turn:
  %sum = phi float [ 0.0, %entry ], [ %next, %turn ]
  %k = phi i32 [ 0, %entry ], [ %more, %turn ]
  %x = sitofp i32 %k to float
  %a = fmul float %x, %c
  %b = fmul float %a, %a
  %d = fadd float %b, %c
  %e = fdiv float %d, %a
  %next = fadd float %sum, %e
  %more = add nuw nsw i32 %k, 1
  %again = icmp slt i32 %more, %n
  br i1 %again, label %turn, label %done
done:
  %j = zext nneg i32 %t to i64
  %at = getelementptr inbounds float, ptr %out, i64 %j
  store float %next, ptr %at
  ret void
}

; STRAIGHT: straight: 16 lanes
define void @straight(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = sitofp i32 %t to float
  %j = zext nneg i32 %t to i64
  %at = getelementptr inbounds float, ptr %out, i64 %j
  store float %c, ptr %at
  ret void
}

; A table's next state: each turn waits for what the one before has gathered.
; STATES: states: 32 lanes
define void @states(ptr %table, ptr %in, i32 %n, ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %state = phi i32 [ %t, %entry ], [ %next, %loop ]
  %at = zext i32 %state to i64
  %p = getelementptr i32, ptr %table, i64 %at
  %found = load i32, ptr %p
  %next = xor i32 %found, %t
  %k.next = add nuw nsw i32 %k, 1
  %end = icmp eq i32 %k.next, %n
  br i1 %end, label %exit, label %loop
exit:
  %q = getelementptr i32, ptr %out, i64 %i
  store i32 %next, ptr %q
  ret void
}

; What is gathered is only added up: gathers follow each other, and other lanes' would come no sooner.
; GATHERED: gathered: 16 lanes
define void @gathered(ptr %table, ptr %in, i32 %n, ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %row = mul i32 %t, %n
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %next, %loop ]
  %index = add i32 %row, %k
  %at = zext i32 %index to i64
  %p = getelementptr i32, ptr %table, i64 %at
  %found = load i32, ptr %p
  %next = add i32 %found, %sum
  %k.next = add nuw nsw i32 %k, 1
  %end = icmp eq i32 %k.next, %n
  br i1 %end, label %exit, label %loop
exit:
  %q = getelementptr i32, ptr %out, i64 %i
  store i32 %next, ptr %q
  ret void
}

; A sum of neighbours, as far as each lane goes: no groups walk through that together.
; STRIDES: strides: 32 lanes
define void @strides(ptr %in, ptr %out, i32 %n) {
entry:
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %some = icmp slt i32 %t, %n
  br i1 %some, label %turn, label %done
turn:
  %i = phi i32 [ %t, %entry ], [ %more, %turn ]
  %sum = phi float [ 0.0, %entry ], [ %next, %turn ]
  %at = zext nneg i32 %i to i64
  %from = getelementptr inbounds float, ptr %in, i64 %at
  %value = load float, ptr %from
  %next = fadd float %sum, %value
  %more = add nuw nsw i32 %i, 256
  %again = icmp slt i32 %more, %n
  br i1 %again, label %turn, label %done
done:
  %result = phi float [ 0.0, %entry ], [ %next, %turn ]
  %o = zext nneg i32 %t to i64
  %to = getelementptr inbounds float, ptr %out, i64 %o
  store float %result, ptr %to
  ret void
}

; Each lane that gathers costs as much as before.
; GATHERS: gathers: 16 lanes
define void @gathers(ptr %in, ptr %out, i32 %n) {
entry:
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %some = icmp slt i32 %t, %n
  br i1 %some, label %turn, label %done
turn:
  %i = phi i32 [ %t, %entry ], [ %more, %turn ]
  %sum = phi float [ 0.0, %entry ], [ %next, %turn ]
  %at = zext nneg i32 %i to i64
  %far = mul nuw nsw i64 %at, 1000
  %from = getelementptr inbounds float, ptr %in, i64 %far
  %value = load float, ptr %from
  %next = fadd float %sum, %value
  %more = add nuw nsw i32 %i, 256
  %again = icmp slt i32 %more, %n
  br i1 %again, label %turn, label %done
done:
  %result = phi float [ 0.0, %entry ], [ %next, %turn ]
  %o = zext nneg i32 %t to i64
  %to = getelementptr inbounds float, ptr %out, i64 %o
  store float %result, ptr %to
  ret void
}

; A row for each lane: it is transposed in registers, which takes a wide core less than the sums wait.
; WIDE: rows: 32 lanes
; NARROW: rows: 16 lanes
define void @rows(ptr %in, ptr %x, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul nsw i32 %t, %n
  br label %turn
turn:
  %s = phi float [ 0.0, %entry ], [ %next, %turn ]
  %k = phi i32 [ 0, %entry ], [ %more, %turn ]
  %place = add nsw i32 %row, %k
  %i = sext i32 %place to i64
  %from = getelementptr inbounds float, ptr %in, i64 %i
  %value = load float, ptr %from
  %j = zext nneg i32 %k to i64
  %factor = getelementptr inbounds float, ptr %x, i64 %j
  %shared = load float, ptr %factor
  %next = call float @llvm.fma.f32(float %value, float %shared, float %s)
  %more = add nuw nsw i32 %k, 1
  %again = icmp slt i32 %more, %n
  br i1 %again, label %turn, label %done
done:
  %l = zext nneg i32 %t to i64
  %at = getelementptr inbounds float, ptr %out, i64 %l
  store float %next, ptr %at
  ret void
}

; Two registers of doubles wait for each other as it is.
; DOUBLES: doubles: 16 lanes
define void @doubles(ptr %in, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul nsw i32 %t, %n
  br label %turn
turn:
  %s = phi double [ 1.0, %entry ], [ %next, %turn ]
  %k = phi i32 [ 0, %entry ], [ %more, %turn ]
  %place = add nsw i32 %row, %k
  %i = sext i32 %place to i64
  %from = getelementptr inbounds double, ptr %in, i64 %i
  %value = load double, ptr %from
  %next = call double @llvm.fma.f64(double %value, double %s, double %s)
  %more = add nuw nsw i32 %k, 1
  %again = icmp slt i32 %more, %n
  br i1 %again, label %turn, label %done
done:
  %l = zext nneg i32 %t to i64
  %at = getelementptr inbounds double, ptr %out, i64 %l
  store double %next, ptr %at
  ret void
}

; Elements that some lanes leave out are gathered: twice as many lanes gather twice as long.
; BUT: but_for_one: 16 lanes
define void @but_for_one(ptr %in, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul nsw i32 %t, %n
  br label %turn
turn:
  %s = phi float [ 0.0, %entry ], [ %next, %latch ]
  %k = phi i32 [ 0, %entry ], [ %more, %latch ]
  %own = icmp eq i32 %k, %t
  br i1 %own, label %latch, label %add
add:
  %place = add nsw i32 %row, %k
  %i = sext i32 %place to i64
  %from = getelementptr inbounds float, ptr %in, i64 %i
  %value = load float, ptr %from
  %sum = call float @llvm.fma.f32(float %value, float %value, float %s)
  br label %latch
latch:
  %next = phi float [ %s, %turn ], [ %sum, %add ]
  %more = add nuw nsw i32 %k, 1
  %again = icmp slt i32 %more, %n
  br i1 %again, label %turn, label %done
done:
  %l = zext nneg i32 %t to i64
  %at = getelementptr inbounds float, ptr %out, i64 %l
  store float %next, ptr %at
  ret void
}

; Lanes that leave one by one, each with a pointer that goes up.
; STRINGS: strings: 16 lanes
define void @strings(ptr %in, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul nsw i32 %t, %n
  %first = sext i32 %row to i64
  %begin = getelementptr inbounds i32, ptr %in, i64 %first
  br label %turn
turn:
  %p = phi ptr [ %begin, %entry ], [ %q, %turn ]
  %s = phi i32 [ 0, %entry ], [ %next, %turn ]
  %value = load i32, ptr %p
  %next = xor i32 %s, %value
  %q = getelementptr inbounds i32, ptr %p, i64 1
  %again = icmp ne i32 %value, 0
  br i1 %again, label %turn, label %done
done:
  %l = zext nneg i32 %t to i64
  %at = getelementptr inbounds i32, ptr %out, i64 %l
  store i32 %next, ptr %at
  ret void
}

declare float @llvm.fma.f32(float, float, float)
declare double @llvm.fma.f64(double, double, double)
