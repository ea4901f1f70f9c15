; RUN: %opt -kernel=scale -block=256 -lanes=16 -target=znver5 -passes=turn-grid-loops %s | %check %s --check-prefix=WIDE
; RUN: %opt -kernel=scale -block=256 -lanes=16 -passes=turn-grid-loops %s | %check %s --check-prefix=SCALE
; RUN: %opt -kernel=scale -block=64 -lanes=16 -target=znver5 -passes=turn-grid-loops %s | %check %s --check-prefix=FURTHER
; RUN: %opt -kernel=sum -block=256 -lanes=16 -passes=turn-grid-loops %s | %check %s --check-prefix=SUM
; RUN: %opt -kernel=in_rows -block=256,2 -lanes=16 -passes=turn-grid-loops %s | %check %s --check-prefix=SAME
; RUN: %opt -kernel=own_step -block=256 -lanes=16 -passes=turn-grid-loops %s | %check %s --check-prefix=SAME
; RUN: %opt -kernel=some -block=256 -lanes=16 -passes=turn-grid-loops %s | %check %s --check-prefix=SAME
; RUN: %opt -kernel=scale -block=256 -lanes=16 -passes=whole-rows,turn-grid-loops %s | %check %s --check-prefix=ROWS
; RUN: %opt -kernel=low_word -block=256 -lanes=16 -passes=turn-grid-loops %s | %check %s --check-prefix=WORD
; RUN: %opt -kernel=waits -block=256 -lanes=16 -passes=turn-grid-loops %s | %check %s --check-prefix=WAITS
; RUN: %opt -kernel=nest -block=32,16 -lanes=16 -passes=turn-grid-loops %s | %check %s --check-prefix=NEST
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32) convergent

