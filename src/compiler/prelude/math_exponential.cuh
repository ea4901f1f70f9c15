// exp, exp2, exp10, expm1: e^x = 2^n e^r with |r| <= ln(2)/2, e^r by a polynomial (Muller, "Elementary Functions", 3rd
// ed., 11.3).
#pragma once

// e^(hi + lo) = 2^n (value.hi + value.lo), relative error some 2^-57, for |hi| < 2^30.
struct __lanza_exponential {
  __lanza_pair value;
  int n;
};
__LANZA_FN __lanza_exponential __lanza_exp_parts(double hi, double lo) {
  __lanza_nearest n = __lanza_round(hi * 1.4426950408889634);
  // ln(2) in two parts, the first of 42 bits: n times it is exact.
  double reduced = __builtin_fma(n.value, -0.6931471805598903, hi);
  double rest = __builtin_fma(n.value, -5.497923018708371e-14, lo);
  double r = reduced + rest;
  double r_lo = (reduced - r) + rest;
  double tail = __builtin_fma(r * r, __lanza_poly_exp(r), r_lo);
  __lanza_pair one = __lanza_fast_sum(1.0, r);
  return {__lanza_fast_sum(one.hi, one.lo + tail), n.integer};
}
// e^(hi + lo) rounded.
__LANZA_FN double __lanza_exp_pair(double hi, double lo) {
  double x = hi > 710.0 ? 710.0 : hi;
  x = x < -746.0 ? -746.0 : x;
  __lanza_exponential e = __lanza_exp_parts(x, x == hi ? lo : 0.0);
  return __lanza_scale(e.value.hi + e.value.lo, e.n);
}

__LANZA_FN double __lanza_exp(double x) {
  double t = x > 710.0 ? 710.0 : x;
  __lanza_power power = __lanza_split_power(t * 1.4426950408889634);
  double r = __builtin_fma(power.n, -0.6931471805598903, t);
  r = __builtin_fma(power.n, -5.497923018708371e-14, r);
  double tail = r * r * __lanza_poly_exp(r);
  __lanza_pair one = __lanza_fast_sum(1.0, r);
  double y = (one.hi + (one.lo + tail)) * power.first * power.second;
  return x < -746.0 ? 0.0 : y;
}
__LANZA_FN double __lanza_exp2(double x) {
  double t = x > 1025.0 ? 1025.0 : x;
  __lanza_power power = __lanza_split_power(t);
  double fraction = t - power.n;
  double r = fraction * 0.6931471805599453;
  double r_lo = __builtin_fma(fraction, 0.6931471805599453, -r) + fraction * 2.3190468138462996e-17;
  double tail = __builtin_fma(r * r, __lanza_poly_exp(r), r_lo);
  __lanza_pair one = __lanza_fast_sum(1.0, r);
  double y = (one.hi + (one.lo + tail)) * power.first * power.second;
  return x < -1076.0 ? 0.0 : y;
}
__LANZA_FN double __lanza_exp10(double x) {
  double t = x > 309.0 ? 309.0 : x;
  __lanza_power power = __lanza_split_power(t * 3.321928094887362);
  double fraction = __builtin_fma(power.n, -0.30102999566395283, t);
  fraction = __builtin_fma(power.n, -2.8363394551044964e-14, fraction);
  double r = fraction * 2.302585092994046;
  double r_lo = __builtin_fma(fraction, 2.302585092994046, -r) - fraction * 2.1707562233822494e-16;
  double tail = __builtin_fma(r * r, __lanza_poly_exp(r), r_lo);
  __lanza_pair one = __lanza_fast_sum(1.0, r);
  double y = (one.hi + (one.lo + tail)) * power.first * power.second;
  return x < -325.0 ? 0.0 : y;
}

