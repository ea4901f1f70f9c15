; RUN: %opt -kernel=leaves_early -passes=uniform-barriers,prepare-control,linearise,barrier-masks %s | %check %s --check-prefix=PROVED
; RUN: %opt -kernel=leaves_in_loop -passes=uniform-barriers,prepare-control,linearise,barrier-masks %s | %check %s --check-prefix=PROVED
; RUN: %opt -kernel=leaves_twice -passes=uniform-barriers,prepare-control,linearise,barrier-masks %s | %check %s --check-prefix=PROVED
; RUN: %opt -kernel=asked -passes=barrier-masks %s | %check %s --check-prefix=PROVED
; RUN: %opt -kernel=not_asked -passes=barrier-masks %s | %check %s --check-prefix=EMPTY
; RUN: %opt -kernel=asked_another -passes=barrier-masks %s | %check %s --check-prefix=EMPTY
; RUN: %opt -kernel=not_asked_again -passes=barrier-masks %s | %check %s --check-prefix=EMPTY

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)
declare void @lanza.mask(i1)
declare i1 @lanza.any(i1)

; PROVED: : proved
; PROVED-NOT: groups
; EMPTY: groups whose threads have all left may come to a barrier

define void @leaves_early(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %out = icmp uge i32 %t, %n
  br i1 %out, label %end, label %go
go:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %end
end:
  ret void
}

define void @leaves_in_loop() {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %more = icmp ult i32 %next, %t
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Out of the middle of a loop, which a uniform condition ends, and in front of it; a barrier comes behind it as well.
define void @leaves_twice(ptr %p, i32 %turns) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %address = getelementptr i32, ptr %p, i32 %t
  %first = load i32, ptr %address
  %gone = icmp eq i32 %first, 0
  br i1 %gone, label %end, label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %stay ]
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %now = load i32, ptr %address
  %leaves = icmp eq i32 %now, %i
  br i1 %leaves, label %end, label %stay
stay:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %turns
  br i1 %more, label %loop, label %behind
behind:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %end
end:
  ret void
}

; As masks stand after linearise().
define void @asked(i1 %m) {
  %any = call i1 @lanza.any(i1 %m)
  br i1 %any, label %go, label %end
go:
  call void @lanza.mask(i1 %m)
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %end
end:
  ret void
}

define void @not_asked(i1 %m) {
  call void @lanza.mask(i1 %m)
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  ret void
}

define void @asked_another(i1 %m, i1 %other) {
  %any = call i1 @lanza.any(i1 %other)
  br i1 %any, label %go, label %end
go:
  call void @lanza.mask(i1 %m)
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %end
end:
  ret void
}

; The first turn has a lane, the next ones need not.
define void @not_asked_again(i1 %m, i32 %turns, ptr %p) {
entry:
  %any = call i1 @lanza.any(i1 %m)
  br i1 %any, label %loop, label %end
loop:
  %live = phi i1 [ %m, %entry ], [ %stays, %loop ]
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void @lanza.mask(i1 %live)
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %stays = load i1, ptr %p
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %turns
  br i1 %more, label %loop, label %end
end:
  ret void
}
