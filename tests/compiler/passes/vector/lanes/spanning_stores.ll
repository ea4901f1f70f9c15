; RUN: %opt -kernel=some -passes=spanning-loads %s | %check %s --check-prefix=SOME
; RUN: %opt -kernel=exchange -passes=spanning-loads %s | %check %s --check-prefix=EXCHANGE
; RUN: %opt -kernel=end -passes=spanning-loads %s | %check %s --check-prefix=END
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, i32, <4 x i1>)

; A store across two parts is stored in both: lanes that are off keep what is there.
; SOME-LABEL: define <4 x i32> @some(
; SOME: [[OLD:%.*]] = shufflevector <4 x i32> {{%.*}}, <4 x i32> {{%.*}}, <4 x i32> <i32 3, i32 4, i32 5, i32 6>
; SOME-NEXT: [[NEW:%.*]] = select <4 x i1> %mask, <4 x i32> %c, <4 x i32> [[OLD]]
; SOME-NEXT: [[FIRST:%.*]] = load <4 x i32>, ptr %s, align 16
; SOME-NEXT: [[LANES:%.*]] = shufflevector <4 x i32> [[NEW]], <4 x i32> poison, <4 x i32> <i32 poison, i32 poison, i32 poison, i32 0>
; SOME-NEXT: [[BOTH:%.*]] = shufflevector <4 x i32> [[FIRST]], <4 x i32> [[LANES]], <4 x i32> <i32 0, i32 1, i32 2, i32 7>
; SOME-NEXT: store <4 x i32> [[BOTH]], ptr %s, align 16
; SOME: [[REST:%.*]] = shufflevector <4 x i32> [[NEW]], <4 x i32> poison, <4 x i32> <i32 1, i32 2, i32 3, i32 poison>
; SOME-NEXT: [[ALL:%.*]] = shufflevector <4 x i32> {{%.*}}, <4 x i32> [[REST]], <4 x i32> <i32 4, i32 5, i32 6, i32 3>
; SOME: store <4 x i32> [[ALL]], ptr {{%.*}}, align 16
define <4 x i32> @some(<4 x i32> %a, <4 x i32> %b, <4 x i32> %c, <4 x i1> %mask) {
  %s = alloca [32 x i8], align 16
  %p = getelementptr i8, ptr %s, i64 16
  %across = getelementptr i8, ptr %s, i64 12
  store <4 x i32> %a, ptr %s, align 16
  store <4 x i32> %b, ptr %p, align 16
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %c, ptr %across, i32 4, <4 x i1> %mask)
  %q = getelementptr i8, ptr %s, i64 8
  %x = load <4 x i32>, ptr %q, align 4
  ret <4 x i32> %x
}

; Where each lane that may be on lies in one part, the other is not touched: a shuffle of the mask says so, too.
; EXCHANGE-LABEL: define <4 x i32> @exchange(
; EXCHANGE-COUNT-4: store <4 x i32>
; EXCHANGE-NOT: store
; EXCHANGE: ret
define <4 x i32> @exchange(<4 x i32> %a, <4 x i32> %b, <4 x i1> %less) {
  %s = alloca [32 x i8], align 16
  %p = getelementptr i8, ptr %s, i64 16
  %next = getelementptr i8, ptr %s, i64 4
  store <4 x i32> %a, ptr %s, align 16
  store <4 x i32> %b, ptr %p, align 16
  %even = shufflevector <4 x i1> %less, <4 x i1> zeroinitializer, <4 x i32> <i32 0, i32 5, i32 2, i32 7>
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %a, ptr %s, i32 16, <4 x i1> %even)
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %b, ptr %next, i32 4, <4 x i1> %even)
  %q = getelementptr i8, ptr %s, i64 8
  %x = load <4 x i32>, ptr %q, align 4
  ret <4 x i32> %x
}

; Lanes beyond the variable are off.
; END-LABEL: define <4 x i32> @end(
; END: shufflevector <4 x i32> {{%.*}}, <4 x i32> poison, <4 x i32> <i32 poison, i32 0, i32 1, i32 2>
; END-NOT: masked.store
; END: ret
define <4 x i32> @end(<4 x i32> %a, <4 x i32> %b, <4 x i1> %mask) {
  %s = alloca [32 x i8], align 16
  %p = getelementptr i8, ptr %s, i64 16
  %end = getelementptr i8, ptr %s, i64 20
  store <4 x i32> %a, ptr %s, align 16
  store <4 x i32> %b, ptr %p, align 16
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %a, ptr %end, i32 4, <4 x i1> %mask)
  %q = getelementptr i8, ptr %s, i64 8
  %x = load <4 x i32>, ptr %q, align 4
  ret <4 x i32> %x
}
