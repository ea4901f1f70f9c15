// Functions that are exact: remainders, exponents, neighbours, roundings to integers.
#pragma once

// Integers from floating point as CUDA converts: truncated, saturated; NaN becomes 0, or 2^63 where 64 bits or a double
// are involved. On the CPU every conversion does that by itself (saturate_conversions); in code for PTX LLVM would take
// one that is out of range for undefined.
__LANZA_FN int __lanza_to_int(float x) {
  if (!__lanza_reflect(LANZA_REFLECT_PTX)) return static_cast<int>(x);
  int y = x >= 2147483648.0f ? 2147483647 : static_cast<int>(x < 2147483648.0f && x >= -2147483648.0f ? x : 0.0f);
  return x < -2147483648.0f ? -2147483647 - 1 : y;
}
__LANZA_FN unsigned int __lanza_to_uint(float x) {
  if (!__lanza_reflect(LANZA_REFLECT_PTX)) return static_cast<unsigned int>(x);
  unsigned int y = static_cast<unsigned int>(x < 4294967296.0f && x > -1.0f ? x : 0.0f);
  return x >= 4294967296.0f ? 4294967295u : y;
}
__LANZA_FN int __lanza_to_int(double x) {
  if (!__lanza_reflect(LANZA_REFLECT_PTX)) return static_cast<int>(x);
  double clamped = x < -2147483648.0 ? -2147483648.0 : x;
  clamped = clamped > 2147483647.0 ? 2147483647.0 : clamped;
  return x == x ? static_cast<int>(clamped) : -2147483647 - 1;
}
__LANZA_FN unsigned int __lanza_to_uint(double x) {
  if (!__lanza_reflect(LANZA_REFLECT_PTX)) return static_cast<unsigned int>(x);
  double clamped = x < 0 ? 0.0 : x;
  clamped = clamped > 4294967295.0 ? 4294967295.0 : clamped;
  return x == x ? static_cast<unsigned int>(clamped) : 2147483648u;
}
__LANZA_FN long long __lanza_to_ll(double x) {
  if (!__lanza_reflect(LANZA_REFLECT_PTX)) return static_cast<long long>(x);
  bool inside = x < 9223372036854775808.0 && x >= -9223372036854775808.0;
  long long y = static_cast<long long>(inside ? x : 0.0);
  y = x >= 9223372036854775808.0 ? 9223372036854775807ll : y;
  return x == x && !(x < -9223372036854775808.0) ? y : -9223372036854775807ll - 1;
}
__LANZA_FN unsigned long long __lanza_to_ull(double x) {
  if (!__lanza_reflect(LANZA_REFLECT_PTX)) return static_cast<unsigned long long>(x);
  bool inside = x < 18446744073709551616.0 && x > -1.0;
  unsigned long long y = static_cast<unsigned long long>(inside ? x : 0.0);
  y = x >= 18446744073709551616.0 ? 18446744073709551615ull : y;
  return x == x ? y : 9223372036854775808ull;
}

// x * 2^n rounded once, any n.
__LANZA_FN double __lanza_ldexp(double x, int n) {
  int rest = n > 2200 ? 2200 : n < -2200 ? -2200 : n;
  // A negative step leaves 53 bits above the denormals, so that only the last product rounds.
  int first = rest > 1023 ? 1023 : rest < -1022 ? -969 : rest;
  rest -= first;
  int second = rest > 1023 ? 1023 : rest < -1022 ? -969 : rest;
  rest -= second;
  int third = rest > 1023 ? 1023 : rest < -1022 ? -1022 : rest;
  return x * __lanza_exp2i(first) * __lanza_exp2i(second) * __lanza_exp2i(third);
}
__LANZA_FN float __lanza_ldexpf(float x, int n) {
  int clamped = n > 300 ? 300 : n < -300 ? -300 : n;
  return static_cast<float>(static_cast<double>(x) * __lanza_exp2i(clamped));
}
__LANZA_FN int __lanza_long_exponent(long n) {
  return n > 100000 ? 100000 : n < -100000 ? -100000 : static_cast<int>(n);
}

