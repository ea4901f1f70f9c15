; RUN: %opt -kernel=copies -passes=independent-turns %s | %check %s --check-prefix=COPIES
; RUN: %opt -kernel=in_place -passes=independent-turns %s | %check %s --check-prefix=PLACE
; RUN: %opt -kernel=members -passes=independent-turns %s | %check %s --check-prefix=MEMBERS
; RUN: %opt -kernel=neighbours -passes=independent-turns %s | %check %s --check-prefix=NEIGHBOURS
; RUN: %opt -kernel=overlaps -passes=independent-turns %s | %check %s --check-prefix=OVERLAPS
; RUN: %opt -kernel=scatters -passes=independent-turns %s | %check %s --check-prefix=SCATTERS
; RUN: %opt -kernel=aliases -passes=independent-turns %s | %check %s --check-prefix=ALIASES
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; out[i] = in[k], of an array without aliases.
; COPIES: ; copies: independent
define void @copies(ptr noalias %out, ptr %in, i64 %i, i64 %k) {
  %from = getelementptr float, ptr %in, i64 %k
  %v = load float, ptr %from
  %to = getelementptr float, ptr %out, i64 %i
  store float %v, ptr %to
  ret void
}

; PLACE: ; in_place: independent
define void @in_place(ptr noalias %out, i64 %i) {
  %to = getelementptr float, ptr %out, i64 %i
  %v = load float, ptr %to
  store float %v, ptr %to
  ret void
}

; Both members of a thread's own record.
; MEMBERS: ; members: independent
define void @members(ptr noalias %out, ptr %in, i64 %i) {
  %v = load float, ptr %in
  %first = getelementptr [2 x float], ptr %out, i64 %i
  store float %v, ptr %first
  %second = getelementptr i8, ptr %first, i64 4
  store float %v, ptr %second
  ret void
}

; NEIGHBOURS: ; neighbours: in order
define void @neighbours(ptr noalias %out, i64 %i) {
  %to = getelementptr float, ptr %out, i64 %i
  %from = getelementptr i8, ptr %to, i64 4
  %v = load float, ptr %from
  store float %v, ptr %to
  ret void
}

; OVERLAPS: ; overlaps: in order
define void @overlaps(ptr noalias %out, ptr %in, i64 %i) {
  %v = load double, ptr %in
  %to = getelementptr float, ptr %out, i64 %i
  store double %v, ptr %to
  ret void
}

; SCATTERS: ; scatters: in order
define void @scatters(ptr noalias %out, ptr %in, i64 %i, i64 %k) {
  %from = getelementptr float, ptr %in, i64 %i
  %v = load float, ptr %from
  %to = getelementptr float, ptr %out, i64 %k
  store float %v, ptr %to
  ret void
}

; ALIASES: ; aliases: independent where arrays lie apart
define void @aliases(ptr %out, ptr %in, i64 %i) {
  %from = getelementptr float, ptr %in, i64 %i
  %v = load float, ptr %from
  %to = getelementptr float, ptr %out, i64 %i
  store float %v, ptr %to
  ret void
}
