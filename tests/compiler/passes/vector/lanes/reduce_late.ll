; RUN: %opt -kernel=straight -passes=reduce-late %s | %check %s --check-prefix=STRAIGHT
; RUN: %opt -kernel=in_turns -passes=reduce-late %s | %check %s --check-prefix=TURNS
; RUN: %opt -kernel=first_asks -passes=reduce-late %s | %check %s --check-prefix=ASKS
; RUN: %opt -kernel=looked_at -passes=reduce-late %s | %check %s --check-prefix=LOOKED
; RUN: %opt -kernel=floats -passes=reduce-late %s | %check %s --check-prefix=FLOATS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare i32 @llvm.vector.reduce.smax.v16i32(<16 x i32>)
declare i32 @llvm.vector.reduce.add.v16i32(<16 x i32>)
declare float @llvm.vector.reduce.fadd.v16f32(float, <16 x float>)
declare i32 @llvm.smax.i32(i32, i32)

; One maximum behind the other: lanes first.
; STRAIGHT-LABEL: @straight(
; STRAIGHT: [[AB:%.*]] = call <16 x i32> @llvm.smax.v16i32(<16 x i32> %a, <16 x i32> %b)
; STRAIGHT: [[ABC:%.*]] = call <16 x i32> @llvm.smax.v16i32(<16 x i32> [[AB]], <16 x i32> %c)
; STRAIGHT: [[M:%.*]] = call i32 @llvm.vector.reduce.smax.v16i32(<16 x i32> [[ABC]])
; STRAIGHT-NEXT: [[R:%.*]] = call i32 @llvm.smax.i32(i32 [[M]], i32 %x)
; STRAIGHT-NEXT: ret i32 [[R]]
define i32 @straight(i32 %x, <16 x i32> %a, <16 x i32> %b, <16 x i32> %c) {
  %ra = call i32 @llvm.vector.reduce.smax.v16i32(<16 x i32> %a)
  %x1 = call i32 @llvm.smax.i32(i32 %x, i32 %ra)
  %rb = call i32 @llvm.vector.reduce.smax.v16i32(<16 x i32> %b)
  %x2 = call i32 @llvm.smax.i32(i32 %x1, i32 %rb)
  %rc = call i32 @llvm.vector.reduce.smax.v16i32(<16 x i32> %c)
  %x3 = call i32 @llvm.smax.i32(i32 %rc, i32 %x2)
  ret i32 %x3
}

; A sum over the turns of two loops: both go over vectors, and a promise about the sums so far is none about lanes.
; TURNS-LABEL: @in_turns(
; TURNS: outer:
; TURNS: [[OUTER:%.*]] = phi <16 x i32> [ zeroinitializer, %entry ], [ [[NEXT:%.*]], %outer.latch ]
; TURNS: loop:
; TURNS: [[INNER:%.*]] = phi <16 x i32> [ zeroinitializer, %outer ], [ [[SUM:%.*]], %loop ]
; TURNS: [[SUM]] = add <16 x i32> [[INNER]], %v
; TURNS-NOT: vector.reduce
; TURNS: [[NEXT]] = add <16 x i32> [[OUTER]],
; TURNS: end:
; TURNS: [[ALL:%.*]] = call i32 @llvm.vector.reduce.add.v16i32(
; TURNS: [[R:%.*]] = add i32 %start, [[ALL]]
; TURNS: ret i32 [[R]]
define i32 @in_turns(ptr %x, i32 %start, i32 %n, i32 %m) {
entry:
  br label %outer
outer:
  %j = phi i32 [ 0, %entry ], [ %j1, %outer.latch ]
  %s = phi i32 [ %start, %entry ], [ %behind, %outer.latch ]
  br label %loop
loop:
  %i = phi i32 [ 0, %outer ], [ %i1, %loop ]
  %t = phi i32 [ %s, %outer ], [ %t1, %loop ]
  %p = getelementptr <16 x i32>, ptr %x, i32 %i
  %v = load <16 x i32>, ptr %p
  %r = call i32 @llvm.vector.reduce.add.v16i32(<16 x i32> %v)
  %t1 = add nsw i32 %t, %r
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %outer.latch
outer.latch:
  %behind = phi i32 [ %t1, %loop ]
  %j1 = add i32 %j, 1
  %again = icmp ult i32 %j1, %m
  br i1 %again, label %outer, label %end
end:
  %result = phi i32 [ %behind, %outer.latch ]
  ret i32 %result
}

; A loop that asks before each turn ends with what the last one left.
; ASKS-LABEL: @first_asks(
; ASKS: loop:
; ASKS: [[SO_FAR:%.*]] = phi <16 x i32> [ {{.*}}, %entry ], [ [[NEXT:%.*]], %turn ]
; ASKS: turn:
; ASKS-NOT: vector.reduce
; ASKS: [[NEXT]] = call <16 x i32> @llvm.smax.v16i32(<16 x i32> [[SO_FAR]], <16 x i32> %v)
; ASKS: end:
; ASKS: [[LAST:%.*]] = phi <16 x i32> [ [[SO_FAR]], %loop ]
; ASKS: [[ALL:%.*]] = call i32 @llvm.vector.reduce.smax.v16i32(<16 x i32> [[LAST]])
; ASKS: [[R:%.*]] = call i32 @llvm.smax.i32(i32 %start, i32 [[ALL]])
; ASKS: store i32 [[R]], ptr %x
; ASKS: ret i32 [[R]]
define i32 @first_asks(ptr %x, i32 %start, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %turn ]
  %t = phi i32 [ %start, %entry ], [ %t1, %turn ]
  %more = icmp ult i32 %i, %n
  br i1 %more, label %turn, label %end
turn:
  %p = getelementptr <16 x i32>, ptr %x, i32 %i
  %v = load <16 x i32>, ptr %p
  %r = call i32 @llvm.vector.reduce.smax.v16i32(<16 x i32> %v)
  %t1 = call i32 @llvm.smax.i32(i32 %t, i32 %r)
  %i1 = add i32 %i, 1
  br label %loop
end:
  %result = phi i32 [ %t, %loop ]
  store i32 %t, ptr %x
  ret i32 %result
}

; Somebody wants each turn's sum.
; LOOKED-LABEL: @looked_at(
; LOOKED: loop:
; LOOKED: call i32 @llvm.vector.reduce.add
; LOOKED: br i1
define void @looked_at(ptr %x, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %t = phi i32 [ 0, %entry ], [ %t1, %loop ]
  %p = getelementptr <16 x i32>, ptr %x, i32 %i
  %v = load <16 x i32>, ptr %p
  %r = call i32 @llvm.vector.reduce.add.v16i32(<16 x i32> %v)
  %t1 = add i32 %t, %r
  store i32 %t1, ptr %p
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Sums of floats keep their order.
; FLOATS-LABEL: @floats(
; FLOATS-COUNT-2: call float @llvm.vector.reduce.fadd
define float @floats(float %x, <16 x float> %a, <16 x float> %b) {
  %x1 = call float @llvm.vector.reduce.fadd.v16f32(float %x, <16 x float> %a)
  %x2 = call float @llvm.vector.reduce.fadd.v16f32(float %x1, <16 x float> %b)
  ret float %x2
}
