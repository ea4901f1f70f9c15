; Indices of 64 bits as if they were int, in launches for which lanza.fits is 1.
; RUN: %opt -kernel=plane -block=16,16 -passes=bound-indices %s | %check %s --check-prefix=PLANE
; RUN: %opt -kernel=counted -block=16,16 -passes=bound-indices %s | %check %s --check-prefix=COUNTED
; RUN: %opt -kernel=hashed -block=16,16 -passes=bound-indices %s | %check %s --check-prefix=HASHED
; RUN: %opt -kernel=quotient -block=16,16 -passes=bound-indices %s | %check %s --check-prefix=QUOTIENT
; RUN: %opt -kernel=far -block=16,16 -passes=bound-indices %s | %check %s --check-prefix=FAR
; RUN: %opt -kernel=guard_alone -block=16,16 -passes=bound-indices %s | %check %s --check-prefix=GUARD
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()

; a[y * w + x], as LLVM writes it: two steps of an address are one sum, and the guard is of numbers of 32 bits.
; PLANE-LABEL: define void @plane(
; PLANE: [[W:%.*]] = trunc i64 %w to i32
; PLANE: icmp slt i32 %x, [[W]]
; PLANE: [[ROW:%.*]] = mul nuw nsw i32 %y, [[W]]
; PLANE: [[I:%.*]] = add nuw nsw i32 [[ROW]], %x
; PLANE: [[WIDE:%.*]] = sext i32 [[I]] to i64
; PLANE: getelementptr inbounds float, ptr %a, i64 [[WIDE]]
; PLANE-LABEL: define i32 @lanza.fits(
; PLANE-DAG: fcmp olt double {{.*}}, 0x41E0000000000000
define void @plane(ptr %a, i64 %w) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %wx = zext i32 %x to i64
  %wy = zext i32 %y to i64
  %inside = icmp ult i64 %wx, %w
  br i1 %inside, label %store, label %end
store:
  %row = mul i64 %wy, %w
  %first = getelementptr inbounds float, ptr %a, i64 %row
  %p = getelementptr inbounds float, ptr %first, i64 %wx
  store float 0.0, ptr %p
  br label %end
end:
  ret void
}

; A loop's counter, and what is not an address has it extended.
; COUNTED-LABEL: define void @counted(
; COUNTED: phi i32
; COUNTED: sext i32
; COUNTED: icmp slt i32
; COUNTED: ret void
define void @counted(ptr %a, i64 %n) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = zext i32 %x to i64
  %any = icmp ult i64 %start, %n
  br i1 %any, label %enter, label %end
enter:
  br label %loop
loop:
  %i = phi i64 [ %start, %enter ], [ %next, %loop ]
  %p = getelementptr i64, ptr %a, i64 %i
  store i64 %i, ptr %p
  %next = add i64 %i, 16
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  br label %end
end:
  ret void
}

; Nothing is known of a product by such a number: it is to wrap.
; HASHED-LABEL: define void @hashed(
; HASHED: mul i64 %wx, 6364136223846793005
; HASHED-NOT: trunc
; HASHED: ret void
define void @hashed(ptr %a, i64 %n) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wx = zext i32 %x to i64
  %h = mul i64 %wx, 6364136223846793005
  %p = getelementptr i64, ptr %a, i64 %h
  store i64 0, ptr %p
  ret void
}

; Of numbers that the launch says are not negative.
; QUOTIENT-LABEL: define void @quotient(
; QUOTIENT: udiv i32
; QUOTIENT-NOT: udiv i64
; QUOTIENT: ret void
define void @quotient(ptr %a, i64 %n) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %wx = zext i32 %x to i64
  %wy = zext i32 %y to i64
  %first = mul i64 %wy, 16
  %i = add i64 %first, %wx
  %row = udiv i64 %i, %n
  %p = getelementptr i64, ptr %a, i64 %row
  store i64 0, ptr %p
  ret void
}

; No launch has such an index in 32 bits.
; FAR-LABEL: define void @far(
; FAR: add i64 %wx, 4294967296
; FAR-NOT: trunc
; FAR: ret void
define void @far(ptr %a) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wx = zext i32 %x to i64
  %i = add i64 %wx, 4294967296
  %p = getelementptr i8, ptr %a, i64 %i
  store i8 0, ptr %p
  ret void
}

; Where only a guard would be narrower nothing is gained.
; GUARD-LABEL: define void @guard_alone(
; GUARD: icmp slt i64 %wx, %n
; GUARD-NOT: trunc
; GUARD: ret void
define void @guard_alone(ptr %a, i64 %n) {
  %x = call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wx = zext i32 %x to i64
  %inside = icmp ult i64 %wx, %n
  br i1 %inside, label %store, label %end
store:
  %p = getelementptr i8, ptr %a, i64 %wx
  store i8 0, ptr %p
  br label %end
end:
  ret void
}
