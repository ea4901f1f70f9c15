// sinh, cosh, tanh and their inverses, from e^x, e^x - 1 and log(1 + x) in pairs of doubles.
#pragma once

// e^a / 2 for a up to 711, where it may overflow.
__LANZA_FN __lanza_pair __lanza_half_exp(double a) {
  __lanza_exponential e = __lanza_exp_parts(a, 0.0);
  return {__lanza_scale(e.value.hi, e.n - 1), __lanza_scale(e.value.lo, e.n - 1)};
}
__LANZA_FN double __lanza_cosh(double x) {
  double a = __builtin_fabs(x);
  a = a > 711.0 ? 711.0 : a;
  __lanza_pair w = __lanza_half_exp(a);
  return w.hi + (w.lo + 0.25 / w.hi);
}
__LANZA_FN double __lanza_sinh(double x) {
  double a = __builtin_fabs(x), z = a < 1.0 ? a * a : 1.0;
  double small = __builtin_fma(a * z, __lanza_poly_sinh(z), a);
  __lanza_pair w = __lanza_half_exp(a > 711.0 ? 711.0 : a);
  double large = w.hi + (w.lo - 0.25 / w.hi);
  return __builtin_copysign(a < 1.0 ? small : large, x);
}
__LANZA_FN double __lanza_tanh(double x) {
  double a = __builtin_fabs(x);
  double twice = a > 20.0 ? 40.0 : a + a;
  __lanza_pair e = __lanza_expm1_pair(twice, 0.0);
  __lanza_pair q = __lanza_divide(e, __lanza_add(e, 2.0));
  double y = a == 0 ? a : q.hi + q.lo;
  return __builtin_copysign(y, x);
}

// log(a) + ln(2) for large a, where a + sqrt(a^2 +- 1) = 2 a.
__LANZA_FN double __lanza_log_twice(double a) {
  __lanza_pair l = __lanza_add(__lanza_log_pair(a), __lanza_pair{0.6931471805599453, 2.3190468138462996e-17});
  return l.hi + l.lo;
}
// a + sqrt(a^2 + 1) - 1 = a + a^2 / (1 + sqrt(a^2 + 1))
__LANZA_FN double __lanza_asinh(double x) {
  double a = __builtin_fabs(x);
  bool large = a > 1e9;
  double t = large ? 1.0 : a, square = t * t;
  __lanza_pair sum = __lanza_sum(t, square / (1.0 + __builtin_sqrt(square + 1.0)));
  __lanza_pair l = __lanza_log1p_pair(sum.hi, sum.lo);
  double y = large ? __lanza_log_twice(a) : l.hi + l.lo;
  y = a < 1e-160 ? a : y;
  return __builtin_copysign(a == __lanza_infinity() ? a : y, x);
}
__LANZA_FN double __lanza_acosh(double x) {
  bool large = x > 1e9;
  double t = large ? 1.0 : x - 1.0;
  __lanza_pair sum = __lanza_sum(t, __builtin_sqrt(__builtin_fma(t, t, t + t)));
  __lanza_pair l = __lanza_log1p_pair(sum.hi, sum.lo);
  double y = large ? __lanza_log_twice(x) : l.hi + l.lo;
  y = x == __lanza_infinity() ? x : y;
  return x < 1.0 ? __lanza_nan() : x == 1.0 ? 0.0 : y;
}
// atanh(x) = log(1 + 2 x / (1 - x)) / 2
__LANZA_FN double __lanza_atanh(double x) {
  double a = __builtin_fabs(x);
  __lanza_pair q = __lanza_divide(__lanza_pair{a + a, 0.0}, __lanza_sum(1.0, -a));
  __lanza_pair l = __lanza_log1p_pair(q.hi, q.lo);
  double y = 0.5 * (l.hi + l.lo);
  y = a < 1e-150 ? a : y;
  y = a == 1.0 ? __lanza_infinity() : y;
  return __builtin_copysign(a > 1.0 ? __lanza_nan() : y, x);
}

