; RUN: %opt -kernel=swap -passes=device-pipeline,retarget,coroutine %s | %check %s
; RUN: %opt -kernel=swap -passes=device-pipeline,retarget,thread-engine %s | %check %s --check-prefix=SPLIT
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; Kind 5 (shuffle) and the source lane in one word, mask and operand beside it; the result is the operand.
; CHECK-LABEL: define {{.*}}void @start(ptr %0, ptr %1, i32 %2, i32 %3, i32 %4)
; CHECK: %record = alloca
; CHECK: call token @llvm.coro.id(i32 0, ptr %record
; CHECK: or i32 5,
; CHECK: store i32 {{.*}}, ptr %record, align 8
; CHECK: store i32 -1,
; CHECK: store i64
; CHECK: call i8 @llvm.coro.suspend(token none, i1 false)
; CHECK: load i64
; CHECK: store i32 0, ptr %record, align 8
; CHECK: call i1 @llvm.coro.end

; Nothing is kept but what a thread cannot compute again: the frame is header, record and where to resume.
; SPLIT-DAG: @threads = internal constant { ptr, i64, i64, i32, i32 } { ptr @start, i64 56, i64 8, i32 0, i32 0 }
; SPLIT-NOT: call {{.*}}llvm.coro
; SPLIT-NOT: .destroy
; SPLIT: define {{.*}}void @start.resume(ptr
; SPLIT: define internal i32 @run(
define void @swap(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %q = getelementptr i64, ptr %p, i64 %wide
  %v = load i64, ptr %q
  %other = xor i32 %t, 1
  %w = call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 %v, i32 %other)
  store i64 %w, ptr %q
  ret void
}
