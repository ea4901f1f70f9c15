; RUN: %opt -kernel=words -passes=split-masks %s | %check %s
; RUN: %opt -kernel=words -target=x86-64-v4 -passes=split-masks %s | %check %s --check-prefix=WHOLE
; RUN: %opt -kernel=bytes -passes=split-masks %s | %check %s --check-prefix=BYTES
; RUN: %opt -kernel=doubles -passes=split-masks %s | %check %s --check-prefix=DOUBLES
; RUN: %opt -kernel=asked -passes=split-masks %s | %check %s --check-prefix=ASKED
; RUN: %opt -kernel=memory -passes=split-masks %s | %check %s --check-prefix=MEMORY
; RUN: %opt -kernel=loop -passes=split-masks %s | %check %s --check-prefix=LOOP
; RUN: %opt -kernel=chosen -passes=split-masks %s | %check %s --check-prefix=CHOSEN
; RUN: %opt -kernel=often -passes=split-masks %s | %check %s --check-prefix=OFTEN
; RUN: %opt -kernel=kept -passes=split-masks %s | %check %s --check-prefix=KEPT

declare <16 x float> @llvm.masked.load.v16f32.p0(ptr, i32, <16 x i1>, <16 x float>)
declare void @llvm.masked.store.v16f32.p0(<16 x float>, ptr, i32, <16 x i1>)

