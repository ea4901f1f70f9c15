; RUN: %opt -target=x86-64-v4 -lanes=16 -block=128 -kernel=fours -passes=fit-teams %s | %check %s --check-prefix=FOURS
; RUN: %opt -target=x86-64-v4 -lanes=16 -block=128 -kernel=eights -passes=fit-teams %s | %check %s --check-prefix=EIGHTS
; RUN: %opt -target=x86-64-v4 -lanes=16 -block=128 -kernel=singles -passes=fit-teams %s | %check %s --check-prefix=SINGLES

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; Four threads for each row of blocks: groups of four go round its loop together.
; FOURS: fours: 4 lanes
define void @fours(ptr %starts, ptr %columns, ptr %values) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = lshr i32 %t, 2
  %at = getelementptr i32, ptr %starts, i32 %row
  %start = load i32, ptr %at
  br label %loop
loop:
  %j = phi i32 [ %start, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %where = getelementptr i32, ptr %columns, i32 %j
  %column = load i32, ptr %where
  %address = getelementptr float, ptr %values, i32 %column
  %value = load float, ptr %address
  %more = fadd float %sum, %value
  %next = add i32 %j, 1
  %again = icmp slt i32 %next, 100
  br i1 %again, label %loop, label %end
end:
  ret void
}

; EIGHTS: eights: 8 lanes
define void @eights(ptr %starts, ptr %columns, ptr %values) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = lshr i32 %t, 3
  %at = getelementptr i32, ptr %starts, i32 %row
  %start = load i32, ptr %at
  br label %loop
loop:
  %j = phi i32 [ %start, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %where = getelementptr i32, ptr %columns, i32 %j
  %column = load i32, ptr %where
  %address = getelementptr float, ptr %values, i32 %column
  %value = load float, ptr %address
  %more = fadd float %sum, %value
  %next = add i32 %j, 1
  %again = icmp slt i32 %next, 100
  br i1 %again, label %loop, label %end
end:
  ret void
}

; Each thread has a row of its own: no team.
; SINGLES: singles: 16 lanes
define void @singles(ptr %starts, ptr %columns, ptr %values) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %starts, i32 %t
  %start = load i32, ptr %at
  br label %loop
loop:
  %j = phi i32 [ %start, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %where = getelementptr i32, ptr %columns, i32 %j
  %column = load i32, ptr %where
  %address = getelementptr float, ptr %values, i32 %column
  %value = load float, ptr %address
  %more = fadd float %sum, %value
  %next = add i32 %j, 1
  %again = icmp slt i32 %next, 100
  br i1 %again, label %loop, label %end
end:
  ret void
}
