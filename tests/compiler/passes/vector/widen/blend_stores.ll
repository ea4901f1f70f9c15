; RUN: %opt -kernel=sort -block=64 -lanes=8 -passes=prepare-control,linearise,blend-stores %s | %check %s --check-prefix=SORT
; RUN: %opt -kernel=same -block=64 -lanes=8 -passes=prepare-control,linearise,blend-stores %s | %check %s --check-prefix=SAME
; RUN: %opt -kernel=global -block=64 -lanes=8 -passes=prepare-control,linearise,blend-stores %s | %check %s --check-prefix=GLOBAL
; RUN: %opt -kernel=meet -block=64 -lanes=8 -passes=prepare-control,linearise,blend-stores %s | %check %s --check-prefix=MEET
; RUN: %opt -kernel=between -block=64 -lanes=8 -passes=prepare-control,linearise,blend-stores %s | %check %s --check-prefix=BETWEEN
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare ptr @__lanza_shared() memory(none)

; Neighbours 16 apart: what one lane keeps no other writes.
; SORT-LABEL: define void @sort(
; SORT: [[MORE:%.*]] = icmp ugt i32 %a, %b
; SORT-NOT: @lanza.mask
; SORT: [[LESS:%.*]] = select i1 [[MORE]], i32 %b, i32 %a
; SORT: store i32 [[LESS]], ptr %p
; SORT: [[GREATER:%.*]] = select i1 [[MORE]], i32 %a, i32 %b
; SORT: store i32 [[GREATER]], ptr %q
define void @sort() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %base = call ptr @__lanza_shared()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %base, i64 %i
  %a = load i32, ptr %p
  %q = getelementptr i32, ptr %p, i64 16
  %b = load i32, ptr %q
  %more = icmp ugt i32 %a, %b
  br i1 %more, label %swap, label %end
swap:
  store i32 %b, ptr %p
  store i32 %a, ptr %q
  br label %end
end:
  ret void
}

; All lanes have one address: the one that writes has the last word.
; SAME-LABEL: define void @same(
; SAME: call void @lanza.mask
; SAME: store i32 %t, ptr %p
define void @same() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = call ptr @__lanza_shared()
  %a = load i32, ptr %p
  %more = icmp ugt i32 %t, %a
  br i1 %more, label %write, label %end
write:
  store i32 %t, ptr %p
  br label %end
end:
  ret void
}

; Other blocks write there too.
; GLOBAL-LABEL: define void @global(
; GLOBAL: call void @lanza.mask
define void @global(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %i
  %a = load i32, ptr %p
  %more = icmp ugt i32 %t, %a
  br i1 %more, label %write, label %end
write:
  store i32 %t, ptr %p
  br label %end
end:
  ret void
}

; A lane's second element is another lane's first.
; MEET-LABEL: define void @meet(
; MEET: call void @lanza.mask
define void @meet() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %base = call ptr @__lanza_shared()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %base, i64 %i
  %a = load i32, ptr %p
  %q = getelementptr i32, ptr %p, i64 4
  %b = load i32, ptr %q
  %more = icmp ugt i32 %a, %b
  br i1 %more, label %swap, label %end
swap:
  store i32 %b, ptr %p
  store i32 %a, ptr %q
  br label %end
end:
  ret void
}

; What was loaded may not be there any more.
; BETWEEN-LABEL: define void @between(
; BETWEEN: call void @lanza.mask
define void @between(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %base = call ptr @__lanza_shared()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %base, i64 %i
  %a = load i32, ptr %p
  store i32 0, ptr %x
  %more = icmp ugt i32 %t, %a
  br i1 %more, label %write, label %end
write:
  store i32 %t, ptr %p
  br label %end
end:
  ret void
}
