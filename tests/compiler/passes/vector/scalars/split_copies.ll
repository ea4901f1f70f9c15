; RUN: %opt -kernel=follow -block=256 -lanes=16 -passes=split-copies %s | %check %s --check-prefix=FOLLOW
; RUN: %opt -kernel=same -block=256 -lanes=16 -passes=split-copies %s | %check %s --check-prefix=SAME
; RUN: %opt -kernel=bytes -block=256 -lanes=16 -passes=split-copies %s | %check %s --check-prefix=BYTES
; RUN: %opt -kernel=gather -block=256 -lanes=16 -passes=split-copies %s | %check %s --check-prefix=GATHER
; RUN: %opt -kernel=long_gather -block=256 -lanes=16 -passes=split-copies %s | %check %s --check-prefix=LONG
; RUN: %opt -kernel=backwards -block=256 -lanes=16 -passes=split-copies %s | %check %s --check-prefix=BACK
; RUN: %opt -kernel=own -block=256 -lanes=16 -passes=split-copies %s | %check %s --check-prefix=OWN
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

; out[t] = in[t] of records of three words: all are read first.
; FOLLOW-LABEL: @follow(
; FOLLOW-NOT: memcpy
; FOLLOW: [[A:%.*]] = load i32, ptr %from, align 4
; FOLLOW: [[BP:%.*]] = getelementptr inbounds i8, ptr %from, i64 4
; FOLLOW: [[B:%.*]] = load i32, ptr [[BP]], align 4
; FOLLOW: [[C:%.*]] = load i32, ptr {{%.*}}, align 4
; FOLLOW: store i32 [[A]], ptr %to, align 4
; FOLLOW: store i32 [[B]], ptr {{%.*}}, align 4
; FOLLOW: store i32 [[C]], ptr {{%.*}}, align 4
; FOLLOW-NEXT: ret void
define void @follow(ptr %in, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %place = zext nneg i32 %t to i64
  %from = getelementptr [12 x i8], ptr %in, i64 %place
  %to = getelementptr [12 x i8], ptr %out, i64 %place
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %to, ptr align 4 %from, i64 12, i1 false)
  ret void
}

; One record for all.
; SAME-LABEL: @same(
; SAME-COUNT-2: load i32
; SAME-COUNT-2: store i32
define void @same(ptr %in, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %place = zext nneg i32 %t to i64
  %to = getelementptr [8 x i8], ptr %out, i64 %place
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %to, ptr align 8 %in, i64 8, i1 false)
  ret void
}

; uchar3
; BYTES-LABEL: @bytes(
; BYTES-COUNT-3: load i8
; BYTES-COUNT-3: store i8
define void @bytes(ptr %in, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %place = zext nneg i32 %t to i64
  %from = getelementptr [3 x i8], ptr %in, i64 %place
  %to = getelementptr [3 x i8], ptr %out, i64 %place
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 3, i1 false)
  ret void
}

; From anywhere: as many gathers as a record has words, where these are three or four.
; GATHER-LABEL: @gather(
; GATHER-COUNT-4: load i32, ptr
; GATHER-COUNT-4: store i32
; GATHER-NEXT: ret void
define void @gather(ptr %in, ptr %index, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %place = zext nneg i32 %t to i64
  %at = getelementptr i32, ptr %index, i64 %place
  %i = load i32, ptr %at
  %from = getelementptr [16 x i8], ptr %in, i32 %i
  %to = getelementptr [16 x i8], ptr %out, i64 %place
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %to, ptr align 16 %from, i64 16, i1 false)
  ret void
}

; LONG-LABEL: @long_gather(
; LONG: memcpy
define void @long_gather(ptr %in, ptr %index, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %place = zext nneg i32 %t to i64
  %at = getelementptr i32, ptr %index, i64 %place
  %i = load i32, ptr %at
  %from = getelementptr [32 x i8], ptr %in, i32 %i
  %to = getelementptr [32 x i8], ptr %out, i64 %place
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %to, ptr align 16 %from, i64 32, i1 false)
  ret void
}

; The last lane's record is the first.
; BACK-LABEL: @backwards(
; BACK-NOT: memcpy
; BACK: ret void
define void @backwards(ptr %in, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %place = zext nneg i32 %t to i64
  %back = sub nsw i64 255, %place
  %from = getelementptr [8 x i8], ptr %in, i64 %back
  %to = getelementptr [8 x i8], ptr %out, i64 %place
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %to, ptr align 8 %from, i64 8, i1 false)
  ret void
}

; A thread's own variables are others' work.
; OWN-LABEL: @own(
; OWN: memcpy
define void @own(ptr %out) {
  %mine = alloca [16 x i8], align 16
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %place = zext nneg i32 %t to i64
  %to = getelementptr [16 x i8], ptr %out, i64 %place
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %to, ptr align 16 %mine, i64 16, i1 false)
  ret void
}
