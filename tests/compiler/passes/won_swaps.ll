; RUN: %opt -passes=won-swaps %s | %check %s
target triple = "nvptx64-nvidia-cuda"

; The turn behind a swap that has won would find %new: not greater than itself.
; CHECK-LABEL: define i32 @turns(
; CHECK: %pair = cmpxchg
; CHECK-NEXT: [[WON:%.*]] = extractvalue { i32, i1 } %pair, 1
; CHECK-NEXT: br i1 [[WON]], label %[[LEAVE:.*]], label %[[REST:.*]]
; CHECK: [[REST]]:
; CHECK-NEXT: %next = extractvalue { i32, i1 } %pair, 0
; CHECK-NEXT: br label %header
; CHECK: exit:
; CHECK-NEXT: [[FOUND:%.*]] = phi i32 [ %old, %header ], [ %new, %[[LEAVE]] ]
; CHECK-NEXT: ret i32 [[FOUND]]
define i32 @turns(ptr %p, float %v) {
entry:
  %new = bitcast float %v to i32
  %first = load i32, ptr %p
  br label %header
header:
  %old = phi i32 [ %first, %entry ], [ %next, %body ]
  %f = bitcast i32 %old to float
  %goes_on = fcmp ogt float %v, %f
  br i1 %goes_on, label %body, label %exit
body:
  %pair = cmpxchg ptr %p, i32 %old, i32 %new monotonic monotonic
  %next = extractvalue { i32, i1 } %pair, 0
  br label %header
exit:
  ret i32 %old
}

; The same with the question at its end.
; CHECK-LABEL: define i32 @rotated(
; CHECK: %pair = cmpxchg
; CHECK-NEXT: extractvalue { i32, i1 } %pair, 1
; CHECK: phi i32 [ %next, %{{.*}} ], [ %new, %{{.*}} ]
define i32 @rotated(ptr %p, i32 %new, i32 %first) {
entry:
  br label %body
body:
  %old = phi i32 [ %first, %entry ], [ %next, %body ]
  %pair = cmpxchg ptr %p, i32 %old, i32 %new monotonic monotonic
  %next = extractvalue { i32, i1 } %pair, 0
  %goes_on = icmp ugt i32 %next, %new
  br i1 %goes_on, label %body, label %exit
exit:
  ret i32 %next
}

; It would go on with what it has written; it asks memory; it is known who has won.
; CHECK-LABEL: define void @others(
; CHECK-NOT: extractvalue { i32, i1 } %pair, 1
; CHECK: %won = extractvalue
; CHECK-NOT: extractvalue
; CHECK: ret void
define void @others(ptr %p, i32 %v, ptr %q) {
entry:
  br label %sums
sums:
  %old = phi i32 [ 0, %entry ], [ %next, %sums ]
  %sum = add i32 %old, %v
  %pair = cmpxchg ptr %p, i32 %old, i32 %sum monotonic monotonic
  %next = extractvalue { i32, i1 } %pair, 0
  %goes_on = icmp ult i32 %next, 100
  br i1 %goes_on, label %sums, label %asks
asks:
  %a = phi i32 [ 0, %sums ], [ %b, %asks ]
  %pair2 = cmpxchg ptr %p, i32 %a, i32 %v monotonic monotonic
  %b = extractvalue { i32, i1 } %pair2, 0
  %limit = load i32, ptr %q
  %goes_on2 = icmp ugt i32 %b, %limit
  br i1 %goes_on2, label %asks, label %retries
retries:
  %c = phi i32 [ 0, %asks ], [ %d, %retries ]
  %pair3 = cmpxchg ptr %p, i32 %c, i32 %v monotonic monotonic
  %d = extractvalue { i32, i1 } %pair3, 0
  %won = extractvalue { i32, i1 } %pair3, 1
  br i1 %won, label %exit, label %retries
exit:
  ret void
}
