; RUN: %opt -kernel=begins -block=64 -lanes=16 -passes=version-choices %s | %check %s --check-prefix=BEGINS
; RUN: %opt -kernel=ends -block=64 -lanes=16 -passes=version-choices %s | %check %s --check-prefix=ENDS
; RUN: %opt -kernel=others -block=64 -lanes=16 -passes=version-choices %s | %check %s --check-prefix=OTHERS
target triple = "x86_64-unknown-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; Off the diagonal all lanes begin at 0.
; BEGINS-LABEL: define i32 @begins(
; BEGINS: br i1 %diagonal, label %[[OWN:.*]], label %[[TOGETHER:.*together]]
; BEGINS: [[OWN]]:
; BEGINS-NEXT: icmp slt i32 %next, %n
; BEGINS: phi i32 [ %next, %before ]
; BEGINS: [[TOGETHER]]:
; BEGINS-NEXT: icmp slt i32 0, %n
; BEGINS: phi i32 [ 0, %before.together ]
define i32 @begins(ptr %p, i1 %diagonal, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %next = add nsw i32 %t, 1
  %start = select i1 %diagonal, i32 %next, i32 0
  %any = icmp slt i32 %start, %n
  br i1 %any, label %before, label %after
before:
  %first = load i32, ptr %p
  br label %loop
loop:
  %i = phi i32 [ %start, %before ], [ %more, %loop ]
  %sum = phi i32 [ %first, %before ], [ %plus, %loop ]
  %w = sext i32 %i to i64
  %q = getelementptr i32, ptr %p, i64 %w
  %x = load i32, ptr %q
  %plus = add i32 %sum, %x
  %more = add nsw i32 %i, 1
  %again = icmp slt i32 %more, %n
  br i1 %again, label %loop, label %exit
exit:
  %last = phi i32 [ %plus, %loop ]
  br label %after
after:
  %r = phi i32 [ 0, %entry ], [ %last, %exit ]
  ret i32 %r
}

; On the diagonal each lane has its own end.
; ENDS-LABEL: define void @ends(
; ENDS: br i1 %full, label %[[TOGETHER:.*together]], label %[[OWN:[^ ]*]]
; ENDS: icmp slt i32 %more, %t
; ENDS: icmp slt i32 {{.*}}, 64
define void @ends(ptr %p, i1 %full) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %end = select i1 %full, i32 64, i32 %t
  %any = icmp slt i32 0, %end
  br i1 %any, label %before, label %after
before:
  br label %loop
loop:
  %i = phi i32 [ 0, %before ], [ %more, %loop ]
  %w = sext i32 %i to i64
  %q = getelementptr i32, ptr %p, i64 %w
  %x = load i32, ptr %q
  store i32 %x, ptr %p
  %more = add nsw i32 %i, 1
  %again = icmp slt i32 %more, %end
  br i1 %again, label %loop, label %exit
exit:
  br label %after
after:
  ret void
}

; A question that each lane answers for itself, and a loop with a barrier.
; OTHERS-LABEL: define void @others(
; OTHERS-NOT: together
define void @others(ptr %p, i1 %full) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = icmp eq i32 %t, 5
  %end = select i1 %own, i32 64, i32 %t
  %any = icmp slt i32 0, %end
  br i1 %any, label %before, label %after
before:
  br label %loop
loop:
  %i = phi i32 [ 0, %before ], [ %more, %loop ]
  %x = load i32, ptr %p
  %more = add nsw i32 %i, 1
  %again = icmp slt i32 %more, %end
  br i1 %again, label %loop, label %exit
exit:
  br label %after
after:
  %end2 = select i1 %full, i32 64, i32 %t
  %any2 = icmp slt i32 0, %end2
  br i1 %any2, label %before2, label %after2
before2:
  br label %loop2
loop2:
  %i2 = phi i32 [ 0, %before2 ], [ %more2, %loop2 ]
  %x2 = load i32, ptr %p
  %s = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %more2 = add nsw i32 %i2, 1
  %again2 = icmp slt i32 %more2, %end2
  br i1 %again2, label %loop2, label %exit2
exit2:
  br label %after2
after2:
  ret void
}
