; RUN: %opt -kernel=numbers -target=x86-64-v3 -passes=pack-scalars %s | %check %s --check-prefix=NUMBERS
; RUN: %opt -kernel=few -target=x86-64-v3 -passes=pack-scalars %s | %check %s --check-prefix=FEW
target triple = "x86_64-pc-linux-gnu"

; Four groups' numbers, which live through a loop: one vector.
; NUMBERS-LABEL: define void @numbers(
; NUMBERS: loop:
; NUMBERS: [[M:%.*]] = phi <4 x float>
; NUMBERS: [[ALL:%.*]] = load <4 x float>
; NUMBERS: fadd <4 x float> [[M]], [[ALL]]
; NUMBERS-COUNT-3: fmul <4 x float> {{.*}}, <float 5.000000e-01
; NUMBERS-NOT: fmul
; NUMBERS: end:
define void @numbers(ptr %x, ptr %out, i32 %n) {
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %m0 = phi float [ 0.000000e+00, %entry ], [ %v0.6, %loop ]
  %m1 = phi float [ 0.000000e+00, %entry ], [ %v1.6, %loop ]
  %m2 = phi float [ 0.000000e+00, %entry ], [ %v2.6, %loop ]
  %m3 = phi float [ 0.000000e+00, %entry ], [ %v3.6, %loop ]
  %p = getelementptr <4 x float>, ptr %x, i32 %k
  %all = load <4 x float>, ptr %p
  %s0 = extractelement <4 x float> %all, i64 0
  %v0.0 = fadd float %m0, %s0
  %v0.1 = fmul float %v0.0, 5.000000e-01
  %v0.2 = fadd float %v0.1, 5.000000e-01
  %v0.3 = fmul float %v0.2, 5.000000e-01
  %v0.4 = fadd float %v0.3, 5.000000e-01
  %v0.5 = fmul float %v0.4, 5.000000e-01
  %v0.6 = fadd float %v0.5, 5.000000e-01
  %s1 = extractelement <4 x float> %all, i64 1
  %v1.0 = fadd float %m1, %s1
  %v1.1 = fmul float %v1.0, 5.000000e-01
  %v1.2 = fadd float %v1.1, 5.000000e-01
  %v1.3 = fmul float %v1.2, 5.000000e-01
  %v1.4 = fadd float %v1.3, 5.000000e-01
  %v1.5 = fmul float %v1.4, 5.000000e-01
  %v1.6 = fadd float %v1.5, 5.000000e-01
  %s2 = extractelement <4 x float> %all, i64 2
  %v2.0 = fadd float %m2, %s2
  %v2.1 = fmul float %v2.0, 5.000000e-01
  %v2.2 = fadd float %v2.1, 5.000000e-01
  %v2.3 = fmul float %v2.2, 5.000000e-01
  %v2.4 = fadd float %v2.3, 5.000000e-01
  %v2.5 = fmul float %v2.4, 5.000000e-01
  %v2.6 = fadd float %v2.5, 5.000000e-01
  %s3 = extractelement <4 x float> %all, i64 3
  %v3.0 = fadd float %m3, %s3
  %v3.1 = fmul float %v3.0, 5.000000e-01
  %v3.2 = fadd float %v3.1, 5.000000e-01
  %v3.3 = fmul float %v3.2, 5.000000e-01
  %v3.4 = fadd float %v3.3, 5.000000e-01
  %v3.5 = fmul float %v3.4, 5.000000e-01
  %v3.6 = fadd float %v3.5, 5.000000e-01
  %next = add nuw i32 %k, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %q0 = getelementptr float, ptr %out, i32 0
  store float %v0.6, ptr %q0
  %q1 = getelementptr float, ptr %out, i32 64
  store float %v1.6, ptr %q1
  %q2 = getelementptr float, ptr %out, i32 128
  store float %v2.6, ptr %q2
  %q3 = getelementptr float, ptr %out, i32 192
  store float %v3.6, ptr %q3
  ret void
}

; Too little to look for.
; FEW-LABEL: define void @few(
; FEW-COUNT-4: phi float
; FEW-NOT: fmul <
; FEW: end:
define void @few(ptr %x, ptr %out, i32 %n) {
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %m0 = phi float [ 0.000000e+00, %entry ], [ %v0.2, %loop ]
  %m1 = phi float [ 0.000000e+00, %entry ], [ %v1.2, %loop ]
  %m2 = phi float [ 0.000000e+00, %entry ], [ %v2.2, %loop ]
  %m3 = phi float [ 0.000000e+00, %entry ], [ %v3.2, %loop ]
  %p = getelementptr <4 x float>, ptr %x, i32 %k
  %all = load <4 x float>, ptr %p
  %s0 = extractelement <4 x float> %all, i64 0
  %v0.0 = fadd float %m0, %s0
  %v0.1 = fmul float %v0.0, 5.000000e-01
  %v0.2 = fadd float %v0.1, 5.000000e-01
  %s1 = extractelement <4 x float> %all, i64 1
  %v1.0 = fadd float %m1, %s1
  %v1.1 = fmul float %v1.0, 5.000000e-01
  %v1.2 = fadd float %v1.1, 5.000000e-01
  %s2 = extractelement <4 x float> %all, i64 2
  %v2.0 = fadd float %m2, %s2
  %v2.1 = fmul float %v2.0, 5.000000e-01
  %v2.2 = fadd float %v2.1, 5.000000e-01
  %s3 = extractelement <4 x float> %all, i64 3
  %v3.0 = fadd float %m3, %s3
  %v3.1 = fmul float %v3.0, 5.000000e-01
  %v3.2 = fadd float %v3.1, 5.000000e-01
  %next = add nuw i32 %k, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %q0 = getelementptr float, ptr %out, i32 0
  store float %v0.2, ptr %q0
  %q1 = getelementptr float, ptr %out, i32 64
  store float %v1.2, ptr %q1
  %q2 = getelementptr float, ptr %out, i32 128
  store float %v2.2, ptr %q2
  %q3 = getelementptr float, ptr %out, i32 192
  store float %v3.2, ptr %q3
  ret void
}
