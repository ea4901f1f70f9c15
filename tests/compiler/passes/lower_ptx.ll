; RUN: %opt -passes=lower-ptx %s | %check %s
target triple = "nvptx64-nvidia-cuda"
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)
declare i64 @__lanza_grid_workspace()
declare void @__lanza_fail(i32, ptr, ptr, i32, ptr)

; CHECK-LABEL: @points(
; CHECK: call void @llvm.nvvm.barrier0()
; CHECK: call void @llvm.nvvm.barrier(i32 3, i32 64)
; CHECK: call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1
; CHECK-COUNT-2: call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1,
; CHECK: call i32 @llvm.nvvm.redux.sync.umin(
define i64 @points(i64 %v) {
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  call i64 @__lanza_sync(i32 1, i32 3, i32 0, i64 0, i32 64)
  %a = call i64 @__lanza_sync(i32 4, i32 0, i32 -1, i64 %v, i32 0)
  %b = call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 %a, i32 7)
  %b2 = add i64 %b, %v
  %c = call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 %b2, i32 7)
  %d = call i64 @__lanza_sync(i32 8, i32 0, i32 -1, i64 %c, i32 3)
  ret i64 %d
}

; CHECK-LABEL: @failures(
; CHECK: call void @__assertfail(ptr %m, ptr %m, i32 9, ptr %m, i64 1)
; CHECK: call void @llvm.trap()
define void @failures(ptr %m) {
  call void @__lanza_fail(i32 1, ptr %m, ptr %m, i32 9, ptr %m)
  call void @__lanza_fail(i32 0, ptr null, ptr null, i32 0, ptr null)
  ret void
}

; CHECK-LABEL: @workspace(
; CHECK-DAG: call i32 @llvm.nvvm.read.ptx.sreg.envreg1()
; CHECK-DAG: call i32 @llvm.nvvm.read.ptx.sreg.envreg2()
; CHECK: shl i64 {{%.*}}, 32
; CHECK: or i64
define i64 @workspace() {
  %a = call i64 @__lanza_grid_workspace()
  ret i64 %a
}
