; RUN: %opt -kernel=members -passes=prepare-control,linearise,widen,lower-record-shuffles %s | %check %s --check-prefix=MEMBERS
; RUN: %opt -kernel=three -passes=prepare-control,linearise,widen,lower-record-shuffles %s | %check %s --check-prefix=THREE
; RUN: %opt -kernel=constants -passes=prepare-control,linearise,widen,lower-record-shuffles %s | %check %s --check-prefix=CONSTANTS
; RUN: %opt -kernel=some -passes=prepare-control,linearise,widen,lower-record-shuffles %s | %check %s --check-prefix=SOME
; RUN: %opt -kernel=words -passes=prepare-control,linearise,widen,lower-record-shuffles %s | %check %s --check-prefix=WORDS
; RUN: %opt -kernel=part_words -passes=prepare-control,linearise,widen,lower-record-shuffles %s | %check %s --check-prefix=PARTS
; RUN: %opt -kernel=halves -passes=prepare-control,linearise,widen,keep-records,lower-record-shuffles %s | %check %s --check-prefix=HALVES
; RUN: %opt -kernel=unaligned -passes=prepare-control,linearise,widen,lower-record-shuffles %s | %check %s --check-prefix=UNALIGNED
; RUN: %opt -kernel=masked -passes=prepare-control,linearise,widen,lower-record-shuffles %s | %check %s --check-prefix=MASKED
; RUN: %opt -kernel=ordered -passes=prepare-control,linearise,widen,lower-record-shuffles %s | %check %s --check-prefix=ORDERED
; RUN: %opt -kernel=own -passes=prepare-control,linearise,transpose-private,widen,lower-record-shuffles %s | %check %s --check-prefix=OWN
; RUN: %opt -kernel=window -passes=prepare-control,linearise,widen,lower-record-shuffles %s | %check %s --check-prefix=WINDOW
; RUN: %opt -kernel=sums -passes=prepare-control,linearise,widen,lower-record-shuffles %s | %check %s --check-prefix=SUMS
; RUN: %opt -kernel=backwards -passes=prepare-control,linearise,widen,lower-record-shuffles %s | %check %s --check-prefix=BACK
; RUN: %opt -kernel=bases -passes=prepare-control,linearise,widen,lower-record-shuffles %s | %check %s --check-prefix=BASES
; RUN: %opt -kernel=kept -passes=prepare-control,linearise,widen,lower-record-shuffles %s | %check %s --check-prefix=KEPT
; RUN: %opt -kernel=kept_in_part -passes=prepare-control,linearise,widen,lower-record-shuffles %s | %check %s --check-prefix=PART
; RUN: %opt -kernel=kept_by_some -passes=prepare-control,linearise,widen,lower-record-shuffles %s | %check %s --check-prefix=SOMEKEPT
; RUN: %opt -kernel=as_read -passes=prepare-control,linearise,widen,lower-record-shuffles %s | %check %s --check-prefix=READ
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; All members of pairs: whole vectors, taken apart by parity, put together again.
; MEMBERS-LABEL: define void @members(
; MEMBERS: [[A:%.*]] = load <8 x float>, ptr [[P:%.*]], align 4
; MEMBERS: [[Q:%.*]] = getelementptr float, ptr [[P]], i64 8
; MEMBERS: [[B:%.*]] = load <8 x float>, ptr [[Q]], align 4
; MEMBERS: shufflevector <8 x float> [[A]], <8 x float> [[B]], <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8,
; MEMBERS: shufflevector <8 x float> [[A]], <8 x float> [[B]], <8 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9,
; MEMBERS: shufflevector <8 x float> {{.*}}, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
; MEMBERS: shufflevector <8 x float> {{.*}}, <8 x i32> <i32 4, i32 12, i32 5,
; MEMBERS: store <8 x float>
; MEMBERS: store <8 x float>
; MEMBERS-NOT: masked
define void @members(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr { float, float }, ptr %x, i64 %i
  %a = load float, ptr %p
  %q = getelementptr i8, ptr %p, i64 4
  %b = load float, ptr %q
  %r = getelementptr { float, float }, ptr %y, i64 %i
  store float %b, ptr %r
  %s = getelementptr i8, ptr %r, i64 4
  store float %a, ptr %s
  ret void
}

; The last vector ends with the last lane's member, and is moved back.
; THREE-LABEL: define void @three(
; THREE: load <8 x i32>, ptr [[P:%.*]], align 4
; THREE: [[Q:%.*]] = getelementptr i32, ptr [[P]], i64 8
; THREE: load <8 x i32>, ptr [[Q]], align 4
; THREE: [[R:%.*]] = getelementptr i32, ptr [[P]], i64 14
; THREE: [[L:%.*]] = load <8 x i32>, ptr [[R]], align 4
; THREE: shufflevector <8 x i32> [[L]], <8 x i32> poison, <8 x i32> <i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 poison, i32 poison>
define void @three(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr { i32, i32, i32 }, ptr %x, i64 %i
  %a = load i32, ptr %p
  %q = getelementptr i32, ptr %y, i64 %i
  store i32 %a, ptr %q
  ret void
}

; What no store changes is loaded between those of members: `out[2 * t] = digits[v / 16]; out[2 * t + 1] = digits[v % 16]`.
; CONSTANTS-LABEL: define void @constants(
; CONSTANTS: gather
; CONSTANTS: gather
; CONSTANTS-NOT: scatter
; CONSTANTS: store <{{.*}} x i8>
define void @constants(ptr %x, ptr %digits, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i64, ptr %x, i64 %i
  %a = load i64, ptr %p
  %high = getelementptr i8, ptr %digits, i64 %a
  %first = load i8, ptr %high, !invariant.load !9
  %r = getelementptr { i8, i8 }, ptr %y, i64 %i
  store i8 %first, ptr %r
  %b = xor i64 %a, 15
  %low = getelementptr i8, ptr %digits, i64 %b
  %second = load i8, ptr %low, !invariant.load !9
  %s = getelementptr i8, ptr %r, i64 1
  store i8 %second, ptr %s
  ret void
}
!9 = !{}

; What is not written is not touched.
; SOME-LABEL: define void @some(
; SOME: call void @llvm.masked.store.v8f32.p0({{.*}}<8 x i1> <i1 true, i1 false, i1 true, i1 false,
; SOME: call void @llvm.masked.store.v8f32.p0({{.*}}<8 x i1> <i1 true, i1 false, i1 true, i1 false,
define void @some(ptr %x, float %v) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr { float, float }, ptr %x, i64 %i
  store float %v, ptr %p
  ret void
}

; Bytes of an aligned word are parts of it.
; WORDS-LABEL: define void @words(
; WORDS: [[W:%.*]] = load <8 x i32>, ptr
; WORDS: trunc <8 x i32> [[W]] to <8 x i8>
; WORDS: [[S:%.*]] = lshr <8 x i32> [[W]], <i32 16, 
; WORDS: trunc <8 x i32> [[S]] to <8 x i8>
define void @words(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr [4 x i8], ptr %x, i64 %i
  %a = load i8, ptr %p, align 4
  %q = getelementptr i8, ptr %p, i64 2
  %b = load i8, ptr %q
  %s = add i8 %a, %b
  %r = getelementptr i8, ptr %y, i64 %i
  store i8 %s, ptr %r
  ret void
}

; Of words whose other bytes stay parts are written.
; PARTS-LABEL: define void @part_words(
; PARTS: [[A:%.*]] = zext <8 x i8> {{.*}} to <8 x i32>
; PARTS: [[B:%.*]] = zext <8 x i8> {{.*}} to <8 x i32>
; PARTS: [[S:%.*]] = shl <8 x i32> [[B]], <i32 16,
; PARTS: [[W:%.*]] = or <8 x i32> [[A]], [[S]]
; PARTS: [[V:%.*]] = bitcast <8 x i32> [[W]] to <32 x i8>
; PARTS: call void @llvm.masked.store.v32i8.p0(<32 x i8> [[V]], {{.*}}<32 x i1> <i1 true, i1 false, i1 true, i1 false, i1 true,
; PARTS-NOT: scatter
define void @part_words(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr [4 x i8], ptr %x, i64 %i
  %from = getelementptr i8, ptr %y, i64 %i
  %a = load i8, ptr %from
  store i8 %a, ptr %p, align 4
  %q = getelementptr i8, ptr %p, i64 2
  %b = add i8 %a, 1
  store i8 %b, ptr %q
  ret void
}

; Pairs of halves are no words: with both the same is done, as they lie in memory.
; HALVES-LABEL: define void @halves(
; HALVES-COUNT-2: load <8 x half>, ptr
; HALVES-NOT: shufflevector
; HALVES-COUNT-2: fadd <8 x half>
; HALVES-COUNT-2: store <8 x i16>
define void @halves(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr [2 x half], ptr %x, i64 %i
  %q = getelementptr [2 x half], ptr %y, i64 %i
  %a = load half, ptr %p, align 4
  %p1 = getelementptr i8, ptr %p, i64 2
  %b = load half, ptr %p1
  %s = fadd half %a, %a
  %t2 = fadd half %b, %b
  %u = bitcast half %s to i16
  %v = bitcast half %t2 to i16
  store i16 %u, ptr %q, align 4
  %q1 = getelementptr i8, ptr %q, i64 2
  store i16 %v, ptr %q1
  ret void
}

; Where words are not aligned, the last byte may be another page's.
; UNALIGNED-LABEL: define void @unaligned(
; UNALIGNED-NOT: load <8 x i32>
; UNALIGNED: [[R:%.*]] = getelementptr i8, ptr {{.*}}, i64 23
; UNALIGNED: load <8 x i8>, ptr [[R]], align 1
; UNALIGNED-NOT: load <8 x i32>
define void @unaligned(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr [4 x i8], ptr %x, i64 %i
  %a = load i8, ptr %p
  %q = getelementptr i8, ptr %p, i64 2
  %b = load i8, ptr %q
  %s = add i8 %a, %b
  %r = getelementptr i8, ptr %y, i64 %i
  store i8 %s, ptr %r
  ret void
}

; Records of inactive lanes are not touched.
; MASKED-LABEL: define void @masked(
; MASKED: [[ALL:%.*]] = icmp eq i8 {{%.*}}, -1
; MASKED: br i1 [[ALL]], label %whole, label %partly
; MASKED: whole:
; MASKED: load <8 x float>
; MASKED: partly:
; MASKED: [[LOW:%.*]] = shufflevector <8 x i1> [[MASK:%.*]], <8 x i1> zeroinitializer, <8 x i32> <i32 0, i32 0, i32 1, i32 1, i32 2, i32 2, i32 3, i32 3>
; MASKED: call <8 x float> @llvm.masked.load.v8f32.p0({{.*}}, <8 x i1> [[LOW]]
; MASKED: [[HIGH:%.*]] = shufflevector <8 x i1> [[MASK]], <8 x i1> zeroinitializer, <8 x i32> <i32 4, i32 4, i32 5, i32 5, i32 6, i32 6, i32 7, i32 7>
; MASKED: call <8 x float> @llvm.masked.load.v8f32.p0({{.*}}, <8 x i1> [[HIGH]]
; MASKED: after:
; MASKED: phi <8 x float>
; MASKED: phi <8 x float>
; MASKED: partly{{.*}}:
; MASKED: masked.store.v8f32
; MASKED: masked.store.v8f32
define void @masked(ptr %x, ptr %y, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, %n
  br i1 %c, label %then, label %end
then:
  %i = zext i32 %t to i64
  %p = getelementptr { float, float }, ptr %x, i64 %i
  %a = load float, ptr %p
  %q = getelementptr i8, ptr %p, i64 4
  %b = load float, ptr %q
  %r = getelementptr { float, float }, ptr %y, i64 %i
  store float %b, ptr %r
  %s = getelementptr i8, ptr %r, i64 4
  store float %a, ptr %s
  br label %end
end:
  ret void
}

; A write to the other member hinders nothing, one to anywhere does: the second load is not done with the first.
; ORDERED-LABEL: define void @ordered(
; ORDERED: load <8 x float>
; ORDERED: load <8 x float>
; ORDERED: masked.store.v8f32
; ORDERED: masked.store.v8f32
; ORDERED: store float 1.000000e+00, ptr %y
; ORDERED: load <8 x float>
; ORDERED: load <8 x float>
define void @ordered(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr { float, float }, ptr %x, i64 %i
  %a = load float, ptr %p
  %q = getelementptr i8, ptr %p, i64 4
  store float %a, ptr %q
  store float 1.0, ptr %y
  %b = load float, ptr %q
  %s = fadd float %a, %b
  store float %s, ptr %p
  ret void
}

; Two records of a window, member by member: each is loaded whole.
; WINDOW-LABEL: define void @window(
; WINDOW-COUNT-4: load <8 x float>
; WINDOW-NOT: masked.gather
; WINDOW: ret void
define void @window(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr { float, float }, ptr %x, i64 %i
  %p1 = getelementptr i8, ptr %p, i64 4
  %q = getelementptr i8, ptr %p, i64 8
  %q1 = getelementptr i8, ptr %p, i64 12
  %a = load float, ptr %p
  %b = load float, ptr %q
  %first = fadd float %a, %b
  %c = load float, ptr %p1
  %d = load float, ptr %q1
  %second = fadd float %c, %d
  %sum = fadd float %first, %second
  %r = getelementptr float, ptr %y, i64 %i
  store float %sum, ptr %r
  ret void
}

; What a thread keeps for itself lies apart from all memory, so that members are stored together around it.
; OWN-LABEL: define void @own(
; OWN-NOT: masked
; OWN: store <8 x float>
; OWN-NEXT: getelementptr
; OWN-NEXT: store <8 x float>
define void @own(ptr %x, i32 %k) {
  %a = alloca [4 x float]
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr { float, float }, ptr %x, i64 %i
  %q = getelementptr i8, ptr %p, i64 4
  %m = getelementptr [4 x float], ptr %a, i32 0, i32 %k
  %first = load float, ptr %m
  store float %first, ptr %p
  %second = load float, ptr %a
  store float %second, ptr %q
  ret void
}

; Offsets within a record may hide in an index that is extended.
; SUMS-LABEL: define void @sums(
; SUMS: load <8 x float>
; SUMS: load <8 x float>
; SUMS-NOT: load <8 x float>
; SUMS: store <8 x float>
define void @sums(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %d = shl nuw nsw i32 %t, 1
  %i = zext nneg i32 %d to i64
  %p = getelementptr float, ptr %x, i64 %i
  %a = load float, ptr %p
  %e = add nuw nsw i32 %d, 1
  %j = sext i32 %e to i64
  %q = getelementptr float, ptr %x, i64 %j
  %b = load float, ptr %q
  %s = fadd float %a, %b
  %k = zext i32 %t to i64
  %r = getelementptr float, ptr %y, i64 %k
  store float %s, ptr %r
  ret void
}

; Each use of a base has a call of its own.
; BASES-LABEL: define void @bases(
; BASES: load <8 x float>
; BASES: load <8 x float>
; BASES-NOT: load <8 x float>
; BASES: store <8 x float>
declare ptr @__lanza_shared() memory(none)
define void @bases(ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %u = call ptr @__lanza_shared()
  %p = getelementptr { float, float }, ptr %u, i64 %i
  %a = load float, ptr %p
  %v = call ptr @__lanza_shared()
  %q = getelementptr { float, float }, ptr %v, i64 %i, i32 1
  %b = load float, ptr %q
  %s = fadd float %a, %b
  %r = getelementptr float, ptr %y, i64 %i
  store float %s, ptr %r
  ret void
}

; From right to left: the last lane's record is the first in memory, and what is taken apart changes ends.
; BACK-LABEL: define void @backwards(
; BACK: [[LAST:%.*]] = getelementptr i8, ptr %{{.*}}, i64 -56
; BACK: load <8 x float>, ptr [[LAST]], align 4
; BACK: load <8 x float>
; BACK: shufflevector <8 x float> {{.*}}, <8 x i32> <i32 7, i32 6, i32 5, i32 4, i32 3, i32 2, i32 1, i32 0>
; BACK: store <8 x float>
; BACK: store <8 x float>
; BACK-NOT: gather
define void @backwards(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %j = sub nsw i64 1000, %i
  %p = getelementptr { float, float }, ptr %x, i64 %j
  %a = load float, ptr %p
  %q = getelementptr i8, ptr %p, i64 4
  %b = load float, ptr %q
  %r = getelementptr { float, float }, ptr %y, i64 %i
  store float %b, ptr %r
  %s = getelementptr i8, ptr %r, i64 4
  store float %a, ptr %s
  ret void
}

; The thread writes the whole record, of which one member changes: it is stored as a whole, with what was there.
; KEPT-LABEL: define void @kept(
; KEPT: [[OLD:%.*]] = load <8 x float>, ptr [[P:%.*]], align 4
; KEPT: [[NEW:%.*]] = select <8 x i1> <i1 false, i1 true, i1 false, i1 true, {{.*}}>, <8 x float> {{.*}}, <8 x float> [[OLD]]
; KEPT: store <8 x float> [[NEW]], ptr [[P]], align 4
; KEPT: load <8 x float>
; KEPT: store <8 x float>
; KEPT-NOT: masked
define void @kept(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr { float, float }, ptr %x, i64 %i
  %q = getelementptr i8, ptr %p, i64 4
  store float 1.0, ptr %q, !lanza.record.write !0
  ret void
}

; Half of a record.
; PART-LABEL: define void @kept_in_part(
; PART: call void @llvm.masked.store.v8f32.p0(
; PART-NOT: store <8 x float>
define void @kept_in_part(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr { float, float, float, float }, ptr %x, i64 %i
  %q = getelementptr i8, ptr %p, i64 4
  store float 1.0, ptr %q, !lanza.record.write !0
  ret void
}

; Of some lanes.
; SOMEKEPT-LABEL: define void @kept_by_some(
; SOMEKEPT: store <8 x float>
; SOMEKEPT: store <8 x float>
; SOMEKEPT: call void @llvm.masked.store.v8f32.p0(
; SOMEKEPT: call void @llvm.masked.store.v8f32.p0(
define void @kept_by_some(ptr %x, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, %n
  br i1 %c, label %some, label %end
some:
  %i = zext i32 %t to i64
  %p = getelementptr { float, float }, ptr %x, i64 %i
  %q = getelementptr i8, ptr %p, i64 4
  store float 1.0, ptr %q, !lanza.record.write !0
  br label %end
end:
  ret void
}

!0 = !{i64 4, i64 8}

; `s[2 * t + 1] += s[2 * t]`: written from where was read, so that no vector reaches into the next group's.
; READ-LABEL: define void @as_read(
; READ: load <8 x float>, ptr [[FIRST:%.*]], align 4
; READ: [[NEXT:%.*]] = getelementptr float, ptr [[FIRST]], i64 8
; READ: load <8 x float>, ptr [[NEXT]], align 4
; READ: [[PLACE:%.*]] = getelementptr i8, ptr %{{.*}}, i64 -4
; READ: call void @llvm.masked.store.v8f32.p0(<8 x float> {{.*}}, ptr [[PLACE]], i32 4, <8 x i1> <i1 false, i1 true, i1 false, i1 true,
; READ: [[BEHIND:%.*]] = getelementptr float, ptr [[PLACE]], i64 8
; READ: call void @llvm.masked.store.v8f32.p0(<8 x float> {{.*}}, ptr [[BEHIND]], i32 4, <8 x i1> <i1 false, i1 true, i1 false, i1 true,
define void @as_read(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr { float, float }, ptr %x, i64 %i
  %a = load float, ptr %p
  %q = getelementptr i8, ptr %p, i64 4
  %b = load float, ptr %q
  %sum = fadd float %a, %b
  store float %sum, ptr %q
  ret void
}
