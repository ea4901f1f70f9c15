// Arithmetic with a named rounding, never contracted: __fadd_rn and its kind; fast division; saturation.
#pragma once

// The three directed forms by a function of math_directed.cuh.
#define __LANZA_DIRECTED1(T, NAME, FUNCTION)                      \
  __LANZA_FN T NAME##_rz(T a) { return FUNCTION(a, __lanza_rz); } \
  __LANZA_FN T NAME##_ru(T a) { return FUNCTION(a, __lanza_ru); } \
  __LANZA_FN T NAME##_rd(T a) { return FUNCTION(a, __lanza_rd); }
#define __LANZA_DIRECTED2(T, NAME, FUNCTION)                              \
  __LANZA_FN T NAME##_rz(T a, T b) { return FUNCTION(a, b, __lanza_rz); } \
  __LANZA_FN T NAME##_ru(T a, T b) { return FUNCTION(a, b, __lanza_ru); } \
  __LANZA_FN T NAME##_rd(T a, T b) { return FUNCTION(a, b, __lanza_rd); }
#define __LANZA_DIRECTED3(T, NAME, FUNCTION)                                      \
  __LANZA_FN T NAME##_rz(T a, T b, T c) { return FUNCTION(a, b, c, __lanza_rz); } \
  __LANZA_FN T NAME##_ru(T a, T b, T c) { return FUNCTION(a, b, c, __lanza_ru); } \
  __LANZA_FN T NAME##_rd(T a, T b, T c) { return FUNCTION(a, b, c, __lanza_rd); }

__LANZA_FN float __lanza_fsub_directed(float a, float b, __lanza_rounding mode) {
  return __lanza_fadd_directed(a, -b, mode);
}
__LANZA_FN float __lanza_frcp_directed(float a, __lanza_rounding mode) { return __lanza_fdiv_directed(1.0f, a, mode); }
__LANZA_FN double __lanza_dsub_directed(double a, double b, __lanza_rounding mode) {
  return __lanza_dadd_directed(a, -b, mode);
}
__LANZA_FN double __lanza_drcp_directed(double a, __lanza_rounding mode) { return __lanza_ddiv_directed(1.0, a, mode); }

__LANZA_FN float __fadd_rn(float a, float b) { return a + b; }
__LANZA_FN float __fsub_rn(float a, float b) { return a - b; }
__LANZA_FN float __fmul_rn(float a, float b) { return a * b; }
__LANZA_FN float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
__LANZA_FN float __fmaf_ieee_rn(float a, float b, float c) {
  return __lanza_reflect(LANZA_REFLECT_FTZ) ? __lanza_fmaf_ieee(a, b, c, __lanza_rn) : __builtin_fmaf(a, b, c);
}
__LANZA_FN float __fdiv_rn(float a, float b) { return a / b; }
__LANZA_FN float __frcp_rn(float a) { return 1.0f / a; }
__LANZA_FN float __fsqrt_rn(float a) { return __builtin_sqrtf(a); }
__LANZA_FN float __frsqrt_rn(float a) { return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(a))); }
__LANZA_FN double __dadd_rn(double a, double b) { return a + b; }
__LANZA_FN double __dsub_rn(double a, double b) { return a - b; }
__LANZA_FN double __dmul_rn(double a, double b) { return a * b; }
__LANZA_FN double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
__LANZA_FN double __ddiv_rn(double a, double b) { return a / b; }
__LANZA_FN double __drcp_rn(double a) { return 1.0 / a; }
__LANZA_FN double __dsqrt_rn(double a) { return __builtin_sqrt(a); }

__LANZA_DIRECTED2(float, __fadd, __lanza_fadd_directed)
__LANZA_DIRECTED2(float, __fsub, __lanza_fsub_directed)
__LANZA_DIRECTED2(float, __fmul, __lanza_fmul_directed)
__LANZA_DIRECTED3(float, __fmaf, __lanza_fmaf_directed)
__LANZA_DIRECTED3(float, __fmaf_ieee, __lanza_fmaf_ieee)
__LANZA_DIRECTED2(float, __fdiv, __lanza_fdiv_directed)
__LANZA_DIRECTED1(float, __frcp, __lanza_frcp_directed)
__LANZA_DIRECTED1(float, __fsqrt, __lanza_fsqrt_directed)
__LANZA_DIRECTED2(double, __dadd, __lanza_dadd_directed)
__LANZA_DIRECTED2(double, __dsub, __lanza_dsub_directed)
__LANZA_DIRECTED2(double, __dmul, __lanza_dmul_directed)
__LANZA_DIRECTED3(double, __fma, __lanza_dfma_directed)
__LANZA_DIRECTED2(double, __ddiv, __lanza_ddiv_directed)
__LANZA_DIRECTED1(double, __drcp, __lanza_drcp_directed)
__LANZA_DIRECTED1(double, __dsqrt, __lanza_dsqrt_directed)
#undef __LANZA_DIRECTED1
#undef __LANZA_DIRECTED2
#undef __LANZA_DIRECTED3

// The reciprocal of |b| > 2^126 counts as 0, as CUDA documents.
__LANZA_FN float __fdividef(float a, float b) {
  bool huge = __builtin_fabsf(b) > 8.507059173023462e+37f && __builtin_fabsf(b) < __lanza_infinity_f();
  return huge ? a * __builtin_copysignf(0.0f, b) : a / b;
}
__LANZA_FN float fdividef(float a, float b) {
  return __lanza_reflect(LANZA_REFLECT_FAST_MATH) ? __fdividef(a, b) : a / b;
}
__LANZA_FN double fdivide(double a, double b) { return a / b; }
// NaN becomes 0.
__LANZA_FN float __saturatef(float x) {
  float y = x < 1.0f ? x : 1.0f;
  return x > 0.0f ? y : 0.0f;
}
