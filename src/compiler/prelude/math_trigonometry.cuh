// sin, cos, tan and their kind for double: reduction by multiples of pi/2 (Cody and Waite; for large arguments Payne
// and Hanek, "Radian reduction for trigonometric functions", 1983), then polynomials on [-pi/4, pi/4].
#pragma once

struct __lanza_reduced {
  __lanza_pair r;  // between -pi/4 and pi/4
  unsigned long long quadrant;
};

// |x| up to 2^20: n pi/2 in three parts, the difference to the first one exact.
__LANZA_FN __lanza_reduced __lanza_reduce_medium(double x) {
  double shifted = __builtin_fma(x, 0.6366197723675814, 6755399441055744.0);
  double n = shifted - 6755399441055744.0;
  double first = __builtin_fma(n, -1.5707963267948966, x), r = __builtin_fma(n, -6.123233995736766e-17, first);
  double lo = __builtin_fma(n, 1.4973849048591698e-33, __builtin_fma(n, -6.123233995736766e-17, first - r));
  return {{r, lo}, __lanza_bits(shifted)};
}

// Any |x| >= 2^20: x 2/pi modulo 4 as a fixed-point number of 126 fractional bits, from the 192 bits of 2/pi that
// matter.
__LANZA_FN __lanza_reduced __lanza_reduce_large(double x) {
  // 64 zero bits, then 2/pi.
  constexpr unsigned long long digits[] = {
      0x0000000000000000ull, 0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull,
      0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull,
      0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull,
      0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull,
      0xf0cfbc209af4361dull};
  unsigned long long bits = __lanza_bits(x);
  unsigned long long m = (bits & 0xfffffffffffffull) | 0x10000000000000ull;
  // x = m 2^e; digits of 2/pi of weight 2^-i with i <= e - 2 give multiples of 4.
  int e = static_cast<int>(bits >> 52 & 0x7ff) - 1075;
  unsigned int first = static_cast<unsigned int>(e + 62);
  first = first < 1088u ? first : 0u;  // infinity and NaN
  unsigned int word = first >> 6, shift = first & 63u;
  unsigned long long w[3];
  for (int i = 0; i < 3; ++i) {
    unsigned long long next = digits[word + i + 1];
    w[i] = digits[word + i] << shift | (shift == 0 ? 0ull : next >> (64u - shift));
  }
  unsigned __int128 low = static_cast<unsigned __int128>(m) * w[2];
  unsigned __int128 middle = static_cast<unsigned __int128>(m) * w[1] + static_cast<unsigned long long>(low >> 64);
  unsigned long long hi = m * w[0] + static_cast<unsigned long long>(middle >> 64);
  unsigned long long lo = static_cast<unsigned long long>(middle);
  unsigned long long quadrant = (hi + (1ull << 61)) >> 62;
  long long fraction = static_cast<long long>(hi - (quadrant << 62));
  // fraction 2^-62 + lo 2^-126 quarter turns
  double a = static_cast<double>(fraction);
  double b =
      static_cast<double>(fraction - static_cast<long long>(a)) + static_cast<double>(lo) * 5.421010862427522e-20;
  __lanza_pair turns = __lanza_fast_sum(a * 2.168404344971009e-19, b * 2.168404344971009e-19);
  __lanza_pair r = __lanza_multiply(turns, __lanza_pair{1.5707963267948966, 6.123233995736766e-17});
  bool negative = x < 0;
  return {{negative ? -r.hi : r.hi, negative ? -r.lo : r.lo}, negative ? 0ull - quadrant : quadrant};
}
__LANZA_FN bool __lanza_not_finite(double x) { return !(__builtin_fabs(x) < __lanza_infinity()); }
__LANZA_FN __lanza_reduced __lanza_reduce(double x) {
  if (__builtin_fabs(x) < 1048576.0) return __lanza_reduce_medium(x);
  if (__lanza_not_finite(x)) return {{__lanza_nan(), 0.0}, 0};
  return __lanza_reduce_large(x);
}

