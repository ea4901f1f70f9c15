; RUN: %opt -kernel=memory -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=MEMORY
; RUN: %opt -kernel=shared_divisor -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=DIVISOR
; RUN: %opt -kernel=beside -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=BESIDE
; RUN: %opt -kernel=masked -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=MASKED
; RUN: %opt -kernel=wraps -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=WRAPS
; RUN: %opt -kernel=serial -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=SERIAL
; RUN: %opt -kernel=rows -block=4,8 -passes=leave-beyond-block,prepare-control,linearise,widen %s | %check %s --check-prefix=ROWS
; RUN: %opt -kernel=calls -block=4,8 -passes=leave-beyond-block,prepare-control,linearise,widen %s | %check %s --check-prefix=CALLS
; RUN: %opt -kernel=fails -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=FAILS
; RUN: %opt -kernel=asks -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=ASKS
; RUN: %opt -kernel=barrier -passes=prepare-control,linearise,widen %s | %check %s --check-prefix=BARRIER
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare float @llvm.fma.f32(float, float, float)
declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; MEMORY-LABEL: define void @memory(
; MEMORY: %1 = call i32 @lanza.group(i32 0)
define void @memory(ptr %x, ptr %y, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr float, ptr %x, i64 %i
; Neighbours.
; MEMORY: [[A:%.*]] = load <8 x float>, ptr {{.*}}, align 4
  %a = load float, ptr %p
; All the same.
; MEMORY: [[B:%.*]] = load float, ptr %y
  %b = load float, ptr %y
; Turned around.
; MEMORY: [[C:%.*]] = load <8 x float>, ptr {{.*}}, align 4
; MEMORY: shufflevector <8 x float> [[C]], <8 x float> poison, <8 x i32> <i32 7, i32 6,
  %j = sub i64 100, %i
  %q = getelementptr float, ptr %x, i64 %j
  %c = load float, ptr %q
; MEMORY: call <8 x float> @llvm.fma.v8f32
  %s = call float @llvm.fma.f32(float %a, float %b, float %c)
; MEMORY: store <8 x float>
  store float %s, ptr %p
; A long step, and any.
; MEMORY: masked.gather.v8f32
  %k = mul i64 %i, 30
  %r = getelementptr float, ptr %x, i64 %k
  %d = load float, ptr %r
  %e = fptosi float %d to i64
; MEMORY: masked.scatter.v8f32
  %u = getelementptr float, ptr %x, i64 %e
  store float %d, ptr %u
; The last lane has the last word.
; MEMORY: [[LAST:%.*]] = extractelement <8 x float>
; MEMORY: store float [[LAST]], ptr %y
  store float %d, ptr %y
  ret void
}

; A divisor that all lanes share divides once.
; DIVISOR-LABEL: define void @shared_divisor(
; DIVISOR: [[A:%.*]] = sitofp <8 x i32> {{%.*}} to <8 x double>
; DIVISOR: [[N:%.*]] = sitofp i32 %n to double
; DIVISOR: [[HALF:%.*]] = call <8 x double> @llvm.copysign.v8f64(<8 x double> <double 5.000000e-01,
; DIVISOR-SAME: [[A]])
; DIVISOR: [[INVERSE:%.*]] = fdiv double 1.000000e+00, [[N]]
; DIVISOR: [[AWAY:%.*]] = fadd <8 x double> [[A]], [[HALF]]
; DIVISOR: [[Q:%.*]] = fmul <8 x double> [[AWAY]],
; DIVISOR: fptosi <8 x double> [[Q]] to <8 x i32>
define void @shared_divisor(ptr %x, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %p
  %d = sdiv i32 %v, %n
  store i32 %d, ptr %p
  ret void
}

; Places beside a ring are divided where one lies further away than the ring is long, or the ring is very long.
; BESIDE-LABEL: define void @beside(
; BESIDE: [[D:%.*]] = freeze <8 x i32>
; BESIDE: [[OFF:%.*]] = sub <8 x i32> [[D]], [[N:%.*]]
; BESIDE: [[ONCE:%.*]] = call <8 x i32> @llvm.umin.v8i32(<8 x i32> [[D]], <8 x i32> [[OFF]])
; BESIDE: [[OFF2:%.*]] = sub <8 x i32> [[ONCE]], [[N]]
; BESIDE: [[TWICE:%.*]] = call <8 x i32> @llvm.umin.v8i32(<8 x i32> [[ONCE]], <8 x i32> [[OFF2]])
; BESIDE: [[BEYOND:%.*]] = icmp uge <8 x i32> [[TWICE]], [[N]]
; BESIDE: [[BITS:%.*]] = bitcast <8 x i1> [[BEYOND]] to i8
; BESIDE: icmp eq i8 [[BITS]], 0
; BESIDE: [[BEFORE:%.*]] = sub i32 %n, 1
; BESIDE: icmp ult i32 [[BEFORE]], 536870912
; BESIDE: br i1 {{.*}}, label %[[WHOLE:.*]], label %[[PARTLY:.*]]
; BESIDE: [[PARTLY]]:
; BESIDE: fptosi <8 x double>
; BESIDE: [[DIVIDED:%.*]] = sub <8 x i32> [[D]],
; BESIDE: phi <8 x i32> [ [[TWICE]], %[[WHOLE]] ], [ [[DIVIDED]], %[[PARTLY]] ]
; What lies beyond in idle lanes nobody asks.
; BESIDE: [[M:%.*]] = icmp slt <8 x i32>
; BESIDE: icmp uge <8 x i32>
; BESIDE-NEXT: select <8 x i1> [[M]], <8 x i1> {{.*}}, <8 x i1> zeroinitializer
; BESIDE-NOT: 536870912
; BESIDE: fptoui <8 x double>
; BESIDE: ret void
define void @beside(ptr %x, i32 %n, i32 %k) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %before = add i32 %t, -1
  %around = add i32 %before, %n
  %r = srem i32 %around, %n
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %i
  store i32 %r, ptr %p
  %some = icmp slt i32 %t, %k
  br i1 %some, label %then, label %end
then:
  %next = add i32 %t, 1
  %u = urem i32 %next, %n
  store i32 %u, ptr %p
  br label %end
end:
  ret void
}

; An inactive lane's divisor stops nobody, floats do where all are short, flags that hold on active lanes are gone from what lane 0 stands for.
; MASKED-LABEL: define void @masked(
; MASKED: [[M:%.*]] = icmp slt <8 x i32>
; MASKED: [[D:%.*]] = select <8 x i1> [[M]], <8 x i32> {{.*}}, <8 x i32> <i32 1,
; MASKED: [[SHORT:%.*]] = icmp ult <8 x i32> %{{.*}}, <i32 4194304,
; MASKED: [[BITS:%.*]] = bitcast <8 x i1> [[SHORT]] to i8
; MASKED: icmp eq i8 [[BITS]], -1
; MASKED: [[F:%.*]] = sitofp <8 x i32> [[D]] to <8 x float>
; MASKED: fdiv <8 x float> {{.*}}, [[F]]
; MASKED: [[R:%.*]] = sitofp <8 x i32> [[D]] to <8 x double>
; MASKED: [[Q:%.*]] = fdiv <8 x double> {{.*}}, [[R]]
; MASKED: fptosi <8 x double> [[Q]] to <8 x i32>
; MASKED: phi <8 x i32>
; MASKED: add i32 {{%.*}}, 5
; MASKED: masked.store.v8i32{{.*}}<8 x i1> [[M]]
define void @masked(ptr %x, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, %n
  br i1 %c, label %then, label %end
then:
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %p
  %d = sdiv i32 100, %v
  %m = add nsw i32 %t, 5
  %k = sext i32 %m to i64
  %q = getelementptr i32, ptr %x, i64 %k
  store i32 %d, ptr %q
  br label %end
end:
  ret void
}

; Lane 0 may be inactive and its sum wrap: its parts are extended. Where the sum may wrap for any lane, all are.
; WRAPS-LABEL: define void @wraps(
; WRAPS: [[T:%.*]] = sext i32 %1 to i64
; WRAPS: [[S:%.*]] = add i64 [[T]], {{%.*}}
; WRAPS: getelementptr i32, ptr %x, i64 [[S]]
; WRAPS: sext <8 x i32> {{.*}} to <8 x i64>
define void @wraps(ptr %x, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = add nsw i32 %t, %n
  %i = sext i32 %a to i64
  %p = getelementptr i32, ptr %x, i64 %i
  store i32 1, ptr %p
  %b = add i32 %t, %n
  %j = sext i32 %b to i64
  %q = getelementptr i32, ptr %x, i64 %j
  store i32 1, ptr %q
  ret void
}

; An atomic is done for one active lane after the other.
; SERIAL-LABEL: define void @serial(
; SERIAL: each:
; SERIAL: %lanes = phi i8 [ -1, {{.*}} ], [ [[REST:%.*]], %each ]
; SERIAL: [[LANE:%.*]] = call i8 @llvm.cttz.i8(i8 %lanes, i1 true)
; SERIAL: [[V:%.*]] = extractelement <8 x i32> {{.*}}, i8 [[LANE]]
; SERIAL: [[R:%.*]] = atomicrmw xchg ptr %x, i32 [[V]]
; SERIAL: [[N:%.*]] = zext i8 [[LANE]] to i32
; SERIAL: [[ONE:%.*]] = icmp eq <8 x i32> {{.*}}, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
; SERIAL: [[FOUND:%.*]] = shufflevector <8 x i32>
; SERIAL: select <8 x i1> [[ONE]], <8 x i32> [[FOUND]], <8 x i32>
; SERIAL: [[REST]] = and i8 %lanes,
define void @serial(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %t, %t
  %v = atomicrmw xchg ptr %x, i32 %m monotonic
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %i
  store i32 %v, ptr %p
  ret void
}

; Rows of four: two of them are a group, x is a table.
; ROWS-LABEL: define void @rows(
; ROWS: add <8 x i32> {{.*}}, <i32 0, i32 0, i32 0, i32 0, i32 1, i32 1, i32 1, i32 1>
; ROWS: mul <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 0, i32 1, i32 2, i32 3>
define void @rows(ptr %x, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %r = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %a = mul i32 %t, %n
  %b = add i32 %a, %r
  %i = sext i32 %b to i64
  %p = getelementptr i32, ptr %x, i64 %i
  store i32 1, ptr %p
  ret void
}

; Once a group, with the number of its lanes that count.
; BARRIER-LABEL: define void @barrier(
; BARRIER: [[COUNT:%.*]] = call i8 @llvm.ctpop.i8
; BARRIER: [[WIDE:%.*]] = zext i8 [[COUNT]] to i64
; BARRIER: [[R:%.*]] = call i64 @__lanza_sync(i32 2, i32 0, i32 0, i64 [[WIDE]], i32 0)
; BARRIER: store i64 [[R]], ptr %x
define void @barrier(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %i = zext i32 %odd to i64
  %s = call i64 @__lanza_sync(i32 2, i32 0, i32 0, i64 %i, i32 0)
  store i64 %s, ptr %x
  ret void
}

; A function that was not inlined is called for one active lane after the other, even if it reads no memory, since it may
; ask for its thread: never once for all, nor without an active lane.
; CALLS-LABEL: define void @calls(
; CALLS: br i1 {{.*}}, label %then, label %end
; CALLS: each:
; CALLS: [[LANE:%.*]] = call i8 @llvm.cttz.i8(
; CALLS: [[X:%.*]] = add i32
; CALLS: [[Y:%.*]] = add i32
; CALLS: call void @lanza.thread(i32 [[X]], i32 [[Y]], i32 {{.*}})
; CALLS-NEXT: [[R:%.*]] = call i32 @recurses(i32 %n)
; CALLS: insertelement <8 x i32> poison, i32 [[R]], i64 0
; CALLS: select <8 x i1>
define void @calls(ptr %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %i
  %c = icmp ult i32 %t, 3
  br i1 %c, label %then, label %end
then:
  %r = call i32 @recurses(i32 %n)
  br label %end
end:
  %v = phi i32 [ %r, %then ], [ 0, %entry ]
  store i32 %v, ptr %p
  ret void
}

define i32 @recurses(i32 %n) noinline memory(none) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ret i32 %t
}

; Idle lanes of loads are zeros; the thread that fails is named.
; FAILS-LABEL: define void @fails(
; FAILS: masked.gather.v8i32{{.*}}<8 x i32> zeroinitializer)
; FAILS: call void @lanza.thread(
; FAILS-NEXT: call void @llvm.trap()
define void @fails(ptr %x, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %k = mul i32 %t, 3
  %i = zext i32 %k to i64
  %p = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %p
  %bad = icmp eq i32 %v, %n
  br i1 %bad, label %fail, label %ok
fail:
  call void @llvm.trap()
  unreachable
ok:
  ret void
}

declare void @llvm.trap()

declare void @llvm.prefetch.p0(ptr, i32, i32, i32)

; A line of the cache is asked for once; of addresses all over memory none is.
; ASKS-LABEL: define void @asks(
; ASKS: call void @llvm.prefetch.p0(ptr [[P:%.*]], i32 0, i32 3, i32 1)
; ASKS-NOT: call void @llvm.prefetch
; ASKS: [[Q:%.*]] = getelementptr double, ptr
; ASKS: call void @llvm.prefetch.p0(ptr [[Q]],
; ASKS: [[LINE:%.*]] = getelementptr i8, ptr [[Q]], i64 64
; ASKS: call void @llvm.prefetch.p0(ptr [[LINE]],
; ASKS-NOT: call void @llvm.prefetch
; ASKS: ret void
define void @asks(ptr %x, ptr %y, ptr %z) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i16, ptr %x, i64 %i
  call void @llvm.prefetch.p0(ptr %p, i32 0, i32 3, i32 1)
  %even = mul i64 %i, 2
  %q = getelementptr double, ptr %y, i64 %even
  call void @llvm.prefetch.p0(ptr %q, i32 0, i32 3, i32 1)
  %a = load i64, ptr %p
  %r = getelementptr float, ptr %z, i64 %a
  call void @llvm.prefetch.p0(ptr %r, i32 0, i32 3, i32 1)
  ret void
}
