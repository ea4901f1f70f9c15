// erf, erfc, erfcx, their inverses, and the normal distribution.
#pragma once

// exp(a^2) erfc(a) for a >= 0: Shepherd and Laframboise, "Chebyshev approximation of (1 + 2x) exp(x^2) erfc(x)", Math.
// Comp. 36 (1981).
__LANZA_FN double __lanza_erfcx_positive(double a) {
  double t = a > 1e30 ? 1e30 : a;
  double p = __lanza_poly_erfcx((t - 4.0) / (t + 4.0));
  return 0.5 * p / (a + 0.5);
}
// erfc(a + a_lo) for a >= 0: e^-a^2 times the above, both quotients of one division; the second one has a step of
// Newton, as the polynomial hardly minds the first one's error.
__LANZA_FN double __lanza_erfc_positive(double a, double a_lo) {
  double t = a > 28.0 ? 28.0 : a;
  double square = t * t, square_lo = __builtin_fma(t, t, -square) + 2.0 * t * a_lo;
  __lanza_power power = __lanza_split_power(square * -1.4426950408889634);
  double reduced = __builtin_fma(power.n, -0.6931471805598903, -square);
  double rest = __builtin_fma(power.n, -5.497923018708371e-14, -square_lo);
  double r = reduced + rest, r_lo = (reduced - r) + rest;
  __lanza_pair one = __lanza_fast_sum(1.0, r);
  double e = one.hi + (one.lo + __builtin_fma(r * r, __lanza_poly_exp(r), r_lo));
  double sum = t + 0.5, inverse = 1.0 / ((t + 4.0) * sum);
  double p = __lanza_poly_erfcx((t - 4.0) * sum * inverse);
  double near = (t + 4.0) * inverse, quotient = __builtin_fma(near, __builtin_fma(-near, sum, 1.0), near);
  return e * (0.5 * p * quotient) * power.first * (t > 27.3 ? 0.0 : power.second);
}
__LANZA_FN double __lanza_erf_small(double x) {
  double z = x * x;
  return __builtin_fma(x, __lanza_poly_erf(z), x);
}
__LANZA_FN double __lanza_erf(double x) {
  double a = __builtin_fabs(x);
  double small = __lanza_erf_small(a < 1.0 ? a : 1.0);
  double y = a < 1.0 ? small : 1.0 - __lanza_erfc_positive(a, 0.0);
  return x != x ? x : __builtin_copysign(y, x);
}
// 1 - erf(x) for |x| < 1/2, where the other polynomial would lose bits.
__LANZA_FN double __lanza_erfc_small(double x) { return 1.0 - __lanza_erf_small(__builtin_fabs(x) < 0.5 ? x : 0.0); }
__LANZA_FN double __lanza_erfc(double x) {
  double y = __lanza_erfc_positive(__builtin_fabs(x), 0.0);
  y = x < 0 ? 2.0 - y : y;
  y = __builtin_fabs(x) < 0.5 ? __lanza_erfc_small(x) : y;
  return x != x ? x : y;
}
__LANZA_FN double __lanza_erfcx(double x) {
  double a = __builtin_fabs(x);
  double t = a > 27.0 ? 27.0 : a, square = t * t;
  double power = __lanza_exp_pair(square, __builtin_fma(t, t, -square));
  double large = __lanza_erfcx_positive(a);
  large = x < 0 ? 2.0 * power - large : large;
  return a < 0.5 ? power * __lanza_erfc_small(x) : large;
}

