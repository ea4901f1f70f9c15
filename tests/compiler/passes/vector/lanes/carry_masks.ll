; RUN: %opt -kernel=elsewhere -target=x86-64-v4 -passes=carry-masks %s | %check %s
; RUN: %opt -kernel=elsewhere -target=x86-64-v3 -passes=carry-masks %s | %check %s --check-prefix=NARROW
; RUN: %opt -kernel=asked -target=znver5 -passes=carry-masks %s | %check %s --check-prefix=ASKED
; RUN: %opt -kernel=asked -target=x86-64-v4 -passes=carry-masks %s | %check %s --check-prefix=OTHERS
; RUN: %opt -kernel=both -target=znver5 -passes=carry-masks %s | %check %s --check-prefix=BOTH

; The other block gets what is no comparison; a block that a value comes from to a phi is one too.
; CHECK-LABEL: define <16 x i32> @elsewhere(
; CHECK: [[MASK:%.*]] = icmp eq <16 x i32> %low, zeroinitializer
; CHECK-NEXT: [[THERE:%.*]] = freeze <16 x i1> [[MASK]]
; CHECK-NEXT: bitcast <16 x i1> [[MASK]] to i16
; CHECK: slow:
; CHECK-NEXT: select <16 x i1> [[THERE]]
; CHECK: phi <16 x i1> [ [[MASK]], %entry ], [ [[THERE]], %slow ]
; NARROW-LABEL: define <16 x i32> @elsewhere(
; NARROW: slow:
; NARROW-NEXT: select <16 x i1> %zero
define <16 x i32> @elsewhere(<16 x i32> %x) {
entry:
  %low = and <16 x i32> %x, splat (i32 4095)
  %zero = icmp eq <16 x i32> %low, zeroinitializer
  %bits = bitcast <16 x i1> %zero to i16
  %any = icmp ne i16 %bits, 0
  br i1 %any, label %slow, label %end
slow:
  %y = select <16 x i1> %zero, <16 x i32> %x, <16 x i32> %low
  br label %end
end:
  %z = phi <16 x i32> [ %x, %entry ], [ %y, %slow ]
  %m = phi <16 x i1> [ %zero, %entry ], [ %zero, %slow ]
  %r = select <16 x i1> %m, <16 x i32> %z, <16 x i32> zeroinitializer
  ret <16 x i32> %r
}

; Whether all lanes are set is asked of a general register.
; ASKED-LABEL: define void @asked(
; ASKED: [[NUMBER:%.*]] = bitcast <16 x i1> %m to i16
; ASKED-NEXT: [[WIDE:%.*]] = zext i16 [[NUMBER]] to i32
; ASKED-NEXT: [[HIDDEN:%.*]] = call i32 asm "", "=r,0"(i32 [[WIDE]])
; ASKED-NEXT: icmp eq i32 [[HIDDEN]], 65535
; OTHERS-LABEL: define void @asked(
; OTHERS: icmp eq i16 %bits, -1
define void @asked(<16 x float> %x, ptr %p) {
  %m = fcmp olt <16 x float> %x, zeroinitializer
  %bits = bitcast <16 x i1> %m to i16
  %all = icmp eq i16 %bits, -1
  br i1 %all, label %yes, label %no
yes:
  store i32 1, ptr %p
  ret void
no:
  ret void
}

; What two masks have in common KTEST tells.
; BOTH-LABEL: define void @both(
; BOTH-NOT: asm
; BOTH: icmp eq i16 %bits, 0
; BOTH: ret void
define void @both(<16 x i1> %a, <16 x i1> %b, ptr %p) {
  %m = and <16 x i1> %a, %b
  %bits = bitcast <16 x i1> %m to i16
  %none = icmp eq i16 %bits, 0
  br i1 %none, label %yes, label %no
yes:
  store i32 1, ptr %p
  ret void
no:
  ret void
}
