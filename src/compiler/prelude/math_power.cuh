// pow: e^(y log(x)) with the logarithm in a pair of doubles; powf: 2^(y log2(x)) with it in a pair of floats.
#pragma once

__LANZA_FN bool __lanza_is_odd(double y) {
  double half = 0.5 * y;
  return __builtin_trunc(y) == y && __builtin_trunc(half) != half;
}
// The cases in which pow is not e^(y log|x|): `magnitude` is that value, for x = 0 and infinity too.
__LANZA_FN double __lanza_pow_special(double x, double y, double magnitude) {
  double result = x < 0 && __lanza_is_odd(y) ? -magnitude : magnitude;
  result = x == 0 && __lanza_is_odd(y) ? __builtin_copysign(magnitude, x) : result;
  bool finite = x > -__lanza_infinity();
  result = x < 0 && finite && __builtin_trunc(y) != y ? __lanza_nan() : result;
  result = x == -1 && __builtin_fabs(y) == __lanza_infinity() ? 1.0 : result;
  result = x != x || y != y ? x + y : result;
  return x == 1 || y == 0 ? 1.0 : result;
}
// A square that is written as a power: the same within the last place, and as exact.
#define __LANZA_IS_SQUARE(y) (__builtin_constant_p(y) && (y) == 2)
__LANZA_FN double __lanza_pow(double x, double y) {
  if (__LANZA_IS_SQUARE(y)) return x * x;
  double a = __builtin_fabs(x);
  __lanza_pair l = __lanza_log_pair(a);
  bool extreme = a == 0 || a == __lanza_infinity();
  double hi = a == 0 ? -__lanza_infinity() : a == __lanza_infinity() ? a : l.hi;
  double lo = extreme ? 0.0 : l.lo;
  double product = y * hi;
  double rest = __builtin_fma(y, hi, -product) + y * lo;
  return __lanza_pow_special(x, y, __lanza_exp_pair(product, rest));
}

// Relative error some 2^-36: floats come out correctly rounded but for rare ties.
__LANZA_FN double __lanza_exp_short(double x) {
  double t = x > 200.0 ? 200.0 : x;
  t = t < -200.0 ? -200.0 : t;
  __lanza_nearest n = __lanza_round(t * 1.4426950408889634);
  double r = __builtin_fma(n.value, -0.6931471805599453, t);
  double p = __builtin_fma(r * r, __lanza_poly_exp_short(r), r);
  return __builtin_fma(__lanza_exp2i(n.integer), p, __lanza_exp2i(n.integer));
}
__LANZA_FN double __lanza_log_short(double x) {
  unsigned long long bits = __lanza_bits(x);
  int e = static_cast<int>(static_cast<unsigned int>(bits >> 32) - 0x3fe6a09eu) >> 20;
  double m = __lanza_double(bits - (static_cast<unsigned long long>(static_cast<long long>(e)) << 52));
  double s = (m - 1.0) / (m + 1.0), z = s * s;
  double log_m = __builtin_fma(s * z, __lanza_poly_log_short(z), s + s);
  return __builtin_fma(static_cast<double>(e), 0.6931471805599453, log_m);
}
__LANZA_FN float __lanza_pow_float(float x, double y) {
  double a = __builtin_fabs(static_cast<double>(x));
  double l = __lanza_log_short(a);
  l = a == 0 ? -__lanza_infinity() : a == __lanza_infinity() ? a : l;
  return static_cast<float>(__lanza_pow_special(x, y, __lanza_exp_short(y * l)));
}

// log2(x) for finite x > 0 as a sum, relative error some 2^-30: e + log2(m), where m = (1 + s) / (1 - s) and s has a
// second part.
struct __lanza_pair_f {
  float hi, lo;
};
__LANZA_FN __lanza_pair_f __lanza_log2_pair_f(float x) {
  bool small = x < 1.17549435e-38f;
  unsigned int bits = __lanza_bits(small ? x * 8388608.0f : x);
  int exponent = static_cast<int>(bits - 0x3f3504f3u) >> 23;
  float m = __lanza_float(bits - (static_cast<unsigned int>(exponent) << 23));
  float e = static_cast<float>(small ? exponent - 23 : exponent);
  float f = m - 1.0f, d = m + 1.0f, d_lo = m - (d - 1.0f);
  float inverse = 1.0f / d, s = f * inverse, z = s * s;
  float s_lo = __builtin_fmaf(-s, d_lo, __builtin_fmaf(-s, d, f)) * inverse;
  // 2 log2(e) in two parts
  float product = s * 2.88539004f;
  s_lo = __builtin_fmaf(s_lo, z, s_lo);  // times the derivative of atanh
  float rest = __builtin_fmaf(s_lo, 2.88539004f, __builtin_fmaf(s, 2.88539004f, -product));
  rest = __builtin_fmaf(s, 3.85192592e-08f, rest);
  float lo = __builtin_fmaf(s * z, __lanza_poly_log2f(z), rest);
  float sum = e + product, sum_lo = (product - (sum - e)) + lo, hi = sum + sum_lo;
  return {hi, sum_lo - (hi - sum)};
}
// 2^(y log2 |x|): where y is so large that its product with the logarithm is too, less will do, and no infinity meets a
// 0.
__LANZA_FN float __lanza_pow_magnitude_f(float a, float y) {
  float t = y > 1e20f ? 1e20f : y;
  t = t < -1e20f ? -1e20f : t;
  __lanza_pair_f l = __lanza_log2_pair_f(a);
  float hi = a == 0 ? -__lanza_infinity_f() : a == __lanza_infinity_f() ? a : l.hi;
  float product = t * hi;
  float rest = __builtin_fmaf(t, l.lo, __builtin_fmaf(t, hi, -product));
  float n = product > 129.0f ? 129.0f : product;
  n = n < -151.0f ? -151.0f : n;
  __lanza_power_f power = __lanza_split_power_f(n);
  float r = (n - power.n) + (n == product ? rest : 0.0f);
  return __builtin_fmaf(r, __lanza_poly_exp2f(r), 1.0f) * power.first * (product < -151.0f ? 0.0f : power.second);
}
__LANZA_FN float __lanza_pow_by_log2_f(float x, float y) {
  float result = __lanza_pow_magnitude_f(__builtin_fabsf(x), y), half = 0.5f * y;
  bool integer = __builtin_truncf(y) == y, odd = integer && __builtin_truncf(half) != half;
  result = odd ? __builtin_copysignf(result, x) : result;
  result = x < 0 && x > -__lanza_infinity_f() && !integer ? __builtin_nanf("") : result;
  result = x != x || y != y ? x + y : result;
  return x == 1 || y == 0 ? 1.0f : result;
}
__LANZA_FN float __lanza_powf(float x, float y) { return __LANZA_IS_SQUARE(y) ? x * x : __lanza_pow_by_log2_f(x, y); }
#undef __LANZA_IS_SQUARE
// In double: not every int is a float.
__LANZA_FN float __lanza_powif(float x, int n) { return __lanza_pow_float(x, static_cast<double>(n)); }
