// Bessel functions: J and Y by tables below 8, by modulus and phase above (Abramowitz and Stegun, 9.2); higher orders
// by recurrence, downwards where the upward one loses digits (Miller; 9.12); I0 and I1.
#pragma once

// sqrt(2 / (pi x)) times the cosine of x - (2 order + 1) pi/4 + beta / x, the sine for Y; x >= 8 and finite.
__LANZA_FN double __lanza_bessel_large(int order, double x, bool second) {
  double u = 1.0 / (x * x);
  double alpha = order == 0 ? __lanza_poly_bessel_amplitude0(u) : __lanza_poly_bessel_amplitude1(u);
  double beta = order == 0 ? __lanza_poly_bessel_phase0(u) : __lanza_poly_bessel_phase1(u);
  __lanza_reduced angle = __lanza_reduce(x);
  // Less pi/4, which leaves |angle| <= pi/4 + 1/16: for negative remainders as pi/4 more and a quadrant less.
  bool negative = angle.r.hi < 0;
  __lanza_pair eighth = {negative ? 0.7853981633974483 : -0.7853981633974483,
                         negative ? 3.061616997868383e-17 : -3.061616997868383e-17};
  angle.r = __lanza_add(__lanza_add(angle.r, eighth), beta / x);
  angle.quadrant -= static_cast<unsigned int>(order) + (negative ? 1u : 0u);
  __lanza_sine_cosine wave = __lanza_sincos_reduced(angle);
  double y = alpha * (second ? wave.sine : wave.cosine) * __builtin_sqrt(0.6366197723675814 / x);
  return x == __lanza_infinity() ? 0.0 : y;
}
__LANZA_FN double __lanza_j0(double x) {
  double a = __builtin_fabs(x);
  if (a < 8.0) return __lanza_j0_small(a);
  return __lanza_bessel_large(0, a, false);
}
__LANZA_FN double __lanza_j1(double x) {
  double a = __builtin_fabs(x);
  double y = a < 8.0 ? __lanza_j1_small(a) : __lanza_bessel_large(1, a, false);
  return __lanza_negate_if(__builtin_signbit(x) != 0, y);
}
// What Y says of arguments that are not positive.
__LANZA_FN double __lanza_bessel_y_special(double x, double y) {
  y = x == 0 ? -__lanza_infinity() : y;
  return x < 0 || x != x ? __lanza_nan() : y;
}
__LANZA_FN double __lanza_y0(double x) {
  if (x >= 8.0) return __lanza_bessel_large(0, x, true);
  double near = 0.6366197723675814 * __lanza_log(x) * __lanza_j0_small(x < 0.7 ? x : 0.7) + __lanza_poly_y0(x * x);
  return __lanza_bessel_y_special(x, x < 0.7 ? near : __lanza_y0_small(x));
}
__LANZA_FN double __lanza_y1(double x) {
  if (x >= 8.0) return __lanza_bessel_large(1, x, true);
  double logarithm = 0.6366197723675814 * __lanza_log(x) * __lanza_j1_small(x < 1.6 ? x : 1.6);
  double near = __builtin_fma(x, __lanza_poly_y1(x * x), logarithm) - 0.6366197723675814 / x;
  return __lanza_bessel_y_special(x, x < 1.6 ? near : __lanza_y1_small(x));
}

