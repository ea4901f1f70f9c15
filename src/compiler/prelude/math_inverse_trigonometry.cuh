// asin, acos, atan, atan2: arguments reduced by identities to where a polynomial converges fast (Muller, "Elementary
// Functions", 11.5).
#pragma once

// atan(a / b) for 0 <= a <= b, b > 0 and neither extreme: for a / b > tan(pi/8) it is pi/4 + atan((a - b) / (a + b)).
__LANZA_FN __lanza_pair __lanza_atan_quotient(double a, double b) {
  bool large = a > 0.41421356237309503 * b;
  __lanza_pair difference = __lanza_sum(a, -b), sum = __lanza_sum(a, b);
  __lanza_pair top = {large ? difference.hi : a, large ? difference.lo : 0.0};
  __lanza_pair bottom = {large ? sum.hi : b, large ? sum.lo : 0.0};
  __lanza_pair q = __lanza_divide(top, bottom);
  double z = q.hi * q.hi;
  double tail = __builtin_fma(q.hi * z, __lanza_poly_atan(z), q.lo - q.lo * z);
  __lanza_pair r = __lanza_fast_sum(large ? 0.7853981633974483 : 0.0, q.hi);
  return __lanza_fast_sum(r.hi, r.lo + (tail + (large ? 3.061616997868383e-17 : 0.0)));
}
// c - r
__LANZA_FN __lanza_pair __lanza_subtract_from(__lanza_pair c, __lanza_pair r) {
  return __lanza_add(c, __lanza_pair{-r.hi, -r.lo});
}
__LANZA_FN double __lanza_atan(double x) {
  double t = __builtin_fabs(x);
  t = t > 1e300 ? 1e300 : t;
  bool large = t > 1.0;
  __lanza_pair r = __lanza_atan_quotient(large ? 1.0 : t, large ? t : 1.0);
  __lanza_pair complement = __lanza_subtract_from(__lanza_pair{1.5707963267948966, 6.123233995736766e-17}, r);
  double y = large ? complement.hi + complement.lo : r.hi + r.lo;
  return __builtin_copysign(y, x);
}
__LANZA_FN double __lanza_atan2(double y, double x) {
  double ax = __builtin_fabs(x), ay = __builtin_fabs(y);
  bool swapped = ay > ax;
  double a = swapped ? ax : ay, b = swapped ? ay : ax;
  // Infinities and zeros as finite quotients, then both into the middle of the range.
  a = b == __lanza_infinity() ? (a == b ? 1.0 : 0.0) : a;
  b = b == __lanza_infinity() || b == 0 ? 1.0 : b;
  double scale = b > 1e211 ? 2.409919865102884e-181 : b < 1e-200 ? 4.149515568880993e180 : 1.0;  // 2^-600, 2^600
  __lanza_pair r = __lanza_atan_quotient(a * scale, b * scale);
  __lanza_pair complement = __lanza_subtract_from(__lanza_pair{1.5707963267948966, 6.123233995736766e-17}, r);
  r = {swapped ? complement.hi : r.hi, swapped ? complement.lo : r.lo};
  __lanza_pair supplement = __lanza_subtract_from(__lanza_pair{3.141592653589793, 1.2246467991473532e-16}, r);
  bool left = __builtin_signbit(x);
  double angle = left ? supplement.hi + supplement.lo : r.hi + r.lo;
  angle = __builtin_copysign(angle, y);
  return x != x || y != y ? x + y : angle;
}

// asin(s) - s for s = sqrt(z), |s| <= 1/2
__LANZA_FN double __lanza_asin_tail(double s, double z) { return s * z * __lanza_poly_asin(z); }
// For |x| > 1/2, asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)).
__LANZA_FN double __lanza_asin(double x) {
  double a = __builtin_fabs(x);
  bool large = a > 0.5;
  double z = large ? 0.5 * (1.0 - a) : a * a;
  double s = large ? __builtin_sqrt(z) : a;
  double s_lo = large && s != 0 ? __builtin_fma(-s, s, z) / (s + s) : 0.0;
  double tail = __lanza_asin_tail(s, z);
  __lanza_pair r = __lanza_fast_sum(1.5707963267948966, -2.0 * s);
  double y = large ? r.hi + (r.lo + (6.123233995736766e-17 - 2.0 * (s_lo + tail))) : s + tail;
  return __builtin_copysign(y, x);
}
__LANZA_FN double __lanza_acos(double x) {
  double a = __builtin_fabs(x);
  bool large = a > 0.5;
  double z = large ? 0.5 * (1.0 - a) : a * a;
  double s = large ? __builtin_sqrt(z) : x;
  double s_lo = large && s != 0 ? __builtin_fma(-s, s, z) / (s + s) : 0.0;
  double tail = s_lo + __lanza_asin_tail(s, z);
  __lanza_pair middle = __lanza_fast_sum(1.5707963267948966, -s);
  __lanza_pair left = __lanza_fast_sum(3.141592653589793, -2.0 * s);
  double y = middle.hi + (middle.lo + (6.123233995736766e-17 - tail));
  double near = 2.0 * (s + tail), far = left.hi + (left.lo + (1.2246467991473532e-16 - 2.0 * tail));
  return large ? (x < 0 ? far : near) : y;
}

__LANZA_FN float __lanza_asinf(float x) { return static_cast<float>(__lanza_asin(x)); }
__LANZA_FN float __lanza_acosf(float x) { return static_cast<float>(__lanza_acos(x)); }
// In double, without the pairs.
__LANZA_FN double __lanza_atan_short(double a, double b) {
  bool large = a > 0.41421356237309503 * b;
  double q = (large ? a - b : a) / (large ? a + b : b);
  double z = q * q;
  return __builtin_fma(q * z, __lanza_poly_atan(z), q) + (large ? 0.7853981633974483 : 0.0);
}
__LANZA_FN float __lanza_atanf(float x) {
  double t = __builtin_fabs(static_cast<double>(x));
  t = t > 1e300 ? 1e300 : t;
  bool large = t > 1.0;
  double r = __lanza_atan_short(large ? 1.0 : t, large ? t : 1.0);
  return __builtin_copysignf(static_cast<float>(large ? 1.5707963267948966 - r : r), x);
}
__LANZA_FN float __lanza_atan2f(float y, float x) {
  double ax = __builtin_fabs(static_cast<double>(x)), ay = __builtin_fabs(static_cast<double>(y));
  bool swapped = ay > ax;
  double a = swapped ? ax : ay, b = swapped ? ay : ax;
  a = b == __lanza_infinity() ? (a == b ? 1.0 : 0.0) : a;
  b = b == __lanza_infinity() || b == 0 ? 1.0 : b;
  double r = __lanza_atan_short(a, b);
  r = swapped ? 1.5707963267948966 - r : r;
  r = __builtin_signbit(x) ? 3.141592653589793 - r : r;
  float angle = __builtin_copysignf(static_cast<float>(r), y);
  return x != x || y != y ? x + y : angle;
}
