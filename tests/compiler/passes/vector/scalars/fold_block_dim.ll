; RUN: %opt -block=256,2,1 -passes=fold-block-dim %s | %check %s
; RUN: %opt -kernel=sum -block=64,1,1 -passes=device-pipeline %s | %check %s --check-prefix=LOOP
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()

; CHECK-LABEL: @all(
; CHECK: [[TX:%.*]] = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; CHECK: store volatile i32 [[TX]]
; CHECK: [[TY:%.*]] = call range(i32 0, 2) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
; CHECK: store volatile i32 [[TY]]
; CHECK-NOT: tid.z
; CHECK: store volatile i32 0,
; CHECK: store volatile i32 256,
; CHECK: store volatile i32 2,
; CHECK: store volatile i32 1,
; CHECK: call range(i32 0, 8388352) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
; CHECK: call range(i32 1, 65536) i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
define void @all(ptr %p) {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store volatile i32 %tx, ptr %p
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  store volatile i32 %ty, ptr %p
  %tz = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  store volatile i32 %tz, ptr %p
  %nx = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  store volatile i32 %nx, ptr %p
  %ny = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  store volatile i32 %ny, ptr %p
  %nz = call i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
  store volatile i32 %nz, ptr %p
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  store volatile i32 %bx, ptr %p
  %gy = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  store volatile i32 %gy, ptr %p
  ret void
}

; A tree over the block is straight-line code: the barrier loop of log2(64) turns is unrolled, its conditions are known.
; LOOP-LABEL: define {{.*}}@sum(
; LOOP: icmp {{.*}}, 32
; LOOP: icmp {{.*}}, 16
; LOOP: icmp {{.*}}, 8
; LOOP: icmp {{.*}}, 4
; LOOP: icmp {{.*}}, 2
; LOOP-NOT: phi i32
; LOOP: ret void
define void @sum(ptr %p) !dbg !5 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %first = lshr i32 %n, 1
  br label %head
head:
  %s = phi i32 [ %first, %entry ], [ %next, %latch ]
  %more = icmp ugt i32 %s, 0
  br i1 %more, label %body, label %end
body:
  %low = icmp ult i32 %t, %s
  br i1 %low, label %add, label %latch
add:
  %j = add i32 %t, %s
  %q = getelementptr float, ptr %p, i32 %j
  %r = getelementptr float, ptr %p, i32 %t
  %x = load float, ptr %q
  %y = load float, ptr %r
  %z = fadd float %x, %y
  store float %z, ptr %r
  br label %latch
latch:
  call void @llvm.nvvm.barrier0()
  %next = lshr i32 %s, 1
  br label %head
end:
  ret void
}
declare void @llvm.nvvm.barrier0()

!nvvm.annotations = !{!0}
!llvm.module.flags = !{!1}
!llvm.dbg.cu = !{!2}
!0 = !{ptr @sum, !"kernel", i32 1}
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !3, emissionKind: LineTablesOnly)
!3 = !DIFile(filename: "k.cu", directory: "")
!4 = !DISubroutineType(types: !{})
!5 = distinct !DISubprogram(name: "sum", unit: !2, file: !3, line: 1, type: !4, spFlags: DISPFlagDefinition)
