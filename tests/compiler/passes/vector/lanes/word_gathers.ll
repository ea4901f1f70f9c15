; RUN: %opt -kernel=bytes -target=sapphirerapids -passes='word-gathers,llvm(verify)' %s | %check %s
; RUN: %opt -kernel=shorts -target=sapphirerapids -passes='word-gathers,llvm(verify)' %s | %check %s --check-prefix=SHORTS
; RUN: %opt -kernel=halves -target=sapphirerapids -passes='word-gathers,llvm(verify)' %s | %check %s --check-prefix=HALVES
; RUN: %opt -kernel=parts -target=sapphirerapids -passes='word-gathers' %s | %check %s --check-prefix=PARTS
; RUN: %opt -kernel=copied -target=sapphirerapids -passes='word-gathers,llvm(verify)' %s | %check %s --check-prefix=COPIED
; RUN: %opt -kernel=copied_shorts -target=sapphirerapids -passes='word-gathers' %s | %check %s --check-prefix=COPIEDSHORTS
; RUN: %opt -kernel=table -target=sapphirerapids -passes='word-gathers' %s | %check %s --check-prefix=TABLE
; RUN: %opt -kernel=steps -target=sapphirerapids -passes='word-gathers' %s | %check %s --check-prefix=STEPS
; RUN: %opt -kernel=bytes -target=znver4 -passes='word-gathers' %s | %check %s --check-prefix=SLOW
; RUN: %opt -kernel=bytes -target=x86-64-v3 -passes='word-gathers' %s | %check %s --check-prefix=SLOW
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@known = internal constant [7 x i8] c"abcdefg"

declare <16 x i8> @llvm.masked.gather.v16i8.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x i8>)
declare <16 x half> @llvm.masked.gather.v16f16.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x half>)
declare <16 x i16> @llvm.masked.gather.v16i16.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x i16>)

