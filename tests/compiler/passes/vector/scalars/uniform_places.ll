; RUN: %opt -kernel=pivot -block=32 -lanes=16 -passes=uniform-places %s | %check %s --check-prefix=PIVOT
; RUN: %opt -kernel=others -block=32 -lanes=16 -passes=uniform-places %s | %check %s --check-prefix=OTHERS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; a[t][t], behind t == k, is a[k][k]. Not what was computed of t, nor what stands elsewhere.
; PIVOT-LABEL: define void @pivot(
; PIVOT: then:
; PIVOT-NEXT: [[ROW:%.*]] = mul i32 %k, 33
; PIVOT-NEXT: [[WIDE:%.*]] = zext i32 [[ROW]] to i64
; PIVOT-NEXT: [[PLACE:%.*]] = getelementptr float, ptr %a, i64 [[WIDE]]
; PIVOT-NEXT: %x = load float, ptr [[PLACE]]
; PIVOT: store float %y, ptr {{%[0-9]+}}
; PIVOT-NEXT: br label %end
; PIVOT: end:
; PIVOT-NEXT: store i32 %t, ptr %p
define void @pivot(ptr %a, i32 %k, i1 %also) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul i32 %t, 33
  %w = zext i32 %row to i64
  %p = getelementptr float, ptr %a, i64 %w
  %is_k = icmp eq i32 %t, %k
  %both = and i1 %is_k, %also
  br i1 %both, label %then, label %end
then:
  %x = load float, ptr %p
  %f = uitofp i32 %t to float
  %y = fmul float %x, %f
  store float %y, ptr %p
  br label %end
end:
  store i32 %t, ptr %p
  ret void
}

; Of two that vary, and where another index of the lane's is in the address.
; OTHERS-LABEL: define void @others(
; OTHERS: then:
; OTHERS-NEXT: store i32 0, ptr %q
; OTHERS: behind:
; OTHERS-NEXT: store i32 1, ptr %p
define void @others(ptr %a, ptr %b, i32 %k) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %p = getelementptr i32, ptr %a, i64 %w
  %j = load i32, ptr %p
  %v = zext i32 %j to i64
  %q = getelementptr i32, ptr %p, i64 %v
  %is_k = icmp eq i32 %j, %k
  br i1 %is_k, label %then, label %rest
then:
  store i32 0, ptr %q
  br label %rest
rest:
  %is_own = icmp eq i32 %t, %j
  br i1 %is_own, label %behind, label %end
behind:
  store i32 1, ptr %p
  br label %end
end:
  ret void
}
