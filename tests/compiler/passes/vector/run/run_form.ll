; RUN: %opt -kernel=reverse -lanes=1 -block=64 -passes=retarget,uniform-barriers,run-form,"llvm(sroa,instcombine<no-verify-fixpoint>,simplifycfg)" %s | %check %s
; RUN: %opt -kernel=turns -lanes=1 -block=64 -passes=retarget,uniform-barriers,run-form,"llvm(sroa,instcombine<no-verify-fixpoint>,simplifycfg)" %s | %check %s --check-prefix=TURNS
; RUN: %opt -kernel=leaves -lanes=1 -block=8,4 -passes=retarget,uniform-barriers,run-form,"llvm(sroa,instcombine<no-verify-fixpoint>,simplifycfg)" %s | %check %s --check-prefix=LEAVES
; RUN: %opt -kernel=count -lanes=1 -block=64 -passes=retarget,uniform-barriers,run-form,"llvm(sroa,instcombine<no-verify-fixpoint>,simplifycfg)" %s | %check %s --check-prefix=COUNT
; RUN: %opt -kernel=private -lanes=1 -block=16 -passes=retarget,uniform-barriers,run-form,"llvm(sroa,instcombine<no-verify-fixpoint>,simplifycfg)" %s | %check %s --check-prefix=PRIVATE
; RUN: %opt -kernel=one_after_the_other -lanes=1 -block=64 -passes=retarget,uniform-barriers,run-form,"llvm(sroa,instcombine<no-verify-fixpoint>,simplifycfg)" %s | %check %s --check-prefix=SHARE
; RUN: %opt -kernel=round -lanes=1 -block=64 -passes=retarget,uniform-barriers,run-form,"llvm(sroa)",drop-slot-copies,"llvm(instcombine<no-verify-fixpoint>,simplifycfg)" %s | %check %s --check-prefix=ROUND
; RUN: %opt -kernel=many -lanes=1 -block=64 -passes=retarget,uniform-barriers,run-form,"llvm(sroa,instcombine<no-verify-fixpoint>,simplifycfg)" %s | %check %s --check-prefix=MANY
; RUN: %opt -kernel=grid -lanes=1 -block=64 -passes=retarget,uniform-barriers,run-form,"llvm(sroa,instcombine<no-verify-fixpoint>,simplifycfg)" %s | %check %s --check-prefix=GRID
; RUN: %opt -kernel=edges -lanes=1 -block=64 -passes=retarget,uniform-barriers,run-form,"llvm(sroa,instcombine<no-verify-fixpoint>,simplifycfg)" %s | %check %s --check-prefix=SELDOM
; RUN: %opt -kernel=place -lanes=1 -block=64 -passes=retarget,uniform-barriers,run-form,"llvm(sroa,instcombine<no-verify-fixpoint>,simplifycfg)" %s | %check %s --check-prefix=PLACE
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = internal addrspace(3) global [64 x i32] undef, align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; A value that differs between threads crosses the barrier in a slot of its own; an index is computed again, and so is
; an address. Shared memory is a local of the block; no other memory is needed.
; CHECK-LABEL: define internal i32 @run(
; CHECK: [[SLOTS:%.*]] = alloca [256 x i8], align 16
; CHECK-NEXT: [[SHARED:%.*]] = alloca [256 x i8], align 64
; CHECK-NOT: alloca
; CHECK: call void @llvm.lifetime.start.p0(i64 -1, ptr {{.*}}[[SHARED]])
; CHECK: [[T:%.*]] = phi i32 [ 0, {{.*}} ], [ [[NEXT:%.*]],
; CHECK: [[V:%.*]] = load i32
; CHECK: store i32 [[T]],
; CHECK: getelementptr inbounds [4 x i8], ptr [[SLOTS]]
; CHECK: store i32 [[V]]
; CHECK: icmp ult i32 [[T]], 63
; CHECK: [[U:%.*]] = phi i32 [ 0,
; CHECK: getelementptr inbounds [4 x i8], ptr [[SLOTS]]
; CHECK: sub i32 63, [[U]]
; CHECK: store i32
define void @reverse(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %x, i32 %t
  %v = load i32, ptr %p
  %q = getelementptr i32, ptr addrspace(3) @s, i32 %t
  store i32 %t, ptr addrspace(3) %q
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %r = sub i32 63, %t
  %o = getelementptr i32, ptr addrspace(3) @s, i32 %r
  %w = load i32, ptr addrspace(3) %o
  %z = add i32 %v, %w
  store i32 %z, ptr %p
  ret void
}

; The counter of a loop around a barrier is kept once a block, in a register; the loop goes from the region to itself.
; TURNS-LABEL: define internal i32 @run(
; TURNS-NOT: alloca
; TURNS: [[REGION:region.*]]:{{ .*}}; preds =
; TURNS-NEXT: [[I:%.*]] = phi i32 [ [[J:%.*]], %[[REGIONED:.*]] ], [ 0,
; TURNS: [[REGIONED]]:
; TURNS: [[AGAIN:%.*]] = icmp eq i32 %{{.*}}, 1
; TURNS: br i1 [[AGAIN]], label %[[REGION]], label %next
define void @turns(i32 %n, ptr %x) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %j = add i32 %t, %i
  %p = getelementptr i32, ptr %x, i32 %j
  store i32 %i, ptr %p
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Threads that have left are skipped behind the barrier; rows are a loop around the loop over x.
; LEAVES-LABEL: define internal i32 @run(
; LEAVES: [[GONE:%.*]] = alloca [32 x i8]
; LEAVES: store i8 0
; LEAVES: getelementptr inbounds i8, ptr [[GONE]]
; LEAVES: load i8
; LEAVES: icmp eq i8
define void @leaves(i32 %n, ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %out = icmp uge i32 %t, %n
  br i1 %out, label %end, label %go
go:
  %p = getelementptr i32, ptr %x, i32 %y
  store i32 %t, ptr %p
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  store i32 %y, ptr %p
  br label %end
end:
  ret void
}

; The number is a sum over the first loop, and the same for all of the second.
; COUNT-LABEL: define internal i32 @run(
; COUNT: [[SUM:%.*]] = phi i64 [ 0, %{{.*}} ], [ [[MORE:%.*]],
; COUNT: [[ONE:%.*]] = zext i1 %{{.*}} to i64
; COUNT: [[MORE]] = add {{.*}}i64 {{.*}}[[ONE]]
; COUNT: store i64 {{.*}}, ptr
define void @count(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i64, ptr %x, i32 %t
  %v = load i64, ptr %p
  %c = call i64 @__lanza_sync(i32 2, i32 0, i32 0, i64 %v, i32 0)
  store i64 %c, ptr %p
  ret void
}

; Private memory that lives across a barrier: a piece for each thread.
; PRIVATE-LABEL: define internal i32 @run(
; PRIVATE: [[SLOTS:%.*]] = alloca [640 x i8]
; PRIVATE: getelementptr inbounds [40 x i8], ptr [[SLOTS]]
; PRIVATE: getelementptr inbounds [40 x i8], ptr [[SLOTS]]
define void @private(i32 %n, ptr %x) {
  %a = alloca [10 x i32]
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr [10 x i32], ptr %a, i32 0, i32 %t
  store i32 %t, ptr %p
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %q = getelementptr [10 x i32], ptr %a, i32 0, i32 %n
  %v = load i32, ptr %q
  store i32 %v, ptr %x
  ret void
}

; Two values that live across different barriers lie in the same slot, one after the other.
; SHARE-LABEL: define internal i32 @run(
; SHARE: alloca [256 x i8], align 16
; SHARE-NEXT: alloca [256 x i8], align 64
; SHARE-NOT: alloca
; SHARE: ret i32
define void @one_after_the_other(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %x, i32 %t
  %q = getelementptr i32, ptr addrspace(3) @s, i32 %t
  %v = load i32, ptr %p
  store i32 %t, ptr addrspace(3) %q
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %w = load i32, ptr addrspace(3) @s
  store i32 %v, ptr %p
  %u = load i32, ptr %p
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %z = add i32 %u, %w
  store i32 %z, ptr %p
  ret void
}

; What two values become on their way round a loop lies where they lay: nothing is copied behind the second barrier,
; whichever is computed first.
; ROUND-LABEL: define internal i32 @run(
; ROUND: [[A:%.*]] = alloca [256 x i8], align 16
; ROUND-NEXT: [[B:%.*]] = alloca [256 x i8], align 16
; ROUND-NOT: alloca
; ROUND-COUNT-2: store i32 0, ptr
; ROUND-COUNT-2: store i32 {{.*}}, ptr
; ROUND-NOT: store i32
; ROUND: atomicrmw
define void @round(i32 %n, ptr %x) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %x, i32 %t
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %a = phi i32 [ 0, %entry ], [ %c, %loop ]
  %b = phi i32 [ 0, %entry ], [ %d, %loop ]
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %v = load volatile i32, ptr %p
  %d = add i32 %b, %v
  %w = load volatile i32, ptr %p
  %c = add i32 %a, %w
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %e = mul i32 %c, %d
  %z = atomicrmw add ptr %p, i32 %e monotonic
  ret void
}

; Many slots: those of a thread lie next to each other.
; MANY-LABEL: define internal i32 @run(
; MANY: [[SLOTS:%.*]] = alloca [20480 x i8], align 64
; MANY: getelementptr inbounds [320 x i8], ptr [[SLOTS]], i64 %{{.*}}, i64 248
define void @many(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr [32 x i64], ptr %x, i32 %t
  %v = load [32 x i64], ptr %p
  %v0 = extractvalue [32 x i64] %v, 0
  %v1 = extractvalue [32 x i64] %v, 1
  %v2 = extractvalue [32 x i64] %v, 2
  %v3 = extractvalue [32 x i64] %v, 3
  %v4 = extractvalue [32 x i64] %v, 4
  %v5 = extractvalue [32 x i64] %v, 5
  %v6 = extractvalue [32 x i64] %v, 6
  %v7 = extractvalue [32 x i64] %v, 7
  %v8 = extractvalue [32 x i64] %v, 8
  %v9 = extractvalue [32 x i64] %v, 9
  %v10 = extractvalue [32 x i64] %v, 10
  %v11 = extractvalue [32 x i64] %v, 11
  %v12 = extractvalue [32 x i64] %v, 12
  %v13 = extractvalue [32 x i64] %v, 13
  %v14 = extractvalue [32 x i64] %v, 14
  %v15 = extractvalue [32 x i64] %v, 15
  %v16 = extractvalue [32 x i64] %v, 16
  %v17 = extractvalue [32 x i64] %v, 17
  %v18 = extractvalue [32 x i64] %v, 18
  %v19 = extractvalue [32 x i64] %v, 19
  %v20 = extractvalue [32 x i64] %v, 20
  %v21 = extractvalue [32 x i64] %v, 21
  %v22 = extractvalue [32 x i64] %v, 22
  %v23 = extractvalue [32 x i64] %v, 23
  %v24 = extractvalue [32 x i64] %v, 24
  %v25 = extractvalue [32 x i64] %v, 25
  %v26 = extractvalue [32 x i64] %v, 26
  %v27 = extractvalue [32 x i64] %v, 27
  %v28 = extractvalue [32 x i64] %v, 28
  %v29 = extractvalue [32 x i64] %v, 29
  %v30 = extractvalue [32 x i64] %v, 30
  %v31 = extractvalue [32 x i64] %v, 31
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %p0 = getelementptr i8, ptr %p, i64 8192
  store i64 %v0, ptr %p0
  %p1 = getelementptr i8, ptr %p, i64 8200
  store i64 %v1, ptr %p1
  %p2 = getelementptr i8, ptr %p, i64 8208
  store i64 %v2, ptr %p2
  %p3 = getelementptr i8, ptr %p, i64 8216
  store i64 %v3, ptr %p3
  %p4 = getelementptr i8, ptr %p, i64 8224
  store i64 %v4, ptr %p4
  %p5 = getelementptr i8, ptr %p, i64 8232
  store i64 %v5, ptr %p5
  %p6 = getelementptr i8, ptr %p, i64 8240
  store i64 %v6, ptr %p6
  %p7 = getelementptr i8, ptr %p, i64 8248
  store i64 %v7, ptr %p7
  %p8 = getelementptr i8, ptr %p, i64 8256
  store i64 %v8, ptr %p8
  %p9 = getelementptr i8, ptr %p, i64 8264
  store i64 %v9, ptr %p9
  %p10 = getelementptr i8, ptr %p, i64 8272
  store i64 %v10, ptr %p10
  %p11 = getelementptr i8, ptr %p, i64 8280
  store i64 %v11, ptr %p11
  %p12 = getelementptr i8, ptr %p, i64 8288
  store i64 %v12, ptr %p12
  %p13 = getelementptr i8, ptr %p, i64 8296
  store i64 %v13, ptr %p13
  %p14 = getelementptr i8, ptr %p, i64 8304
  store i64 %v14, ptr %p14
  %p15 = getelementptr i8, ptr %p, i64 8312
  store i64 %v15, ptr %p15
  %p16 = getelementptr i8, ptr %p, i64 8320
  store i64 %v16, ptr %p16
  %p17 = getelementptr i8, ptr %p, i64 8328
  store i64 %v17, ptr %p17
  %p18 = getelementptr i8, ptr %p, i64 8336
  store i64 %v18, ptr %p18
  %p19 = getelementptr i8, ptr %p, i64 8344
  store i64 %v19, ptr %p19
  %p20 = getelementptr i8, ptr %p, i64 8352
  store i64 %v20, ptr %p20
  %p21 = getelementptr i8, ptr %p, i64 8360
  store i64 %v21, ptr %p21
  %p22 = getelementptr i8, ptr %p, i64 8368
  store i64 %v22, ptr %p22
  %p23 = getelementptr i8, ptr %p, i64 8376
  store i64 %v23, ptr %p23
  %p24 = getelementptr i8, ptr %p, i64 8384
  store i64 %v24, ptr %p24
  %p25 = getelementptr i8, ptr %p, i64 8392
  store i64 %v25, ptr %p25
  %p26 = getelementptr i8, ptr %p, i64 8400
  store i64 %v26, ptr %p26
  %p27 = getelementptr i8, ptr %p, i64 8408
  store i64 %v27, ptr %p27
  %p28 = getelementptr i8, ptr %p, i64 8416
  store i64 %v28, ptr %p28
  %p29 = getelementptr i8, ptr %p, i64 8424
  store i64 %v29, ptr %p29
  %p30 = getelementptr i8, ptr %p, i64 8432
  store i64 %v30, ptr %p30
  %p31 = getelementptr i8, ptr %p, i64 8440
  store i64 %v31, ptr %p31
  ret void
}

; Behind a barrier of the grid the block waits for the others, once, before its groups go on.
; GRID: ; grid: proved
; GRID-LABEL: define internal i32 @run(
; GRID-NOT: call void %
; GRID: store volatile i32 %ctaid,
; GRID: regioned{{.*}}: {{.*}}preds = %group
; GRID-NEXT: [[AT:%.*]] = getelementptr inbounds i8, ptr %0, i64 40
; GRID-NEXT: [[SERVICES:%.*]] = load ptr, ptr [[AT]]
; GRID-NEXT: [[FIELD:%.*]] = getelementptr inbounds i8, ptr [[SERVICES]], i64 96
; GRID-NEXT: [[WAIT:%.*]] = load ptr, ptr [[FIELD]]
; GRID-NEXT: call void [[WAIT]](ptr {{.*}}%2)
; GRID: br label %[[BEHIND:group.*]]
; GRID: [[BEHIND]]:
; GRID-NOT: call void %
; GRID: }
define void @grid(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %x, i32 %t
  store i32 %t, ptr %p
  call i64 @__lanza_sync(i32 13, i32 0, i32 0, i64 0, i32 0)
  %q = getelementptr i32, ptr %p, i32 64
  %v = load i32, ptr %q
  %w = add i32 %v, 1
  store i32 %w, ptr %p
  ret void
}

; Blocks at the edges of a grid are few, and LLVM hears of it.
; SELDOM-LABEL: define internal i32 @run(
; SELDOM: br i1 {{.*}}, label %{{.*}}, label %{{.*}}, !prof
define void @edges(i32 %n, ptr %x) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %x, i32 %t
  %inside = icmp sgt i32 %n, 63
  br i1 %inside, label %copy, label %original
copy:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  store i32 1, ptr %p
  ret void
original:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0), !lanza.seldom !0
  %goes = icmp slt i32 %t, %n
  br i1 %goes, label %store, label %end
store:
  store i32 2, ptr %p
  br label %end
end:
  ret void
}

!0 = !{}

; What 64 groups would have a slot for is made of what the block keeps once: a turn's place, of which the first step is
; made in front of the barrier before.
; PLACE-LABEL: define internal i32 @run(
; PLACE-NOT: slots
; PLACE: region
; PLACE: [[T:%.*]] = phi i32 [ 0,
; PLACE: load i32
; PLACE: }
define void @place(i32 %n, i32 %w, ptr %x) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %turn
turn:
  %k = phi i32 [ 0, %entry ], [ %next, %turn ]
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %first = add i32 %k, %t
  %place = mul i32 %first, %w
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %p = getelementptr i32, ptr %x, i32 %place
  %v = load i32, ptr %p
  %u = add i32 %v, 1
  store i32 %u, ptr %p
  %next = add i32 %k, 64
  %more = icmp slt i32 %next, %n
  br i1 %more, label %turn, label %end
end:
  ret void
}