; The word of each byte by the index's quotient, which cannot wrap; where x itself lies in a word is added to the rest.
; CHECK-LABEL: define <16 x i32> @bytes(
; CHECK: [[QUOTIENT:%.*]] = ashr <16 x i32> %index, <i32 2,
; CHECK: [[REST:%.*]] = and <16 x i32> %index, <i32 3,
; CHECK: [[PLACE:%.*]] = ptrtoint ptr %x to i64
; CHECK: [[BYTE:%.*]] = add <16 x i32> [[REST]],
; CHECK: [[MORE:%.*]] = lshr <16 x i32> [[BYTE]], <i32 2,
; CHECK: [[WORD:%.*]] = add <16 x i32> [[QUOTIENT]], [[MORE]]
; CHECK: [[IN:%.*]] = and <16 x i32> [[BYTE]], <i32 3,
; CHECK: [[BASE:%.*]] = call ptr @llvm.ptrmask.p0.i64(ptr %x, i64 -4)
; CHECK: [[WIDE:%.*]] = sext <16 x i32> [[WORD]] to <16 x i64>
; CHECK: getelementptr i32, ptr [[BASE]], <16 x i64> [[WIDE]]
; CHECK: [[WORDS:%.*]] = call <16 x i32> @llvm.masked.gather.v16i32.v16p0({{.*}}, i32 4, <16 x i1> %mask, <16 x i32> zeroinitializer)
; CHECK: [[BITS:%.*]] = shl <16 x i32> [[IN]], <i32 3,
; CHECK: [[DOWN:%.*]] = lshr <16 x i32> [[WORDS]], [[BITS]]
; CHECK: [[ONE:%.*]] = and <16 x i32> [[DOWN]], <i32 255,
; CHECK: [[OTHERS:%.*]] = zext <16 x i8> %others to <16 x i32>
; CHECK: select <16 x i1> %mask, <16 x i32> [[ONE]], <16 x i32> [[OTHERS]]
; SLOW-LABEL: define <16 x i32> @bytes(
; SLOW: call <16 x i8> @llvm.masked.gather.v16i8
define <16 x i32> @bytes(ptr %x, <16 x i32> %index, <16 x i1> %mask, <16 x i8> %others) {
  %wide = sext <16 x i32> %index to <16 x i64>
  %p = getelementptr i8, ptr %x, <16 x i64> %wide
  %v = call <16 x i8> @llvm.masked.gather.v16i8.v16p0(<16 x ptr> %p, i32 1, <16 x i1> %mask, <16 x i8> %others)
  %w = zext <16 x i8> %v to <16 x i32>
  ret <16 x i32> %w
}

; Two shorts in a word, of a base that is known to begin one.
; SHORTS-LABEL: define <16 x i32> @shorts(
; SHORTS: [[WORD:%.*]] = lshr <16 x i32> %index, <i32 1,
; SHORTS: [[REST:%.*]] = and <16 x i32> %index, <i32 1,
; SHORTS: [[BYTE:%.*]] = shl <16 x i32> [[REST]], <i32 1,
; SHORTS-NOT: ptrtoint
; SHORTS: sext <16 x i32> [[WORD]] to <16 x i64>
; SHORTS: [[UP:%.*]] = shl <16 x i32> {{.*}}, <i32 16,
; SHORTS: ashr <16 x i32> [[UP]], <i32 16,
define <16 x i32> @shorts(ptr align 8 %x, <16 x i32> %index) {
  %wide = zext <16 x i32> %index to <16 x i64>
  %p = getelementptr i16, ptr %x, <16 x i64> %wide
  %v = call <16 x i16> @llvm.masked.gather.v16i16.v16p0(<16 x ptr> %p, i32 2, <16 x i1> splat (i1 true), <16 x i16> poison)
  %w = sext <16 x i16> %v to <16 x i32>
  ret <16 x i32> %w
}

; HALVES-LABEL: define <16 x half> @halves(
; HALVES: [[BITS:%.*]] = trunc <16 x i32> {{.*}} to <16 x i16>
; HALVES: bitcast <16 x i16> [[BITS]] to <16 x half>
define <16 x half> @halves(ptr %x, <16 x i32> %index) {
  %wide = zext <16 x i32> %index to <16 x i64>
  %p = getelementptr half, ptr %x, <16 x i64> %wide
  %v = call <16 x half> @llvm.masked.gather.v16f16.v16p0(<16 x ptr> %p, i32 2, <16 x i1> splat (i1 true), <16 x half> poison)
  ret <16 x half> %v
}

; What stays a byte is cut out, too, by way of what the code generator does not look through.
; PARTS-LABEL: define <16 x i8> @parts(
; PARTS: call <16 x i32> @llvm.masked.gather.v16i32
; PARTS: [[CUT:%.*]] = trunc <16 x i32> {{.*}} to <16 x i8>
; PARTS: [[HIDDEN:%.*]] = call <16 x i8> asm "", "=x,0"(<16 x i8> [[CUT]])
; PARTS: ret <16 x i8> [[HIDDEN]]
define <16 x i8> @parts(ptr %x, <16 x i32> %index) {
  %wide = sext <16 x i32> %index to <16 x i64>
  %p = getelementptr i8, ptr %x, <16 x i64> %wide
  %v = call <16 x i8> @llvm.masked.gather.v16i8.v16p0(<16 x ptr> %p, i32 1, <16 x i1> splat (i1 true), <16 x i8> poison)
  ret <16 x i8> %v
}

; LLVM knows where this table ends.
; TABLE-LABEL: define <16 x i8> @table(
; TABLE: call <16 x i8> @llvm.masked.gather.v16i8
define <16 x i8> @table(<16 x i32> %index) {
  %wide = sext <16 x i32> %index to <16 x i64>
  %p = getelementptr i8, ptr @known, <16 x i64> %wide
  %v = call <16 x i8> @llvm.masked.gather.v16i8.v16p0(<16 x ptr> %p, i32 1, <16 x i1> splat (i1 true), <16 x i8> poison)
  ret <16 x i8> %v
}

; Constant steps need no index out of a vector.
; STEPS-LABEL: define <16 x i8> @steps(
; STEPS: call <16 x i8> @llvm.masked.gather.v16i8
define <16 x i8> @steps(ptr %x) {
  %p = getelementptr i8, ptr %x, <16 x i64> <i64 0, i64 9, i64 18, i64 27, i64 36, i64 45, i64 54, i64 63, i64 72, i64 81, i64 90, i64 99, i64 108, i64 117, i64 126, i64 135>
  %v = call <16 x i8> @llvm.masked.gather.v16i8.v16p0(<16 x ptr> %p, i32 1, <16 x i1> splat (i1 true), <16 x i8> poison)
  ret <16 x i8> %v
}

; Bytes that are stored as they are, together with what another way has, are cut out of their words.
; COPIED-LABEL: define void @copied(
; COPIED: [[WORDS:%.*]] = call <16 x i32> @llvm.masked.gather.v16i32.v16p0({{.*}}, i32 4, <16 x i1> %mask, <16 x i32> zeroinitializer)
; COPIED: [[DOWN:%.*]] = lshr <16 x i32> [[WORDS]],
; COPIED: [[CUT:%.*]] = trunc <16 x i32> [[DOWN]] to <16 x i8>
; COPIED: [[HIDDEN:%.*]] = call <16 x i8> asm "", "=x,0"(<16 x i8> [[CUT]])
; COPIED: [[SOME:%.*]] = select <16 x i1> %mask, <16 x i8> [[HIDDEN]], <16 x i8> zeroinitializer
; COPIED: phi <16 x i8> [ %near, %entry ], [ [[SOME]], %far ]
define void @copied(ptr %x, ptr %y, <16 x i32> %index, <16 x i1> %mask, <16 x i8> %near, i1 %lies_near) {
entry:
  br i1 %lies_near, label %end, label %far

far:
  %wide = sext <16 x i32> %index to <16 x i64>
  %p = getelementptr i8, ptr %x, <16 x i64> %wide
  %v = call <16 x i8> @llvm.masked.gather.v16i8.v16p0(<16 x ptr> %p, i32 1, <16 x i1> %mask, <16 x i8> zeroinitializer)
  br label %end

end:
  %all = phi <16 x i8> [ %near, %entry ], [ %v, %far ]
  store <16 x i8> %all, ptr %y, align 1
  ret void
}

; COPIEDSHORTS-LABEL: define void @copied_shorts(
; COPIEDSHORTS: call <16 x i32> @llvm.masked.gather.v16i32
; COPIEDSHORTS: [[CUT:%.*]] = trunc <16 x i32> {{.*}} to <16 x i16>
; COPIEDSHORTS: call <16 x i16> asm "", "=x,0"(<16 x i16> [[CUT]])
define void @copied_shorts(ptr align 8 %x, ptr %y, <16 x i32> %index) {
  %wide = zext <16 x i32> %index to <16 x i64>
  %p = getelementptr i16, ptr %x, <16 x i64> %wide
  %v = call <16 x i16> @llvm.masked.gather.v16i16.v16p0(<16 x ptr> %p, i32 2, <16 x i1> splat (i1 true), <16 x i16> poison)
  store <16 x i16> %v, ptr %y, align 2
  ret void
}
