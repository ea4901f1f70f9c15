; RUN: %opt -kernel=apart -block=256 -passes=grid-turns %s | %check %s --check-prefix=APART
; RUN: %opt -kernel=looked_at -block=256 -passes=grid-turns %s | %check %s --check-prefix=LOOKED
; RUN: %opt -kernel=in_order -block=256 -passes=grid-turns %s | %check %s --check-prefix=ORDER
; RUN: %opt -kernel=apart -block=128 -passes=grid-turns %s | %check %s --check-prefix=OTHER
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()

; Turns in any order: what is asked is the grid's other extents, and whether indices wrap.
; APART: define i32 @lanza.blocks(ptr [[GRID:%[0-9]+]], ptr [[ARGUMENTS:%[0-9]+]])
; APART: [[COUNT:%[0-9]+]] = load i32, ptr {{.*}}, align 1
; APART: [[N:%[0-9]+]] = sext i32 [[COUNT]] to i64
; APART: [[LAST:%[0-9]+]] = sub i64 [[N]], 1
; APART: icmp ult i64 [[LAST]], 536870912
; APART-NOT: load
; APART: [[UP:%[0-9]+]] = add i64 [[N]], 255
; APART: [[BLOCKS:%[0-9]+]] = udiv i64 [[UP]], 256
; APART: select i1 {{%[0-9]+}}, i64 [[BLOCKS]], i64 {{%[0-9]+}}

; The loop is for blocks of 256 threads.
; OTHER-NOT: @lanza.blocks
define void @apart(ptr noalias %out, ptr noalias %in, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = shl i32 %block, 8
  %start = add i32 %first, %tid
  %any = icmp slt i32 %start, %n
  br i1 %any, label %before, label %end
before:
  %blocks = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %all = shl i32 %blocks, 8
  br label %loop
loop:
  %i = phi i32 [ %start, %before ], [ %next, %loop ]
  %at = sext i32 %i to i64
  %from = getelementptr float, ptr %in, i64 %at
  %v = load float, ptr %from
  %to = getelementptr float, ptr %out, i64 %at
  store float %v, ptr %to
  %next = add i32 %i, %all
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %leave
leave:
  br label %end
end:
  ret void
}

; Both arrays as they lie: out[i] from 0 to 4 n, in[i + 3] from 12 on.
; LOOKED: define i32 @lanza.blocks
; LOOKED: load i64
; LOOKED: mul i64 {{.*}}, 4
; LOOKED: load i64
; LOOKED: add i64 {{.*}}, 12
define void @looked_at(ptr %out, ptr %in, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = shl i32 %block, 8
  %start = add i32 %first, %tid
  %any = icmp slt i32 %start, %n
  br i1 %any, label %before, label %end
before:
  %blocks = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %all = shl i32 %blocks, 8
  br label %loop
loop:
  %i = phi i32 [ %start, %before ], [ %next, %loop ]
  %at = sext i32 %i to i64
  %own = getelementptr float, ptr %in, i64 %at
  %from = getelementptr i8, ptr %own, i64 12
  %v = load float, ptr %from
  %to = getelementptr float, ptr %out, i64 %at
  store float %v, ptr %to
  %next = add i32 %i, %all
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %leave
leave:
  br label %end
end:
  ret void
}

; A turn reads what another one writes: only a grid with a thread for each turn may become shorter.
; ORDER: define i32 @lanza.blocks
; ORDER-NOT: load i64
; ORDER: icmp ule i64
; ORDER-NOT: or i1
; ORDER: ret i32
define void @in_order(ptr noalias %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = shl i32 %block, 8
  %start = add i32 %first, %tid
  %any = icmp slt i32 %start, %n
  br i1 %any, label %before, label %end
before:
  %blocks = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %all = shl i32 %blocks, 8
  br label %loop
loop:
  %i = phi i32 [ %start, %before ], [ %next, %loop ]
  %at = sext i32 %i to i64
  %to = getelementptr float, ptr %out, i64 %at
  %from = getelementptr i8, ptr %to, i64 4
  %v = load float, ptr %from
  store float %v, ptr %to
  %next = add i32 %i, %all
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %leave
leave:
  br label %end
end:
  ret void
}
