; RUN: %opt -kernel=first -block=64 -passes=settle-waits %s | %check %s --check-prefix=FIRST
; RUN: %opt -kernel=lock -block=64 -passes=settle-waits %s | %check %s --check-prefix=LOCK
; RUN: %opt -kernel=all -block=64 -passes=settle-waits %s | %check %s --check-prefix=ALL
; RUN: %opt -kernel=other -block=64 -passes=settle-waits %s | %check %s --check-prefix=OTHER
; RUN: %opt -kernel=chain -block=64 -passes=settle-waits %s | %check %s --check-prefix=CHAIN
; RUN: %opt -kernel=within -block=64 -passes=settle-waits %s | %check %s --check-prefix=WITHIN
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare ptr @__lanza_shared() memory(none) nounwind willreturn
declare i64 @__lanza_sync(i32, i32, i32, i64, i32) convergent

; What all threads have written is behind them before one of them waits.
; FIRST: ; first: proved
; FIRST-LABEL: define void @first(
; FIRST: store i32 1, ptr %mine
; FIRST: call i64 @__lanza_sync(i32 1,
; FIRST: br i1 %is, label %{{.*}}, label %out
; FIRST: load volatile i32, ptr %flag
; FIRST-NOT: @__lanza_sync(i32 9,
; FIRST: call void @__lanza_wait()
define void @first(ptr %data, ptr %flag) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %mine = getelementptr i32, ptr %data, i32 %t
  store i32 1, ptr %mine
  %is = icmp eq i32 %t, 0
  br i1 %is, label %look, label %out
look:
  %seen = load volatile i32, ptr %flag
  %none = icmp eq i32 %seen, 0
  br i1 %none, label %again, label %found
again:
  call i64 @__lanza_sync(i32 9, i32 0, i32 0, i64 0, i32 0)
  br label %look
found:
  store i32 2, ptr %flag
  br label %out
out:
  ret void
}

; Nothing is written but shared memory: no barrier is needed. What the lock is for is done behind one.
; LOCK: ; lock: proved
; LOCK-LABEL: define void @lock(
; LOCK-NOT: @__lanza_sync(
; LOCK: cmpxchg
; LOCK: call void @__lanza_wait()
; LOCK: call i64 @__lanza_sync(i32 1,
; LOCK-NOT: @__lanza_sync(
; LOCK: ret void
define void @lock(ptr %data, ptr %lock) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %shared = call ptr @__lanza_shared()
  %place = getelementptr i32, ptr %shared, i32 %t
  store i32 %t, ptr %place
  %is = icmp eq i32 %t, 0
  br i1 %is, label %try, label %in
try:
  %pair = cmpxchg ptr %lock, i32 0, i32 1 monotonic monotonic
  %got = extractvalue { i32, i1 } %pair, 1
  br i1 %got, label %in, label %again
again:
  call i64 @__lanza_sync(i32 9, i32 0, i32 0, i64 0, i32 0)
  br label %try
in:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %mine = getelementptr i32, ptr %data, i32 %t
  store i32 1, ptr %mine
  ret void
}

; ALL: ; all: proved
; ALL: call void @__lanza_wait()
define void @all(ptr %data, ptr %flags) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %flag = getelementptr i32, ptr %flags, i32 %t
  br label %look
look:
  %seen = load volatile i32, ptr %flag
  %none = icmp eq i32 %seen, 0
  br i1 %none, label %again, label %found
again:
  call i64 @__lanza_sync(i32 9, i32 0, i32 0, i64 0, i32 0)
  br label %look
found:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %mine = getelementptr i32, ptr %data, i32 %t
  store i32 1, ptr %mine
  ret void
}

; The others of the block may write what it waits for.
; OTHER: ; other: a loop waits for other threads, and others of the block write meanwhile
; OTHER: @__lanza_sync(i32 9,
define void @other(ptr %flag) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %is = icmp eq i32 %t, 0
  br i1 %is, label %look, label %others
look:
  %seen = load volatile i32, ptr %flag
  %none = icmp eq i32 %seen, 0
  br i1 %none, label %again, label %out
again:
  call i64 @__lanza_sync(i32 9, i32 0, i32 0, i64 0, i32 0)
  br label %look
others:
  store i32 1, ptr %flag
  br label %out
out:
  ret void
}

; CHAIN: ; chain: several threads of the block may be in a loop that waits for others, and write
; CHAIN: @__lanza_sync(i32 9,
define void @chain(ptr %flags) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %flag = getelementptr i32, ptr %flags, i32 %t
  br label %look
look:
  %seen = load volatile i32, ptr %flag
  %none = icmp eq i32 %seen, 0
  br i1 %none, label %again, label %found
again:
  call i64 @__lanza_sync(i32 9, i32 0, i32 0, i64 0, i32 0)
  br label %look
found:
  %next = getelementptr i32, ptr %flag, i32 1
  store volatile i32 1, ptr %next
  ret void
}

; Shared memory counts where a loop waits for it.
; WITHIN: ; within: a loop waits for other threads, and others of the block write meanwhile
define void @within() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %word = call ptr @__lanza_shared()
  %is = icmp eq i32 %t, 0
  br i1 %is, label %look, label %others
look:
  %seen = load volatile i32, ptr %word
  %none = icmp eq i32 %seen, 0
  br i1 %none, label %again, label %out
again:
  call i64 @__lanza_sync(i32 9, i32 0, i32 0, i64 0, i32 0)
  br label %look
others:
  store volatile i32 1, ptr %word
  br label %out
out:
  ret void
}
