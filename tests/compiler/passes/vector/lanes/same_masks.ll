; RUN: %opt -kernel=taps -target=x86-64-v4 -passes='same-masks,llvm(verify)' %s | %check %s --check-prefix=TAPS
; RUN: %opt -kernel=few -target=x86-64-v4 -passes=same-masks %s | %check %s --check-prefix=FEW
target triple = "x86_64-pc-linux-gnu"

declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)

; Four rows of three taps each: where all rows are inside, three masks are left of twelve.
; TAPS-LABEL: define void @taps(
; TAPS: [[IN:%.*]] = xor <8 x i1> %beyond, <i1 true
; TAPS: [[M0:%.*]] = select <8 x i1> [[IN]], <8 x i1> %x0, <8 x i1> zeroinitializer
; TAPS: [[M1:%.*]] = select <8 x i1> [[IN]], <8 x i1> %x1, <8 x i1> zeroinitializer
; TAPS: [[M2:%.*]] = select <8 x i1> [[IN]], <8 x i1> %x2, <8 x i1> zeroinitializer
; TAPS: [[NONE:%.*]] = freeze i1 %none0
; TAPS: xor i1 [[NONE]], true
; TAPS: freeze i1 %row0
; TAPS: br i1 {{%.*}}, label %loop.same, label %apart
; TAPS: apart:
; TAPS: select <8 x i1> {{%.*}}, <8 x i1> %both0.0
; TAPS: br label %loop
; TAPS: loop.same:
; TAPS: masked.load.v8f32.p0(ptr {{%.*}}, i32 4, <8 x i1> [[M0]]
; TAPS: masked.load.v8f32.p0(ptr {{%.*}}, i32 4, <8 x i1> [[M1]]
; TAPS: masked.load.v8f32.p0(ptr {{%.*}}, i32 4, <8 x i1> [[M2]]
; TAPS: masked.load.v8f32.p0(ptr {{%.*}}, i32 4, <8 x i1> [[M0]]
; TAPS-NOT: %mask
; TAPS: br i1 {{%.*}}, label %loop.same
define void @taps(ptr %p, ptr %out, <8 x i1> %beyond, <8 x i1> %x0, <8 x i1> %x1, <8 x i1> %x2, <4 x i1> %rows, <4 x i1> %none, i32 %n) {
entry:
  %row0 = extractelement <4 x i1> %rows, i64 0
  %none0 = extractelement <4 x i1> %none, i64 0
  %first0 = insertelement <8 x i1> poison, i1 %none0, i64 0
  %all0 = shufflevector <8 x i1> %first0, <8 x i1> poison, <8 x i32> zeroinitializer
  %out0 = or <8 x i1> %beyond, %all0
  %in0 = xor <8 x i1> %out0, splat (i1 true)
  %both0.0 = select i1 %row0, <8 x i1> %x0, <8 x i1> zeroinitializer
  %mask0.0 = select <8 x i1> %in0, <8 x i1> %both0.0, <8 x i1> zeroinitializer
  %both0.1 = select i1 %row0, <8 x i1> %x1, <8 x i1> zeroinitializer
  %mask0.1 = select <8 x i1> %in0, <8 x i1> %both0.1, <8 x i1> zeroinitializer
  %both0.2 = select i1 %row0, <8 x i1> %x2, <8 x i1> zeroinitializer
  %mask0.2 = select <8 x i1> %in0, <8 x i1> %both0.2, <8 x i1> zeroinitializer
  %row1 = extractelement <4 x i1> %rows, i64 1
  %none1 = extractelement <4 x i1> %none, i64 1
  %first1 = insertelement <8 x i1> poison, i1 %none1, i64 0
  %all1 = shufflevector <8 x i1> %first1, <8 x i1> poison, <8 x i32> zeroinitializer
  %out1 = or <8 x i1> %beyond, %all1
  %in1 = xor <8 x i1> %out1, splat (i1 true)
  %both1.0 = select i1 %row1, <8 x i1> %x0, <8 x i1> zeroinitializer
  %mask1.0 = select <8 x i1> %in1, <8 x i1> %both1.0, <8 x i1> zeroinitializer
  %both1.1 = select i1 %row1, <8 x i1> %x1, <8 x i1> zeroinitializer
  %mask1.1 = select <8 x i1> %in1, <8 x i1> %both1.1, <8 x i1> zeroinitializer
  %both1.2 = select i1 %row1, <8 x i1> %x2, <8 x i1> zeroinitializer
  %mask1.2 = select <8 x i1> %in1, <8 x i1> %both1.2, <8 x i1> zeroinitializer
  %row2 = extractelement <4 x i1> %rows, i64 2
  %none2 = extractelement <4 x i1> %none, i64 2
  %first2 = insertelement <8 x i1> poison, i1 %none2, i64 0
  %all2 = shufflevector <8 x i1> %first2, <8 x i1> poison, <8 x i32> zeroinitializer
  %out2 = or <8 x i1> %beyond, %all2
  %in2 = xor <8 x i1> %out2, splat (i1 true)
  %both2.0 = select i1 %row2, <8 x i1> %x0, <8 x i1> zeroinitializer
  %mask2.0 = select <8 x i1> %in2, <8 x i1> %both2.0, <8 x i1> zeroinitializer
  %both2.1 = select i1 %row2, <8 x i1> %x1, <8 x i1> zeroinitializer
  %mask2.1 = select <8 x i1> %in2, <8 x i1> %both2.1, <8 x i1> zeroinitializer
  %both2.2 = select i1 %row2, <8 x i1> %x2, <8 x i1> zeroinitializer
  %mask2.2 = select <8 x i1> %in2, <8 x i1> %both2.2, <8 x i1> zeroinitializer
  %row3 = extractelement <4 x i1> %rows, i64 3
  %none3 = extractelement <4 x i1> %none, i64 3
  %first3 = insertelement <8 x i1> poison, i1 %none3, i64 0
  %all3 = shufflevector <8 x i1> %first3, <8 x i1> poison, <8 x i32> zeroinitializer
  %out3 = or <8 x i1> %beyond, %all3
  %in3 = xor <8 x i1> %out3, splat (i1 true)
  %both3.0 = select i1 %row3, <8 x i1> %x0, <8 x i1> zeroinitializer
  %mask3.0 = select <8 x i1> %in3, <8 x i1> %both3.0, <8 x i1> zeroinitializer
  %both3.1 = select i1 %row3, <8 x i1> %x1, <8 x i1> zeroinitializer
  %mask3.1 = select <8 x i1> %in3, <8 x i1> %both3.1, <8 x i1> zeroinitializer
  %both3.2 = select i1 %row3, <8 x i1> %x2, <8 x i1> zeroinitializer
  %mask3.2 = select <8 x i1> %in3, <8 x i1> %both3.2, <8 x i1> zeroinitializer
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum0 = phi <8 x float> [ zeroinitializer, %entry ], [ %sum0.3, %loop ]
  %sum1 = phi <8 x float> [ zeroinitializer, %entry ], [ %sum1.3, %loop ]
  %sum2 = phi <8 x float> [ zeroinitializer, %entry ], [ %sum2.3, %loop ]
  %sum3 = phi <8 x float> [ zeroinitializer, %entry ], [ %sum3.3, %loop ]
  %at = getelementptr float, ptr %p, i32 %k
  %q0.0 = getelementptr float, ptr %at, i32 0
  %v0.0 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %q0.0, i32 4, <8 x i1> %mask0.0, <8 x float> zeroinitializer)
  %sum0.1 = fadd <8 x float> %sum0, %v0.0
  %q0.1 = getelementptr float, ptr %at, i32 1
  %v0.1 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %q0.1, i32 4, <8 x i1> %mask0.1, <8 x float> zeroinitializer)
  %sum0.2 = fadd <8 x float> %sum0.1, %v0.1
  %q0.2 = getelementptr float, ptr %at, i32 2
  %v0.2 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %q0.2, i32 4, <8 x i1> %mask0.2, <8 x float> zeroinitializer)
  %sum0.3 = fadd <8 x float> %sum0.2, %v0.2
  %q1.0 = getelementptr float, ptr %at, i32 64
  %v1.0 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %q1.0, i32 4, <8 x i1> %mask1.0, <8 x float> zeroinitializer)
  %sum1.1 = fadd <8 x float> %sum1, %v1.0
  %q1.1 = getelementptr float, ptr %at, i32 65
  %v1.1 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %q1.1, i32 4, <8 x i1> %mask1.1, <8 x float> zeroinitializer)
  %sum1.2 = fadd <8 x float> %sum1.1, %v1.1
  %q1.2 = getelementptr float, ptr %at, i32 66
  %v1.2 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %q1.2, i32 4, <8 x i1> %mask1.2, <8 x float> zeroinitializer)
  %sum1.3 = fadd <8 x float> %sum1.2, %v1.2
  %q2.0 = getelementptr float, ptr %at, i32 128
  %v2.0 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %q2.0, i32 4, <8 x i1> %mask2.0, <8 x float> zeroinitializer)
  %sum2.1 = fadd <8 x float> %sum2, %v2.0
  %q2.1 = getelementptr float, ptr %at, i32 129
  %v2.1 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %q2.1, i32 4, <8 x i1> %mask2.1, <8 x float> zeroinitializer)
  %sum2.2 = fadd <8 x float> %sum2.1, %v2.1
  %q2.2 = getelementptr float, ptr %at, i32 130
  %v2.2 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %q2.2, i32 4, <8 x i1> %mask2.2, <8 x float> zeroinitializer)
  %sum2.3 = fadd <8 x float> %sum2.2, %v2.2
  %q3.0 = getelementptr float, ptr %at, i32 192
  %v3.0 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %q3.0, i32 4, <8 x i1> %mask3.0, <8 x float> zeroinitializer)
  %sum3.1 = fadd <8 x float> %sum3, %v3.0
  %q3.1 = getelementptr float, ptr %at, i32 193
  %v3.1 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %q3.1, i32 4, <8 x i1> %mask3.1, <8 x float> zeroinitializer)
  %sum3.2 = fadd <8 x float> %sum3.1, %v3.1
  %q3.2 = getelementptr float, ptr %at, i32 194
  %v3.2 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %q3.2, i32 4, <8 x i1> %mask3.2, <8 x float> zeroinitializer)
  %sum3.3 = fadd <8 x float> %sum3.2, %v3.2
  %next = add nuw i32 %k, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %s0 = phi <8 x float> [ %sum0.3, %loop ]
  %s1 = phi <8 x float> [ %sum1.3, %loop ]
  %s2 = phi <8 x float> [ %sum2.3, %loop ]
  %s3 = phi <8 x float> [ %sum3.3, %loop ]
  %o0 = getelementptr <8 x float>, ptr %out, i32 0
  store <8 x float> %s0, ptr %o0
  %o1 = getelementptr <8 x float>, ptr %out, i32 1
  store <8 x float> %s1, ptr %o1
  %o2 = getelementptr <8 x float>, ptr %out, i32 2
  store <8 x float> %s2, ptr %o2
  %o3 = getelementptr <8 x float>, ptr %out, i32 3
  store <8 x float> %s3, ptr %o3
  ret void
}

