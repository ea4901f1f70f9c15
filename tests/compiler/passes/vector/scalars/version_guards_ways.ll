; RUN: %opt -kernel=masked -block=256 -lanes=16 -passes=version-guards %s | %check %s --check-prefix=MASKED
; RUN: %opt -kernel=masked_inside -block=256 -lanes=16 -passes='version-guards,llvm(simplifycfg)' %s | %check %s --check-prefix=INSIDE
; RUN: %opt -kernel=alike -block=256 -lanes=16 -passes=version-guards %s | %check %s --check-prefix=ALIKE
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; `if (column > row) out = 0; else { loop }`: groups all of whose lanes go through the loop have a copy of it, the others
; ask both ways.
; MASKED-LABEL: @masked(
; MASKED: call i1 @lanza.all(
; MASKED-NEXT: br i1 {{.*}}, label %work.fast, label %some
; MASKED: some:
; MASKED-NEXT: br i1 %beyond, label %mask, label %work
; MASKED: work.fast:
; MASKED: loop.fast:
define void @masked(i32 %row, i32 %n, ptr %x, ptr %y) {
  %column = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %column to i64
  %to = getelementptr i32, ptr %y, i64 %wide
  %beyond = icmp sgt i32 %column, %row
  br i1 %beyond, label %mask, label %work
mask:
  store i32 0, ptr %to
  br label %end
work:
  br label %loop
loop:
  %d = phi i32 [ 0, %work ], [ %next, %loop ]
  %sum = phi i32 [ 0, %work ], [ %more, %loop ]
  %offset = mul i32 %d, 256
  %index = add i32 %offset, %column
  %from = getelementptr i32, ptr %x, i32 %index
  %v = load i32, ptr %from
  %more = add i32 %sum, %v
  %next = add nsw i32 %d, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  store i32 %more, ptr %to
  br label %end
end:
  ret void
}

; Behind another guard both are asked in front of the one copy, in which nothing is left to ask.
; INSIDE-LABEL: @masked_inside(
; INSIDE-COUNT-2: call i1 @lanza.all(
; INSIDE: br i1 {{.*}}, label %inside.fast, label %some
; INSIDE: some:
; INSIDE: br i1 %beyond, label %mask, label %loop
; INSIDE: inside.fast:
; INSIDE-NEXT: zext
; INSIDE-NEXT: getelementptr
; INSIDE-NEXT: icmp
; INSIDE-NEXT: br label %loop.fast
; INSIDE-LABEL: @alike(
define void @masked_inside(i32 %row, i32 %n, i32 %columns, ptr %x, ptr %y) {
  %column = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %column, %columns
  br i1 %in, label %inside, label %end
inside:
  %wide = zext nneg i32 %column to i64
  %to = getelementptr i32, ptr %y, i64 %wide
  %beyond = icmp sgt i32 %column, %row
  br i1 %beyond, label %mask, label %work
mask:
  store i32 0, ptr %to
  br label %end
work:
  br label %loop
loop:
  %d = phi i32 [ 0, %work ], [ %next, %loop ]
  %sum = phi i32 [ 0, %work ], [ %more, %loop ]
  %offset = mul i32 %d, 256
  %index = add i32 %offset, %column
  %from = getelementptr i32, ptr %x, i32 %index
  %v = load i32, ptr %from
  %more = add i32 %sum, %v
  %next = add nsw i32 %d, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  store i32 %more, ptr %to
  br label %end
end:
  ret void
}

; Where neither way has a loop, nobody knows which is worth a copy.
; ALIKE-LABEL: @alike(
; ALIKE-NOT: lanza.all
; ALIKE: ret void
define void @alike(i32 %row, ptr %x, ptr %y) {
  %column = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %column to i64
  %from = getelementptr i32, ptr %x, i64 %wide
  %to = getelementptr i32, ptr %y, i64 %wide
  %beyond = icmp sgt i32 %column, %row
  br i1 %beyond, label %mask, label %work
mask:
  store i32 0, ptr %to
  br label %end
work:
  %a = load i32, ptr %from
  %b = mul i32 %a, %a
  %c = add i32 %b, %row
  %d = xor i32 %c, %a
  %e = mul i32 %d, %c
  store i32 %e, ptr %to
  br label %end
end:
  ret void
}
