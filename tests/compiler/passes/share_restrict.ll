; RUN: %opt -passes=share-restrict %s | %check %s

declare i64 @__lanza_sync(i32, i32, i32, i64, i32)

; What is read and written is not the thread's alone, also where another function does one of them.
; CHECK-LABEL: define void @kernel(ptr %both, ptr noalias %in, ptr noalias %out, ptr %handed)
define void @kernel(ptr noalias %both, ptr noalias %in, ptr noalias %out, ptr noalias %handed) {
  %kept = alloca ptr
  store ptr %both, ptr %kept
  %p = load ptr, ptr %kept
  %at = getelementptr i32, ptr %p, i64 1
  %x = load i32, ptr %at
  %y = load i32, ptr %in
  %z = load i32, ptr %handed
  %w = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  %again = load ptr, ptr %kept
  store i32 %y, ptr %again
  store i32 %x, ptr %out
  call void @writes(ptr %handed, i32 %z)
  ret void
}

; CHECK-LABEL: define void @writes(ptr noalias %p, i32 %x)
define void @writes(ptr noalias %p, i32 %x) {
  store i32 %x, ptr %p
  ret void
}

; A lambda that has the variable by reference may read and write by it.
; CHECK-LABEL: define void @captures(ptr %caught, ptr noalias %out)
define void @captures(ptr noalias %caught, ptr noalias %out) {
  %kept = alloca ptr
  %closure = alloca { ptr }
  store ptr %caught, ptr %kept
  store ptr %kept, ptr %closure
  call void @lambda(ptr %closure)
  store i32 0, ptr %out
  ret void
}

define void @lambda(ptr %closure) {
  %kept = load ptr, ptr %closure
  %p = load ptr, ptr %kept
  %x = load i32, ptr %p
  %w = call i64 @__lanza_sync(i32 1, i32 0, i32 0, i64 0, i32 0)
  store i32 %x, ptr %p
  ret void
}