; So few have registers.
; FEW-LABEL: define void @few(
; FEW-NOT: freeze
; FEW: }
define void @few(ptr %p, ptr %out, <8 x i1> %beyond, <8 x i1> %x0, <8 x i1> %x1, <8 x i1> %x2, <4 x i1> %rows, <4 x i1> %none, i32 %n) {
entry:
  %row0 = extractelement <4 x i1> %rows, i64 0
  %none0 = extractelement <4 x i1> %none, i64 0
  %first0 = insertelement <8 x i1> poison, i1 %none0, i64 0
  %all0 = shufflevector <8 x i1> %first0, <8 x i1> poison, <8 x i32> zeroinitializer
  %out0 = or <8 x i1> %beyond, %all0
  %in0 = xor <8 x i1> %out0, splat (i1 true)
  %both0.0 = select i1 %row0, <8 x i1> %x0, <8 x i1> zeroinitializer
  %mask0.0 = select <8 x i1> %in0, <8 x i1> %both0.0, <8 x i1> zeroinitializer
  %both0.1 = select i1 %row0, <8 x i1> %x1, <8 x i1> zeroinitializer
  %mask0.1 = select <8 x i1> %in0, <8 x i1> %both0.1, <8 x i1> zeroinitializer
  %both0.2 = select i1 %row0, <8 x i1> %x2, <8 x i1> zeroinitializer
  %mask0.2 = select <8 x i1> %in0, <8 x i1> %both0.2, <8 x i1> zeroinitializer
  %row1 = extractelement <4 x i1> %rows, i64 1
  %none1 = extractelement <4 x i1> %none, i64 1
  %first1 = insertelement <8 x i1> poison, i1 %none1, i64 0
  %all1 = shufflevector <8 x i1> %first1, <8 x i1> poison, <8 x i32> zeroinitializer
  %out1 = or <8 x i1> %beyond, %all1
  %in1 = xor <8 x i1> %out1, splat (i1 true)
  %both1.0 = select i1 %row1, <8 x i1> %x0, <8 x i1> zeroinitializer
  %mask1.0 = select <8 x i1> %in1, <8 x i1> %both1.0, <8 x i1> zeroinitializer
  %both1.1 = select i1 %row1, <8 x i1> %x1, <8 x i1> zeroinitializer
  %mask1.1 = select <8 x i1> %in1, <8 x i1> %both1.1, <8 x i1> zeroinitializer
  %both1.2 = select i1 %row1, <8 x i1> %x2, <8 x i1> zeroinitializer
  %mask1.2 = select <8 x i1> %in1, <8 x i1> %both1.2, <8 x i1> zeroinitializer
  %row2 = extractelement <4 x i1> %rows, i64 2
  %none2 = extractelement <4 x i1> %none, i64 2
  %first2 = insertelement <8 x i1> poison, i1 %none2, i64 0
  %all2 = shufflevector <8 x i1> %first2, <8 x i1> poison, <8 x i32> zeroinitializer
  %out2 = or <8 x i1> %beyond, %all2
  %in2 = xor <8 x i1> %out2, splat (i1 true)
  %both2.0 = select i1 %row2, <8 x i1> %x0, <8 x i1> zeroinitializer
  %mask2.0 = select <8 x i1> %in2, <8 x i1> %both2.0, <8 x i1> zeroinitializer
  %both2.1 = select i1 %row2, <8 x i1> %x1, <8 x i1> zeroinitializer
  %mask2.1 = select <8 x i1> %in2, <8 x i1> %both2.1, <8 x i1> zeroinitializer
  %both2.2 = select i1 %row2, <8 x i1> %x2, <8 x i1> zeroinitializer
  %mask2.2 = select <8 x i1> %in2, <8 x i1> %both2.2, <8 x i1> zeroinitializer
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum0 = phi <8 x float> [ zeroinitializer, %entry ], [ %sum0.3, %loop ]
  %sum1 = phi <8 x float> [ zeroinitializer, %entry ], [ %sum1.3, %loop ]
  %sum2 = phi <8 x float> [ zeroinitializer, %entry ], [ %sum2.3, %loop ]
  %at = getelementptr float, ptr %p, i32 %k
  %q0.0 = getelementptr float, ptr %at, i32 0
  %v0.0 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %q0.0, i32 4, <8 x i1> %mask0.0, <8 x float> zeroinitializer)
  %sum0.1 = fadd <8 x float> %sum0, %v0.0
  %q0.1 = getelementptr float, ptr %at, i32 1
  %v0.1 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %q0.1, i32 4, <8 x i1> %mask0.1, <8 x float> zeroinitializer)
  %sum0.2 = fadd <8 x float> %sum0.1, %v0.1
  %q0.2 = getelementptr float, ptr %at, i32 2
  %v0.2 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %q0.2, i32 4, <8 x i1> %mask0.2, <8 x float> zeroinitializer)
  %sum0.3 = fadd <8 x float> %sum0.2, %v0.2
  %q1.0 = getelementptr float, ptr %at, i32 64
  %v1.0 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %q1.0, i32 4, <8 x i1> %mask1.0, <8 x float> zeroinitializer)
  %sum1.1 = fadd <8 x float> %sum1, %v1.0
  %q1.1 = getelementptr float, ptr %at, i32 65
  %v1.1 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %q1.1, i32 4, <8 x i1> %mask1.1, <8 x float> zeroinitializer)
  %sum1.2 = fadd <8 x float> %sum1.1, %v1.1
  %q1.2 = getelementptr float, ptr %at, i32 66
  %v1.2 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %q1.2, i32 4, <8 x i1> %mask1.2, <8 x float> zeroinitializer)
  %sum1.3 = fadd <8 x float> %sum1.2, %v1.2
  %q2.0 = getelementptr float, ptr %at, i32 128
  %v2.0 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %q2.0, i32 4, <8 x i1> %mask2.0, <8 x float> zeroinitializer)
  %sum2.1 = fadd <8 x float> %sum2, %v2.0
  %q2.1 = getelementptr float, ptr %at, i32 129
  %v2.1 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %q2.1, i32 4, <8 x i1> %mask2.1, <8 x float> zeroinitializer)
  %sum2.2 = fadd <8 x float> %sum2.1, %v2.1
  %q2.2 = getelementptr float, ptr %at, i32 130
  %v2.2 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %q2.2, i32 4, <8 x i1> %mask2.2, <8 x float> zeroinitializer)
  %sum2.3 = fadd <8 x float> %sum2.2, %v2.2
  %next = add nuw i32 %k, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %s0 = phi <8 x float> [ %sum0.3, %loop ]
  %s1 = phi <8 x float> [ %sum1.3, %loop ]
  %s2 = phi <8 x float> [ %sum2.3, %loop ]
  %o0 = getelementptr <8 x float>, ptr %out, i32 0
  store <8 x float> %s0, ptr %o0
  %o1 = getelementptr <8 x float>, ptr %out, i32 1
  store <8 x float> %s1, ptr %o1
  %o2 = getelementptr <8 x float>, ptr %out, i32 2
  store <8 x float> %s2, ptr %o2
  ret void
}
