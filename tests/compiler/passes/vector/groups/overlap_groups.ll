; Straight code that is one long chain runs in two registers of lanes, if there is room.
; RUN: %opt -target=x86-64-v4 -lanes=16 -block=256 -kernel=chain -passes=overlap-groups %s | %check %s --check-prefix=CHAIN
; RUN: %opt -target=x86-64-v3 -lanes=16 -block=256 -kernel=chain -passes=overlap-groups %s | %check %s --check-prefix=AVX2
; RUN: %opt -target=x86-64-v4 -lanes=16 -block=256 -kernel=busy -passes=overlap-groups %s | %check %s --check-prefix=BUSY
; RUN: %opt -target=x86-64-v4 -lanes=16 -block=256 -kernel=gathers -passes=overlap-groups %s | %check %s --check-prefix=GATHERS
; RUN: %opt -target=znver5 -lanes=16 -block=256 -kernel=busy -passes=overlap-groups %s | %check %s --check-prefix=WIDE
; RUN: %opt -target=znver5 -lanes=16 -block=256 -kernel=gathers -passes=overlap-groups %s | %check %s --check-prefix=GATHERS
; RUN: %opt -target=znver5 -lanes=16 -block=256 -kernel=scatters -passes=overlap-groups %s | %check %s --check-prefix=SCATTERS
; RUN: %opt -target=znver5 -lanes=16 -block=256 -kernel=window -passes=overlap-groups %s | %check %s --check-prefix=WINDOW
; RUN: %opt -target=znver5 -lanes=16 -block=32,8 -kernel=waits -passes=overlap-groups %s | %check %s --check-prefix=WAITS
; RUN: %opt -target=znver5 -lanes=16 -block=16,16 -kernel=waits -passes=overlap-groups %s | %check %s --check-prefix=SHORT
; RUN: %opt -target=x86-64-v4 -lanes=16 -block=32,8 -kernel=waits -passes=overlap-groups %s | %check %s --check-prefix=WAITS
; RUN: %opt -target=znver5 -lanes=16 -block=32,8 -kernel=sums -passes=overlap-groups %s | %check %s --check-prefix=SUMS
; RUN: %opt -target=znver5 -lanes=16 -block=32,8 -kernel=turned -passes=overlap-groups %s | %check %s --check-prefix=TURNED
; RUN: %opt -target=x86-64-v4 -lanes=16 -block=32,8 -kernel=turned -passes=overlap-groups %s | %check %s --check-prefix=TURNED
; RUN: %opt -target=znver5 -lanes=16 -block=32,8 -kernel=turned_in_part -passes=overlap-groups %s | %check %s --check-prefix=PART
; RUN: %opt -target=znver5 -lanes=16 -block=32,8 -kernel=turned_elsewhere -passes=overlap-groups %s | %check %s --check-prefix=ELSEWHERE
; RUN: %opt -target=x86-64-v4 -lanes=16 -block=256 -kernel=copied_records -passes=overlap-groups %s | %check %s --check-prefix=RECORDS
; RUN: %opt -target=x86-64-v4 -lanes=16 -block=256 -kernel=turned_by_numbers -passes=overlap-groups %s | %check %s --check-prefix=NUMBERS

declare ptr @__lanza_shared() nounwind willreturn memory(none)
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare float @llvm.fma.f32(float, float, float)
declare float @llvm.sqrt.f32(float)

