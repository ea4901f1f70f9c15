; RUN: %opt -kernel=pairs -lanes=16 -block=512 -passes=device-pipeline,retarget,linearise,widen,build-groups %s | %check %s --check-prefix=PAIRS
; RUN: %opt -kernel=neighbours -lanes=16 -block=512 -passes=device-pipeline,retarget,linearise,widen,build-groups %s | %check %s --check-prefix=NEIGHBOURS
; RUN: %opt -kernel=neighbours -lanes=8 -block=256 -passes=device-pipeline,retarget,linearise,widen,build-groups %s | %check %s --check-prefix=FEW
; RUN: %opt -kernel=looks_up -lanes=16 -block=256 -passes=device-pipeline,retarget,linearise,widen,build-groups %s | %check %s --check-prefix=LANES
; RUN: %opt -kernel=looks_up -lanes=16 -block=256 -target=x86-64-v4 -passes=device-pipeline,retarget,linearise,widen,build-groups %s | %check %s --check-prefix=GATHERS
; RUN: %opt -kernel=sums_before -lanes=16 -block=64 -passes=device-pipeline,retarget,linearise,widen,build-groups %s | %check %s --check-prefix=BEFORE
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = internal addrspace(3) global [512 x float] undef, align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; 32 groups: whole vectors of shared memory become registers, and the two loops over groups straight code.
; PAIRS-LABEL: define internal i32 @run(
; PAIRS-NOT: alloca
; PAIRS-COUNT-32: load <16 x float>
; PAIRS-NOT: load
; PAIRS-COUNT-16: store <16 x float>
; PAIRS-NOT: store <
define void @pairs(ptr %x, ptr %y) {
entry:
  %t = call range(i32 0, 512) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr %x, i32 %t
  %v = load float, ptr %p
  %q = getelementptr float, ptr addrspace(3) @s, i32 %t
  store float %v, ptr addrspace(3) %q
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %first = icmp ult i32 %t, 256
  br i1 %first, label %add, label %end
add:
  %r = getelementptr float, ptr addrspace(3) %q, i32 256
  %a = load float, ptr addrspace(3) %r
  %b = load float, ptr addrspace(3) %q
  %c = fadd float %a, %b
  %o = getelementptr float, ptr %y, i32 %t
  store float %c, ptr %o
  br label %end
end:
  ret void
}

; A neighbour's value lies across two vectors: memory has it in one load.
; NEIGHBOURS-LABEL: define internal i32 @run(
; NEIGHBOURS: %shared = alloca [2048 x i8]
; NEIGHBOURS: group:
; NEIGHBOURS: store <16 x float>
; NEIGHBOURS: br i1 {{.*}}, label %group, label
define void @neighbours(ptr %x, ptr %y) {
entry:
  %t = call range(i32 0, 512) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr %x, i32 %t
  %v = load float, ptr %p
  %q = getelementptr float, ptr addrspace(3) @s, i32 %t
  store float %v, ptr addrspace(3) %q
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %n = xor i32 %t, 511
  %r = getelementptr float, ptr addrspace(3) @s, i32 %n
  %a = load float, ptr addrspace(3) %r
  %i = icmp ult i32 %t, 511
  br i1 %i, label %add, label %end
add:
  %r1 = getelementptr float, ptr addrspace(3) %q, i32 1
  %b = load float, ptr addrspace(3) %r1
  %c = fadd float %a, %b
  %o = getelementptr float, ptr %y, i32 %t
  store float %c, ptr %o
  br label %end
end:
  ret void
}

; A block of 256 is few groups, of 8 lanes too.
; FEW-LABEL: define internal i32 @run(
; FEW-COUNT-32: store <8 x float>
; FEW: ret i32

; A gather is as long as its lanes where there is no instruction for it.
; LANES-LABEL: define internal i32 @run(
; LANES: group:
; LANES: insertelement <16 x float> {{.*}}, i64 15
; LANES: br i1 {{.*}}, label %group, label
; GATHERS-LABEL: define internal i32 @run(
; GATHERS-COUNT-16: call <16 x float> @llvm.masked.gather
; GATHERS: ret i32
define void @looks_up(ptr %x, ptr %y) {
entry:
  %t = call range(i32 0, 512) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %x, i32 %t
  %v = load i32, ptr %p
  %i = and i32 %v, 511
  %q = getelementptr float, ptr %y, i32 %i
  %a = load float, ptr %q
  %o = getelementptr float, ptr addrspace(3) @s, i32 %t
  store float %a, ptr addrspace(3) %o
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %n = xor i32 %t, 255
  %r = getelementptr float, ptr addrspace(3) @s, i32 %n
  %b = load float, ptr addrspace(3) %r
  %w = getelementptr float, ptr %y, i32 %t
  store float %b, ptr %w
  ret void
}

; Each group adds what those before it have left: 0, 1, 2 and 3 of them, where one sum goes on from the last one's.
; BEFORE-LABEL: define internal i32 @run(
; BEFORE: [[ONE:%.*]] = fadd float {{%.*}}, 0.000000e+00
; BEFORE: [[TWO:%.*]] = fadd float [[ONE]],
; BEFORE: [[THREE:%.*]] = fadd float [[TWO]],
; BEFORE-NOT: fadd float
; BEFORE: ret i32
define void @sums_before(ptr %x, ptr %y) {
entry:
  %t = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = lshr i32 %t, 4
  %lane = and i32 %t, 15
  %p = getelementptr float, ptr %x, i32 %t
  %v = load float, ptr %p
  %is_first = icmp eq i32 %lane, 0
  br i1 %is_first, label %first, label %all
first:
  %q = getelementptr float, ptr addrspace(3) @s, i32 %g
  store float %v, ptr addrspace(3) %q
  br label %all
all:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %loop
loop:
  %i = phi i32 [ 0, %all ], [ %i1, %add ]
  %sum = phi float [ 0.0, %all ], [ %sum1, %add ]
  %more = icmp ult i32 %i, %g
  br i1 %more, label %add, label %end
add:
  %r = getelementptr float, ptr addrspace(3) @s, i32 %i
  %a = load float, ptr addrspace(3) %r
  %sum1 = fadd float %sum, %a
  %i1 = add i32 %i, 1
  br label %loop
end:
  %o = getelementptr float, ptr %y, i32 %t
  store float %sum, ptr %o
  ret void
}
