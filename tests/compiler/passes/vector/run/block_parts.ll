; RUN: %opt -kernel=copy -block=256 -lanes=1 -passes=retarget,version-blocks,run-inside %s | %check %s --check-prefix=INSIDE
; RUN: %opt -kernel=copy -block=256 -lanes=1 -passes=retarget,version-blocks,run-edges %s | %check %s --check-prefix=EDGES
; RUN: %opt -kernel=endless -block=256 -lanes=1 -passes=retarget,run-form %s | %check %s --check-prefix=ENDLESS
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = internal addrspace(3) global [256 x float] undef, align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; A part ends in front of the first block that is the other's, and says which that is. Of the other's code nothing is left.
; INSIDE-LABEL: define internal i32 @run(
; INSIDE: store i64 %block{{.*}}, ptr
; INSIDE-NEXT: ret i32 -1
; INSIDE-NOT: call void @lanza.leave
; INSIDE: br i1 false, label %end
; INSIDE-NOT: call void @lanza.leave

; EDGES-LABEL: define internal i32 @run(
; EDGES: ret i32 -1
; EDGES-NOT: br i1 false
; EDGES: br i1 %leave
; EDGES-NOT: br i1 false
define void @copy(ptr %in, ptr %out, i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %f = mul i32 %b, 256
  %i = add nsw i32 %f, %t
  %leave = icmp sge i32 %i, %n
  br i1 %leave, label %end, label %go
go:
  %p = getelementptr float, ptr %in, i32 %i
  %v = load float, ptr %p
  %q = getelementptr float, ptr addrspace(3) @s, i32 %t
  store float %v, ptr addrspace(3) %q
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %w = load float, ptr addrspace(3) @s
  %o = getelementptr float, ptr %out, i32 %i
  store float %w, ptr %o
  br label %end
end:
  ret void
}

; A way without an end is left to nobody.
; ENDLESS-LABEL: define internal i32 @run(
; ENDLESS-NOT: ret i32 -1
; ENDLESS: ret i32 0
define void @endless() {
entry:
  br label %loop
loop:
  br label %loop
}
