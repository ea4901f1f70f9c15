; RUN: %opt -kernel=many -block=64 -passes=outline-serial-loops %s | %check %s --check-prefix=MANY
; RUN: %opt -kernel=few -block=64 -passes=outline-serial-loops %s | %check %s --check-prefix=FEW
; RUN: %opt -kernel=unmarked -block=64 -passes=outline-serial-loops %s | %check %s --check-prefix=UNMARKED
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; What it needs of the code around it comes by arguments, the value that is asked for later is its result.
; MANY-LABEL: define i32 @many(
; MANY: wraps:
; MANY-NEXT: %[[LAST:.*]] = call i32 @[[EACH:[0-9]+]](i32 %start, ptr %out, i32 %v)
; MANY-NOT: store
; MANY: phi i32 [ %[[LAST]],
; MANY: define internal i32 @[[EACH]](i32 %0, ptr %1, i32 %2)
; MANY-COUNT-16: store i32
; MANY-NOT: store
; MANY: ret i32
define i32 @many(ptr %out, i32 %n, i1 %fits, i32 %v) {
entry:
  %t = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = mul i32 %t, %n
  br i1 %fits, label %steady, label %wraps
steady:
  br label %end
wraps:
  %i0 = add i32 %start, 1
  %e0 = zext i32 %i0 to i64
  %p0 = getelementptr i32, ptr %out, i64 %e0
  %l0 = load i32, ptr %p0
  %s0 = add i32 %l0, %v
  store i32 %s0, ptr %p0, !lanza.wraps !1
  %i1 = add i32 %start, 2
  %e1 = zext i32 %i1 to i64
  %p1 = getelementptr i32, ptr %out, i64 %e1
  %l1 = load i32, ptr %p1
  %s1 = add i32 %l1, %v
  store i32 %s1, ptr %p1, !lanza.wraps !1
  %i2 = add i32 %start, 3
  %e2 = zext i32 %i2 to i64
  %p2 = getelementptr i32, ptr %out, i64 %e2
  %l2 = load i32, ptr %p2
  %s2 = add i32 %l2, %v
  store i32 %s2, ptr %p2, !lanza.wraps !1
  %i3 = add i32 %start, 4
  %e3 = zext i32 %i3 to i64
  %p3 = getelementptr i32, ptr %out, i64 %e3
  %l3 = load i32, ptr %p3
  %s3 = add i32 %l3, %v
  store i32 %s3, ptr %p3, !lanza.wraps !1
  %i4 = add i32 %start, 5
  %e4 = zext i32 %i4 to i64
  %p4 = getelementptr i32, ptr %out, i64 %e4
  %l4 = load i32, ptr %p4
  %s4 = add i32 %l4, %v
  store i32 %s4, ptr %p4, !lanza.wraps !1
  %i5 = add i32 %start, 6
  %e5 = zext i32 %i5 to i64
  %p5 = getelementptr i32, ptr %out, i64 %e5
  %l5 = load i32, ptr %p5
  %s5 = add i32 %l5, %v
  store i32 %s5, ptr %p5, !lanza.wraps !1
  %i6 = add i32 %start, 7
  %e6 = zext i32 %i6 to i64
  %p6 = getelementptr i32, ptr %out, i64 %e6
  %l6 = load i32, ptr %p6
  %s6 = add i32 %l6, %v
  store i32 %s6, ptr %p6, !lanza.wraps !1
  %i7 = add i32 %start, 8
  %e7 = zext i32 %i7 to i64
  %p7 = getelementptr i32, ptr %out, i64 %e7
  %l7 = load i32, ptr %p7
  %s7 = add i32 %l7, %v
  store i32 %s7, ptr %p7, !lanza.wraps !1
  %i8 = add i32 %start, 9
  %e8 = zext i32 %i8 to i64
  %p8 = getelementptr i32, ptr %out, i64 %e8
  %l8 = load i32, ptr %p8
  %s8 = add i32 %l8, %v
  store i32 %s8, ptr %p8, !lanza.wraps !1
  %i9 = add i32 %start, 10
  %e9 = zext i32 %i9 to i64
  %p9 = getelementptr i32, ptr %out, i64 %e9
  %l9 = load i32, ptr %p9
  %s9 = add i32 %l9, %v
  store i32 %s9, ptr %p9, !lanza.wraps !1
  %i10 = add i32 %start, 11
  %e10 = zext i32 %i10 to i64
  %p10 = getelementptr i32, ptr %out, i64 %e10
  %l10 = load i32, ptr %p10
  %s10 = add i32 %l10, %v
  store i32 %s10, ptr %p10, !lanza.wraps !1
  %i11 = add i32 %start, 12
  %e11 = zext i32 %i11 to i64
  %p11 = getelementptr i32, ptr %out, i64 %e11
  %l11 = load i32, ptr %p11
  %s11 = add i32 %l11, %v
  store i32 %s11, ptr %p11, !lanza.wraps !1
  %i12 = add i32 %start, 13
  %e12 = zext i32 %i12 to i64
  %p12 = getelementptr i32, ptr %out, i64 %e12
  %l12 = load i32, ptr %p12
  %s12 = add i32 %l12, %v
  store i32 %s12, ptr %p12, !lanza.wraps !1
  %i13 = add i32 %start, 14
  %e13 = zext i32 %i13 to i64
  %p13 = getelementptr i32, ptr %out, i64 %e13
  %l13 = load i32, ptr %p13
  %s13 = add i32 %l13, %v
  store i32 %s13, ptr %p13, !lanza.wraps !1
  %i14 = add i32 %start, 15
  %e14 = zext i32 %i14 to i64
  %p14 = getelementptr i32, ptr %out, i64 %e14
  %l14 = load i32, ptr %p14
  %s14 = add i32 %l14, %v
  store i32 %s14, ptr %p14, !lanza.wraps !1
  %i15 = add i32 %start, 16
  %e15 = zext i32 %i15 to i64
  %p15 = getelementptr i32, ptr %out, i64 %e15
  %l15 = load i32, ptr %p15
  %s15 = add i32 %l15, %v
  store i32 %s15, ptr %p15, !lanza.wraps !1
  br label %end
end:
  %r = phi i32 [ %s0, %wraps ], [ %v, %steady ]
  ret i32 %r
}

; It is not much code.
; FEW-LABEL: define i32 @few(
; FEW-COUNT-15: store i32
; FEW: ret i32
define i32 @few(ptr %out, i32 %n, i1 %fits, i32 %v) {
entry:
  %t = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = mul i32 %t, %n
  br i1 %fits, label %steady, label %wraps
steady:
  br label %end
wraps:
  %i0 = add i32 %start, 1
  %e0 = zext i32 %i0 to i64
  %p0 = getelementptr i32, ptr %out, i64 %e0
  %l0 = load i32, ptr %p0
  %s0 = add i32 %l0, %v
  store i32 %s0, ptr %p0, !lanza.wraps !1
  %i1 = add i32 %start, 2
  %e1 = zext i32 %i1 to i64
  %p1 = getelementptr i32, ptr %out, i64 %e1
  %l1 = load i32, ptr %p1
  %s1 = add i32 %l1, %v
  store i32 %s1, ptr %p1, !lanza.wraps !1
  %i2 = add i32 %start, 3
  %e2 = zext i32 %i2 to i64
  %p2 = getelementptr i32, ptr %out, i64 %e2
  %l2 = load i32, ptr %p2
  %s2 = add i32 %l2, %v
  store i32 %s2, ptr %p2, !lanza.wraps !1
  %i3 = add i32 %start, 4
  %e3 = zext i32 %i3 to i64
  %p3 = getelementptr i32, ptr %out, i64 %e3
  %l3 = load i32, ptr %p3
  %s3 = add i32 %l3, %v
  store i32 %s3, ptr %p3, !lanza.wraps !1
  %i4 = add i32 %start, 5
  %e4 = zext i32 %i4 to i64
  %p4 = getelementptr i32, ptr %out, i64 %e4
  %l4 = load i32, ptr %p4
  %s4 = add i32 %l4, %v
  store i32 %s4, ptr %p4, !lanza.wraps !1
  %i5 = add i32 %start, 6
  %e5 = zext i32 %i5 to i64
  %p5 = getelementptr i32, ptr %out, i64 %e5
  %l5 = load i32, ptr %p5
  %s5 = add i32 %l5, %v
  store i32 %s5, ptr %p5, !lanza.wraps !1
  %i6 = add i32 %start, 7
  %e6 = zext i32 %i6 to i64
  %p6 = getelementptr i32, ptr %out, i64 %e6
  %l6 = load i32, ptr %p6
  %s6 = add i32 %l6, %v
  store i32 %s6, ptr %p6, !lanza.wraps !1
  %i7 = add i32 %start, 8
  %e7 = zext i32 %i7 to i64
  %p7 = getelementptr i32, ptr %out, i64 %e7
  %l7 = load i32, ptr %p7
  %s7 = add i32 %l7, %v
  store i32 %s7, ptr %p7, !lanza.wraps !1
  %i8 = add i32 %start, 9
  %e8 = zext i32 %i8 to i64
  %p8 = getelementptr i32, ptr %out, i64 %e8
  %l8 = load i32, ptr %p8
  %s8 = add i32 %l8, %v
  store i32 %s8, ptr %p8, !lanza.wraps !1
  %i9 = add i32 %start, 10
  %e9 = zext i32 %i9 to i64
  %p9 = getelementptr i32, ptr %out, i64 %e9
  %l9 = load i32, ptr %p9
  %s9 = add i32 %l9, %v
  store i32 %s9, ptr %p9, !lanza.wraps !1
  %i10 = add i32 %start, 11
  %e10 = zext i32 %i10 to i64
  %p10 = getelementptr i32, ptr %out, i64 %e10
  %l10 = load i32, ptr %p10
  %s10 = add i32 %l10, %v
  store i32 %s10, ptr %p10, !lanza.wraps !1
  %i11 = add i32 %start, 12
  %e11 = zext i32 %i11 to i64
  %p11 = getelementptr i32, ptr %out, i64 %e11
  %l11 = load i32, ptr %p11
  %s11 = add i32 %l11, %v
  store i32 %s11, ptr %p11, !lanza.wraps !1
  %i12 = add i32 %start, 13
  %e12 = zext i32 %i12 to i64
  %p12 = getelementptr i32, ptr %out, i64 %e12
  %l12 = load i32, ptr %p12
  %s12 = add i32 %l12, %v
  store i32 %s12, ptr %p12, !lanza.wraps !1
  %i13 = add i32 %start, 14
  %e13 = zext i32 %i13 to i64
  %p13 = getelementptr i32, ptr %out, i64 %e13
  %l13 = load i32, ptr %p13
  %s13 = add i32 %l13, %v
  store i32 %s13, ptr %p13, !lanza.wraps !1
  %i14 = add i32 %start, 15
  %e14 = zext i32 %i14 to i64
  %p14 = getelementptr i32, ptr %out, i64 %e14
  %l14 = load i32, ptr %p14
  %s14 = add i32 %l14, %v
  store i32 %s14, ptr %p14, !lanza.wraps !1
  br label %end
end:
  %r = phi i32 [ %s0, %wraps ], [ %v, %steady ]
  ret i32 %r
}

; Nobody said that its sums practically never wrap.
; UNMARKED-LABEL: define i32 @unmarked(
; UNMARKED-COUNT-16: store i32
; UNMARKED: ret i32
define i32 @unmarked(ptr %out, i32 %n, i1 %fits, i32 %v) {
entry:
  %t = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = mul i32 %t, %n
  br i1 %fits, label %steady, label %wraps
steady:
  br label %end
wraps:
  %i0 = add i32 %start, 1
  %e0 = zext i32 %i0 to i64
  %p0 = getelementptr i32, ptr %out, i64 %e0
  %l0 = load i32, ptr %p0
  %s0 = add i32 %l0, %v
  store i32 %s0, ptr %p0
  %i1 = add i32 %start, 2
  %e1 = zext i32 %i1 to i64
  %p1 = getelementptr i32, ptr %out, i64 %e1
  %l1 = load i32, ptr %p1
  %s1 = add i32 %l1, %v
  store i32 %s1, ptr %p1
  %i2 = add i32 %start, 3
  %e2 = zext i32 %i2 to i64
  %p2 = getelementptr i32, ptr %out, i64 %e2
  %l2 = load i32, ptr %p2
  %s2 = add i32 %l2, %v
  store i32 %s2, ptr %p2
  %i3 = add i32 %start, 4
  %e3 = zext i32 %i3 to i64
  %p3 = getelementptr i32, ptr %out, i64 %e3
  %l3 = load i32, ptr %p3
  %s3 = add i32 %l3, %v
  store i32 %s3, ptr %p3
  %i4 = add i32 %start, 5
  %e4 = zext i32 %i4 to i64
  %p4 = getelementptr i32, ptr %out, i64 %e4
  %l4 = load i32, ptr %p4
  %s4 = add i32 %l4, %v
  store i32 %s4, ptr %p4
  %i5 = add i32 %start, 6
  %e5 = zext i32 %i5 to i64
  %p5 = getelementptr i32, ptr %out, i64 %e5
  %l5 = load i32, ptr %p5
  %s5 = add i32 %l5, %v
  store i32 %s5, ptr %p5
  %i6 = add i32 %start, 7
  %e6 = zext i32 %i6 to i64
  %p6 = getelementptr i32, ptr %out, i64 %e6
  %l6 = load i32, ptr %p6
  %s6 = add i32 %l6, %v
  store i32 %s6, ptr %p6
  %i7 = add i32 %start, 8
  %e7 = zext i32 %i7 to i64
  %p7 = getelementptr i32, ptr %out, i64 %e7
  %l7 = load i32, ptr %p7
  %s7 = add i32 %l7, %v
  store i32 %s7, ptr %p7
  %i8 = add i32 %start, 9
  %e8 = zext i32 %i8 to i64
  %p8 = getelementptr i32, ptr %out, i64 %e8
  %l8 = load i32, ptr %p8
  %s8 = add i32 %l8, %v
  store i32 %s8, ptr %p8
  %i9 = add i32 %start, 10
  %e9 = zext i32 %i9 to i64
  %p9 = getelementptr i32, ptr %out, i64 %e9
  %l9 = load i32, ptr %p9
  %s9 = add i32 %l9, %v
  store i32 %s9, ptr %p9
  %i10 = add i32 %start, 11
  %e10 = zext i32 %i10 to i64
  %p10 = getelementptr i32, ptr %out, i64 %e10
  %l10 = load i32, ptr %p10
  %s10 = add i32 %l10, %v
  store i32 %s10, ptr %p10
  %i11 = add i32 %start, 12
  %e11 = zext i32 %i11 to i64
  %p11 = getelementptr i32, ptr %out, i64 %e11
  %l11 = load i32, ptr %p11
  %s11 = add i32 %l11, %v
  store i32 %s11, ptr %p11
  %i12 = add i32 %start, 13
  %e12 = zext i32 %i12 to i64
  %p12 = getelementptr i32, ptr %out, i64 %e12
  %l12 = load i32, ptr %p12
  %s12 = add i32 %l12, %v
  store i32 %s12, ptr %p12
  %i13 = add i32 %start, 14
  %e13 = zext i32 %i13 to i64
  %p13 = getelementptr i32, ptr %out, i64 %e13
  %l13 = load i32, ptr %p13
  %s13 = add i32 %l13, %v
  store i32 %s13, ptr %p13
  %i14 = add i32 %start, 15
  %e14 = zext i32 %i14 to i64
  %p14 = getelementptr i32, ptr %out, i64 %e14
  %l14 = load i32, ptr %p14
  %s14 = add i32 %l14, %v
  store i32 %s14, ptr %p14
  %i15 = add i32 %start, 16
  %e15 = zext i32 %i15 to i64
  %p15 = getelementptr i32, ptr %out, i64 %e15
  %l15 = load i32, ptr %p15
  %s15 = add i32 %l15, %v
  store i32 %s15, ptr %p15
  br label %end
end:
  %r = phi i32 [ %s0, %wraps ], [ %v, %steady ]
  ret i32 %r
}

!llvm.module.flags = !{!0}
!0 = !{i32 7, !"lanza.few-registers", i32 1}
!1 = !{}
