; RUN: %opt -kernel=product -lanes=1 -block=16 -passes=retarget,uniform-barriers,run-form,"llvm(sroa,instcombine<no-verify-fixpoint>,simplifycfg)" %s | %check %s --check-prefix=PRODUCT
; RUN: %opt -kernel=plane -lanes=1 -block=16 -passes=retarget,uniform-barriers,run-form,"llvm(sroa,instcombine<no-verify-fixpoint>,simplifycfg)" %s | %check %s --check-prefix=PLANE
; RUN: %opt -kernel=records -lanes=16 -block=8,8 -passes=retarget,whole-rows,prepare-control,linearise,widen,join-groups,run-form,"llvm(sroa,instcombine<no-verify-fixpoint>,simplifycfg)" %s | %check %s --check-prefix=RECORDS
; RUN: %opt -kernel=down -lanes=16 -block=8,8 -passes=retarget,whole-rows,prepare-control,linearise,widen,join-groups,run-form,"llvm(sroa,instcombine<no-verify-fixpoint>,simplifycfg)" %s | %check %s --check-prefix=DOWN
; RUN: %opt -kernel=scale -lanes=16 -block=256 -passes=retarget,whole-rows,turn-grid-loops,prepare-control,linearise,widen,run-form,"llvm(sroa,instcombine<no-verify-fixpoint>,simplifycfg)" %s | %check %s --check-prefix=SCALE
; RUN: %opt -kernel=sum -lanes=16 -block=256 -passes=retarget,whole-rows,turn-grid-loops,prepare-control,linearise,widen,run-form,"llvm(sroa,instcombine<no-verify-fixpoint>,simplifycfg)" %s | %check %s --check-prefix=SUM
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; Each block reads 64 bytes of every row of b, as do all blocks below it, and rows of a, as do all beside it: eight
; blocks of a row, then those below them.
; PRODUCT-LABEL: define internal i32 @run(
; PRODUCT: [[X:%.*]] = load i32, ptr %{{.*}}, !range
; PRODUCT: urem i64
; PRODUCT: call i64 @llvm.umin.i64(i64 {{.*}}, i64 8)
; PRODUCT: [[COLUMN:%.*]] = phi i32
; PRODUCT: [[FIRST:%.*]] = and i32 [[COLUMN]], -8
; PRODUCT: [[END:%.*]] = add {{.*}}i32 [[FIRST]], 8
; PRODUCT: call i32 @llvm.umin.i32(i32 [[END]], i32 [[X]])
define void @product(ptr %a, ptr %b, ptr %c, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %left = shl i32 %x, 4
  %column = add i32 %left, %t
  %row = mul i32 %y, %n
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %i = add i32 %row, %k
  %p = getelementptr float, ptr %a, i32 %i
  %v = load float, ptr %p
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %down = mul i32 %k, %n
  %j = add i32 %down, %column
  %q = getelementptr float, ptr %b, i32 %j
  %w = load float, ptr %q
  %z = fmul float %v, %w
  %r = getelementptr float, ptr %c, i32 %column
  store float %z, ptr %r
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; A block has its own part of a plane.
; PLANE-LABEL: define internal i32 @run(
; PLANE-NOT: umin
; PLANE: ret i32
define void @plane(ptr %a, ptr %b, ptr %c, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %left = shl i32 %x, 4
  %column = add i32 %left, %t
  %row = mul i32 %y, %n
  %at = add i32 %row, %column
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %i = add i32 %at, %k
  %p = getelementptr float, ptr %a, i32 %i
  %v = load float, ptr %p
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %r = getelementptr float, ptr %c, i32 %at
  store float %v, ptr %r
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; A column below each thread of the row: two blocks of eight write lines of 16 lanes side by side, and go on below them.
; DOWN-LABEL: define internal i32 @run(
; DOWN: [[FIRST:%.*]] = and i32 %ctaid, -2
; DOWN: [[END:%.*]] = add {{.*}}i32 [[FIRST]], 2
; DOWN: call i32 @llvm.umin.i32(i32 [[END]],
; DOWN: ret i32
define void @down(ptr %in, ptr %out, i32 %width, i32 %height) {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %left = mul i32 %bx, 8
  %x = add nsw i32 %left, %tx
  %top = mul i32 %by, 8
  %y = add nsw i32 %top, %ty
  %row = mul nsw i32 %y, %width
  %i = add nsw i32 %row, %x
  %wide_i = sext i32 %i to i64
  %p = getelementptr float, ptr %in, i64 %wide_i
  %v = load float, ptr %p
  %column = mul nsw i32 %x, %height
  %j = add nsw i32 %column, %y
  %wide_j = sext i32 %j to i64
  %q = getelementptr float, ptr %out, i64 %wide_j
  store float %v, ptr %q
  ret void
}

; Records that are moved as integers are elements, too.
; RECORDS-LABEL: define internal i32 @run(
; RECORDS: and i32 %ctaid, -2
; RECORDS: ret i32
%pixel = type { i8, i8, i8, i8 }
define void @records(ptr %in, ptr %out, i32 %width, i32 %height) {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %left = mul i32 %bx, 8
  %x = add nsw i32 %left, %tx
  %top = mul i32 %by, 8
  %y = add nsw i32 %top, %ty
  %row = mul nsw i32 %y, %width
  %i = add nsw i32 %row, %x
  %wide_i = sext i32 %i to i64
  %p = getelementptr %pixel, ptr %in, i64 %wide_i
  %v = load i32, ptr %p
  %column = mul nsw i32 %x, %height
  %j = add nsw i32 %column, %y
  %wide_j = sext i32 %j to i64
  %q = getelementptr %pixel, ptr %out, i64 %wide_j
  store i32 %v, ptr %q
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()

; A grid strides over an array, all threads of a row together: as many blocks as make 2^18 threads, as nothing is kept
; from turn to turn.
; SCALE-LABEL: define internal i32 @run(
; SCALE: call i64 @llvm.umin.i64(i64 {{.*}}, i64 1024)
define void @scale(i32 %n, ptr %x) {
entry:
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = shl i32 %c, 8
  %start = add i32 %m, %t
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %step = shl i32 %g, 8
  %any = icmp slt i32 %start, %n
  br i1 %any, label %before, label %end
before:
  br label %loop
loop:
  %i = phi i32 [ %start, %before ], [ %next, %loop ]
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  %d = fadd float %v, %v
  store float %d, ptr %p
  %next = add nsw i32 %i, %step
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %after
after:
  br label %end
end:
  ret void
}

; A sum is: each thread's lies in memory of its own, of which there is enough for 4096.
; SUM-LABEL: define internal i32 @run(
; SUM: call i64 @llvm.umin.i64(i64 {{.*}}, i64 16)
define void @sum(i32 %n, ptr %x, ptr %y) {
entry:
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = shl i32 %c, 8
  %start = add i32 %m, %t
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %step = shl i32 %g, 8
  %any = icmp slt i32 %start, %n
  br i1 %any, label %before, label %end
before:
  br label %loop
loop:
  %i = phi i32 [ %start, %before ], [ %next, %loop ]
  %s = phi float [ 0.0, %before ], [ %d, %loop ]
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  %d = fadd float %s, %v
  %next = add nsw i32 %i, %step
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %after
after:
  %last = phi float [ %d, %loop ]
  br label %end
end:
  %all = phi float [ 0.0, %entry ], [ %last, %after ]
  %own = sext i32 %start to i64
  %q = getelementptr float, ptr %y, i64 %own
  store float %all, ptr %q
  ret void
}
