; RUN: %opt -kernel=copies -passes=part-variables %s | %check %s --check-prefix=COPIES
; RUN: %opt -kernel=joined -passes=part-variables %s | %check %s --check-prefix=JOINED
; RUN: %opt -kernel=kept -passes=part-variables %s | %check %s --check-prefix=KEPT
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)

; What one copy writes is gone when the next block begins: each has a variable of its own.
; COPIES-LABEL: define void @copies(
; COPIES: %s = alloca [64 x i8], align 64
; COPIES-NEXT: [[OWN:%.*]] = alloca [64 x i8], align 64
; COPIES-NEXT: %second = getelementptr i8, ptr %s, i64 4
; COPIES-NEXT: [[SECOND:%.*]] = getelementptr i8, ptr [[OWN]], i64 4
; COPIES: call void @llvm.lifetime.start.p0(i64 64, ptr %s)
; COPIES-NEXT: call void @llvm.lifetime.start.p0(i64 64, ptr [[OWN]])
; COPIES: inside:
; COPIES-NEXT: store i32 %n, ptr [[SECOND]]
; COPIES: edge:
; COPIES-NEXT: store i32 %n, ptr %second
; COPIES-NEXT: %at = getelementptr i32, ptr %s, i64 %i
; COPIES-NEXT: load i32, ptr %at
define void @copies(i1 %is_inside, i32 %n, i64 %i, ptr %out) {
entry:
  %s = alloca [64 x i8], align 64
  %second = getelementptr i8, ptr %s, i64 4
  br label %block
block:
  call void @llvm.lifetime.start.p0(i64 64, ptr %s)
  br i1 %is_inside, label %inside, label %edge
inside:
  store i32 %n, ptr %second
  %x = load i32, ptr %second
  store i32 %x, ptr %out
  br label %next
edge:
  store i32 %n, ptr %second
  %at = getelementptr i32, ptr %s, i64 %i
  %y = load i32, ptr %at
  store i32 %y, ptr %out
  br label %next
next:
  call void @llvm.lifetime.end.p0(i64 64, ptr %s)
  %again = load volatile i1, ptr %out
  br i1 %again, label %block, label %end
end:
  ret void
}

; Both copies go on in the same code.
; JOINED-LABEL: define void @joined(
; JOINED: alloca
; JOINED-NOT: alloca
; JOINED: ret void
define void @joined(i1 %is_inside, i32 %n, ptr %out) {
entry:
  %s = alloca [64 x i8], align 64
  br label %block
block:
  call void @llvm.lifetime.start.p0(i64 64, ptr %s)
  br i1 %is_inside, label %inside, label %edge
inside:
  store i32 %n, ptr %s
  br label %next
edge:
  store i32 7, ptr %s
  br label %next
next:
  %x = load i32, ptr %s
  store i32 %x, ptr %out
  %again = load volatile i1, ptr %out
  br i1 %again, label %block, label %end
end:
  ret void
}

; What one turn writes the next one may read.
; KEPT-LABEL: define void @kept(
; KEPT: alloca
; KEPT-NOT: alloca
; KEPT: ret void
define void @kept(i1 %is_inside, i32 %n, ptr %out) {
entry:
  %s = alloca [64 x i8], align 64
  call void @llvm.lifetime.start.p0(i64 64, ptr %s)
  br label %block
block:
  br i1 %is_inside, label %inside, label %edge
inside:
  store i32 %n, ptr %s
  br label %next
edge:
  %x = load i32, ptr %s
  store i32 %x, ptr %out
  br label %next
next:
  %again = load volatile i1, ptr %out
  br i1 %again, label %block, label %end
end:
  ret void
}
