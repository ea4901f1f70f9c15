; RUN: %opt -kernel=computed -target=x86-64-v4 -passes=range-extrema %s | %check %s --check-prefixes=CHECK,V4
; RUN: %opt -kernel=computed -target=x86-64-v3 -passes=range-extrema %s | %check %s --check-prefixes=CHECK,V3
; RUN: %opt -kernel=loop -target=x86-64-v4 -passes=range-extrema %s | %check %s --check-prefix=LOOP
; RUN: %opt -kernel=loaded -target=x86-64-v4 -passes=range-extrema %s | %check %s --check-prefix=LOADED
; RUN: %opt -kernel=kept -target=x86-64-v3 -passes=range-extrema %s | %check %s --check-prefix=KEPT
; RUN: %opt -kernel=kept_elsewhere -target=x86-64-v3 -passes=range-extrema %s | %check %s --check-prefix=ELSEWHERE
; RUN: %opt -kernel=positive -target=x86-64-v3 -passes=range-extrema %s | %check %s --check-prefix=POSITIVE
; RUN: %opt -kernel=absolute -target=x86-64-v4 -passes=range-extrema %s | %check %s --check-prefix=ABSOLUTE
; RUN: %opt -kernel=moved -target=x86-64-v4 -passes=range-extrema %s | %check %s --check-prefix=MOVED
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare <32 x float> @llvm.maxnum.v32f32(<32 x float>, <32 x float>)
declare <16 x float> @llvm.maxnum.v16f32(<16 x float>, <16 x float>)
declare <4 x double> @llvm.minnum.v4f64(<4 x double>, <4 x double>)
declare <16 x float> @llvm.fabs.v16f32(<16 x float>)
declare <16 x float> @llvm.minnum.v16f32(<16 x float>, <16 x float>)
declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)