// y >= 0 with erf(y) = a, erfc(y) = q, a + q = 1: Winitzki's approximation ("A handy approximation for the error
// function and its inverse", 2008), or the series for small a, then steps of Halley: on erf(y) - a up to 0.7, where a
// still has all bits that y needs, else on log(erfc(y)), which is nearly a parabola. log(q) = l.
__LANZA_FN double __lanza_erf_inverse(double a, double q) {
  __lanza_pair l = __lanza_log_pair(q == 0 ? 1.0 : q);
  double log_product = l.hi + __lanza_log_short(2.0 - q);
  double t = 4.330746750799873 + 0.5 * log_product;
  double wide = __builtin_sqrt(__builtin_sqrt(t * t - log_product * 6.802721088435375) - t);
  double y = a < 0.25 ? a * __builtin_fma(0.23201366653465446 * a, a, 0.8862269254527580) : wide;
  for (int step = 0; step < 2; ++step) {
    __lanza_pair square = __lanza_product(y, y);
    double u = 0.8862269254527580 * (__lanza_erf_small(y < 1.0 ? y : 1.0) - a) * __lanza_exp_short(square.hi);
    double small = u / __builtin_fma(y, u, 1.0);
    __lanza_pair exponent = __lanza_add(l, square);
    double scaled = __lanza_erfcx(y);
    double ratio = __lanza_exp_pair(exponent.hi, exponent.lo) / scaled;  // q / erfc(y)
    double s = 0.8862269254527580 * scaled;
    double newton = __lanza_log_short(ratio) * s;
    double large = newton / __builtin_fma(newton, y - 0.5 / s, 1.0);
    y = y - (a < 0.7 ? small : large);
  }
  return y;
}
__LANZA_FN double __lanza_erfinv(double x) {
  double a = __builtin_fabs(x);
  double y = __lanza_erf_inverse(a, 1.0 - a);
  y = a < 1e-100 ? a * 0.8862269254527580 : y;
  y = a == 1.0 ? __lanza_infinity() : y;
  return a <= 1.0 ? __builtin_copysign(y, x) : __lanza_nan();
}
__LANZA_FN double __lanza_erfcinv(double x) {
  bool left = x > 1.0;
  double q = left ? 2.0 - x : x;
  double y = __lanza_erf_inverse(1.0 - q, q);
  y = q == 1.0 ? 0.0 : y;
  y = q == 0 ? __lanza_infinity() : y;
  y = left ? -y : y;
  return x >= 0 && x <= 2.0 ? y : __lanza_nan();
}
__LANZA_FN double __lanza_normcdf(double x) {
  double t = __builtin_fabs(x);
  t = t > 40.0 ? 40.0 : t;
  __lanza_pair a = __lanza_multiply(__lanza_pair{0.7071067811865476, -4.833646656726457e-17}, t);
  double tail = 0.5 * __lanza_erfc_positive(a.hi, a.lo);
  double y = x > 0 ? 1.0 - tail : tail;
  y = a.hi < 0.5 ? __builtin_fma(0.5, __lanza_erf_small(x < 0 ? -a.hi : a.hi), 0.5) : y;
  return x != x ? x : y;
}
__LANZA_FN double __lanza_normcdfinv(double x) {
  __lanza_pair y = __lanza_product(-1.4142135623730951, __lanza_erfcinv(x + x));
  return y.hi;
}

__LANZA_FN float __lanza_erff(float x) {
  float a = __builtin_fabsf(x), z = a * a;
  float small = __builtin_fmaf(a, __lanza_poly_erff(z), a);
  float t = a > 4.0f ? 4.0f : a;
  float large = 1.0f - __lanza_expf(t * __lanza_poly_erfcf(t));
  float y = a < 0.92f ? small : large;
  return x != x ? x : __builtin_copysignf(y, x);
}
// e^-(square + rest) q / (a + k), q the polynomial of (a - k) / (a + k): erfc(a) for k = 3 or, with other units of a,
// the normal distribution. What the rounding of a + k loses is a part of the exponent: near 1 it would cost most of an
// ulp.
__LANZA_FN float __lanza_erfc_product_f(float square, float rest, float a, float k, float scale) {
  __lanza_power_f power = __lanza_split_power_f(square * -1.44269502f);
  float r = __builtin_fmaf(power.n, -0.693145752f, -square);
  float sum = a + k, inverse = 1.0f / sum;
  r = __builtin_fmaf(power.n, -1.42860677e-06f, r) + __builtin_fmaf((sum - k) - a, inverse, -rest);
  float one = 1.0f + r, lo = r - (one - 1.0f);
  float e = one + __builtin_fmaf(r * r, __lanza_poly_expf(r), lo);
  float q = __lanza_poly_erfcxf(__builtin_fmaf(inverse, a + a, -1.0f));
  return e * (inverse * scale * q) * power.first * (square > 101.1f ? 0.0f : power.second);
}
__LANZA_FN float __lanza_erfcf(float x) {
  float a = __builtin_fabsf(x);
  a = a > 10.06f ? 10.06f : a;
  float square = a * a;
  float y = __lanza_erfc_product_f(square, __builtin_fmaf(a, a, -square), a, 3.0f, 1.0f);
  return x < 0 ? 2.0f - y : y;
}
__LANZA_FN float __lanza_erfcxf(float x) { return static_cast<float>(__lanza_erfcx(x)); }
__LANZA_FN float __lanza_erfinvf(float x) { return static_cast<float>(__lanza_erfinv(x)); }
__LANZA_FN float __lanza_erfcinvf(float x) { return static_cast<float>(__lanza_erfcinv(x)); }
// erfc(|x| / sqrt(2)) / 2, the roots of 2 left out of what is squared.
__LANZA_FN float __lanza_normcdff(float x) {
  float a = __builtin_fabsf(x);
  a = a > 14.24f ? 14.24f : a;
  float half = 0.5f * a, square = half * a;
  float y = __lanza_erfc_product_f(square, __builtin_fmaf(half, a, -square), a, 4.24264069f, 0.707106781f);
  return x > 0 ? 1.0f - y : y;
}
__LANZA_FN float __lanza_normcdfinvf(float x) { return static_cast<float>(__lanza_normcdfinv(x)); }
