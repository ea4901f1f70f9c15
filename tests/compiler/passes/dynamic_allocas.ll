; Stack memory of a size known at run time only is malloc'ed; what is given back, and all at a return, is freed.
; RUN: %opt -passes=dynamic-allocas %s | %check %s

define i32 @taken_in_a_loop(i64 %size, ptr %to) {
; CHECK-LABEL: @taken_in_a_loop
; CHECK: %[[NEWEST:.*]] = alloca ptr
; CHECK: store ptr null, ptr %[[NEWEST]]
; CHECK: %fixed = alloca i32
; CHECK: loop:
; CHECK: %[[LAST:.*]] = load ptr, ptr %[[NEWEST]]
; CHECK: %[[WHOLE:.*]] = add i64 %{{.*}}, 16
; CHECK: %[[BLOCK:.*]] = call ptr @malloc(i64 %[[WHOLE]])
; CHECK: %[[BEFORE:.*]] = load ptr, ptr %[[NEWEST]]
; CHECK: store ptr %[[BEFORE]], ptr %[[BLOCK]]
; CHECK: store ptr %[[BLOCK]], ptr %[[NEWEST]]
; CHECK: %[[PLACE:.*]] = getelementptr i8, ptr %[[BLOCK]], i64 16
; CHECK: store ptr %[[PLACE]], ptr %to
; CHECK: %[[TOP:.*]] = load ptr, ptr %[[NEWEST]]
; CHECK: icmp eq ptr %[[TOP]], %[[LAST]]
; CHECK: call void @free(ptr %[[TOP]])
; CHECK: icmp eq ptr %{{.*}}, null
; CHECK: call void @free(
; CHECK: ret i32 7
entry:
  %fixed = alloca i32
  br label %loop
loop:
  %last = call ptr @llvm.stacksave.p0()
  %memory = alloca i8, i64 %size, align 8
  store ptr %memory, ptr %to
  call void @llvm.stackrestore.p0(ptr %last)
  %again = icmp ult i64 %size, 9
  br i1 %again, label %loop, label %end
end:
  ret i32 7
}

define void @aligned(i64 %size, ptr %to) {
; CHECK-LABEL: @aligned
; CHECK: %[[WHOLE:.*]] = add i64 %{{.*}}, 64
; CHECK: %[[BLOCK:.*]] = call ptr @malloc(i64 %[[WHOLE]])
; CHECK: %[[BEYOND:.*]] = getelementptr i8, ptr %[[BLOCK]], i64 64
; CHECK: call ptr @llvm.ptrmask.p0.i64(ptr %[[BEYOND]], i64 -64)
  %memory = alloca i8, i64 %size, align 64
  store ptr %memory, ptr %to
  ret void
}

; At the entry and of a constant size: it stays.
define void @fixed(ptr %to) {
; CHECK-LABEL: @fixed
; CHECK: alloca [4 x i32]
; CHECK-NOT: malloc
; CHECK: ret void
  %memory = alloca [4 x i32]
  store ptr %memory, ptr %to
  ret void
}
