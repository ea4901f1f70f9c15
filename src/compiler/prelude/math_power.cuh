// pow: e^(y log(x)) with the logarithm in a pair of doubles; powf in double.
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
__LANZA_FN float __lanza_powf(float x, float y) { return __LANZA_IS_SQUARE(y) ? x * x : __lanza_pow_float(x, y); }
#undef __LANZA_IS_SQUARE
// Every int is exact in double, not in float.
__LANZA_FN float __lanza_powif(float x, int n) { return __lanza_pow_float(x, static_cast<double>(n)); }
