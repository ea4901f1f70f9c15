; RUN: %opt -kernel=run -passes=masked-bytes %s | %check %s
; RUN: %opt -kernel=run -target=x86-64-v4 -passes=masked-bytes %s | %check %s --check-prefix=MASKS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare <16 x i8> @llvm.masked.load.v16i8.p0(ptr, i32, <16 x i1>, <16 x i8>)
declare <8 x i16> @llvm.masked.load.v8i16.p0(ptr, i32, <8 x i1>, <8 x i16>)
declare <8 x i32> @llvm.masked.load.v8i32.p0(ptr, i32, <8 x i1>, <8 x i32>)
declare void @llvm.masked.store.v16i8.p0(<16 x i8>, ptr, i32, <16 x i1>)
declare void @llvm.masked.store.v32i8.p0(<32 x i8>, ptr, i32, <32 x i1>)

; All of it at once where some lane is in it and it lies on one page, else by functions, one for each type of vector and line of source. A mask that is constant and wider elements
; stay as they are.
; CHECK-LABEL: define void @run(
; CHECK: [[BITS:%.*]] = zext i16 {{.*}} to i64
; CHECK-NEXT: [[ANY:%.*]] = icmp ne i64 [[BITS]], 0
; CHECK: [[PLACE:%.*]] = and i64 {{.*}}, 4095
; CHECK-NEXT: [[INSIDE:%.*]] = icmp ule i64 [[PLACE]], 4080
; CHECK-NEXT: [[AT_ONCE:%.*]] = and i1 [[ANY]], [[INSIDE]]
; CHECK-NEXT: br i1 [[AT_ONCE]], label %{{.*}}, label %{{.*}}, !prof
; CHECK: [[WHOLE:%.*]] = load <16 x i8>, ptr %p, align 1
; CHECK: [[LANES:%.*]] = call preserve_mostcc <16 x i8> @load_lanes(ptr %p, i64 [[BITS]])
; CHECK: [[V:%.*]] = phi <16 x i8> [ [[WHOLE]], {{.*}} ], [ [[LANES]], {{.*}} ]
; CHECK-NEXT: [[W:%.*]] = select <16 x i1> %m, <16 x i8> [[V]], <16 x i8> %w
; CHECK: call preserve_mostcc <16 x i8> @load_lanes(ptr %q,
; CHECK: call preserve_mostcc <8 x i16> @load_lanes.1(ptr %p,
; CHECK: call <8 x i32> @llvm.masked.load.v8i32.p0(
; CHECK: call preserve_mostcc void @store_lanes(<16 x i8> {{.*}}, ptr %p, i64
; CHECK: call void @llvm.masked.store.v16i8.p0(
; CHECK: ret void

; CHECK-LABEL: define internal preserve_mostcc <16 x i8> @load_lanes(
; CHECK: icmp eq i64 %1, 0
; CHECK: none:
; CHECK-NEXT: ret <16 x i8> zeroinitializer
; CHECK: any:
; CHECK-NEXT: store <16 x i8> zeroinitializer
; CHECK: lane:
; CHECK: call i64 @llvm.cttz.i64(
; CHECK: load i8
; CHECK: store i8

; Neighbours by registers that may overlap; with holes between them each lane goes to its place or to the stack. Nothing else is written.
; CHECK-LABEL: define internal preserve_mostcc void @store_lanes(
; CHECK: [[FIRST:%.*]] = call i64 @llvm.cttz.i64(i64 %2, i1 true)
; CHECK: mul i64 {{.*}}, 1
; CHECK: [[BYTES:%.*]] = mul i64 {{.*}}, 1
; CHECK: [[ROW:%.*]] = lshr i64 %2,
; CHECK: [[NEXT:%.*]] = add i64 [[ROW]], 1
; CHECK: [[HOLES:%.*]] = and i64 [[ROW]], [[NEXT]]
; CHECK: icmp eq i64 [[HOLES]], 0
; CHECK: side_by_side:
; CHECK: icmp eq i64 [[BYTES]], 16
; CHECK: whole:
; CHECK-NEXT: store <16 x i8> %0, ptr %1, align 1
; CHECK: part:
; CHECK: icmp uge i64 [[BYTES]], 8
; CHECK: apart:
; CHECK-NEXT: and i64 %2, 1
; CHECK-NEXT: [[SET:%.*]] = icmp ne
; CHECK: [[LANE:%.*]] = extractelement <16 x i8> %0, i64 0
; CHECK-NEXT: getelementptr i8, ptr %1, i64 0
; CHECK-NEXT: [[PLACE:%.*]] = select i1 [[SET]], ptr {{%.*}}, ptr [[ROOM:%.*]]
; CHECK-NEXT: store i8 [[LANE]], ptr [[PLACE]], align 1
; CHECK: getelementptr i8, ptr %1, i64 15
; CHECK: store i8
; CHECK-NEXT: ret void
; CHECK: by_8:
; CHECK: [[LAST:%.*]] = sub i64 [[BYTES]], 8
; CHECK: store <8 x i8>
; CHECK: store <8 x i8>
; CHECK-NEXT: br label %copied

; So many lanes are a loop over the active ones.
; CHECK-LABEL: define internal preserve_mostcc void @store_lanes.2(
; CHECK: apart:
; CHECK-NEXT: store <32 x i8> %0
; CHECK: lane:
; CHECK: [[ONE:%.*]] = load i8
; CHECK: store i8 [[ONE]]

; With AVX-512 a mask costs little.
; MASKS-LABEL: define void @run(
; MASKS: call <16 x i8> @llvm.masked.load.v16i8.p0(
define void @run(ptr %p, ptr %q, <16 x i1> %m, <8 x i1> %n, <32 x i1> %o, <16 x i8> %w, <32 x i8> %x) {
  %a = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr %p, i32 1, <16 x i1> %m, <16 x i8> %w)
  %b = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr %q, i32 1, <16 x i1> %m, <16 x i8> poison)
  %c = call <8 x i16> @llvm.masked.load.v8i16.p0(ptr %p, i32 2, <8 x i1> %n, <8 x i16> poison)
  %d = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr %p, i32 4, <8 x i1> %n, <8 x i32> poison)
  %e = add <16 x i8> %a, %b
  call void @llvm.masked.store.v16i8.p0(<16 x i8> %e, ptr %p, i32 1, <16 x i1> %m)
  call void @llvm.masked.store.v16i8.p0(<16 x i8> %e, ptr %q, i32 1, <16 x i1> <i1 true, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>)
  call void @llvm.masked.store.v32i8.p0(<32 x i8> %x, ptr %q, i32 1, <32 x i1> %o)
  ret void
}
