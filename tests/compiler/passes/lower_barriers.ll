; RUN: %opt -passes=lower-barriers %s | %check %s
target triple = "nvptx64-nvidia-cuda"

declare void @llvm.nvvm.barrier0()
declare i32 @llvm.nvvm.barrier0.popc(i32)
declare i32 @llvm.nvvm.barrier0.and(i32)

; CHECK-NOT: llvm.nvvm.barrier0
; CHECK-LABEL: @plain(
; CHECK: call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
define void @plain() {
  call void @llvm.nvvm.barrier0()
  ret void
}

; CHECK-LABEL: @count(
; CHECK: [[IS:%.*]] = icmp ne i32 %p, 0
; CHECK: [[WIDE:%.*]] = zext i1 [[IS]] to i64
; CHECK: [[N:%.*]] = call i64 @__lanza_sync(i32 2, i32 0, i32 0, i64 [[WIDE]], i32 0)
; CHECK: trunc i64 [[N]] to i32
define i32 @count(i32 %p) {
  %n = call i32 @llvm.nvvm.barrier0.popc(i32 %p)
  ret i32 %n
}

; All are true when the count of the false ones is 0.
; CHECK-LABEL: @all(
; CHECK: xor i1
; CHECK: [[N:%.*]] = call i64 @__lanza_sync(i32 2,
; CHECK: [[COUNT:%.*]] = trunc i64 [[N]] to i32
; CHECK: icmp eq i32 [[COUNT]], 0
define i32 @all(i32 %p) {
  %n = call i32 @llvm.nvvm.barrier0.and(i32 %p)
  ret i32 %n
}
