; RUN: %opt -kernel=chain -lanes=8 -block=8,8 -passes=join-groups %s | %check %s --check-prefix=CHAIN
; RUN: %opt -kernel=work -lanes=8 -block=8,8 -passes=join-groups %s | %check %s --check-prefix=WORK
; RUN: %opt -kernel=columns -lanes=8 -block=64 -passes=retarget,whole-rows,prepare-control,linearise,widen,join-groups %s | %check %s --check-prefix=COLUMNS
; RUN: %opt -kernel=meets -lanes=8 -block=8,8 -passes=join-groups %s | %check %s --check-prefix=MEETS
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @lanza.group(i32) nounwind willreturn memory(none)
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

; Rows have nothing in common, but each turn's addition waits for the one before: eight half cycles, in which four rows
; have room with a load and an addition each.
; CHAIN-LABEL: define void @chain(
; CHAIN: loop:
; CHAIN-COUNT-4: phi <8 x float>
; CHAIN-NOT: phi <8 x float>
; CHAIN-COUNT-4: fadd <8 x float>
; CHAIN-NOT: fadd <8 x float>
; CHAIN: ret void
define void @chain(ptr %b, ptr %c, i32 %n) {
entry:
  %y = call i32 @lanza.group(i32 1)
  %row = mul i32 %y, %n
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <8 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %j = add nsw i32 %row, %k
  %i = sext i32 %j to i64
  %q = getelementptr float, ptr %b, i64 %i
  %v = load <8 x float>, ptr %q
  %sum.next = fadd <8 x float> %v, %sum
  %next = add nsw i32 %k, 8
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %r = getelementptr float, ptr %c, i32 %row
  store <8 x float> %sum.next, ptr %r
  ret void
}

; Here the work takes longer than the wait.
; WORK-LABEL: define void @work(
; WORK-COUNT-8: load <8 x float>
; WORK-NOT: load <8 x float>
; WORK: ret void
define void @work(ptr %b, ptr %c, i32 %n) {
entry:
  %y = call i32 @lanza.group(i32 1)
  %row = mul i32 %y, %n
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <8 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %j = add nsw i32 %row, %k
  %i = sext i32 %j to i64
  %q0 = getelementptr float, ptr %b, i64 %i
  %v0 = load <8 x float>, ptr %q0
  %q1 = getelementptr float, ptr %q0, i64 8
  %v1 = load <8 x float>, ptr %q1
  %q2 = getelementptr float, ptr %q0, i64 16
  %v2 = load <8 x float>, ptr %q2
  %q3 = getelementptr float, ptr %q0, i64 24
  %v3 = load <8 x float>, ptr %q3
  %q4 = getelementptr float, ptr %q0, i64 32
  %v4 = load <8 x float>, ptr %q4
  %q5 = getelementptr float, ptr %q0, i64 40
  %v5 = load <8 x float>, ptr %q5
  %q6 = getelementptr float, ptr %q0, i64 48
  %v6 = load <8 x float>, ptr %q6
  %q7 = getelementptr float, ptr %q0, i64 56
  %v7 = load <8 x float>, ptr %q7
  %a0 = fmul <8 x float> %v0, %v1
  %a1 = fmul <8 x float> %v2, %v3
  %a2 = fmul <8 x float> %v4, %v5
  %a3 = fmul <8 x float> %v6, %v7
  %a4 = fmul <8 x float> %a0, %a1
  %a5 = fmul <8 x float> %a2, %a3
  %a6 = fmul <8 x float> %a4, %a5
  %sum.next = fadd <8 x float> %a6, %sum
  %next = add nsw i32 %k, 64
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %r = getelementptr float, ptr %c, i32 %row
  store <8 x float> %sum.next, ptr %r
  ret void
}

; Each turn reads another row of memory. Eight groups, side by side, read a piece of it; those that lie within the row
; of blocks, which ends where it ends: the last ones may be fewer.
; COLUMNS-LABEL: define void @columns(
; COLUMNS: [[BLOCKS:%.*]] = call i32 @lanza.blocks()
; COLUMNS: icmp ule
; COLUMNS: alone:
; COLUMNS: mul nuw i32 {{.*}}, 64
; COLUMNS: [[LEFT:%.*]] = sub nuw i32
; COLUMNS: [[END:%.*]] = call i32 @llvm.umin.i32(i32 64, i32 [[LEFT]])
; COLUMNS: icmp ult i32 {{.*}}, [[END]]
; COLUMNS: loop.together:
; COLUMNS-COUNT-8: load <8 x i32>
; COLUMNS-NOT: load <8 x i32>
define void @columns(ptr %p, i64 %width, i32 %height) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %s = shl nuw nsw i32 %b, 6
  %x = add nuw nsw i32 %s, %t
  %column = zext nneg i32 %x to i64
  br label %loop
loop:
  %y = phi i32 [ 0, %entry ], [ %next, %loop ]
  %row = phi i64 [ 0, %entry ], [ %row.next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %sum.next, %loop ]
  %i = add nuw nsw i64 %row, %column
  %q = getelementptr inbounds i32, ptr %p, i64 %i
  %v = load i32, ptr %q
  %sum.next = add i32 %v, %sum
  store i32 %sum.next, ptr %q
  %row.next = add nuw nsw i64 %row, %width
  %next = add nuw nsw i32 %y, 1
  %more = icmp slt i32 %next, %height
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Between barriers all rows take their turn anyway.
; MEETS-LABEL: define void @meets(
; MEETS: loop:
; MEETS-COUNT-1: fadd <8 x float>
; MEETS-NOT: fadd <8 x float>
; MEETS: ret void
define void @meets(ptr %b, ptr %c, i32 %n) {
entry:
  %y = call i32 @lanza.group(i32 1)
  %row = mul i32 %y, %n
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <8 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %j = add nsw i32 %row, %k
  %i = sext i32 %j to i64
  %q = getelementptr float, ptr %b, i64 %i
  %v = load <8 x float>, ptr %q
  %sum.next = fadd <8 x float> %v, %sum
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %next = add nsw i32 %k, 8
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %r = getelementptr float, ptr %c, i32 %row
  store <8 x float> %sum.next, ptr %r
  ret void
}
