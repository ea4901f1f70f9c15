; RUN: %opt -kernel=fields -passes=prepare-control,linearise,widen,lower-record-shuffles %s | %check %s

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; Where bytes are masked as easily as words, every second one is stored by all lanes at once.
; CHECK-LABEL: define void @fields(
; CHECK-NOT: scatter
; CHECK: call void @llvm.masked.store.v{{[0-9]+}}i8
; CHECK: ret void
define void @fields(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i8, ptr %x, i64 %i
  %v = load i8, ptr %p
  %twice = shl i64 %i, 1
  %q = getelementptr i8, ptr %y, i64 %twice
  store i8 %v, ptr %q
  ret void
}

!llvm.module.flags = !{!0}
!0 = !{i32 7, !"lanza.rounds_each_way", i32 1}
