; RUN: %opt -kernel=first -passes=narrow-masks %s | %check %s --check-prefix=FIRST
; RUN: %opt -kernel=behind -passes=narrow-masks %s | %check %s --check-prefix=BEHIND
; RUN: %opt -kernel=one -passes=narrow-masks %s | %check %s --check-prefix=SINGLE
; RUN: %opt -kernel=asked -passes=narrow-masks %s | %check %s --check-prefix=ASKED
; RUN: %opt -kernel=others -passes=narrow-masks %s | %check %s --check-prefix=OTHERS

declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)
declare <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr>, i32, <8 x i1>, <8 x float>)
declare void @llvm.masked.scatter.v8f32.v8p0(<8 x float>, <8 x ptr>, i32, <8 x i1>)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)

; FIRST-LABEL: define void @first(
; FIRST: [[FOUR:%.*]] = load <4 x float>, ptr %p, align 4
; FIRST: [[WIDE:%.*]] = shufflevector <4 x float> [[FOUR]], <4 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 poison
; FIRST: [[JOINED:%.*]] = shufflevector <8 x float> [[WIDE]], <8 x float> %rest, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 12, i32 13, i32 14, i32 15>
; FIRST: [[TWO:%.*]] = shufflevector <8 x float> [[JOINED]], <8 x float> poison, <2 x i32> <i32 0, i32 1>
; FIRST: store <2 x float> [[TWO]], ptr %q, align 8
; FIRST: [[ONE:%.*]] = load float, ptr %q, align 4
; FIRST: [[IN:%.*]] = insertelement <8 x float> poison, float [[ONE]], i64 0
; FIRST: [[OUT:%.*]] = extractelement <8 x float> [[IN]], i64 0
; FIRST: store float [[OUT]], ptr %p, align 4
define void @first(ptr %p, ptr %q, <8 x float> %rest) {
  %four = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %p, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> %rest)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %four, ptr %q, i32 8, <8 x i1> <i1 1, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>)
  %one = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %q, i32 4, <8 x i1> <i1 1, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>, <8 x float> poison)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %one, ptr %p, i32 4, <8 x i1> <i1 1, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>)
  ret void
}

; One lane of a gather and of a scatter, wherever they are.
; SINGLE-LABEL: define void @one(
; SINGLE: [[FROM:%.*]] = extractelement <8 x ptr> %p, i64 3
; SINGLE: [[V:%.*]] = load float, ptr [[FROM]], align 4
; SINGLE: [[IN:%.*]] = insertelement <8 x float> zeroinitializer, float [[V]], i64 3
; SINGLE: [[TO:%.*]] = extractelement <8 x ptr> %q, i64 0
; SINGLE: [[OUT:%.*]] = extractelement <8 x float> [[IN]], i64 0
; SINGLE: store float [[OUT]], ptr [[TO]], align 4
; SINGLE: call void @llvm.masked.scatter
; SINGLE: ret
define void @one(<8 x ptr> %p, <8 x ptr> %q) {
  %v = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %p, i32 4, <8 x i1> <i1 0, i1 0, i1 0, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %v, <8 x ptr> %q, i32 4, <8 x i1> <i1 1, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>)
  call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %v, <8 x ptr> %q, i32 4, <8 x i1> <i1 1, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>)
  ret void
}

; Lanes that are not the first: a run, a single one, and stores of both.
; BEHIND-LABEL: define void @behind(
; BEHIND: [[AT:%.*]] = getelementptr i8, ptr %p, i64 8
; BEHIND: [[TWO:%.*]] = load <2 x float>, ptr [[AT]], align 4
; BEHIND: [[WIDE:%.*]] = shufflevector <2 x float> [[TWO]], <2 x float> poison, <8 x i32> <i32 poison, i32 poison, i32 0, i32 1, i32 poison
; BEHIND: shufflevector <8 x float> [[WIDE]], <8 x float> %rest, <8 x i32> <i32 8, i32 9, i32 2, i32 3, i32 12, i32 13, i32 14, i32 15>
; BEHIND: [[LAST:%.*]] = getelementptr i8, ptr %p, i64 28
; BEHIND: [[ONE:%.*]] = load float, ptr [[LAST]], align 4
; BEHIND: insertelement <8 x float> poison, float [[ONE]], i64 7
; BEHIND: [[TO:%.*]] = getelementptr i8, ptr %q, i64 8
; BEHIND: [[LANES:%.*]] = shufflevector <8 x float> {{%.*}}, <8 x float> poison, <2 x i32> <i32 2, i32 3>
; BEHIND: store <2 x float> [[LANES]], ptr [[TO]], align 8
; BEHIND: extractelement <8 x float> {{%.*}}, i64 7
; BEHIND: ret void
define void @behind(ptr %p, ptr %q, <8 x float> %rest) {
  %two = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %p, i32 4, <8 x i1> <i1 0, i1 0, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> %rest)
  %last = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %p, i32 4, <8 x i1> <i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 1>, <8 x float> poison)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %two, ptr %q, i32 8, <8 x i1> <i1 0, i1 0, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %last, ptr %q, i32 4, <8 x i1> <i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 1>)
  ret void
}

; A thread's own load, behind the question whether it reads; of what is asked for ahead of time its line stays.
; ASKED-LABEL: define void @asked(
; ASKED: read:
; ASKED: [[OWN:%[0-9]+]] = getelementptr i8, ptr %next, i64 28
; ASKED-NEXT: call void @llvm.prefetch.p0(ptr [[OWN]]
; ASKED-NOT: @llvm.prefetch
; ASKED: [[AT:%.*]] = getelementptr i8, ptr %p, i64 28
; ASKED: load float, ptr [[AT]], align 4
; ASKED: ret void
define void @asked(ptr %p, ptr %q, i64 %turn, <8 x i1> %guard) {
  %mask = shufflevector <8 x i1> <i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 poison>, <8 x i1> %guard, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 15>
  %bits = bitcast <8 x i1> %mask to i8
  %none = icmp eq i8 %bits, 0
  br i1 %none, label %end, label %read

read:
  %next = getelementptr i8, ptr %p, i64 %turn
  call void @llvm.prefetch.p0(ptr %next, i32 0, i32 3, i32 1)
  %far = getelementptr i8, ptr %next, i64 28
  call void @llvm.prefetch.p0(ptr %far, i32 0, i32 3, i32 1)
  %value = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %p, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
  store <8 x float> %value, ptr %q
  br label %end

end:
  ret void
}

; Three lanes, lanes apart, and masks that are not constant: of any lanes, and of one that nobody has asked about.
; OTHERS-LABEL: define void @others(
; OTHERS-COUNT-3: call void @llvm.masked.store.v8f32.p0(
; OTHERS: call <8 x float> @llvm.masked.load.v8f32.p0(
define void @others(ptr %p, <8 x float> %value, <8 x i1> %mask) {
  call void @llvm.masked.store.v8f32.p0(<8 x float> %value, ptr %p, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0>)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %value, ptr %p, i32 4, <8 x i1> <i1 0, i1 1, i1 0, i1 1, i1 0, i1 0, i1 0, i1 0>)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %value, ptr %p, i32 4, <8 x i1> %mask)
  %first = shufflevector <8 x i1> %mask, <8 x i1> zeroinitializer, <8 x i32> <i32 0, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %one = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %p, i32 4, <8 x i1> %first, <8 x float> zeroinitializer)
  store <8 x float> %one, ptr %p
  ret void
}
