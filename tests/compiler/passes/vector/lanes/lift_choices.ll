; RUN: %opt -kernel=ways -passes=lift-choices %s | %check %s --check-prefix=WAYS
; RUN: %opt -kernel=unknown -passes=lift-choices %s | %check %s --check-prefix=UNKNOWN
; RUN: %opt -kernel=made_here -passes=lift-choices %s | %check %s --check-prefix=HERE
; RUN: %opt -kernel=edges -passes=lift-choices %s | %check %s --check-prefix=EDGES
target triple = "x86_64-pc-linux-gnu"

; All lanes, none, some: only the last way chooses, and asks. The counter is one more than what lanes compare with.
; WAYS-LABEL: define <4 x float> @ways(
; WAYS-NOT: icmp ugt <4 x i32>
; WAYS: some:
; WAYS-NEXT: [[Q:%.*]] = icmp ugt <4 x i32> %all, <i32 3, i32 4, i32 5, i32 6>
; WAYS-NEXT: [[M:%.*]] = freeze <4 x i1> [[Q]]
; WAYS-NEXT: select <4 x i1> [[M]], <4 x float> %new, <4 x float> %v
; WAYS-NEXT: [[S:%.*]] = select <4 x i1> [[M]], <4 x float> %new, <4 x float> %s
; WAYS: join:
; WAYS-NEXT: phi <4 x float> [ [[S]], %some ], [ %s, %few ], [ %new, %full ]
; WAYS-NOT: select
; WAYS: ret <4 x float> %value
define <4 x float> @ways(<4 x float> %v, <4 x float> %s, <4 x float> %new, i32 %counter, ptr %p) {
entry:
  %t = add nsw i32 %counter, -1
  %one = insertelement <4 x i32> poison, i32 %t, i64 0
  %all = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
  %question = icmp ugt <4 x i32> %all, <i32 3, i32 4, i32 5, i32 6>
  %mask = freeze <4 x i1> %question
  %ends = icmp eq i32 %counter, 0
  br i1 %ends, label %leave, label %go
leave:
  ret <4 x float> %v
go:
  %part = icmp ult i32 %counter, 8
  br i1 %part, label %few, label %full
full:
  br label %join
few:
  %no = icmp ult i32 %counter, 5
  br i1 %no, label %join, label %some
some:
  %mixed = select <4 x i1> %mask, <4 x float> %new, <4 x float> %v
  br label %join
join:
  %value = phi <4 x float> [ %new, %full ], [ %v, %few ], [ %mixed, %some ]
  %stored = select <4 x i1> %mask, <4 x float> %value, <4 x float> %s
  store <4 x float> %stored, ptr %p
  ret <4 x float> %value
}

; Without the question about 0 the counter may be 0, and `t` the greatest number: no lane is known to be off.
; UNKNOWN-LABEL: define void @unknown(
; UNKNOWN: join:
; UNKNOWN: select <4 x i1> %question, <4 x float> %value, <4 x float> %s
define void @unknown(<4 x float> %v, <4 x float> %s, <4 x float> %new, i32 %counter, ptr %p) {
entry:
  %t = add i32 %counter, -1
  %one = insertelement <4 x i32> poison, i32 %t, i64 0
  %all = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
  %question = icmp ugt <4 x i32> %all, <i32 3, i32 4, i32 5, i32 6>
  %no = icmp ult i32 %counter, 5
  br i1 %no, label %join, label %some
some:
  br label %join
join:
  %value = phi <4 x float> [ %v, %entry ], [ %new, %some ]
  %stored = select <4 x i1> %question, <4 x float> %value, <4 x float> %s
  store <4 x float> %stored, ptr %p
  ret void
}

; A value or a mask that is made behind the ways stays there.
; HERE-LABEL: define void @made_here(
; HERE: join:
; HERE: select <4 x i1> %question, <4 x float> %sum, <4 x float> %s
; HERE: select <4 x i1> %late, <4 x float> %value, <4 x float> %s
define void @made_here(<4 x float> %v, <4 x float> %s, <4 x float> %new, i32 %counter, ptr %p) {
entry:
  %one = insertelement <4 x i32> poison, i32 %counter, i64 0
  %all = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
  %question = icmp ugt <4 x i32> %all, <i32 3, i32 4, i32 5, i32 6>
  %part = icmp ult i32 %counter, 7
  br i1 %part, label %some, label %join
some:
  br label %join
join:
  %value = phi <4 x float> [ %new, %entry ], [ %v, %some ]
  %sum = fadd <4 x float> %value, %s
  %stored = select <4 x i1> %question, <4 x float> %sum, <4 x float> %s
  store <4 x float> %stored, ptr %p
  %late = icmp ugt <4 x i32> %all, <i32 3, i32 4, i32 5, i32 6>
  %other = select <4 x i1> %late, <4 x float> %value, <4 x float> %s
  store <4 x float> %other, ptr %p
  ret void
}

; Signed, all lanes but for one: 6 > 6 is not.
; EDGES-LABEL: define void @edges(
; EDGES: join:
; EDGES: select <4 x i1> %question, <4 x float> %value, <4 x float> %s
define void @edges(<4 x float> %v, <4 x float> %s, <4 x float> %new, i32 %counter, ptr %p) {
entry:
  %one = insertelement <4 x i32> poison, i32 %counter, i64 0
  %all = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
  %question = icmp sgt <4 x i32> %all, <i32 3, i32 4, i32 5, i32 6>
  %part = icmp slt i32 %counter, 6
  br i1 %part, label %some, label %join
some:
  br label %join
join:
  %value = phi <4 x float> [ %new, %entry ], [ %v, %some ]
  %stored = select <4 x i1> %question, <4 x float> %value, <4 x float> %s
  store <4 x float> %stored, ptr %p
  ret void
}
