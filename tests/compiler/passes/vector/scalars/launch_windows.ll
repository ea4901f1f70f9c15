; Windows whose size the launch decides, as bound-indices marks them, and what it asks of the launch.
; RUN: %opt -kernel=both -block=64 -passes=bound-indices %s | %check %s --check-prefix=BOTH
; RUN: %opt -kernel=above -block=64 -passes=bound-indices %s | %check %s --check-prefix=ABOVE
; RUN: %opt -kernel=of_memory -block=64 -passes=bound-indices %s | %check %s --check-prefix=NONE
; RUN: %opt -kernel=other_ends -block=64 -passes=bound-indices %s | %check %s --check-prefix=NONE
; RUN: %opt -kernel=of_all -block=64 -passes=bound-indices %s | %check %s --check-prefix=NONE
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)

; for (j = max(x - r, 0); j <= min(x + r, last); ++j): 2 r + 1 turns, less than 64 or twice what lies between the edges.
; BOTH-LABEL: define void @both(
; BOTH: br i1 %ends, label %exit, label %body, !lanza.window
; BOTH-LABEL: define i32 @lanza.fits(
; BOTH-DAG: [[TWICE:%.*]] = fmul double %{{.*}}, 2.000000e+00
; BOTH-DAG: [[IS_MORE:%.*]] = fcmp ogt double {{.*}}[[TWICE]]
; BOTH-DAG: fcmp oge double [[TURNS:%.*]], 0xC130000000000000
; BOTH-DAG: fcmp olt double {{%.*}}, 0x4130000000000000
; NONE-NOT: !lanza.window
define void @both(ptr %out, i32 %last, i32 %r) {
entry:
  %x = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = sub nsw i32 %x, %r
  %start = call i32 @llvm.smax.i32(i32 %first, i32 0)
  %reach = add nsw i32 %x, %r
  %end = call i32 @llvm.smin.i32(i32 %reach, i32 %last)
  br label %head
head:
  %j = phi i32 [ %start, %entry ], [ %following, %body ]
  %ends = icmp sgt i32 %j, %end
  br i1 %ends, label %exit, label %body
body:
  store i32 %j, ptr %out
  %following = add nsw i32 %j, 1
  br label %head
exit:
  ret void
}

; for (j = x; j < min(x + r, n); ++j): one edge, so less than 64.
; ABOVE-LABEL: define void @above(
; ABOVE: br i1 %goes, label %body, label %exit, !lanza.window
; ABOVE-LABEL: define i32 @lanza.fits(
; ABOVE: fcmp olt double {{%.*}}, 6.500000e+01
define void @above(ptr %out, i32 %n, i32 %r) {
entry:
  %x = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %reach = add nsw i32 %x, %r
  %end = call i32 @llvm.smin.i32(i32 %reach, i32 %n)
  br label %head
head:
  %j = phi i32 [ %x, %entry ], [ %following, %body ]
  %goes = icmp slt i32 %j, %end
  br i1 %goes, label %body, label %exit
body:
  store i32 %j, ptr %out
  %following = add nsw i32 %j, 1
  br label %head
exit:
  ret void
}

; Nobody knows that size before the kernel runs.
define void @of_memory(ptr %out, ptr %radius, i32 %n) {
entry:
  %x = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %r = load i32, ptr %radius
  %reach = add nsw i32 %x, %r
  %end = call i32 @llvm.smin.i32(i32 %reach, i32 %n)
  br label %head
head:
  %j = phi i32 [ %x, %entry ], [ %following, %body ]
  %goes = icmp slt i32 %j, %end
  br i1 %goes, label %body, label %exit
body:
  store i32 %j, ptr %out
  %following = add nsw i32 %j, 1
  br label %head
exit:
  ret void
}

; Threads have more of it than others, or less.
define void @other_ends(ptr %out, i32 %n, i32 %r) {
entry:
  %x = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %twice = mul nsw i32 %x, 2
  %reach = add nsw i32 %twice, %r
  %end = call i32 @llvm.smin.i32(i32 %reach, i32 %n)
  br label %head
head:
  %j = phi i32 [ %x, %entry ], [ %following, %body ]
  %goes = icmp slt i32 %j, %end
  br i1 %goes, label %body, label %exit
body:
  store i32 %j, ptr %out
  %following = add nsw i32 %j, 1
  br label %head
exit:
  ret void
}

; Neighbours go over the same.
define void @of_all(ptr %out, i32 %n, i32 %r) {
entry:
  %y = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %reach = add nsw i32 %y, %r
  %end = call i32 @llvm.smin.i32(i32 %reach, i32 %n)
  br label %head
head:
  %j = phi i32 [ %y, %entry ], [ %following, %body ]
  %goes = icmp slt i32 %j, %end
  br i1 %goes, label %body, label %exit
body:
  store i32 %j, ptr %out
  %following = add nsw i32 %j, 1
  br label %head
exit:
  ret void
}
