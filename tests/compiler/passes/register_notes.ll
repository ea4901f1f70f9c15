; RUN: %opt -passes=register-notes %s | %check %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @fail(ptr) noreturn
declare void @print(ptr)

; What goes to the fields index (0 to 8) and from first_lane (88) to lane_rows (116) goes to registers; two of 4 bytes may be stored at once. lane_count says so at the
; beginning, where also stands what never changes, and x87 is as it was at the end.
; CHECK-LABEL: define i32 @loop(
; CHECK: asm sideeffect "movq $0, %mm0", "r"(i64 0)
; CHECK: asm sideeffect "movd $0, %mm4", "r"(i32 256)
; CHECK: asm sideeffect "movd $0, %mm5", "r"(i32 1)
; CHECK: [[COUNT:%.*]] = getelementptr i8, ptr %block, i64 112
; CHECK-NEXT: store i32 -1, ptr [[COUNT]]
; CHECK: asm sideeffect "movd $0, %mm6", "r"(i32 %x)
; CHECK: [[Y:%.*]] = zext i32 %y to i64
; CHECK: [[Z:%.*]] = zext i32 %z to i64
; CHECK: [[HIGH:%.*]] = shl i64 [[Z]], 32
; CHECK: [[INDEX:%.*]] = or i64 [[Y]], [[HIGH]]
; CHECK: asm sideeffect "movq $0, %mm7", "r"(i64 [[INDEX]])
; CHECK-NOT: asm
; CHECK: loop:
; CHECK: asm sideeffect "movq $0, %mm1", "r"(i64 %i)
; CHECK-NOT: store volatile
; CHECK: store volatile i32 0, ptr %arguments
; CHECK: exit:
; CHECK-NEXT: asm sideeffect "emms", ""()
; CHECK-NEXT: ret i32 0
define i32 @loop(ptr %launch, ptr %arguments, ptr %block) {
  %x = load i32, ptr %arguments
  %y = load i32, ptr %arguments
  %z = load i32, ptr %arguments
  store volatile i32 %x, ptr %block
  %to_y = getelementptr i8, ptr %block, i64 4
  store volatile i32 %y, ptr %to_y
  %to_z = getelementptr i8, ptr %block, i64 8
  store volatile i32 %z, ptr %to_z
  %first = getelementptr i8, ptr %block, i64 88
  store i64 0, ptr %first
  %count = getelementptr i8, ptr %block, i64 112
  store volatile i64 4294967552, ptr %count
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %lane = getelementptr i8, ptr %block, i64 96
  store volatile i64 %i, ptr %lane
  store volatile i32 0, ptr %arguments
  %next = add i64 %i, 16
  %more = icmp ult i64 %next, 256
  br i1 %more, label %loop, label %exit
exit:
  ret i32 0
}

; Who does not come back finds the fields written.
; CHECK-LABEL: define i32 @fails(
; CHECK: asm sideeffect "movd $0, %mm4", "r"(i32 0)
; CHECK: asm sideeffect "movd $0, %mm5", "r"(i32 1)
; CHECK: asm sideeffect "movq $0, %mm7", "r"(i64 0)
; CHECK: asm sideeffect "movq $0, %mm1", "r"(i64 %i)
; CHECK: [[LANE:%.*]] = call i64 asm sideeffect "movq %mm1, $0", "=r"()
; CHECK: [[TO:%.*]] = getelementptr i8, ptr %block, i64 96
; CHECK: store i64 [[LANE]], ptr [[TO]]
; CHECK: [[INDEX:%.*]] = call i64 asm sideeffect "movq %mm7, $0", "=r"()
; CHECK: [[TO:%.*]] = getelementptr i8, ptr %block, i64 4
; CHECK: store i64 [[INDEX]], ptr [[TO]], align 4
; CHECK: asm sideeffect "emms", ""()
; CHECK-NEXT: call void @fail(
define i32 @fails(ptr %launch, ptr %arguments, ptr %block) {
  store volatile i32 0, ptr %block
  %to_y = getelementptr i8, ptr %block, i64 4
  store volatile i32 0, ptr %to_y
  %to_z = getelementptr i8, ptr %block, i64 8
  store volatile i32 0, ptr %to_z
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %on ]
  %lane = getelementptr i8, ptr %block, i64 96
  store volatile i64 %i, ptr %lane
  %v = load i32, ptr %arguments
  %bad = icmp eq i32 %v, 0
  br i1 %bad, label %failed, label %on
failed:
  call void @fail(ptr %block) noreturn
  unreachable
on:
  %next = add i64 %i, 16
  %more = icmp ult i64 %next, 256
  br i1 %more, label %loop, label %exit
exit:
  ret i32 0
}

; Others might count on x87.
; CHECK-LABEL: define i32 @prints(
; CHECK-NOT: asm
; CHECK: store volatile i64 %i, ptr %lane
; CHECK-NOT: asm
; CHECK: }
define i32 @prints(ptr %launch, ptr %arguments, ptr %block) {
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %lane = getelementptr i8, ptr %block, i64 96
  store volatile i64 %i, ptr %lane
  call void @print(ptr %block)
  %next = add i64 %i, 16
  %more = icmp ult i64 %next, 256
  br i1 %more, label %loop, label %exit
exit:
  ret i32 0
}

; A function of the compiler's own only stores.
; CHECK-LABEL: define i32 @stores(
; CHECK: asm sideeffect "movq $0, %mm1", "r"(i64 %i)
; CHECK-NOT: store volatile
; CHECK: call void @store_lanes(
; CHECK: asm sideeffect "emms", ""()
; CHECK-NEXT: ret i32 0
define i32 @stores(ptr %launch, ptr %arguments, ptr %block) {
  store volatile i32 0, ptr %block
  %to_y = getelementptr i8, ptr %block, i64 4
  store volatile i32 0, ptr %to_y
  %to_z = getelementptr i8, ptr %block, i64 8
  store volatile i32 0, ptr %to_z
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %lane = getelementptr i8, ptr %block, i64 96
  store volatile i64 %i, ptr %lane
  call void @store_lanes(<16 x i8> zeroinitializer, ptr %arguments)
  %next = add i64 %i, 16
  %more = icmp ult i64 %next, 256
  br i1 %more, label %loop, label %exit
exit:
  ret i32 0
}

; What asks others in turn may come to x87.
; CHECK-LABEL: define i32 @asks(
; CHECK-NOT: asm
; CHECK: store volatile i64 %i, ptr %lane
; CHECK-NOT: asm
; CHECK: }
define i32 @asks(ptr %launch, ptr %arguments, ptr %block) {
  store volatile i32 0, ptr %block
  %to_y = getelementptr i8, ptr %block, i64 4
  store volatile i32 0, ptr %to_y
  %to_z = getelementptr i8, ptr %block, i64 8
  store volatile i32 0, ptr %to_z
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %lane = getelementptr i8, ptr %block, i64 96
  store volatile i64 %i, ptr %lane
  call void @print_lanes(ptr %block)
  %next = add i64 %i, 16
  %more = icmp ult i64 %next, 256
  br i1 %more, label %loop, label %exit
exit:
  ret i32 0
}

define internal void @store_lanes(<16 x i8> %v, ptr %to) noinline {
  store <16 x i8> %v, ptr %to, align 1
  ret void
}

define internal void @print_lanes(ptr %block) noinline {
  call void @print(ptr %block)
  ret void
}
