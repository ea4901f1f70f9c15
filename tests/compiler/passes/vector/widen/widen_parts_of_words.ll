; RUN: %opt -kernel=three_of_four -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=THREE
; RUN: %opt -kernel=by_some -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=SOME
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; With AVX-512 three bytes of four are parts of words, whose last one is loaded up to its last member.
; THREE-LABEL: define void @three_of_four(
; THREE: [[BYTES:%.*]] = call <32 x i8> @llvm.masked.load.v32i8.p0(ptr {{.*}}, i32 1, <32 x i1> <i1 true, {{.*}}, i1 true, i1 true, i1 true, i1 false>, <32 x i8> zeroinitializer)
; THREE: [[WORDS:%.*]] = bitcast <32 x i8> [[BYTES]] to <8 x i32>
; THREE: trunc <8 x i32> [[WORDS]] to <8 x i8>
; THREE: lshr <8 x i32> [[WORDS]], <i32 8,
; THREE: lshr <8 x i32> [[WORDS]], <i32 16,
define void @three_of_four(ptr %p, ptr %q) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = shl nuw nsw i32 %t, 2
  %w = zext nneg i32 %i to i64
  %r = getelementptr i8, ptr %p, i64 %w
  %a = load i8, ptr %r
  %g = getelementptr i8, ptr %r, i64 1
  %b = load i8, ptr %g
  %e = getelementptr i8, ptr %r, i64 2
  %c = load i8, ptr %e
  %ab = add i8 %a, %b
  %abc = add i8 %ab, %c
  %o = zext nneg i32 %t to i64
  %s = getelementptr i8, ptr %q, i64 %o
  store i8 %abc, ptr %s
  ret void
}

; Some lanes: their members' bytes alone.
; SOME-LABEL: define void @by_some(
; SOME: masked.load.v32i8.p0(ptr {{.*}}, <32 x i1> <i1 true
; SOME: [[EACH:%.*]] = shufflevector <8 x i1> {{.*}}, <8 x i1> zeroinitializer, <32 x i32> <i32 0, i32 0, i32 8, i32 8, i32 1, i32 1, i32 8, i32 8,
; SOME: masked.load.v32i8.p0(ptr {{.*}}, <32 x i1> [[EACH]]
define void @by_some(ptr %p, ptr %q) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %o = zext nneg i32 %t to i64
  %s = getelementptr i8, ptr %q, i64 %o
  %old = load i8, ptr %s
  %on = icmp eq i8 %old, 0
  br i1 %on, label %then, label %end
then:
  %i = shl nuw nsw i32 %t, 2
  %w = zext nneg i32 %i to i64
  %r = getelementptr i8, ptr %p, i64 %w
  %a = load i8, ptr %r
  %g = getelementptr i8, ptr %r, i64 1
  %b = load i8, ptr %g
  %ab = mul i8 %a, %b
  store i8 %ab, ptr %s
  br label %end
end:
  ret void
}

!llvm.module.flags = !{!0}
!0 = !{i32 7, !"lanza.rounds_each_way", i32 1}
