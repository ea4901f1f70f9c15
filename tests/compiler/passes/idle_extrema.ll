; RUN: %opt -passes=skip-idle-extrema %s | %check %s
target triple = "x86_64-unknown-linux-gnu"

; What is as large already is not written.
; CHECK-LABEL: @greatest(
; CHECK-NEXT: [[FIRST:%.*]] = load atomic i32, ptr %p monotonic, align 4
; CHECK-NEXT: br label %[[LOOK:.*]]
; CHECK: [[LOOK]]:
; CHECK-NEXT: [[OLD:%.*]] = phi i32 [ [[FIRST]], %0 ], [ [[SEEN:%.*]], %[[EXCHANGE:.*]] ]
; CHECK-NEXT: [[STAYS:%.*]] = icmp sge i32 [[OLD]], %v
; CHECK-NEXT: br i1 [[STAYS]], label %[[AFTER:.*]], label %[[EXCHANGE]]
; CHECK: [[EXCHANGE]]:
; CHECK-NEXT: [[TRIED:%.*]] = cmpxchg ptr %p, i32 [[OLD]], i32 %v monotonic monotonic, align 4
; CHECK-NEXT: [[SEEN]] = extractvalue { i32, i1 } [[TRIED]], 0
; CHECK-NEXT: [[DONE:%.*]] = extractvalue { i32, i1 } [[TRIED]], 1
; CHECK-NEXT: br i1 [[DONE]], label %[[AFTER]], label %[[LOOK]]
; CHECK: [[AFTER]]:
; CHECK-NEXT: ret i32 [[OLD]]
define i32 @greatest(ptr %p, i32 %v) {
  %old = atomicrmw max ptr %p, i32 %v monotonic, align 4
  ret i32 %old
}

; CHECK-LABEL: @least_of_two(
; CHECK: icmp sle i64
; CHECK: cmpxchg ptr %p, i64
; CHECK: icmp ule i16
; CHECK: cmpxchg ptr %q, i16
; CHECK-NOT: atomicrmw
; CHECK: ret void
define void @least_of_two(ptr %p, i64 %v, ptr %q, i16 %w) {
  %a = atomicrmw min ptr %p, i64 %v monotonic, align 8
  %b = atomicrmw umin ptr %q, i16 %w monotonic, align 2
  ret void
}

; Orders are more than the value, and other operations write what changes.
; CHECK-LABEL: @others(
; CHECK-NEXT: atomicrmw max ptr %p, i32 %v seq_cst
; CHECK-NEXT: atomicrmw volatile umax
; CHECK-NEXT: atomicrmw add
; CHECK-NEXT: atomicrmw or
; CHECK-NEXT: ret void
define void @others(ptr %p, i32 %v) {
  %a = atomicrmw max ptr %p, i32 %v seq_cst, align 4
  %b = atomicrmw volatile umax ptr %p, i32 %v monotonic, align 4
  %c = atomicrmw add ptr %p, i32 %v monotonic, align 4
  %d = atomicrmw or ptr %p, i32 %v monotonic, align 4
  ret void
}
