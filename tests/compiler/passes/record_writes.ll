; RUN: %opt -passes=note-record-writes %s | %check %s
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @wait() memory(readwrite)

; r[i].a += r[i].b: the store of b will go, that of a belongs to a whole of 8 bytes. Another address of the same place
; is the same place.
; CHECK-LABEL: define void @copied(
; CHECK: store float %s, ptr %q, align 4, !lanza.record.write [[FIRST:![0-9]+]]
; CHECK: store float %b, ptr %q1, align 4, !lanza.record.write [[SECOND:![0-9]+]]
define void @copied(ptr %r, i32 %i) {
  %j = sext i32 %i to i64
  %p = getelementptr { float, float }, ptr %r, i64 %j
  %p1 = getelementptr i8, ptr %p, i64 4
  %a = load float, ptr %p
  %b = load float, ptr %p1
  %s = fadd float %a, %b
  %k = sext i32 %i to i64
  %q = getelementptr { float, float }, ptr %r, i64 %k
  store float %s, ptr %q
  %q1 = getelementptr i8, ptr %q, i64 4
  store float %b, ptr %q1
  ret void
}

; What nobody looks at is copied as memory.
; CHECK-LABEL: define void @tail(
; CHECK: store float %s, ptr %p, align 4, !lanza.record.write [[THIRD:![0-9]+]]
define void @tail(ptr %p) {
  %rest = alloca [12 x i8]
  %p4 = getelementptr i8, ptr %p, i64 4
  %a = load float, ptr %p
  call void @llvm.memcpy.p0.p0.i64(ptr %rest, ptr %p4, i64 12, i1 false)
  %s = fadd float %a, 1.0
  store float %s, ptr %p
  call void @llvm.memcpy.p0.p0.i64(ptr %p4, ptr %rest, i64 12, i1 false)
  ret void
}

; Members one by one; a gap between what is written.
; CHECK-LABEL: define void @apart(
; CHECK-NOT: lanza.record.write
; CHECK: ret void
define void @apart(ptr %p) {
  %p4 = getelementptr i8, ptr %p, i64 4
  %p8 = getelementptr i8, ptr %p, i64 8
  %a = load float, ptr %p
  %b = load float, ptr %p8
  %s = fadd float %a, 1.0
  store float %s, ptr %p
  store float %b, ptr %p8
  ret void
}

; The other one is written behind a point at which threads may meet, or on another way.
; CHECK-LABEL: define void @parted(
; CHECK-NOT: lanza.record.write
; CHECK: ret void
define void @parted(ptr %p, ptr %q, i1 %c) {
  %p4 = getelementptr i8, ptr %p, i64 4
  %q4 = getelementptr i8, ptr %q, i64 4
  %b = load float, ptr %p4
  %d = load float, ptr %q4
  store float 1.0, ptr %p
  call void @wait()
  store float %b, ptr %p4
  store float 1.0, ptr %q
  br i1 %c, label %some, label %end
some:
  store float %d, ptr %q4
  br label %end
end:
  ret void
}

; Nothing will go: all is new, or from elsewhere.
; CHECK-LABEL: define void @new(
; CHECK-NOT: lanza.record.write
; CHECK: ret void
define void @new(ptr %p, ptr %q) {
  %p4 = getelementptr i8, ptr %p, i64 4
  %q4 = getelementptr i8, ptr %q, i64 4
  %b = load float, ptr %q4
  store float 1.0, ptr %p
  store float %b, ptr %p4
  ret void
}

; CHECK-DAG: [[FIRST]] = !{i64 0, i64 8}
; CHECK-DAG: [[SECOND]] = !{i64 4, i64 8}
; CHECK-DAG: [[THIRD]] = !{i64 0, i64 16}