; CHAIN: chain: 32 lanes
; Two registers hold 16 lanes; four are too many.
; AVX2: chain: 16 lanes
define void @chain(ptr %in, ptr %out) {
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = shl i32 %c, 8
  %i = add i32 %m, %t
  %w = sext i32 %i to i64
  %p = getelementptr inbounds float, ptr %in, i64 %w
  %x = load float, ptr %p
  %q = call float @llvm.sqrt.f32(float %x)
  %f0 = fdiv float %x, %q
  %f1 = call float @llvm.fma.f32(float %f0, float %q, float 1.0)
  %f2 = call float @llvm.fma.f32(float %f1, float %q, float 2.0)
  %f3 = call float @llvm.fma.f32(float %f2, float %q, float 3.0)
  %f4 = call float @llvm.fma.f32(float %f3, float %q, float 4.0)
  %f5 = call float @llvm.fma.f32(float %f4, float %q, float 5.0)
  %f6 = call float @llvm.fma.f32(float %f5, float %q, float 6.0)
  %f7 = call float @llvm.fma.f32(float %f6, float %q, float 7.0)
  %f8 = call float @llvm.fma.f32(float %f7, float %q, float 8.0)
  %f9 = call float @llvm.fma.f32(float %f8, float %q, float 9.0)
  %f10 = call float @llvm.fma.f32(float %f9, float %q, float 10.0)
  %f11 = call float @llvm.fma.f32(float %f10, float %q, float 11.0)
  %f12 = call float @llvm.fma.f32(float %f11, float %q, float 12.0)
  %f13 = call float @llvm.fma.f32(float %f12, float %q, float 13.0)
  %f14 = call float @llvm.fma.f32(float %f13, float %q, float 14.0)
  %f15 = call float @llvm.fma.f32(float %f14, float %q, float 15.0)
  %f16 = call float @llvm.fma.f32(float %f15, float %q, float 16.0)
  %f17 = call float @llvm.fma.f32(float %f16, float %q, float 17.0)
  %f18 = call float @llvm.fma.f32(float %f17, float %q, float 18.0)
  %f19 = call float @llvm.fma.f32(float %f18, float %q, float 19.0)
  %f20 = call float @llvm.fma.f32(float %f19, float %q, float 20.0)
  %f21 = call float @llvm.fma.f32(float %f20, float %q, float 21.0)
  %f22 = call float @llvm.fma.f32(float %f21, float %q, float 22.0)
  %f23 = call float @llvm.fma.f32(float %f22, float %q, float 23.0)
  %f24 = call float @llvm.fma.f32(float %f23, float %q, float 24.0)
  %f25 = call float @llvm.fma.f32(float %f24, float %q, float 25.0)
  %f26 = call float @llvm.fma.f32(float %f25, float %q, float 26.0)
  %r = getelementptr inbounds float, ptr %out, i64 %w
  store float %f26, ptr %r
  ret void
}

; Nothing waits: the products do not need each other.
; BUSY: busy: 16 lanes
; A wide core has something to wait for anyway.
; WIDE: busy: 32 lanes
define void @busy(ptr %in, ptr %out) {
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = shl i32 %c, 8
  %i = add i32 %m, %t
  %w = sext i32 %i to i64
  %p = getelementptr inbounds float, ptr %in, i64 %w
  %x = load float, ptr %p
  %a1 = fmul float %x, 1.0
  %b1 = fadd float %a1, 1.0
  %c1 = fmul float %b1, %b1
  %a2 = fmul float %x, 2.0
  %b2 = fadd float %a2, 2.0
  %c2 = fmul float %b2, %b2
  %a3 = fmul float %x, 3.0
  %b3 = fadd float %a3, 3.0
  %c3 = fmul float %b3, %b3
  %a4 = fmul float %x, 4.0
  %b4 = fadd float %a4, 4.0
  %c4 = fmul float %b4, %b4
  %a5 = fmul float %x, 5.0
  %b5 = fadd float %a5, 5.0
  %c5 = fmul float %b5, %b5
  %a6 = fmul float %x, 6.0
  %b6 = fadd float %a6, 6.0
  %c6 = fmul float %b6, %b6
  %a7 = fmul float %x, 7.0
  %b7 = fadd float %a7, 7.0
  %c7 = fmul float %b7, %b7
  %a8 = fmul float %x, 8.0
  %b8 = fadd float %a8, 8.0
  %c8 = fmul float %b8, %b8
  %a9 = fmul float %x, 9.0
  %b9 = fadd float %a9, 9.0
  %c9 = fmul float %b9, %b9
  %s1 = fadd float %x, %c1
  %s2 = fadd float %s1, %c2
  %s3 = fadd float %s2, %c3
  %s4 = fadd float %s3, %c4
  %s5 = fadd float %s4, %c5
  %s6 = fadd float %s5, %c6
  %s7 = fadd float %s6, %c7
  %s8 = fadd float %s7, %c8
  %s9 = fadd float %s8, %c9
  %r = getelementptr inbounds float, ptr %out, i64 %w
  store float %s9, ptr %r
  ret void
}

