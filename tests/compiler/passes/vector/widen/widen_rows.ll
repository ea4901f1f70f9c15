; RUN: %opt -kernel=parts -lanes=16 -block=64 -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=PARTS
; RUN: %opt -kernel=rows -block=4,8 -passes=leave-beyond-block,prepare-control,linearise,widen %s | %check %s
; RUN: %opt -kernel=masked -block=4,8 -passes=leave-beyond-block,prepare-control,linearise,widen %s | %check %s --check-prefix=MASKED
; RUN: %opt -kernel=records -block=4,8 -passes=leave-beyond-block,prepare-control,linearise,widen %s | %check %s --check-prefix=RECORDS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()

; Two rows of four: a vector each, or one element for the whole row.
; CHECK-LABEL: define void @rows(
; CHECK: [[A:%.*]] = load <4 x float>, ptr
; CHECK: [[B:%.*]] = load <4 x float>, ptr
; CHECK: shufflevector <4 x float> [[A]], <4 x float> [[B]], <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4,
; CHECK: load float, ptr
; CHECK: load float, ptr
; CHECK: [[S:%.*]] = fadd <8 x float>
; CHECK: [[LOW:%.*]] = shufflevector <8 x float> [[S]], <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
; CHECK: store <4 x float> [[LOW]], ptr
; CHECK: [[HIGH:%.*]] = shufflevector <8 x float> [[S]], <8 x float> poison, <4 x i32> <i32 4,
; CHECK: store <4 x float> [[HIGH]], ptr
; CHECK-NOT: masked
define void @rows(ptr %x, ptr %y, i64 %pitch) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %r = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %i = zext i32 %t to i64
  %j = zext i32 %r to i64
  %m = mul i64 %j, %pitch
  %k = add i64 %m, %i
  %p = getelementptr float, ptr %x, i64 %k
  %a = load float, ptr %p
  %q = getelementptr float, ptr %y, i64 %j
  %b = load float, ptr %q
  %s = fadd float %a, %b
  store float %s, ptr %p
  ret void
}

; A row whose first lane is idle has no address.
; MASKED-LABEL: define void @masked(
; MASKED: masked.gather.v8f32
; MASKED: masked.scatter.v8f32
define void @masked(ptr %x, i64 %pitch, i64 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %r = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %i = zext i32 %t to i64
  %j = zext i32 %r to i64
  %m = mul i64 %j, %pitch
  %k = add i64 %m, %i
  %c = icmp sgt i64 %k, %n
  br i1 %c, label %then, label %end
then:
  %p = getelementptr float, ptr %x, i64 %k
  %a = load float, ptr %p
  %s = fadd float %a, 1.0
  store float %s, ptr %p
  br label %end
end:
  ret void
}

; An index taken to pieces: of 16 lanes, eight read the columns of one row, and eight those of the next.
; PARTS-LABEL: define void @parts(
; PARTS-NOT: gather
; PARTS: [[LOW:%.*]] = load <8 x float>, ptr
; PARTS: [[HIGH:%.*]] = load <8 x float>, ptr
; PARTS: shufflevector <8 x float> [[LOW]], <8 x float> [[HIGH]], <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8,
; PARTS-NOT: gather
; PARTS: ret void
define void @parts(ptr %x, ptr %y, i64 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = lshr i32 %t, 3
  %column = and i32 %t, 7
  %r = zext i32 %row to i64
  %c = zext i32 %column to i64
  %start = mul i64 %r, %n
  %i = add i64 %start, %c
  %p = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %p
  %j = zext i32 %t to i64
  %q = getelementptr float, ptr %y, i64 %j
  store float %v, ptr %q
  ret void
}

; Records of two, four in a row: each row is one vector, and all of them are taken apart together.
; RECORDS-LABEL: define void @records(
; RECORDS: [[A:%.*]] = load <8 x float>, ptr
; RECORDS: [[B:%.*]] = load <8 x float>, ptr
; RECORDS: call { <8 x float>, <8 x float> } @"lanza.take.apart 2 <8 x float>"(<8 x float> [[A]], <8 x float> [[B]])
; RECORDS-NOT: masked
define void @records(ptr %x, ptr %y, i64 %pitch) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %r = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %i = zext i32 %t to i64
  %j = zext i32 %r to i64
  %twice = mul i64 %i, 2
  %m = mul i64 %j, %pitch
  %k = add i64 %m, %twice
  %p = getelementptr float, ptr %x, i64 %k
  %first = load float, ptr %p
  %p1 = getelementptr float, ptr %p, i64 1
  %second = load float, ptr %p1
  %s = fadd float %first, %second
  %n = add i64 %m, %i
  %q = getelementptr float, ptr %y, i64 %n
  store float %s, ptr %q
  ret void
}
