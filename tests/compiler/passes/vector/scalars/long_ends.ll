; RUN: %opt -block=64 -passes=long-ends %s | %check %s
; RUN: %opt -block=64 -passes=long-ends,mark-unroll %s | %check %s --check-prefix=MARKS
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i64 @__lanza_sync(i32, i32, i32, i64, i32) convergent

; Sixteen products of each of 64 sums are more than a thousand instructions: they read a copy, by a loop that stays one,
; and the sums' own loop is unrolled.
; CHECK-LABEL: define void @long(
; CHECK: %a = alloca [64 x float], align 4
; CHECK: %[[COPY:.*]] = alloca [64 x float], align 4, !lanza.stays-in-memory
; CHECK: sum:
; CHECK: getelementptr [64 x float], ptr %a,
; CHECK: end.preheader:
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 4 %[[COPY]], ptr align 4 %a, i64 256, i1 false)
; CHECK: getelementptr [64 x float], ptr %[[COPY]],
; CHECK: br i1 %last, label %out, label %end, !llvm.loop
; MARKS-LABEL: define void @long(
; MARKS: br i1 %all, label %turned, label %sum, !llvm.loop ![[SUM:.*]]
; MARKS: br i1 %last, label %out, label %end, !llvm.loop ![[END:.*]]
define void @long(ptr %p, i32 %n) {
entry:
  %a = alloca [64 x float], align 4
  br label %turn
turn:
  %k = phi i32 [ 0, %entry ], [ %k1, %turned ]
  br label %sum
sum:
  %i = phi i64 [ 0, %turn ], [ %i1, %sum ]
  %e = getelementptr [64 x float], ptr %a, i64 0, i64 %i
  %v = load float, ptr %e
  %w = fadd float %v, 1.0
  store float %w, ptr %e
  %i1 = add nuw nsw i64 %i, 1
  %all = icmp eq i64 %i1, 64
  br i1 %all, label %turned, label %sum
turned:
  %x = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %k1 = add i32 %k, 1
  %done = icmp sge i32 %k1, %n
  br i1 %done, label %end, label %turn
end:
  %j = phi i64 [ 0, %turned ], [ %j1, %end ]
  %f = getelementptr [64 x float], ptr %a, i64 0, i64 %j
  %s0 = load float, ptr %f
  %s1 = fmul float %s0, %s0
  %s2 = fmul float %s1, %s1
  %s3 = fmul float %s2, %s2
  %s4 = fmul float %s3, %s3
  %s5 = fmul float %s4, %s4
  %s6 = fmul float %s5, %s5
  %s7 = fmul float %s6, %s6
  %s8 = fmul float %s7, %s7
  %s9 = fmul float %s8, %s8
  %s10 = fmul float %s9, %s9
  %s11 = fmul float %s10, %s10
  %s12 = fmul float %s11, %s11
  %s13 = fmul float %s12, %s12
  %s14 = fmul float %s13, %s13
  %s15 = fmul float %s14, %s14
  %s16 = fmul float %s15, %s15
  %q = getelementptr float, ptr %p, i64 %j
  store float %s16, ptr %q
  %j1 = add nuw nsw i64 %j, 1
  %last = icmp eq i64 %j1, 64
  br i1 %last, label %out, label %end
out:
  ret void
}

; What is short is unrolled as ever.
; CHECK-LABEL: define void @short(
; CHECK-NOT: stays-in-memory
; CHECK: ret void
define void @short(ptr %p, i32 %n) {
entry:
  %a = alloca [64 x float], align 4
  br label %turn
turn:
  %k = phi i32 [ 0, %entry ], [ %k1, %turned ]
  br label %sum
sum:
  %i = phi i64 [ 0, %turn ], [ %i1, %sum ]
  %e = getelementptr [64 x float], ptr %a, i64 0, i64 %i
  %v = load float, ptr %e
  %w = fadd float %v, 1.0
  store float %w, ptr %e
  %i1 = add nuw nsw i64 %i, 1
  %all = icmp eq i64 %i1, 64
  br i1 %all, label %turned, label %sum
turned:
  %x = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %k1 = add i32 %k, 1
  %done = icmp sge i32 %k1, %n
  br i1 %done, label %end, label %turn
end:
  %j = phi i64 [ 0, %turned ], [ %j1, %end ]
  %f = getelementptr [64 x float], ptr %a, i64 0, i64 %j
  %s0 = load float, ptr %f
  %s1 = fmul float %s0, %s0
  %s2 = fmul float %s1, %s1
  %s3 = fmul float %s2, %s2
  %s4 = fmul float %s3, %s3
  %q = getelementptr float, ptr %p, i64 %j
  store float %s4, ptr %q
  %j1 = add nuw nsw i64 %j, 1
  %last = icmp eq i64 %j1, 64
  br i1 %last, label %out, label %end
out:
  ret void
}

; So is what changes the sums.
; CHECK-LABEL: define void @changing(
; CHECK-NOT: stays-in-memory
; CHECK: ret void
define void @changing(ptr %p, i32 %n) {
entry:
  %a = alloca [64 x float], align 4
  br label %turn
turn:
  %k = phi i32 [ 0, %entry ], [ %k1, %turned ]
  br label %sum
sum:
  %i = phi i64 [ 0, %turn ], [ %i1, %sum ]
  %e = getelementptr [64 x float], ptr %a, i64 0, i64 %i
  %v = load float, ptr %e
  %w = fadd float %v, 1.0
  store float %w, ptr %e
  %i1 = add nuw nsw i64 %i, 1
  %all = icmp eq i64 %i1, 64
  br i1 %all, label %turned, label %sum
turned:
  %x = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %k1 = add i32 %k, 1
  %done = icmp sge i32 %k1, %n
  br i1 %done, label %end, label %turn
end:
  %j = phi i64 [ 0, %turned ], [ %j1, %end ]
  %f = getelementptr [64 x float], ptr %a, i64 0, i64 %j
  %s0 = load float, ptr %f
  %s1 = fmul float %s0, %s0
  %s2 = fmul float %s1, %s1
  %s3 = fmul float %s2, %s2
  %s4 = fmul float %s3, %s3
  %s5 = fmul float %s4, %s4
  %s6 = fmul float %s5, %s5
  %s7 = fmul float %s6, %s6
  %s8 = fmul float %s7, %s7
  %s9 = fmul float %s8, %s8
  %s10 = fmul float %s9, %s9
  %s11 = fmul float %s10, %s10
  %s12 = fmul float %s11, %s11
  %s13 = fmul float %s12, %s12
  %s14 = fmul float %s13, %s13
  %s15 = fmul float %s14, %s14
  %s16 = fmul float %s15, %s15
  store float %s16, ptr %f
  %q = getelementptr float, ptr %p, i64 %j
  store float %s16, ptr %q
  %j1 = add nuw nsw i64 %j, 1
  %last = icmp eq i64 %j1, 64
  br i1 %last, label %out, label %end
out:
  ret void
}

; MARKS: ![[SUM]] = distinct !{![[SUM]], ![[FULL:.*]]}
; MARKS: ![[FULL]] = !{!"llvm.loop.unroll.full"}
; MARKS: ![[END]] = distinct !{![[END]], ![[OFF:.*]]}
; MARKS: ![[OFF]] = !{!"llvm.loop.unroll.disable", i32 1}
