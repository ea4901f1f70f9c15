; RUN: %opt -kernel=counts -target=x86-64-v4 -passes=mask-counts %s | %check %s
; RUN: %opt -kernel=counts -target=x86-64-v3 -passes=mask-counts %s | %check %s --check-prefix=NARROW
; RUN: %opt -kernel=leaves -target=x86-64-v4 -passes=mask-counts %s | %check %s --check-prefix=LEAVES
; RUN: %opt -kernel=ones -target=x86-64-v4 -passes=mask-counts %s | %check %s --check-prefix=ONES

; CHECK-LABEL: define <16 x i32> @counts(
; CHECK: [[MORE:%.*]] = add <16 x i32> %n, <i32 1,
; CHECK-NEXT: select <16 x i1> %m, <16 x i32> [[MORE]], <16 x i32> %n
; NARROW-LABEL: define <16 x i32> @counts(
; NARROW: add <16 x i32> %z, %n
define <16 x i32> @counts(<16 x i32> %n, <16 x float> %x, <16 x float> %y) {
  %m = fcmp olt <16 x float> %x, %y
  %z = zext <16 x i1> %m to <16 x i32>
  %s = add <16 x i32> %z, %n
  ret <16 x i32> %s
}

; An extended mask is -1; less of it is more.
; LEAVES-LABEL: define <16 x i32> @leaves(
; LEAVES: [[MORE:%.*]] = add <16 x i32> %n, <i32 1,
; LEAVES-NEXT: [[FIRST:%.*]] = select <16 x i1> %m, <16 x i32> [[MORE]], <16 x i32> %n
; LEAVES: [[LESS:%.*]] = add <16 x i32> [[FIRST]], <i32 -1,
; LEAVES-NEXT: select <16 x i1> %k, <16 x i32> [[LESS]], <16 x i32> [[FIRST]]
define <16 x i32> @leaves(<16 x i32> %n, <16 x i1> %m, <16 x i1> %k) {
  %a = sext <16 x i1> %m to <16 x i32>
  %s = sub <16 x i32> %n, %a
  %b = sext <16 x i1> %k to <16 x i32>
  %r = add <16 x i32> %s, %b
  ret <16 x i32> %r
}

; What is used otherwise too is a vector anyway, and a constant is chosen from two.
; ONES-LABEL: define <16 x i32> @ones(
; ONES-NOT: select
; ONES: ret <16 x i32>
define <16 x i32> @ones(<16 x i32> %n, <16 x i1> %m, <16 x i1> %k) {
  %a = zext <16 x i1> %m to <16 x i32>
  %s = add <16 x i32> %n, %a
  %t = mul <16 x i32> %s, %a
  %b = zext <16 x i1> %k to <16 x i32>
  %c = add <16 x i32> %b, splat (i32 5)
  %r = xor <16 x i32> %t, %c
  ret <16 x i32> %r
}
