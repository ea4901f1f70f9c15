; RUN: %opt -kernel=pairs -lanes=16 -block=512 -passes=device-pipeline,retarget,linearise,widen,build-groups %s | %check %s --check-prefix=PAIRS
; RUN: %opt -kernel=scaled_pairs -lanes=32 -block=1024 -passes=device-pipeline,retarget,linearise,widen,build-groups %s | %check %s --check-prefix=SCALED
; RUN: %opt -kernel=long_turns -lanes=16 -block=512 -passes=device-pipeline,retarget,linearise,widen,build-groups %s | %check %s --check-prefix=LONG
; RUN: %opt -kernel=neighbours -lanes=16 -block=512 -passes=device-pipeline,retarget,linearise,widen,build-groups %s | %check %s --check-prefix=NEIGHBOURS
; RUN: %opt -kernel=neighbours -lanes=8 -block=256 -passes=device-pipeline,retarget,linearise,widen,build-groups %s | %check %s --check-prefix=FEW
; RUN: %opt -kernel=looks_up -lanes=16 -block=256 -passes=device-pipeline,retarget,linearise,widen,build-groups %s | %check %s --check-prefix=LANES
; RUN: %opt -kernel=looks_up -lanes=16 -block=256 -target=x86-64-v4 -passes=device-pipeline,retarget,linearise,widen,build-groups %s | %check %s --check-prefix=GATHERS
; RUN: %opt -kernel=sums_before -lanes=16 -block=64 -passes=device-pipeline,retarget,linearise,widen,build-groups %s | %check %s --check-prefix=BEFORE
; RUN: %opt -kernel=kept -lanes=16 -block=64 -passes=device-pipeline,retarget,linearise,widen,build-groups %s | %check %s --check-prefix=KEPT
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = internal addrspace(3) global [512 x float] undef, align 4
@wide = internal addrspace(3) global [1024 x float] undef, align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; 15 instructions for each access to shared memory: 32 groups stay a loop.
; LONG-LABEL: define internal i32 @run(
; LONG-COUNT-1: load <16 x float>
; LONG-COUNT-40: fmul <16 x float>
; LONG-NOT: fmul
define void @long_turns(ptr %x, ptr %y) {
entry:
  %t = call range(i32 0, 512) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr %x, i32 %t
  %v = load float, ptr %p
  %q = getelementptr float, ptr addrspace(3) @s, i32 %t
  %m1 = fmul float %v, %v
  %m2 = fmul float %m1, %v
  %m3 = fmul float %m2, %v
  %m4 = fmul float %m3, %v
  %m5 = fmul float %m4, %v
  %m6 = fmul float %m5, %v
  %m7 = fmul float %m6, %v
  %m8 = fmul float %m7, %v
  %m9 = fmul float %m8, %v
  %m10 = fmul float %m9, %v
  %m11 = fmul float %m10, %v
  %m12 = fmul float %m11, %v
  %m13 = fmul float %m12, %v
  %m14 = fmul float %m13, %v
  %m15 = fmul float %m14, %v
  %m16 = fmul float %m15, %v
  %m17 = fmul float %m16, %v
  %m18 = fmul float %m17, %v
  %m19 = fmul float %m18, %v
  %m20 = fmul float %m19, %v
  %m21 = fmul float %m20, %v
  %m22 = fmul float %m21, %v
  %m23 = fmul float %m22, %v
  %m24 = fmul float %m23, %v
  %m25 = fmul float %m24, %v
  %m26 = fmul float %m25, %v
  %m27 = fmul float %m26, %v
  %m28 = fmul float %m27, %v
  %m29 = fmul float %m28, %v
  %m30 = fmul float %m29, %v
  %m31 = fmul float %m30, %v
  %m32 = fmul float %m31, %v
  %m33 = fmul float %m32, %v
  %m34 = fmul float %m33, %v
  %m35 = fmul float %m34, %v
  %m36 = fmul float %m35, %v
  %m37 = fmul float %m36, %v
  %m38 = fmul float %m37, %v
  %m39 = fmul float %m38, %v
  %m40 = fmul float %m39, %v
  store float %m40, ptr addrspace(3) %q
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

; What is loaded takes 13 instructions for its one access, the steps of the tree few for three: all is straight code.
; SCALED-LABEL: define internal i32 @run(
; SCALED-NOT: alloca
; SCALED-COUNT-32: load <32 x float>
; SCALED-NOT: load <32
; SCALED-COUNT-8: store <32 x float>
; SCALED-NOT: store <
define void @scaled_pairs(ptr %x, ptr %y) {
entry:
  %t = call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr %x, i32 %t
  %v = load float, ptr %p
  %v1 = fmul float %v, %v
  %v2 = fadd float %v1, 1.0
  %v3 = fmul float %v2, %v
  %v4 = fadd float %v3, 2.0
  %v5 = fmul float %v4, %v
  %v6 = fadd float %v5, 3.0
  %q = getelementptr float, ptr addrspace(3) @wide, i32 %t
  store float %v6, ptr addrspace(3) %q
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %half = icmp ult i32 %t, 512
  br i1 %half, label %halve, label %halved
halve:
  %r = getelementptr float, ptr addrspace(3) %q, i32 512
  %a = load float, ptr addrspace(3) %r
  %b = load float, ptr addrspace(3) %q
  %c = fadd float %a, %b
  store float %c, ptr addrspace(3) %q
  br label %halved
halved:
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %quarter = icmp ult i32 %t, 256
  br i1 %quarter, label %add, label %end
add:
  %r2 = getelementptr float, ptr addrspace(3) %q, i32 256
  %a2 = load float, ptr addrspace(3) %r2
  %b2 = load float, ptr addrspace(3) %q
  %c2 = fadd float %a2, %b2
  %o = getelementptr float, ptr %y, i32 %t
  store float %c2, ptr %o
  br label %end
end:
  ret void
}

; A neighbour's value lies across two vectors: memory has it in one load.
; NEIGHBOURS-LABEL: define internal i32 @run(
; NEIGHBOURS: %shared = alloca { [2048 x i8], [512 x i8] }
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

; A variable that some loop goes through for each of its own turns stays in memory: long loops over few groups, too.
; KEPT-LABEL: define internal i32 @run(
; KEPT-COUNT-100: fmul <16 x float>
; KEPT-NOT: fmul
define void @kept(i32 %n, ptr %x, ptr %y) {
entry:
  %t = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr %x, i32 %t
  %v = load float, ptr %p
  %q = getelementptr float, ptr addrspace(3) @s, i32 %t
  %m1 = fmul float %v, %v
  %m2 = fmul float %m1, %v
  %m3 = fmul float %m2, %v
  %m4 = fmul float %m3, %v
  %m5 = fmul float %m4, %v
  %m6 = fmul float %m5, %v
  %m7 = fmul float %m6, %v
  %m8 = fmul float %m7, %v
  %m9 = fmul float %m8, %v
  %m10 = fmul float %m9, %v
  %m11 = fmul float %m10, %v
  %m12 = fmul float %m11, %v
  %m13 = fmul float %m12, %v
  %m14 = fmul float %m13, %v
  %m15 = fmul float %m14, %v
  %m16 = fmul float %m15, %v
  %m17 = fmul float %m16, %v
  %m18 = fmul float %m17, %v
  %m19 = fmul float %m18, %v
  %m20 = fmul float %m19, %v
  %m21 = fmul float %m20, %v
  %m22 = fmul float %m21, %v
  %m23 = fmul float %m22, %v
  %m24 = fmul float %m23, %v
  %m25 = fmul float %m24, %v
  %m26 = fmul float %m25, %v
  %m27 = fmul float %m26, %v
  %m28 = fmul float %m27, %v
  %m29 = fmul float %m28, %v
  %m30 = fmul float %m29, %v
  %m31 = fmul float %m30, %v
  %m32 = fmul float %m31, %v
  %m33 = fmul float %m32, %v
  %m34 = fmul float %m33, %v
  %m35 = fmul float %m34, %v
  %m36 = fmul float %m35, %v
  %m37 = fmul float %m36, %v
  %m38 = fmul float %m37, %v
  %m39 = fmul float %m38, %v
  %m40 = fmul float %m39, %v
  %m41 = fmul float %m40, %v
  %m42 = fmul float %m41, %v
  %m43 = fmul float %m42, %v
  %m44 = fmul float %m43, %v
  %m45 = fmul float %m44, %v
  %m46 = fmul float %m45, %v
  %m47 = fmul float %m46, %v
  %m48 = fmul float %m47, %v
  %m49 = fmul float %m48, %v
  %m50 = fmul float %m49, %v
  %m51 = fmul float %m50, %v
  %m52 = fmul float %m51, %v
  %m53 = fmul float %m52, %v
  %m54 = fmul float %m53, %v
  %m55 = fmul float %m54, %v
  %m56 = fmul float %m55, %v
  %m57 = fmul float %m56, %v
  %m58 = fmul float %m57, %v
  %m59 = fmul float %m58, %v
  %m60 = fmul float %m59, %v
  %m61 = fmul float %m60, %v
  %m62 = fmul float %m61, %v
  %m63 = fmul float %m62, %v
  %m64 = fmul float %m63, %v
  %m65 = fmul float %m64, %v
  %m66 = fmul float %m65, %v
  %m67 = fmul float %m66, %v
  %m68 = fmul float %m67, %v
  %m69 = fmul float %m68, %v
  %m70 = fmul float %m69, %v
  %m71 = fmul float %m70, %v
  %m72 = fmul float %m71, %v
  %m73 = fmul float %m72, %v
  %m74 = fmul float %m73, %v
  %m75 = fmul float %m74, %v
  %m76 = fmul float %m75, %v
  %m77 = fmul float %m76, %v
  %m78 = fmul float %m77, %v
  %m79 = fmul float %m78, %v
  %m80 = fmul float %m79, %v
  %m81 = fmul float %m80, %v
  %m82 = fmul float %m81, %v
  %m83 = fmul float %m82, %v
  %m84 = fmul float %m83, %v
  %m85 = fmul float %m84, %v
  %m86 = fmul float %m85, %v
  %m87 = fmul float %m86, %v
  %m88 = fmul float %m87, %v
  %m89 = fmul float %m88, %v
  %m90 = fmul float %m89, %v
  %m91 = fmul float %m90, %v
  %m92 = fmul float %m91, %v
  %m93 = fmul float %m92, %v
  %m94 = fmul float %m93, %v
  %m95 = fmul float %m94, %v
  %m96 = fmul float %m95, %v
  %m97 = fmul float %m96, %v
  %m98 = fmul float %m97, %v
  %m99 = fmul float %m98, %v
  %m100 = fmul float %m99, %v
  store float %m100, ptr addrspace(3) %q
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  br label %turn
turn:
  %i = phi i32 [ 0, %entry ], [ %next, %turn ]
  %sum = phi float [ 0.0, %entry ], [ %more, %turn ]
  %r = getelementptr float, ptr addrspace(3) @s, i32 %i
  %w = load float, ptr addrspace(3) %r
  %more = fadd float %sum, %w
  %next = add i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %turn, label %end
end:
  %o = getelementptr float, ptr %y, i32 %t
  store float %more, ptr %o
  ret void
}
