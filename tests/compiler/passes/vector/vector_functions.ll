; What calls of several lanes call: a function for all lanes at once. One group is one block of so many threads.
; RUN: %opt -kernel=k -block=16 -lanes=16 -passes=define-vector-functions,lower-called-functions %s | %check %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%two = type { double, i32 }

; CHECK-LABEL: define void @k
; CHECK: call <16 x float> @f.v16(<16 x float>
; CHECK: call float @f.body(float
; CHECK: call { <8 x double>, <8 x i32> } @both.v8(<8 x i32>
; CHECK: call <8 x i64> @calls.v8(<8 x i32>
define void @k(ptr %p) {
  %v = load <16 x float>, ptr %p
  %a = call <16 x float> @f.v16(<16 x float> %v)
  store <16 x float> %a, ptr %p
  %s = load float, ptr %p
  %b = call float @f(float %s)
  store float %b, ptr %p
  %i = load <8 x i32>, ptr %p
  %c = call { <8 x double>, <8 x i32> } @both.v8(<8 x i32> %i)
  %d = extractvalue { <8 x double>, <8 x i32> } %c, 1
  store <8 x i32> %d, ptr %p
  %w = call <8 x i64> @calls.v8(<8 x i32> %i)
  store <8 x i64> %w, ptr %p
  ret void
}

declare float @f(float) #0

; CHECK-LABEL: define internal float @f.body(float %x)
; CHECK-NOT: @both.body
define float @f.body(float %x) #1 {
  %large = fcmp ogt float %x, 8.0
  br i1 %large, label %slow, label %end
slow:
  %a = fdiv float %x, 3.0
  %b = fdiv float %a, 5.0
  %c = fadd float %b, %a
  %d = fdiv float %c, 7.0
  %e = fdiv float 1.0, %d
  br label %end
end:
  %r = phi float [ %x, %0 ], [ %e, %slow ]
  ret float %r
}

define %two @both.body(i32 %x) #1 {
  %wide = sitofp i32 %x to double
  %more = add i32 %x, 3
  %r = insertvalue %two poison, double %wide, 0
  %s = insertvalue %two %r, i32 %more, 1
  ret %two %s
}

define i64 @calls.body(i32 %x) #1 {
  %n = sitofp i32 %x to float
  %y = call float @f(float %n)
  %r = fptosi float %y to i64
  ret i64 %r
}

; Lanes part: what is slow stands behind a question whether any lane wants it, and is chosen by a mask.
; CHECK-LABEL: define internal <16 x float> @f.v16(<16 x float> %0)
; CHECK: %[[X:.*]] = load <16 x float>, ptr
; CHECK: fcmp ogt <16 x float> %[[X]]
; CHECK: br i1
; CHECK: fdiv <16 x float> %[[X]]
; CHECK: select <16 x i1>
; CHECK: ret <16 x float>
declare <16 x float> @f.v16(<16 x float>)

; It calls one that nobody else calls of so many lanes.
; CHECK-LABEL: define internal <8 x i64> @calls.v8(<8 x i32> %0)
; CHECK: call <8 x float> @f.v8(<8 x float>
declare <8 x i64> @calls.v8(<8 x i32>)

; CHECK-LABEL: define internal { <8 x double>, <8 x i32> } @both.v8(<8 x i32> %0)
; CHECK: sitofp <8 x i32> %{{.*}} to <8 x double>
; CHECK: ret { <8 x double>, <8 x i32> }
declare { <8 x double>, <8 x i32> } @both.v8(<8 x i32>)

; CHECK-LABEL: define internal <8 x float> @f.v8(<8 x float> %0)

declare %two @both(i32) #0
declare i64 @calls(i32) #0
attributes #0 = { nounwind speculatable willreturn memory(none) "lanza-lane-function" }
attributes #1 = { nounwind speculatable willreturn memory(none) "lanza-computes-only" }
