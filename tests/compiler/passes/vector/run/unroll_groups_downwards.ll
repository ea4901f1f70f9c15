; RUN: %opt -kernel=run -lanes=16 -block=512 -passes='unroll-groups,llvm(sroa,simplifycfg)' %s | %check %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Steps of a scan in place, whose groups go from the last to the first: places are numbers in each turn, also where a
; turn does not come (240 - 496), and so are the slots of what crosses a barrier. All become registers.
; CHECK-LABEL: define void @run(
; CHECK-NOT: alloca
; CHECK-COUNT-32: load <16 x i32>, ptr
; CHECK-COUNT-64: add <16 x i32>
; CHECK-NOT: add <16 x i32>
; CHECK-COUNT-32: store <16 x i32>
; CHECK: ret void
define void @run(ptr %x, ptr %y) {
entry:
  %tile = alloca [2048 x i8], align 64
  %slots = alloca [2048 x i8], align 64
  br label %copy
copy:
  %k = phi i32 [ 0, %entry ], [ %k.next, %copy ]
  %wide = zext nneg i32 %k to i64
  %from = getelementptr i32, ptr %x, i64 %wide
  %v = load <16 x i32>, ptr %from, align 4
  %to = getelementptr i32, ptr %tile, i64 %wide
  store <16 x i32> %v, ptr %to, align 4
  %k.next = add nuw nsw i32 %k, 16
  %k.more = icmp ult i32 %k, 496
  br i1 %k.more, label %copy, label %between0, !llvm.loop !0
between0:
  br label %step0
step0:
  %j0 = phi i32 [ 0, %between0 ], [ %j.next0, %added0 ]
  %down0 = sub nuw nsw i32 496, %j0
  %place0 = zext nneg i32 %down0 to i64
  %p0 = getelementptr i32, ptr %tile, i64 %place0
  %own0 = load <16 x i32>, ptr %p0, align 4
  %number = udiv i32 %down0, 16
  %number.wide = zext i32 %number to i64
  %slot = getelementptr <16 x i32>, ptr %slots, i64 %number.wide
  store <16 x i32> %own0, ptr %slot, align 64
  %kept = load <16 x i32>, ptr %slot, align 64
  %has0 = icmp ult i32 %j0, 256
  br i1 %has0, label %add0, label %added0
add0:
  %before0 = sub nuw nsw i32 240, %j0
  %there0 = zext nneg i32 %before0 to i64
  %q0 = getelementptr i32, ptr %tile, i64 %there0
  %other0 = load <16 x i32>, ptr %q0, align 4
  %sum0 = add <16 x i32> %kept, %other0
  store <16 x i32> %sum0, ptr %p0, align 4
  br label %added0
added0:
  %j.next0 = add nuw nsw i32 %j0, 16
  %j.more0 = icmp ult i32 %j0, 496
  br i1 %j.more0, label %step0, label %between1, !llvm.loop !4
between1:
  br label %step1
step1:
  %j1 = phi i32 [ 0, %between1 ], [ %j.next1, %added1 ]
  %down1 = sub nuw nsw i32 496, %j1
  %place1 = zext nneg i32 %down1 to i64
  %p1 = getelementptr i32, ptr %tile, i64 %place1
  %own1 = load <16 x i32>, ptr %p1, align 4
  %has1 = icmp ult i32 %j1, 256
  br i1 %has1, label %add1, label %added1
add1:
  %before1 = sub nuw nsw i32 240, %j1
  %there1 = zext nneg i32 %before1 to i64
  %q1 = getelementptr i32, ptr %tile, i64 %there1
  %other1 = load <16 x i32>, ptr %q1, align 4
  %sum1 = add <16 x i32> %own1, %other1
  store <16 x i32> %sum1, ptr %p1, align 4
  br label %added1
added1:
  %j.next1 = add nuw nsw i32 %j1, 16
  %j.more1 = icmp ult i32 %j1, 496
  br i1 %j.more1, label %step1, label %between2, !llvm.loop !5
between2:
  br label %step2
step2:
  %j2 = phi i32 [ 0, %between2 ], [ %j.next2, %added2 ]
  %down2 = sub nuw nsw i32 496, %j2
  %place2 = zext nneg i32 %down2 to i64
  %p2 = getelementptr i32, ptr %tile, i64 %place2
  %own2 = load <16 x i32>, ptr %p2, align 4
  %has2 = icmp ult i32 %j2, 256
  br i1 %has2, label %add2, label %added2
add2:
  %before2 = sub nuw nsw i32 240, %j2
  %there2 = zext nneg i32 %before2 to i64
  %q2 = getelementptr i32, ptr %tile, i64 %there2
  %other2 = load <16 x i32>, ptr %q2, align 4
  %sum2 = add <16 x i32> %own2, %other2
  store <16 x i32> %sum2, ptr %p2, align 4
  br label %added2
added2:
  %j.next2 = add nuw nsw i32 %j2, 16
  %j.more2 = icmp ult i32 %j2, 496
  br i1 %j.more2, label %step2, label %between3, !llvm.loop !6
between3:
  br label %step3
step3:
  %j3 = phi i32 [ 0, %between3 ], [ %j.next3, %added3 ]
  %down3 = sub nuw nsw i32 496, %j3
  %place3 = zext nneg i32 %down3 to i64
  %p3 = getelementptr i32, ptr %tile, i64 %place3
  %own3 = load <16 x i32>, ptr %p3, align 4
  %has3 = icmp ult i32 %j3, 256
  br i1 %has3, label %add3, label %added3
add3:
  %before3 = sub nuw nsw i32 240, %j3
  %there3 = zext nneg i32 %before3 to i64
  %q3 = getelementptr i32, ptr %tile, i64 %there3
  %other3 = load <16 x i32>, ptr %q3, align 4
  %sum3 = add <16 x i32> %own3, %other3
  store <16 x i32> %sum3, ptr %p3, align 4
  br label %added3
added3:
  %j.next3 = add nuw nsw i32 %j3, 16
  %j.more3 = icmp ult i32 %j3, 496
  br i1 %j.more3, label %step3, label %behind, !llvm.loop !7
behind:
  br label %out
out:
  %i = phi i32 [ 0, %behind ], [ %i.next, %out ]
  %i.wide = zext nneg i32 %i to i64
  %r = getelementptr i32, ptr %tile, i64 %i.wide
  %result = load <16 x i32>, ptr %r, align 4
  %o = getelementptr i32, ptr %y, i64 %i.wide
  store <16 x i32> %result, ptr %o, align 4
  %i.next = add nuw nsw i32 %i, 16
  %i.more = icmp ult i32 %i, 496
  br i1 %i.more, label %out, label %end, !llvm.loop !3
end:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"lanza.lanes"}
!3 = distinct !{!3, !1}
!4 = distinct !{!4, !1}
!5 = distinct !{!5, !1}
!6 = distinct !{!6, !1}
!7 = distinct !{!7, !1}
