; RUN: %opt -kernel=edge -passes=single-lanes %s | %check %s --check-prefix=EDGE
; RUN: %opt -kernel=others -passes=single-lanes %s | %check %s --check-prefix=OTHERS

; What a tile's last thread reads beyond it, or nothing: the lane alone, through choices and shuffles.
; EDGE-LABEL: define void @edge(
; EDGE: read:
; EDGE: [[ON:%.*]] = extractelement <8 x i1> %guard, i64 7
; EDGE: [[ONE:%.*]] = select i1 [[ON]], float %a, float 0.000000e+00
; EDGE: end:
; EDGE: [[LANE:%.*]] = phi float [ 1.000000e+00, %0 ], [ [[ONE]], %read ]
; EDGE: store float [[LANE]], ptr %out
define void @edge(ptr %out, float %a, i1 %reads, <8 x i1> %guard) {
  br i1 %reads, label %read, label %end

read:
  %value = insertelement <8 x float> poison, float %a, i64 7
  %some = shufflevector <8 x float> %value, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %all = shufflevector <4 x float> %some, <4 x float> poison, <8 x i32> <i32 poison, i32 poison, i32 poison, i32 poison, i32 0, i32 1, i32 2, i32 3>
  %chosen = select <8 x i1> %guard, <8 x float> %all, <8 x float> zeroinitializer
  br label %end

end:
  %edge = phi <8 x float> [ <float 0.0, float 0.0, float 0.0, float 0.0, float 0.0, float 0.0, float 0.0, float 1.0>, %0 ], [ %chosen, %read ]
  %lane = extractelement <8 x float> %edge, i64 7
  store float %lane, ptr %out
  ret void
}

; Two lanes.
; OTHERS-LABEL: define void @others(
; OTHERS: phi <8 x float>
define void @others(ptr %out, <8 x float> %a, i1 %reads) {
  br i1 %reads, label %read, label %end

read:
  br label %end

end:
  %edge = phi <8 x float> [ zeroinitializer, %0 ], [ %a, %read ]
  %first = extractelement <8 x float> %edge, i64 0
  %last = extractelement <8 x float> %edge, i64 7
  store float %first, ptr %out
  %next = getelementptr float, ptr %out, i64 1
  store float %last, ptr %next
  ret void
}