; What is waited for is memory.
; GATHERS: gathers: 16 lanes
define void @gathers(ptr %in, ptr %out) {
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = shl i32 %c, 8
  %i = add i32 %m, %t
  %w = sext i32 %i to i64
  %p = getelementptr inbounds float, ptr %in, i64 %w
  %x = load float, ptr %p
  %k = fptosi float %x to i64
  %at = getelementptr inbounds float, ptr %in, i64 %k
  %y = load float, ptr %at
  %q = call float @llvm.sqrt.f32(float %y)
  %f0 = fdiv float %x, %q
  %f1 = call float @llvm.fma.f32(float %f0, float %q, float 1.0)
  %f2 = call float @llvm.fma.f32(float %f1, float %q, float 2.0)
  %f3 = call float @llvm.fma.f32(float %f2, float %q, float 3.0)
  %f4 = call float @llvm.fma.f32(float %f3, float %q, float 4.0)
  %f5 = call float @llvm.fma.f32(float %f4, float %q, float 5.0)
  %f6 = call float @llvm.fma.f32(float %f5, float %q, float 6.0)
  %f7 = call float @llvm.fma.f32(float %f6, float %q, float 7.0)
  %f8 = call float @llvm.fma.f32(float %f7, float %q, float 8.0)
  %f9 = call float @llvm.fma.f32(float %f8, float %q, float 9.0)
  %f10 = call float @llvm.fma.f32(float %f9, float %q, float 10.0)
  %f11 = call float @llvm.fma.f32(float %f10, float %q, float 11.0)
  %f12 = call float @llvm.fma.f32(float %f11, float %q, float 12.0)
  %f13 = call float @llvm.fma.f32(float %f12, float %q, float 13.0)
  %f14 = call float @llvm.fma.f32(float %f13, float %q, float 14.0)
  %f15 = call float @llvm.fma.f32(float %f14, float %q, float 15.0)
  %f16 = call float @llvm.fma.f32(float %f15, float %q, float 16.0)
  %f17 = call float @llvm.fma.f32(float %f16, float %q, float 17.0)
  %f18 = call float @llvm.fma.f32(float %f17, float %q, float 18.0)
  %f19 = call float @llvm.fma.f32(float %f18, float %q, float 19.0)
  %f20 = call float @llvm.fma.f32(float %f19, float %q, float 20.0)
  %f21 = call float @llvm.fma.f32(float %f20, float %q, float 21.0)
  %f22 = call float @llvm.fma.f32(float %f21, float %q, float 22.0)
  %f23 = call float @llvm.fma.f32(float %f22, float %q, float 23.0)
  %f24 = call float @llvm.fma.f32(float %f23, float %q, float 24.0)
  %f25 = call float @llvm.fma.f32(float %f24, float %q, float 25.0)
  %f26 = call float @llvm.fma.f32(float %f25, float %q, float 26.0)
  %r = getelementptr inbounds float, ptr %out, i64 %w
  store float %f26, ptr %r
  ret void
}

; Nobody waits for what is written.
; SCATTERS: scatters: 32 lanes
define void @scatters(ptr %in, ptr %out) {
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = shl i32 %c, 8
  %i = add i32 %m, %t
  %w = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr %in, i64 %w
  %x = load i32, ptr %p
  %k = sext i32 %x to i64
  %at = getelementptr inbounds i32, ptr %out, i64 %k
  store i32 %i, ptr %at
  ret void
}

; What lies behind a guard is loaded as well: every other element.
; WINDOW: window: 16 lanes
define void @window(ptr %in, ptr %out, i32 %n) {
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = shl i32 %c, 8
  %i = add i32 %m, %t
  %w = sext i32 %i to i64
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %load, label %store
load:
  %twice = shl nsw i64 %w, 1
  %p = getelementptr inbounds float, ptr %in, i64 %twice
  %x = load float, ptr %p
  br label %store
store:
  %v = phi float [ 0.0, %0 ], [ %x, %load ]
  %q = getelementptr inbounds float, ptr %out, i64 %w
  store float %v, ptr %q
  ret void
}

; From barrier to barrier: groups that fill a row of the block.
; It stores results in each turn: on any core.
; WAITS: waits: 32 lanes
; SHORT: waits: 16 lanes
define void @waits(ptr %in, ptr %tile, ptr %out, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = sext i32 %t to i64
  br label %turn
turn:
  %k = phi i32 [ 0, %0 ], [ %next, %turn ]
  %row = sext i32 %k to i64
  %from = getelementptr inbounds float, ptr %in, i64 %row
  %p = getelementptr inbounds float, ptr %from, i64 %w
  %x = load float, ptr %p
  %q = getelementptr inbounds float, ptr %tile, i64 %w
  store float %x, ptr %q
  %s = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %left = getelementptr inbounds i8, ptr %q, i64 -4
  %y = load float, ptr %left
  %z = fadd float %y, 1.0
  %r = getelementptr inbounds float, ptr %out, i64 %w
  store float %z, ptr %r
  %next = add nuw nsw i32 %k, 1
  %goes = icmp slt i32 %next, %n
  br i1 %goes, label %turn, label %done
done:
  ret void
}

