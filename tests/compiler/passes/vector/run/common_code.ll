; RUN: %opt -kernel=tiles -lanes=1 -block=64 -passes=retarget,uniform-barriers,part-common-code %s | %check %s
; RUN: %opt -kernel=works_between -lanes=1 -block=64 -passes=retarget,uniform-barriers,part-common-code %s | %check %s --check-prefix=WORKS
; RUN: %opt -kernel=knows_first -lanes=1 -block=64 -passes=retarget,uniform-barriers,part-common-code %s | %check %s --check-prefix=KNOWS
; RUN: %opt -kernel=short -lanes=1 -block=64 -passes=retarget,uniform-barriers,part-common-code %s | %check %s --check-prefix=SHORT
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = internal addrspace(3) global [64 x float] undef, align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; The turn and the rest begin with barriers, and are part of one region each; the turn's last barrier is one too many.
; CHECK-LABEL: define void @tiles(
; CHECK-NOT: call i64 @__lanza_sync(
; CHECK: turn:
; CHECK-NEXT: phi i32
; CHECK-NEXT: phi float
; CHECK: call i64 @__lanza_sync(i32 1, i32 0
; CHECK-COUNT-100: fmul float
; CHECK: call i64 @__lanza_sync(i32 1, i32 0
; CHECK-NOT: call i64 @__lanza_sync(
; CHECK: rest:
; CHECK-NEXT: phi float
; CHECK: call i64 @__lanza_sync(i32 1, i32 0
; CHECK-COUNT-100: fmul float
; CHECK-NOT: call i64 @__lanza_sync(
; CHECK: ret void
define void @tiles(i32 %n, ptr %x, ptr %y) {
entry:
  %t = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr float, ptr addrspace(3) @s, i32 %t
  %o = getelementptr float, ptr %y, i32 %t
  %mirror = sub i32 63, %t
  %m = getelementptr float, ptr addrspace(3) @s, i32 %mirror
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %turn, label %rest
turn:
  %i = phi i32 [ 1, %entry ], [ %next, %turn ]
  %sum = phi float [ 0.0, %entry ], [ %more, %turn ]
  %p = getelementptr float, ptr %x, i32 %i
  %v = load float, ptr %p
  %b1 = fmul float %v, %v
  %b2 = fmul float %b1, %v
  %b3 = fmul float %b2, %v
  %b4 = fmul float %b3, %v
  %b5 = fmul float %b4, %v
  %b6 = fmul float %b5, %v
  %b7 = fmul float %b6, %v
  %b8 = fmul float %b7, %v
  %b9 = fmul float %b8, %v
  %b10 = fmul float %b9, %v
  %b11 = fmul float %b10, %v
  %b12 = fmul float %b11, %v
  %b13 = fmul float %b12, %v
  %b14 = fmul float %b13, %v
  %b15 = fmul float %b14, %v
  %b16 = fmul float %b15, %v
  %b17 = fmul float %b16, %v
  %b18 = fmul float %b17, %v
  %b19 = fmul float %b18, %v
  %b20 = fmul float %b19, %v
  %b21 = fmul float %b20, %v
  %b22 = fmul float %b21, %v
  %b23 = fmul float %b22, %v
  %b24 = fmul float %b23, %v
  %b25 = fmul float %b24, %v
  %b26 = fmul float %b25, %v
  %b27 = fmul float %b26, %v
  %b28 = fmul float %b27, %v
  %b29 = fmul float %b28, %v
  %b30 = fmul float %b29, %v
  %b31 = fmul float %b30, %v
  %b32 = fmul float %b31, %v
  %b33 = fmul float %b32, %v
  %b34 = fmul float %b33, %v
  %b35 = fmul float %b34, %v
  %b36 = fmul float %b35, %v
  %b37 = fmul float %b36, %v
  %b38 = fmul float %b37, %v
  %b39 = fmul float %b38, %v
  %b40 = fmul float %b39, %v
  %b41 = fmul float %b40, %v
  %b42 = fmul float %b41, %v
  %b43 = fmul float %b42, %v
  %b44 = fmul float %b43, %v
  %b45 = fmul float %b44, %v
  %b46 = fmul float %b45, %v
  %b47 = fmul float %b46, %v
  %b48 = fmul float %b47, %v
  %b49 = fmul float %b48, %v
  %b50 = fmul float %b49, %v
  %b51 = fmul float %b50, %v
  %b52 = fmul float %b51, %v
  %b53 = fmul float %b52, %v
  %b54 = fmul float %b53, %v
  %b55 = fmul float %b54, %v
  %b56 = fmul float %b55, %v
  %b57 = fmul float %b56, %v
  %b58 = fmul float %b57, %v
  %b59 = fmul float %b58, %v
  %b60 = fmul float %b59, %v
  %b61 = fmul float %b60, %v
  %b62 = fmul float %b61, %v
  %b63 = fmul float %b62, %v
  %b64 = fmul float %b63, %v
  %b65 = fmul float %b64, %v
  %b66 = fmul float %b65, %v
  %b67 = fmul float %b66, %v
  %b68 = fmul float %b67, %v
  %b69 = fmul float %b68, %v
  %b70 = fmul float %b69, %v
  %b71 = fmul float %b70, %v
  %b72 = fmul float %b71, %v
  %b73 = fmul float %b72, %v
  %b74 = fmul float %b73, %v
  %b75 = fmul float %b74, %v
  %b76 = fmul float %b75, %v
  %b77 = fmul float %b76, %v
  %b78 = fmul float %b77, %v
  %b79 = fmul float %b78, %v
  %b80 = fmul float %b79, %v
  %b81 = fmul float %b80, %v
  %b82 = fmul float %b81, %v
  %b83 = fmul float %b82, %v
  %b84 = fmul float %b83, %v
  %b85 = fmul float %b84, %v
  %b86 = fmul float %b85, %v
  %b87 = fmul float %b86, %v
  %b88 = fmul float %b87, %v
  %b89 = fmul float %b88, %v
  %b90 = fmul float %b89, %v
  %b91 = fmul float %b90, %v
  %b92 = fmul float %b91, %v
  %b93 = fmul float %b92, %v
  %b94 = fmul float %b93, %v
  %b95 = fmul float %b94, %v
  %b96 = fmul float %b95, %v
  %b97 = fmul float %b96, %v
  %b98 = fmul float %b97, %v
  %b99 = fmul float %b98, %v
  %b100 = fmul float %b99, %v
  store float %b100, ptr addrspace(3) %q
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %w = load float, ptr addrspace(3) %m
  %more = fadd float %sum, %w
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %next = shl i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %turn, label %rest
rest:
  %all = phi float [ 0.0, %entry ], [ %more, %turn ]
  %r1 = fmul float %all, %all
  %r2 = fmul float %r1, %all
  %r3 = fmul float %r2, %all
  %r4 = fmul float %r3, %all
  %r5 = fmul float %r4, %all
  %r6 = fmul float %r5, %all
  %r7 = fmul float %r6, %all
  %r8 = fmul float %r7, %all
  %r9 = fmul float %r8, %all
  %r10 = fmul float %r9, %all
  %r11 = fmul float %r10, %all
  %r12 = fmul float %r11, %all
  %r13 = fmul float %r12, %all
  %r14 = fmul float %r13, %all
  %r15 = fmul float %r14, %all
  %r16 = fmul float %r15, %all
  %r17 = fmul float %r16, %all
  %r18 = fmul float %r17, %all
  %r19 = fmul float %r18, %all
  %r20 = fmul float %r19, %all
  %r21 = fmul float %r20, %all
  %r22 = fmul float %r21, %all
  %r23 = fmul float %r22, %all
  %r24 = fmul float %r23, %all
  %r25 = fmul float %r24, %all
  %r26 = fmul float %r25, %all
  %r27 = fmul float %r26, %all
  %r28 = fmul float %r27, %all
  %r29 = fmul float %r28, %all
  %r30 = fmul float %r29, %all
  %r31 = fmul float %r30, %all
  %r32 = fmul float %r31, %all
  %r33 = fmul float %r32, %all
  %r34 = fmul float %r33, %all
  %r35 = fmul float %r34, %all
  %r36 = fmul float %r35, %all
  %r37 = fmul float %r36, %all
  %r38 = fmul float %r37, %all
  %r39 = fmul float %r38, %all
  %r40 = fmul float %r39, %all
  %r41 = fmul float %r40, %all
  %r42 = fmul float %r41, %all
  %r43 = fmul float %r42, %all
  %r44 = fmul float %r43, %all
  %r45 = fmul float %r44, %all
  %r46 = fmul float %r45, %all
  %r47 = fmul float %r46, %all
  %r48 = fmul float %r47, %all
  %r49 = fmul float %r48, %all
  %r50 = fmul float %r49, %all
  %r51 = fmul float %r50, %all
  %r52 = fmul float %r51, %all
  %r53 = fmul float %r52, %all
  %r54 = fmul float %r53, %all
  %r55 = fmul float %r54, %all
  %r56 = fmul float %r55, %all
  %r57 = fmul float %r56, %all
  %r58 = fmul float %r57, %all
  %r59 = fmul float %r58, %all
  %r60 = fmul float %r59, %all
  %r61 = fmul float %r60, %all
  %r62 = fmul float %r61, %all
  %r63 = fmul float %r62, %all
  %r64 = fmul float %r63, %all
  %r65 = fmul float %r64, %all
  %r66 = fmul float %r65, %all
  %r67 = fmul float %r66, %all
  %r68 = fmul float %r67, %all
  %r69 = fmul float %r68, %all
  %r70 = fmul float %r69, %all
  %r71 = fmul float %r70, %all
  %r72 = fmul float %r71, %all
  %r73 = fmul float %r72, %all
  %r74 = fmul float %r73, %all
  %r75 = fmul float %r74, %all
  %r76 = fmul float %r75, %all
  %r77 = fmul float %r76, %all
  %r78 = fmul float %r77, %all
  %r79 = fmul float %r78, %all
  %r80 = fmul float %r79, %all
  %r81 = fmul float %r80, %all
  %r82 = fmul float %r81, %all
  %r83 = fmul float %r82, %all
  %r84 = fmul float %r83, %all
  %r85 = fmul float %r84, %all
  %r86 = fmul float %r85, %all
  %r87 = fmul float %r86, %all
  %r88 = fmul float %r87, %all
  %r89 = fmul float %r88, %all
  %r90 = fmul float %r89, %all
  %r91 = fmul float %r90, %all
  %r92 = fmul float %r91, %all
  %r93 = fmul float %r92, %all
  %r94 = fmul float %r93, %all
  %r95 = fmul float %r94, %all
  %r96 = fmul float %r95, %all
  %r97 = fmul float %r96, %all
  %r98 = fmul float %r97, %all
  %r99 = fmul float %r98, %all
  %r100 = fmul float %r99, %all
  store float %r100, ptr %o
  ret void
}

; A turn's end and the next one's beginning are work of one region: only the rest begins with a barrier.
; WORKS-LABEL: define void @works_between(
; WORKS: turn:
; WORKS-NOT: call i64 @__lanza_sync(
; WORKS-COUNT-100: fmul float
; WORKS-COUNT-2: call i64 @__lanza_sync(i32 1, i32 0
; WORKS-NOT: call i64 @__lanza_sync(
; WORKS: rest:
; WORKS: call i64 @__lanza_sync(i32 1, i32 0
; WORKS-COUNT-100: fmul float
define void @works_between(i32 %n, ptr %x, ptr %y) {
entry:
  %t = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr float, ptr addrspace(3) @s, i32 %t
  %o = getelementptr float, ptr %y, i32 %t
  %mirror = sub i32 63, %t
  %m = getelementptr float, ptr addrspace(3) @s, i32 %mirror
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %turn, label %rest
turn:
  %i = phi i32 [ 1, %entry ], [ %next, %turn ]
  %sum = phi float [ 0.0, %entry ], [ %more, %turn ]
  %p = getelementptr float, ptr %x, i32 %i
  %v = load float, ptr %p
  %b1 = fmul float %v, %v
  %b2 = fmul float %b1, %v
  %b3 = fmul float %b2, %v
  %b4 = fmul float %b3, %v
  %b5 = fmul float %b4, %v
  %b6 = fmul float %b5, %v
  %b7 = fmul float %b6, %v
  %b8 = fmul float %b7, %v
  %b9 = fmul float %b8, %v
  %b10 = fmul float %b9, %v
  %b11 = fmul float %b10, %v
  %b12 = fmul float %b11, %v
  %b13 = fmul float %b12, %v
  %b14 = fmul float %b13, %v
  %b15 = fmul float %b14, %v
  %b16 = fmul float %b15, %v
  %b17 = fmul float %b16, %v
  %b18 = fmul float %b17, %v
  %b19 = fmul float %b18, %v
  %b20 = fmul float %b19, %v
  %b21 = fmul float %b20, %v
  %b22 = fmul float %b21, %v
  %b23 = fmul float %b22, %v
  %b24 = fmul float %b23, %v
  %b25 = fmul float %b24, %v
  %b26 = fmul float %b25, %v
  %b27 = fmul float %b26, %v
  %b28 = fmul float %b27, %v
  %b29 = fmul float %b28, %v
  %b30 = fmul float %b29, %v
  %b31 = fmul float %b30, %v
  %b32 = fmul float %b31, %v
  %b33 = fmul float %b32, %v
  %b34 = fmul float %b33, %v
  %b35 = fmul float %b34, %v
  %b36 = fmul float %b35, %v
  %b37 = fmul float %b36, %v
  %b38 = fmul float %b37, %v
  %b39 = fmul float %b38, %v
  %b40 = fmul float %b39, %v
  %b41 = fmul float %b40, %v
  %b42 = fmul float %b41, %v
  %b43 = fmul float %b42, %v
  %b44 = fmul float %b43, %v
  %b45 = fmul float %b44, %v
  %b46 = fmul float %b45, %v
  %b47 = fmul float %b46, %v
  %b48 = fmul float %b47, %v
  %b49 = fmul float %b48, %v
  %b50 = fmul float %b49, %v
  %b51 = fmul float %b50, %v
  %b52 = fmul float %b51, %v
  %b53 = fmul float %b52, %v
  %b54 = fmul float %b53, %v
  %b55 = fmul float %b54, %v
  %b56 = fmul float %b55, %v
  %b57 = fmul float %b56, %v
  %b58 = fmul float %b57, %v
  %b59 = fmul float %b58, %v
  %b60 = fmul float %b59, %v
  %b61 = fmul float %b60, %v
  %b62 = fmul float %b61, %v
  %b63 = fmul float %b62, %v
  %b64 = fmul float %b63, %v
  %b65 = fmul float %b64, %v
  %b66 = fmul float %b65, %v
  %b67 = fmul float %b66, %v
  %b68 = fmul float %b67, %v
  %b69 = fmul float %b68, %v
  %b70 = fmul float %b69, %v
  %b71 = fmul float %b70, %v
  %b72 = fmul float %b71, %v
  %b73 = fmul float %b72, %v
  %b74 = fmul float %b73, %v
  %b75 = fmul float %b74, %v
  %b76 = fmul float %b75, %v
  %b77 = fmul float %b76, %v
  %b78 = fmul float %b77, %v
  %b79 = fmul float %b78, %v
  %b80 = fmul float %b79, %v
  %b81 = fmul float %b80, %v
  %b82 = fmul float %b81, %v
  %b83 = fmul float %b82, %v
  %b84 = fmul float %b83, %v
  %b85 = fmul float %b84, %v
  %b86 = fmul float %b85, %v
  %b87 = fmul float %b86, %v
  %b88 = fmul float %b87, %v
  %b89 = fmul float %b88, %v
  %b90 = fmul float %b89, %v
  %b91 = fmul float %b90, %v
  %b92 = fmul float %b91, %v
  %b93 = fmul float %b92, %v
  %b94 = fmul float %b93, %v
  %b95 = fmul float %b94, %v
  %b96 = fmul float %b95, %v
  %b97 = fmul float %b96, %v
  %b98 = fmul float %b97, %v
  %b99 = fmul float %b98, %v
  %b100 = fmul float %b99, %v
  store float %b100, ptr addrspace(3) %q
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %w = load float, ptr addrspace(3) %m
  %more = fadd float %sum, %w
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  store float %more, ptr %o
  %next = shl i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %turn, label %rest
rest:
  %all = phi float [ 0.0, %entry ], [ %more, %turn ]
  %r1 = fmul float %all, %all
  %r2 = fmul float %r1, %all
  %r3 = fmul float %r2, %all
  %r4 = fmul float %r3, %all
  %r5 = fmul float %r4, %all
  %r6 = fmul float %r5, %all
  %r7 = fmul float %r6, %all
  %r8 = fmul float %r7, %all
  %r9 = fmul float %r8, %all
  %r10 = fmul float %r9, %all
  %r11 = fmul float %r10, %all
  %r12 = fmul float %r11, %all
  %r13 = fmul float %r12, %all
  %r14 = fmul float %r13, %all
  %r15 = fmul float %r14, %all
  %r16 = fmul float %r15, %all
  %r17 = fmul float %r16, %all
  %r18 = fmul float %r17, %all
  %r19 = fmul float %r18, %all
  %r20 = fmul float %r19, %all
  %r21 = fmul float %r20, %all
  %r22 = fmul float %r21, %all
  %r23 = fmul float %r22, %all
  %r24 = fmul float %r23, %all
  %r25 = fmul float %r24, %all
  %r26 = fmul float %r25, %all
  %r27 = fmul float %r26, %all
  %r28 = fmul float %r27, %all
  %r29 = fmul float %r28, %all
  %r30 = fmul float %r29, %all
  %r31 = fmul float %r30, %all
  %r32 = fmul float %r31, %all
  %r33 = fmul float %r32, %all
  %r34 = fmul float %r33, %all
  %r35 = fmul float %r34, %all
  %r36 = fmul float %r35, %all
  %r37 = fmul float %r36, %all
  %r38 = fmul float %r37, %all
  %r39 = fmul float %r38, %all
  %r40 = fmul float %r39, %all
  %r41 = fmul float %r40, %all
  %r42 = fmul float %r41, %all
  %r43 = fmul float %r42, %all
  %r44 = fmul float %r43, %all
  %r45 = fmul float %r44, %all
  %r46 = fmul float %r45, %all
  %r47 = fmul float %r46, %all
  %r48 = fmul float %r47, %all
  %r49 = fmul float %r48, %all
  %r50 = fmul float %r49, %all
  %r51 = fmul float %r50, %all
  %r52 = fmul float %r51, %all
  %r53 = fmul float %r52, %all
  %r54 = fmul float %r53, %all
  %r55 = fmul float %r54, %all
  %r56 = fmul float %r55, %all
  %r57 = fmul float %r56, %all
  %r58 = fmul float %r57, %all
  %r59 = fmul float %r58, %all
  %r60 = fmul float %r59, %all
  %r61 = fmul float %r60, %all
  %r62 = fmul float %r61, %all
  %r63 = fmul float %r62, %all
  %r64 = fmul float %r63, %all
  %r65 = fmul float %r64, %all
  %r66 = fmul float %r65, %all
  %r67 = fmul float %r66, %all
  %r68 = fmul float %r67, %all
  %r69 = fmul float %r68, %all
  %r70 = fmul float %r69, %all
  %r71 = fmul float %r70, %all
  %r72 = fmul float %r71, %all
  %r73 = fmul float %r72, %all
  %r74 = fmul float %r73, %all
  %r75 = fmul float %r74, %all
  %r76 = fmul float %r75, %all
  %r77 = fmul float %r76, %all
  %r78 = fmul float %r77, %all
  %r79 = fmul float %r78, %all
  %r80 = fmul float %r79, %all
  %r81 = fmul float %r80, %all
  %r82 = fmul float %r81, %all
  %r83 = fmul float %r82, %all
  %r84 = fmul float %r83, %all
  %r85 = fmul float %r84, %all
  %r86 = fmul float %r85, %all
  %r87 = fmul float %r86, %all
  %r88 = fmul float %r87, %all
  %r89 = fmul float %r88, %all
  %r90 = fmul float %r89, %all
  %r91 = fmul float %r90, %all
  %r92 = fmul float %r91, %all
  %r93 = fmul float %r92, %all
  %r94 = fmul float %r93, %all
  %r95 = fmul float %r94, %all
  %r96 = fmul float %r95, %all
  %r97 = fmul float %r96, %all
  %r98 = fmul float %r97, %all
  %r99 = fmul float %r98, %all
  %r100 = fmul float %r99, %all
  store float %r100, ptr %o
  ret void
}

; The first turn is better by itself: much of what it computes is nothing.
; KNOWS-LABEL: define void @knows_first(
; KNOWS: turn:
; KNOWS-NOT: call i64 @__lanza_sync(
; KNOWS-COUNT-60: fmul float
; KNOWS-COUNT-2: call i64 @__lanza_sync(i32 1, i32 0
define void @knows_first(i32 %n, ptr %x, ptr %y) {
entry:
  %t = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr float, ptr addrspace(3) @s, i32 %t
  %o = getelementptr float, ptr %y, i32 %t
  %mirror = sub i32 63, %t
  %m = getelementptr float, ptr addrspace(3) @s, i32 %mirror
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %turn, label %rest
turn:
  %i = phi i32 [ 1, %entry ], [ %next, %turn ]
  %sum = phi float [ 0.0, %entry ], [ %more, %turn ]
  %below = sub i32 %i, 1
  %k = and i32 %t, %below
  %k1 = mul i32 %k, %t
  %k2 = mul i32 %k1, %t
  %k3 = mul i32 %k2, %t
  %k4 = mul i32 %k3, %t
  %k5 = mul i32 %k4, %t
  %k6 = mul i32 %k5, %t
  %k7 = mul i32 %k6, %t
  %k8 = mul i32 %k7, %t
  %k9 = mul i32 %k8, %t
  %k10 = mul i32 %k9, %t
  %k11 = mul i32 %k10, %t
  %k12 = mul i32 %k11, %t
  %k13 = mul i32 %k12, %t
  %k14 = mul i32 %k13, %t
  %k15 = mul i32 %k14, %t
  %k16 = mul i32 %k15, %t
  %k17 = mul i32 %k16, %t
  %k18 = mul i32 %k17, %t
  %k19 = mul i32 %k18, %t
  %k20 = mul i32 %k19, %t
  %k21 = mul i32 %k20, %t
  %k22 = mul i32 %k21, %t
  %k23 = mul i32 %k22, %t
  %k24 = mul i32 %k23, %t
  %k25 = mul i32 %k24, %t
  %k26 = mul i32 %k25, %t
  %k27 = mul i32 %k26, %t
  %k28 = mul i32 %k27, %t
  %k29 = mul i32 %k28, %t
  %k30 = mul i32 %k29, %t
  %k31 = mul i32 %k30, %t
  %k32 = mul i32 %k31, %t
  %k33 = mul i32 %k32, %t
  %k34 = mul i32 %k33, %t
  %k35 = mul i32 %k34, %t
  %k36 = mul i32 %k35, %t
  %k37 = mul i32 %k36, %t
  %k38 = mul i32 %k37, %t
  %k39 = mul i32 %k38, %t
  %k40 = mul i32 %k39, %t
  %f = sitofp i32 %k40 to float
  %p = getelementptr float, ptr %x, i32 %i
  %v = load float, ptr %p
  %b1 = fmul float %v, %f
  %b2 = fmul float %b1, %f
  %b3 = fmul float %b2, %f
  %b4 = fmul float %b3, %f
  %b5 = fmul float %b4, %f
  %b6 = fmul float %b5, %f
  %b7 = fmul float %b6, %f
  %b8 = fmul float %b7, %f
  %b9 = fmul float %b8, %f
  %b10 = fmul float %b9, %f
  %b11 = fmul float %b10, %f
  %b12 = fmul float %b11, %f
  %b13 = fmul float %b12, %f
  %b14 = fmul float %b13, %f
  %b15 = fmul float %b14, %f
  %b16 = fmul float %b15, %f
  %b17 = fmul float %b16, %f
  %b18 = fmul float %b17, %f
  %b19 = fmul float %b18, %f
  %b20 = fmul float %b19, %f
  %b21 = fmul float %b20, %f
  %b22 = fmul float %b21, %f
  %b23 = fmul float %b22, %f
  %b24 = fmul float %b23, %f
  %b25 = fmul float %b24, %f
  %b26 = fmul float %b25, %f
  %b27 = fmul float %b26, %f
  %b28 = fmul float %b27, %f
  %b29 = fmul float %b28, %f
  %b30 = fmul float %b29, %f
  %b31 = fmul float %b30, %f
  %b32 = fmul float %b31, %f
  %b33 = fmul float %b32, %f
  %b34 = fmul float %b33, %f
  %b35 = fmul float %b34, %f
  %b36 = fmul float %b35, %f
  %b37 = fmul float %b36, %f
  %b38 = fmul float %b37, %f
  %b39 = fmul float %b38, %f
  %b40 = fmul float %b39, %f
  %b41 = fmul float %b40, %f
  %b42 = fmul float %b41, %f
  %b43 = fmul float %b42, %f
  %b44 = fmul float %b43, %f
  %b45 = fmul float %b44, %f
  %b46 = fmul float %b45, %f
  %b47 = fmul float %b46, %f
  %b48 = fmul float %b47, %f
  %b49 = fmul float %b48, %f
  %b50 = fmul float %b49, %f
  %b51 = fmul float %b50, %f
  %b52 = fmul float %b51, %f
  %b53 = fmul float %b52, %f
  %b54 = fmul float %b53, %f
  %b55 = fmul float %b54, %f
  %b56 = fmul float %b55, %f
  %b57 = fmul float %b56, %f
  %b58 = fmul float %b57, %f
  %b59 = fmul float %b58, %f
  %b60 = fmul float %b59, %f
  store float %b60, ptr addrspace(3) %q
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %w = load float, ptr addrspace(3) %m
  %more = fadd float %sum, %w
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %next = shl i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %turn, label %rest
rest:
  %all = phi float [ 0.0, %entry ], [ %more, %turn ]
  %r1 = fmul float %all, %all
  %r2 = fmul float %r1, %all
  %r3 = fmul float %r2, %all
  %r4 = fmul float %r3, %all
  %r5 = fmul float %r4, %all
  %r6 = fmul float %r5, %all
  %r7 = fmul float %r6, %all
  %r8 = fmul float %r7, %all
  %r9 = fmul float %r8, %all
  %r10 = fmul float %r9, %all
  %r11 = fmul float %r10, %all
  %r12 = fmul float %r11, %all
  %r13 = fmul float %r12, %all
  %r14 = fmul float %r13, %all
  %r15 = fmul float %r14, %all
  %r16 = fmul float %r15, %all
  %r17 = fmul float %r16, %all
  %r18 = fmul float %r17, %all
  %r19 = fmul float %r18, %all
  %r20 = fmul float %r19, %all
  %r21 = fmul float %r20, %all
  %r22 = fmul float %r21, %all
  %r23 = fmul float %r22, %all
  %r24 = fmul float %r23, %all
  %r25 = fmul float %r24, %all
  %r26 = fmul float %r25, %all
  %r27 = fmul float %r26, %all
  %r28 = fmul float %r27, %all
  %r29 = fmul float %r28, %all
  %r30 = fmul float %r29, %all
  %r31 = fmul float %r30, %all
  %r32 = fmul float %r31, %all
  %r33 = fmul float %r32, %all
  %r34 = fmul float %r33, %all
  %r35 = fmul float %r34, %all
  %r36 = fmul float %r35, %all
  %r37 = fmul float %r36, %all
  %r38 = fmul float %r37, %all
  %r39 = fmul float %r38, %all
  %r40 = fmul float %r39, %all
  %r41 = fmul float %r40, %all
  %r42 = fmul float %r41, %all
  %r43 = fmul float %r42, %all
  %r44 = fmul float %r43, %all
  %r45 = fmul float %r44, %all
  %r46 = fmul float %r45, %all
  %r47 = fmul float %r46, %all
  %r48 = fmul float %r47, %all
  %r49 = fmul float %r48, %all
  %r50 = fmul float %r49, %all
  %r51 = fmul float %r50, %all
  %r52 = fmul float %r51, %all
  %r53 = fmul float %r52, %all
  %r54 = fmul float %r53, %all
  %r55 = fmul float %r54, %all
  %r56 = fmul float %r55, %all
  %r57 = fmul float %r56, %all
  %r58 = fmul float %r57, %all
  %r59 = fmul float %r58, %all
  %r60 = fmul float %r59, %all
  %r61 = fmul float %r60, %all
  %r62 = fmul float %r61, %all
  %r63 = fmul float %r62, %all
  %r64 = fmul float %r63, %all
  %r65 = fmul float %r64, %all
  %r66 = fmul float %r65, %all
  %r67 = fmul float %r66, %all
  %r68 = fmul float %r67, %all
  %r69 = fmul float %r68, %all
  %r70 = fmul float %r69, %all
  %r71 = fmul float %r70, %all
  %r72 = fmul float %r71, %all
  %r73 = fmul float %r72, %all
  %r74 = fmul float %r73, %all
  %r75 = fmul float %r74, %all
  %r76 = fmul float %r75, %all
  %r77 = fmul float %r76, %all
  %r78 = fmul float %r77, %all
  %r79 = fmul float %r78, %all
  %r80 = fmul float %r79, %all
  %r81 = fmul float %r80, %all
  %r82 = fmul float %r81, %all
  %r83 = fmul float %r82, %all
  %r84 = fmul float %r83, %all
  %r85 = fmul float %r84, %all
  %r86 = fmul float %r85, %all
  %r87 = fmul float %r86, %all
  %r88 = fmul float %r87, %all
  %r89 = fmul float %r88, %all
  %r90 = fmul float %r89, %all
  %r91 = fmul float %r90, %all
  %r92 = fmul float %r91, %all
  %r93 = fmul float %r92, %all
  %r94 = fmul float %r93, %all
  %r95 = fmul float %r94, %all
  %r96 = fmul float %r95, %all
  %r97 = fmul float %r96, %all
  %r98 = fmul float %r97, %all
  %r99 = fmul float %r98, %all
  %r100 = fmul float %r99, %all
  store float %r100, ptr %o
  ret void
}

; Short code may be part of two regions.
; SHORT-LABEL: define void @short(
; SHORT-COUNT-2: call i64 @__lanza_sync(
; SHORT-NOT: call i64 @__lanza_sync(
define void @short(i32 %n, ptr %x, ptr %y) {
entry:
  %t = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr float, ptr addrspace(3) @s, i32 %t
  %o = getelementptr float, ptr %y, i32 %t
  %mirror = sub i32 63, %t
  %m = getelementptr float, ptr addrspace(3) @s, i32 %mirror
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %turn, label %rest
turn:
  %i = phi i32 [ 0, %entry ], [ %next, %turn ]
  %sum = phi float [ 0.0, %entry ], [ %more, %turn ]
  %p = getelementptr float, ptr %x, i32 %i
  %v = load float, ptr %p
  store float %v, ptr addrspace(3) %q
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %w = load float, ptr addrspace(3) %m
  %more = fadd float %sum, %w
  call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %next = add i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %turn, label %rest
rest:
  %all = phi float [ 0.0, %entry ], [ %more, %turn ]
  store float %all, ptr %o
  ret void
}