; What is computed asks for no exception: one instruction a register. Of two NaNs the second, as PTX's are here.
; CHECK-LABEL: define void @computed(
; V4: %[[LOW:.*]] = call <16 x float> @llvm.x86.avx512.mask.range.ps.512(<16 x float> %{{.*}}, <16 x float> %{{.*}}, i32 5,
; V4: %[[HIGH:.*]] = call <16 x float> @llvm.x86.avx512.mask.range.ps.512(
; V4: shufflevector <16 x float> %[[LOW]], <16 x float> %[[HIGH]]
; V4: call <4 x double> @llvm.x86.avx512.mask.range.pd.256(<4 x double> %n, <4 x double> %m, i32 4,
; V4-NOT: fcmp oeq
; V4-LABEL: define <16 x float> @loop(
; V3: fcmp oeq <32 x float>
; V3: fcmp oeq <4 x double>
define void @computed(<32 x float> %a, <32 x float> %b, <4 x double> %c, ptr %p) {
  %x = fadd <32 x float> %a, %b
  %y = fmul <32 x float> %a, %b
  %max = call <32 x float> @llvm.maxnum.v32f32(<32 x float> %x, <32 x float> %y)
  %x.bits = bitcast <32 x float> %x to <32 x i32>
  %y.bits = bitcast <32 x float> %y to <32 x i32>
  %both = and <32 x i32> %x.bits, %y.bits
  %zeros = bitcast <32 x i32> %both to <32 x float>
  %equal = fcmp oeq <32 x float> %x, %y
  %fixed = select <32 x i1> %equal, <32 x float> %zeros, <32 x float> %max
  store volatile <32 x float> %fixed, ptr %p
  %m = fadd <4 x double> %c, splat (double 1.0)
  %n = fmul <4 x double> %c, splat (double 2.0)
  %min = call <4 x double> @llvm.minnum.v4f64(<4 x double> %m, <4 x double> %n)
  %m.bits = bitcast <4 x double> %m to <4 x i64>
  %n.bits = bitcast <4 x double> %n to <4 x i64>
  %either = or <4 x i64> %n.bits, %m.bits
  %signs = bitcast <4 x i64> %either to <4 x double>
  %same = fcmp oeq <4 x double> %m, %n
  %right = select <4 x i1> %same, <4 x double> %signs, <4 x double> %min
  store volatile <4 x double> %right, ptr %p
  ret void
}

; The maximum so far is a number: what is loaded is made quiet first.
; LOOP-LABEL: define <16 x float> @loop(
; LOOP: [[QUIET:%.*]] = call <16 x float> @llvm.x86.avx512.mask.range.ps.512(<16 x float> %x, <16 x float> %x,
; LOOP: call <16 x float> @llvm.x86.avx512.mask.range.ps.512(<16 x float> [[QUIET]], <16 x float> %m,
; LOOP-NOT: fcmp oeq
; LOOP-LABEL: define void @loaded(
define <16 x float> @loop(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %m = phi <16 x float> [ splat (float 0xFFF0000000000000), %entry ], [ %fixed, %loop ]
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %a = getelementptr <16 x float>, ptr %p, i32 %i
  %x = load <16 x float>, ptr %a
  %max = call <16 x float> @llvm.maxnum.v16f32(<16 x float> %m, <16 x float> %x)
  %m.bits = bitcast <16 x float> %m to <16 x i32>
  %x.bits = bitcast <16 x float> %x to <16 x i32>
  %both = and <16 x i32> %m.bits, %x.bits
  %zeros = bitcast <16 x i32> %both to <16 x float>
  %equal = fcmp oeq <16 x float> %m, %x
  %fixed = select <16 x i1> %equal, <16 x float> %zeros, <16 x float> %max
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret <16 x float> %m
}

; Two loaded ones may both be NaN, and which is left shows.
; LOADED-LABEL: define void @loaded(
; LOADED-NOT: avx512
; LOADED: fcmp oeq
define void @loaded(ptr %p, ptr %q) {
  %x = load <16 x float>, ptr %p
  %y = load <16 x float>, ptr %q
  %max = call <16 x float> @llvm.maxnum.v16f32(<16 x float> %x, <16 x float> %y)
  %x.bits = bitcast <16 x float> %x to <16 x i32>
  %y.bits = bitcast <16 x float> %y to <16 x i32>
  %both = and <16 x i32> %x.bits, %y.bits
  %zeros = bitcast <16 x i32> %both to <16 x float>
  %equal = fcmp oeq <16 x float> %x, %y
  %fixed = select <16 x i1> %equal, <16 x float> %zeros, <16 x float> %max
  store <16 x float> %fixed, ptr %p
  ret void
}

; Magnitudes have no negative zeros, nor has their maximum from 0 on; also of lanes that have changed places.
; POSITIVE-LABEL: define <16 x float> @positive(
; POSITIVE-NOT: fcmp oeq
; POSITIVE: call <16 x float> @llvm.maxnum.v16f32(<16 x float> %m, <16 x float> %s)
define <16 x float> @positive(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %m = phi <16 x float> [ zeroinitializer, %entry ], [ %fixed, %loop ]
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %a = getelementptr <16 x float>, ptr %p, i32 %i
  %v = load <16 x float>, ptr %a
  %x = call <16 x float> @llvm.fabs.v16f32(<16 x float> %v)
  %s = shufflevector <16 x float> %x, <16 x float> poison, <16 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6, i32 9, i32 8, i32 11, i32 10, i32 13, i32 12, i32 15, i32 14>
  %max = call <16 x float> @llvm.maxnum.v16f32(<16 x float> %m, <16 x float> %s)
  %m.bits = bitcast <16 x float> %m to <16 x i32>
  %s.bits = bitcast <16 x float> %s to <16 x i32>
  %both = and <16 x i32> %m.bits, %s.bits
  %zeros = bitcast <16 x i32> %both to <16 x float>
  %equal = fcmp oeq <16 x float> %m, %s
  %fixed = select <16 x i1> %equal, <16 x float> %zeros, <16 x float> %max
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret <16 x float> %m
}

; The least of squares' sums so far, kept from region to region: what was stored there is known, and no sign.
; KEPT-LABEL: define <16 x float> @kept(
; KEPT-NOT: fcmp oeq
; KEPT: store <16 x float> %min, ptr %own
define <16 x float> @kept(<16 x float> %v, ptr %q) {
entry:
  %slot = alloca [256 x i8], align 64
  store <16 x float> splat (float 0x47EFFFFFE0000000), ptr %slot, !lanza.slot !0
  br label %loop
loop:
  %g = phi i64 [ 0, %entry ], [ %next, %loop ]
  %own = getelementptr i8, ptr %slot, i64 %g
  %m = load <16 x float>, ptr %own, !lanza.slot !0
  %y = fmul <16 x float> %v, %v
  %d = call <16 x float> @llvm.fma.v16f32(<16 x float> %m, <16 x float> %m, <16 x float> %y)
  %min = call <16 x float> @llvm.minnum.v16f32(<16 x float> %m, <16 x float> %d)
  %m.bits = bitcast <16 x float> %m to <16 x i32>
  %d.bits = bitcast <16 x float> %d to <16 x i32>
  %either = or <16 x i32> %m.bits, %d.bits
  %zeros = bitcast <16 x i32> %either to <16 x float>
  %equal = fcmp oeq <16 x float> %m, %d
  %fixed = select <16 x i1> %equal, <16 x float> %zeros, <16 x float> %min
  store <16 x float> %fixed, ptr %own, !lanza.slot !0
  %next = add i64 %g, 64
  %more = icmp ult i64 %g, 192
  br i1 %more, label %loop, label %end
end:
  store <16 x float> %fixed, ptr %q
  ret <16 x float> %fixed
}

; Not where somebody else may write there.
; ELSEWHERE-LABEL: define <16 x float> @kept_elsewhere(
; ELSEWHERE: fcmp oeq
define <16 x float> @kept_elsewhere(<16 x float> %v, ptr %q) {
entry:
  %slot = alloca [256 x i8], align 64
  store <16 x float> splat (float 0x47EFFFFFE0000000), ptr %slot, !lanza.slot !0
  br label %loop
loop:
  %g = phi i64 [ 0, %entry ], [ %next, %loop ]
  %own = getelementptr i8, ptr %slot, i64 %g
  %m = load <16 x float>, ptr %own, !lanza.slot !0
  %y = fmul <16 x float> %v, %v
  %d = call <16 x float> @llvm.fma.v16f32(<16 x float> %m, <16 x float> %m, <16 x float> %y)
  %min = call <16 x float> @llvm.minnum.v16f32(<16 x float> %m, <16 x float> %d)
  %m.bits = bitcast <16 x float> %m to <16 x i32>
  %d.bits = bitcast <16 x float> %d to <16 x i32>
  %either = or <16 x i32> %m.bits, %d.bits
  %zeros = bitcast <16 x i32> %either to <16 x float>
  %equal = fcmp oeq <16 x float> %m, %d
  %fixed = select <16 x i1> %equal, <16 x float> %zeros, <16 x float> %min
  store <16 x float> %fixed, ptr %own, !lanza.slot !0
  %next = add i64 %g, 64
  %more = icmp ult i64 %g, 192
  br i1 %more, label %loop, label %end
end:
  store ptr %slot, ptr %q
  ret <16 x float> %fixed
}

!0 = !{i32 0, i32 0}

; Absolute values, which may be NaN: where they are equal they are so bit by bit.
; ABSOLUTE-LABEL: define <16 x float> @absolute(
; ABSOLUTE-NOT: fcmp oeq
; ABSOLUTE: ret <16 x float> %max
define <16 x float> @absolute(<16 x float> %a, <16 x float> %b) {
  %x = call <16 x float> @llvm.fabs.v16f32(<16 x float> %a)
  %y = call <16 x float> @llvm.fabs.v16f32(<16 x float> %b)
  %max = call <16 x float> @llvm.maxnum.v16f32(<16 x float> %x, <16 x float> %y)
  %x.bits = bitcast <16 x float> %x to <16 x i32>
  %y.bits = bitcast <16 x float> %y to <16 x i32>
  %both = and <16 x i32> %x.bits, %y.bits
  %zeros = bitcast <16 x i32> %both to <16 x float>
  %equal = fcmp oeq <16 x float> %x, %y
  %fixed = select <16 x i1> %equal, <16 x float> %zeros, <16 x float> %max
  ret <16 x float> %fixed
}

; Lanes that were moved as numbers, and as their bits: a warp's maximum of magnitudes.
; MOVED-LABEL: define <16 x float> @moved(
; MOVED-NOT: fcmp oeq
; MOVED: ret <16 x float> %max
define <16 x float> @moved(<16 x float> %a) {
  %x = call <16 x float> @llvm.fabs.v16f32(<16 x float> %a)
  %x.bits = bitcast <16 x float> %x to <16 x i32>
  %y.bits = shufflevector <16 x i32> %x.bits, <16 x i32> poison, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %y = bitcast <16 x i32> %y.bits to <16 x float>
  %z = shufflevector <16 x float> %x, <16 x float> poison, <16 x i32> zeroinitializer
  %z.bits = shufflevector <16 x i32> %x.bits, <16 x i32> poison, <16 x i32> zeroinitializer
  %max = call <16 x float> @llvm.maxnum.v16f32(<16 x float> %z, <16 x float> %y)
  %both = and <16 x i32> %y.bits, %z.bits
  %zeros = bitcast <16 x i32> %both to <16 x float>
  %equal = fcmp oeq <16 x float> %z, %y
  %fixed = select <16 x i1> %equal, <16 x float> %zeros, <16 x float> %max
  ret <16 x float> %fixed
}
