; RUN: %opt -passes=indirect-calls %s | %check %s
; RUN: %opt -kernel=dispatch -passes=device-pipeline %s | %check %s --check-prefix=INLINED
target triple = "nvptx64-nvidia-cuda"

; Addresses are numbers, the same ones wherever they stand; a function that has a number keeps it.
; CHECK: @table = internal constant [2 x ptr] [ptr inttoptr (i64 64 to ptr), ptr inttoptr (i64 96 to ptr)]
@table = internal constant [2 x ptr] [ptr @plus, ptr @wait]
@llvm.used = appending global [1 x ptr] [ptr @unused], section "llvm.metadata"
; CHECK-NOT: llvm.used

declare i64 @__lanza_sync(i32, i32, i32, i64, i32)
declare void @__cxa_pure_virtual()

; The call is a switch over the functions of its type: not the one with another type, not the one that is only called
; directly.
; CHECK-LABEL: @dispatch(
; CHECK: %[[N:.*]] = ptrtoint ptr %f to i64
; CHECK: switch i64 %[[N]], label %[[OTHER:.*]] [
; CHECK-NEXT: i64 0, label %[[NULL:.*]]
; CHECK-NEXT: i64 80, label %[[PURE:.*]]
; CHECK-NEXT: i64 64, label %plus
; CHECK-NEXT: i64 96, label %wait
; CHECK-NEXT: ]
; CHECK: plus:
; CHECK-NEXT: %[[A:.*]] = call i32 @plus(i32 %x)
; CHECK: wait:
; CHECK-NEXT: %[[B:.*]] = call i32 @wait(i32 %x)
; CHECK: phi i32 [ %[[A]], %plus ], [ %[[B]], %wait ]
; CHECK: [[OTHER]]:
; CHECK-NEXT: call void @__lanza_fail(i32 0, ptr @{{.*}}, ptr null, i32 0, ptr null)
; CHECK-NEXT: unreachable

; INLINED-LABEL: @dispatch(
; INLINED: switch
; INLINED: call i64 @__lanza_sync(i32 1,
; INLINED-NOT: define
define void @dispatch(i64 %i, i32 %x, ptr %out) {
  %place = getelementptr [2 x ptr], ptr @table, i64 0, i64 %i
  %f = load ptr, ptr %place
  %r = call i32 %f(i32 %x)
  %s = call i32 @direct(i32 %r)
  store i32 %s, ptr %out
  ret void
}

define internal i32 @plus(i32 %x) !lanza.number !0 {
  %r = add i32 %x, 1
  ret i32 %r
}
define internal i32 @wait(i32 %x) {
  %s = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  ret i32 %x
}
define internal i32 @direct(i32 %x) {
  %r = mul i32 %x, 3
  ret i32 %r
}
define internal float @other_type(float %x) { ret float %x }
define internal i32 @unused(i32 %x) { ret i32 0 }

; CHECK-LABEL: @others(
; CHECK: store ptr inttoptr (i64 112 to ptr), ptr %p
; CHECK: store ptr inttoptr (i64 80 to ptr), ptr %p
; A pointer that is never called through.
define void @others(ptr %p) {
  store ptr @other_type, ptr %p
  store ptr @__cxa_pure_virtual, ptr %p
  ret void
}
!0 = !{i64 64}