; The block's first and last thread decide; the copy's index is the block's, with the steps, and the thread's: it does
; not wrap between the two.
; SCALE-LABEL: @scale(
; SCALE: body:
; SCALE: phi i32 [ [[REST:%.*]], %before ]
; SCALE: turn:
; SCALE: [[STEPS:%.*]] = phi i32 [ 0, %entry ], [ [[NEXT:%.*]], %body.full ]
; SCALE: [[FIRST:%.*]] = add i32 {{%.*}}, [[STEPS]]
; SCALE: [[LAST:%.*]] = add i32 {{%.*}}, [[STEPS]]
; SCALE: [[ORDER:%.*]] = icmp sle i32 [[FIRST]], [[LAST]]
; SCALE: [[IN:%.*]] = icmp slt i32 [[LAST]], %n
; SCALE: [[BOTH:%.*]] = and i1 [[ORDER]], [[IN]]
; SCALE: [[POSITIVE:%.*]] = icmp sge i32 {{%.*}}, 0
; SCALE: [[ALL:%.*]] = and i1 [[BOTH]], [[POSITIVE]]
; SCALE: call i64 @__lanza_sync(i32 1,
; SCALE: br i1 [[ALL]], label %body.full, label %ended
; Most blocks have no rest, which is a region of its own.
; SCALE: ended:
; SCALE: [[SOME:%.*]] = or i1
; SCALE: br i1 [[SOME]], label %rest, label %end
; SCALE: rest:
; SCALE: call i64 @__lanza_sync(i32 1,
; SCALE: [[REST]] = add nsw i32 %i0, [[STEPS]]
; SCALE: [[MORE:%.*]] = icmp slt i32 [[REST]], %n
; SCALE: br i1 [[MORE]], label %before, label %end
; SCALE: body.full:
; What the next turn reads is asked for, unless there is none: then what this one reads.
; SCALE: [[IS_NEXT:%.*]] = icmp slt i32 {{%.*}}, %n
; SCALE: [[AHEAD:%.*]] = select i1 [[IS_NEXT]], i32 %step, i32 0
; SCALE: [[BEGIN:%.*]] = add i32 %start, 0
; SCALE: [[BLOCK:%.*]] = add i32 [[BEGIN]], [[STEPS]]
; SCALE: [[T:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; SCALE: [[I:%.*]] = add nsw i32 [[BLOCK]], [[T]]
; SCALE: sext i32 [[I]] to i64
; SCALE: [[FAR:%.*]] = sext i32 [[AHEAD]] to i64
; SCALE: [[BYTES:%.*]] = mul i64 [[FAR]], 4
; SCALE: [[THERE:%.*]] = getelementptr i8, ptr %{{.*}}, i64 [[BYTES]]
; SCALE: call void @llvm.prefetch.p0(ptr [[THERE]], i32 0, i32 3, i32 1)
; SCALE-NEXT: load float
; SCALE-NOT: prefetch
; SCALE: [[NEXT]] = add i32 [[STEPS]], %step
; SCALE: br label %turn
; A turn over less than 1 KiB is shorter than the way from memory: as many ahead as take that.
; FURTHER-LABEL: @scale(
; FURTHER: [[AHEAD:%.*]] = select i1 {{%.*}}, i32 %step, i32 0
; FURTHER: [[FAR:%.*]] = sext i32 [[AHEAD]] to i64
; FURTHER: [[BYTES:%.*]] = mul i64 [[FAR]], 16
; FURTHER: [[THERE:%.*]] = getelementptr i8, ptr %{{.*}}, i64 [[BYTES]]
; FURTHER: call void @llvm.prefetch.p0(ptr [[THERE]]
; Zen 5's own prefetcher follows.
; WIDE-LABEL: @scale(
; WIDE-NOT: prefetch
; WIDE: ret void
; A row of blocks keeps the thread's own start, and asks ahead only where it is short.
; ROWS-LABEL: @scale(
; ROWS: [[STEPS:%.*]] = phi i32 [ 0,
; ROWS: body.full:
; ROWS: [[SHORT:%.*]] = icmp ule i32 {{%.*}}, 4
; ROWS: [[HELPS:%.*]] = and i1 {{%.*}}, [[SHORT]]
; ROWS: select i1 [[HELPS]], i32 %step, i32 0
; ROWS: add nsw i32 {{%.*}}, [[STEPS]]
define void @scale(i32 %n, ptr %x) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %start = mul i32 %c, 256
  %step = mul i32 %g, 256
  %i0 = add i32 %start, %t
  %in = icmp slt i32 %i0, %n
  br i1 %in, label %before, label %end
before:
  br label %body
body:
  %i = phi i32 [ %i0, %before ], [ %next, %body ]
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  %w = fmul float %v, 2.0
  store float %w, ptr %p
  %next = add nsw i32 %i, %step
  %again = icmp slt i32 %next, %n
  br i1 %again, label %body, label %done
done:
  br label %end
end:
  ret void
}

; What goes around the loop goes around the copy, once where it also leaves it. An unsigned index that does not wrap.
; As it lies in memory from barrier to barrier there are four turns between two of them, of steps that do not wrap, or
; one where fewer are left, and none asks for the next one's. What comes behind is a region of its own.
; SUM-LABEL: @sum(
; SUM: body:
; SUM: phi float [ [[S:%.*]], %before ]
; SUM: load float, ptr %p, align 4, !lanza.cost
; SUM: phi float [ [[S]], %ended ], [ %last, %done ], [ [[S]], %rest ]
; SUM-NEXT: call i64 @__lanza_sync(i32 1,
; SUM: turn:
; SUM: [[STEPS:%.*]] = phi i64 [ 0, %entry ], [ [[NEXT:%.*]], %body.full ]
; SUM: [[S]] = phi float [ 0.000000e+00, %entry ], [ %s1.full, %body.full ]
; SUM-NOT: phi float
; SUM: [[FIRST:%.*]] = add i64 {{%.*}}, [[STEPS]]
; SUM: [[LAST:%.*]] = add i64 {{%.*}}, [[STEPS]]
; SUM: icmp ule i64 [[FIRST]], [[LAST]]
; SUM: icmp ult i64 [[LAST]], %n
; SUM: [[ALL:%.*]] = and i1
; SUM: [[THREE:%.*]] = mul i64 %far, 3
; SUM: [[TO_LAST:%.*]] = add i64 [[STEPS]], [[THREE]]
; SUM: [[FIRST:%.*]] = add i64 {{%.*}}, [[STEPS]]
; SUM: [[LAST:%.*]] = add i64 {{%.*}}, [[TO_LAST]]
; SUM: icmp ule i64 [[FIRST]], [[LAST]]
; SUM: icmp ult i64 [[LAST]], %n
; SUM: icmp ule i64 %far, 2305843009213693951
; SUM-NOT: icmp sge
; SUM: [[TURNS:%.*]] = select i1 {{%.*}}, i32 4, i32 1
; SUM: br i1 [[ALL]], label %several, label %ended
; SUM: several:
; SUM: [[COUNT:%.*]] = phi i32 [ 0, %turn ], [ [[MORE:%.*]], %body.full ]
; SUM: [[EACH:%.*]] = phi i64 [ [[STEPS]], %turn ], [ [[NEXT]], %body.full ]
; SUM: [[SUM:%.*]] = phi float [ [[S]], %turn ], [ %s1.full, %body.full ]
; SUM-NOT: @__lanza_sync
; SUM: body.full:
; SUM-NOT: prefetch
; SUM: add i64 {{%.*}}, [[EACH]]
; SUM: %s1.full = fadd float [[SUM]]
; SUM: [[NEXT]] = add i64 [[EACH]], %far
; SUM: [[MORE]] = add nuw i32 [[COUNT]], 1
; SUM: [[DONE:%.*]] = icmp eq i32 [[MORE]], [[TURNS]]
; SUM: br i1 [[DONE]], label %turn, label %several
define void @sum(i64 %n, ptr %x, ptr %y) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %start = mul i32 %c, 256
  %step = mul i32 %g, 256
  %far = zext i32 %step to i64
  %sum = add i32 %start, %t
  %i0 = zext i32 %sum to i64
  %in = icmp ult i64 %i0, %n
  br i1 %in, label %before, label %end
before:
  br label %body
body:
  %i = phi i64 [ %i0, %before ], [ %next, %body ]
  %s = phi float [ 0.0, %before ], [ %s1, %body ]
  %p = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %p
  %s1 = fadd float %s, %v
  %next = add i64 %i, %far
  %again = icmp ult i64 %next, %n
  br i1 %again, label %body, label %done
done:
  %last = phi float [ %s1, %body ]
  br label %end
end:
  %r = phi float [ 0.0, %entry ], [ %last, %done ]
  %q = getelementptr float, ptr %y, i32 %sum
  store float %r, ptr %q
  ret void
}

; Without a sign, an index of a word that wraps in the middle of the block may look as if it were in order.
; WORD-LABEL: @low_word(
; WORD: [[STEPS:%.*]] = phi i64 [ 0,
; WORD: body.full:
; WORD: add i64 %i0, [[STEPS]]
define void @low_word(i64 %n, ptr %x) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %start = mul i32 %c, 256
  %step = mul i32 %g, 256
  %far = zext i32 %step to i64
  %sum = add i32 %start, %t
  %i0 = sext i32 %sum to i64
  %in = icmp ult i64 %i0, %n
  br i1 %in, label %before, label %end
before:
  br label %body
body:
  %i = phi i64 [ %i0, %before ], [ %next, %body ]
  %p = getelementptr float, ptr %x, i64 %i
  store float 1.0, ptr %p
  %next = add i64 %i, %far
  %again = icmp ult i64 %next, %n
  br i1 %again, label %body, label %done
done:
  br label %end
end:
  ret void
}

; A loop over an own stretch; one that only some threads come to; one whose guard is about more than its index.
; SAME-LABEL: define void
; SAME-NOT: __lanza_sync
; SAME: ret void
define void @own_step(i32 %n, ptr %x) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %t, %n
  br i1 %in, label %before, label %end
before:
  br label %body
body:
  %i = phi i32 [ %t, %before ], [ %next, %body ]
  %p = getelementptr float, ptr %x, i32 %i
  store float 1.0, ptr %p
  %next = add nsw i32 %i, 256
  %again = icmp slt i32 %next, %n
  br i1 %again, label %body, label %done
done:
  br label %end
end:
  ret void
}

define void @in_rows(i32 %n, i32 %rows, ptr %x) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %step = shl nsw i32 %g, 8
  %beyond = icmp sge i32 %t, %n
  %below = icmp sge i32 %y, %rows
  %none = or i1 %beyond, %below
  br i1 %none, label %end, label %before
before:
  br label %body
body:
  %i = phi i32 [ %t, %before ], [ %next, %body ]
  %p = getelementptr float, ptr %x, i32 %i
  store float 1.0, ptr %p
  %next = add nsw i32 %i, %step
  %again = icmp slt i32 %next, %n
  br i1 %again, label %body, label %done
done:
  br label %end
end:
  ret void
}

define void @some(i32 %n, ptr %x) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %odd = trunc i32 %t to i1
  br i1 %odd, label %guard, label %end
guard:
  %in = icmp slt i32 %t, %n
  br i1 %in, label %before, label %end
before:
  br label %body
body:
  %i = phi i32 [ %t, %before ], [ %next, %body ]
  %p = getelementptr float, ptr %x, i32 %i
  store float 1.0, ptr %p
  %next = add nsw i32 %i, %g
  %again = icmp slt i32 %next, %n
  br i1 %again, label %body, label %done
done:
  br label %end
end:
  ret void
}

; A loop that waits keeps its threads apart.
; WAITS-LABEL: @waits(
; WAITS: __lanza_sync
; WAITS-NOT: __lanza_sync
; WAITS: ret void
define void @waits(i32 %n, ptr %x) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %in = icmp slt i32 %t, %n
  br i1 %in, label %before, label %end
before:
  br label %body
body:
  %i = phi i32 [ %t, %before ], [ %next, %body ]
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %next = add nsw i32 %i, %g
  %again = icmp slt i32 %next, %n
  br i1 %again, label %body, label %done
done:
  br label %end
end:
  ret void
}

; Along each axis with its own thread, from outside: all rows of the block, and in them all of the block's columns. What
; is left of rows goes as it was.
; NEST-LABEL: @nest(
; NEST: columns:
; NEST-NOT: lanza_sync
; NEST: [[AGAIN:%.*]] = icmp slt i32 %y.next, %h
; NEST: br i1 [[AGAIN]], label %rows, label %{{.*}}, !lanza.rest
; NEST: turn:
; NEST: [[DOWN:%.*]] = phi i32 [ 0, %entry ]
; NEST: add i32 %y.start, 15
; NEST: call i64 @__lanza_sync(i32 1,
; NEST: rest:
; NEST: call i64 @__lanza_sync(i32 1,
; NEST: [[ROW:%.*]] = add i32 {{%.*}}, [[DOWN]]
; NEST-NEXT: [[TY:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
; NEST: add nsw i32 [[ROW]], [[TY]]
; NEST: turn{{[0-9]+}}:
; NEST: call i64 @__lanza_sync(i32 1,
; NEST: }
define void @nest(i32 %w, i32 %h, ptr %x) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %cx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %gx = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %cy = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %gy = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %x.start = mul i32 %cx, 32
  %x.step = mul i32 %gx, 32
  %x0 = add i32 %x.start, %tx
  %y.start = mul i32 %cy, 16
  %y.step = mul i32 %gy, 16
  %y0 = add i32 %y.start, %ty
  %y.in = icmp slt i32 %y0, %h
  br i1 %y.in, label %before, label %end
before:
  br label %rows
rows:
  %y = phi i32 [ %y0, %before ], [ %y.next, %row.end ]
  %row = mul nsw i32 %y, %w
  %x.in = icmp slt i32 %x0, %w
  br i1 %x.in, label %columns.before, label %row.end
columns.before:
  br label %columns
columns:
  %i = phi i32 [ %x0, %columns.before ], [ %x.next, %columns ]
  %place = add nsw i32 %row, %i
  %wide = sext i32 %place to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  %d = fmul float %v, 2.0
  store float %d, ptr %p
  %x.next = add nsw i32 %i, %x.step
  %x.again = icmp slt i32 %x.next, %w
  br i1 %x.again, label %columns, label %columns.done
columns.done:
  br label %row.end
row.end:
  %y.next = add nsw i32 %y, %y.step
  %y.again = icmp slt i32 %y.next, %h
  br i1 %y.again, label %rows, label %done
done:
  br label %end
end:
  ret void
}
