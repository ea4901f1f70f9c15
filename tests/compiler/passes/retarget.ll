; RUN: %opt -target=x86-64-v3 -passes=retarget %s | %check %s
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: target datalayout = "e-m:e
; CHECK: target triple = "x86_64
; CHECK-NOT: addrspace

@a = internal addrspace(3) global [3 x i32] undef, align 4
@b = internal addrspace(3) global double undef, align 8
@dynamic = external addrspace(3) global [0 x i32], align 4
@variable = addrspace(1) externally_initialized global i32 7, !lanza.offset !0
; CHECK: @text = internal constant [3 x i8] c"hi\00"
@text = private addrspace(4) constant [3 x i8] c"hi\00"

; An object without storage, whose address only is used.
; CHECK: @index = internal constant i8 undef
@index = extern_weak addrspace(1) constant i8

; CHECK-LABEL: define {{.*}}void @places(
; CHECK: [[S0:%.*]] = call ptr @__lanza_shared()
; CHECK: [[A:%.*]] = getelementptr inbounds i8, ptr [[S0]], i64 0
; CHECK: store i32 1, ptr [[A]]
; CHECK: [[B:%.*]] = getelementptr inbounds i8, ptr {{%.*}}, i64 16
; CHECK: store double 0.0{{.*}}, ptr [[B]]
; CHECK: [[D:%.*]] = getelementptr inbounds i8, ptr {{%.*}}, i64 64
; CHECK: store i32 2, ptr [[D]]
; CHECK: [[G:%.*]] = call ptr @__lanza_globals()
; CHECK: getelementptr inbounds i8, ptr [[G]], i64 96
; CHECK: store ptr @text
define void @places(ptr %p) "target-cpu"="sm_80" {
  store i32 1, ptr addrspace(3) @a
  store double 0.0, ptr addrspace(3) @b
  store i32 2, ptr addrspace(3) @dynamic
  store i32 3, ptr addrspacecast (ptr addrspace(1) @variable to ptr)
  store ptr addrspacecast (ptr addrspace(4) @text to ptr), ptr %p
  store ptr addrspacecast (ptr addrspace(1) @index to ptr), ptr %p
  ret void
}

; One worker runs a block: its shared memory needs no atomic instruction; global memory does. Volatile is the front
; end's word for the system's scope.
; CHECK-LABEL: define {{.*}}i32 @atomics(
; CHECK-NOT: atomicrmw add
; CHECK: atomicrmw sub ptr %p, i32 {{.*}} syncscope("device") monotonic
; CHECK: atomicrmw xor ptr %p, i32 1 monotonic
; CHECK: atomicrmw and ptr %p, i32 1 acquire
; CHECK: cmpxchg ptr %p, i32 0, i32 1 syncscope("device") monotonic monotonic
; CHECK: cmpxchg ptr %p, i32 0, i32 1 acq_rel monotonic
define i32 @atomics(ptr %p) {
  %x = atomicrmw add ptr addrspace(3) @a, i32 1 monotonic
  %y = atomicrmw sub ptr %p, i32 %x monotonic
  %of_system = atomicrmw volatile xor ptr %p, i32 1 monotonic
  %orders = atomicrmw and ptr %p, i32 1 acquire
  %c = cmpxchg ptr %p, i32 0, i32 1 monotonic monotonic
  %d = cmpxchg ptr %p, i32 0, i32 1 acq_rel monotonic
  ret i32 %y
}

; No store changes what is constant memory, whatever its address is then.
; CHECK-LABEL: define {{.*}}i8 @constants(
; CHECK: load i8, ptr {{.*}}, !invariant.load
; CHECK: load i8, ptr %p, align 1{{$}}
define i8 @constants(ptr %p, i64 %n) {
  %at = getelementptr [3 x i8], ptr addrspace(4) @text, i64 0, i64 %n
  %a = load i8, ptr addrspace(4) %at
  %b = load i8, ptr %p
  %c = add i8 %a, %b
  ret i8 %c
}

; What is convergent for a GPU may be moved and copied, but not a synchronisation point.
; CHECK-LABEL: define {{.*}}void @convergence(
; CHECK: declare i64 @__lanza_sync({{.*}}) #[[POINT:[0-9]+]]
; CHECK: declare void @other() #[[OTHER:[0-9]+]]
define void @convergence() {
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0) convergent
  call void @other() convergent
  ret void
}
declare i64 @__lanza_sync(i32, i32, i32, i64, i32) convergent
declare void @other() convergent noreturn

; CHECK: "target-cpu"="x86-64-v3"
; CHECK: attributes #[[POINT]] = { convergent }
; CHECK: attributes #[[OTHER]] = { noreturn }
; CHECK: !"lanza.shared_bytes", i64 64
; CHECK: !"lanza.shared_gaps", ![[GAPS:[0-9]+]]
; CHECK: ![[GAPS]] = !{i64 12, i64 4, i64 24, i64 40}
!0 = !{i64 96}
