; RUN: %opt -kernel=sum -block=256 -lanes=32 -passes=split-strided-loops %s | %check %s --check-prefix=SUM
; RUN: %opt -kernel=sum -block=256 -lanes=32 -passes=split-strided-loops,prepare-control,linearise,widen %s | %check %s --check-prefix=WIDE
; RUN: %opt -kernel=uniform -block=256 -lanes=32 -passes=split-strided-loops %s | %check %s --check-prefix=UNIFORM
; RUN: %opt -kernel=waits -block=256 -lanes=32 -passes=split-strided-loops %s | %check %s --check-prefix=WAITS
; RUN: %opt -kernel=triangle -block=256 -lanes=32 -passes=split-strided-loops %s | %check %s --check-prefix=TRIANGLE
; RUN: %opt -kernel=factor -block=256 -lanes=32 -passes=split-strided-loops %s | %check %s --check-prefix=FACTOR
; RUN: %opt -kernel=scales -block=256 -lanes=32 -passes=split-strided-loops %s | %check %s --check-prefix=SCALES
; RUN: %opt -kernel=masked -block=256 -lanes=32 -passes=split-strided-loops %s | %check %s --check-prefix=MASKED
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32) convergent

; The copy runs while all lanes have work; then each lane goes on where it is, or takes out what it has.
; SUM-LABEL: @sum(
; SUM: [[SCALED:%.*]] = mul i32 %n, 3
; SUM: [[ENTER:%.*]] = call i1 @lanza.all(i1 noundef %in)
; SUM: br i1 [[ENTER]], label %body.full, label %rest
; SUM: rest:
; SUM: %more = phi i1 [ %in, %entry ], [ %again.full, %body.full ]
; SUM: [[I:%.*]] = phi i32 [ %t, %entry ], [ %next.full, %body.full ]
; SUM: [[S:%.*]] = phi float [ 0.000000e+00, %entry ], [ %s1.full, %body.full ]
; SUM: [[OUT:%.*]] = phi float [ 0.000000e+00, %entry ], [ %s1.full, %body.full ]
; SUM: br i1 %more, label %before, label %end
; SUM: body:
; SUM: phi i32 [ [[I]], %before ]
; SUM: phi float [ [[S]], %before ]
; SUM: end:
; SUM: phi float [ [[OUT]], %rest ], [ %last, %done ]
; SUM: body.full:
; SUM: phi i32 [ %t, %entry ], [ %next.full, %body.full ]
; SUM: [[MORE:%.*]] = call i1 @lanza.all(i1 noundef %again.full)
; SUM: br i1 [[MORE]], label %body.full, label %rest
;
; All lanes branch on the copy's counter: it wraps in none. What is left may have lanes without work.
; WIDE-LABEL: @sum(
; WIDE: %i.full = phi i32
; WIDE: add nsw i32 %i.full, 32
; WIDE: %i = phi i32
; WIDE: add i32 %i, 32
define void @sum(i32 %n, ptr %x, ptr %y) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %t, %n
  br i1 %in, label %before, label %end
before:
  %scaled = mul i32 %n, 3
  br label %body
body:
  %i = phi i32 [ %t, %before ], [ %next, %body ]
  %s = phi float [ 0.0, %before ], [ %s1, %body ]
  %wide = sext i32 %i to i64
  %from = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %from
  %s1 = fadd float %s, %v
  %next = add nsw i32 %i, 32
  %again = icmp slt i32 %next, %n
  br i1 %again, label %body, label %done
done:
  %last = phi float [ %s1, %body ]
  br label %end
end:
  %r = phi float [ 0.0, %entry ], [ %last, %done ]
  %at = zext nneg i32 %t to i64
  %to = getelementptr float, ptr %y, i64 %at
  store float %r, ptr %to
  ret void
}

; All lanes repeat it equally often.
; UNIFORM-LABEL: @uniform(
; UNIFORM-NOT: lanza.all
; UNIFORM: ret void
define void @uniform(i32 %n, ptr %y) {
entry:
  %in = icmp slt i32 0, %n
  br i1 %in, label %before, label %end
before:
  br label %body
body:
  %i = phi i32 [ 0, %before ], [ %next, %body ]
  store volatile i32 %i, ptr %y
  %next = add nsw i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %body, label %done
done:
  br label %end
end:
  ret void
}

; Neither where lanes wait for each other, nor where only some came to.
; WAITS-LABEL: @waits(
; WAITS-NOT: lanza.all
; WAITS: ret void
define void @waits(i32 %n, ptr %y) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %t, %n
  br i1 %in, label %before, label %end
before:
  br label %body
body:
  %i = phi i32 [ %t, %before ], [ %next, %body ]
  call i64 @__lanza_sync(i32 3, i32 0, i32 0, i64 0, i32 0)
  %next = add nsw i32 %i, 32
  %again = icmp slt i32 %next, %n
  br i1 %again, label %body, label %done
done:
  br label %end
end:
  ret void
}

; MASKED-LABEL: @masked(
; MASKED-NOT: lanza.all
; MASKED: ret void
define void @masked(i32 %n, i32 %m, ptr %x) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %few = icmp slt i32 %t, %m
  br i1 %few, label %guard, label %end
guard:
  %in = icmp slt i32 %t, %n
  br i1 %in, label %before, label %end
before:
  br label %body
body:
  %i = phi i32 [ %t, %before ], [ %next, %body ]
  %wide = sext i32 %i to i64
  %to = getelementptr i32, ptr %x, i64 %wide
  store i32 %i, ptr %to
  %next = add nsw i32 %i, 32
  %again = icmp slt i32 %next, %n
  br i1 %again, label %body, label %done
done:
  br label %end
end:
  ret void
}

; Each thread has a turn at least, and nobody asks: all begin with the copy. Its result, which no phi stands for, is
; taken out of it.
; TRIANGLE-LABEL: @triangle(
; TRIANGLE: entry:
; TRIANGLE: br label %body.full
; TRIANGLE: rest:
; TRIANGLE: [[MORE:%.*]] = phi i1 [ %again.full, %body.full ]
; TRIANGLE: [[TOTAL:%.*]] = phi float [ %s1.full, %body.full ]
; TRIANGLE: [[OUT:%.*]] = phi float [ %s1.full, %body.full ]
; TRIANGLE: br i1 [[MORE]], label %before, label %after
; TRIANGLE: body:
; TRIANGLE: phi float [ [[TOTAL]], %before ]
; TRIANGLE: end:
; TRIANGLE: [[LAST:%.*]] = phi float [ %s1, %body ]
; TRIANGLE: after:
; TRIANGLE: [[RESULT:%.*]] = phi float [ [[LAST]], %end ], [ [[OUT]], %rest ]
; TRIANGLE: store float [[RESULT]]
; TRIANGLE: body.full:
; TRIANGLE: [[ALL:%.*]] = call i1 @lanza.all(i1 noundef %again.full)
; TRIANGLE: br i1 [[ALL]], label %body.full, label %rest
define void @triangle(ptr %x, ptr %y) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %body
body:
  %j = phi i32 [ 0, %entry ], [ %next, %body ]
  %s = phi float [ 0.0, %entry ], [ %s1, %body ]
  %from = getelementptr float, ptr %x, i32 %j
  %v = load float, ptr %from
  %s1 = fadd float %s, %v
  %next = add nuw nsw i32 %j, 1
  %again = icmp ule i32 %next, %t
  br i1 %again, label %body, label %end
end:
  %to = getelementptr float, ptr %y, i32 %t
  store float %s1, ptr %to
  ret void
}

; What is read before the loop is read before the copy, once all go on, and before the rest.
; FACTOR-LABEL: @factor(
; FACTOR: br i1 {{.*}}, label %before.full, label %rest
; FACTOR: before:
; FACTOR-NEXT: %factor = load float
; FACTOR: body.full:
; FACTOR-NEXT: phi i32 [ %t, %before.full ], [ %next.full, %body.full ]
; FACTOR: fmul float %v.full, %factor.full
; FACTOR: br i1 {{.*}}, label %body.full, label %rest
; FACTOR: before.full:
; FACTOR-NEXT: %factor.full = load float
; FACTOR-NEXT: br label %body.full
define void @factor(i32 %n, ptr %x, ptr %y) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %t, %n
  br i1 %in, label %before, label %end
before:
  %factor = load float, ptr %y
  br label %body
body:
  %i = phi i32 [ %t, %before ], [ %next, %body ]
  %s = phi float [ 0.0, %before ], [ %s1, %body ]
  %wide = sext i32 %i to i64
  %from = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %from
  %scaled = fmul float %v, %factor
  %s1 = fadd float %s, %scaled
  %next = add nsw i32 %i, 32
  %again = icmp slt i32 %next, %n
  br i1 %again, label %body, label %done
done:
  %last = phi float [ %s1, %body ]
  br label %end
end:
  %sum = phi float [ 0.0, %entry ], [ %last, %done ]
  %to = getelementptr float, ptr %y, i32 %t
  store float %sum, ptr %to
  ret void
}

; The copy might write what is read.
; SCALES-LABEL: @scales(
; SCALES-NOT: body.full
define void @scales(i32 %n, ptr %x, ptr %y) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %t, %n
  br i1 %in, label %before, label %end
before:
  %factor = load float, ptr %y
  br label %body
body:
  %i = phi i32 [ %t, %before ], [ %next, %body ]
  %s = phi float [ 0.0, %before ], [ %s1, %body ]
  %wide = sext i32 %i to i64
  %from = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %from
  %scaled = fmul float %v, %factor
  store float %scaled, ptr %from
  %s1 = fadd float %s, %scaled
  %next = add nsw i32 %i, 32
  %again = icmp slt i32 %next, %n
  br i1 %again, label %body, label %done
done:
  %last = phi float [ %s1, %body ]
  br label %end
end:
  %sum = phi float [ 0.0, %entry ], [ %last, %done ]
  %to = getelementptr float, ptr %y, i32 %t
  store float %sum, ptr %to
  ret void
}
