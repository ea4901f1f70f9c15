; RUN: %opt -kernel=sum -lanes=16 -block=100 -passes=leave-beyond-block %s | %check %s
; RUN: %opt -kernel=sum -lanes=16 -block=100 -passes=leave-beyond-block,version-guards,prepare-control,linearise,widen %s | %check %s --check-prefix=WIDE
; RUN: %opt -kernel=sum -lanes=16 -block=64 -passes=leave-beyond-block %s | %check %s --check-prefix=FITS
; RUN: %opt -kernel=sum -lanes=16 -block=4,9 -passes=leave-beyond-block %s | %check %s --check-prefix=ROWS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; Threads beyond the block leave first of all.
; CHECK-LABEL: define void @sum(
; CHECK: [[IN:%.*]] = icmp ult i32 {{%.*}}, 100
; CHECK: br i1 [[IN]], label %body, label %beyond
; CHECK: beyond:
; CHECK-NEXT: ret void

; Of the groups, those within the block need no masks.
; WIDE-LABEL: define void @sum(
; WIDE: masked.load
; WIDE: masked.store
; WIDE: load <16 x float>
; WIDE: store <16 x float>

; FITS-LABEL: define void @sum(
; FITS-NOT: icmp ult

; ROWS-LABEL: define void @sum(
; ROWS: tid.y()
; ROWS: icmp ult i32 {{%.*}}, 9
define void @sum(ptr %x, ptr %y, float %a) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr float, ptr %x, i64 %i
  %q = getelementptr float, ptr %y, i64 %i
  %v = load float, ptr %p
  %w = load float, ptr %q
  %m = fmul float %a, %v
  %s = fadd float %m, %w
  store float %s, ptr %q
  ret void
}
