; RUN: %opt -passes=join-extensions %s | %check %s
; RUN: %opt -kernel=greatest -passes=device-pipeline %s | %check %s --check-prefix=PIPE
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; What two ways have chosen is chosen once, whether it goes on as a number, as a float or as 64 bits of either; constants
; and masks are extensions, too.
; CHECK-LABEL: define i64 @joins(
; CHECK: join:
; CHECK-NEXT: %place = phi i32 [ %a, %left ], [ -3, %right ]
; CHECK-NEXT: %value = phi float [ %f, %left ], [ 0.000000e+00, %right ]
; CHECK-NEXT: [[BITS:%.*]] = bitcast float %value to i32
; CHECK-NEXT: [[WIDE:%.*]] = zext i32 [[BITS]] to i64
; CHECK-NEXT: [[UP:%.*]] = sext i32 %place to i64
; CHECK-NEXT: [[SUM:%.*]] = add i64 [[UP]], [[WIDE]]
define i64 @joins(i64 %x, i32 %a, i1 %way) {
entry:
  %half = trunc i64 %x to i32
  %f = bitcast i32 %half to float
  br i1 %way, label %left, label %right
left:
  %a.wide = sext i32 %a to i64
  %f.wide = and i64 %x, 4294967295
  br label %join
right:
  br label %join
join:
  %place = phi i32 [ %a, %left ], [ -3, %right ]
  %value = phi float [ %f, %left ], [ 0.0, %right ]
  %place.wide = phi i64 [ %a.wide, %left ], [ -3, %right ]
  %value.wide = phi i64 [ %f.wide, %left ], [ 0, %right ]
  %sum = add i64 %place.wide, %value.wide
  ret i64 %sum
}

; From turn to turn as well.
; CHECK-LABEL: define i64 @turns(
; CHECK: loop:
; CHECK-NEXT: %i = phi i32
; CHECK-NEXT: zext i32 %i to i64
; CHECK-NOT: phi
define i64 @turns(i32 %n, i1 %more) {
entry:
  %n.wide = zext i32 %n to i64
  br label %loop
loop:
  %i = phi i32 [ %n, %entry ], [ %i, %loop ]
  %wide = phi i64 [ %n.wide, %entry ], [ %wide, %loop ]
  br i1 %more, label %loop, label %done
done:
  ret i64 %wide
}

; One way's sign is extended and the other one's is not; a mask of fewer bits; another number's extension.
; CHECK-LABEL: define i64 @stays(
; CHECK-COUNT-6: phi
define i64 @stays(i64 %x, i32 %a, i32 %b, i1 %way) {
entry:
  %half = trunc i64 %x to i32
  br i1 %way, label %left, label %right
left:
  %a.wide = sext i32 %a to i64
  %few = and i64 %x, 65535
  br label %join
right:
  %b.wide = zext i32 %b to i64
  br label %join
join:
  %mixed = phi i32 [ %a, %left ], [ %b, %right ]
  %other = phi i32 [ %b, %left ], [ %a, %right ]
  %part = phi i32 [ %half, %left ], [ 0, %right ]
  %negative = phi i32 [ %a, %left ], [ -1, %right ]
  %mixed.wide = phi i64 [ %a.wide, %left ], [ %b.wide, %right ]
  %few.wide = phi i64 [ %few, %left ], [ 0, %right ]
  %s = add i64 %mixed.wide, %few.wide
  ret i64 %s
}

; `float other = __shfl_xor_sync(-1, v, 16); if (other > v || (other == v && other_place < place)) ...`, twice: LLVM
; hands on to the second shuffle what it takes in 64 bits.
; PIPE-LABEL: define {{.*}}@greatest(
; PIPE-NOT: phi i64
; PIPE: phi float
; PIPE-NEXT: phi i32
; PIPE-NOT: phi
; PIPE: ret void
define void @greatest(ptr %x, ptr %to) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr %x, i32 %t
  %v = load float, ptr %p
  %bits = bitcast float %v to i32
  %wide = zext i32 %bits to i64
  %got = call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 %wide, i32 16)
  %got.bits = trunc i64 %got to i32
  %other = bitcast i32 %got.bits to float
  %t.wide = zext i32 %t to i64
  %got.place = call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 %t.wide, i32 16)
  %place = trunc i64 %got.place to i32
  %more = fcmp ogt float %other, %v
  br i1 %more, label %take, label %ask
ask:
  %same = fcmp oeq float %other, %v
  %less = icmp slt i32 %place, %t
  %both = and i1 %same, %less
  br i1 %both, label %take, label %join
take:
  br label %join
join:
  %best = phi float [ %other, %take ], [ %v, %ask ]
  %best.place = phi i32 [ %place, %take ], [ %t, %ask ]
  %best.bits = bitcast float %best to i32
  %best.wide = zext i32 %best.bits to i64
  %next = call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 %best.wide, i32 8)
  %place.wide = zext i32 %best.place to i64
  %next.place = call i64 @__lanza_sync(i32 5, i32 0, i32 -1, i64 %place.wide, i32 8)
  %sum = add i64 %next, %next.place
  %q = getelementptr i64, ptr %to, i32 %t
  store i64 %sum, ptr %q
  ret void
}
