; RUN: %opt -kernel=both -passes=expand-min-max %s | %check %s
; RUN: %opt -kernel=loop -passes=expand-min-max %s | %check %s --check-prefix=LOOP
; RUN: %opt -kernel=zeros -passes=expand-min-max %s | %check %s --check-prefix=ZEROS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare <2 x float> @llvm.maxnum.v2f32(<2 x float>, <2 x float>)
declare <2 x double> @llvm.minnum.v2f64(<2 x double>, <2 x double>)
declare float @llvm.maxnum.f32(float, float)

; CHECK-LABEL: define void @both(
define void @both(<2 x float> %x, <2 x float> %y, <2 x double> %z, float %s, ptr %p) {
; One of them may be NaN.
; CHECK: [[MORE:%.*]] = fcmp ogt <2 x float> %y, %x
; CHECK: [[MAX:%.*]] = select <2 x i1> [[MORE]], <2 x float> %y, <2 x float> %x
; CHECK: [[NAN:%.*]] = fcmp uno <2 x float> %x, %x
; CHECK: select <2 x i1> [[NAN]], <2 x float> %y, <2 x float> [[MAX]]
  %a = call <2 x float> @llvm.maxnum.v2f32(<2 x float> %x, <2 x float> %y)
  store volatile <2 x float> %a, ptr %p
; A constant is not.
; CHECK: [[LESS:%.*]] = fcmp olt <2 x double> %z, <double 1.000000e+00, double 2.000000e+00>
; CHECK: select <2 x i1> [[LESS]], <2 x double> %z, <2 x double> <double 1.000000e+00, double 2.000000e+00>
  %b = call <2 x double> @llvm.minnum.v2f64(<2 x double> %z, <2 x double> <double 1.0, double 2.0>)
  store volatile <2 x double> %b, ptr %p
; CHECK: call float @llvm.maxnum.f32
  %c = call float @llvm.maxnum.f32(float %s, float 1.0)
  store volatile float %c, ptr %p
  ret void
}

declare <2 x float> @llvm.fabs.v2f32(<2 x float>)

; The maximum so far begins with a number, and so stays one; equal numbers, zeros, are joined as the instruction gives
; either of them.
; LOOP-LABEL: define <2 x float> @loop(
; LOOP: %m = phi <2 x float>
; LOOP-NOT: fcmp uno
; LOOP: [[NUMBER:%.*]] = fcmp ogt <2 x float> %x, <float 0xFFF0000000000000, float 0xFFF0000000000000>
; LOOP-NEXT: [[X:%.*]] = select <2 x i1> [[NUMBER]], <2 x float> %x, <2 x float> <float 0xFFF0000000000000, float 0xFFF0000000000000>
; LOOP-NEXT: [[MORE:%.*]] = fcmp ogt <2 x float> [[X]], %m
; LOOP-NEXT: [[MAX:%.*]] = select <2 x i1> [[MORE]], <2 x float> [[X]], <2 x float> %m
; LOOP-NEXT: [[LESS:%.*]] = fcmp ogt <2 x float> %m, [[X]]
; LOOP-NEXT: [[OTHER:%.*]] = select <2 x i1> [[LESS]], <2 x float> %m, <2 x float> [[X]]
; LOOP: and <2 x i32>
; LOOP-NOT: select
; LOOP: %k = phi <2 x float>
; The other operand is the number, which is as good where the choice tells zeros apart.
; LOOP-NOT: fcmp uno
; LOOP: %j = phi <2 x float>
; LOOP: fcmp uno <2 x float> %j, %j
define <2 x float> @loop(ptr %p, i32 %n, <2 x float> %first) {
entry:
  br label %loop
loop:
  %m = phi <2 x float> [ splat (float 0xC7EFFFFFE0000000), %entry ], [ %fixed, %loop ]
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %a = getelementptr <2 x float>, ptr %p, i32 %i
  %x = load <2 x float>, ptr %a
  %max = call <2 x float> @llvm.maxnum.v2f32(<2 x float> %m, <2 x float> %x)
  %m.bits = bitcast <2 x float> %m to <2 x i32>
  %x.bits = bitcast <2 x float> %x to <2 x i32>
  %both = and <2 x i32> %m.bits, %x.bits
  %zeros = bitcast <2 x i32> %both to <2 x float>
  %equal = fcmp oeq <2 x float> %m, %x
  %fixed = select <2 x i1> %equal, <2 x float> %zeros, <2 x float> %max
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %other
other:
  %k = phi <2 x float> [ %first, %loop ], [ %least, %other ]
  %y.max = call <2 x float> @llvm.maxnum.v2f32(<2 x float> %k, <2 x float> %fixed)
  %k.bits = bitcast <2 x float> %k to <2 x i32>
  %fixed.bits = bitcast <2 x float> %fixed to <2 x i32>
  %same = and <2 x i32> %k.bits, %fixed.bits
  %same.zeros = bitcast <2 x i32> %same to <2 x float>
  %is.same = fcmp oeq <2 x float> %k, %fixed
  %least = select <2 x i1> %is.same, <2 x float> %same.zeros, <2 x float> %y.max
  %again = fcmp olt <2 x float> %least, zeroinitializer
  %any = extractelement <2 x i1> %again, i64 0
  br i1 %any, label %other, label %third
third:
  %j = phi <2 x float> [ %first, %other ], [ %last, %third ]
  %last = call <2 x float> @llvm.maxnum.v2f32(<2 x float> %j, <2 x float> %fixed)
  %last.again = fcmp olt <2 x float> %last, zeroinitializer
  %last.any = extractelement <2 x i1> %last.again, i64 0
  br i1 %last.any, label %third, label %end
end:
  ret <2 x float> %last
}

declare <2 x float> @llvm.minnum.v2f32(<2 x float>, <2 x float>)

; The instruction has the right zero where that is its second operand.
; ZEROS-LABEL: define void @zeros(
define void @zeros(<2 x float> %x, ptr %p) {
; ZEROS: [[ABOVE:%.*]] = fcmp ogt <2 x float> %x, zeroinitializer
; ZEROS-NEXT: [[MAX:%.*]] = select <2 x i1> [[ABOVE]], <2 x float> %x, <2 x float> zeroinitializer
; ZEROS: store volatile <2 x float> [[MAX]]
  %above = call <2 x float> @llvm.maxnum.v2f32(<2 x float> %x, <2 x float> zeroinitializer)
  %zero = fcmp oeq <2 x float> %x, zeroinitializer
  %relu = select <2 x i1> %zero, <2 x float> zeroinitializer, <2 x float> %above
  store volatile <2 x float> %relu, ptr %p
; The smaller zero is x.
; ZEROS: [[LESS:%.*]] = select <2 x i1> %zero, <2 x float> %x, <2 x float> {{%.*}}
; ZEROS: store volatile <2 x float> [[LESS]]
  %under = call <2 x float> @llvm.minnum.v2f32(<2 x float> %x, <2 x float> zeroinitializer)
  %least = select <2 x i1> %zero, <2 x float> %x, <2 x float> %under
  store volatile <2 x float> %least, ptr %p
; Somebody else's choice.
; ZEROS: select <2 x i1> %zero, <2 x float> <float 2.000000e+00, float 2.000000e+00>
  %again = call <2 x float> @llvm.maxnum.v2f32(<2 x float> %x, <2 x float> zeroinitializer)
  %other = select <2 x i1> %zero, <2 x float> splat (float 2.0), <2 x float> %again
  store volatile <2 x float> %other, ptr %p
  ret void
}
