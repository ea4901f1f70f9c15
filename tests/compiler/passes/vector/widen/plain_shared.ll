; RUN: %opt -kernel=tree -block=32 -passes=plain-shared %s | %check %s --check-prefix=TREE
declare ptr @__lanza_shared() memory(none)

; Shared memory is this code's alone, global memory is not.
; TREE-LABEL: define void @tree(
; TREE: load <32 x float>, ptr %above
; TREE: load <32 x float>, ptr %base
; TREE: store <32 x float> %sum, ptr %base
; TREE: store volatile <32 x float> %sum, ptr %out
; TREE: load volatile float, ptr %flag
define void @tree(ptr %out, ptr %flag) {
  %base = call ptr @__lanza_shared()
  %above = getelementptr i8, ptr %base, i64 64
  %a = load volatile <32 x float>, ptr %above
  %b = load volatile <32 x float>, ptr %base
  %sum = fadd <32 x float> %a, %b
  store volatile <32 x float> %sum, ptr %base
  store volatile <32 x float> %sum, ptr %out
  %f = load volatile float, ptr %flag
  ret void
}
