; The numbers that counters of loops come to, as bound-indices finds them.
; RUN: %opt -kernel=strides -block=64 -passes=bound-indices %s | %check %s --check-prefix=STRIDES
; RUN: %opt -kernel=beside -block=64 -passes=bound-indices %s | %check %s --check-prefix=BESIDE
; RUN: %opt -kernel=from_start -block=64 -passes=bound-indices %s | %check %s --check-prefix=START
; RUN: %opt -kernel=halves -block=64 -passes=bound-indices %s | %check %s --check-prefix=HALVES
; RUN: %opt -kernel=unlimited -block=64 -passes=bound-indices %s | %check %s --check-prefix=UNLIMITED
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()

; for (i = tid; i < n; i += gridDim.x * 64): at most n - 1 and a step.
; STRIDES-LABEL: define void @strides(
; STRIDES: shl nuw nsw i32 %grid, 6
; STRIDES: zext nneg i32 %i to i64
; STRIDES: add nuw nsw i32 %i, %step
; STRIDES-LABEL: define i32 @lanza.fits(
; STRIDES-DAG: [[N:%.*]] = sitofp i32
; STRIDES-DAG: [[STEP:%.*]] = fmul double {{.*}}, 6.400000e+01
; STRIDES-DAG: [[MOST:%.*]] = fsub double [[N]], 1.000000e+00
; STRIDES-DAG: fadd double [[MOST]], [[STEP]]
define void @strides(ptr %out, i32 %n) {
entry:
  %x = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %grid = call range(i32 1, 33553408) i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %step = shl nuw i32 %grid, 6
  br label %head

head:
  %i = phi i32 [ %x, %entry ], [ %next, %turn ]
  %goes.on = icmp ult i32 %i, %n
  br i1 %goes.on, label %turn, label %end

turn:
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr %out, i64 %wide
  store float 1.0, ptr %p
  %next = add i32 %i, %step
  br label %head

end:
  ret void
}

; for (k = 0, i = tid; k < n; ++k, i += pitch): tid and n turns.
; BESIDE-LABEL: define void @beside(
; BESIDE: zext nneg i32 %i to i64
; BESIDE: add nuw nsw i32 %k, 1
; BESIDE: add {{(nuw )?}}nsw i32 %i, %pitch
; BESIDE-LABEL: define i32 @lanza.fits(
define void @beside(ptr %out, i32 %n, i32 %pitch) {
entry:
  %x = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %head

head:
  %k = phi i32 [ 0, %entry ], [ %k.next, %turn ]
  %i = phi i32 [ %x, %entry ], [ %i.next, %turn ]
  %goes.on = icmp ult i32 %k, %n
  br i1 %goes.on, label %turn, label %end

turn:
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr %out, i64 %wide
  store float 1.0, ptr %p
  %k.next = add i32 %k, 1
  %i.next = add i32 %i, %pitch
  br label %head

end:
  ret void
}

; for (a = y * n, b = tid; a <= y * n + n - 1; a += 16, b += pitch): n / 16 turns, not y * n / 16.
; START-LABEL: define void @from_start(
; START: zext nneg i32 %b to i64
; START-LABEL: define i32 @lanza.fits(
; START: [[WAY:%.*]] = fadd double -1.000000e+00, [[N:%.*]]
; START: fdiv double [[WAY]], 1.600000e+01
define void @from_start(ptr %out, i32 %n, i32 %pitch) {
entry:
  %x = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %begin = mul i32 %y, %n
  %after = add i32 %begin, %n
  %last = add i32 %after, -1
  br label %head

head:
  %a = phi i32 [ %begin, %entry ], [ %a.next, %turn ]
  %b = phi i32 [ %x, %entry ], [ %b.next, %turn ]
  %goes.on = icmp ule i32 %a, %last
  br i1 %goes.on, label %turn, label %end

turn:
  %wide = zext i32 %b to i64
  %p = getelementptr float, ptr %out, i64 %wide
  store float 1.0, ptr %p
  %a.next = add i32 %a, 16
  %b.next = add i32 %b, %pitch
  br label %head

end:
  ret void
}

; for (d = n; d; d >>= 1)
; HALVES-LABEL: define void @halves(
; HALVES: add nuw nsw i32 %x, %d
; HALVES: zext nneg
; HALVES: define i32 @lanza.fits(
define void @halves(ptr %out, i32 %n) {
entry:
  %x = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %head

head:
  %d = phi i32 [ %n, %entry ], [ %half, %turn ]
  %goes.on = icmp ne i32 %d, 0
  br i1 %goes.on, label %turn, label %end

turn:
  %i = add i32 %x, %d
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr %out, i64 %wide
  store float 1.0, ptr %p
  %half = lshr i32 %d, 1
  br label %head

end:
  ret void
}

; Until a number in memory says so: who knows.
; UNLIMITED-LABEL: define void @unlimited(
; UNLIMITED: %wide = zext i32 %i to i64
; UNLIMITED: %next = add i32 %i, 3
; UNLIMITED-NOT: lanza.fits
define void @unlimited(ptr %out) {
entry:
  %x = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %turn

turn:
  %i = phi i32 [ %x, %entry ], [ %next, %turn ]
  %wide = zext i32 %i to i64
  %p = getelementptr i32, ptr %out, i64 %wide
  %v = load i32, ptr %p
  %next = add i32 %i, 3
  %goes.on = icmp ult i32 %v, 5
  br i1 %goes.on, label %turn, label %end

end:
  ret void
}
