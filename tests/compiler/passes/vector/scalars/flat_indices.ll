; RUN: %opt -kernel=numbers -lanes=16 -block=8,8 -passes=flat-indices %s | %check %s --check-prefix=NUMBERS
; RUN: %opt -kernel=numbers -lanes=16 -block=16,8 -passes=flat-indices %s | %check %s --check-prefix=ROW
; RUN: %opt -kernel=numbers -lanes=16 -block=4,8 -passes=flat-indices %s | %check %s --check-prefix=OTHER

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()

; Two rows of eight are a group: its first thread's number, a multiple of 16, and the lane.
; NUMBERS-LABEL: define void @numbers(
; NUMBERS: %[[Y:.*]] = call range(i32 0, 8) i32 @lanza.group(i32 1)
; NUMBERS: %[[LANE:.*]] = call range(i32 0, 16) i32 @lanza.lane()
; NUMBERS: %[[ROWS:.*]] = mul nuw i32 %[[Y]], 8
; NUMBERS: %[[FIRST:.*]] = and i32 %[[ROWS]], -16
; NUMBERS: %[[NUMBER:.*]] = add nuw nsw i32 %[[FIRST]], %[[LANE]]
; NUMBERS: getelementptr i32, ptr %p, i32 %[[NUMBER]]
; NUMBERS-NOT: %number
; NUMBERS-NOT: %other
; A row that is a group, or of another length, stays as it is.
; ROW-LABEL: define void @numbers(
; ROW-NOT: lanza.lane
; ROW: ret void
; OTHER-LABEL: define void @numbers(
; OTHER-NOT: lanza.lane
; OTHER: ret void
define void @numbers(ptr %p) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %rows = shl nuw nsw i32 %y, 3
  %number = or disjoint i32 %rows, %x
  %q = getelementptr i32, ptr %p, i32 %number
  store i32 1, ptr %q
  %times = mul i32 %y, 8
  %other = add i32 %x, %times
  %r = getelementptr i32, ptr %p, i32 %other
  store i32 2, ptr %r
  ret void
}