// The exponent of finite x != 0: x = 2^e m with m in [1, 2).
__LANZA_FN int __lanza_exponent(double x) {
  bool small = __builtin_fabs(x) < 2.2250738585072014e-308;
  unsigned long long bits = __lanza_bits(small ? x * 18014398509481984.0 : x);
  return static_cast<int>(bits >> 52 & 0x7ff) - (small ? 1077 : 1023);
}
__LANZA_FN double __lanza_frexp(double x, int* exponent) {
  bool plain = x == 0 || !(__builtin_fabs(x) < __lanza_infinity());
  bool small = __builtin_fabs(x) < 2.2250738585072014e-308;
  unsigned long long bits = __lanza_bits(small ? x * 18014398509481984.0 : x);
  *exponent = plain ? 0 : __lanza_exponent(x) + 1;
  return plain ? x + x : __lanza_double((bits & 0x800fffffffffffffull) | 0x3fe0000000000000ull);
}
__LANZA_FN float __lanza_frexpf(float x, int* exponent) {
  return static_cast<float>(__lanza_frexp(static_cast<double>(x), exponent));
}
__LANZA_FN double __lanza_logb(double x) {
  double y = x == 0 ? -__lanza_infinity() : static_cast<double>(__lanza_exponent(x));
  return __builtin_fabs(x) < __lanza_infinity() ? y : x * x;
}
__LANZA_FN float __lanza_logbf(float x) { return static_cast<float>(__lanza_logb(static_cast<double>(x))); }
__LANZA_FN int __lanza_ilogb(double x) {
  int y = x == 0 || x != x ? -2147483647 - 1 : __lanza_exponent(x);
  return __builtin_fabs(x) == __lanza_infinity() ? 2147483647 : y;
}

__LANZA_FN double __lanza_modf(double x, double* whole) {
  *whole = __builtin_trunc(x);
  double fraction = __builtin_fabs(x) == __lanza_infinity() ? 0.0 : x - *whole;
  return __builtin_copysign(fraction, x);
}
__LANZA_FN float __lanza_modff(float x, float* whole) {
  *whole = __builtin_truncf(x);
  float fraction = __builtin_fabsf(x) == __lanza_infinity_f() ? 0.0f : x - *whole;
  return __builtin_copysignf(fraction, x);
}

__LANZA_FN double __lanza_next_up(double x) {
  long long bits = static_cast<long long>(__lanza_bits(x));
  double y = __lanza_double(static_cast<unsigned long long>(bits + (bits >= 0 ? 1 : -1)));
  y = x == 0 ? 4.9406564584124654e-324 : y;
  return x < __lanza_infinity() ? y : x;
}
__LANZA_FN float __lanza_next_up_f(float x) {
  int bits = static_cast<int>(__lanza_bits(x));
  float y = __lanza_float(static_cast<unsigned int>(bits + (bits >= 0 ? 1 : -1)));
  y = x == 0 ? 1.401298464e-45f : y;
  return x < __lanza_infinity_f() ? y : x;
}
__LANZA_FN double __lanza_nextafter(double x, double y) {
  double next = y > x ? __lanza_next_up(x) : -__lanza_next_up(-x);
  next = x == y ? y : next;
  return x != x || y != y ? x + y : next;
}
__LANZA_FN float __lanza_nextafterf(float x, float y) {
  float next = y > x ? __lanza_next_up_f(x) : -__lanza_next_up_f(-x);
  next = x == y ? y : next;
  return x != x || y != y ? x + y : next;
}