; 16 words are two registers: so are what compares and what chooses.
; CHECK-LABEL: define <16 x i32> @words(
; CHECK-DAG: [[LOW:%.*]] = icmp slt <8 x i32> {{.*}}
; CHECK-DAG: [[HIGH:%.*]] = icmp slt <8 x i32> {{.*}}
; CHECK: select <8 x i1> [[LOW]], <8 x i32>
; CHECK: select <8 x i1> [[HIGH]], <8 x i32>
; CHECK-NOT: <16 x i1>
; CHECK: ret
; WHOLE-LABEL: define <16 x i32> @words(
; WHOLE-NEXT: icmp slt <16 x i32> %a, %b
define <16 x i32> @words(<16 x i32> %a, <16 x i32> %b) {
  %m = icmp slt <16 x i32> %a, %b
  %s = select <16 x i1> %m, <16 x i32> %a, <16 x i32> %b
  ret <16 x i32> %s
}

; 32 bytes are one.
; BYTES-LABEL: define <32 x i8> @bytes(
; BYTES-NEXT: icmp slt <32 x i8> %a, %b
; BYTES-NEXT: select <32 x i1>
define <32 x i8> @bytes(<32 x i8> %a, <32 x i8> %b) {
  %m = icmp slt <32 x i8> %a, %b
  %s = select <32 x i1> %m, <32 x i8> %a, <32 x i8> %b
  ret <32 x i8> %s
}

; 8 doubles are two.
; DOUBLES-LABEL: define <8 x double> @doubles(
; DOUBLES-COUNT-2: fcmp olt <4 x double>
; DOUBLES-COUNT-2: select <4 x i1>
define <8 x double> @doubles(<8 x double> %a, <8 x double> %b) {
  %m = fcmp olt <8 x double> %a, %b
  %s = select <8 x i1> %m, <8 x double> %a, <8 x double> %b
  ret <8 x double> %s
}

; Any and all are asked of both halves at once; their bits as a number are put together.
; ASKED-LABEL: define i16 @asked(
; ASKED: [[LOW:%.*]] = icmp slt <8 x i32>
; ASKED: [[HIGH:%.*]] = icmp slt <8 x i32>
; ASKED: [[SOME:%.*]] = or <8 x i1> [[LOW]], [[HIGH]]
; ASKED: [[BITS:%.*]] = bitcast <8 x i1> [[SOME]] to i8
; ASKED: [[MORE:%.*]] = shl i16 {{.*}}, 8
; ASKED: [[NUMBER:%.*]] = or i16 {{.*}}, [[MORE]]
; ASKED: icmp ne i8 [[BITS]], 0
; ASKED: select i1 {{.*}}, i16 [[NUMBER]], i16 7
define i16 @asked(<16 x i32> %a, <16 x i32> %b) {
  %m = icmp slt <16 x i32> %a, %b
  %bits = bitcast <16 x i1> %m to i16
  %any = icmp ne i16 %bits, 0
  %r = select i1 %any, i16 %bits, i16 7
  ret i16 %r
}

; MEMORY-LABEL: define void @memory(
; MEMORY: call <8 x float> @llvm.masked.load.v8f32.p0(ptr %p, i32 4, <8 x i1>
; MEMORY: [[UP:%.*]] = getelementptr i8, ptr %p, i64 32
; MEMORY: call <8 x float> @llvm.masked.load.v8f32.p0(ptr [[UP]], i32 4, <8 x i1>
; MEMORY: call void @llvm.masked.store.v8f32.p0(<8 x float> {{.*}}, ptr %p, i32 4, <8 x i1>
; MEMORY: call void @llvm.masked.store.v8f32.p0(<8 x float> {{.*}}, ptr {{.*}}, i32 4, <8 x i1>
define void @memory(ptr %p, <16 x i32> %a, <16 x i32> %b) {
  %m = icmp slt <16 x i32> %a, %b
  %v = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %p, i32 4, <16 x i1> %m, <16 x float> zeroinitializer)
  %w = fadd <16 x float> %v, %v
  call void @llvm.masked.store.v16f32.p0(<16 x float> %w, ptr %p, i32 4, <16 x i1> %m)
  ret void
}

; What goes round a loop are words, and what is made of them.
; LOOP-LABEL: define <8 x i32> @loop(
; LOOP: entry:
; LOOP: [[FIRST:%.*]] = sext <8 x i1> %{{.*}} to <8 x i32>
; LOOP: turn:
; LOOP: [[ACTIVE:%.*]] = phi <8 x i32> [ [[FIRST]], %entry ], [ [[STILL:%.*]], %turn ]
; LOOP: [[LESS:%.*]] = sext <8 x i1> %{{.*}} to <8 x i32>
; LOOP: [[STILL]] = and <8 x i32> [[ACTIVE]], [[LESS]]
; LOOP: icmp slt <8 x i32> [[STILL]], zeroinitializer
; LOOP: end:
define <8 x i32> @loop(<8 x i32> %a, <8 x i32> %b) {
entry:
  %first = icmp slt <8 x i32> %a, %b
  br label %turn
turn:
  %active = phi <8 x i1> [ %first, %entry ], [ %still, %turn ]
  %x = phi <8 x i32> [ %a, %entry ], [ %next, %turn ]
  %sum = add <8 x i32> %x, %b
  %next = select <8 x i1> %active, <8 x i32> %sum, <8 x i32> %x
  %less = icmp slt <8 x i32> %next, %b
  %still = and <8 x i1> %active, %less
  %bits = bitcast <8 x i1> %still to i8
  %more = icmp ne i8 %bits, 0
  br i1 %more, label %turn, label %end
end:
  ret <8 x i32> %x
}

; A choice of masks by a scalar would be a branch.
; CHOSEN-LABEL: define <8 x i32> @chosen(
; CHOSEN: [[BIT:%.*]] = sext i1 %c to i32
; CHOSEN: shufflevector <8 x i32>
; CHOSEN: and <8 x i32>
; CHOSEN-NOT: select i1
; CHOSEN: ret
define <8 x i32> @chosen(i1 %c, <8 x i32> %a, <8 x i32> %b) {
  %m = icmp slt <8 x i32> %a, %b
  %some = select i1 %c, <8 x i1> %m, <8 x i1> zeroinitializer
  %s = select <8 x i1> %some, <8 x i32> %a, <8 x i32> %b
  ret <8 x i32> %s
}

; Words are asked once, bytes in each turn: the mask is one of bytes.
; OFTEN-LABEL: define <32 x i32> @often(
; OFTEN: turn:
; OFTEN: phi <32 x i8>
; OFTEN: icmp eq <32 x i8>
; OFTEN-NOT: <8 x i1>
; OFTEN: ret
define <32 x i32> @often(<32 x i32> %v, <32 x i32> %w, ptr %p, i32 %n) {
  %some = icmp slt <32 x i32> %v, %w
  br label %turn
turn:
  %k = phi i32 [ 0, %0 ], [ %more, %turn ]
  %m = phi <32 x i1> [ %some, %0 ], [ %rest, %turn ]
  %q = getelementptr i8, ptr %p, i32 %k
  %b = load <32 x i8>, ptr %q
  %same = icmp eq <32 x i8> %b, zeroinitializer
  %rest = and <32 x i1> %same, %m
  %more = add i32 %k, 1
  %again = icmp slt i32 %more, %n
  br i1 %again, label %turn, label %after
after:
  %x = select <32 x i1> %rest, <32 x i32> %v, <32 x i32> %w
  %y = zext <32 x i1> %rest to <32 x i32>
  %z = add <32 x i32> %x, %y
  ret <32 x i32> %z
}

; A mask that waited in memory, across a barrier, is a number there, of which each register's lanes look at their bits.
; KEPT-LABEL: define void @kept(
; KEPT: [[BITS:%.*]] = load i16, ptr %m
; KEPT: [[NUMBER:%.*]] = zext i16 [[BITS]] to i32
; KEPT: and <16 x i32> %{{.*}}, <i32 1, i32 2, i32 4,
; KEPT: icmp ne <8 x i32>
; KEPT: icmp ne <8 x i32>
; KEPT: call void @llvm.masked.store.v8f32
; KEPT: call void @llvm.masked.store.v8f32
define void @kept(<16 x float> %v, ptr %m, ptr %p) {
  %mask = load <16 x i1>, ptr %m
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v, ptr %p, i32 4, <16 x i1> %mask)
  ret void
}
