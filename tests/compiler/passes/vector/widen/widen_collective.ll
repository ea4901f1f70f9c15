; RUN: %opt -kernel=every_other -block=256 -lanes=16 -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=OTHER
; RUN: %opt -kernel=all_below -block=256 -lanes=16 -passes=widen %s | %check %s --check-prefix=ALL
; RUN: %opt -kernel=any_below -block=256 -lanes=16 -passes=widen %s | %check %s --check-prefix=ANY
; RUN: %opt -kernel=downwards -block=256 -lanes=16 -passes=widen %s | %check %s --check-prefix=DOWN
; RUN: %opt -kernel=in_a_window -block=256 -lanes=16 -passes=widen %s | %check %s --check-prefix=WINDOW
; RUN: %opt -kernel=one_of_them -block=256 -lanes=16 -passes=widen %s | %check %s --check-prefix=ONE
; RUN: %opt -kernel=none_of_them -block=256 -lanes=16 -passes=widen %s | %check %s --check-prefix=NONE
; RUN: %opt -kernel=in_one_row -block=256,4 -lanes=16 -passes=widen %s | %check %s --check-prefix=ROW
; RUN: %opt -kernel=some_lanes -block=256 -lanes=16 -passes=widen %s | %check %s --check-prefix=SOME
; RUN: %opt -kernel=wraps -block=256 -lanes=16 -passes=widen %s | %check %s --check-prefix=WRAPS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i1 @lanza.all(i1) convergent nounwind willreturn memory(none)
declare i1 @lanza.any(i1) convergent nounwind willreturn memory(none)
declare void @lanza.mask(i1) nounwind