// e^(hi + lo) - 1, relative error some 2^-56, for hi between -40 and 709.
__LANZA_FN __lanza_pair __lanza_expm1_pair(double hi, double lo) {
  __lanza_nearest n = __lanza_round(hi * 1.4426950408889634);
  double reduced = __builtin_fma(n.value, -0.6931471805598903, hi);
  double rest = __builtin_fma(n.value, -5.497923018708371e-14, lo);
  double r = reduced + rest, r_lo = (reduced - r) + rest;
  // e^r - 1 = r + r^2/2 + r^3 q(r), the square exactly: just above ln(2)/2 its errors would count four times, as
  // 2 (1 + p) - 1 cancels.
  double half_r = 0.5 * r, square = half_r * r;
  double square_lo = __builtin_fma(half_r, r, -square) + r_lo;
  __lanza_pair p = __lanza_fast_sum(r, square);
  p = __lanza_fast_sum(p.hi, p.lo + __builtin_fma(r * square, 2.0 * __lanza_poly_exp_cubic(r), square_lo));
  // 2^n (1 + p) - 1 = (2^n - 1) + 2^n p; 2^1024 is out of reach: take half of it twice.
  double half = __lanza_exp2i(n.integer - 1);
  __lanza_pair difference = __lanza_sum(half, -0.5);
  __lanza_pair sum = __lanza_sum(difference.hi, half * p.hi);
  sum = __lanza_fast_sum(sum.hi, sum.lo + __builtin_fma(half, p.lo, difference.lo));
  return {sum.hi + sum.hi, sum.lo + sum.lo};
}
__LANZA_FN double __lanza_expm1(double x) {
  double t = x > 709.8 ? 709.8 : x;
  t = t < -40.0 ? -40.0 : t;
  __lanza_pair e = __lanza_expm1_pair(t, 0.0);
  double y = e.hi + e.lo;
  return __builtin_fabs(x) < 1e-290 ? x : y;
}

__LANZA_FN float __lanza_expf(float x) {
  float t = x > 89.0f ? 89.0f : x;
  __lanza_power_f power = __lanza_split_power_f(t, 1.44269502f);
  float r = __builtin_fmaf(power.n, -0.693145752f, t);
  r = __builtin_fmaf(power.n, -1.42860677e-06f, r);
  // 1 + r + tail with the rounding error of 1 + r kept.
  float one = 1.0f + r, lo = r - (one - 1.0f);
  float y = (one + __builtin_fmaf(r * r, __lanza_poly_expf(r), lo)) * power.first * power.second;
  return x < -104.0f ? 0.0f : y;
}
__LANZA_FN float __lanza_exp2f(float x) {
  float t = x > 129.0f ? 129.0f : x;
  __lanza_power_f power = __lanza_split_power_f(t);
  float r = t - power.n;
  float y = __builtin_fmaf(r, __lanza_poly_exp2f(r), 1.0f) * power.first * power.second;
  return x < -151.0f ? 0.0f : y;
}
__LANZA_FN float __lanza_exp10f(float x) {
  float t = x > 39.0f ? 39.0f : x;
  __lanza_power_f power = __lanza_split_power_f(t * 3.32192802f);
  float fraction = __builtin_fmaf(power.n, -0.30103302001953125f, t);
  fraction = __builtin_fmaf(power.n, 3.02435546e-06f, fraction);
  fraction = __builtin_fmaf(power.n, 8.53234448e-14f, fraction);
  float r = fraction * 2.30258512f;
  r = __builtin_fmaf(fraction, -3.19754356e-08f, r);
  float p = __builtin_fmaf(r * r, __lanza_poly_expf(r), r);
  float y = (1.0f + p) * power.first * power.second;
  return x < -46.0f ? 0.0f : y;
}
// In double: float would need pairs to stay within one ulp.
__LANZA_FN float __lanza_expm1f(float x) {
  double t = x > 90.0f ? 90.0 : static_cast<double>(x);
  t = t < -40.0 ? -40.0 : t;
  __lanza_nearest n = __lanza_round(t * 1.4426950408889634);
  double r = __builtin_fma(n.value, -0.6931471805599453, t);
  double p = __builtin_fma(r * r, __lanza_poly_exp_short(r), r);
  double power = __lanza_exp2i(n.integer);
  float y = static_cast<float>(__builtin_fma(power, p, power - 1.0));
  return x == 0 ? x : y;
}
