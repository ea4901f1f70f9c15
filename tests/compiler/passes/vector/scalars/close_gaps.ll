; RUN: %opt -kernel=behind_each -block=64 -passes=close-gaps %s | %check %s --check-prefix=GAPS
; RUN: %opt -kernel=behind_each -block=64,2 -passes=close-gaps %s | %check %s --check-prefix=STAYS
; RUN: %opt -kernel=others_too -block=64 -passes=close-gaps %s | %check %s --check-prefix=STAYS
; RUN: %opt -kernel=anywhere -block=64 -passes=close-gaps %s | %check %s --check-prefix=STAYS
; RUN: %opt -kernel=none -block=64 -passes=close-gaps %s | %check %s --check-prefix=NONE
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@padded = internal addrspace(3) global [72 x float] undef, align 4
@all = internal addrspace(3) global [72 x float] undef, align 4
@unknown = internal addrspace(3) global [72 x float] undef, align 4
@plain = internal addrspace(3) global [128 x float] undef, align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; Element x lies at x + x / 32: 64 threads write one each, 32 read every second one, thread 0 the last.
; GAPS-LABEL: define void @behind_each(
; GAPS: [[T:%.*]] = zext nneg i32 %t to i64
; GAPS: [[OWN:%.*]] = getelementptr inbounds float, ptr addrspace(3) @padded, i64 [[T]]
; GAPS: store float 1.000000e+00, ptr addrspace(3) [[OWN]]
; GAPS: some:
; GAPS: [[TWO:%.*]] = shl nuw nsw i32 %t, 1
; GAPS: [[ODD:%.*]] = or disjoint i32 [[TWO]], 1
; GAPS: [[X:%.*]] = zext nneg i32 [[ODD]] to i64
; GAPS: [[AT:%.*]] = getelementptr inbounds float, ptr addrspace(3) @padded, i64 [[X]]
; GAPS: load float, ptr addrspace(3) [[AT]]
; GAPS: one:
; GAPS: load float, ptr addrspace(3) getelementptr inbounds (float, ptr addrspace(3) @padded, i64 63)
define void @behind_each(ptr %out, i32 %any) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %gap = lshr i32 %t, 5
  %place = add nuw nsw i32 %t, %gap
  %wide = zext nneg i32 %place to i64
  %own = getelementptr inbounds [72 x float], ptr addrspace(3) @padded, i64 0, i64 %wide
  store float 1.0, ptr addrspace(3) %own, align 4
  %p = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %few = icmp ult i32 %t, 32
  br i1 %few, label %some, label %after

some:
  %two = shl nuw nsw i32 %t, 1
  %odd = or disjoint i32 %two, 1
  %odd_gap = lshr i32 %odd, 5
  %odd_place = add nuw nsw i32 %odd, %odd_gap
  %odd_wide = zext nneg i32 %odd_place to i64
  %other = getelementptr inbounds [72 x float], ptr addrspace(3) @padded, i64 0, i64 %odd_wide
  %x = load float, ptr addrspace(3) %other, align 4
  store float %x, ptr %out, align 4
  br label %after

after:
  %first = icmp eq i32 %t, 0
  br i1 %first, label %one, label %end

one:
  %y = load float, ptr addrspace(3) getelementptr inbounds ([72 x float], ptr addrspace(3) @padded, i64 0, i64 64), align 4
  store float %y, ptr %out, align 4
  br label %end

end:
  ret void
}

; A gap is looked at as well: then elements are not side by side.
; STAYS: [[OWN:%.*]] = getelementptr inbounds [72 x float], ptr addrspace(3) @{{padded|all|unknown}}, i64 0, i64 %wide
; STAYS: store float 1.000000e+00, ptr addrspace(3) [[OWN]]
define void @others_too(ptr %out, i32 %any) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %gap = lshr i32 %t, 5
  %place = add nuw nsw i32 %t, %gap
  %wide = zext nneg i32 %place to i64
  %own = getelementptr inbounds [72 x float], ptr addrspace(3) @all, i64 0, i64 %wide
  store float 1.0, ptr addrspace(3) %own, align 4
  %p = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %few = icmp ult i32 %t, 32
  br i1 %few, label %some, label %after

some:
  %two = shl nuw nsw i32 %t, 1
  %odd = or disjoint i32 %two, 1
  %odd_gap = lshr i32 %odd, 5
  %odd_place = add nuw nsw i32 %odd, %odd_gap
  %odd_wide = zext nneg i32 %odd_place to i64
  %other = getelementptr inbounds [72 x float], ptr addrspace(3) @all, i64 0, i64 %odd_wide
  %x = load float, ptr addrspace(3) %other, align 4
  store float %x, ptr %out, align 4
  br label %after

after:
  %first = icmp eq i32 %t, 0
  br i1 %first, label %one, label %end

one:
  %y = load float, ptr addrspace(3) getelementptr inbounds ([72 x float], ptr addrspace(3) @all, i64 0, i64 32), align 4
  store float %y, ptr %out, align 4
  br label %end

end:
  ret void
}

; Nobody knows where.
define void @anywhere(ptr %out, i32 %any) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %gap = lshr i32 %t, 5
  %place = add nuw nsw i32 %t, %gap
  %wide = zext nneg i32 %place to i64
  %own = getelementptr inbounds [72 x float], ptr addrspace(3) @unknown, i64 0, i64 %wide
  store float 1.0, ptr addrspace(3) %own, align 4
  %p = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %few = icmp ult i32 %t, 32
  br i1 %few, label %some, label %after

some:
  %two = shl nuw nsw i32 %t, 1
  %odd = or disjoint i32 %two, 1
  %odd_place = add nuw nsw i32 %odd, %any
  %odd_wide = zext nneg i32 %odd_place to i64
  %other = getelementptr inbounds [72 x float], ptr addrspace(3) @unknown, i64 0, i64 %odd_wide
  %x = load float, ptr addrspace(3) %other, align 4
  store float %x, ptr %out, align 4
  br label %after

after:
  %first = icmp eq i32 %t, 0
  br i1 %first, label %one, label %end

one:
  %y = load float, ptr addrspace(3) getelementptr inbounds ([72 x float], ptr addrspace(3) @unknown, i64 0, i64 64), align 4
  store float %y, ptr %out, align 4
  br label %end

end:
  ret void
}

; Elements that are a multiple of the thread's number apart stay so.
; NONE-LABEL: define void @none(
; NONE: getelementptr inbounds [128 x float], ptr addrspace(3) @plain, i64 0, i64 %wide
define void @none(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %two = shl nuw nsw i32 %t, 1
  %wide = zext nneg i32 %two to i64
  %own = getelementptr inbounds [128 x float], ptr addrspace(3) @plain, i64 0, i64 %wide
  store float 1.0, ptr addrspace(3) %own, align 4
  %p = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %x = load float, ptr addrspace(3) %own, align 4
  store float %x, ptr %out, align 4
  ret void
}
