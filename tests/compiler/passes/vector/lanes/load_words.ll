; RUN: %opt -kernel=counted -passes=load-words %s | %check %s --check-prefix=COUNTED
; RUN: %opt -kernel=other_bound -passes=load-words %s | %check %s --check-prefix=BOUND
; RUN: %opt -kernel=also_vector -passes=load-words %s | %check %s --check-prefix=VECTOR
; RUN: %opt -kernel=shared_by_threads -passes=load-words %s | %check %s --check-prefix=VOLATILE
target triple = "x86_64-pc-linux-gnu"

; Whether all are below 4096, or 0, is asked of the bits of all; words of two blocks are loaded once.
; COUNTED-LABEL: define void @counted(
; COUNTED-NOT: load <4 x i32>
; COUNTED: [[A:%.*]] = load i64, ptr {{.*}}, align 4
; COUNTED: [[B:%.*]] = load i64, ptr {{.*}}, align 4
; COUNTED: [[AB:%.*]] = or i64 [[A]], [[B]]
; COUNTED: [[UP:%.*]] = lshr i64 [[AB]], 32
; COUNTED: [[ALL:%.*]] = or i64 [[AB]], [[UP]]
; COUNTED: [[LOW:%.*]] = trunc i64 [[ALL]] to i32
; COUNTED: [[IN:%.*]] = icmp ult i32 [[LOW]], %bound
; COUNTED: br i1 [[IN]], label %own, label %far
; COUNTED: own:
; COUNTED: trunc i64 [[A]] to i32
; COUNTED: far:
; COUNTED: trunc i64 [[B]] to i32
; COUNTED-NOT: load <4 x i32>
; COUNTED: ret void
define void @counted(ptr %x, i1 %is_there, ptr %table, ptr %out) {
  %there = zext i1 %is_there to i32
  %bound = shl i32 %there, 12
  %first = insertelement <4 x i32> poison, i32 %bound, i64 0
  %bounds = shufflevector <4 x i32> %first, <4 x i32> poison, <4 x i32> zeroinitializer
  %v = load <4 x i32>, ptr %x, align 4
  %beyond = icmp uge <4 x i32> %v, %bounds
  %mask = bitcast <4 x i1> %beyond to i4
  %in = icmp eq i4 %mask, 0
  br i1 %in, label %own, label %far
own:
  %w = bitcast <4 x i32> %v to <2 x i64>
  %w0 = extractelement <2 x i64> %w, i64 0
  %i = trunc i64 %w0 to i32
  store i32 %i, ptr %table
  br label %end
far:
  %y = bitcast <4 x i32> %v to <2 x i64>
  %y1 = extractelement <2 x i64> %y, i64 1
  %j = trunc i64 %y1 to i32
  store i32 %j, ptr %out
  br label %end
end:
  ret void
}

; Bits of several numbers below 5000 may be those of one that is not.
; BOUND-LABEL: define void @other_bound(
; BOUND: load <4 x i32>
define void @other_bound(ptr %x, ptr %table) {
  %v = load <4 x i32>, ptr %x, align 4
  %beyond = icmp uge <4 x i32> %v, <i32 5000, i32 5000, i32 5000, i32 5000>
  %mask = bitcast <4 x i1> %beyond to i4
  %in = icmp eq i4 %mask, 0
  br i1 %in, label %own, label %end
own:
  %w = bitcast <4 x i32> %v to <2 x i64>
  %w0 = extractelement <2 x i64> %w, i64 0
  %i = trunc i64 %w0 to i32
  store i32 %i, ptr %table
  br label %end
end:
  ret void
}

; VECTOR-LABEL: define void @also_vector(
; VECTOR: load <4 x i32>
define void @also_vector(ptr %x, ptr %out) {
  %v = load <4 x i32>, ptr %x, align 4
  %w = bitcast <4 x i32> %v to <2 x i64>
  %w0 = extractelement <2 x i64> %w, i64 0
  store i64 %w0, ptr %x
  %s = add <4 x i32> %v, %v
  store <4 x i32> %s, ptr %out
  ret void
}

; VOLATILE-LABEL: define void @shared_by_threads(
; VOLATILE: load volatile <4 x i32>
define void @shared_by_threads(ptr %x, ptr %out) {
  %v = load volatile <4 x i32>, ptr %x, align 4
  %w = bitcast <4 x i32> %v to <2 x i64>
  %w0 = extractelement <2 x i64> %w, i64 0
  store i64 %w0, ptr %out
  ret void
}
