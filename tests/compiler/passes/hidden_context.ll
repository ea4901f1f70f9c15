; RUN: %opt -kernel=count -passes=device-pipeline,retarget,lane-loop %s | %check %s
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; A recursive function that asks for its thread takes the record as a hidden parameter.
; CHECK-LABEL: define internal i32 @run(
; CHECK: %record = alloca
; CHECK: store i16 {{.*}}
; CHECK: call i32 @walk.context(ptr %record, i32 5)
define void @count(ptr %p) {
  %r = call i32 @walk(i32 5)
  store i32 %r, ptr %p
  ret void
}

; CHECK-LABEL: define internal i32 @walk.context(ptr %0, i32 %1)
; CHECK-NOT: llvm.nvvm
; CHECK: call i32 @walk.context(ptr %0,
define i32 @walk(i32 %n) {
  %zero = icmp eq i32 %n, 0
  br i1 %zero, label %end, label %more
more:
  %m = sub i32 %n, 1
  %f = call i32 @walk(i32 %m)
  %r = mul i32 %f, 3
  ret i32 %r
end:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ret i32 %t
}
