; The loop around has the metadata of the one inside, as LLVM leaves them: it is that one's alone.
; RUN: %opt -kernel=nest -passes=keep-innermost-marks %s | %check %s
; CHECK-LABEL: define void @nest(
; CHECK: br i1 %more, label %inner, label %latch, !llvm.loop [[MARK:![0-9]+]]
; CHECK: br i1 %on, label %outer, label %done{{$}}
; Loops beside each other keep theirs.
; CHECK: br i1 %again, label %beside, label %end, !llvm.loop
; CHECK: [[MARK]] = distinct
define void @nest(i32 %n) {
entry:
  br label %outer
outer:
  %k = phi i32 [ 0, %entry ], [ %k1, %latch ]
  br label %inner
inner:
  %i = phi i32 [ 0, %outer ], [ %i1, %inner ]
  %i1 = add nuw nsw i32 %i, 16
  %more = icmp ult i32 %i1, 64
  br i1 %more, label %inner, label %latch, !llvm.loop !0
latch:
  %k1 = add nuw nsw i32 %k, 1
  %on = icmp ult i32 %k1, %n
  br i1 %on, label %outer, label %done, !llvm.loop !0
done:
  br label %beside
beside:
  %j = phi i32 [ 0, %done ], [ %j1, %beside ]
  %j1 = add nuw nsw i32 %j, 16
  %again = icmp ult i32 %j1, 64
  br i1 %again, label %beside, label %end, !llvm.loop !2
end:
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"lanza.lanes"}
!2 = distinct !{!2, !1}
