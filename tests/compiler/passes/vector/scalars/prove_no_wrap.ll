; RUN: %opt -kernel=mixed -passes=prove-no-wrap %s | %check %s --check-prefix=MIXED
; RUN: %opt -kernel=in_shared -passes=prove-no-wrap %s | %check %s --check-prefix=SHARED
; RUN: %opt -kernel=taps -passes=prove-no-wrap %s | %check %s --check-prefix=TAPS
; RUN: %opt -kernel=unknown -passes=prove-no-wrap %s | %check %s --check-prefix=UNKNOWN
; RUN: %opt -kernel=guarded -passes=prove-no-wrap %s | %check %s --check-prefix=GUARDED
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @use(i64)

; `threadIdx.x + 8 + k` for k from -8 to 8: not negative, and no signed wrap. As unsigned numbers, -8 and 8 wrap.
; TAPS-LABEL: @taps(
; TAPS: %middle = add nuw nsw i32 %t, 8
; TAPS: %at = add nsw i32 %middle, %k
; TAPS: %wide = zext nneg i32 %at to i64
; TAPS: %next = add nsw i32 %k, 1
define void @taps() {
entry:
  %t = call range(i32 0, 128) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %middle = add i32 %t, 8
  br label %loop
loop:
  %k = phi i32 [ -8, %entry ], [ %next, %loop ]
  %at = add i32 %middle, %k
  %wide = zext i32 %at to i64
  call void @use(i64 %wide)
  %next = add i32 %k, 1
  %more = icmp ne i32 %next, 9
  br i1 %more, label %loop, label %end
end:
  ret void
}

; What may wrap says nothing: a sum with an argument, and 127 * 2^25 as a signed product.
; UNKNOWN-LABEL: @unknown(
; UNKNOWN: %at = add i32 %t, %n
; UNKNOWN: %wide = zext i32 %at to i64
; UNKNOWN: %large = mul nuw i32 %t, 33554432
; UNKNOWN: %wider = zext i32 %large to i64
define void @unknown(i32 %n) {
  %t = call range(i32 0, 128) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = add i32 %t, %n
  %wide = zext i32 %at to i64
  call void @use(i64 %wide)
  %large = mul i32 %t, 33554432
  %wider = zext i32 %large to i64
  call void @use(i64 %wider)
  ret void
}

; Behind guards: `if (t >= 4) x[t - 4]`, `if (t >= d) x[t - d]`. The other way says nothing.
; GUARDED-LABEL: @guarded(
; GUARDED: [[A:%a.*]] = add nsw i32 %t, -4
; GUARDED: zext nneg i32 [[A]] to i64
; GUARDED: %b = sub nuw i32 %t, %d
; GUARDED: zext nneg i32 %b to i64
; GUARDED: %c = sub i32 %t, %d
; GUARDED: zext i32 %c to i64
define void @guarded(i32 %d) {
entry:
  %t = call range(i32 0, 128) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %few = icmp ult i32 %t, 4
  br i1 %few, label %next, label %far
far:
  %a = add i32 %t, -4
  %wide.a = zext i32 %a to i64
  call void @use(i64 %wide.a)
  br label %next
next:
  %below = icmp ugt i32 %d, %t
  br i1 %below, label %other, label %above
above:
  %b = sub i32 %t, %d
  %wide.b = zext i32 %b to i64
  call void @use(i64 %wide.b)
  br label %end
other:
  %c = sub i32 %t, %d
  %wide.c = zext i32 %c to i64
  call void @use(i64 %wide.c)
  br label %end
end:
  ret void
}

; A place in shared memory beyond 2^31 is none; one in memory of other sizes may be.
; SHARED-LABEL: define void @in_shared(
; SHARED: %in.tile = zext nneg i32 %step to i64
; SHARED: %in.memory = zext i32 %other to i64
declare ptr @__lanza_shared()
define void @in_shared(i32 %step, i32 %other, ptr %memory) {
  %in.tile = zext i32 %step to i64
  %shared = call ptr @__lanza_shared()
  %tile = getelementptr inbounds i8, ptr %shared, i64 256
  %at = getelementptr inbounds [64 x float], ptr %tile, i64 0, i64 %in.tile
  store float 1.0, ptr %at
  %in.memory = zext i32 %other to i64
  %there = getelementptr inbounds float, ptr %memory, i64 %in.memory
  store float 1.0, ptr %there
  ret void
}

; Words that are mixed and stored may wrap: nobody asks. What an index is made of is asked about, also through a phi.
; MIXED-LABEL: define void @mixed(
; MIXED: %word = add i32 %t, 7
; MIXED: %turned = call i32 @llvm.fshl.i32(i32 %word, i32 %word, i32 6)
; MIXED: %place = add nuw nsw i32 %t, 7
; MIXED: %chosen = phi i32 [ %place, %left ], [ %t, %entry ]
declare i32 @llvm.fshl.i32(i32, i32, i32)
define void @mixed(ptr %to, i1 %way) {
entry:
  %t = call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %word = add i32 %t, 7
  %turned = call i32 @llvm.fshl.i32(i32 %word, i32 %word, i32 6)
  br i1 %way, label %left, label %end
left:
  %place = add i32 %t, 7
  br label %end
end:
  %chosen = phi i32 [ %place, %left ], [ %t, %entry ]
  %wide = zext i32 %chosen to i64
  %at = getelementptr inbounds i32, ptr %to, i64 %wide
  store i32 %turned, ptr %at
  ret void
}
