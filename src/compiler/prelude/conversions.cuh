// Conversions with a named rounding: __float2int_rn and its kind.
#pragma once

#define __LANZA_TO_INTEGER(FROM, T, PREFIX, SUFFIX, CONVERT)                       \
  __LANZA_FN T PREFIX##_rn(FROM x) { return CONVERT(__builtin_rint##SUFFIX(x)); }  \
  __LANZA_FN T PREFIX##_rz(FROM x) { return CONVERT(__builtin_trunc##SUFFIX(x)); } \
  __LANZA_FN T PREFIX##_ru(FROM x) { return CONVERT(__builtin_ceil##SUFFIX(x)); }  \
  __LANZA_FN T PREFIX##_rd(FROM x) { return CONVERT(__builtin_floor##SUFFIX(x)); }
__LANZA_TO_INTEGER(float, int, __float2int, f, __lanza_to_int)
__LANZA_TO_INTEGER(float, unsigned int, __float2uint, f, __lanza_to_uint)
__LANZA_TO_INTEGER(float, long long, __float2ll, f, __lanza_to_ll)
__LANZA_TO_INTEGER(float, unsigned long long, __float2ull, f, __lanza_to_ull)
__LANZA_TO_INTEGER(double, int, __double2int, , __lanza_to_int)
__LANZA_TO_INTEGER(double, unsigned int, __double2uint, , __lanza_to_uint)
__LANZA_TO_INTEGER(double, long long, __double2ll, , __lanza_to_ll)
__LANZA_TO_INTEGER(double, unsigned long long, __double2ull, , __lanza_to_ull)
#undef __LANZA_TO_INTEGER

// A 64-bit integer as the exact sum of two doubles.
__LANZA_FN __lanza_pair __lanza_split(long long x) {
  return __lanza_sum(static_cast<double>(x >> 32) * 4294967296.0, static_cast<double>(x & 0xffffffffll));
}
__LANZA_FN __lanza_pair __lanza_split(unsigned long long x) {
  return __lanza_sum(static_cast<double>(x >> 32) * 4294967296.0, static_cast<double>(x & 0xffffffffull));
}
__LANZA_FN __lanza_pair __lanza_split(int x) { return {static_cast<double>(x), 0.0}; }
__LANZA_FN __lanza_pair __lanza_split(unsigned int x) { return {static_cast<double>(x), 0.0}; }
__LANZA_FN float __lanza_pair_to_float(__lanza_pair p, __lanza_rounding mode) {
  return __lanza_to_float(p.hi, p.lo, mode);
}
__LANZA_FN double __lanza_pair_to_double(__lanza_pair p, __lanza_rounding mode) {
  return __lanza_directed(p.hi, p.lo, mode);
}

#define __LANZA_FROM_INTEGER(T, FROM, NAME, CONVERT)                               \
  __LANZA_FN T NAME##_rn(FROM x) { return static_cast<T>(x); }                     \
  __LANZA_FN T NAME##_rz(FROM x) { return CONVERT(__lanza_split(x), __lanza_rz); } \
  __LANZA_FN T NAME##_ru(FROM x) { return CONVERT(__lanza_split(x), __lanza_ru); } \
  __LANZA_FN T NAME##_rd(FROM x) { return CONVERT(__lanza_split(x), __lanza_rd); }
__LANZA_FROM_INTEGER(float, int, __int2float, __lanza_pair_to_float)
__LANZA_FROM_INTEGER(float, unsigned int, __uint2float, __lanza_pair_to_float)
__LANZA_FROM_INTEGER(float, long long, __ll2float, __lanza_pair_to_float)
__LANZA_FROM_INTEGER(float, unsigned long long, __ull2float, __lanza_pair_to_float)
__LANZA_FROM_INTEGER(double, long long, __ll2double, __lanza_pair_to_double)
__LANZA_FROM_INTEGER(double, unsigned long long, __ull2double, __lanza_pair_to_double)
#undef __LANZA_FROM_INTEGER
__LANZA_FN double __int2double_rn(int x) { return x; }
__LANZA_FN double __uint2double_rn(unsigned int x) { return x; }

__LANZA_FN float __double2float_rn(double x) { return static_cast<float>(x); }
__LANZA_FN float __double2float_rz(double x) { return __lanza_to_float(x, 0.0, __lanza_rz); }
__LANZA_FN float __double2float_ru(double x) { return __lanza_to_float(x, 0.0, __lanza_ru); }
__LANZA_FN float __double2float_rd(double x) { return __lanza_to_float(x, 0.0, __lanza_rd); }
