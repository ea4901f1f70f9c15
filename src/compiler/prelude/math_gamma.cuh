// tgamma and lgamma: Stirling's formula from 8 on, the recurrence below, reflection for negative arguments, polynomials
// around the zeros 1 and 2 of lgamma.
#pragma once

// lgamma(y + y_lo) for y >= 8
__LANZA_FN __lanza_pair __lanza_stirling(double y, double y_lo) {
  __lanza_pair l = __lanza_log_pair(y);
  double inverse = 1.0 / y;
  __lanza_pair sum = __lanza_multiply(l, y - 0.5);
  sum = __lanza_add(sum, -y);
  sum = __lanza_add(sum, __lanza_pair{0.9189385332046728, -3.8782941580672414e-17});
  double tail = inverse * __lanza_poly_stirling(inverse * inverse) + y_lo * (l.hi - 0.5 * inverse);
  return __lanza_add(sum, tail);
}
// 0 < a < 8 as (a + n) with a + n >= 8, and the product (a + 1) ... (a + n - 1), a itself left out.
struct __lanza_shifted {
  __lanza_pair argument, product;
};
__LANZA_FN __lanza_shifted __lanza_shift_gamma(double a) {
  __lanza_shifted s = {{a, 0.0}, {1.0, 0.0}};
  for (int i = 1; i <= 8; ++i) {
    bool more = s.argument.hi < 8.0;
    __lanza_pair next = __lanza_sum(a, static_cast<double>(i));
    __lanza_pair product = __lanza_multiply(s.product, i == 1 ? __lanza_pair{1.0, 0.0} : s.argument);
    s.argument = {more ? next.hi : s.argument.hi, more ? next.lo : s.argument.lo};
    s.product = {more ? product.hi : s.product.hi, more ? product.lo : s.product.lo};
  }
  return s;
}
__LANZA_FN double __lanza_tgamma(double x) {
  double a = __builtin_fabs(x);
  double t = a > 200.0 ? 200.0 : a;
  __lanza_shifted s = __lanza_shift_gamma(t);
  __lanza_pair l = __lanza_stirling(s.argument.hi, s.argument.lo);
  bool negative = x < 0, direct = t >= 8.0;
  __lanza_exponential e = __lanza_exp_parts(negative ? -l.hi : l.hi, negative ? -l.lo : l.lo);
  // Gamma(a) = e^l / (a product); Gamma(-a) = -pi / (sin(pi a) Gamma(a + 1))
  double positive = direct ? e.value.hi : e.value.hi / (s.product.hi * t);
  positive += direct ? e.value.lo : positive * (e.value.lo / e.value.hi - s.product.lo / s.product.hi);
  double sine = __lanza_sinpi(a);
  double reflected = -3.141592653589793 / sine * ((e.value.hi + e.value.lo) * (direct ? 1.0 / t : s.product.hi));
  double y = __lanza_scale(negative ? reflected : positive, e.n);
  y = x == __lanza_infinity() || x > 172.0 ? __lanza_infinity() : y;
  y = negative && __builtin_trunc(x) == x ? __lanza_nan() : y;
  y = negative && a > 190.0 && __builtin_trunc(x) != x ? __builtin_copysign(0.0, reflected) : y;
  y = a < 1e-300 ? 1.0 / x : y;
  return x != x ? x : y;
}

__LANZA_FN double __lanza_lgamma_positive(double a) {
  if (a < 0.5) {
    __lanza_pair l = __lanza_log_pair(a);
    return __builtin_fma(a, __lanza_poly_lgamma1(a), -l.lo) - l.hi;
  }
  if (a <= 1.4) return __builtin_fma(a - 1.0, __lanza_poly_lgamma1(a - 1.0), 0.0);
  if (a <= 3.0) return __builtin_fma(a - 2.0, __lanza_poly_lgamma2(a - 2.0), 0.0);
  if (a >= 8.0) {
    if (a > 1e305) return a * (__lanza_log(a) - 1.0);  // overflows where it should
    __lanza_pair l = __lanza_stirling(a, 0.0);
    return l.hi + l.lo;
  }
  __lanza_shifted s = __lanza_shift_gamma(a);
  __lanza_pair product = __lanza_multiply(s.product, a);
  __lanza_pair p = __lanza_add(__lanza_log_pair(product.hi), product.lo / product.hi);
  __lanza_pair l = __lanza_add(__lanza_stirling(s.argument.hi, s.argument.lo), __lanza_pair{-p.hi, -p.lo});
  return l.hi + l.lo;
}
__LANZA_FN double __lanza_lgamma(double x) {
  double a = __builtin_fabs(x);
  if (x != x) return x;
  if (a == __lanza_infinity()) return a;
  if (a < 1e-20) return -__lanza_log(a);
  double y = __lanza_lgamma_positive(a);
  if (x > 0) return y;
  if (__builtin_trunc(x) == x) return __lanza_infinity();
  // log(pi / (a |sin(pi a)|)) - lgamma(a)
  double sine = __builtin_fabs(__lanza_sinpi(a));
  return (1.1447298858494002 - __lanza_log(a * sine)) - y;
}
__LANZA_FN float __lanza_tgammaf(float x) { return static_cast<float>(__lanza_tgamma(x)); }
__LANZA_FN float __lanza_lgammaf(float x) { return static_cast<float>(__lanza_lgamma(x)); }