// sin and cos on [-pi/4, pi/4], as pairs with errors of some 2^-56.
__LANZA_FN __lanza_pair __lanza_sin_pair(__lanza_pair r) {
  double z = r.hi * r.hi;
  double tail = __builtin_fma(z * r.hi, __lanza_poly_sin(z), __builtin_fma(-0.5 * z, r.lo, r.lo));
  return __lanza_fast_sum(r.hi, tail);
}
__LANZA_FN __lanza_pair __lanza_cos_pair(__lanza_pair r) {
  double z = r.hi * r.hi;
  double half = 0.5 * z;
  double half_lo = 0.5 * __builtin_fma(r.hi, r.hi, -z);
  __lanza_pair one = __lanza_fast_sum(1.0, -half);
  double tail = __builtin_fma(z * z, __lanza_poly_cos(z), -__builtin_fma(r.hi, r.lo, half_lo));
  return __lanza_fast_sum(one.hi, one.lo + tail);
}
struct __lanza_sine_cosine {
  double sine, cosine;
};
__LANZA_FN double __lanza_negate_if(bool negative, double x) { return negative ? -x : x; }
// Errors of some ulp, not of pairs.
__LANZA_FN __lanza_sine_cosine __lanza_sincos_reduced(__lanza_reduced reduced) {
  double r = reduced.r.hi, lo = reduced.r.lo, z = r * r;
  double sine = r + __builtin_fma(z * r, __lanza_poly_sin(z), lo);
  __lanza_pair one = __lanza_fast_sum(1.0, -0.5 * z);
  double cosine = one.hi + __builtin_fma(z * z, __lanza_poly_cos(z), __builtin_fma(-r, lo, one.lo));
  bool odd = (reduced.quadrant & 1u) != 0;
  return {__lanza_negate_if((reduced.quadrant & 2u) != 0, odd ? cosine : sine),
          __lanza_negate_if(((reduced.quadrant + 1u) & 2u) != 0, odd ? sine : cosine)};
}
__LANZA_FN double __lanza_tan_reduced(__lanza_reduced reduced) {
  __lanza_pair s = __lanza_sin_pair(reduced.r), c = __lanza_cos_pair(reduced.r);
  bool odd = (reduced.quadrant & 1u) != 0;
  __lanza_pair top = {odd ? c.hi : s.hi, odd ? c.lo : s.lo}, bottom = {odd ? -s.hi : c.hi, odd ? -s.lo : c.lo};
  __lanza_pair q = __lanza_divide(top, bottom);
  return q.hi + q.lo;
}

__LANZA_FN __lanza_sine_cosine __lanza_sine_and_cosine(double x) {
  __lanza_sine_cosine y = __lanza_sincos_reduced(__lanza_reduce(x));
  return {x == 0 ? x : y.sine, y.cosine};
}
__LANZA_FN double __lanza_sin(double x) { return __lanza_sine_and_cosine(x).sine; }
__LANZA_FN double __lanza_cos(double x) { return __lanza_sine_and_cosine(x).cosine; }
__LANZA_FN void __lanza_sincos(double x, double* sine, double* cosine) {
  __lanza_sine_cosine y = __lanza_sine_and_cosine(x);
  *sine = y.sine;
  *cosine = y.cosine;
}
__LANZA_FN double __lanza_tan(double x) {
  double y = __lanza_tan_reduced(__lanza_reduce(x));
  return x == 0 ? x : y;
}

// Half turns: the reduction is exact. From 2^53 on every double is even.
__LANZA_FN __lanza_reduced __lanza_reduce_pi(double x) {
  double t = __builtin_fabs(x) < 9007199254740992.0 ? x : 0.0;
  double n = __builtin_rint(t + t);
  double r = __builtin_fma(n, -0.5, t);
  // n modulo 4, as a small number
  double quarter = n - 4.0 * __builtin_rint(0.25 * n);
  __lanza_pair angle = __lanza_multiply(__lanza_pair{3.141592653589793, 1.2246467991473532e-16}, r);
  return {angle, __lanza_bits(quarter + 6755399441055744.0)};
}
__LANZA_FN double __lanza_sinpi(double x) {
  double y = __lanza_sincos_reduced(__lanza_reduce_pi(x)).sine;
  y = __builtin_trunc(x) == x ? __builtin_copysign(0.0, x) : y;
  return __lanza_not_finite(x) ? __lanza_nan() : y;
}
__LANZA_FN double __lanza_cospi(double x) {
  double y = __lanza_sincos_reduced(__lanza_reduce_pi(x)).cosine;
  y = y == 0 ? 0.0 : y;  // +0 at the zeros
  return __lanza_not_finite(x) ? __lanza_nan() : y;
}
__LANZA_FN void __lanza_sincospi(double x, double* sine, double* cosine) {
  *sine = __lanza_sinpi(x);
  *cosine = __lanza_cospi(x);
}
