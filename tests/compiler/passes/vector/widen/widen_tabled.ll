; RUN: %opt -kernel=halves -block=64 -lanes=16 -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=HALVES
; RUN: %opt -kernel=pairs -block=64 -lanes=8 -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=PAIRS
; RUN: %opt -kernel=few -block=64 -lanes=8 -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=FEW
; RUN: %opt -kernel=masked -block=64 -lanes=8 -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=MASKED
; RUN: %opt -kernel=parts -block=64 -lanes=8 -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=PARTS
; RUN: %opt -kernel=unaligned -block=64 -lanes=8 -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=UNALIGNED
; RUN: %opt -kernel=padded -block=64 -lanes=8 -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=PADDED
; RUN: %opt -kernel=over_others -block=64 -lanes=8 -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=OTHERS
; RUN: %opt -kernel=counter -block=64 -lanes=8 -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=COUNTER
; RUN: %opt -kernel=planes -block=64 -lanes=8 -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=PLANES
; RUN: %opt -kernel=behind -block=8 -lanes=8 -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=BEHIND
; RUN: %opt -kernel=meeting -block=64 -lanes=8 -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=MEETING
; RUN: %opt -kernel=each_eighth -block=64 -lanes=16 -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=EIGHTH
; RUN: %opt -kernel=eighth_below -block=64 -lanes=16 -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=BELOW
; RUN: %opt -kernel=between -block=64 -lanes=16 -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=BETWEEN
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare ptr @__lanza_shared()

