; RUN: %opt -kernel=pairs -block=64 -lanes=8 -passes=part-choices %s | %check %s --check-prefix=PAIRS
; RUN: %opt -kernel=apart -block=64 -lanes=8 -passes=part-choices %s | %check %s --check-prefix=SAME
; RUN: %opt -kernel=some_lanes -block=64 -lanes=8 -passes=part-choices %s | %check %s --check-prefix=SAME
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @lanza.mask(i1)

; out[t] = t % 2 ? b[t / 2] : a[t / 2]: both arrays have an element for each pair of lanes, and one of them loads it.
; PAIRS-LABEL: define float @pairs(
; PAIRS: [[A:%.*]] = load float, ptr %in.a
; PAIRS: [[B:%.*]] = load float, ptr %in.b
; PAIRS: select i1 %even, float [[A]], float [[B]]
define float @pairs(ptr %a, ptr %b) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %bit = and i32 %t, 1
  %even = icmp eq i32 %bit, 0
  %half = lshr i32 %t, 1
  %at = zext nneg i32 %half to i64
  %in.a = getelementptr float, ptr %a, i64 %at
  %in.b = getelementptr float, ptr %b, i64 %at
  %in = select i1 %even, ptr %in.a, ptr %in.b
  %v = load float, ptr %in
  ret float %v
}

; Of a only the even elements are loaded, of b the odd ones.
; SAME-LABEL: define float @
; SAME: %v = load float, ptr %in
; SAME-NEXT: ret float %v
define float @apart(ptr %a, ptr %b) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %bit = and i32 %t, 1
  %even = icmp eq i32 %bit, 0
  %at = zext nneg i32 %t to i64
  %in.a = getelementptr float, ptr %a, i64 %at
  %in.b = getelementptr float, ptr %b, i64 %at
  %in = select i1 %even, ptr %in.a, ptr %in.b
  %v = load float, ptr %in
  ret float %v
}

; The one that loads an element may be off.
define float @some_lanes(ptr %a, ptr %b, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %below = icmp slt i32 %t, %n
  call void @lanza.mask(i1 %below)
  %bit = and i32 %t, 1
  %even = icmp eq i32 %bit, 0
  %half = lshr i32 %t, 1
  %at = zext nneg i32 %half to i64
  %in.a = getelementptr float, ptr %a, i64 %at
  %in.b = getelementptr float, ptr %b, i64 %at
  %in = select i1 %even, ptr %in.a, ptr %in.b
  %v = load float, ptr %in
  ret float %v
}
