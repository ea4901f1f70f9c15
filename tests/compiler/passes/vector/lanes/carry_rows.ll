; RUN: %opt -target=x86-64-v4 -kernel=column -passes=carry-rows %s | %check %s --check-prefix=COLUMN
; RUN: %opt -target=x86-64-v4 -kernel=backwards -passes=carry-rows %s | %check %s --check-prefix=BACK
; RUN: %opt -target=x86-64-v4 -kernel=writes -passes=carry-rows %s | %check %s --check-prefix=WRITES
; RUN: %opt -target=x86-64-v4 -kernel=two -passes=carry-rows %s | %check %s --check-prefix=TWO
; RUN: %opt -target=x86-64-v3 -kernel=column -passes=carry-rows %s | %check %s --check-prefix=SMALL
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Rows 128 bytes apart: what a result reads the next one reads a turn later. One load a turn is left.
; COLUMN-LABEL: define void @column(
; COLUMN: entry:
; COLUMN-COUNT-3: load <16 x float>, ptr
; COLUMN: loop:
; COLUMN: [[C:%.*]] = phi <16 x float> [ %{{.*}}, %entry ], [ %d, %loop ]
; COLUMN: [[B:%.*]] = phi <16 x float> [ %{{.*}}, %entry ], [ [[C]], %loop ]
; COLUMN: [[A:%.*]] = phi <16 x float> [ %{{.*}}, %entry ], [ [[B]], %loop ]
; COLUMN: %d = load <16 x float>, ptr %pd
; COLUMN-NOT: load
; COLUMN: %s0.next = fadd <16 x float> %s0, [[A]]
; COLUMN: %s1.next = fadd <16 x float> %s1, [[B]]
; COLUMN: %s2.next = fadd <16 x float> %s2, [[C]]
; COLUMN: %s3.next = fadd <16 x float> %s3, %d
; 16 registers of 8 lanes do not hold four sums and three rows of 16.
; SMALL-LABEL: define void @column(
; SMALL: loop:
; SMALL-COUNT-4: load <16 x float>
define void @column(ptr %in, ptr %out) {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %s0 = phi <16 x float> [ zeroinitializer, %entry ], [ %s0.next, %loop ]
  %s1 = phi <16 x float> [ zeroinitializer, %entry ], [ %s1.next, %loop ]
  %s2 = phi <16 x float> [ zeroinitializer, %entry ], [ %s2.next, %loop ]
  %s3 = phi <16 x float> [ zeroinitializer, %entry ], [ %s3.next, %loop ]
  %at = shl i64 %k, 7
  %pa = getelementptr i8, ptr %in, i64 %at
  %pb = getelementptr i8, ptr %pa, i64 128
  %pc = getelementptr i8, ptr %pa, i64 256
  %pd = getelementptr i8, ptr %pa, i64 384
  %a = load <16 x float>, ptr %pa
  %b = load <16 x float>, ptr %pb
  %c = load <16 x float>, ptr %pc
  %d = load <16 x float>, ptr %pd
  %s0.next = fadd <16 x float> %s0, %a
  %s1.next = fadd <16 x float> %s1, %b
  %s2.next = fadd <16 x float> %s2, %c
  %s3.next = fadd <16 x float> %s3, %d
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, 17
  br i1 %more, label %loop, label %end
end:
  %t0 = fadd <16 x float> %s0.next, %s1.next
  %t1 = fadd <16 x float> %s2.next, %s3.next
  %t = fadd <16 x float> %t0, %t1
  store <16 x float> %t, ptr %out
  ret void
}

; Down a step that the launch knows: the load that is furthest down stays.
; BACK-LABEL: define void @backwards(
; BACK: loop:
; BACK-COUNT-4: phi <16 x float>
; BACK: %a = load <16 x float>, ptr %pa
; BACK-NOT: load
; BACK: end:
define void @backwards(ptr %in, ptr %out, i64 %step) {
entry:
  %down = sub i64 0, %step
  %step2 = shl i64 %step, 1
  %step3 = mul i64 %step, 3
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %s = phi <16 x float> [ zeroinitializer, %entry ], [ %s3, %loop ]
  %at = mul i64 %k, %down
  %pa = getelementptr i8, ptr %in, i64 %at
  %pb = getelementptr i8, ptr %pa, i64 %step
  %pc = getelementptr i8, ptr %pa, i64 %step2
  %pd = getelementptr i8, ptr %pa, i64 %step3
  %a = load <16 x float>, ptr %pa
  %b = load <16 x float>, ptr %pb
  %c = load <16 x float>, ptr %pc
  %d = load <16 x float>, ptr %pd
  %s0 = fadd <16 x float> %s, %a
  %s1 = fadd <16 x float> %s0, %b
  %s2 = fadd <16 x float> %s1, %c
  %s3 = fadd <16 x float> %s2, %d
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, 17
  br i1 %more, label %loop, label %end
end:
  store <16 x float> %s3, ptr %out
  ret void
}

; What the loop writes the next turn may have to read.
; WRITES-LABEL: define void @writes(
; WRITES: loop:
; WRITES-COUNT-4: load <16 x float>
; WRITES: end:
define void @writes(ptr %in, ptr %out) {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %at = shl i64 %k, 7
  %pa = getelementptr i8, ptr %in, i64 %at
  %pb = getelementptr i8, ptr %pa, i64 128
  %pc = getelementptr i8, ptr %pa, i64 256
  %pd = getelementptr i8, ptr %pa, i64 384
  %a = load <16 x float>, ptr %pa
  %b = load <16 x float>, ptr %pb
  %c = load <16 x float>, ptr %pc
  %d = load <16 x float>, ptr %pd
  %s0 = fadd <16 x float> %a, %b
  %s1 = fadd <16 x float> %s0, %c
  %s2 = fadd <16 x float> %s1, %d
  %q = getelementptr i8, ptr %out, i64 %at
  store <16 x float> %s2, ptr %q
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, 17
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Two loads a turn hide behind what is done with them.
; TWO-LABEL: define void @two(
; TWO: loop:
; TWO-COUNT-2: load <16 x float>
; TWO: end:
define void @two(ptr %in, ptr %out) {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %s = phi <16 x float> [ zeroinitializer, %entry ], [ %s1, %loop ]
  %at = shl i64 %k, 7
  %pa = getelementptr i8, ptr %in, i64 %at
  %pb = getelementptr i8, ptr %pa, i64 128
  %a = load <16 x float>, ptr %pa
  %b = load <16 x float>, ptr %pb
  %s0 = fadd <16 x float> %s, %a
  %s1 = fadd <16 x float> %s0, %b
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, 17
  br i1 %more, label %loop, label %end
end:
  store <16 x float> %s1, ptr %out
  ret void
}
