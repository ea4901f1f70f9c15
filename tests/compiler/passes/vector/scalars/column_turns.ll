; RUN: %opt -kernel=index -block=128 -lanes=16 -passes=column-turns %s | %check %s --check-prefix=INDEX
; RUN: %opt -kernel=pointer -block=128 -lanes=16 -passes=column-turns %s | %check %s --check-prefix=POINTER
; RUN: %opt -kernel=below -block=128 -lanes=16 -passes=column-turns %s | %check %s --check-prefix=BELOW
; RUN: %opt -kernel=anywhere -block=128 -lanes=16 -passes=column-turns %s | %check %s --check-prefix=SAME
; RUN: %opt -kernel=other_end -block=128 -lanes=16 -passes=column-turns %s | %check %s --check-prefix=SAME
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; INDEX-LABEL: @index(
; INDEX: guard:
; INDEX: [[ENTERS:%.*]] = icmp slt i32 0, %h
; INDEX: br i1 [[ENTERS]], label %before, label %end
; INDEX: body:
; INDEX: [[TURN:%.*]] = phi i32 [ 0, %before ], [ [[NEXT:%.*]], %body ]
; INDEX: %i = phi i32
; INDEX: [[NEXT]] = add nuw nsw i32 [[TURN]], 1
; INDEX: [[MORE:%.*]] = icmp slt i32 [[NEXT]], %h
; INDEX: br i1 [[MORE]], label %body, label %done
define void @index(i32 %w, i32 %h, ptr %a) {
entry:
  %x = call range(i32 0, 128) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %x, %w
  br i1 %in, label %guard, label %end
guard:
  %all = mul nsw i32 %w, %h
  %enters = icmp slt i32 %x, %all
  br i1 %enters, label %before, label %end
before:
  br label %body
body:
  %i = phi i32 [ %x, %before ], [ %next, %body ]
  %p = getelementptr float, ptr %a, i32 %i
  store float 1.0, ptr %p
  %next = add nsw i32 %i, %w
  %more = icmp slt i32 %next, %all
  br i1 %more, label %body, label %done
done:
  br label %end
end:
  ret void
}

; Guards often ask about the index from which the pointer is made.
; POINTER-LABEL: @pointer(
; POINTER: icmp slt i32 0, %h
; POINTER: [[MORE:%.*]] = icmp slt i32 {{%.*}}, %h
; POINTER: br i1 [[MORE]], label %body, label %done
define void @pointer(i32 %w, i32 %h, ptr %a) {
entry:
  %x = call range(i32 0, 128) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %out = icmp sge i32 %x, %w
  br i1 %out, label %end, label %guard
guard:
  %all = mul nsw i32 %w, %h
  %all.wide = sext i32 %all to i64
  %last = getelementptr inbounds float, ptr %a, i64 %all.wide
  %enters = icmp slt i32 %x, %all
  br i1 %enters, label %before, label %end
before:
  %x.wide = zext nneg i32 %x to i64
  %first = getelementptr inbounds float, ptr %a, i64 %x.wide
  %step = sext i32 %w to i64
  br label %body
body:
  %p = phi ptr [ %first, %before ], [ %next, %body ]
  store float 1.0, ptr %p
  %next = getelementptr inbounds float, ptr %p, i64 %step
  %more = icmp ult ptr %next, %last
  br i1 %more, label %body, label %done
done:
  br label %end
end:
  ret void
}

; From the second row, in which turn 1 begins.
; BELOW-LABEL: @below(
; BELOW: icmp slt i32 1, %h
; BELOW: phi i32 [ 1, %before ]
; BELOW: icmp slt i32 {{%.*}}, %h
define void @below(i32 %w, i32 %h, ptr %a) {
entry:
  %x = call range(i32 0, 128) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %x, %w
  br i1 %in, label %guard, label %end
guard:
  %all = mul nsw i32 %w, %h
  %second = add nsw i32 %x, %w
  %enters = icmp slt i32 %second, %all
  br i1 %enters, label %before, label %end
before:
  br label %body
body:
  %i = phi i32 [ %second, %before ], [ %next, %body ]
  %p = getelementptr float, ptr %a, i32 %i
  store float 1.0, ptr %p
  %next = add nsw i32 %i, %w
  %more = icmp slt i32 %next, %all
  br i1 %more, label %body, label %done
done:
  br label %end
end:
  ret void
}

; An x beyond the row has fewer turns, and an end within a row parts the row's threads.
; SAME-NOT: %turn
define void @anywhere(i32 %w, i32 %h, ptr %a) {
entry:
  %x = call range(i32 0, 128) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %all = mul nsw i32 %w, %h
  %enters = icmp slt i32 %x, %all
  br i1 %enters, label %before, label %end
before:
  br label %body
body:
  %i = phi i32 [ %x, %before ], [ %next, %body ]
  %p = getelementptr float, ptr %a, i32 %i
  store float 1.0, ptr %p
  %next = add nsw i32 %i, %w
  %more = icmp slt i32 %next, %all
  br i1 %more, label %body, label %done
done:
  br label %end
end:
  ret void
}
define void @other_end(i32 %w, i32 %all, ptr %a) {
entry:
  %x = call range(i32 0, 128) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %x, %w
  br i1 %in, label %guard, label %end
guard:
  %enters = icmp slt i32 %x, %all
  br i1 %enters, label %before, label %end
before:
  br label %body
body:
  %i = phi i32 [ %x, %before ], [ %next, %body ]
  %p = getelementptr float, ptr %a, i32 %i
  store float 1.0, ptr %p
  %next = add nsw i32 %i, %w
  %more = icmp slt i32 %next, %all
  br i1 %more, label %body, label %done
done:
  br label %end
end:
  ret void
}