; What loops between barriers is join_groups' business.
; SUMS: sums: 16 lanes
define void @sums(ptr %tile, ptr %out, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = sext i32 %t to i64
  %s = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %turn
turn:
  %k = phi i32 [ 0, %0 ], [ %next, %turn ]
  %sum = phi float [ 0.0, %0 ], [ %more, %turn ]
  %row = sext i32 %k to i64
  %from = getelementptr inbounds float, ptr %tile, i64 %row
  %p = getelementptr inbounds float, ptr %from, i64 %w
  %x = load float, ptr %p
  %more = fadd float %sum, %x
  %next = add nuw nsw i32 %k, 1
  %goes = icmp slt i32 %next, %n
  br i1 %goes, label %turn, label %done
done:
  %r = getelementptr inbounds float, ptr %out, i64 %w
  store float %more, ptr %r
  ret void
}

; A tile's columns are transposed in registers, where all lanes come; those of other memory are gathers.
; It only moves what it loads: on any core.
; TURNED: turned: 32 lanes
define void @turned(ptr %in, ptr %out, i32 %n) {
  %t = call range(i32 0, 32) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext nneg i32 %t to i64
  %p = getelementptr inbounds float, ptr %in, i64 %w
  %x = load float, ptr %p
  %tile = call ptr @__lanza_shared()
  %q = getelementptr inbounds float, ptr %tile, i64 %w
  store float %x, ptr %q
  %s = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %column = getelementptr inbounds [33 x float], ptr %tile, i64 %w, i64 0
  %y = load float, ptr %column
  %r = getelementptr inbounds float, ptr %out, i64 %w
  store float %y, ptr %r
  ret void
}

; PART: turned_in_part: 16 lanes
define void @turned_in_part(ptr %in, ptr %out, i32 %n) {
  %t = call range(i32 0, 32) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext nneg i32 %t to i64
  %p = getelementptr inbounds float, ptr %in, i64 %w
  %x = load float, ptr %p
  %tile = call ptr @__lanza_shared()
  %q = getelementptr inbounds float, ptr %tile, i64 %w
  store float %x, ptr %q
  %s = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %is_inside = icmp slt i32 %t, %n
  br i1 %is_inside, label %inside, label %done
inside:
  %column = getelementptr inbounds [33 x float], ptr %tile, i64 %w, i64 0
  %y = load float, ptr %column
  %r = getelementptr inbounds float, ptr %out, i64 %w
  store float %y, ptr %r
  br label %done
done:
  ret void
}

; ELSEWHERE: turned_elsewhere: 16 lanes
define void @turned_elsewhere(ptr %in, ptr %out, i32 %n) {
  %t = call range(i32 0, 32) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext nneg i32 %t to i64
  %p = getelementptr inbounds float, ptr %in, i64 %w
  %x = load float, ptr %p
  %tile = getelementptr inbounds float, ptr %in, i64 1024
  %q = getelementptr inbounds float, ptr %tile, i64 %w
  store float %x, ptr %q
  %s = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %column = getelementptr inbounds [33 x float], ptr %tile, i64 %w, i64 0
  %y = load float, ptr %column
  %r = getelementptr inbounds float, ptr %out, i64 %w
  store float %y, ptr %r
  ret void
}

; Rows of 16 threads in a block of one: a column is 16 lanes'; 32 would have pieces of two.
; NUMBERS: turned_by_numbers: 16 lanes
define void @turned_by_numbers(ptr %in, ptr %out) {
  %s = call ptr @__lanza_shared()
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %p = getelementptr float, ptr %in, i64 %wide
  %v = load float, ptr %p
  %q = getelementptr float, ptr %s, i64 %wide
  store float %v, ptr %q
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %x = and i32 %t, 15
  %y = lshr i32 %t, 4
  %row = mul nuw nsw i32 %x, 17
  %at = add nuw nsw i32 %row, %y
  %at.wide = zext i32 %at to i64
  %r = getelementptr float, ptr %s, i64 %at.wide
  %w = load float, ptr %r
  %o = getelementptr float, ptr %out, i64 %wide
  store float %w, ptr %o
  ret void
}

; Records that each lane copies are no neighbours' numbers.
; RECORDS: copied_records: 16 lanes
define void @copied_records(ptr %in, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %place = zext i32 %t to i64
  %from = getelementptr [16 x i8], ptr %in, i64 %place
  %to = getelementptr [16 x i8], ptr %out, i64 %place
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %to, ptr align 16 %from, i64 16, i1 false)
  %wait = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  ret void
}
