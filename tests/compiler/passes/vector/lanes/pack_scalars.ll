; RUN: %opt -kernel=numbers -target=x86-64-v3 -passes=pack-scalars %s | %check %s --check-prefix=NUMBERS
; RUN: %opt -kernel=few -target=x86-64-v3 -passes=pack-scalars %s | %check %s --check-prefix=FEW
; RUN: %opt -kernel=loaded -target=x86-64-v3 -passes=pack-scalars %s | %check %s --check-prefix=LOADED
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

; What rows of memory are multiplied by would have to be put into vectors first.
; LOADED-LABEL: define void @loaded(
; LOADED-COUNT-4: phi float
; LOADED-NOT: fadd <
; LOADED: end:
define void @loaded(ptr %x, ptr %out, i32 %n) {
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %m0 = phi float [ 0.000000e+00, %entry ], [ %v0.8, %loop ]
  %m1 = phi float [ 0.000000e+00, %entry ], [ %v1.8, %loop ]
  %m2 = phi float [ 0.000000e+00, %entry ], [ %v2.8, %loop ]
  %m3 = phi float [ 0.000000e+00, %entry ], [ %v3.8, %loop ]
  %p = getelementptr float, ptr %x, i32 %k
  %p0.1 = getelementptr float, ptr %p, i32 1
  %l0.1 = load float, ptr %p0.1
  %v0.1 = fadd float %m0, %l0.1
  %p0.2 = getelementptr float, ptr %p, i32 2
  %l0.2 = load float, ptr %p0.2
  %v0.2 = fadd float %v0.1, %l0.2
  %p0.3 = getelementptr float, ptr %p, i32 3
  %l0.3 = load float, ptr %p0.3
  %v0.3 = fadd float %v0.2, %l0.3
  %p0.4 = getelementptr float, ptr %p, i32 4
  %l0.4 = load float, ptr %p0.4
  %v0.4 = fadd float %v0.3, %l0.4
  %p0.5 = getelementptr float, ptr %p, i32 5
  %l0.5 = load float, ptr %p0.5
  %v0.5 = fadd float %v0.4, %l0.5
  %p0.6 = getelementptr float, ptr %p, i32 6
  %l0.6 = load float, ptr %p0.6
  %v0.6 = fadd float %v0.5, %l0.6
  %p0.7 = getelementptr float, ptr %p, i32 7
  %l0.7 = load float, ptr %p0.7
  %v0.7 = fadd float %v0.6, %l0.7
  %p0.8 = getelementptr float, ptr %p, i32 8
  %l0.8 = load float, ptr %p0.8
  %v0.8 = fadd float %v0.7, %l0.8
  %p1.1 = getelementptr float, ptr %p, i32 1001
  %l1.1 = load float, ptr %p1.1
  %v1.1 = fadd float %m1, %l1.1
  %p1.2 = getelementptr float, ptr %p, i32 1002
  %l1.2 = load float, ptr %p1.2
  %v1.2 = fadd float %v1.1, %l1.2
  %p1.3 = getelementptr float, ptr %p, i32 1003
  %l1.3 = load float, ptr %p1.3
  %v1.3 = fadd float %v1.2, %l1.3
  %p1.4 = getelementptr float, ptr %p, i32 1004
  %l1.4 = load float, ptr %p1.4
  %v1.4 = fadd float %v1.3, %l1.4
  %p1.5 = getelementptr float, ptr %p, i32 1005
  %l1.5 = load float, ptr %p1.5
  %v1.5 = fadd float %v1.4, %l1.5
  %p1.6 = getelementptr float, ptr %p, i32 1006
  %l1.6 = load float, ptr %p1.6
  %v1.6 = fadd float %v1.5, %l1.6
  %p1.7 = getelementptr float, ptr %p, i32 1007
  %l1.7 = load float, ptr %p1.7
  %v1.7 = fadd float %v1.6, %l1.7
  %p1.8 = getelementptr float, ptr %p, i32 1008
  %l1.8 = load float, ptr %p1.8
  %v1.8 = fadd float %v1.7, %l1.8
  %p2.1 = getelementptr float, ptr %p, i32 2001
  %l2.1 = load float, ptr %p2.1
  %v2.1 = fadd float %m2, %l2.1
  %p2.2 = getelementptr float, ptr %p, i32 2002
  %l2.2 = load float, ptr %p2.2
  %v2.2 = fadd float %v2.1, %l2.2
  %p2.3 = getelementptr float, ptr %p, i32 2003
  %l2.3 = load float, ptr %p2.3
  %v2.3 = fadd float %v2.2, %l2.3
  %p2.4 = getelementptr float, ptr %p, i32 2004
  %l2.4 = load float, ptr %p2.4
  %v2.4 = fadd float %v2.3, %l2.4
  %p2.5 = getelementptr float, ptr %p, i32 2005
  %l2.5 = load float, ptr %p2.5
  %v2.5 = fadd float %v2.4, %l2.5
  %p2.6 = getelementptr float, ptr %p, i32 2006
  %l2.6 = load float, ptr %p2.6
  %v2.6 = fadd float %v2.5, %l2.6
  %p2.7 = getelementptr float, ptr %p, i32 2007
  %l2.7 = load float, ptr %p2.7
  %v2.7 = fadd float %v2.6, %l2.7
  %p2.8 = getelementptr float, ptr %p, i32 2008
  %l2.8 = load float, ptr %p2.8
  %v2.8 = fadd float %v2.7, %l2.8
  %p3.1 = getelementptr float, ptr %p, i32 3001
  %l3.1 = load float, ptr %p3.1
  %v3.1 = fadd float %m3, %l3.1
  %p3.2 = getelementptr float, ptr %p, i32 3002
  %l3.2 = load float, ptr %p3.2
  %v3.2 = fadd float %v3.1, %l3.2
  %p3.3 = getelementptr float, ptr %p, i32 3003
  %l3.3 = load float, ptr %p3.3
  %v3.3 = fadd float %v3.2, %l3.3
  %p3.4 = getelementptr float, ptr %p, i32 3004
  %l3.4 = load float, ptr %p3.4
  %v3.4 = fadd float %v3.3, %l3.4
  %p3.5 = getelementptr float, ptr %p, i32 3005
  %l3.5 = load float, ptr %p3.5
  %v3.5 = fadd float %v3.4, %l3.5
  %p3.6 = getelementptr float, ptr %p, i32 3006
  %l3.6 = load float, ptr %p3.6
  %v3.6 = fadd float %v3.5, %l3.6
  %p3.7 = getelementptr float, ptr %p, i32 3007
  %l3.7 = load float, ptr %p3.7
  %v3.7 = fadd float %v3.6, %l3.7
  %p3.8 = getelementptr float, ptr %p, i32 3008
  %l3.8 = load float, ptr %p3.8
  %v3.8 = fadd float %v3.7, %l3.8
  %next = add nuw i32 %k, 8
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %q0 = getelementptr float, ptr %out, i32 0
  store float %v0.8, ptr %q0
  %q1 = getelementptr float, ptr %out, i32 64
  store float %v1.8, ptr %q1
  %q2 = getelementptr float, ptr %out, i32 128
  store float %v2.8, ptr %q2
  %q3 = getelementptr float, ptr %out, i32 192
  store float %v3.8, ptr %q3
  ret void
}
