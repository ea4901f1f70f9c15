; How many lanes kernels of bytes and shorts run with.
; RUN: %opt -target=x86-64-v4 -lanes=16 -block=256 -kernel=bytes -passes=fill-registers %s | %check %s --check-prefix=BYTES
; RUN: %opt -target=x86-64-v4 -lanes=16 -block=256 -kernel=shorts -passes=fill-registers %s | %check %s --check-prefix=SHORTS
; RUN: %opt -target=x86-64-v4 -lanes=16 -block=48 -kernel=shorts -passes=fill-registers %s | %check %s --check-prefix=PART
; RUN: %opt -target=x86-64-v4 -lanes=16 -block=256 -kernel=words -passes=fill-registers %s | %check %s --check-prefix=WORDS
; RUN: %opt -target=x86-64-v4 -lanes=16 -block=256 -kernel=far -passes=fill-registers %s | %check %s --check-prefix=FAR
; RUN: %opt -target=x86-64-v4 -lanes=16 -block=256 -kernel=much_of_far -passes=fill-registers %s | %check %s --check-prefix=MUCH
; RUN: %opt -target=x86-64-v4 -lanes=16 -block=256 -kernel=ends -passes=fill-registers %s | %check %s --check-prefix=ENDS

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; BYTES: bytes: 64 lanes
define void @bytes(ptr %in, ptr %out) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr inbounds i8, ptr %in, i64 %i
  %v = load i8, ptr %from
  %w = mul i8 %v, 3
  %to = getelementptr inbounds i8, ptr %out, i64 %i
  store i8 %w, ptr %to
  ret void
}

; SHORTS: shorts: 32 lanes
; A block that they do not fill.
; PART: shorts: 16 lanes
define void @shorts(ptr %in, ptr %out) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr inbounds i16, ptr %in, i64 %i
  %v = load i16, ptr %from
  %w = mul i16 %v, 3
  %to = getelementptr inbounds i16, ptr %out, i64 %i
  store i16 %w, ptr %to
  ret void
}

; WORDS: words: 16 lanes
define void @words(ptr %in, ptr %out) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr inbounds i8, ptr %in, i64 %i
  %v = load i8, ptr %from
  %w = zext i8 %v to i32
  %x = mul i32 %w, 100003
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %x, ptr %to
  ret void
}

; A word is stored once, each lane loads a byte of a row of its own once a turn: little beside a turn's other work.
; FAR: far: 32 lanes
define void @far(ptr %in, ptr %out, i32 %n) {
entry:
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul nuw nsw i32 %t, 100
  br label %turn
turn:
  %k = phi i32 [ 0, %entry ], [ %more, %turn ]
  %a0 = phi i16 [ 1, %entry ], [ %a16, %turn ]
  %b0 = phi i16 [ 2, %entry ], [ %b16, %turn ]
  %at = add nuw nsw i32 %row, %k
  %i = zext nneg i32 %at to i64
  %from = getelementptr inbounds i8, ptr %in, i64 %i
  %v = load i8, ptr %from
  %w = zext i8 %v to i16
  %a1 = add i16 %a0, %w
  %b1 = xor i16 %b0, %a1
  %a2 = add i16 %a1, %b1
  %b2 = xor i16 %b1, %a2
  %a3 = add i16 %a2, %b2
  %b3 = xor i16 %b2, %a3
  %a4 = add i16 %a3, %b3
  %b4 = xor i16 %b3, %a4
  %a5 = add i16 %a4, %b4
  %b5 = xor i16 %b4, %a5
  %a6 = add i16 %a5, %b5
  %b6 = xor i16 %b5, %a6
  %a7 = add i16 %a6, %b6
  %b7 = xor i16 %b6, %a7
  %a8 = add i16 %a7, %b7
  %b8 = xor i16 %b7, %a8
  %a9 = add i16 %a8, %b8
  %b9 = xor i16 %b8, %a9
  %a10 = add i16 %a9, %b9
  %b10 = xor i16 %b9, %a10
  %a11 = add i16 %a10, %b10
  %b11 = xor i16 %b10, %a11
  %a12 = add i16 %a11, %b11
  %b12 = xor i16 %b11, %a12
  %a13 = add i16 %a12, %b12
  %b13 = xor i16 %b12, %a13
  %a14 = add i16 %a13, %b13
  %b14 = xor i16 %b13, %a14
  %a15 = add i16 %a14, %b14
  %b15 = xor i16 %b14, %a15
  %a16 = add i16 %a15, %b15
  %b16 = xor i16 %b15, %a16
  %more = add nuw nsw i32 %k, 1
  %again = icmp slt i32 %more, %n
  br i1 %again, label %turn, label %done
done:
  %o = zext nneg i32 %t to i64
  %x = zext i16 %b16 to i32
  %to = getelementptr inbounds i32, ptr %out, i64 %o
  store i32 %x, ptr %to
  ret void
}

; MUCH: much_of_far: 16 lanes
define void @much_of_far(ptr %in, ptr %out, i32 %n) {
entry:
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul nuw nsw i32 %t, 100
  br label %turn
turn:
  %k = phi i32 [ 0, %entry ], [ %more, %turn ]
  %sum = phi i16 [ 1, %entry ], [ %next, %turn ]
  %at = add nuw nsw i32 %row, %k
  %i = zext nneg i32 %at to i64
  %from = getelementptr inbounds i8, ptr %in, i64 %i
  %v = load i8, ptr %from
  %w = zext i8 %v to i16
  %next = add i16 %sum, %w
  %more = add nuw nsw i32 %k, 1
  %again = icmp slt i32 %more, %n
  br i1 %again, label %turn, label %done
done:
  %o = zext nneg i32 %t to i64
  %to = getelementptr inbounds i16, ptr %out, i64 %o
  store i16 %next, ptr %to
  ret void
}

; What one thread of a row does besides is the same work with any number of lanes.
; ENDS: ends: 64 lanes
define void @ends(ptr %in, ptr %out, i64 %last) {
  %t = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr inbounds i8, ptr %in, i64 %i
  %v = load i8, ptr %from
  %to = getelementptr inbounds i8, ptr %out, i64 %i
  store i8 %v, ptr %to
  %is_end = icmp eq i32 %t, 255
  br i1 %is_end, label %then, label %end
then:
  %beyond = mul i64 %i, %last
  %p = getelementptr inbounds i8, ptr %in, i64 %beyond
  %w = load i8, ptr %p
  store i8 %w, ptr %out
  br label %end
end:
  ret void
}
