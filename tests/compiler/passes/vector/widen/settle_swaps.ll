; RUN: %opt -kernel=lost -block=64 -passes=outline-serial-loops %s | %check %s --check-prefix=LOST
; RUN: %opt -kernel=won -block=64 -passes=outline-serial-loops %s | %check %s --check-prefix=WON
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; What was asked before the loop is asked again of what a swap that has lost found: one store would not do.
; LOST-LABEL: define void @lost(
; LOST: define internal void
; LOST: cmpxchg
define void @lost(ptr %at, ptr %out, i32 %v) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %place = getelementptr i32, ptr %at, i32 %t
  %i = load i32, ptr %place
  %p = getelementptr i32, ptr %out, i32 %i
  %first = load i32, ptr %p
  %less = icmp slt i32 %first, %t
  br i1 %less, label %enter, label %exit
enter:
  br label %loop
loop:
  %seen = phi i32 [ %first, %enter ], [ %old, %loop ]
  %swap = cmpxchg ptr %p, i32 %seen, i32 %t syncscope("singlethread") monotonic monotonic
  %old = extractvalue { i32, i1 } %swap, 0
  %won = extractvalue { i32, i1 } %swap, 1
  %greater = icmp sge i32 %old, %t
  %over = or i1 %won, %greater
  br i1 %over, label %done, label %loop
done:
  br label %exit
exit:
  ret void
}

; A loop that ends when the swap has won.
; WON: define internal void
; WON-NOT: cmpxchg
; WON: store
; WON: ret void
define void @won(ptr %at, ptr %out, i32 %v) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %place = getelementptr i32, ptr %at, i32 %t
  %i = load i32, ptr %place
  %p = getelementptr i32, ptr %out, i32 %i
  %first = load i32, ptr %p
  br label %loop
loop:
  %seen = phi i32 [ %first, %entry ], [ %old, %loop ]
  %new = xor i32 %seen, %t
  %swap = cmpxchg ptr %p, i32 %seen, i32 %new syncscope("singlethread") monotonic monotonic
  %old = extractvalue { i32, i1 } %swap, 0
  %lost = icmp ne i32 %old, %seen
  br i1 %lost, label %loop, label %exit
exit:
  ret void
}
