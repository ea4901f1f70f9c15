; RUN: %opt -passes=join-guards %s | %check %s
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i64 @__lanza_sync(i32, i32, i32, i64, i32) convergent

; Three elements behind one question; their addresses are made in front of it.
; CHECK-LABEL: define float @elements(
; CHECK-NEXT: entry:
; CHECK-NEXT: %p1 = getelementptr
; CHECK-NEXT: %p2 = getelementptr
; CHECK-NEXT: br i1 %c, label %work0, label %end
; CHECK: work0:
; CHECK-NEXT: %v0 = load float, ptr %p
; CHECK-NEXT: %v1 = load float, ptr %p1
; CHECK-NEXT: %v2 = load float, ptr %p2
; CHECK-NEXT: br label %end
; CHECK: end:
; CHECK-DAG: phi float [ %v0, %work0 ], [ 0.000000e+00, %entry ]
; CHECK-DAG: phi float [ %v1, %work0 ], [ 1.000000e+00, %entry ]
; CHECK-DAG: phi float [ %v2, %work0 ], [ 2.000000e+00, %entry ]
; CHECK: ret float
define float @elements(ptr %p, i1 %c) {
entry:
  br i1 %c, label %work0, label %guard1
work0:
  %v0 = load float, ptr %p
  br label %guard1
guard1:
  %x0 = phi float [ %v0, %work0 ], [ 0.0, %entry ]
  %p1 = getelementptr float, ptr %p, i64 1
  br i1 %c, label %work1, label %guard2
work1:
  %v1 = load float, ptr %p1
  br label %guard2
guard2:
  %x1 = phi float [ %v1, %work1 ], [ 1.0, %guard1 ]
  %p2 = getelementptr float, ptr %p, i64 2
  br i1 %c, label %work2, label %end
work2:
  %v2 = load float, ptr %p2
  br label %end
end:
  %x2 = phi float [ %v2, %work2 ], [ 2.0, %guard2 ]
  %s = fadd float %x0, %x1
  %t = fadd float %s, %x2
  ret float %t
}

; What the first one finds the second one uses.
; CHECK-LABEL: define i32 @handed_on(
; CHECK: br i1 %c, label %end, label %work0
; CHECK: work0:
; CHECK-NEXT: %v0 = load i32, ptr %p
; CHECK-NEXT: %v1 = add i32 %v0, 7
; CHECK-NEXT: br label %end
; CHECK: end:
; CHECK: phi i32 [ %v1, %work0 ], [ 5, %entry ]
define i32 @handed_on(ptr %p, i1 %c) {
entry:
  br i1 %c, label %guard1, label %work0
work0:
  %v0 = load i32, ptr %p
  br label %guard1
guard1:
  %x0 = phi i32 [ %v0, %work0 ], [ 5, %entry ]
  br i1 %c, label %end, label %work1
work1:
  %v1 = add i32 %x0, 7
  br label %end
end:
  %x1 = phi i32 [ %v1, %work1 ], [ %x0, %guard1 ]
  ret i32 %x1
}

; Not over a barrier, or what stands between, or another question.
; CHECK-LABEL: define void @apart(
; CHECK-COUNT-4: br i1 %c,
; CHECK: br i1 %d,
define void @apart(ptr %p, i1 %c, i1 %d) {
entry:
  br i1 %c, label %work0, label %guard1
work0:
  store i32 0, ptr %p
  br label %guard1
guard1:
  store i32 1, ptr %p
  br i1 %c, label %work1, label %guard2
work1:
  store i32 2, ptr %p
  br label %guard2
guard2:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br i1 %c, label %work2, label %guard3
work2:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %guard3
guard3:
  br i1 %c, label %work3, label %guard4
work3:
  store i32 3, ptr %p
  br label %guard4
guard4:
  br i1 %d, label %work4, label %end
work4:
  store i32 4, ptr %p
  br label %end
end:
  ret void
}
