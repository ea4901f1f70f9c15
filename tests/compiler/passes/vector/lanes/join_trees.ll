; RUN: %opt -kernel=sums -target=x86-64-v3 -passes=join-trees %s | %check %s --check-prefix=SUMS
; RUN: %opt -kernel=maxima -target=x86-64-v3 -passes=join-trees %s | %check %s --check-prefix=MAXIMA
; RUN: %opt -kernel=three -target=x86-64-v3 -passes=join-trees %s | %check %s --check-prefix=THREE
; RUN: %opt -kernel=stored -target=x86-64-v3 -passes=join-trees %s | %check %s --check-prefix=STORED
; RUN: %opt -kernel=all_lanes -target=x86-64-v3 -passes=join-trees %s | %check %s --check-prefix=LANES
; RUN: %opt -kernel=one_from_other -target=x86-64-v3 -passes=join-trees %s | %check %s --check-prefix=OTHER
; RUN: %opt -kernel=unlike -target=x86-64-v3 -passes=join-trees %s | %check %s --check-prefix=UNLIKE
target triple = "x86_64-pc-linux-gnu"

; Four sums, of which a vector is made on the way: halves of two side by side, then quarters of four, then what is left
; within a register; the vector is one shuffle.
; SUMS-LABEL: define void @sums(
; SUMS: [[A:%.*]] = load <8 x float>
; SUMS: [[B:%.*]] = load <8 x float>
; SUMS: [[L:%.*]] = shufflevector <8 x float> [[A]], <8 x float> [[B]], <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
; SUMS: [[H:%.*]] = shufflevector <8 x float> [[A]], <8 x float> [[B]], <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
; SUMS: [[AB:%.*]] = fadd <8 x float> [[L]], [[H]]
; SUMS: [[CD:%.*]] = fadd <8 x float>
; SUMS: [[L4:%.*]] = shufflevector <8 x float> [[AB]], <8 x float> [[CD]], <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
; SUMS: [[H4:%.*]] = shufflevector <8 x float> [[AB]], <8 x float> [[CD]], <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
; SUMS: [[ALL:%.*]] = fadd <8 x float> [[L4]], [[H4]]
; SUMS: [[H1:%.*]] = shufflevector <8 x float> [[ALL]], <8 x float> poison, <8 x i32> <i32 1, i32 poison, i32 3, i32 poison, i32 5, i32 poison, i32 7, i32 poison>
; SUMS: [[S:%.*]] = fadd <8 x float> [[ALL]], [[H1]]
; SUMS-NOT: fadd
; SUMS: [[R:%.*]] = shufflevector <8 x float> [[S]], <8 x float> poison, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
; SUMS: store <4 x float> [[R]], ptr %out
define void @sums(ptr %x, ptr %out) {
  %ata = getelementptr <8 x float>, ptr %x, i64 0
  %a = load <8 x float>, ptr %ata
  %rau4 = shufflevector <8 x float> %a, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %ral4 = shufflevector <8 x float> %a, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %ras4 = fadd <4 x float> %ral4, %rau4
  %rau2 = shufflevector <4 x float> %ras4, <4 x float> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 1>
  %ras2 = fadd <4 x float> %ras4, %rau2
  %rau1 = shufflevector <4 x float> %ras2, <4 x float> poison, <4 x i32> <i32 1, i32 poison, i32 poison, i32 poison>
  %ra = fadd <4 x float> %ras2, %rau1
  %atb = getelementptr <8 x float>, ptr %x, i64 1
  %b = load <8 x float>, ptr %atb
  %rbu4 = shufflevector <8 x float> %b, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %rbl4 = shufflevector <8 x float> %b, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %rbs4 = fadd <4 x float> %rbl4, %rbu4
  %rbu2 = shufflevector <4 x float> %rbs4, <4 x float> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 1>
  %rbs2 = fadd <4 x float> %rbs4, %rbu2
  %rbu1 = shufflevector <4 x float> %rbs2, <4 x float> poison, <4 x i32> <i32 1, i32 poison, i32 poison, i32 poison>
  %rb = fadd <4 x float> %rbs2, %rbu1
  %ab = shufflevector <4 x float> %ra, <4 x float> %rb, <4 x i32> <i32 0, i32 4, i32 poison, i32 poison>
  %atc = getelementptr <8 x float>, ptr %x, i64 2
  %c = load <8 x float>, ptr %atc
  %rcu4 = shufflevector <8 x float> %c, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %rcl4 = shufflevector <8 x float> %c, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %rcs4 = fadd <4 x float> %rcl4, %rcu4
  %rcu2 = shufflevector <4 x float> %rcs4, <4 x float> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 1>
  %rcs2 = fadd <4 x float> %rcs4, %rcu2
  %rcu1 = shufflevector <4 x float> %rcs2, <4 x float> poison, <4 x i32> <i32 1, i32 poison, i32 poison, i32 poison>
  %rc = fadd <4 x float> %rcs2, %rcu1
  %abc = shufflevector <4 x float> %ab, <4 x float> %rc, <4 x i32> <i32 0, i32 1, i32 4, i32 poison>
  %atd = getelementptr <8 x float>, ptr %x, i64 3
  %d = load <8 x float>, ptr %atd
  %rdu4 = shufflevector <8 x float> %d, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %rdl4 = shufflevector <8 x float> %d, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %rds4 = fadd <4 x float> %rdl4, %rdu4
  %rdu2 = shufflevector <4 x float> %rds4, <4 x float> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 1>
  %rds2 = fadd <4 x float> %rds4, %rdu2
  %rdu1 = shufflevector <4 x float> %rds2, <4 x float> poison, <4 x i32> <i32 1, i32 poison, i32 poison, i32 poison>
  %rd = fadd <4 x float> %rds2, %rdu1
  %abcd = shufflevector <4 x float> %abc, <4 x float> %rd, <4 x i32> <i32 0, i32 1, i32 2, i32 4>
  store <4 x float> %abcd, ptr %out
  ret void
}

; A step of several operations, casts among them; the last steps are others.
; MAXIMA-LABEL: define void @maxima(
; MAXIMA: [[L:%.*]] = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
; MAXIMA: [[H:%.*]] = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
; MAXIMA-DAG: [[M:%.*]] = call <8 x float> @llvm.maxnum.v8f32(<8 x float> [[L]], <8 x float> [[H]])
; MAXIMA-DAG: [[E:%.*]] = fcmp oeq <8 x float> [[L]], [[H]]
; MAXIMA-DAG: [[LB:%.*]] = bitcast <8 x float> [[L]] to <8 x i32>
; MAXIMA-DAG: [[HB:%.*]] = bitcast <8 x float> [[H]] to <8 x i32>
; MAXIMA-DAG: [[A:%.*]] = and <8 x i32> [[LB]], [[HB]]
; MAXIMA-DAG: [[Z:%.*]] = bitcast <8 x i32> [[A]] to <8 x float>
; MAXIMA: select <8 x i1> [[E]], <8 x float> [[Z]], <8 x float> [[M]]
; MAXIMA: fadd <8 x float>
; MAXIMA: fadd <8 x float>
; MAXIMA-NOT: llvm.maxnum.v4f32
; MAXIMA: ret void
define void @maxima(ptr %x, ptr %out) {
  %ata = getelementptr <8 x float>, ptr %x, i64 0
  %a = load <8 x float>, ptr %ata
  %rab = bitcast <8 x float> %a to <8 x i32>
  %raub = shufflevector <8 x i32> %rab, <8 x i32> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %rau = bitcast <4 x i32> %raub to <4 x float>
  %ral = shufflevector <8 x float> %a, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %ram = call <4 x float> @llvm.maxnum.v4f32(<4 x float> %ral, <4 x float> %rau)
  %ralb = shufflevector <8 x i32> %rab, <8 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %rae = fcmp oeq <4 x float> %ral, %rau
  %raa = and <4 x i32> %ralb, %raub
  %raz = bitcast <4 x i32> %raa to <4 x float>
  %ra4 = select <4 x i1> %rae, <4 x float> %raz, <4 x float> %ram
  %rau2 = shufflevector <4 x float> %ra4, <4 x float> poison, <4 x i32> <i32 2, i32 3, i32 poison, i32 poison>
  %ra2 = fadd <4 x float> %ra4, %rau2
  %rau1 = shufflevector <4 x float> %ra2, <4 x float> poison, <4 x i32> <i32 1, i32 poison, i32 poison, i32 poison>
  %ra = fadd <4 x float> %ra2, %rau1
  %atb = getelementptr <8 x float>, ptr %x, i64 1
  %b = load <8 x float>, ptr %atb
  %rbb = bitcast <8 x float> %b to <8 x i32>
  %rbub = shufflevector <8 x i32> %rbb, <8 x i32> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %rbu = bitcast <4 x i32> %rbub to <4 x float>
  %rbl = shufflevector <8 x float> %b, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %rbm = call <4 x float> @llvm.maxnum.v4f32(<4 x float> %rbl, <4 x float> %rbu)
  %rblb = shufflevector <8 x i32> %rbb, <8 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %rbe = fcmp oeq <4 x float> %rbl, %rbu
  %rba = and <4 x i32> %rblb, %rbub
  %rbz = bitcast <4 x i32> %rba to <4 x float>
  %rb4 = select <4 x i1> %rbe, <4 x float> %rbz, <4 x float> %rbm
  %rbu2 = shufflevector <4 x float> %rb4, <4 x float> poison, <4 x i32> <i32 2, i32 3, i32 poison, i32 poison>
  %rb2 = fadd <4 x float> %rb4, %rbu2
  %rbu1 = shufflevector <4 x float> %rb2, <4 x float> poison, <4 x i32> <i32 1, i32 poison, i32 poison, i32 poison>
  %rb = fadd <4 x float> %rb2, %rbu1
  %one = extractelement <4 x float> %ra, i64 0
  store float %one, ptr %out
  %behind = getelementptr float, ptr %out, i64 1
  %other = extractelement <4 x float> %rb, i64 0
  store float %other, ptr %behind
  ret void
}

; Two of three.
; THREE-LABEL: define void @three(
; THREE-COUNT-3: fadd <8 x float>
; THREE-COUNT-3: fadd <4 x float>
; THREE-NOT: fadd
; THREE: ret void
define void @three(ptr %x, ptr %out) {
  %ata = getelementptr <8 x float>, ptr %x, i64 0
  %a = load <8 x float>, ptr %ata
  %atb = getelementptr <8 x float>, ptr %x, i64 1
  %b = load <8 x float>, ptr %atb
  %atc = getelementptr <8 x float>, ptr %x, i64 2
  %c = load <8 x float>, ptr %atc
  %rau4 = shufflevector <8 x float> %a, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %ral4 = shufflevector <8 x float> %a, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %ras4 = fadd <4 x float> %ral4, %rau4
  %rau2 = shufflevector <4 x float> %ras4, <4 x float> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 1>
  %ras2 = fadd <4 x float> %ras4, %rau2
  %rau1 = shufflevector <4 x float> %ras2, <4 x float> poison, <4 x i32> <i32 1, i32 poison, i32 poison, i32 poison>
  %ra = fadd <4 x float> %ras2, %rau1
  %rbu4 = shufflevector <8 x float> %b, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %rbl4 = shufflevector <8 x float> %b, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %rbs4 = fadd <4 x float> %rbl4, %rbu4
  %rbu2 = shufflevector <4 x float> %rbs4, <4 x float> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 1>
  %rbs2 = fadd <4 x float> %rbs4, %rbu2
  %rbu1 = shufflevector <4 x float> %rbs2, <4 x float> poison, <4 x i32> <i32 1, i32 poison, i32 poison, i32 poison>
  %rb = fadd <4 x float> %rbs2, %rbu1
  %rcu4 = shufflevector <8 x float> %c, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %rcl4 = shufflevector <8 x float> %c, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %rcs4 = fadd <4 x float> %rcl4, %rcu4
  %rcu2 = shufflevector <4 x float> %rcs4, <4 x float> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 1>
  %rcs2 = fadd <4 x float> %rcs4, %rcu2
  %rcu1 = shufflevector <4 x float> %rcs2, <4 x float> poison, <4 x i32> <i32 1, i32 poison, i32 poison, i32 poison>
  %rc = fadd <4 x float> %rcs2, %rcu1
  %ab = shufflevector <4 x float> %ra, <4 x float> %rb, <4 x i32> <i32 0, i32 4, i32 poison, i32 poison>
  %abc = shufflevector <4 x float> %ab, <4 x float> %rc, <4 x i32> <i32 0, i32 1, i32 4, i32 poison>
  store <4 x float> %abc, ptr %out
  ret void
}

; A number is stored before the other vector is there, which may be what was stored.
; STORED-LABEL: define void @stored(
; STORED-NOT: fadd <8 x float>
; STORED: ret void
define void @stored(ptr %x, ptr %out) {
  %ata = getelementptr <8 x float>, ptr %x, i64 0
  %a = load <8 x float>, ptr %ata
  %rau4 = shufflevector <8 x float> %a, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %ral4 = shufflevector <8 x float> %a, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %ras4 = fadd <4 x float> %ral4, %rau4
  %rau2 = shufflevector <4 x float> %ras4, <4 x float> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 1>
  %ras2 = fadd <4 x float> %ras4, %rau2
  %rau1 = shufflevector <4 x float> %ras2, <4 x float> poison, <4 x i32> <i32 1, i32 poison, i32 poison, i32 poison>
  %ra = fadd <4 x float> %ras2, %rau1
  %one = extractelement <4 x float> %ra, i64 0
  store float %one, ptr %out
  %atb = getelementptr <8 x float>, ptr %x, i64 1
  %b = load <8 x float>, ptr %atb
  %rbu4 = shufflevector <8 x float> %b, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %rbl4 = shufflevector <8 x float> %b, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %rbs4 = fadd <4 x float> %rbl4, %rbu4
  %rbu2 = shufflevector <4 x float> %rbs4, <4 x float> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 1>
  %rbs2 = fadd <4 x float> %rbs4, %rbu2
  %rbu1 = shufflevector <4 x float> %rbs2, <4 x float> poison, <4 x i32> <i32 1, i32 poison, i32 poison, i32 poison>
  %rb = fadd <4 x float> %rbs2, %rbu1
  %other = extractelement <4 x float> %rb, i64 0
  store float %other, ptr %out
  ret void
}

; Somebody looks at lanes beside the first.
; LANES-LABEL: define void @all_lanes(
; LANES-NOT: fadd <8 x float>
; LANES: ret void
define void @all_lanes(ptr %x, ptr %out) {
  %ata = getelementptr <8 x float>, ptr %x, i64 0
  %a = load <8 x float>, ptr %ata
  %rau4 = shufflevector <8 x float> %a, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %ral4 = shufflevector <8 x float> %a, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %ras4 = fadd <4 x float> %ral4, %rau4
  %rau2 = shufflevector <4 x float> %ras4, <4 x float> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 1>
  %ras2 = fadd <4 x float> %ras4, %rau2
  %rau1 = shufflevector <4 x float> %ras2, <4 x float> poison, <4 x i32> <i32 1, i32 poison, i32 poison, i32 poison>
  %ra = fadd <4 x float> %ras2, %rau1
  %atb = getelementptr <8 x float>, ptr %x, i64 1
  %b = load <8 x float>, ptr %atb
  %rbu4 = shufflevector <8 x float> %b, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %rbl4 = shufflevector <8 x float> %b, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %rbs4 = fadd <4 x float> %rbl4, %rbu4
  %rbu2 = shufflevector <4 x float> %rbs4, <4 x float> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 1>
  %rbs2 = fadd <4 x float> %rbs4, %rbu2
  %rbu1 = shufflevector <4 x float> %rbs2, <4 x float> poison, <4 x i32> <i32 1, i32 poison, i32 poison, i32 poison>
  %rb = fadd <4 x float> %rbs2, %rbu1
  store <4 x float> %ra, ptr %out
  store <4 x float> %rb, ptr %x
  ret void
}

; What is folded second is made of the first number.
; OTHER-LABEL: define void @one_from_other(
; OTHER-COUNT-1: fadd <8 x float>
; OTHER-NOT: fadd <8 x float>
; OTHER: ret void
define void @one_from_other(ptr %x, ptr %out) {
  %ata = getelementptr <8 x float>, ptr %x, i64 0
  %a = load <8 x float>, ptr %ata
  %rau4 = shufflevector <8 x float> %a, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %ral4 = shufflevector <8 x float> %a, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %ras4 = fadd <4 x float> %ral4, %rau4
  %rau2 = shufflevector <4 x float> %ras4, <4 x float> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 1>
  %ras2 = fadd <4 x float> %ras4, %rau2
  %rau1 = shufflevector <4 x float> %ras2, <4 x float> poison, <4 x i32> <i32 1, i32 poison, i32 poison, i32 poison>
  %ra = fadd <4 x float> %ras2, %rau1
  %atc = getelementptr <8 x float>, ptr %x, i64 1
  %c = load <8 x float>, ptr %atc
  %all = shufflevector <4 x float> %ra, <4 x float> poison, <8 x i32> zeroinitializer
  %b = fadd <8 x float> %all, %c
  %rbu4 = shufflevector <8 x float> %b, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %rbl4 = shufflevector <8 x float> %b, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %rbs4 = fadd <4 x float> %rbl4, %rbu4
  %rbu2 = shufflevector <4 x float> %rbs4, <4 x float> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 1>
  %rbs2 = fadd <4 x float> %rbs4, %rbu2
  %rbu1 = shufflevector <4 x float> %rbs2, <4 x float> poison, <4 x i32> <i32 1, i32 poison, i32 poison, i32 poison>
  %rb = fadd <4 x float> %rbs2, %rbu1
  %one = extractelement <4 x float> %ra, i64 0
  %other = extractelement <4 x float> %rb, i64 0
  %sum = fadd float %one, %other
  store float %sum, ptr %out
  ret void
}

; A sum and a maximum.
; UNLIKE-LABEL: define void @unlike(
; UNLIKE-NOT: fadd <8 x float>
; UNLIKE: ret void
define void @unlike(ptr %x, ptr %out) {
  %ata = getelementptr <8 x float>, ptr %x, i64 0
  %a = load <8 x float>, ptr %ata
  %rau4 = shufflevector <8 x float> %a, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %ral4 = shufflevector <8 x float> %a, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %ras4 = fadd <4 x float> %ral4, %rau4
  %rau2 = shufflevector <4 x float> %ras4, <4 x float> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 1>
  %ras2 = fadd <4 x float> %ras4, %rau2
  %rau1 = shufflevector <4 x float> %ras2, <4 x float> poison, <4 x i32> <i32 1, i32 poison, i32 poison, i32 poison>
  %ra = fadd <4 x float> %ras2, %rau1
  %atb = getelementptr <8 x float>, ptr %x, i64 1
  %b = load <8 x float>, ptr %atb
  %rbb = bitcast <8 x float> %b to <8 x i32>
  %rbub = shufflevector <8 x i32> %rbb, <8 x i32> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %rbu = bitcast <4 x i32> %rbub to <4 x float>
  %rbl = shufflevector <8 x float> %b, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %rbm = call <4 x float> @llvm.maxnum.v4f32(<4 x float> %rbl, <4 x float> %rbu)
  %rblb = shufflevector <8 x i32> %rbb, <8 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %rbe = fcmp oeq <4 x float> %rbl, %rbu
  %rba = and <4 x i32> %rblb, %rbub
  %rbz = bitcast <4 x i32> %rba to <4 x float>
  %rb4 = select <4 x i1> %rbe, <4 x float> %rbz, <4 x float> %rbm
  %rbu2 = shufflevector <4 x float> %rb4, <4 x float> poison, <4 x i32> <i32 2, i32 3, i32 poison, i32 poison>
  %rb2 = fadd <4 x float> %rb4, %rbu2
  %rbu1 = shufflevector <4 x float> %rb2, <4 x float> poison, <4 x i32> <i32 1, i32 poison, i32 poison, i32 poison>
  %rb = fadd <4 x float> %rb2, %rbu1
  %ab = shufflevector <4 x float> %ra, <4 x float> %rb, <4 x i32> <i32 0, i32 4, i32 poison, i32 poison>
  store <4 x float> %ab, ptr %out
  ret void
}

declare <4 x float> @llvm.maxnum.v4f32(<4 x float>, <4 x float>)
