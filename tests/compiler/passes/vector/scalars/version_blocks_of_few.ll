; What a few threads ask, or all alike, is asked for the block only where that is wanted.
; RUN: %opt -kernel=rows -block=16,2 -passes=version-blocks %s | %check %s --check-prefix=ROWS
; RUN: %opt -kernel=rows -block=16,2 -passes=version-blocks-of-few %s | %check %s --check-prefix=ROWS-FEW
; RUN: %opt -kernel=mode -block=16,2 -passes=version-blocks-of-few %s | %check %s --check-prefix=MODE
; RUN: %opt -kernel=ends -block=16,2 -passes=version-blocks %s | %check %s --check-prefix=ENDS
; RUN: %opt -kernel=ends -block=16,2 -passes=version-blocks-of-few %s | %check %s --check-prefix=ENDS-FEW
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare range(i32 0, 1000000) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare ptr @__lanza_shared() memory(none) willreturn nounwind
declare i64 @__lanza_sync(i32, i32, i32, i64, i32) convergent

; Whether the block has a row above it.
; ROWS-LABEL: define void @rows(
; ROWS-NOT: lanza.seldom
; ROWS-FEW-LABEL: define void @rows(
; ROWS-FEW: [[HAS:%.*]] = icmp slt i64 0,
; ROWS-FEW: br i1 [[HAS]]
; ROWS-FEW: lanza.seldom
define void @rows(ptr %in, ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %t.wide = zext nneg i32 %t to i64
  %s = call ptr @__lanza_shared()
  %to = getelementptr float, ptr %s, i64 %t.wide
  %first = icmp eq i32 %y, 0
  br i1 %first, label %copied, label %copy
copy:
  %from = getelementptr float, ptr %in, i64 %t.wide
  %v = load float, ptr %from
  br label %copied
copied:
  %w = phi float [ 0.0, %entry ], [ %v, %copy ]
  store float %w, ptr %to
  %n = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %r = load float, ptr %s
  %o = getelementptr float, ptr %out, i64 %t.wide
  store float %r, ptr %o
  ret void
}

; That is no place in the grid, and nothing says which way launches go.
; MODE-LABEL: define void @mode(
; MODE-NOT: lanza.seldom
define void @mode(ptr %in, ptr %out, i32 %mode) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t.wide = zext nneg i32 %t to i64
  %s = call ptr @__lanza_shared()
  %to = getelementptr float, ptr %s, i64 %t.wide
  %is = icmp eq i32 %mode, 2
  br i1 %is, label %copy, label %copied
copy:
  %from = getelementptr float, ptr %in, i64 %t.wide
  %v = load float, ptr %from
  br label %copied
copied:
  %w = phi float [ 0.0, %entry ], [ %v, %copy ]
  store float %w, ptr %to
  %n = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %r = load float, ptr %s
  %o = getelementptr float, ptr %out, i64 %t.wide
  store float %r, ptr %o
  ret void
}

; The thread at the row's end, whether there is more to its right.
; ENDS-LABEL: define void @ends(
; ENDS-NOT: lanza.seldom
; ENDS-FEW-LABEL: define void @ends(
; ENDS-FEW: lanza.seldom
define void @ends(ptr %in, ptr %out, i32 %width) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = shl nuw nsw i32 %b, 4
  %x = add nuw nsw i32 %first, %t
  %x.wide = zext nneg i32 %x to i64
  %t.wide = zext nneg i32 %t to i64
  %s = call ptr @__lanza_shared()
  %to = getelementptr float, ptr %s, i64 %t.wide
  %from = getelementptr float, ptr %in, i64 %x.wide
  %own = load float, ptr %from
  store float %own, ptr %to
  %last = icmp eq i32 %t, 15
  br i1 %last, label %end, label %copied
end:
  %next = add nuw nsw i32 %x, 1
  %more = icmp slt i32 %next, %width
  br i1 %more, label %copy, label %copied
copy:
  %beside = getelementptr i8, ptr %from, i64 4
  %v = load float, ptr %beside
  %to.beside = getelementptr i8, ptr %to, i64 4
  store float %v, ptr %to.beside
  br label %copied
copied:
  %n = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %r = load float, ptr %to
  %o = getelementptr float, ptr %out, i64 %x.wide
  store float %r, ptr %o
  ret void
}
