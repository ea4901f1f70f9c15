; Parts of a vector that was stored are shuffled out of it.
; RUN: %opt -kernel=tree -passes='forward-parts,llvm(verify)' %s | %check %s --check-prefix=TREE
; RUN: %opt -kernel=others -passes='forward-parts,llvm(verify)' %s | %check %s --check-prefix=OTHERS
; RUN: %opt -kernel=between -passes='forward-parts,llvm(verify)' %s | %check %s --check-prefix=BETWEEN
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; The last steps of a tree, of a variable that is written elsewhere at places known at run time.
; TREE-LABEL: define void @tree(
; TREE: store <8 x float> %x, ptr %v
; TREE: [[LOW:%.*]] = shufflevector <8 x float> %x, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
; TREE: [[HIGH:%.*]] = shufflevector <8 x float> %x, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
; TREE: %sum = fadd <4 x float> [[LOW]], [[HIGH]]
; TREE: store <4 x float> %sum, ptr %v
; TREE: [[BITS:%.*]] = bitcast <4 x float> %sum to <4 x i32>
; TREE: {{.*}} = extractelement <4 x i32> [[BITS]], i64 3
; What the shorter store has left of the first one is loaded.
; TREE: %left = load <4 x float>, ptr %second
define void @tree(<8 x float> %x, i64 %i, ptr %p) {
  %v = alloca [16 x float]
  %somewhere = getelementptr float, ptr %v, i64 %i
  store float 1.0, ptr %somewhere
  store <8 x float> %x, ptr %v
  %low = load <4 x float>, ptr %v
  %second = getelementptr i8, ptr %v, i64 16
  %high = load <4 x float>, ptr %second
  %sum = fadd <4 x float> %low, %high
  store <4 x float> %sum, ptr %v
  %fourth = getelementptr i8, ptr %v, i64 12
  %one = load i32, ptr %fourth
  store i32 %one, ptr %p
  %left = load <4 x float>, ptr %second
  store <4 x float> %left, ptr %p
  ret void
}

; Across its end, or elements of another size.
; OTHERS-LABEL: define void @others(
; OTHERS: %across = load <4 x float>, ptr %place
; OTHERS: %wide = load i64, ptr %v
define void @others(<8 x float> %x, ptr %p) {
  %v = alloca [16 x float]
  store <8 x float> %x, ptr %v
  %place = getelementptr i8, ptr %v, i64 20
  %across = load <4 x float>, ptr %place
  store <4 x float> %across, ptr %p
  %wide = load i64, ptr %v
  store i64 %wide, ptr %p
  ret void
}

; What may have been written since: at a place known at run time, by a call; not to another variable.
; BETWEEN-LABEL: define void @between(
; BETWEEN: {{.*}} = extractelement <8 x float> %x, i64 0
; BETWEEN: %second = load float, ptr %v
; BETWEEN: %third = load float, ptr %v
define void @between(<8 x float> %x, i64 %i, ptr %p) {
  %v = alloca [16 x float]
  %w = alloca [16 x float]
  store <8 x float> %x, ptr %v
  %other = getelementptr float, ptr %w, i64 %i
  store float 1.0, ptr %other
  %first = load float, ptr %v
  store float %first, ptr %other
  %somewhere = getelementptr float, ptr %v, i64 %i
  store float 2.0, ptr %somewhere
  %second = load float, ptr %v
  store float %second, ptr %other
  store <8 x float> %x, ptr %v
  call void @take(ptr %v)
  %third = load float, ptr %v
  store float %third, ptr %other
  ret void
}

declare void @take(ptr)
