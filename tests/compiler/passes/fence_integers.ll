; 2^25 has one significant bit and is infinite as a half: InstCombine must not see that an integer was rounded to one.
; RUN: %opt -passes=fence-integers %s | %check %s
; RUN: %opt "-passes=llvm(instcombine<no-verify-fixpoint>)" %s | %check %s --check-prefix=WRONG
; RUN: %opt "-passes=fence-integers,llvm(instcombine<no-verify-fixpoint>),drop-fences" %s | %check %s --check-prefix=RIGHT
; RUN: %opt -kernel=vector -lanes=8 -block=64 -passes=fence-integers,widen %s | %check %s --check-prefix=WIDE

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define float @there_and_back(i32 %i) {
; CHECK-LABEL: @there_and_back
; CHECK: %[[FLOAT:.*]] = uitofp i32 %large to float
; CHECK: %[[FENCE:.*]] = call float @llvm.arithmetic.fence.f32(float %[[FLOAT]])
; CHECK: fptrunc float %[[FENCE]] to half
; WRONG-LABEL: @there_and_back
; WRONG-NOT: half
; RIGHT-LABEL: @there_and_back
; RIGHT: %[[FLOAT:.*]] = uitofp i32 %large to float
; RIGHT-NOT: fence
; RIGHT: fptrunc float %[[FLOAT]] to half
; RIGHT: fpext half
  %large = shl i32 %i, 25
  %float = uitofp i32 %large to float
  %half = fptrunc float %float to half
  %back = fpext half %half to float
  ret float %back
}

; Of a signed integer in double too, and in every function of the module.
define double @elsewhere(i64 %i) {
; CHECK-LABEL: @elsewhere
; CHECK: call double @llvm.arithmetic.fence.f64(double
  %d = sitofp i64 %i to double
  ret double %d
}

define void @vector(ptr %a) {
; WIDE-LABEL: define void @vector
; WIDE: call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float>
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %square = mul i32 %t, %t
  %f = sitofp i32 %square to float
  %p = getelementptr float, ptr %a, i32 %t
  store float %f, ptr %p
  ret void
}