__LANZA_FN float __lanza_tanhf(float x) {
  float a = __builtin_fabsf(x);
  float z = a * a;
  float small = __builtin_fmaf(a * z, __lanza_poly_tanhf(z), a);
  // 1 - 2 / (e^2a + 1), e^2a without the care for the ends that expf takes
  float twice = a > 10.0f ? 20.0f : a + a;
  __lanza_nearest_f n = __lanza_round_f(twice * 1.44269502f);
  float r = __builtin_fmaf(n.value, -0.693145752f, twice);
  r = __builtin_fmaf(n.value, -1.42860677e-06f, r);
  float p = __builtin_fmaf(r * r, __lanza_poly_expf(r), r);
  float power = __lanza_exp2i_f(n.integer);
  float large = 1.0f - 2.0f / (__builtin_fmaf(power, p, power) + 1.0f);
  return __builtin_copysignf(a < 0.55f ? small : large, x);
}
// With a = n ln(2) + r: e^a / 4 and e^-a / 4 are 2^(n-2) and 2^(-n-2) times cosh(r) +- sinh(r). That is `grows` and
// `falls` times 1 + even +- odd, and nothing is divided.
struct __lanza_half_exponentials_f {
  float grows, falls, even, odd;
};
__LANZA_FN __lanza_half_exponentials_f __lanza_hyperbolic_parts_f(float a) {
  float t = a > 89.5f ? 89.5f : a;  // where both overflow
  __lanza_nearest_f n = __lanza_round_f(t * 1.44269502f);
  float r = __builtin_fmaf(n.value, -0.693145752f, t);
  r = __builtin_fmaf(n.value, -1.42860677e-06f, r);
  float z = r * r;
  float falls = t > 60.0f ? 0.0f : __lanza_exp2i_f(-2 - n.integer);
  return {__lanza_exp2i_f(n.integer - 2), falls, z * __lanza_poly_coshf(z),
          __builtin_fmaf(r * z, __lanza_poly_sinhf(z), r)};
}
__LANZA_FN float __lanza_sinhf(float x) {
  float a = __builtin_fabsf(x);
  __lanza_half_exponentials_f e = __lanza_hyperbolic_parts_f(a);
  float sum = e.grows + e.falls, difference = e.grows - e.falls;
  float half = difference + __builtin_fmaf(difference, e.even, sum * e.odd);
  return __builtin_copysignf(a < 1e-5f ? a : half + half, x);  // half of a denormal number would be rounded
}
__LANZA_FN float __lanza_coshf(float x) {
  __lanza_half_exponentials_f e = __lanza_hyperbolic_parts_f(__builtin_fabsf(x));
  float sum = e.grows + e.falls, difference = e.grows - e.falls;
  float half = sum + __builtin_fmaf(sum, e.even, difference * e.odd);
  return half + half;
}
// log(1 + x) or, where 1 + x is `large`, log(2 x); x >= 0.
__LANZA_FN float __lanza_log1p_or_twice_f(float x, bool large) {
  __lanza_logarithm_f l = __lanza_log1p_parts_f(x).rounded;
  float y = __lanza_log_of_parts_f(__lanza_logarithm_f{large ? l.e + 1.0f : l.e, l.f});
  return x == __lanza_infinity_f() ? x : y;
}
// As the double ones above.
__LANZA_FN float __lanza_asinhf(float x) {
  float a = __builtin_fabsf(x);
  bool large = a > 1e9f;
  float t = large ? 1.0f : a;
  float sum = __builtin_fmaf(t, t / (1.0f + __builtin_sqrtf(__builtin_fmaf(t, t, 1.0f))), t);
  float y = __lanza_log1p_or_twice_f(large ? a : sum, large);
  return __builtin_copysignf(a < 1e-18f ? a : y, x);
}
__LANZA_FN float __lanza_acoshf(float x) {
  bool large = x > 1e9f;
  float t = large ? 1.0f : x - 1.0f;
  float sum = t + __builtin_sqrtf(__builtin_fmaf(t, t, t + t));
  float y = __lanza_log1p_or_twice_f(large ? x : sum, large);
  return x < 1.0f ? __builtin_nanf("") : y;
}
__LANZA_FN float __lanza_atanhf(float x) {
  float a = __builtin_fabsf(x);
  float y = 0.5f * __lanza_log1p_or_twice_f((a + a) / (1.0f - a), false);
  y = a < 1e-18f ? a : y;
  return __builtin_copysignf(a > 1.0f ? __builtin_nanf("") : y, x);
}
