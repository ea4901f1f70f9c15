; Variables of numbers and of small records are registers; others stay.
; RUN: %opt -passes=flat-records %s | %check %s
; RUN: %opt -passes=left-records %s | %check %s --check-prefix=LEFT
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%half = type { i16 }
%pair = type { %half, %half }
%point = type { float, float }
%gap = type { i8, i32 }

; A record as a value, member by member, copied whole, and through other bits of the same size.
; CHECK-LABEL: define half @one(
; CHECK-NOT: alloca
; CHECK: [[BITS:%.*]] = extractvalue %half %x, 0
; CHECK: bitcast i16 [[BITS]] to half
; CHECK: ret half
define half @one(%half %x) {
  %a = alloca %half
  %b = alloca %half
  call void @llvm.lifetime.start.p0(i64 2, ptr %a)
  store %half %x, ptr %a
  call void @llvm.memcpy.p0.p0.i64(ptr %b, ptr %a, i64 2, i1 false)
  call void @llvm.lifetime.end.p0(i64 2, ptr %a)
  %member = getelementptr %half, ptr %b, i32 0, i32 0
  %value = load half, ptr %member
  ret half %value
}

; A pair that is passed as one number, and read by its members.
; CHECK-LABEL: define i16 @both(
; CHECK-NOT: alloca
; CHECK-DAG: lshr i32 %x, 16
; CHECK-DAG: trunc i32 {{.*}} to i16
; CHECK: add i16
define i16 @both(i32 %x) {
  %a = alloca %pair
  store i32 %x, ptr %a
  %first = load i16, ptr %a
  %place = getelementptr i8, ptr %a, i64 2
  %second = load i16, ptr %place
  %sum = add i16 %first, %second
  ret i16 %sum
}

; As a vector, copied from memory and to it, each member at its place.
; CHECK-LABEL: define <2 x float> @vector(
; CHECK-NOT: alloca
; CHECK: load float, ptr %p, align 4
; CHECK-NEXT: [[PLACE:%.*]] = getelementptr i8, ptr %p, i64 4
; CHECK: load float, ptr [[PLACE]], align 4
; CHECK: insertelement <2 x float> {{.*}}, i64 0
; CHECK: insertelement <2 x float> {{.*}}, i64 1
; CHECK: store float {{.*}}, ptr %q, align 4
; CHECK: ret <2 x float>
define <2 x float> @vector(ptr %p, ptr %q) {
  %a = alloca %point
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %a, ptr align 4 %p, i64 8, i1 false)
  %value = load <2 x float>, ptr %a
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %q, ptr align 8 %a, i64 8, i1 false)
  ret <2 x float> %value
}

; Zeros, or what lies there: they meet member by member.
; CHECK-LABEL: define void @filled(
; LEFT-LABEL: define void @filled(
; LEFT-NOT: alloca
; LEFT: [[SECOND:%.*]] = phi float [ {{%.*}}, %inside ], [ 0.000000e+00, %entry ]
; LEFT: [[FIRST:%.*]] = phi float [ {{%.*}}, %inside ], [ 0.000000e+00, %entry ]
; LEFT: store float [[FIRST]], ptr %q, align 8
; LEFT-NEXT: [[PLACE:%.*]] = getelementptr i8, ptr %q, i64 4
; LEFT-NEXT: store float [[SECOND]], ptr [[PLACE]], align 4
define void @filled(ptr %p, ptr %q, i1 %is_inside) {
entry:
  %a = alloca %point
  call void @llvm.memset.p0.i64(ptr align 8 %a, i8 0, i64 8, i1 false)
  br i1 %is_inside, label %inside, label %out
inside:
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %a, ptr align 8 %p, i64 8, i1 false)
  br label %out
out:
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %q, ptr align 8 %a, i64 8, i1 false)
  ret void
}

; Bytes of any number; half of a record is not all of it.
; CHECK-LABEL: define i16 @bytes(
; CHECK: alloca %point
; CHECK: ret i16 514
define i16 @bytes() {
  %a = alloca %half
  %half_filled = alloca %point
  call void @llvm.memset.p0.i64(ptr %a, i8 2, i64 2, i1 false)
  call void @llvm.memset.p0.i64(ptr %half_filled, i8 2, i64 4, i1 false)
  %value = load i16, ptr %a
  ret i16 %value
}

; What passes through is taken apart where it is short.
; LEFT-LABEL: define void @through(
; LEFT: alloca [8 x float]
; LEFT-NOT: alloca
; LEFT: ret void
define void @through(ptr %p, ptr %q) {
  %short = alloca %point
  %long = alloca [8 x float]
  call void @llvm.memcpy.p0.p0.i64(ptr %short, ptr %p, i64 8, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %short, i64 8, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %long, ptr %p, i64 32, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %long, i64 32, i1 false)
  ret void
}

; Gaps may hold what is copied; half a number, an escaped address and a place known at run time are not members.
; CHECK-LABEL: define i8 @others(
; CHECK-COUNT-4: alloca
; CHECK: call void @take(ptr %escaped)
define i8 @others(ptr %p, i64 %i) {
  %gaps = alloca %gap
  %parts = alloca i32
  %escaped = alloca i32
  %array = alloca [4 x i8]
  call void @llvm.memcpy.p0.p0.i64(ptr %gaps, ptr %p, i64 8, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %gaps, i64 8, i1 false)
  store i32 1, ptr %parts
  %low = load i8, ptr %parts
  call void @take(ptr %escaped)
  %place = getelementptr i8, ptr %array, i64 %i
  store i8 %low, ptr %place
  %read = load i8, ptr %array
  ret i8 %read
}

; Nothing, as of an array without elements, has no members.
; CHECK-LABEL: define i32 @nothing(
; CHECK: alloca [0 x i32]
define i32 @nothing(i32 %x) {
  %none = alloca [0 x i32]
  store i32 %x, ptr %none
  %value = load i32, ptr %none
  ret i32 %value
}

; What differs in its members from what it is copied to stays, and so does what that is copied to.
; CHECK-LABEL: define i32 @differ(
; CHECK-COUNT-3: alloca
define i32 @differ(i32 %x) {
  %number = alloca i32
  %two = alloca %pair
  %three = alloca i32
  store i32 %x, ptr %number
  call void @llvm.memcpy.p0.p0.i64(ptr %two, ptr %number, i64 4, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %three, ptr %two, i64 4, i1 false)
  %value = load i32, ptr %three
  ret i32 %value
}

declare void @take(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)