// Upwards from orders 0 and 1 to n >= 1.
__LANZA_FN double __lanza_bessel_upward(int n, double x, double first, double second) {
  double inverse = 2.0 / x;
  for (int k = 1; k < n && second > -__lanza_infinity(); ++k) {
    double next = __builtin_fma(static_cast<double>(k) * inverse, second, -first);
    first = second;
    second = next;
  }
  return second;
}
// J_n(x) for 0 < x < n: downwards from an order where J is negligible, scaled by J0 + 2 (J2 + J4 + ...) = 1.
__LANZA_FN double __lanza_bessel_downward(int n, double x) {
  double order = static_cast<double>(n);
  // |J_n(x)| <= (e x / 2 n)^n: nothing is left of it below e^-760.
  if (order * (__lanza_log(2.0 * order / x) - 1.0) > 760.0) return 0.0;
  if (x < 1e-8) {  // (x / 2)^n / n!
    double y = 1.0;
    for (int k = 1; k <= n; ++k) y *= 0.5 * x / static_cast<double>(k);
    return y;
  }
  // From an even order, so far above that the digits of J_n are right when they arrive.
  long long top = n + static_cast<long long>(__builtin_sqrt(160.0 * order)) + 16;
  double inverse = 2.0 / x, above = 0.0, here = 1.0, sum = 0.0, result = 0.0;
  for (long long k = top + (top & 1); k > 0; --k) {
    double below = __builtin_fma(static_cast<double>(k) * inverse, here, -above);
    above = here;
    here = below;
    double scale = __builtin_fabs(here) > 1e200 ? 1e-200 : 1.0;
    above *= scale, here *= scale, sum *= scale, result *= scale;
    result = k == n ? above : result;
    // `here` is of order k - 1.
    sum += (k & 1) != 0 ? here : 0.0;
  }
  return result / (sum + sum - here);
}
__LANZA_FN double __lanza_jn(int n, double x) {
  if (n < 0 || x != x) return __lanza_nan();
  if (n == 0) return __lanza_j0(x);
  if (n == 1) return __lanza_j1(x);
  double a = __builtin_fabs(x);
  if (a == 0 || a == __lanza_infinity()) return 0.0;
  double y = a < static_cast<double>(n) ? __lanza_bessel_downward(n, a)
                                        : __lanza_bessel_upward(n, a, __lanza_j0(a), __lanza_j1(a));
  return __lanza_negate_if(x < 0 && (n & 1) != 0, y);
}
__LANZA_FN double __lanza_yn(int n, double x) {
  if (n < 0) return __lanza_nan();
  if (n == 0) return __lanza_y0(x);
  double first = __lanza_y1(x);
  if (n == 1 || !(x > 0 && x < __lanza_infinity())) return first;
  return __lanza_bessel_upward(n, x, __lanza_y0(x), first);
}

// e^x p / sqrt(x) for x >= 8; infinite from 714 on.
__LANZA_FN double __lanza_bessel_growth(double x, double p) {
  double t = x > 720.0 ? 720.0 : x;
  __lanza_exponential e = __lanza_exp_parts(t, 0.0);
  return __lanza_scale((e.value.hi + e.value.lo) * (p / __builtin_sqrt(t)), e.n);
}
__LANZA_FN double __lanza_cyl_bessel_i0(double x) {
  double a = __builtin_fabs(x), small = a < 8.0 ? a : 8.0, z = 0.25 * small * small;
  double large = a < 8.0 ? 8.0 : a;
  double y = a < 8.0 ? __builtin_fma(z, __lanza_poly_i0(z), 1.0)
                     : __lanza_bessel_growth(large, __lanza_poly_i0_large(16.0 / large - 1.0));
  return x != x ? x : y;
}
__LANZA_FN double __lanza_cyl_bessel_i1(double x) {
  double a = __builtin_fabs(x), small = a < 8.0 ? a : 8.0, half = 0.5 * small, z = half * half;
  double large = a < 8.0 ? 8.0 : a;
  double y = a < 8.0 ? __builtin_fma(half * z, __lanza_poly_i1(z), half)
                     : __lanza_bessel_growth(large, __lanza_poly_i1_large(16.0 / large - 1.0));
  return x != x ? x : __builtin_copysign(y, x);
}

// In double, like the other functions whose cost is elsewhere.
__LANZA_FN float __lanza_j0f(float x) { return static_cast<float>(__lanza_j0(x)); }
__LANZA_FN float __lanza_j1f(float x) { return static_cast<float>(__lanza_j1(x)); }
__LANZA_FN float __lanza_jnf(int n, float x) { return static_cast<float>(__lanza_jn(n, x)); }
__LANZA_FN float __lanza_y0f(float x) { return static_cast<float>(__lanza_y0(x)); }
__LANZA_FN float __lanza_y1f(float x) { return static_cast<float>(__lanza_y1(x)); }
__LANZA_FN float __lanza_ynf(int n, float x) { return static_cast<float>(__lanza_yn(n, x)); }
__LANZA_FN float __lanza_cyl_bessel_i0f(float x) { return static_cast<float>(__lanza_cyl_bessel_i0(x)); }
__LANZA_FN float __lanza_cyl_bessel_i1f(float x) { return static_cast<float>(__lanza_cyl_bessel_i1(x)); }
