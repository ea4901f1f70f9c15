; RUN: %opt -kernel=joins -target=znver4 -passes=keep-blends %s | %check %s --check-prefix=JOINS
; RUN: %opt -kernel=others -target=znver4 -passes=keep-blends %s | %check %s --check-prefix=OTHERS
; RUN: %opt -kernel=unmasked -target=znver4 -passes=keep-blends %s | %check %s --check-prefix=UNMASKED
; RUN: %opt -kernel=stays -target=znver4 -passes=keep-blends %s | %check %s --check-prefix=STAYS
; RUN: %opt -kernel=joins -target=x86-64-v3 -passes=keep-blends %s | %check %s --check-prefix=NARROW

declare <8 x double> @llvm.fma.v8f64(<8 x double>, <8 x double>, <8 x double>)

; Velocities change, and positions by them: both sums go into the vector that was loaded, under hidden masks.
; JOINS-LABEL: define <8 x double> @joins(
; JOINS: [[H:%.*]] = call i8 asm "", "=r,0"(i8 17)
; JOINS-NEXT: [[POSITIONS:%.*]] = bitcast i8 [[H]] to <8 x i1>
; JOINS: [[H:%.*]] = call i8 asm "", "=r,0"(i8 34)
; JOINS-NEXT: [[VELOCITIES:%.*]] = bitcast i8 [[H]] to <8 x i1>
; JOINS: %made = fadd <8 x double> %old, %pull
; JOINS-NEXT: [[M:%.*]] = select <8 x i1> [[VELOCITIES]], <8 x double> %made, <8 x double> %old
; JOINS: %there = shufflevector <8 x double> [[M]],
; JOINS: %sum = call <8 x double> @llvm.fma.v8f64(<8 x double> %there, <8 x double> %step, <8 x double> [[M]])
; JOINS-NEXT: [[R:%.*]] = select <8 x i1> [[POSITIONS]], <8 x double> %sum, <8 x double> [[M]]
; JOINS: ret <8 x double> [[R]]

; Without masks the code generator does well.
; NARROW-LABEL: define <8 x double> @joins(
; NARROW-NOT: asm
; NARROW: ret
define <8 x double> @joins(<8 x double> %old, <8 x double> %pull, <8 x double> %step) {
  %made = fadd <8 x double> %old, %pull
  %blend = shufflevector <8 x double> %old, <8 x double> %made, <8 x i32> <i32 poison, i32 9, i32 2, i32 3, i32 poison, i32 13, i32 6, i32 7>
  %there = shufflevector <8 x double> %blend, <8 x double> poison, <8 x i32> <i32 1, i32 poison, i32 poison, i32 poison, i32 5, i32 poison, i32 poison, i32 poison>
  %sum = call <8 x double> @llvm.fma.v8f64(<8 x double> %there, <8 x double> %step, <8 x double> %old)
  %all = shufflevector <8 x double> %made, <8 x double> %sum, <8 x i32> <i32 8, i32 1, i32 poison, i32 poison, i32 12, i32 5, i32 poison, i32 poison>
  ret <8 x double> %all
}

; Another blend takes the new vector's lanes of the masked one, also such as the first did not care for.
; OTHERS-LABEL: define <8 x double> @others(
; OTHERS: call i8 asm "", "=r,0"(i8 50)
; OTHERS: [[M:%.*]] = select <8 x i1> {{%.*}}, <8 x double> %made, <8 x double> %old
; OTHERS: shufflevector <8 x double> [[M]], <8 x double> %there
define <8 x double> @others(<8 x double> %old, <8 x double> %pull) {
  %made = fmul <8 x double> %old, %pull
  %blend = shufflevector <8 x double> %old, <8 x double> %made, <8 x i32> <i32 poison, i32 9, i32 2, i32 3, i32 poison, i32 13, i32 6, i32 7>
  %there = shufflevector <8 x double> %blend, <8 x double> poison, <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
  %all = shufflevector <8 x double> %made, <8 x double> %there, <8 x i32> <i32 8, i32 1, i32 10, i32 11, i32 4, i32 5, i32 14, i32 15>
  ret <8 x double> %all
}

; Lanes of the new vector that the blend has of the old one are wanted too.
; UNMASKED-LABEL: define <8 x double> @unmasked(
; UNMASKED-NOT: asm
; UNMASKED: ret
define <8 x double> @unmasked(<8 x double> %old, <8 x double> %pull) {
  %made = fmul <8 x double> %old, %pull
  %blend = shufflevector <8 x double> %old, <8 x double> %made, <8 x i32> <i32 0, i32 9, i32 2, i32 3, i32 4, i32 13, i32 6, i32 7>
  %there = shufflevector <8 x double> %blend, <8 x double> poison, <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
  %all = shufflevector <8 x double> %made, <8 x double> %there, <8 x i32> <i32 0, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  ret <8 x double> %all
}

; A blend that nobody permutes.
; STAYS-LABEL: define <8 x double> @stays(
; STAYS-NOT: asm
; STAYS: ret
define <8 x double> @stays(<8 x double> %old, <8 x double> %pull) {
  %made = fadd <8 x double> %old, %pull
  %blend = shufflevector <8 x double> %old, <8 x double> %made, <8 x i32> <i32 0, i32 9, i32 2, i32 3, i32 4, i32 13, i32 6, i32 7>
  ret <8 x double> %blend
}
