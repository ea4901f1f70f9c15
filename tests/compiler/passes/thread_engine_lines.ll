; RUN: %opt -kernel=meet -passes=device-pipeline,retarget,coroutine %s | %check %s
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; The record says at which line a thread waits: 7 for the barrier, nothing (0) where the line is another file's.
; CHECK-LABEL: define {{.*}}void @start(
; CHECK: [[LINE:%.*]] = getelementptr inbounds {{.*}}%record, i32 0, i32 6
; CHECK: store i16 0, ptr [[LINE]]
; CHECK: store i32 1, ptr %record
; CHECK: store i16 7, ptr
; CHECK: call i8 @llvm.coro.suspend
; CHECK: store i32 1, ptr %record
; CHECK: store i16 0, ptr
; CHECK: call i8 @llvm.coro.suspend
define void @meet(ptr %p) !dbg !4 {
  %a = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0), !dbg !7
  store volatile i32 1, ptr %p, !dbg !7
  %b = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0), !dbg !8
  ret void, !dbg !7
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "kernel.cu", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"Dwarf Version", i32 5}
!4 = distinct !DISubprogram(name: "meet", file: !1, line: 5, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !{})
!6 = distinct !DILexicalBlockFile(scope: !4, file: !9, discriminator: 0)
!7 = !DILocation(line: 7, column: 3, scope: !4)
!8 = !DILocation(line: 12, column: 3, scope: !6)
!9 = !DIFile(filename: "header.h", directory: "")