; The last lane decides whether all are below.
; ALL-LABEL: @all_below(
; ALL: [[FIRST:%.*]] = call i32 @lanza.group(i32 0)
; ALL: [[LAST:%.*]] = add nsw i32 [[FIRST]], 15
; ALL: icmp slt i32 [[LAST]], %n
define void @all_below(i32 %n, ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, %n
  %a = call i1 @lanza.all(i1 %c)
  store i1 %a, ptr %x
  ret void
}

; The first, whether any is.
; ANY-LABEL: @any_below(
; ANY: [[FIRST:%.*]] = call i32 @lanza.group(i32 0)
; ANY: icmp ult i32 [[FIRST]], %n
define void @any_below(i32 %n, ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp uge i32 %t, %n
  %not = xor i1 %c, true
  %a = call i1 @lanza.any(i1 %not)
  store i1 %a, ptr %x
  ret void
}

; Where the index falls, the last lane has the least.
; DOWN-LABEL: @downwards(
; DOWN: [[TOP:%.*]] = sub {{(nsw )?}}i32 300, %{{.*}}
; DOWN: [[LAST:%.*]] = add nsw i32 [[TOP]], -15
; DOWN: icmp sgt i32 [[LAST]], %n
define void @downwards(i32 %n, ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %down = sub nsw i32 300, %t
  %c = icmp slt i32 %n, %down
  %a = call i1 @lanza.all(i1 %c)
  store i1 %a, ptr %x
  ret void
}

; Both bounds.
; WINDOW-LABEL: @in_a_window(
; WINDOW: [[FIRST:%.*]] = call i32 @lanza.group(i32 0)
; WINDOW: [[LOW:%.*]] = icmp sge i32 [[FIRST]], %low
; WINDOW: [[LAST:%.*]] = add nsw i32 [[FIRST]], 15
; WINDOW: [[HIGH:%.*]] = icmp slt i32 [[LAST]], %high
; WINDOW: select i1 [[LOW]], i1 [[HIGH]], i1 false
define void @in_a_window(i32 %low, i32 %high, ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = icmp sge i32 %t, %low
  %b = icmp slt i32 %t, %high
  %in = and i1 %a, %b
  %all = call i1 @lanza.all(i1 %in)
  store i1 %all, ptr %x
  ret void
}

; Where not all lanes are active, and where the group may cross a wrap, every lane is asked.
; SOME-LABEL: @some_lanes(
; SOME: bitcast <16 x i1> {{.*}} to i16
define void @some_lanes(i32 %n, i32 %m, ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %some = icmp slt i32 %t, %m
  br label %body
body:
  call void @lanza.mask(i1 %some)
  %c = icmp slt i32 %t, %n
  %a = call i1 @lanza.all(i1 %c)
  store i1 %a, ptr %x
  ret void
}

; WRAPS-LABEL: @wraps(
; WRAPS: bitcast <16 x i1> {{.*}} to i16
define void @wraps(i32 %from, i32 %n, ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = add i32 %t, %from
  %c = icmp slt i32 %i, %n
  %a = call i1 @lanza.all(i1 %c)
  store i1 %a, ptr %x
  ret void
}

; One of the lanes is it where the group is the one in which it would be; wherever the index begins.
; ONE-LABEL: @one_of_them(
; ONE: [[FIRST:%.*]] = call i32 @lanza.group(i32 0)
; ONE: [[WHERE:%.*]] = and i32 %n, -16
; ONE: icmp eq i32 [[FIRST]], [[WHERE]]
; ONE: [[BEGIN:%.*]] = add i32 %{{.*}}, %from
; ONE: [[WAY:%.*]] = sub i32 %n, [[BEGIN]]
; ONE: icmp ult i32 [[WAY]], 16
define void @one_of_them(i32 %n, i32 %from, ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp eq i32 %t, %n
  %a = call i1 @lanza.any(i1 %c)
  store i1 %a, ptr %x
  %i = add i32 %t, %from
  %d = icmp eq i32 %i, %n
  %b = call i1 @lanza.any(i1 %d)
  store i1 %b, ptr %x
  ret void
}

; All are it never; one that is not it there always is.
; NONE-LABEL: @none_of_them(
; NONE: store i1 false
; NONE: store i1 true
define void @none_of_them(i32 %n, ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp eq i32 %t, %n
  %a = call i1 @lanza.all(i1 %c)
  store i1 %a, ptr %x
  %d = icmp ne i32 %t, %n
  %b = call i1 @lanza.any(i1 %d)
  store i1 %b, ptr %x
  ret void
}

; What is the same for all lanes is asked once.
; ROW-LABEL: @in_one_row(
; ROW-DAG: [[FIRST:%.*]] = icmp eq i32 %{{.*}}, 0
; ROW-DAG: [[ROW:%.*]] = icmp eq i32 %{{.*}}, 3
; ROW: [[BOTH:%.*]] = select i1 [[FIRST]], i1 [[ROW]], i1 false
; ROW: store i1 [[BOTH]]
define void @in_one_row(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %c = icmp eq i32 %t, 0
  %d = icmp eq i32 %y, 3
  %both = and i1 %c, %d
  %a = call i1 @lanza.any(i1 %both)
  store i1 %a, ptr %x
  ret void
}

; Every other number, as a pair's first: the last one of all may be among the group's.
; OTHER-LABEL: @every_other(
; OTHER: [[FIRST:%.*]] = add i32 %{{.*}}, %{{.*}}
; OTHER: [[FAR:%.*]] = sub i32 511, [[FIRST]]
; OTHER: [[NEAR:%.*]] = icmp ult i32 [[FAR]], 32
; OTHER: [[REST:%.*]] = and i32 [[FAR]], 1
; OTHER: [[WHOLE:%.*]] = icmp eq i32 [[REST]], 0
; OTHER: [[IT:%.*]] = and i1 [[NEAR]], [[WHOLE]]
; OTHER: [[OUT:%.*]] = xor i1 [[IT]], true
; OTHER: store i1 [[OUT]]
define void @every_other(i32 %i, ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %i, 1
  %twice = shl nuw nsw i32 %t, 1
  %first = or disjoint i32 %twice, %odd
  %c = icmp ne i32 %first, 511
  %a = call i1 @lanza.all(i1 %c)
  store i1 %a, ptr %x
  ret void
}
