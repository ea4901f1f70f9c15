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

// float: asin(s) = s + tail of s = x or, for |x| > 1/2, s = sqrt((1 - |x|) / 2).
struct __lanza_arcsine_f {
  bool large;
  float s, tail;
};
__LANZA_FN __lanza_arcsine_f __lanza_asin_parts_f(float x) {
  float a = __builtin_fabsf(x);
  bool large = a > 0.5f;
  float z = large ? __builtin_fmaf(a, -0.5f, 0.5f) : a * a;
  float s = large ? __builtin_sqrtf(z) : x;
  return {large, s, s * z * __lanza_poly_asinf(z)};
}
// What pi/2 and pi lack as floats goes to the small part of what is subtracted from them.
__LANZA_FN float __lanza_asinf(float x) {
  __lanza_arcsine_f r = __lanza_asin_parts_f(x);
  float large = __builtin_fmaf(r.s + (r.tail + 2.18556941e-08f), -2.0f, 1.57079637f);
  return __builtin_copysignf(r.large ? large : r.s + r.tail, x);
}
__LANZA_FN float __lanza_acosf(float x) {
  __lanza_arcsine_f r = __lanza_asin_parts_f(x);
  bool right = r.large && x > 0;
  float factor = r.large ? (right ? 2.0f : -2.0f) : -1.0f;
  float angle = r.large ? (right ? 0.0f : 3.14159274f) : 1.57079637f;
  float lacking = right ? 0.0f : 4.37113883e-08f;
  return __builtin_fmaf(r.s + (r.tail + lacking), factor, angle);
}
// atan(q) or, of a reciprocal, pi/2 - atan(q), for q between 0 and 1
__LANZA_FN float __lanza_atan_quotient_f(float q, bool reciprocal) {
  float z = q * q, cube = q * z, p = __lanza_poly_atanf(z);
  float complement = (1.57079637f - q) - __builtin_fmaf(cube, p, 4.37113883e-08f);
  return reciprocal ? complement : __builtin_fmaf(cube, p, q);
}
__LANZA_FN float __lanza_atanf(float x) {
  float t = __builtin_fabsf(x);
  bool large = t > 1.0f;
  return __builtin_copysignf(__lanza_atan_quotient_f((large ? 1.0f : t) / (large ? t : 1.0f), large), x);
}
__LANZA_FN float __lanza_atan2f(float y, float x) {
  float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y);
  bool swapped = ay > ax;
  float a = swapped ? ax : ay, b = swapped ? ay : ax;
  // Of two infinities or two zeros the quotient would be a NaN.
  float q = a == b ? (b == 0 ? 0.0f : 1.0f) : a / b;
  float r = __lanza_atan_quotient_f(q, swapped);
  r = __builtin_signbitf(x) ? 3.14159274f - r : r;
  float angle = __builtin_copysignf(r, y);
  return x != x || y != y ? x + y : angle;
}
