; RUN: %opt -kernel=rows -passes=invert-divisors %s | %check %s
; RUN: %opt -kernel=any_sign -passes=invert-divisors %s | %check %s --check-prefix=SIGNED
; RUN: %opt -kernel=others -passes=invert-divisors %s | %check %s --check-prefix=OTHERS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; One inverse for both, in front of the outer loop.
; CHECK-LABEL: @rows(
; CHECK: entry:
; CHECK-NEXT: [[KNOWN:%.*]] = freeze i32 %n
; CHECK-NEXT: [[ABOVE:%.*]] = call i32 @llvm.umax.i32(i32 [[KNOWN]], i32 1)
; CHECK-NEXT: [[WIDE:%.*]] = zext i32 [[ABOVE]] to i64
; CHECK-NEXT: [[INVERSE:%.*]] = udiv i64 -1, [[WIDE]]
; CHECK: group:
; CHECK: [[NEXT:%.*]] = add nuw i64 {{%.*}}, 1
; CHECK: [[A:%.*]] = zext i64 [[NEXT]] to i128
; CHECK: [[B:%.*]] = zext i64 [[INVERSE]] to i128
; CHECK: [[PRODUCT:%.*]] = mul nuw i128 [[A]], [[B]]
; CHECK: [[HIGH:%.*]] = lshr i128 [[PRODUCT]], 64
; CHECK: [[Q:%.*]] = trunc i128 [[HIGH]] to i32
; CHECK: [[WHOLE:%.*]] = mul i32 {{%.*}}, %n
; CHECK: [[R:%.*]] = sub i32 {{%.*}}, [[WHOLE]]
; CHECK: add i32 [[Q]], [[R]]
; CHECK-NOT: {{udiv|urem}}
; CHECK: ret void
define void @rows(ptr %x, i32 %n) {
entry:
  br label %row
row:
  %y = phi i32 [ 0, %entry ], [ %below, %row.end ]
  br label %group
group:
  %i = phi i32 [ %y, %row ], [ %next, %group ]
  %q = udiv i32 %i, %n
  %r = urem i32 %i, %n
  %at = add i32 %q, %r
  %wide = sext i32 %at to i64
  %to = getelementptr float, ptr %x, i64 %wide
  store <16 x float> zeroinitializer, ptr %to
  %next = add nuw nsw i32 %i, 64
  %again = icmp ult i32 %next, 1024
  br i1 %again, label %group, label %row.end
row.end:
  %below = add nuw nsw i32 %y, 1
  %more = icmp ult i32 %below, 16
  br i1 %more, label %row, label %end
end:
  ret void
}

; Signs are taken off and put back.
; SIGNED-LABEL: @any_sign(
; SIGNED: entry:
; SIGNED: [[OFN:%.*]] = ashr i32 [[N:%.*]], 31
; SIGNED: [[ABS:%.*]] = call i32 @llvm.abs.i32(i32 [[N]], i1 false)
; SIGNED: call i32 @llvm.umax.i32(i32 [[ABS]], i32 1)
; SIGNED: group:
; SIGNED: [[OFI:%.*]] = ashr i32 [[I:%.*]], 31
; SIGNED: [[TURNED:%.*]] = xor i32 [[I]], [[OFI]]
; SIGNED: sub i32 [[TURNED]], [[OFI]]
; SIGNED: mul nuw i128
; SIGNED: [[Q:%.*]] = trunc i128
; SIGNED: [[BOTH:%.*]] = xor i32 [[OFI]], [[OFN]]
; SIGNED: [[BACK:%.*]] = xor i32 [[Q]], [[BOTH]]
; SIGNED: sub i32 [[BACK]], [[BOTH]]
; SIGNED-NOT: sdiv
; SIGNED: ret void
define void @any_sign(ptr %x, i32 %from, i32 %n) {
entry:
  br label %group
group:
  %i = phi i32 [ %from, %entry ], [ %next, %group ]
  %q = sdiv i32 %i, %n
  %wide = sext i32 %q to i64
  %to = getelementptr float, ptr %x, i64 %wide
  store <16 x float> zeroinitializer, ptr %to
  %next = add nsw i32 %i, 64
  %again = icmp slt i32 %next, 1024
  br i1 %again, label %group, label %end
end:
  ret void
}

; A divisor that changes, a constant, 64 bits, no loop.
; OTHERS-LABEL: @others(
; OTHERS: entry:
; OTHERS-NEXT: udiv i32 %m, %n
; OTHERS: group:
; OTHERS: udiv i32 %m, %i
; OTHERS: udiv i32 %i, 7
; OTHERS: udiv i64 %long, %wide.n
; OTHERS: ret void
define void @others(ptr %x, i32 %n, i32 %m) {
entry:
  %once = udiv i32 %m, %n
  %wide.n = zext i32 %n to i64
  br label %group
group:
  %i = phi i32 [ 1, %entry ], [ %next, %group ]
  %a = udiv i32 %m, %i
  %b = udiv i32 %i, 7
  %long = zext i32 %i to i64
  %c = udiv i64 %long, %wide.n
  %sum = add i32 %a, %b
  %all = add i32 %sum, %once
  %wide = sext i32 %all to i64
  %at = add i64 %wide, %c
  %to = getelementptr float, ptr %x, i64 %at
  store <16 x float> zeroinitializer, ptr %to
  %next = add nuw nsw i32 %i, 64
  %again = icmp ult i32 %next, 1024
  br i1 %again, label %group, label %end
end:
  ret void
}
