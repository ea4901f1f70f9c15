; RUN: %opt -passes=near-remainders %s | %check %s
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @use(i32)

; t + 397 lies in the first turn, t + 605 in the first or the second, t + 813 in the second.
; CHECK-LABEL: define void @turns(
; CHECK: call void @use(i32 %a)
; CHECK: [[FIRST:%.*]] = icmp ult i32 %b, 624
; CHECK: [[REST:%.*]] = sub nsw i32 %b, 624
; CHECK: [[PLACE:%.*]] = select i1 [[FIRST]], i32 %b, i32 [[REST]]
; CHECK: call void @use(i32 [[PLACE]])
; CHECK: [[BEYOND:%.*]] = sub nuw nsw i32 %c, 624
; CHECK: call void @use(i32 [[BEYOND]])
; CHECK: call void @use(i32 1)
define void @turns() {
  %t = call noundef range(i32 0, 208) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = add nuw nsw i32 %t, 397
  %ra = srem i32 %a, 624
  call void @use(i32 %ra)
  %b = add nuw nsw i32 %t, 605
  %rb = srem i32 %b, 624
  call void @use(i32 %rb)
  %c = add nuw nsw i32 %t, 813
  %rc = urem i32 %c, 624
  call void @use(i32 %rc)
  %qc = udiv i32 %c, 624
  call void @use(i32 %qc)
  ret void
}

; Three turns; numbers that may be negative; a step to a neighbour; a column of a row that is asked for; anything.
; CHECK-LABEL: define void @others(
; CHECK: urem i32 %a, 90
; CHECK: srem i32 %b, 300
; CHECK: srem i32 %c, 208
; CHECK: urem i32 %d, 100
; CHECK: udiv i32 %d, 100
; CHECK: urem i32 %n, 100
define void @others(i32 %n) {
  %t = call noundef range(i32 0, 208) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = add nuw nsw i32 %t, 50
  %ra = urem i32 %a, 90
  call void @use(i32 %ra)
  %b = add nsw i32 %t, -1
  %rb = srem i32 %b, 300
  call void @use(i32 %rb)
  %c = add nuw nsw i32 %t, 1
  %rc = srem i32 %c, 208
  call void @use(i32 %rc)
  %d = and i32 %t, 127
  %rd = urem i32 %d, 100
  call void @use(i32 %rd)
  %qd = udiv i32 %d, 100
  call void @use(i32 %qd)
  %re = urem i32 %n, 100
  call void @use(i32 %re)
  ret void
}

; Behind a guard numbers lie closer together.
; CHECK-LABEL: define void @guarded(
; CHECK: call void @use(i32 %x)
define void @guarded(i32 noundef %x) {
entry:
  %small = icmp ult i32 %x, 50
  br i1 %small, label %then, label %end
then:
  %r = srem i32 %x, 50
  call void @use(i32 %r)
  br label %end
end:
  ret void
}
