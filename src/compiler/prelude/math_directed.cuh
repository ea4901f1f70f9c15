// Arithmetic rounded in a given direction: the result to nearest, moved one step when the sign of its exact error asks
// for it.
#pragma once

enum __lanza_rounding { __lanza_rn, __lanza_rz, __lanza_ru, __lanza_rd };

// `nearest` is exact - error, rounded to nearest; only the sign of `error` counts.
__LANZA_FN double __lanza_directed(double nearest, double error, __lanza_rounding mode) {
  if (mode == __lanza_rn || nearest != nearest) return nearest;
  bool up = mode == __lanza_ru || (mode == __lanza_rz && nearest < 0);
  bool down = mode == __lanza_rd || (mode == __lanza_rz && nearest > 0);
  if (up && error > 0) return __lanza_next_up(nearest);
  if (down && error < 0) return -__lanza_next_up(-nearest);
  return nearest;
}
// An overflow to infinity is an error towards zero. `exact`: operands were infinite, the result is, too.
__LANZA_FN double __lanza_overflow_error(double nearest, double error, bool exact) {
  if (__builtin_fabs(nearest) != __lanza_infinity()) return error;
  return exact ? 0.0 : -nearest;
}
__LANZA_FN bool __lanza_is_infinite(double x) { return __builtin_fabs(x) == __lanza_infinity(); }

// s + e as a float, where e is below the last place of s.
__LANZA_FN float __lanza_to_float(double s, double e, __lanza_rounding mode) {
  float nearest = static_cast<float>(s);
  if (mode == __lanza_rn) {
    // A tie of s may be broken by e: s to odd first.
    bool odd = e != 0 && (__lanza_bits(s) & 1u) == 0;
    double toward = (e > 0) == (s > 0) ? 1.0 : -1.0;
    double sticky = __lanza_double(__lanza_bits(s) + (toward > 0 ? 1ull : -1ull));
    return odd && s != 0 && !__lanza_is_infinite(s) ? static_cast<float>(sticky) : nearest;
  }
  if (nearest != nearest || __lanza_is_infinite(s)) return nearest;
  double difference = s - static_cast<double>(nearest);
  double error = difference != 0 ? difference : e;
  bool up = mode == __lanza_ru || (mode == __lanza_rz && nearest < 0);
  bool down = mode == __lanza_rd || (mode == __lanza_rz && nearest > 0);
  if (up && error > 0) return __lanza_next_up_f(nearest);
  if (down && error < 0) return -__lanza_next_up_f(-nearest);
  return nearest;
}

__LANZA_FN float __lanza_fadd_directed(float a, float b, __lanza_rounding mode) {
  __lanza_pair s = __lanza_sum(a, b);
  float y = __lanza_to_float(s.hi, s.lo == s.lo ? s.lo : 0.0, mode);
  bool negative_zero = mode == __lanza_rd && y == 0 && (__builtin_signbit(a) || __builtin_signbit(b));
  return negative_zero ? -0.0f : y;
}
__LANZA_FN float __lanza_fmul_directed(float a, float b, __lanza_rounding mode) {
  return __lanza_to_float(static_cast<double>(a) * static_cast<double>(b), 0.0, mode);
}
__LANZA_FN float __lanza_fmaf_directed(float a, float b, float c, __lanza_rounding mode) {
  double product = static_cast<double>(a) * static_cast<double>(b);
  __lanza_pair s = __lanza_sum(product, c);
  float y = __lanza_to_float(s.hi, s.lo == s.lo ? s.lo : 0.0, mode);
  bool negative_zero = mode == __lanza_rd && s.hi == 0 && (__builtin_signbit(product) || __builtin_signbit(c));
  return negative_zero ? -0.0f : y;
}
// Denormals as they are under -ftz=true, too, which flushes float operations: those of 2^-125 and less as integers.
__LANZA_FN double __lanza_widen_ieee(float x) {
  unsigned int bits = __lanza_bits(x), size = bits & 0x7fffffffu;
  double denormal = static_cast<double>(static_cast<int>(size)) * 0x1p-149;
  return size >= 0x00800000u ? static_cast<double>(x) : (bits >> 31) != 0 ? -denormal : denormal;
}
__LANZA_FN float __lanza_fmaf_ieee(float a, float b, float c, __lanza_rounding mode) {
  double product = __lanza_widen_ieee(a) * __lanza_widen_ieee(b), addend = __lanza_widen_ieee(c);
  __lanza_pair s = __lanza_sum(product, addend);
  if (s.hi == 0 && mode == __lanza_rd) return __builtin_signbit(product) || __builtin_signbit(addend) ? -0.0f : 0.0f;
  if (!(__builtin_fabs(s.hi) < 0x1p-125)) return __lanza_to_float(s.hi, s.lo == s.lo ? s.lo : 0.0, mode);
  // In units of the last place of denormals, to odd where the sum was not exact; up to 2^24 they are the bits of the
  // result.
  double k = s.hi * 0x1p149;
  bool outwards = (s.lo > 0) == (s.hi > 0);
  if (s.lo != 0 && (__lanza_bits(k) & 1u) == 0) k = __lanza_double(__lanza_bits(k) + (outwards ? 1ull : -1ull));
  double units = mode == __lanza_rn   ? __builtin_rint(k)
                 : mode == __lanza_rz ? __builtin_trunc(k)
                 : mode == __lanza_ru ? __builtin_ceil(k)
                                      : __builtin_floor(k);
  unsigned int sign = __builtin_signbit(k) ? 0x80000000u : 0u;
  unsigned int size = static_cast<unsigned int>(static_cast<int>(__builtin_fabs(units)));
  return __lanza_float(sign | size);
}
__LANZA_FN float __lanza_fdiv_directed(float a, float b, __lanza_rounding mode) {
  double q = static_cast<double>(a) / static_cast<double>(b);
  double rest = __builtin_fma(-q, static_cast<double>(b), static_cast<double>(a));
  bool known = rest == rest && __builtin_fabs(q) < __lanza_infinity();
  return __lanza_to_float(q, known ? (b < 0 ? -rest : rest) : 0.0, mode);
}
__LANZA_FN float __lanza_fsqrt_directed(float a, __lanza_rounding mode) {
  double root = __builtin_sqrt(static_cast<double>(a));
  double rest = __builtin_fma(-root, root, static_cast<double>(a));
  return __lanza_to_float(root, rest == rest ? rest : 0.0, mode);
}