; Elements two apart, in two vectors of memory: both loads take from them, both stores make them up.
; PAIRS-LABEL: define void @pairs(
; PAIRS: [[G:%.*]] = call i32 @lanza.group(i32 0)
; PAIRS-NOT: masked
; PAIRS-NOT: and i32 [[G]], 1
; PAIRS: [[AT:%.*]] = sub i32 {{%.*}}, 0
; PAIRS: [[A:%.*]] = load <8 x i32>, ptr
; PAIRS: [[B:%.*]] = load <8 x i32>, ptr
; PAIRS: shufflevector <8 x i32> {{%.*}}, <8 x i32> [[B]], <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 12, i32 13>
; PAIRS-NOT: load
; PAIRS: shufflevector {{.*}} <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 10, i32 11>
; PAIRS: store <8 x i32>
; PAIRS: store <8 x i32>
; PAIRS-NOT: store
define void @pairs(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %low = and i32 %t, 1
  %twice = shl i32 %t, 1
  %i = sub i32 %twice, %low
  %wide = zext i32 %i to i64
  %p = getelementptr i32, ptr %x, i64 %wide
  %a = load i32, ptr %p
  %j = add i32 %i, 2
  %far = zext nneg i32 %j to i64
  %q = getelementptr i32, ptr %x, i64 %far
  %b = load i32, ptr %q
  %sum = add i32 %a, %b
  store i32 %b, ptr %p
  store i32 %sum, ptr %q
  ret void
}

; Nothing behind the highest element is read, and nothing between them written.
; FEW-LABEL: define void @few(
; FEW: call <8 x i32> @llvm.masked.load.v8i32.p0(ptr {{%.*}}, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false>
; FEW: shufflevector {{.*}} <i32 0, i32 0, i32 2, i32 2, i32 4, i32 4, i32 6, i32 6>
; FEW: call void @llvm.masked.store.v8i32.p0(<8 x i32> {{.*}}, <8 x i1> <i1 true, i1 false, i1 true, i1 false, i1 true, i1 false, i1 true, i1 false>)
define void @few(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %even = and i32 %t, 30
  %i = zext nneg i32 %even to i64
  %p = getelementptr i32, ptr %x, i64 %i
  %a = load i32, ptr %p
  %q = getelementptr i32, ptr %y, i64 %i
  store i32 %a, ptr %q
  ret void
}

; MASKED-LABEL: define void @masked(
; MASKED: [[WANTED:%.*]] = shufflevector <8 x i1> [[ACTIVE:%.*]], <8 x i1> zeroinitializer, <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
; MASKED: [[MEMORY:%.*]] = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr {{%.*}}, i32 4, <8 x i1> [[WANTED]]
; MASKED: [[LANES:%.*]] = shufflevector <8 x i32> [[MEMORY]], {{.*}} <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
; MASKED: call void @llvm.masked.store.v8i32.p0(<8 x i32> [[LANES]], ptr {{%.*}}, i32 4, <8 x i1> [[ACTIVE]])
define void @masked(ptr %x, ptr %y, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %t, %n
  br i1 %in, label %then, label %end
then:
  %other = xor i32 %t, 1
  %i = zext nneg i32 %other to i64
  %p = getelementptr i32, ptr %x, i64 %i
  %a = load i32, ptr %p
  %own = zext nneg i32 %t to i64
  %q = getelementptr i32, ptr %y, i64 %own
  store i32 %a, ptr %q
  br label %end
end:
  ret void
}

; A group that begins anywhere has other bits.
; UNALIGNED-LABEL: define void @unaligned(
; UNALIGNED: masked.gather
define void @unaligned(ptr %x, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %moved = add i32 %t, %n
  %other = xor i32 %moved, 1
  %i = zext i32 %other to i64
  %p = getelementptr i32, ptr %x, i64 %i
  %a = load i32, ptr %p
  store i32 %a, ptr %x
  ret void
}

; Two parts of a group go along a row, each with a counter of its own, from which lane 0's address comes.
; COUNTER-LABEL: define void @counter(
; COUNTER-NOT: masked.gather
; COUNTER: [[B:%.*]] = phi <8 x i32>
; COUNTER: [[FIRST:%.*]] = extractelement <8 x i32> [[B]], i64 0
; COUNTER: load <8 x i32>, ptr
; COUNTER: shufflevector {{.*}} <i32 0, i32 2, i32 4, i32 6, i32 {{.*}}>
define void @counter(ptr %x, ptr %y, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %rest = and i32 %t, 7
  %part = lshr i32 %rest, 2
  %low = and i32 %t, 3
  %column = shl i32 %low, 1
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %b = phi i32 [ %part, %entry ], [ %b1, %loop ]
  %s = phi i32 [ 0, %entry ], [ %s1, %loop ]
  %row = shl i32 %b, 4
  %i = or disjoint i32 %row, %column
  %wide = zext i32 %i to i64
  %p = getelementptr i32, ptr %x, i64 %wide
  %v = load i32, ptr %p
  %s1 = add i32 %s, %v
  %b1 = add i32 %b, 2
  %k1 = add i32 %k, 1
  %more = icmp ult i32 %k1, %n
  br i1 %more, label %loop, label %end
end:
  %at = zext i32 %t to i64
  %q = getelementptr i32, ptr %y, i64 %at
  store i32 %s1, ptr %q
  ret void
}

; Of a sum that does not wrap only in lanes that are active: its parts are extended. Two lanes ask for an element.
; PARTS-LABEL: define void @parts(
; PARTS: [[BASE:%.*]] = zext i32 %base to i64
; PARTS: [[HALF:%.*]] = zext i32 {{%.*}} to i64
; PARTS: [[AT:%.*]] = add i64 [[BASE]], [[HALF]]
; PARTS: [[P:%.*]] = getelementptr i32, ptr %x, i64 [[AT]]
; PARTS: [[Q:%.*]] = getelementptr i32, ptr [[P]], i64 0
; PARTS: [[EVEN:%.*]] = shufflevector <8 x i1> [[ACTIVE:%.*]], <8 x i1> zeroinitializer, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 8, i32 8, i32 8>
; PARTS: [[ODD:%.*]] = shufflevector <8 x i1> [[ACTIVE]], <8 x i1> zeroinitializer, <8 x i32> <i32 1, i32 3, i32 5, i32 7, i32 8, i32 8, i32 8, i32 8>
; PARTS: [[WANTED:%.*]] = or <8 x i1> [[EVEN]], [[ODD]]
; PARTS: call <8 x i32> @llvm.masked.load.v8i32.p0(ptr [[Q]], i32 4, <8 x i1> [[WANTED]]
define void @parts(ptr %x, ptr %y, i32 %base, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp sgt i32 %t, %n
  br i1 %in, label %then, label %end
then:
  %half = lshr i32 %t, 1
  %k = add nuw i32 %base, %half
  %i = zext i32 %k to i64
  %p = getelementptr i32, ptr %x, i64 %i
  %a = load i32, ptr %p
  %own = zext nneg i32 %t to i64
  %q = getelementptr i32, ptr %y, i64 %own
  store i32 %a, ptr %q
  br label %end
end:
  ret void
}

; Every other element, one in 16 left out (banks of shared memory): how the odd places' lowest bits begin is known, and so
; where they go over 16.
; PADDED-LABEL: define void @padded(
; PADDED-NOT: gather
; PADDED: load <8 x float>, ptr
; PADDED: load <8 x float>, ptr
; PADDED: shufflevector
; PADDED-NOT: gather
; PADDED: ret void
define void @padded(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %four = shl i32 %t, 2
  %i = add i32 %four, 3
  %pad = ashr i32 %i, 4
  %at = add nsw i32 %i, %pad
  %wide = sext i32 %at to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %a = load float, ptr %p
  %own = zext i32 %t to i64
  %q = getelementptr float, ptr %y, i64 %own
  store float %a, ptr %q
  ret void
}

; Stores to shared memory go together over loads from what an argument points to.
; OTHERS-LABEL: define void @over_others(
; OTHERS-NOT: scatter
; OTHERS-NOT: masked.store
; OTHERS: store <8 x i32>
; OTHERS: store <8 x i32>
; OTHERS-NOT: store
; OTHERS: ret void
define void @over_others(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %shared = call ptr @__lanza_shared()
  %low = and i32 %t, 1
  %twice = shl i32 %t, 1
  %i = sub i32 %twice, %low
  %wide = zext i32 %i to i64
  %p = getelementptr i32, ptr %shared, i64 %wide
  store i32 %t, ptr %p
  %own = zext i32 %t to i64
  %from = getelementptr i32, ptr %x, i64 %own
  %a = load i32, ptr %from
  %j = add i32 %i, 2
  %far = zext nneg i32 %j to i64
  %q = getelementptr i32, ptr %shared, i64 %far
  store i32 %a, ptr %q
  ret void
}

; An index taken to pieces makes rows of 8 lanes, which are loaded as such where all lanes are: under a mask the vector is
; loaded in its order.
; HALVES-LABEL: define void @halves(
; HALVES-NOT: gather
; HALVES: call <16 x i32> @llvm.masked.load
; HALVES-NOT: gather
; HALVES: ret void
define void @halves(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %bit = and i32 %t, 8
  %first = icmp eq i32 %bit, 0
  br i1 %first, label %work, label %end
work:
  %other = xor i32 %t, 8
  %far = zext nneg i32 %other to i64
  %p = getelementptr i32, ptr %x, i64 %far
  %v = load i32, ptr %p
  %own = zext nneg i32 %t to i64
  %q = getelementptr i32, ptr %y, i64 %own
  store i32 %v, ptr %q
  br label %end
end:
  ret void
}

; Two arrays in shared memory, written by turns: their indices say that they lie apart, and nothing is left out.
; PLANES-LABEL: define void @planes(
; PLANES-NOT: masked
; PLANES-COUNT-4: store <8 x i32>
; PLANES-NOT: store
; PLANES: ret void
define void @planes() {
  %s = call ptr @__lanza_shared()
  %r = getelementptr inbounds i8, ptr %s, i64 512
  %t = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %twice = shl nuw nsw i32 %t, 1
  %high = and i32 %twice, 124
  %low = and i32 %t, 1
  %i = or disjoint i32 %high, %low
  %j = or disjoint i32 %i, 2
  %wi = zext nneg i32 %i to i64
  %wj = zext nneg i32 %j to i64
  %a = getelementptr inbounds i32, ptr %s, i64 %wi
  %b = getelementptr inbounds i32, ptr %r, i64 %wi
  %c = getelementptr inbounds i32, ptr %s, i64 %wj
  %d = getelementptr inbounds i32, ptr %r, i64 %wj
  store i32 %t, ptr %a
  store i32 %i, ptr %b
  store i32 %j, ptr %c
  store i32 %twice, ptr %d
  ret void
}

; The second one begins at the last element of the first one's second part: those two keep their order.
; MEETING-LABEL: define void @meeting(
; MEETING-COUNT-2: @llvm.masked.store
; MEETING-COUNT-2: store <8 x i32>
; MEETING-COUNT-2: @llvm.masked.store
; MEETING: ret void
define void @meeting() {
  %s = call ptr @__lanza_shared()
  %r = getelementptr inbounds i8, ptr %s, i64 508
  %t = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %twice = shl nuw nsw i32 %t, 1
  %high = and i32 %twice, 124
  %low = and i32 %t, 1
  %i = or disjoint i32 %high, %low
  %j = or disjoint i32 %i, 2
  %wi = zext nneg i32 %i to i64
  %wj = zext nneg i32 %j to i64
  %a = getelementptr inbounds i32, ptr %s, i64 %wi
  %b = getelementptr inbounds i32, ptr %r, i64 %wi
  %c = getelementptr inbounds i32, ptr %s, i64 %wj
  %d = getelementptr inbounds i32, ptr %r, i64 %wj
  store i32 %t, ptr %a
  store i32 %i, ptr %b
  store i32 %j, ptr %c
  store i32 %twice, ptr %d
  ret void
}

; The first store is done with the second one, behind the first load: what reads what it wrote must stay behind both.
; BEHIND-LABEL: define void @behind(
; BEHIND: load <8 x i32>
; BEHIND: store <8 x i32>
; BEHIND: load <8 x i32>
; BEHIND: ret void
define void @behind(ptr %out) {
  %s = call ptr @__lanza_shared()
  %t = call range(i32 0, 8) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = xor i32 %t, 1
  %w = zext nneg i32 %i to i64
  %x = zext nneg i32 %t to i64
  %a = getelementptr inbounds i32, ptr %s, i64 %w
  %b = getelementptr inbounds i8, ptr %a, i64 32
  %c = getelementptr inbounds i8, ptr %a, i64 64
  store i32 %t, ptr %a
  %v = load i32, ptr %b
  store i32 %i, ptr %c
  %u = load i32, ptr %a
  %y = add i32 %u, %v
  %o = getelementptr inbounds i32, ptr %out, i64 %x
  store i32 %y, ptr %o
  ret void
}

; Of eight lanes that have an element together one writes it, and it is known which.
; EIGHTH-LABEL: define void @each_eighth(
; EIGHTH: shufflevector <16 x float> {{%.*}}, <16 x float> poison, <16 x i32> <i32 0, i32 8, i32 poison,
; EIGHTH: call void @llvm.masked.store.v16f32.p0({{.*}}, <16 x i1> <i1 true, i1 true, i1 false,
; EIGHTH-NOT: scatter
define void @each_eighth(ptr %x, ptr %y) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %p = getelementptr float, ptr %x, i64 %w
  %v = load float, ptr %p
  %low = and i32 %t, 7
  %is = icmp eq i32 %low, 0
  br i1 %is, label %st, label %end
st:
  %r = lshr i32 %t, 3
  %rw = zext i32 %r to i64
  %q = getelementptr float, ptr %y, i64 %rw
  store float %v, ptr %q
  br label %end
end:
  ret void
}

; And if another question is asked as well, those of them that pass it.
; BELOW-LABEL: define void @eighth_below(
; BELOW: [[BOTH:%.*]] = select <16 x i1>
; BELOW: [[ON:%.*]] = shufflevector <16 x i1> [[BOTH]], <16 x i1> zeroinitializer, <16 x i32> <i32 0, i32 8, i32 16,
; BELOW: call void @llvm.masked.store.v16f32.p0({{.*}}, <16 x i1> [[ON]])
; BELOW-NOT: scatter
define void @eighth_below(ptr %x, ptr %y, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %p = getelementptr float, ptr %x, i64 %w
  %v = load float, ptr %p
  %low = and i32 %t, 7
  %is = icmp eq i32 %low, 0
  %in = icmp ult i32 %t, %n
  %both = select i1 %in, i1 %is, i1 false
  br i1 %both, label %st, label %end
st:
  %r = lshr i32 %t, 3
  %rw = zext i32 %r to i64
  %q = getelementptr float, ptr %y, i64 %rw
  store float %v, ptr %q
  br label %end
end:
  ret void
}

; if (c) y[t] = x[(t + 1) / 2] * w[(t + 1) % 2]: what the lanes add goes into bits that are not known, but nothing wraps;
; two elements that many lanes share are asked for by a question each.
; BETWEEN-LABEL: define void @between(
; BETWEEN: and i16 [[BITS:%.*]], -21846
; BETWEEN: and i16 [[BITS]], 21845
; BETWEEN: [[W:%.*]] = call <16 x i32> @llvm.masked.load.v16i32.p0(
; BETWEEN: shufflevector <16 x i32> [[W]], <16 x i32> poison, <16 x i32> <i32 1, i32 0, i32 1, i32 0,
; BETWEEN: [[X:%.*]] = call <16 x i32> @llvm.masked.load.v16i32.p0(
; BETWEEN: shufflevector <16 x i32> [[X]], <16 x i32> poison, <16 x i32> <i32 0, i32 1, i32 1, i32 2, i32 2, i32 3, i32 3, i32 4,
; BETWEEN-NOT: gather
define void @between(ptr %x, ptr %w, ptr %y, ptr %c) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %asked = getelementptr i32, ptr %c, i64 %i
  %wanted = load i32, ptr %asked
  %is = icmp ne i32 %wanted, 0
  br i1 %is, label %some, label %end
some:
  %next = add nuw nsw i32 %t, 1
  %odd = and i32 %next, 1
  %k = zext nneg i32 %odd to i64
  %from = getelementptr i32, ptr %w, i64 %k
  %b = load i32, ptr %from
  %half = lshr i32 %next, 1
  %j = zext nneg i32 %half to i64
  %p = getelementptr i32, ptr %x, i64 %j
  %a = load i32, ptr %p
  %product = mul i32 %a, %b
  %to = getelementptr i32, ptr %y, i64 %i
  store i32 %product, ptr %to
  br label %end
end:
  ret void
}
