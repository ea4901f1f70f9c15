; How many instructions a block does at most, asked of the launch.
; RUN: %opt -kernel=straight -block=256 -passes=short-launches %s | %check %s --check-prefix=STRAIGHT
; RUN: %opt -kernel=counted -block=256 -passes=short-launches %s | %check %s --check-prefix=COUNTED
; RUN: %opt -kernel=nested -block=100 -passes=short-launches %s | %check %s --check-prefix=NESTED
; RUN: %opt -kernel=halved -block=256 -passes=short-launches %s | %check %s --check-prefix=HALVED
; RUN: %opt -kernel=searched -block=256 -passes=short-launches %s | %check %s --check-prefix=SEARCHED
; RUN: %opt -kernel=called -block=256 -passes=short-launches %s | %check %s --check-prefix=CALLED
; RUN: %opt -kernel=kept -block=256 -passes=short-launches %s | %check %s --check-prefix=KEPT
; RUN: %opt -kernel=few_bits -block=256 -passes=short-launches %s | %check %s --check-prefix=BITS
; RUN: %opt -kernel=shuffles -block=256 -passes=short-launches %s | %check %s --check-prefix=SHUFFLES
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32) convergent

; Any launch.
; STRAIGHT-LABEL: define i32 @lanza.fits(
; STRAIGHT-NEXT: ret i32 1
define void @straight(ptr %out) {
  store float 1.0, ptr %out
  ret void
}

; 4 instructions in each of n turns, 2 around them, of 2e7 / 256.
; COUNTED-LABEL: define i32 @lanza.fits(
; COUNTED: [[N:%.*]] = sitofp i32
; COUNTED: [[TURNS:%.*]] = fadd double {{.*}}, 1.000000e+00
; COUNTED: [[STEPS:%.*]] = fmul double [[TURNS]], 4.000000e+00
; COUNTED: [[ALL:%.*]] = fadd double {{.*}}, 1.000000e+00
; COUNTED: fcmp olt double [[ALL]], 7.812500e+04
define void @counted(ptr %out, i32 %n) {
entry:
  br label %turn

turn:
  %i = phi i32 [ 0, %entry ], [ %next, %turn ]
  %next = add nuw nsw i32 %i, 1
  %goes.on = icmp slt i32 %next, %n
  br i1 %goes.on, label %turn, label %end

end:
  ret void
}

; 1000 turns of n.
; NESTED-LABEL: define i32 @lanza.fits(
; NESTED: [[MANY:%.*]] = fmul double {{.*}}, 1.000000e+03
; NESTED: fcmp olt double {{.*}}, 2.000000e+05
define void @nested(ptr %out, i32 %n) {
entry:
  br label %outer

outer:
  %j = phi i32 [ 0, %entry ], [ %next.j, %latch ]
  br label %turn

turn:
  %i = phi i32 [ 0, %outer ], [ %next, %turn ]
  store volatile i32 %i, ptr %out
  %next = add nuw nsw i32 %i, 1
  %goes.on = icmp slt i32 %next, %n
  br i1 %goes.on, label %turn, label %latch

latch:
  %next.j = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %next.j, 1000
  br i1 %more, label %outer, label %end

end:
  ret void
}

; No more turns than the counter has bits.
; HALVED-LABEL: define i32 @lanza.fits(
; HALVED-NEXT: ret i32 1
define void @halved(ptr %out) {
entry:
  %size = call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  br label %turn

turn:
  %i = phi i32 [ %size, %entry ], [ %next, %turn ]
  store volatile i32 %i, ptr %out
  %next = lshr i32 %i, 1
  %goes.on = icmp ugt i32 %i, 1
  br i1 %goes.on, label %turn, label %end

end:
  ret void
}

; Nobody knows how long.
; SEARCHED-LABEL: define i32 @lanza.fits(
; SEARCHED-NEXT: ret i32 0
define void @searched(ptr %out) {
entry:
  br label %turn

turn:
  %seen = load volatile i32, ptr %out
  %goes.on = icmp ne i32 %seen, 0
  br i1 %goes.on, label %turn, label %end

end:
  ret void
}

; CALLED-LABEL: define i32 @lanza.fits(
; CALLED-NEXT: ret i32 0
define void @called(ptr %out) {
  call void @straight(ptr %out)
  ret void
}

; A call of a function that was kept stands for its instructions: more than 2e7 / 256.
; KEPT-LABEL: define i32 @lanza.fits(
; KEPT-NEXT: ret i32 0
define void @kept(ptr %out) {
  %x = load float, ptr %out
  %y = call float @long(float %x)
  store float %y, ptr %out
  ret void
}
declare float @long(float) nounwind willreturn memory(none) "lanza-lane-function" "lanza-steps"="100000"

; Eight turns at the most.
; BITS-LABEL: define i32 @lanza.fits(
; BITS-NEXT: ret i32 1
define void @few_bits(ptr %out, i32 %n) {
entry:
  %few = and i32 %n, 7
  br label %turn

turn:
  %i = phi i32 [ 0, %entry ], [ %next, %turn ]
  store volatile i32 %i, ptr %out
  %next = add nuw nsw i32 %i, 1
  %goes.on = icmp ult i32 %i, %few
  br i1 %goes.on, label %turn, label %end

end:
  ret void
}

; The vector engine's code is there sooner where warps shuffle so often.
; SHUFFLES-LABEL: define i32 @lanza.fits(
; SHUFFLES-NEXT: ret i32 0
define void @shuffles(ptr %out) {
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 0, i32 0)
  ret void
}
