; RUN: %opt -kernel=turns -passes=picked-lanes %s | %check %s --check-prefix=TURNS
; RUN: %opt -kernel=asked -passes=picked-lanes %s | %check %s --check-prefix=ASKED
; RUN: %opt -kernel=pointers -passes=picked-lanes %s | %check %s --check-prefix=POINTERS
; RUN: %opt -kernel=others -passes=picked-lanes %s | %check %s --check-prefix=OTHERS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i16 @llvm.cttz.i16(i16, i1)
declare void @use(i32, float)

; Both vectors are stored in front of the loop over lanes; %v of the loop around it not in front of that.
; TURNS-LABEL: define void @turns(
; TURNS: [[MEMORY:%.*]] = alloca <16 x i32>
; TURNS: outer:
; TURNS: %v = add <16 x i32>
; TURNS-NEXT: [[LOW:%.*]] = shufflevector <16 x i32> %v, <16 x i32> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
; TURNS-NEXT: [[AT:%.*]] = getelementptr inbounds i32, ptr [[MEMORY]], i64 0
; TURNS-NEXT: store volatile <8 x i32> [[LOW]], ptr [[AT]], align 64
; TURNS-NEXT: [[HIGH:%.*]] = shufflevector <16 x i32> %v, <16 x i32> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
; TURNS-NEXT: [[ABOVE:%.*]] = getelementptr inbounds i32, ptr [[MEMORY]], i64 8
; TURNS-NEXT: store volatile <8 x i32> [[HIGH]], ptr [[ABOVE]], align 32
; TURNS-NEXT: br label %each
; TURNS: each:
; TURNS: %lane = call i16 @llvm.cttz.i16(i16 %bits, i1 true)
; TURNS-NEXT: [[INDEX:%.*]] = zext i16 %lane to i64
; TURNS-NEXT: [[WITHIN:%.*]] = and i64 [[INDEX]], 15
; TURNS-NEXT: [[PLACE:%.*]] = getelementptr inbounds i32, ptr [[MEMORY]], i64 [[WITHIN]]
; TURNS-NEXT: [[X:%.*]] = load i32, ptr [[PLACE]], align 4
; TURNS: [[Y:%.*]] = load float, ptr
; TURNS-NEXT: call void @use(i32 [[X]], float [[Y]])
define void @turns(ptr %p, ptr %q, i16 %mask) {
entry:
  %w = load <16 x float>, ptr %q
  br label %outer
outer:
  %k = phi i32 [ 0, %entry ], [ %next, %latch ]
  %a = load <16 x i32>, ptr %p
  %v = add <16 x i32> %a, %a
  br label %each
each:
  %bits = phi i16 [ %mask, %outer ], [ %rest, %each ]
  %lane = call i16 @llvm.cttz.i16(i16 %bits, i1 true)
  %x = extractelement <16 x i32> %v, i16 %lane
  %y = extractelement <16 x float> %w, i16 %lane
  call void @use(i32 %x, float %y)
  %less = sub i16 %bits, 1
  %rest = and i16 %bits, %less
  %over = icmp eq i16 %rest, 0
  br i1 %over, label %latch, label %each
latch:
  %next = add i32 %k, 1
  %end = icmp eq i32 %next, 100
  br i1 %end, label %exit, label %outer
exit:
  ret void
}

; A loop that a question leads to gets a block in front of it.
; ASKED-LABEL: define void @asked(
; ASKED: each.preheader:
; ASKED: store volatile <8 x i32>
; ASKED: store volatile <8 x i32>
; ASKED: each:
; ASKED-NOT: extractelement
; ASKED: call void @use
define void @asked(ptr %p, i16 %mask) {
entry:
  %v = load <16 x i32>, ptr %p
  %any = icmp ne i16 %mask, 0
  br i1 %any, label %each, label %exit
each:
  %bits = phi i16 [ %mask, %entry ], [ %rest, %each ]
  %lane = call i16 @llvm.cttz.i16(i16 %bits, i1 true)
  %x = extractelement <16 x i32> %v, i16 %lane
  call void @use(i32 %x, float 0.0)
  %less = sub i16 %bits, 1
  %rest = and i16 %bits, %less
  %over = icmp eq i16 %rest, 0
  br i1 %over, label %exit, label %each
exit:
  ret void
}

; Addresses, too.
; POINTERS-LABEL: define void @pointers(
; POINTERS-COUNT-4: store volatile <4 x ptr>
; POINTERS: load ptr, ptr
define void @pointers(<16 x ptr> %v, i16 %mask) {
entry:
  %all = freeze <16 x ptr> %v
  br label %each
each:
  %bits = phi i16 [ %mask, %entry ], [ %rest, %each ]
  %lane = call i16 @llvm.cttz.i16(i16 %bits, i1 true)
  %x = extractelement <16 x ptr> %all, i16 %lane
  store i32 0, ptr %x
  %less = sub i16 %bits, 1
  %rest = and i16 %bits, %less
  %over = icmp eq i16 %rest, 0
  br i1 %over, label %exit, label %each
exit:
  ret void
}

; What changes in the loop, masks, lanes that are known, and what no loop takes.
; OTHERS-LABEL: define void @others(
; OTHERS-NOT: alloca
define void @others(<16 x i32> %start, <16 x i1> %mask, i32 %n, ptr %p) {
entry:
  %once = load <16 x i32>, ptr %p
  %all = freeze <16 x i1> %mask
  %x = extractelement <16 x i32> %once, i32 %n
  store i32 %x, ptr %p
  br label %loop
loop:
  %v = phi <16 x i32> [ %start, %entry ], [ %twice, %loop ]
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %twice = add <16 x i32> %v, %v
  %y = extractelement <16 x i32> %v, i32 %k
  %bit = extractelement <16 x i1> %all, i32 %k
  %first = extractelement <16 x i32> %once, i32 0
  %one = select i1 %bit, i32 %y, i32 %first
  store i32 %one, ptr %p
  %next = add i32 %k, 1
  %end = icmp eq i32 %next, 16
  br i1 %end, label %exit, label %loop
exit:
  ret void
}
