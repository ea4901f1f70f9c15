; RUN: %opt -kernel=scaled -passes=fold-arguments %s | %check %s
; RUN: sed 's/prec_div", i32 1/prec_div", i32 0/' %s | %opt -kernel=scaled -passes=fold-arguments | %check %s --check-prefix=STAYS
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; lanza-opt folds every integer to 3; pointers and floats stay.
; CHECK: scaled: folded
; CHECK: define void @scaled(ptr %out, i32 %size, float %factor, i64 %step) {
; CHECK: %at = mul i64 3, 3
; CHECK: %many = sitofp i32 3 to float
; CHECK: fdiv float %factor, %many
; STAYS: scaled: arguments are not folded
; STAYS: %many = sitofp i32 %size to float
define void @scaled(ptr %out, i32 %size, float %factor, i64 %step) {
  %wide = sext i32 %size to i64
  %at = mul i64 3, %step
  %place = getelementptr float, ptr %out, i64 %at
  %many = sitofp i32 %size to float
  %part = fdiv float %factor, %many
  store float %part, ptr %place
  ret void
}

!llvm.module.flags = !{!0}
!0 = !{i32 4, !"lanza.prec_div", i32 1}
