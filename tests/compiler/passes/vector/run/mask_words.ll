; Where a mask is kept behind a barrier, the word that lanes voted is made of it again.
; RUN: %opt -kernel=votes -lanes=32 -block=64 -passes=uniform-barriers,run-form,"llvm(sroa,instcombine<no-verify-fixpoint>)" %s | %check %s --check-prefix=VOTES
; RUN: %opt -kernel=word -lanes=32 -block=64 -passes=uniform-barriers,run-form,"llvm(sroa,instcombine<no-verify-fixpoint>)" %s | %check %s --check-prefix=WORD
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare i32 @lanza.group(i32) memory(none)
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)
declare void @llvm.masked.store.v32f32.p0(<32 x float>, ptr, i32, <32 x i1>)

; VOTES-LABEL: define internal i32 @run(
; VOTES: store <32 x i1>
; VOTES-NOT: store i32 {{.*}}lanza.slot
; VOTES: load <32 x i1>
; VOTES-NOT: load i32, {{.*}}lanza.slot
; VOTES: store <32 x i1> {{%.*}}, ptr %count
; VOTES: define internal void
define void @votes(ptr %x, ptr %out, ptr %counts) {
entry:
  %t = call i32 @lanza.group(i32 0)
  %l = zext i32 %t to i64
  %from = getelementptr float, ptr %x, i64 %l
  %v = load <32 x float>, ptr %from, align 4
  %mask = fcmp ogt <32 x float> %v, zeroinitializer
  %asked = icmp ne <32 x i1> %mask, zeroinitializer
  %bits = bitcast <32 x i1> %asked to i32
  %word = and i32 -1, %bits
  br label %wait
wait:
  %sync = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %after
after:
  %to = getelementptr float, ptr %out, i64 %l
  call void @llvm.masked.store.v32f32.p0(<32 x float> zeroinitializer, ptr %to, i32 4, <32 x i1> %mask)
  %count = getelementptr i32, ptr %counts, i64 %l
  store i32 %word, ptr %count
  ret void
}

; The mask is wanted nowhere else.
; WORD-LABEL: define internal i32 @run(
; WORD: load i32, {{.*}}lanza.slot
; WORD: define internal void
define void @word(ptr %x, ptr %out, ptr %counts) {
entry:
  %t = call i32 @lanza.group(i32 0)
  %l = zext i32 %t to i64
  %from = getelementptr float, ptr %x, i64 %l
  %v = load <32 x float>, ptr %from, align 4
  %mask = fcmp ogt <32 x float> %v, zeroinitializer
  %word = bitcast <32 x i1> %mask to i32
  br label %wait
wait:
  %sync = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %after
after:
  %count = getelementptr i32, ptr %counts, i64 %l
  store i32 %word, ptr %count
  ret void
}
