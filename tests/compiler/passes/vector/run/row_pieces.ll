; RUN: %opt -kernel=sums -passes=row-pieces %s | %check %s --check-prefix=SUMS
; RUN: %opt -kernel=doubles -passes=row-pieces %s | %check %s --check-prefix=DOUBLES
; RUN: %opt -kernel=by_value -passes=row-pieces %s | %check %s --check-prefix=VALUE
; RUN: %opt -kernel=strides -passes=row-pieces %s | %check %s --check-prefix=STRIDES
; RUN: %opt -kernel=may_wrap -passes=row-pieces %s | %check %s --check-prefix=WRAP
; RUN: %opt -kernel=shares -passes=row-pieces %s | %check %s --check-prefix=SHARES
; RUN: %opt -kernel=seen -passes=row-pieces %s | %check %s --check-prefix=SEEN

declare <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr>, i32, <8 x i1>, <8 x float>)
declare <8 x double> @llvm.masked.gather.v8f64.v8p0(<8 x ptr>, i32, <8 x i1>, <8 x double>)

; Eight turns of eight lanes. Lanes that are off begin where the first one does; each loads as many elements as it has
; turns, up to eight; the sums are those of the turns, in their order.
; SUMS-LABEL: define <8 x float> @sums(
; SUMS: [[FIRST:%.*]] = call i8 @llvm.cttz.i8(i8 {{.*}}, i1 true)
; SUMS: [[OF_FIRST:%.*]] = extractelement <8 x i32> %begin, i8 [[FIRST]]
; SUMS: [[STARTS:%.*]] = select <8 x i1> %some, <8 x i32> %begin, <8 x i32>
; SUMS: sext <8 x i32> [[STARTS]] to <8 x i64>
; SUMS: loop:
; SUMS: %done = phi i64 [ 0, %entry ], [ [[DONE:%.*]], %loop ]
; SUMS: [[DONE]] = add i64 %done, 8
; SUMS: [[LEFT:%.*]] = select <8 x i1> {{%.*}}, <8 x i32> %left, <8 x i32> zeroinitializer
; SUMS: [[MOST:%.*]] = call <8 x i32> @llvm.umin.v8i32(<8 x i32> [[LEFT]], <8 x i32> <i32 7, {{.*}}>)
; SUMS: shl <8 x i32> <i32 2, {{.*}}>, [[MOST]]
; SUMS-COUNT-8: call <8 x float> @llvm.masked.load.v8f32.p0(ptr {{.*}}, i32 4, <8 x i1> {{.*}}, <8 x float> zeroinitializer)
; SUMS-NOT: masked.gather
; SUMS-COUNT-8: fadd <8 x float>
; SUMS-NOT: fadd
; SUMS: br i1 {{%.*}}, label %end, label %loop
; SUMS-NOT: masked.gather
; SUMS: ret <8 x float>
define <8 x float> @sums(ptr %x, <8 x i32> %begin, <8 x i32> %last, <8 x i1> %some) {
entry:
  br label %loop
loop:
  %mask = phi <8 x i1> [ %some, %entry ], [ %still, %loop ]
  %j = phi <8 x i32> [ %begin, %entry ], [ %next, %loop ]
  %sum = phi <8 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %kept = phi <8 x float> [ zeroinitializer, %entry ], [ %result, %loop ]
  %index = sext <8 x i32> %j to <8 x i64>
  %address = getelementptr float, ptr %x, <8 x i64> %index
  %v = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %address, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
  %more = fadd <8 x float> %sum, %v
  %next = add nsw <8 x i32> %j, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %again = icmp slt <8 x i32> %next, %last
  %result = select <8 x i1> %mask, <8 x float> %more, <8 x float> %kept
  %still = select <8 x i1> %mask, <8 x i1> %again, <8 x i1> zeroinitializer
  %bits = bitcast <8 x i1> %still to i8
  %none = icmp eq i8 %bits, 0
  br i1 %none, label %end, label %loop
end:
  ret <8 x float> %result
}

; Until the counter is another number, which it comes to from either side: what is left is a difference.
; DOUBLES-LABEL: define <8 x double> @doubles(
; DOUBLES: %left = sub <8 x i64> %last, {{%.*}}
; DOUBLES-NOT: select <8 x i1> {{.*}}, <8 x i64> %left
; DOUBLES-COUNT-8: call <8 x double> @llvm.masked.load.v8f64.p0(
; DOUBLES-NOT: masked.gather
; DOUBLES: ret <8 x double>
define <8 x double> @doubles(ptr %x, <8 x i64> %begin, <8 x i64> %last, <8 x i1> %some) {
entry:
  br label %loop
loop:
  %mask = phi <8 x i1> [ %some, %entry ], [ %still, %loop ]
  %j = phi <8 x i64> [ %begin, %entry ], [ %next, %loop ]
  %kept = phi <8 x double> [ zeroinitializer, %entry ], [ %result, %loop ]
  %address = getelementptr double, ptr %x, <8 x i64> %j
  %v = call <8 x double> @llvm.masked.gather.v8f64.v8p0(<8 x ptr> %address, i32 8, <8 x i1> %mask, <8 x double> poison)
  %more = fadd <8 x double> %kept, %v
  %next = add <8 x i64> %j, <i64 1, i64 1, i64 1, i64 1, i64 1, i64 1, i64 1, i64 1>
  %again = icmp ne <8 x i64> %last, %next
  %result = select <8 x i1> %mask, <8 x double> %more, <8 x double> %kept
  %still = and <8 x i1> %mask, %again
  %bits = bitcast <8 x i1> %still to i8
  %goes_on = icmp ne i8 %bits, 0
  br i1 %goes_on, label %loop, label %end
end:
  ret <8 x double> %result
}

; What is loaded ends the loop: an element behind that is no lane's.
; VALUE-LABEL: define <8 x i32> @by_value(
; VALUE: masked.gather
; VALUE-NOT: masked.load
; VALUE: ret
define <8 x i32> @by_value(ptr %x, <8 x i32> %begin, <8 x i1> %some) {
entry:
  br label %loop
loop:
  %mask = phi <8 x i1> [ %some, %entry ], [ %still, %loop ]
  %j = phi <8 x i32> [ %begin, %entry ], [ %next, %loop ]
  %kept = phi <8 x i32> [ zeroinitializer, %entry ], [ %result, %loop ]
  %index = sext <8 x i32> %j to <8 x i64>
  %address = getelementptr float, ptr %x, <8 x i64> %index
  %v = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %address, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
  %next = add nsw <8 x i32> %j, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %again = fcmp ogt <8 x float> %v, zeroinitializer
  %result = select <8 x i1> %mask, <8 x i32> %next, <8 x i32> %kept
  %still = select <8 x i1> %mask, <8 x i1> %again, <8 x i1> zeroinitializer
  %bits = bitcast <8 x i1> %still to i8
  %none = icmp eq i8 %bits, 0
  br i1 %none, label %end, label %loop
end:
  ret <8 x i32> %result
}

; Every other element.
; STRIDES-LABEL: define <8 x float> @strides(
; STRIDES: masked.gather
; STRIDES-NOT: masked.load
; STRIDES: ret
define <8 x float> @strides(ptr %x, <8 x i64> %begin, <8 x i64> %last, <8 x i1> %some) {
entry:
  br label %loop
loop:
  %mask = phi <8 x i1> [ %some, %entry ], [ %still, %loop ]
  %j = phi <8 x i64> [ %begin, %entry ], [ %next, %loop ]
  %kept = phi <8 x float> [ zeroinitializer, %entry ], [ %result, %loop ]
  %address = getelementptr [2 x float], ptr %x, <8 x i64> %j
  %v = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %address, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
  %more = fadd <8 x float> %kept, %v
  %next = add <8 x i64> %j, <i64 1, i64 1, i64 1, i64 1, i64 1, i64 1, i64 1, i64 1>
  %again = icmp ult <8 x i64> %next, %last
  %result = select <8 x i1> %mask, <8 x float> %more, <8 x float> %kept
  %still = select <8 x i1> %mask, <8 x i1> %again, <8 x i1> zeroinitializer
  %bits = bitcast <8 x i1> %still to i8
  %none = icmp eq i8 %bits, 0
  br i1 %none, label %end, label %loop
end:
  ret <8 x float> %result
}

; An unsigned counter may wrap: the next element is then not behind the last one.
; WRAP-LABEL: define <8 x float> @may_wrap(
; WRAP: masked.gather
; WRAP-NOT: masked.load
; WRAP: ret
define <8 x float> @may_wrap(ptr %x, <8 x i32> %begin, <8 x i32> %last, <8 x i1> %some) {
entry:
  br label %loop
loop:
  %mask = phi <8 x i1> [ %some, %entry ], [ %still, %loop ]
  %j = phi <8 x i32> [ %begin, %entry ], [ %next, %loop ]
  %kept = phi <8 x float> [ zeroinitializer, %entry ], [ %result, %loop ]
  %index = zext <8 x i32> %j to <8 x i64>
  %address = getelementptr float, ptr %x, <8 x i64> %index
  %v = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %address, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
  %more = fadd <8 x float> %kept, %v
  %next = add <8 x i32> %j, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %again = icmp ne <8 x i32> %next, %last
  %result = select <8 x i1> %mask, <8 x float> %more, <8 x float> %kept
  %still = select <8 x i1> %mask, <8 x i1> %again, <8 x i1> zeroinitializer
  %bits = bitcast <8 x i1> %still to i8
  %none = icmp eq i8 %bits, 0
  br i1 %none, label %end, label %loop
end:
  ret <8 x float> %result
}

; What all lanes share is loaded in each turn, which a turn without lanes must not.
; SHARES-LABEL: define <8 x float> @shares(
; SHARES: masked.gather
; SHARES-NOT: masked.load
; SHARES: ret
define <8 x float> @shares(ptr %x, ptr %y, <8 x i64> %begin, <8 x i64> %last, <8 x i1> %some) {
entry:
  br label %loop
loop:
  %mask = phi <8 x i1> [ %some, %entry ], [ %still, %loop ]
  %j = phi <8 x i64> [ %begin, %entry ], [ %next, %loop ]
  %turn = phi i64 [ 0, %entry ], [ %turn_next, %loop ]
  %kept = phi <8 x float> [ zeroinitializer, %entry ], [ %result, %loop ]
  %address = getelementptr float, ptr %x, <8 x i64> %j
  %v = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %address, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
  %factor = getelementptr float, ptr %y, i64 %turn
  %f = load float, ptr %factor
  %of_one = insertelement <8 x float> poison, float %f, i64 0
  %of_all = shufflevector <8 x float> %of_one, <8 x float> poison, <8 x i32> zeroinitializer
  %product = fmul <8 x float> %v, %of_all
  %more = fadd <8 x float> %kept, %product
  %turn_next = add i64 %turn, 1
  %next = add <8 x i64> %j, <i64 1, i64 1, i64 1, i64 1, i64 1, i64 1, i64 1, i64 1>
  %again = icmp ult <8 x i64> %next, %last
  %result = select <8 x i1> %mask, <8 x float> %more, <8 x float> %kept
  %still = select <8 x i1> %mask, <8 x i1> %again, <8 x i1> zeroinitializer
  %bits = bitcast <8 x i1> %still to i8
  %none = icmp eq i8 %bits, 0
  br i1 %none, label %end, label %loop
end:
  ret <8 x float> %result
}

; A sum of lanes that are off, too, is seen behind the loop.
; SEEN-LABEL: define <8 x float> @seen(
; SEEN: masked.gather
; SEEN-NOT: masked.load
; SEEN: ret
define <8 x float> @seen(ptr %x, <8 x i64> %begin, <8 x i64> %last, <8 x i1> %some) {
entry:
  br label %loop
loop:
  %mask = phi <8 x i1> [ %some, %entry ], [ %still, %loop ]
  %j = phi <8 x i64> [ %begin, %entry ], [ %next, %loop ]
  %sum = phi <8 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %address = getelementptr float, ptr %x, <8 x i64> %j
  %v = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %address, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
  %more = fadd <8 x float> %sum, %v
  %next = add <8 x i64> %j, <i64 1, i64 1, i64 1, i64 1, i64 1, i64 1, i64 1, i64 1>
  %again = icmp ult <8 x i64> %next, %last
  %still = select <8 x i1> %mask, <8 x i1> %again, <8 x i1> zeroinitializer
  %bits = bitcast <8 x i1> %still to i8
  %none = icmp eq i8 %bits, 0
  br i1 %none, label %end, label %loop
end:
  ret <8 x float> %more
}