// |x| modulo |y| for finite x and y != 0, by long division of the mantissas, `step` bits at a time; quotient: its low
// bits.
struct __lanza_remainder_parts {
  double rest;
  unsigned long long quotient;
};
__LANZA_FN __lanza_remainder_parts __lanza_divide_long(double x, double y) {
  double a = __builtin_fabs(x), b = __builtin_fabs(y);
  if (a < b) return {a, 0};
  int ea = __lanza_exponent(a), eb = __lanza_exponent(b);
  // Mantissas as integers of 53 bits.
  unsigned long long ma = static_cast<unsigned long long>(__lanza_ldexp(a, 52 - ea));
  unsigned long long mb = static_cast<unsigned long long>(__lanza_ldexp(b, 52 - eb));
  unsigned long long quotient = ma / mb, rest = ma % mb;
  for (int left = ea - eb; left > 0;) {
    int step = left < 11 ? left : 11;
    unsigned long long shifted = rest << step;
    quotient = quotient << step | shifted / mb;
    rest = shifted % mb;
    left -= step;
  }
  return {__lanza_ldexp(static_cast<double>(rest), eb - 52), quotient};
}
__LANZA_FN bool __lanza_no_remainder(double x, double y) {
  return !(__builtin_fabs(x) < __lanza_infinity()) || y == 0 || y != y;
}
__LANZA_FN double __lanza_fmod_long(double x, double y) {
  if (__lanza_no_remainder(x, y)) return __lanza_nan();
  if (__builtin_fabs(y) == __lanza_infinity()) return x;
  return __builtin_copysign(__lanza_divide_long(x, y).rest, x);
}
// Where the quotient has no more digits than a number: rounded to an integer it may be one too large, and the rest, a
// multiple of y's last place and smaller than y, is exact all the same.
__LANZA_FN double __lanza_fmod(double x, double y) {
  double a = __builtin_fabs(x), b = __builtin_fabs(y), quotient = a / b;
  double rest = __builtin_fma(-__builtin_trunc(quotient), b, a);
  rest = rest < 0 ? rest + b : rest;
  if (quotient < 9007199254740992.0 && b < __lanza_infinity()) return __builtin_copysign(rest, x);
  return __lanza_fmod_long(x, y);
}
__LANZA_FN double __lanza_remquo(double x, double y, int* quotient) {
  *quotient = 0;
  if (__lanza_no_remainder(x, y)) return __lanza_nan();
  if (__builtin_fabs(y) == __lanza_infinity()) return x;
  __lanza_remainder_parts parts = __lanza_divide_long(x, y);
  double b = __builtin_fabs(y), other = b - parts.rest;
  // To the nearest multiple, in a tie to the even one.
  bool more = parts.rest > other || (parts.rest == other && (parts.quotient & 1u) != 0);
  double rest = more ? -other : parts.rest;
  int low = static_cast<int>((parts.quotient + (more ? 1u : 0u)) & 0x7fffffffu);
  *quotient = (__builtin_signbit(x) != 0) != (__builtin_signbit(y) != 0) ? -low : low;
  return rest == 0 ? __builtin_copysign(0.0, x) : x < 0 ? -rest : rest;
}
// As fmod; halves must be numbers too.
__LANZA_FN double __lanza_remainder(double x, double y) {
  double a = __builtin_fabs(x), b = __builtin_fabs(y), quotient = a / b;
  double rest = __builtin_fma(-__builtin_rint(quotient), b, a), size = __builtin_fabs(rest);
  rest = size + size > b ? rest - __builtin_copysign(b, rest) : rest;
  if (quotient < 4503599627370496.0 && b < __lanza_infinity()) return __lanza_negate_if(__builtin_signbit(x), rest);
  int ignored;
  return __lanza_remquo(x, y, &ignored);
}
// Floats have the same remainders as doubles of their value.
__LANZA_FN float __lanza_fmodf(float x, float y) {
  float a = __builtin_fabsf(x), b = __builtin_fabsf(y), quotient = a / b;
  float rest = __builtin_fmaf(-__builtin_truncf(quotient), b, a);
  rest = rest < 0 ? rest + b : rest;
  if (quotient < 16777216.0f && b < __lanza_infinity_f()) return __builtin_copysignf(rest, x);
  return static_cast<float>(__lanza_fmod(x, y));
}
__LANZA_FN float __lanza_remainderf(float x, float y) {
  float a = __builtin_fabsf(x), b = __builtin_fabsf(y), quotient = a / b;
  float rest = __builtin_fmaf(-__builtin_rintf(quotient), b, a), size = __builtin_fabsf(rest);
  rest = size + size > b ? rest - __builtin_copysignf(b, rest) : rest;
  if (quotient < 8388608.0f && b < __lanza_infinity_f()) return __lanza_negate_if_f(__lanza_bits(x) >> 31, rest);
  return static_cast<float>(__lanza_remainder(x, y));
}
__LANZA_FN float __lanza_remquof(float x, float y, int* quotient) {
  return static_cast<float>(__lanza_remquo(x, y, quotient));
}

__LANZA_FN double __lanza_fdim(double x, double y) { return x <= y ? 0.0 : x - y; }
__LANZA_FN float __lanza_fdimf(float x, float y) { return x <= y ? 0.0f : x - y; }