__LANZA_FN double __lanza_dadd_directed(double a, double b, __lanza_rounding mode) {
  __lanza_pair s = __lanza_sum(a, b);
  double error = __lanza_overflow_error(s.hi, s.lo, __lanza_is_infinite(a) || __lanza_is_infinite(b));
  double y = __lanza_directed(s.hi, error, mode);
  bool negative_zero = mode == __lanza_rd && y == 0 && (__builtin_signbit(a) || __builtin_signbit(b));
  return negative_zero ? -0.0 : y;
}
// Residuals from mantissas between 1 and 2, as they can neither overflow nor underflow.
__LANZA_FN double __lanza_dmul_directed(double a, double b, __lanza_rounding mode) {
  double product = a * b;
  if (a == 0 || b == 0 || __lanza_is_infinite(a) || __lanza_is_infinite(b) || product != product) return product;
  int ea = __lanza_exponent(a), eb = __lanza_exponent(b);
  double error = __builtin_fma(__lanza_ldexp(a, -ea), __lanza_ldexp(b, -eb), -__lanza_ldexp(product, -(ea + eb)));
  return __lanza_directed(product, __lanza_overflow_error(product, error, false), mode);
}
// The sign of a * b + c - nearest, for finite numbers, a and b not zero. All is scaled by a power of two, so that no
// product overflows or loses bits; what lies far below the rest keeps its sign only.
__LANZA_FN double __lanza_dfma_error(double a, double b, double c, double nearest) {
  int ea = __lanza_exponent(a), eb = __lanza_exponent(b), e = ea + eb;
  double size = __builtin_fabs(c);
  bool huge = e > 900 || size > 0x1p900, tiny = e < -700 && size < 0x1p-700;
  double scale = huge ? 0x1p-600 : tiny ? 0x1p500 : 1.0;
  int raised = e + (huge ? -600 : tiny ? 500 : 0);
  __lanza_pair p = __lanza_product(__lanza_ldexp(__lanza_ldexp(a, -ea), raised < -900 ? -900 : raised),  //
                                   __lanza_ldexp(b, -eb));
  double addend = huge && size < 0x1p-400 && size != 0 ? __builtin_copysign(0x1p-1000, c) : c * scale;
  __lanza_pair s = __lanza_sum(addend, p.hi), tail = __lanza_sum(s.lo, p.lo);
  __lanza_pair error = __lanza_sum(s.hi - nearest * scale, tail.hi);
  return error.hi != 0 ? error.hi : error.lo + tail.lo;
}
__LANZA_FN double __lanza_dfma_directed(double a, double b, double c, __lanza_rounding mode) {
  double nearest = __builtin_fma(a, b, c);
  bool infinite = __lanza_is_infinite(a) || __lanza_is_infinite(b) || __lanza_is_infinite(c);
  double error = a == 0 || b == 0 || infinite ? 0.0 : __lanza_dfma_error(a, b, c, nearest);
  double y = __lanza_directed(nearest, __lanza_overflow_error(nearest, error, infinite), mode);
  bool negative = __builtin_signbit(a) != __builtin_signbit(b) || __builtin_signbit(c);
  return mode == __lanza_rd && nearest == 0 && error == 0 && negative ? -0.0 : y;
}
__LANZA_FN double __lanza_ddiv_directed(double a, double b, __lanza_rounding mode) {
  double q = a / b;
  if (a == 0 || b == 0 || __lanza_is_infinite(a) || __lanza_is_infinite(b) || q != q) return q;
  int ea = __lanza_exponent(a), eb = __lanza_exponent(b);
  double mb = __lanza_ldexp(b, -eb);
  double rest = __builtin_fma(-__lanza_ldexp(q, eb - ea), mb, __lanza_ldexp(a, -ea));
  return __lanza_directed(q, __lanza_overflow_error(q, b < 0 ? -rest : rest, false), mode);
}
__LANZA_FN double __lanza_dsqrt_directed(double a, __lanza_rounding mode) {
  double root = __builtin_sqrt(a);
  bool tiny = a < 1e-200;
  double scale = tiny ? 2.5822498780869086e+120 : 1.0;  // 2^400
  double rest = __builtin_fma(-(root * scale), root * scale, a * scale * scale);
  return __lanza_directed(root, __lanza_is_infinite(a) ? 0.0 : rest, mode);
}
