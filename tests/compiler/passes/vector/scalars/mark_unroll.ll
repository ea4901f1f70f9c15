; RUN: %opt -passes='mark-unroll,llvm(function(loop(loop-unroll-full),sroa<modify-cfg>))' %s | %check %s
; RUN: %opt -block=64 -passes=mark-unroll %s | %check %s --check-prefix=BARRIERS
; RUN: %opt -passes=mark-unroll %s | %check %s --check-prefix=NONE
; RUN: %opt -block=64 -passes=mark-unroll %s | %check %s --check-prefix=KEPT
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [64 x float] undef
@rows = internal addrspace(3) global [1024 x float] undef
@offsets = internal addrspace(4) constant [5 x i32] [i32 0, i32 1, i32 -1, i32 64, i32 -64]
@order = internal addrspace(4) constant [5 x i32] [i32 1, i32 4, i32 0, i32 2, i32 3]
@weights = internal addrspace(4) constant [5 x float] [float 1.0, float 2.0, float 3.0, float 4.0, float 5.0]

declare i32 @lanza.ring(i32, i32, i32, i1) memory(none) speculatable willreturn nounwind
declare i64 @__lanza_sync(i32, i32, i32, i64, i32) convergent

; An array that nine turns fill and nine others read lives in registers, whatever the user thought of unrolling.
; CHECK-LABEL: @filled(
; CHECK-NOT: alloca
; CHECK-COUNT-9: fadd
; CHECK-NOT: fadd
; CHECK: ret void
define void @filled(ptr %p) {
entry:
  %a = alloca [9 x float]
  br label %fill
fill:
  %i = phi i64 [ 0, %entry ], [ %i1, %fill ]
  %from = getelementptr float, ptr %p, i64 %i
  %v = load float, ptr %from
  %to = getelementptr [9 x float], ptr %a, i64 0, i64 %i
  store float %v, ptr %to
  %i1 = add nuw i64 %i, 1
  %more = icmp ult i64 %i1, 9
  br i1 %more, label %fill, label %read
read:
  %j = phi i32 [ 0, %fill ], [ %j1, %read ]
  %sum = phi float [ 0.0, %fill ], [ %sum1, %read ]
  %reverse = sub i32 8, %j
  %wide = sext i32 %reverse to i64
  %at = getelementptr [9 x float], ptr %a, i64 0, i64 %wide
  %w = load float, ptr %at
  %sum1 = fadd float %sum, %w
  %j1 = add nuw i32 %j, 1
  %again = icmp ult i32 %j1, 9
  br i1 %again, label %read, label %end, !llvm.loop !0
end:
  store float %sum1, ptr %p
  ret void
}

; Arrays that live through a loop, by which it adds up in order and which it changes, stay in memory where there are more
; elements than registers: their loops stay, whatever LLVM would do with them. Not of nine elements, nor what only is read.
; KEPT-LABEL: @attends(
; KEPT: br i1 %filled, label %fill, label %turn, !llvm.loop [[STAYS:![0-9]+]]
; KEPT: br i1 %added, label %add, label %next, !llvm.loop [[STAYS2:![0-9]+]]
; KEPT-LABEL: @attends_to_few(
; KEPT: br i1 %added, label %add, label %next, !llvm.loop [[FULL:![0-9]+]]
; KEPT-LABEL: @only_reads(
; KEPT: br i1 %added, label %add, label %next, !llvm.loop [[FULL2:![0-9]+]]
; KEPT-DAG: [[STAYS]] = distinct !{[[STAYS]], [[OFF:![0-9]+]]}
; KEPT-DAG: [[STAYS2]] = distinct !{[[STAYS2]], [[OFF]]}
; KEPT-DAG: [[OFF]] = !{!"llvm.loop.unroll.disable"}
; KEPT-DAG: [[FULL]] = distinct !{[[FULL]], [[ON:![0-9]+]]}
; KEPT-DAG: [[FULL2]] = distinct !{[[FULL2]], [[ON]]}
; KEPT-DAG: [[ON]] = !{!"llvm.loop.unroll.full"}
define void @attends(ptr %q, ptr %keys, i64 %n) {
entry:
  %a = alloca [32 x float]
  br label %fill
fill:
  %i = phi i64 [ 0, %entry ], [ %i1, %fill ]
  %from = getelementptr float, ptr %q, i64 %i
  %v = load float, ptr %from
  %to = getelementptr [32 x float], ptr %a, i64 0, i64 %i
  store float %v, ptr %to
  %i1 = add nuw i64 %i, 1
  %filled = icmp ult i64 %i1, 32
  br i1 %filled, label %fill, label %turn
turn:
  %t = phi i64 [ 0, %fill ], [ %t1, %next ]
  %row = shl i64 %t, 5
  br label %add
add:
  %k = phi i64 [ 0, %turn ], [ %k1, %add ]
  %sum = phi float [ 0.0, %turn ], [ %sum1, %add ]
  %at = getelementptr [32 x float], ptr %a, i64 0, i64 %k
  %x = load float, ptr %at
  %place = add i64 %row, %k
  %key = getelementptr float, ptr %keys, i64 %place
  %y = load float, ptr %key
  %xy = fmul float %x, %y
  %sum1 = fadd float %sum, %xy
  %k1 = add nuw i64 %k, 1
  %added = icmp ult i64 %k1, 32
  br i1 %added, label %add, label %next
next:
  %score = getelementptr float, ptr %q, i64 %t
  store float %sum1, ptr %score
  %changed = getelementptr [32 x float], ptr %a, i64 0, i64 3
  store float %sum1, ptr %changed
  %t1 = add nuw i64 %t, 1
  %more = icmp ult i64 %t1, %n
  br i1 %more, label %turn, label %end
end:
  ret void
}
define void @attends_to_few(ptr %q, ptr %keys, i64 %n) {
entry:
  %a = alloca [9 x float]
  br label %fill
fill:
  %i = phi i64 [ 0, %entry ], [ %i1, %fill ]
  %from = getelementptr float, ptr %q, i64 %i
  %v = load float, ptr %from
  %to = getelementptr [9 x float], ptr %a, i64 0, i64 %i
  store float %v, ptr %to
  %i1 = add nuw i64 %i, 1
  %filled = icmp ult i64 %i1, 9
  br i1 %filled, label %fill, label %turn
turn:
  %t = phi i64 [ 0, %fill ], [ %t1, %next ]
  %row = shl i64 %t, 5
  br label %add
add:
  %k = phi i64 [ 0, %turn ], [ %k1, %add ]
  %sum = phi float [ 0.0, %turn ], [ %sum1, %add ]
  %at = getelementptr [9 x float], ptr %a, i64 0, i64 %k
  %x = load float, ptr %at
  %place = add i64 %row, %k
  %key = getelementptr float, ptr %keys, i64 %place
  %y = load float, ptr %key
  %xy = fmul float %x, %y
  %sum1 = fadd float %sum, %xy
  %k1 = add nuw i64 %k, 1
  %added = icmp ult i64 %k1, 9
  br i1 %added, label %add, label %next
next:
  %score = getelementptr float, ptr %q, i64 %t
  store float %sum1, ptr %score
  %changed = getelementptr [9 x float], ptr %a, i64 0, i64 3
  store float %sum1, ptr %changed
  %t1 = add nuw i64 %t, 1
  %more = icmp ult i64 %t1, %n
  br i1 %more, label %turn, label %end
end:
  ret void
}
define void @only_reads(ptr %q, ptr %keys, i64 %n) {
entry:
  %a = alloca [32 x float]
  br label %fill
fill:
  %i = phi i64 [ 0, %entry ], [ %i1, %fill ]
  %from = getelementptr float, ptr %q, i64 %i
  %v = load float, ptr %from
  %to = getelementptr [32 x float], ptr %a, i64 0, i64 %i
  store float %v, ptr %to
  %i1 = add nuw i64 %i, 1
  %filled = icmp ult i64 %i1, 32
  br i1 %filled, label %fill, label %turn
turn:
  %t = phi i64 [ 0, %fill ], [ %t1, %next ]
  %row = shl i64 %t, 5
  br label %add
add:
  %k = phi i64 [ 0, %turn ], [ %k1, %add ]
  %sum = phi float [ 0.0, %turn ], [ %sum1, %add ]
  %at = getelementptr [32 x float], ptr %a, i64 0, i64 %k
  %x = load float, ptr %at
  %place = add i64 %row, %k
  %key = getelementptr float, ptr %keys, i64 %place
  %y = load float, ptr %key
  %xy = fmul float %x, %y
  %sum1 = fadd float %sum, %xy
  %k1 = add nuw i64 %k, 1
  %added = icmp ult i64 %k1, 32
  br i1 %added, label %add, label %next
next:
  %score = getelementptr float, ptr %q, i64 %t
  store float %sum1, ptr %score
  %t1 = add nuw i64 %t, 1
  %more = icmp ult i64 %t1, %n
  br i1 %more, label %turn, label %end
end:
  ret void
}

; What is found by a table of constants is found at constant places.
; CHECK-LABEL: @permuted(
; CHECK-NOT: alloca
; CHECK: ret i32
define i32 @permuted(i32 %v) {
entry:
  %a = alloca [5 x i32]
  %first = getelementptr [5 x i32], ptr %a, i64 0, i64 1
  store i32 %v, ptr %first
  br label %walk
walk:
  %i = phi i64 [ 0, %entry ], [ %i1, %walk ]
  %carried = phi i32 [ %v, %entry ], [ %old, %walk ]
  %entry_of = getelementptr [5 x i32], ptr addrspace(4) @order, i64 0, i64 %i
  %next = load i32, ptr addrspace(4) %entry_of
  %wide = zext i32 %next to i64
  %place = getelementptr [5 x i32], ptr %a, i64 0, i64 %wide
  %old = load i32, ptr %place
  %sum = add i32 %carried, %next
  store i32 %sum, ptr %place
  %i1 = add nuw i64 %i, 1
  %more = icmp ult i64 %i1, 5
  br i1 %more, label %walk, label %end
end:
  %last = load i32, ptr %first
  ret i32 %last
}

; The inner loop's turns are another constant in each of the outer one's: 10, 9, ... exchanges, 55 in all.
; CHECK-LABEL: @triangle(
; CHECK-NOT: alloca
; CHECK-COUNT-55: fcmp
; CHECK-NOT: fcmp
; CHECK: ret float
define float @triangle(ptr %p) {
entry:
  %a = alloca [11 x float]
  br label %fill
fill:
  %i = phi i64 [ 0, %entry ], [ %i1, %fill ]
  %from = getelementptr float, ptr %p, i64 %i
  %v = load float, ptr %from
  %to = getelementptr [11 x float], ptr %a, i64 0, i64 %i
  store float %v, ptr %to
  %i1 = add nuw i64 %i, 1
  %more = icmp ult i64 %i1, 11
  br i1 %more, label %fill, label %pass
pass:
  %k = phi i64 [ 10, %fill ], [ %k1, %passed ]
  br label %exchange
exchange:
  %j = phi i64 [ 0, %pass ], [ %j1, %exchange ]
  %low = getelementptr [11 x float], ptr %a, i64 0, i64 %j
  %j1 = add nuw nsw i64 %j, 1
  %high = getelementptr [11 x float], ptr %a, i64 0, i64 %j1
  %x = load float, ptr %low
  %y = load float, ptr %high
  %less = fcmp olt float %x, %y
  %min = select i1 %less, float %x, float %y
  %max = select i1 %less, float %y, float %x
  store float %min, ptr %low
  store float %max, ptr %high
  %again = icmp ne i64 %j1, %k
  br i1 %again, label %exchange, label %passed
passed:
  %k1 = add nsw i64 %k, -1
  %next = icmp ne i64 %k1, 0
  br i1 %next, label %pass, label %end
end:
  %middle = getelementptr [11 x float], ptr %a, i64 0, i64 5
  %m = load float, ptr %middle
  ret float %m
}

; One access by a value that nobody knows keeps the array in memory: nothing is won by unrolling.
; CHECK-LABEL: @looked_up(
; CHECK: alloca
; CHECK: br i1
define float @looked_up(ptr %p, i64 %k) {
entry:
  %a = alloca [9 x float]
  br label %fill
fill:
  %i = phi i64 [ 0, %entry ], [ %i1, %fill ]
  %from = getelementptr float, ptr %p, i64 %i
  %v = load float, ptr %from
  %to = getelementptr [9 x float], ptr %a, i64 0, i64 %i
  store float %v, ptr %to
  %i1 = add nuw i64 %i, 1
  %more = icmp ult i64 %i1, 9
  br i1 %more, label %fill, label %end, !llvm.loop !2
end:
  %at = getelementptr [9 x float], ptr %a, i64 0, i64 %k
  %w = load float, ptr %at
  ret float %w
}

; Neither is one whose address leaves, nor one that is too large.
; NONE-LABEL: @escapes(
; NONE: br i1 %more, label %fill, label %end{{$}}
define void @escapes(ptr %p) {
entry:
  %a = alloca [9 x float]
  store ptr %a, ptr %p
  br label %fill
fill:
  %i = phi i64 [ 0, %entry ], [ %i1, %fill ]
  %to = getelementptr [9 x float], ptr %a, i64 0, i64 %i
  store float 0.0, ptr %to
  %i1 = add nuw i64 %i, 1
  %more = icmp ult i64 %i1, 9
  br i1 %more, label %fill, label %end
end:
  ret void
}
; NONE-LABEL: @large(
; NONE: br i1 %more, label %fill, label %end{{$}}
define float @large() {
entry:
  %a = alloca [999 x float]
  br label %fill
fill:
  %i = phi i64 [ 0, %entry ], [ %i1, %fill ]
  %to = getelementptr [999 x float], ptr %a, i64 0, i64 %i
  store float 0.0, ptr %to
  %i1 = add nuw i64 %i, 1
  %more = icmp ult i64 %i1, 999
  br i1 %more, label %fill, label %end
end:
  %v = load float, ptr %a
  ret float %v
}

; More shared memory than registers hold, and turns that differ in how far away a neighbour is: they stay.
; BARRIERS-LABEL: @shifts(
; BARRIERS: br i1 %more, label %step, label %end{{$}}
define void @shifts(i32 %t) {
entry:
  br label %step
step:
  %i = phi i32 [ 1, %entry ], [ %i1, %step ]
  %near = add i32 %t, %i
  %s0 = uitofp i32 %t to float
  %w0 = add nuw i32 %near, 0
  %p0 = getelementptr float, ptr addrspace(3) @rows, i32 %w0
  %v0 = load float, ptr addrspace(3) %p0
  %s1 = fadd float %s0, %v0
  %w1 = add nuw i32 %near, 1
  %p1 = getelementptr float, ptr addrspace(3) @rows, i32 %w1
  %v1 = load float, ptr addrspace(3) %p1
  %s2 = fadd float %s1, %v1
  %w2 = add nuw i32 %near, 2
  %p2 = getelementptr float, ptr addrspace(3) @rows, i32 %w2
  %v2 = load float, ptr addrspace(3) %p2
  %s3 = fadd float %s2, %v2
  %w3 = add nuw i32 %near, 3
  %p3 = getelementptr float, ptr addrspace(3) @rows, i32 %w3
  %v3 = load float, ptr addrspace(3) %p3
  %s4 = fadd float %s3, %v3
  %w4 = add nuw i32 %near, 4
  %p4 = getelementptr float, ptr addrspace(3) @rows, i32 %w4
  %v4 = load float, ptr addrspace(3) %p4
  %s5 = fadd float %s4, %v4
  %w5 = add nuw i32 %near, 5
  %p5 = getelementptr float, ptr addrspace(3) @rows, i32 %w5
  %v5 = load float, ptr addrspace(3) %p5
  %s6 = fadd float %s5, %v5
  %own = getelementptr float, ptr addrspace(3) @rows, i32 %t
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  store float %s6, ptr addrspace(3) %own
  %i1 = add nuw i32 %i, 1
  %more = icmp ult i32 %i1, 9
  br i1 %more, label %step, label %end
end:
  ret void
}

; So do those of a tree, but most of them are of few threads.
; BARRIERS-LABEL: @halves(
; BARRIERS: br i1 %more, label %step, label %end, !llvm.loop
define void @halves() {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %step
step:
  %i = phi i32 [ 128, %entry ], [ %i1, %done ]
  %works = icmp ult i32 %t, %i
  br i1 %works, label %work, label %done
work:
  %near = add i32 %t, %i
  %s0 = uitofp i32 %t to float
  %w0 = add nuw i32 %near, 0
  %p0 = getelementptr float, ptr addrspace(3) @rows, i32 %w0
  %v0 = load float, ptr addrspace(3) %p0
  %s1 = fadd float %s0, %v0
  %w1 = add nuw i32 %near, 1
  %p1 = getelementptr float, ptr addrspace(3) @rows, i32 %w1
  %v1 = load float, ptr addrspace(3) %p1
  %s2 = fadd float %s1, %v1
  %w2 = add nuw i32 %near, 2
  %p2 = getelementptr float, ptr addrspace(3) @rows, i32 %w2
  %v2 = load float, ptr addrspace(3) %p2
  %s3 = fadd float %s2, %v2
  %w3 = add nuw i32 %near, 3
  %p3 = getelementptr float, ptr addrspace(3) @rows, i32 %w3
  %v3 = load float, ptr addrspace(3) %p3
  %s4 = fadd float %s3, %v3
  %w4 = add nuw i32 %near, 4
  %p4 = getelementptr float, ptr addrspace(3) @rows, i32 %w4
  %v4 = load float, ptr addrspace(3) %p4
  %s5 = fadd float %s4, %v4
  %w5 = add nuw i32 %near, 5
  %p5 = getelementptr float, ptr addrspace(3) @rows, i32 %w5
  %v5 = load float, ptr addrspace(3) %p5
  %s6 = fadd float %s5, %v5
  %own = getelementptr float, ptr addrspace(3) @rows, i32 %t
  store float %s6, ptr addrspace(3) %own
  br label %done
done:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %i1 = lshr i32 %i, 1
  %more = icmp ugt i32 %i, 1
  br i1 %more, label %step, label %end
end:
  ret void
}

; As many of two buffers, which a turn takes the other way round: nobody knows in a loop that they are two.
; BARRIERS-LABEL: @buffers(
; BARRIERS: br i1 %more, label %step, label %end, !llvm.loop
define void @buffers(i32 %t) {
entry:
  br label %step
step:
  %i = phi i32 [ 1, %entry ], [ %i1, %step ]
  %now = phi i32 [ 0, %entry ], [ %next, %step ]
  %next = phi i32 [ 512, %entry ], [ %now, %step ]
  %w0 = add nuw i32 %t, 0
  %n0 = add nuw i32 %w0, %now
  %p0 = getelementptr float, ptr addrspace(3) @rows, i32 %n0
  %v0 = load float, ptr addrspace(3) %p0
  %s0 = fadd float %v0, 0.0
  %w1 = add nuw i32 %t, 1
  %n1 = add nuw i32 %w1, %now
  %p1 = getelementptr float, ptr addrspace(3) @rows, i32 %n1
  %v1 = load float, ptr addrspace(3) %p1
  %s1 = fadd float %v1, %s0
  %w2 = add nuw i32 %t, 2
  %n2 = add nuw i32 %w2, %now
  %p2 = getelementptr float, ptr addrspace(3) @rows, i32 %n2
  %v2 = load float, ptr addrspace(3) %p2
  %s2 = fadd float %v2, %s1
  %w3 = add nuw i32 %t, 3
  %n3 = add nuw i32 %w3, %now
  %p3 = getelementptr float, ptr addrspace(3) @rows, i32 %n3
  %v3 = load float, ptr addrspace(3) %p3
  %s3 = fadd float %v3, %s2
  %w4 = add nuw i32 %t, 4
  %n4 = add nuw i32 %w4, %now
  %p4 = getelementptr float, ptr addrspace(3) @rows, i32 %n4
  %v4 = load float, ptr addrspace(3) %p4
  %s4 = fadd float %v4, %s3
  %w5 = add nuw i32 %t, 5
  %n5 = add nuw i32 %w5, %now
  %p5 = getelementptr float, ptr addrspace(3) @rows, i32 %n5
  %v5 = load float, ptr addrspace(3) %p5
  %s5 = fadd float %v5, %s4
  %o = add nuw i32 %t, %next
  %own = getelementptr float, ptr addrspace(3) @rows, i32 %o
  store float %s5, ptr addrspace(3) %own
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %i1 = add nuw i32 %i, 1
  %more = icmp ult i32 %i1, 9
  br i1 %more, label %step, label %end
end:
  ret void
}

; Which lanes change places is only known of a turn of its own.
; BARRIERS-LABEL: @exchanges(
; BARRIERS: br i1 %more, label %step, label %end, !llvm.loop
define void @exchanges(i32 %t) {
entry:
  br label %step
step:
  %i = phi i32 [ 1, %entry ], [ %i1, %step ]
  %near = xor i32 %t, %i
  %s0 = uitofp i32 %t to float
  %w0 = add nuw i32 %near, 0
  %p0 = getelementptr float, ptr addrspace(3) @rows, i32 %w0
  %v0 = load float, ptr addrspace(3) %p0
  %s1 = fadd float %s0, %v0
  %w1 = add nuw i32 %near, 1
  %p1 = getelementptr float, ptr addrspace(3) @rows, i32 %w1
  %v1 = load float, ptr addrspace(3) %p1
  %s2 = fadd float %s1, %v1
  %w2 = add nuw i32 %near, 2
  %p2 = getelementptr float, ptr addrspace(3) @rows, i32 %w2
  %v2 = load float, ptr addrspace(3) %p2
  %s3 = fadd float %s2, %v2
  %w3 = add nuw i32 %near, 3
  %p3 = getelementptr float, ptr addrspace(3) @rows, i32 %w3
  %v3 = load float, ptr addrspace(3) %p3
  %s4 = fadd float %s3, %v3
  %w4 = add nuw i32 %near, 4
  %p4 = getelementptr float, ptr addrspace(3) @rows, i32 %w4
  %v4 = load float, ptr addrspace(3) %p4
  %s5 = fadd float %s4, %v4
  %w5 = add nuw i32 %near, 5
  %p5 = getelementptr float, ptr addrspace(3) @rows, i32 %w5
  %v5 = load float, ptr addrspace(3) %p5
  %s6 = fadd float %s5, %v5
  %own = getelementptr float, ptr addrspace(3) @rows, i32 %t
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  store float %s6, ptr addrspace(3) %own
  %i1 = add nuw i32 %i, 1
  %more = icmp ult i32 %i1, 9
  br i1 %more, label %step, label %end
end:
  ret void
}

; Few turns with a barrier: marked where the code will be split there, and only there.
; BARRIERS-LABEL: @steps(
; BARRIERS: br i1 %more, label %step, label %end, !llvm.loop [[ID:![0-9]+]]
; NONE-LABEL: @steps(
; NONE: br i1 %more, label %step, label %end{{$}}
define void @steps(ptr %p) {
entry:
  br label %step
step:
  %i = phi i32 [ 0, %entry ], [ %i1, %step ]
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %i1 = add nuw i32 %i, 1
  %more = icmp ult i32 %i1, 6
  br i1 %more, label %step, label %end
end:
  ret void
}
; BARRIERS-LABEL: @many_steps(
; BARRIERS: br i1 %more, label %step, label %end{{$}}
define void @many_steps(ptr %p) {
entry:
  br label %step
step:
  %i = phi i32 [ 0, %entry ], [ %i1, %step ]
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %i1 = add nuw i32 %i, 1
  %more = icmp ult i32 %i1, 100
  br i1 %more, label %step, label %end
end:
  ret void
}

; Sixteen turns with three barriers each would be 48 regions.
; BARRIERS-LABEL: @many_barriers(
; BARRIERS: br i1 %more, label %step, label %end{{$}}
define void @many_barriers(ptr %p) {
entry:
  br label %step
step:
  %i = phi i32 [ 0, %entry ], [ %i1, %step ]
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %i1 = add nuw i32 %i, 1
  %more = icmp ult i32 %i1, 16
  br i1 %more, label %step, label %end
end:
  ret void
}

; Eight turns around eight with two barriers each would be 136 regions: only the inner ones are straight code.
; BARRIERS-LABEL: @nested_barriers(
; BARRIERS: br i1 %more, label %step, label %next, !llvm.loop
; BARRIERS: br i1 %again, label %outer, label %end{{$}}
define void @nested_barriers(ptr %p) {
entry:
  br label %outer
outer:
  %o = phi i32 [ 0, %entry ], [ %o1, %next ]
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %step
step:
  %i = phi i32 [ 0, %outer ], [ %i1, %step ]
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %i1 = add nuw i32 %i, 1
  %more = icmp ult i32 %i1, 8
  br i1 %more, label %step, label %next
next:
  %o1 = add nuw i32 %o, 1
  %again = icmp ult i32 %o1, 8
  br i1 %again, label %outer, label %end
end:
  ret void
}

; The halo of a tile, which some threads load: marked for a known block, where the user says nothing about it.
; BARRIERS-LABEL: @halo(
; BARRIERS: br i1 %more, label %load, label %end, !llvm.loop [[HALO:![0-9]+]]
; BARRIERS: br i1 %again, label %asked, label %done, !llvm.loop [[ASKED:![0-9]+]]
; NONE-LABEL: @halo(
; NONE: br i1 %more, label %load, label %end{{$}}
define void @halo(ptr %p) {
entry:
  %t = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %load
load:
  %i = phi i32 [ %t, %entry ], [ %i1, %load ]
  %q = getelementptr float, ptr %p, i32 %i
  store float 0.0, ptr %q
  %i1 = add nuw nsw i32 %i, 16
  %more = icmp ult i32 %i1, 20
  br i1 %more, label %load, label %end
end:
  br label %asked
asked:
  %j = phi i32 [ %t, %end ], [ %j1, %asked ]
  %r = getelementptr float, ptr %p, i32 %j
  store float 1.0, ptr %r
  %j1 = add nuw nsw i32 %j, 16
  %again = icmp ult i32 %j1, 20
  br i1 %again, label %asked, label %done, !llvm.loop !0
done:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; Offsets from a table become addresses; weights from one do not, but integers' are known factors.
; BARRIERS-LABEL: @neighbours(
; BARRIERS: br i1 {{.*}}, label %loop, label %next, !llvm.loop
; BARRIERS: br i1 {{.*}}, label %again, label %done{{$}}
; BARRIERS-LABEL: @factors(
; BARRIERS: br i1 {{.*}}, label %loop, label %next, !llvm.loop
; NONE-LABEL: @neighbours(
; NONE-NOT: !llvm.loop
; NONE: ret void
define void @neighbours(ptr %in, ptr %out, i32 %i) {
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum1, %loop ]
  %from = getelementptr [5 x i32], ptr addrspace(4) @offsets, i32 0, i32 %k
  %offset = load i32, ptr addrspace(4) %from
  %place = add i32 %i, %offset
  %p = getelementptr float, ptr %in, i32 %place
  %v = load float, ptr %p
  %sum1 = fadd float %sum, %v
  %k1 = add nuw i32 %k, 1
  %more = icmp ult i32 %k1, 5
  br i1 %more, label %loop, label %next
next:
  store float %sum1, ptr %out
  br label %again
again:
  %j = phi i32 [ 0, %next ], [ %j1, %again ]
  %product = phi float [ 1.0, %next ], [ %product1, %again ]
  %at = getelementptr [5 x float], ptr addrspace(4) @weights, i32 0, i32 %j
  %w = load float, ptr addrspace(4) %at
  %product1 = fmul float %product, %w
  %j1 = add nuw i32 %j, 1
  %on = icmp ult i32 %j1, 5
  br i1 %on, label %again, label %done
done:
  store float %product1, ptr %out
  ret void
}

define void @factors(ptr %in, ptr %out) {
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %sum1, %loop ]
  %at = getelementptr [5 x i32], ptr addrspace(4) @offsets, i32 0, i32 %k
  %factor = load i32, ptr addrspace(4) %at
  %p = getelementptr i8, ptr %in, i32 %k
  %byte = load i8, ptr %p
  %v = zext i8 %byte to i32
  %product = mul i32 %factor, %v
  %sum1 = add i32 %sum, %product
  %k1 = add nuw i32 %k, 1
  %more = icmp ult i32 %k1, 5
  br i1 %more, label %loop, label %next
next:
  store i32 %sum1, ptr %out
  ret void
}

; A filter's taps: each turn reads a lane on. Not a product's row, which all lanes share, nor its column, a row a turn.
; BARRIERS-LABEL: @taps(
; BARRIERS: br i1 {{.*}}, label %loop, label %next, !llvm.loop
; BARRIERS: br i1 {{.*}}, label %again, label %done{{$}}
; NONE-LABEL: @taps(
; NONE-NOT: !llvm.loop
; NONE: ret void
define void @taps(ptr %weight, ptr %out, i32 %row) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = zext i32 %tx to i64
  %own = getelementptr float, ptr addrspace(3) @rows, i64 %lane
  %first = zext i32 %row to i64
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum1, %loop ]
  %p = getelementptr float, ptr addrspace(3) %own, i64 %k
  %v = load float, ptr addrspace(3) %p
  %pw = getelementptr float, ptr %weight, i64 %k
  %w = load float, ptr %pw
  %product = fmul float %v, %w
  %sum1 = fadd float %sum, %product
  %k1 = add nuw nsw i64 %k, 1
  %more = icmp ult i64 %k1, 17
  br i1 %more, label %loop, label %next
next:
  store float %sum1, ptr %out
  br label %again
again:
  %j = phi i64 [ 0, %next ], [ %j1, %again ]
  %dot = phi float [ 0.0, %next ], [ %dot1, %again ]
  %there = add nuw nsw i64 %first, %j
  %shared = getelementptr float, ptr addrspace(3) @rows, i64 %there
  %a = load float, ptr addrspace(3) %shared
  %line = shl nuw nsw i64 %j, 5
  %column = getelementptr float, ptr addrspace(3) %own, i64 %line
  %b = load float, ptr addrspace(3) %column
  %ab = fmul float %a, %b
  %dot1 = fadd float %dot, %ab
  %j1 = add nuw nsw i64 %j, 1
  %on = icmp ult i64 %j1, 17
  br i1 %on, label %again, label %done
done:
  store float %dot1, ptr %out
  ret void
}

; A triangle in a loop over barriers, whose turns are known once that is unrolled, is unrolled as well: too much code.
; BARRIERS-LABEL: @triangle_of_barriers(
; BARRIERS: br i1 %more, label %loop, label %end{{$}}
define void @triangle_of_barriers(ptr %p, i32 %t) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 1, %entry ], [ %i1, %next ]
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %row
row:
  %j = phi i32 [ 0, %loop ], [ %j1, %row ]
  %k = add i32 %t, %j
  %q = getelementptr [64 x float], ptr addrspace(3) @tile, i32 0, i32 %k
  %v = load float, ptr addrspace(3) %q
  %m1 = fmul float %v, %v
  %m2 = fmul float %m1, %v
  %m3 = fmul float %m2, %v
  %m4 = fmul float %m3, %v
  %m5 = fmul float %m4, %v
  %m6 = fmul float %m5, %v
  %m7 = fmul float %m6, %v
  %m8 = fmul float %m7, %v
  %m9 = fmul float %m8, %v
  %m10 = fmul float %m9, %v
  %m11 = fmul float %m10, %v
  %m12 = fmul float %m11, %v
  %m13 = fmul float %m12, %v
  %m14 = fmul float %m13, %v
  %m15 = fmul float %m14, %v
  %m16 = fmul float %m15, %v
  store float %m16, ptr addrspace(3) %q
  %j1 = add nuw nsw i32 %j, 1
  %again = icmp ult i32 %j1, %i
  br i1 %again, label %row, label %next
next:
  %i1 = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %i1, 16
  br i1 %more, label %loop, label %end
end:
  ret void
}

; A pivot's row, which threads find for themselves: each column of it will be chosen from the four rows.
; BARRIERS-LABEL: @pivot_row(
; BARRIERS: br i1 %more, label %columns, label %end, !llvm.loop
; NONE-LABEL: @pivot_row(
; NONE: br i1 %more, label %columns, label %end{{$}}
define float @pivot_row(ptr %p) {
entry:
  %a = alloca [4 x [6 x float]]
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = zext i32 %t to i64
  br label %columns
columns:
  %c = phi i64 [ 0, %entry ], [ %next, %columns ]
  %sum = phi float [ 0.0, %entry ], [ %added, %columns ]
  %from = getelementptr float, ptr %p, i64 %c
  %v = load float, ptr %from
  %to = getelementptr [4 x [6 x float]], ptr %a, i64 0, i64 2, i64 %c
  store float %v, ptr %to
  %at = getelementptr [4 x [6 x float]], ptr %a, i64 0, i64 %row, i64 %c
  %w = load float, ptr %at
  %added = fadd float %sum, %w
  %next = add nuw i64 %c, 1
  %more = icmp ult i64 %next, 6
  br i1 %more, label %columns, label %end
end:
  ret float %added
}

; Neighbours on a ring, which are choices once their steps are known; not where the user wants a loop.
; BARRIERS-LABEL: @ring(
; BARRIERS: br i1 %more, label %columns, label %rows.next, !llvm.loop
; BARRIERS: br i1 %again, label %rows, label %next, !llvm.loop
; BARRIERS: br i1 %more2, label %kept, label %end, !llvm.loop [[ASKED]]
; NONE-LABEL: @ring(
; NONE: br i1 %again, label %rows, label %next{{$}}
define void @ring(ptr %p, i32 %x, i32 %y, i32 %w, i32 %h) {
entry:
  br label %rows
rows:
  %dy = phi i32 [ -1, %entry ], [ %dy1, %rows.next ]
  %sum = phi i32 [ 0, %entry ], [ %sum1, %rows.next ]
  %y1 = add nsw i32 %y, %dy
  %y2 = add nsw i32 %y1, %h
  %row = call i32 @lanza.ring(i32 %y2, i32 %h, i32 %y, i1 true)
  %start = mul nsw i32 %row, %w
  br label %columns
columns:
  %dx = phi i32 [ -1, %rows ], [ %dx1, %columns ]
  %part = phi i32 [ %sum, %rows ], [ %sum1, %columns ]
  %x1 = add nsw i32 %x, %dx
  %x2 = add nsw i32 %x1, %w
  %column = call i32 @lanza.ring(i32 %x2, i32 %w, i32 %x, i1 true)
  %at = add nsw i32 %start, %column
  %q = getelementptr i32, ptr %p, i32 %at
  %v = load i32, ptr %q
  %sum1 = add i32 %part, %v
  %dx1 = add nsw i32 %dx, 1
  %more = icmp ne i32 %dx1, 2
  br i1 %more, label %columns, label %rows.next
rows.next:
  %dy1 = add nsw i32 %dy, 1
  %again = icmp ne i32 %dy1, 2
  br i1 %again, label %rows, label %next
next:
  store i32 %sum1, ptr %p
  br label %kept
kept:
  %d = phi i32 [ -1, %next ], [ %d1, %kept ]
  %x3 = add nsw i32 %x, %d
  %x4 = add nsw i32 %x3, %w
  %place = call i32 @lanza.ring(i32 %x4, i32 %w, i32 %x, i1 true)
  %to = getelementptr i32, ptr %p, i32 %place
  store i32 %d, ptr %to
  %d1 = add nsw i32 %d, 1
  %more2 = icmp ne i32 %d1, 2
  br i1 %more2, label %kept, label %end, !llvm.loop !0
end:
  ret void
}

; BARRIERS: [[FULL:![0-9]+]] = !{!"llvm.loop.unroll.full"}
; BARRIERS: [[ID]] = distinct !{[[ID]], [[FULL]]}
; BARRIERS: [[HALO]] = distinct !{[[HALO]], [[ENABLE:![0-9]+]]}
; BARRIERS: [[ENABLE]] = !{!"llvm.loop.unroll.enable"}

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = distinct !{!2, !1}

; Sums that a loop of unknown turns makes one by one: nine copies of it would bring nothing but code.
; CHECK-LABEL: @sums_one_by_one(
; CHECK: alloca [9 x float]
; CHECK: fmul
; CHECK-NOT: fmul
; CHECK: ret void
define void @sums_one_by_one(ptr %p, i64 %n) {
entry:
  %sums = alloca [9 x float]
  br label %outer
outer:
  %d = phi i64 [ 0, %entry ], [ %d1, %latch ]
  %sum = getelementptr [9 x float], ptr %sums, i64 0, i64 %d
  br label %inner
inner:
  %k = phi i64 [ 0, %outer ], [ %k1, %inner ]
  %total = phi float [ 0.0, %outer ], [ %total1, %inner ]
  %row = mul i64 %k, 9
  %place = add i64 %row, %d
  %from = getelementptr float, ptr %p, i64 %place
  %v = load float, ptr %from
  %square = fmul float %v, %v
  %total1 = fadd float %total, %square
  %k1 = add nuw i64 %k, 1
  %more = icmp ult i64 %k1, %n
  br i1 %more, label %inner, label %latch
latch:
  store float %total1, ptr %sum
  %d1 = add nuw i64 %d, 1
  %again = icmp ult i64 %d1, 9
  br i1 %again, label %outer, label %write
write:
  %w = phi i64 [ 0, %latch ], [ %w1, %write ]
  %at = getelementptr [9 x float], ptr %sums, i64 0, i64 %w
  %s = load float, ptr %at
  %to = getelementptr float, ptr %p, i64 %w
  store float %s, ptr %to
  %w1 = add nuw i64 %w, 1
  %on = icmp ult i64 %w1, 9
  br i1 %on, label %write, label %end
end:
  ret void
}

; Eight copies may be.
; CHECK-LABEL: @few_sums_one_by_one(
; CHECK-NOT: alloca
; CHECK-COUNT-8: fmul
; CHECK: ret void
define void @few_sums_one_by_one(ptr %p, i64 %n) {
entry:
  %sums = alloca [8 x float]
  br label %outer
outer:
  %d = phi i64 [ 0, %entry ], [ %d1, %latch ]
  %sum = getelementptr [8 x float], ptr %sums, i64 0, i64 %d
  br label %inner
inner:
  %k = phi i64 [ 0, %outer ], [ %k1, %inner ]
  %total = phi float [ 0.0, %outer ], [ %total1, %inner ]
  %row = mul i64 %k, 8
  %place = add i64 %row, %d
  %from = getelementptr float, ptr %p, i64 %place
  %v = load float, ptr %from
  %square = fmul float %v, %v
  %total1 = fadd float %total, %square
  %k1 = add nuw i64 %k, 1
  %more = icmp ult i64 %k1, %n
  br i1 %more, label %inner, label %latch
latch:
  store float %total1, ptr %sum
  %d1 = add nuw i64 %d, 1
  %again = icmp ult i64 %d1, 8
  br i1 %again, label %outer, label %write
write:
  %w = phi i64 [ 0, %latch ], [ %w1, %write ]
  %at = getelementptr [8 x float], ptr %sums, i64 0, i64 %w
  %s = load float, ptr %at
  %to = getelementptr float, ptr %p, i64 %w
  store float %s, ptr %to
  %w1 = add nuw i64 %w, 1
  %on = icmp ult i64 %w1, 8
  br i1 %on, label %write, label %end
end:
  ret void
}

; A place that a question to the counter chooses is a constant in each turn.
; CHECK-LABEL: @place_by_ways(
; CHECK-NOT: alloca
; CHECK-COUNT-5: fmul
; CHECK: ret void
define void @place_by_ways(ptr %p, float %x) {
entry:
  %a = alloca [3 x float]
  store float %x, ptr %a
  %a1 = getelementptr float, ptr %a, i64 1
  store float 2.0, ptr %a1
  %a2 = getelementptr float, ptr %a, i64 2
  store float 3.0, ptr %a2
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %turn ]
  %product = phi float [ 1.0, %entry ], [ %next, %turn ]
  %first = icmp ult i64 %i, 3
  br i1 %first, label %up, label %down
up:
  %u = urem i64 %i, 3
  br label %turn
down:
  %d = sub i64 5, %i
  br label %turn
turn:
  %g = phi i64 [ %u, %up ], [ %d, %down ]
  %at = getelementptr [3 x float], ptr %a, i64 0, i64 %g
  %v = load float, ptr %at
  %next = fmul float %product, %v
  %i1 = add nuw i64 %i, 1
  %more = icmp ult i64 %i1, 6
  br i1 %more, label %loop, label %end
end:
  store float %next, ptr %p
  ret void
}

; One that threads choose is none.
; CHECK-LABEL: @place_by_threads(
; CHECK-COUNT-1: fmul
; CHECK-NOT: fmul
; CHECK: ret void
define void @place_by_threads(ptr %p, float %x) {
entry:
  %a = alloca [3 x float]
  store float %x, ptr %a
  %ways = load i32, ptr %p
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %turn ]
  %product = phi float [ 1.0, %entry ], [ %next, %turn ]
  %mine = icmp ult i32 %ways, 3
  br i1 %mine, label %up, label %turn
up:
  br label %turn
turn:
  %g = phi i64 [ 0, %up ], [ 1, %loop ]
  %at = getelementptr [3 x float], ptr %a, i64 0, i64 %g
  %v = load float, ptr %at
  %next = fmul float %product, %v
  %i1 = add nuw i64 %i, 1
  %more = icmp ult i64 %i1, 60
  br i1 %more, label %loop, label %end
end:
  store float %next, ptr %p
  ret void
}

; Ways that nothing leads to are looked at like others.
; CHECK-LABEL: @nothing_leads_there(
; CHECK: ret void
define void @nothing_leads_there(ptr %p) {
entry:
  %a = alloca [3 x float]
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  %to = getelementptr float, ptr %p, i64 %i
  store float 2.0, ptr %to
  %i1 = add nuw i64 %i, 1
  %more = icmp ult i64 %i1, 60
  br i1 %more, label %loop, label %end
end:
  ret void
dead:
  %g = phi i64 [ 0, %again ]
  %at = getelementptr [3 x float], ptr %a, i64 0, i64 %g
  store float 1.0, ptr %at
  br label %again
again:
  br label %dead
}
