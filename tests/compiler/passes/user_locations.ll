; RUN: %opt -passes=user-locations %s | %check %s
target triple = "nvptx64-nvidia-cuda"

declare void @__lanza_fail(i32, ptr, ptr, i32, ptr)

; Code of the prelude stands where the user called it; a trap is named for that place.
; CHECK: @file = private unnamed_addr constant [10 x i8] c"kernel.cu\00"
; CHECK-LABEL: @k(
; CHECK: store i32 1, ptr %p, align 4, !dbg [[USER:![0-9]+]]
; CHECK-NOT: #dbg_value
; CHECK: call void @__lanza_fail(i32 0, ptr null, ptr @file, i32 7, ptr null), !dbg [[USER]]
; CHECK: ret void, !dbg [[END:![0-9]+]]
define void @k(ptr %p) !dbg !4 {
  store i32 1, ptr %p, !dbg !8
    #dbg_value(ptr %p, !11, !DIExpression(), !8)
  call void @__lanza_fail(i32 0, ptr null, ptr null, i32 0, ptr null), !dbg !8
  ret void, !dbg !9
}

; An assertion keeps the place that it brought.
; CHECK-LABEL: @assertion(
; CHECK: call void @__lanza_fail(i32 1, ptr %text, ptr %text, i32 3, ptr null), !dbg
define void @assertion(ptr %text) !dbg !10 {
  call void @__lanza_fail(i32 1, ptr %text, ptr %text, i32 3, ptr null), !dbg !12
  ret void, !dbg !12
}

; CHECK-DAG: [[USER]] = distinct !DILocation(line: 7, column: 3, scope: !{{[0-9]+}})
; CHECK-DAG: [[END]] = !DILocation(line: 8, column: 1, scope: !{{[0-9]+}})

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "kernel.cu", directory: ".")
!2 = !DIFile(filename: "/__lanza__/prelude/services.cuh", directory: ".")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "k", file: !1, line: 5, type: !6, unit: !0, spFlags: DISPFlagDefinition)
!5 = distinct !DISubprogram(name: "__trap", file: !2, line: 41, type: !6, unit: !0, spFlags: DISPFlagDefinition)
!6 = !DISubroutineType(types: !7)
!7 = !{}
!8 = !DILocation(line: 41, column: 5, scope: !5, inlinedAt: !13)
!9 = !DILocation(line: 8, column: 1, scope: !4)
!10 = distinct !DISubprogram(name: "a", file: !1, line: 10, type: !6, unit: !0, spFlags: DISPFlagDefinition)
!11 = !DILocalVariable(name: "p", scope: !5, file: !2, line: 40)
!12 = !DILocation(line: 11, column: 1, scope: !10)
!13 = distinct !DILocation(line: 7, column: 3, scope: !4)
