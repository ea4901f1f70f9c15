; RUN: %opt -kernel=retry -block=64 -passes=outline-serial-loops %s | %check %s --check-prefix=RETRY
; RUN: %opt -kernel=inserts -block=64 -passes=outline-serial-loops %s | %check %s --check-prefix=INSERTS
; RUN: %opt -kernel=neighbours -block=64 -passes=outline-serial-loops %s | %check %s --check-prefix=NEAR
; RUN: %opt -kernel=asks_first -block=64 -passes=outline-serial-loops %s | %check %s --check-prefix=ASKS
; RUN: %opt -kernel=scatters -block=64 -passes=outline-serial-loops %s | %check %s --check-prefix=SCATTERS
; RUN: %opt -kernel=scatters_alike -block=64 -passes=outline-serial-loops %s | %check %s --check-prefix=ALIKE
; RUN: %opt -kernel=scatters_neighbours -block=64 -passes=outline-serial-loops %s | %check %s --check-prefix=BESIDE
; RUN: %opt -kernel=scatters_private -block=64 -passes=outline-serial-loops %s | %check %s --check-prefix=PRIVATE
declare i1 @lanza.alone() memory(none)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; Alone it is an addition; beside others the loop stays.
; RETRY-LABEL: define void @retry(
; RETRY: %[[ALONE:.+]] = call i1 @lanza.alone()
; RETRY: br i1 %[[ALONE]]
; RETRY: call void @[[FIRST:[0-9]+]](
; RETRY: call void @[[SECOND:[0-9]+]](
; RETRY: ret void
define void @retry(ptr %at, ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %place = getelementptr i32, ptr %at, i32 %t
  %i = load i32, ptr %place
  %p = getelementptr i32, ptr %out, i32 %i
  %first = load i32, ptr %p
  br label %loop
loop:
  %seen = phi i32 [ %first, %entry ], [ %old, %join ]
  %new = add i32 %seen, %t
  %q = call i1 @lanza.alone()
  br i1 %q, label %alone, label %beside
alone:
  %a = cmpxchg ptr %p, i32 %seen, i32 %new syncscope("singlethread") monotonic monotonic
  br label %join
beside:
  %b = cmpxchg ptr %p, i32 %seen, i32 %new syncscope("device") monotonic monotonic
  br label %join
join:
  %swap = phi { i32, i1 } [ %a, %alone ], [ %b, %beside ]
  %old = extractvalue { i32, i1 } %swap, 0
  %same = icmp eq i32 %old, %seen
  br i1 %same, label %exit, label %loop
exit:
  br label %done
done:
  ret void
}

; Neighbours go round together.
; NEAR-LABEL: define void @neighbours(
; NEAR: cmpxchg
; NEAR: ret void
define void @neighbours(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %out, i32 %t
  %first = load i32, ptr %p
  br label %loop
loop:
  %seen = phi i32 [ %first, %entry ], [ %old, %loop ]
  %new = add i32 %seen, %t
  %swap = cmpxchg ptr %p, i32 %seen, i32 %new syncscope("singlethread") monotonic monotonic
  %old = extractvalue { i32, i1 } %swap, 0
  %same = icmp eq i32 %old, %seen
  br i1 %same, label %exit, label %loop
exit:
  ret void
}

; A loop that goes on whatever the swap finds stays; results leave by a struct.
; INSERTS-LABEL: define i32 @inserts(
; INSERTS: outer:
; INSERTS: %[[R:.+]] = call { i32, i32 } @[[THIRD:[0-9]+]](
; INSERTS: extractvalue { i32, i32 } %[[R]], 0
; INSERTS: extractvalue { i32, i32 } %[[R]], 1
; INSERTS: ret i32
define i32 @inserts(ptr %keys, ptr %in, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %outer
outer:
  %i = phi i32 [ %t, %entry ], [ %next, %after ]
  %from = getelementptr i32, ptr %in, i32 %i
  %key = load i32, ptr %from
  br label %walk
walk:
  %slot = phi i32 [ %key, %outer ], [ %up, %walk ]
  %up = add i32 %slot, 1
  %p = getelementptr i32, ptr %keys, i32 %slot
  %swap = cmpxchg ptr %p, i32 0, i32 %key syncscope("device") monotonic monotonic
  %old = extractvalue { i32, i1 } %swap, 0
  %free = icmp eq i32 %old, 0
  br i1 %free, label %after, label %walk
after:
  %found = phi i32 [ %slot, %walk ]
  %was = phi i32 [ %old, %walk ]
  %r = add i32 %found, %was
  %next = add i32 %i, 64
  %more = icmp slt i32 %next, %n
  br i1 %more, label %outer, label %done
done:
  ret i32 %r
}

; RETRY: define internal void @[[FIRST]](
; RETRY-NOT: cmpxchg
; RETRY: %[[OLD:.+]] = load i32, ptr %[[P:[0-9a-z]+]]
; RETRY-NEXT: %[[NEW:.+]] = add i32 %[[OLD]]
; RETRY-NEXT: store i32 %[[NEW]], ptr %[[P]]
; RETRY-NEXT: ret void
; RETRY: define internal void @[[SECOND]](
; RETRY-NOT: lanza.alone
; RETRY: cmpxchg {{.*}} syncscope("device")
; INSERTS: define internal { i32, i32 } @[[THIRD]](

; Most lanes need not go in: all ask at once.
; ASKS-LABEL: define void @asks_first(
; ASKS: cmpxchg
; ASKS: ret void
define void @asks_first(ptr %at, ptr %out, i32 %v) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %place = getelementptr i32, ptr %at, i32 %t
  %i = load i32, ptr %place
  %p = getelementptr i32, ptr %out, i32 %i
  %first = load i32, ptr %p
  br label %loop
loop:
  %seen = phi i32 [ %first, %entry ], [ %old, %latch ]
  %less = icmp slt i32 %seen, %v
  br i1 %less, label %try, label %latch
try:
  %swap = cmpxchg ptr %p, i32 %seen, i32 %v syncscope("device") monotonic monotonic
  %found = extractvalue { i32, i1 } %swap, 0
  %failed = icmp ne i32 %found, %seen
  br label %latch
latch:
  %old = phi i32 [ %found, %try ], [ %seen, %loop ]
  %again = phi i1 [ %failed, %try ], [ false, %loop ]
  br i1 %again, label %loop, label %exit
exit:
  ret void
}

; Multiples of each lane's own number: who is done waits for nobody.
; SCATTERS-LABEL: define void @scatters(
; SCATTERS-NOT: store
; SCATTERS: call void @[[STORES:[0-9]+]](i32 %p, ptr %out)
; SCATTERS-NOT: store
; SCATTERS: ret void
define void @scatters(ptr %in, ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = getelementptr i32, ptr %in, i32 %t
  %p = load i32, ptr %from
  br label %loop
loop:
  %m = phi i32 [ %p, %entry ], [ %next, %loop ]
  %to = getelementptr i8, ptr %out, i32 %m
  store i8 0, ptr %to
  %next = add nsw i32 %m, %p
  %more = icmp slt i32 %next, 1000
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
; SCATTERS: define internal void @[[STORES]](
; SCATTERS: store i8 0, ptr

; All leave in the same turn.
; ALIKE-LABEL: define void @scatters_alike(
; ALIKE: store i8 0, ptr %to
; ALIKE: ret void
define void @scatters_alike(ptr %in, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = getelementptr i32, ptr %in, i32 %t
  %p = load i32, ptr %from
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %m = add i32 %p, %k
  %to = getelementptr i8, ptr %out, i32 %m
  store i8 0, ptr %to
  %next = add nsw i32 %k, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; Lanes store side by side.
; BESIDE-LABEL: define void @scatters_neighbours(
; BESIDE: store i8 0, ptr %to
; BESIDE: ret void
define void @scatters_neighbours(ptr %in, ptr %out) {
entry:
  %t = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = zext nneg i32 %t to i64
  %from = getelementptr i32, ptr %in, i64 %own
  %n = load i64, ptr %from
  br label %loop
loop:
  %k = phi i64 [ %own, %entry ], [ %next, %loop ]
  %to = getelementptr i8, ptr %out, i64 %k
  store i8 0, ptr %to
  %next = add nsw i64 %k, 64
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; A private array lies by lanes in the end.
; PRIVATE-LABEL: define i8 @scatters_private(
; PRIVATE: store i8 1, ptr %to
; PRIVATE: ret i8
define i8 @scatters_private(ptr %in) {
entry:
  %array = alloca [1000 x i8]
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = getelementptr i32, ptr %in, i32 %t
  %p = load i32, ptr %from
  br label %loop
loop:
  %m = phi i32 [ %p, %entry ], [ %next, %loop ]
  %to = getelementptr i8, ptr %array, i32 %m
  store i8 1, ptr %to
  %next = add nsw i32 %m, %p
  %more = icmp slt i32 %next, 1000
  br i1 %more, label %loop, label %exit
exit:
  %v = load i8, ptr %array
  ret i8 %v
}
