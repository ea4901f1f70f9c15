; RUN: %opt -kernel=scale -passes=device-pipeline,retarget,lane-loop %s | %check %s
; RUN: %opt -kernel=separate -passes=device-pipeline,retarget,lane-loop %s | %check %s --check-prefix=SEPARATE
; RUN: %opt -kernel=early -passes=device-pipeline,retarget,lane-loop %s | %check %s --check-prefix=EARLY
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

; The bound is taken out of the loop: its length is cut instead. The index counts up without wrapping.
; CHECK: %piece = phi i64
; CHECK: call i64 @llvm.umin.i64
; CHECK: %index = phi i32
; CHECK: br i1 true,
; CHECK: add nuw nsw i32 %index, 1
define void @scale(i32 %n, ptr %x) {
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %c, %d
  %i = add i32 %m, %t
  %in = icmp slt i32 %i, %n
  br i1 %in, label %then, label %end
then:
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  store float 2.0, ptr %p
  br label %end
end:
  ret void
}

; A kernel that asks for threadIdx.x on its own goes block by block.
; SEPARATE-NOT: %piece
; SEPARATE: %tid
define void @separate(ptr %x) {
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %c, %d
  %i = add i32 %m, %t
  %wide = zext i32 %i to i64
  %p = getelementptr i32, ptr %x, i64 %wide
  store i32 %t, ptr %p
  ret void
}

; Return first, `||` and a 64-bit limit that is computed: both bounds are found.
; EARLY: call i64 @llvm.umin.i64
; EARLY: icmp ugt i64
; EARLY: icmp ugt i64
; EARLY: br i1 false,
define void @early(i64 %n, i64 %k, ptr %x) {
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %c, %d
  %i = add i32 %m, %t
  %wide = zext i32 %i to i64
  %out = icmp uge i64 %wide, %n
  %limit = mul i64 %n, %k
  %far = icmp uge i64 %wide, %limit
  %either = select i1 %out, i1 true, i1 %far
  br i1 %either, label %end, label %work
work:
  %p = getelementptr i32, ptr %x, i64 %wide
  store i32 1, ptr %p
  br label %end
end:
  ret void
}
