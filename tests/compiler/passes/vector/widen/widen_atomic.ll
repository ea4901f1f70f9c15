; RUN: %opt -kernel=meet -passes=prepare-control,linearise,widen,inline-updates %s | %check %s --check-prefix=MEET
; RUN: %opt -kernel=count -passes=prepare-control,linearise,widen,inline-updates %s | %check %s --check-prefix=COUNT
; RUN: %opt -kernel=floats -passes=prepare-control,linearise,widen,inline-updates %s | %check %s --check-prefix=FLOATS
; RUN: %opt -kernel=exchange -passes=prepare-control,linearise,widen,inline-updates %s | %check %s --check-prefix=EXCHANGE
; RUN: %opt -kernel=apart -passes=prepare-control,linearise,widen,inline-updates %s | %check %s --check-prefix=APART
; RUN: %opt -kernel=bins -passes=prepare-control,linearise,widen,inline-updates %s | %check %s --check-prefix=BINS
; RUN: %opt -kernel=some -passes=prepare-control,linearise,widen,inline-updates %s | %check %s --check-prefix=SOME
; RUN: %opt -kernel=first -lanes=16 -block=64 -passes=prepare-control,linearise,widen,inline-updates %s | %check %s --check-prefix=ONLY
; RUN: %opt -kernel=again -passes=prepare-control,linearise,widen,inline-updates %s | %check %s --check-prefix=AGAIN
; RUN: %opt -kernel=at_edges -passes=prepare-control,linearise,widen,inline-updates %s | %check %s --check-prefix=EDGES
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; One for all lanes that are active; the others bring what changes nothing.
; MEET-LABEL: define void @meet(
; MEET: [[V:%.*]] = select <8 x i1> {{%.*}}, <8 x i32> {{%.*}}, <8 x i32> <i32 -2147483648,
; MEET: [[M:%.*]] = call i32 @llvm.vector.reduce.smax.v8i32(<8 x i32> [[V]])
; MEET: atomicrmw max ptr %x, i32 [[M]] syncscope("singlethread") monotonic
; MEET-NOT: {{each[.a-z]*}}:
define void @meet(ptr %x, ptr %y, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, %n
  br i1 %c, label %then, label %end
then:
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %y, i64 %i
  %v = load i32, ptr %p
  %o = atomicrmw max ptr %x, i32 %v syncscope("singlethread") monotonic
  br label %end
end:
  ret void
}

; Each lane gets what those below it left.
; COUNT-LABEL: define void @count(
; COUNT: shufflevector <8 x i32> {{%.*}}, <8 x i32> zeroinitializer, <8 x i32> <i32 8, i32 0, i32 1,
; COUNT: shufflevector <8 x i32> {{%.*}}, <8 x i32> zeroinitializer, <8 x i32> <i32 8, i32 8, i32 0,
; COUNT: [[S:%.*]] = add <8 x i32>
; COUNT: shufflevector <8 x i32> [[S]], <8 x i32> zeroinitializer, <8 x i32> <i32 8, i32 8, i32 8, i32 8, i32 0,
; COUNT: [[ALL:%.*]] = extractelement <8 x i32> {{%.*}}, i64 7
; COUNT: [[OLD:%.*]] = atomicrmw add ptr %x, i32 [[ALL]] monotonic
; COUNT: [[BELOW:%.*]] = sub <8 x i32>
; COUNT: insertelement <8 x i32> poison, i32 [[OLD]]
; COUNT: add <8 x i32> {{%.*}}, [[BELOW]]
; COUNT-NOT: {{each[.a-z]*}}:
define void @count(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %y, i64 %i
  %v = load i32, ptr %p
  %o = atomicrmw add ptr %x, i32 %v monotonic
  store i32 %o, ptr %p
  ret void
}

; The sum of floats depends on the order: one lane after the other.
; FLOATS-LABEL: define void @floats(
; FLOATS-COUNT-8: atomicrmw fadd ptr %x
; FLOATS-NOT: atomicrmw
define void @floats(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr float, ptr %y, i64 %i
  %v = load float, ptr %p
  %o = atomicrmw fadd ptr %x, float %v monotonic
  ret void
}

; Nobody asks for the results: straight code where all lanes are active, addresses of single indices.
; BINS-LABEL: define void @bins(
; BINS: br i1 {{%.*}}, label %{{whole[.a-z]*}}, label %{{partly[.a-z]*}}
; BINS: {{whole[.a-z]*}}:
; BINS: [[I:%.*]] = extractelement <8 x i32> [[V:%.*]], i32 0
; BINS: [[J:%.*]] = zext i32 [[I]] to i64
; BINS: [[P:%.*]] = getelementptr i32, ptr %x, i64 [[J]]
; BINS: atomicrmw add ptr [[P]], i32 1
; BINS: extractelement <8 x i32> [[V]], i32 7
; BINS: {{partly[.a-z]*}}:
; BINS: {{each[.a-z]*}}:
; BINS: %{{lanes[.a-z]*}} = phi i8
define void @bins(ptr %x, ptr %y, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, %n
  br i1 %c, label %then, label %end
then:
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %y, i64 %i
  %v = load i32, ptr %p
  %j = zext i32 %v to i64
  %q = getelementptr i32, ptr %x, i64 %j
  %o = atomicrmw add ptr %q, i32 1 monotonic
  br label %end
end:
  ret void
}

; Where nobody works on the memory meanwhile and more than a quarter of the lanes are active, all take part, idle ones
; aside.
; SOME-LABEL: define void @some(
; SOME: {{partly[.a-z]*}}:
; SOME: [[ACTIVE:%.*]] = call i8 @llvm.ctpop.i8(
; SOME: icmp ugt i8 [[ACTIVE]], 2
; SOME: br i1 {{%.*}}, label %[[MANY:[a-z0-9.]+]], label %[[FEW:[a-z0-9.]+]]
; SOME: [[MANY]]:
; SOME: [[ASIDE:%.*]] = call ptr @lanza.scratch()
; SOME: [[LANES:%.*]] = getelementptr i64, ptr [[ASIDE]], <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
; SOME: [[PLACES:%.*]] = select <8 x i1> {{%.*}}, <8 x ptr> {{%.*}}, <8 x ptr> [[LANES]]
; SOME: [[P:%.*]] = extractelement <8 x ptr> [[PLACES]], i64 0
; SOME: atomicrmw add ptr [[P]], i32 1 syncscope("singlethread")
; SOME: extractelement <8 x ptr> [[PLACES]], i64 7
; SOME: [[FEW]]:
; SOME: %{{lanes[.a-z]*}} = phi i8
define void @some(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %y, i64 %i
  %v = load i32, ptr %p
  %c = icmp ult i32 %v, 80
  br i1 %c, label %then, label %end
then:
  %j = zext i32 %v to i64
  %q = getelementptr i32, ptr %x, i64 %j
  %o = atomicrmw add ptr %q, i32 1 syncscope("singlethread") monotonic
  br label %end
end:
  ret void
}

; Addresses are made in front of the update, for what comes behind it, too.
; AGAIN-LABEL: define void @again(
; AGAIN: [[PLACES:%.*]] = getelementptr i8, ptr %{{.*}}, <8 x i64> <i64 0, i64 160,
; AGAIN: atomicrmw fadd
; AGAIN: %{{lanes[.a-z]*}} = phi i8
; AGAIN: masked.gather.v8f32.v8p0(<8 x ptr> [[PLACES]]
define void @again(ptr %x, ptr %y) {
  %t = call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr float, ptr %y, i64 %i
  %v = load float, ptr %p
  %c = fcmp olt float %v, 1.0
  br i1 %c, label %then, label %end
then:
  %j = mul nuw nsw i64 %i, 40
  %q = getelementptr float, ptr %x, i64 %j
  %o = atomicrmw fadd ptr %q, float %v syncscope("singlethread") monotonic
  %w = load float, ptr %q
  store float %w, ptr %p
  br label %end
end:
  ret void
}

; Neighbours in memory that no other thread works on meanwhile are a vector; others are not.
; APART-LABEL: define void @apart(
; APART: [[P:%.*]] = getelementptr i32, ptr %x
; APART: [[OLD:%.*]] = load <8 x i32>, ptr [[P]]
; APART: [[NEW:%.*]] = add <8 x i32> [[OLD]]
; APART: store <8 x i32> [[NEW]], ptr [[P]]
; APART: store <8 x i32> [[OLD]]
; APART: [[F:%.*]] = load <8 x float>
; APART: fadd <8 x float> [[F]]
; APART: store <8 x float>
; APART: atomicrmw add ptr {{.*}} monotonic
define void @apart(ptr %x, ptr %y, ptr %z) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %i
  %old = atomicrmw add ptr %p, i32 %t syncscope("singlethread") monotonic
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %old, ptr %to
  %q = getelementptr float, ptr %z, i64 %i
  %f = atomicrmw fadd ptr %q, float 1.0 syncscope("singlethread") monotonic
  %o = atomicrmw add ptr %to, i32 %t monotonic
  ret void
}

; An exchange where each lane has a place of its own; atomic loads of neighbouring words are a vector.
; EXCHANGE-LABEL: define void @exchange(
; EXCHANGE: [[SEEN:%.*]] = load <8 x i32>, ptr [[P:%.*]], align 4
; EXCHANGE: [[OLD:%.*]] = load <8 x i32>, ptr [[P]], align 4
; EXCHANGE: [[EQUAL:%.*]] = icmp eq <8 x i32> [[OLD]], [[SEEN]]
; EXCHANGE: call void @llvm.masked.store.v8i32.p0(<8 x i32> {{.*}}, ptr [[P]], i32 4, <8 x i1> [[EQUAL]])
; EXCHANGE: each:
; EXCHANGE: cmpxchg ptr {{.*}} monotonic monotonic
define void @exchange(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %i
  %seen = load atomic i32, ptr %p monotonic, align 4
  %both = cmpxchg ptr %p, i32 %seen, i32 %t syncscope("singlethread") monotonic monotonic
  %old = extractvalue { i32, i1 } %both, 0
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %old, ptr %to
  %other = cmpxchg ptr %to, i32 %seen, i32 %t monotonic monotonic
  ret void
}

; Where few blocks come all lanes, and some of them, are a loop over those that are active.
; EDGES-LABEL: define void @at_edges(
; EDGES: !lanza.seldom
; EDGES: atomicrmw
; EDGES-NOT: atomicrmw
; EDGES: ret void
define void @at_edges(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %edges
edges:
  %s = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0), !lanza.seldom !0
  br label %behind
behind:
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %y, i64 %i
  %v = load i32, ptr %p
  %c = icmp ult i32 %v, 80
  br i1 %c, label %then, label %end
then:
  %j = zext i32 %v to i64
  %q = getelementptr i32, ptr %x, i64 %j
  %o = atomicrmw add ptr %q, i32 1 syncscope("singlethread") monotonic
  br label %end
end:
  ret void
}

; The first lane of each group, and no other.
; ONLY-LABEL: define void @first(
; ONLY-NOT: each:
; ONLY: [[P:%.*]] = getelementptr float, ptr %x, i64
; ONLY: [[V:%.*]] = extractelement <16 x float> {{%.*}}, i32 0
; ONLY: [[O:%.*]] = atomicrmw fadd ptr [[P]], float [[V]] monotonic
; ONLY-NOT: atomicrmw
; ONLY: insertelement <16 x float> poison, float [[O]]
; ONLY-NOT: atomicrmw
define void @first(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %low = and i32 %t, 15
  %c = icmp eq i32 %low, 0
  br i1 %c, label %then, label %end
then:
  %i = zext i32 %t to i64
  %p = getelementptr float, ptr %y, i64 %i
  %v = load float, ptr %p
  %square = mul i64 %i, %i
  %q = getelementptr float, ptr %x, i64 %square
  %o = atomicrmw fadd ptr %q, float %v monotonic
  store float %o, ptr %p
  br label %end
end:
  ret void
}

declare i64 @__lanza_sync(i32, i32, i32, i64, i32)
!0 = !{}
