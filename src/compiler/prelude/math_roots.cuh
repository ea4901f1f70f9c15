// rsqrt, cbrt, rcbrt, hypot and the norms; rsqrtf is in math.cuh, as the hardware has it.
#pragma once

// On a CPU it begins with the hardware's estimate (inverse_roots), off by less than 2^-14, and a step of the third
// order, after which 2^-40 is left for Newton: no root, no division, which on Zen 4 take 50 cycles for 8 numbers.
__LANZA_FN double __lanza_rsqrt(double x) {
  const bool divides = __lanza_reflect(LANZA_REFLECT_PTX);
  double first = divides ? 1.0 / __builtin_sqrt(x) : __nvvm_rsqrt_approx_d(x), y = first;
  if (!divides) {
    double error = __builtin_fma(-x * first, first, 1.0);
    y = __builtin_fma(first * error, __builtin_fma(0.375, error, 0.5), first);
  }
  // One step of Newton on 1 / y^2 = x: the error of (x y) y, exactly. x y is far from both ends of the numbers.
  double root = x * y;
  double rest = __builtin_fma(-root, y, 1.0) - __builtin_fma(x, y, -root) * y;
  double better = __builtin_fma(0.5 * y, rest, y);
  return better == better ? better : first;  // 0 times infinity, of either
}

// The cube root of |x| = 2^3k m with m between 1 and 8: a polynomial, a step of Halley, one of Newton whose residual is
// exact.
struct __lanza_cube_root {
  __lanza_pair value;
  int k;
};
__LANZA_FN __lanza_cube_root __lanza_cbrt_parts(double a) {
  bool small = a < 2.2250738585072014e-308;
  unsigned long long bits = __lanza_bits(small ? a * 18014398509481984.0 : a);
  int exponent = static_cast<int>(bits >> 52) - (small ? 1077 : 1023);  // 54 = 3 * 18 subtracted
  int k = (exponent + 1200) / 3 - 400;
  double m =
      __lanza_double((bits & 0xfffffffffffffull) | static_cast<unsigned long long>(exponent - 3 * k + 1023) << 52);
  double y = __lanza_poly_cbrt(m);
  double cube = y * y * y;
  y = y * ((cube + (m + m)) / ((cube + cube) + m));
  double square = y * y, square_lo = __builtin_fma(y, y, -square);
  double rest = __builtin_fma(-square, y, m) - square_lo * y;
  return {__lanza_fast_sum(y, rest / (3.0 * square)), k};
}
__LANZA_FN double __lanza_cbrt(double x) {
  double a = __builtin_fabs(x);
  __lanza_cube_root root = __lanza_cbrt_parts(a);
  double y = __builtin_copysign((root.value.hi + root.value.lo) * __lanza_exp2i(root.k), x);
  return a == 0 || !(a < __lanza_infinity()) ? x : y;
}
__LANZA_FN double __lanza_rcbrt(double x) {
  double a = __builtin_fabs(x);
  __lanza_cube_root root = __lanza_cbrt_parts(a);
  __lanza_pair q = __lanza_divide(__lanza_pair{1.0, 0.0}, root.value);
  double y = __builtin_copysign((q.hi + q.lo) * __lanza_exp2i(-root.k), x);
  return a == 0 || !(a < __lanza_infinity()) ? 1.0 / x : y;
}
// float: a = |x|, scaled by 2^60 where small, and r = a^(-1/3) up to some 2^-18: a third of the bits, taken as a
// number, is a third of the logarithm, which leaves 1 - a r^3 within 0.1028 for the polynomial. No step divides.
struct __lanza_cube_root_f {
  float a, r;
  bool small;
};
__LANZA_FN __lanza_cube_root_f __lanza_cbrt_parts_f(float x) {
  float a = __builtin_fabsf(x);
  bool small = a < 1e-18f;
  a = small ? a * 1.15292150e+18f : a;
  float bits = static_cast<float>(static_cast<int>(__lanza_bits(a)));
  unsigned int third = __lanza_bits(__builtin_fmaf(bits, 0.000651041686f, 12582912.0f)) << 9;  // 1 / (3 2^9), 1.5 2^23
  float r = __lanza_float(0xd4a20000u - third);
  float e = __builtin_fmaf(-a, r * r * r, 1.0f);
  return {a, r * __lanza_poly_rcbrtf(e), small};
}
// y = a r^2 and a step of Newton, whose residual is nearly exact.
__LANZA_FN float __lanza_cbrtf(float x) {
  __lanza_cube_root_f root = __lanza_cbrt_parts_f(x);
  float inverse = root.r * root.r, y = root.a * inverse;
  float square = y * y, square_lo = __builtin_fmaf(y, y, -square);
  float rest = __builtin_fmaf(-square_lo, y, __builtin_fmaf(-square, y, root.a));
  y = __builtin_fmaf(rest, 0.333333343f * inverse, y) * (root.small ? 9.53674316e-07f : 1.0f);
  return x == 0 || !(root.a < __lanza_infinity_f()) ? x : __builtin_copysignf(y, x);
}
__LANZA_FN float __lanza_rcbrtf(float x) {
  __lanza_cube_root_f root = __lanza_cbrt_parts_f(x);
  float r = root.r, square = r * r, square_lo = __builtin_fmaf(r, r, -square);
  float product = root.a * r, product_lo = __builtin_fmaf(root.a, r, -product);
  float rest = __builtin_fmaf(-product, square, 1.0f) - __builtin_fmaf(product_lo, square, product * square_lo);
  float y = __builtin_fmaf(rest * 0.333333343f, r, r) * (root.small ? 1048576.0f : 1.0f);
  y = root.a == __lanza_infinity_f() ? 0.0f : y;
  y = x == 0 ? __lanza_infinity_f() : y;
  return __builtin_copysignf(y, x);
}

// A power of two that brings the largest of some magnitudes to where squares neither overflow nor lose bits.
__LANZA_FN double __lanza_norm_scale(double largest) {
  return largest > 1e150 ? 2.409919865102884e-181 : largest < 1e-150 ? 4.149515568880993e180 : 1.0;  // 2^-600, 2^600
}
__LANZA_FN double __lanza_larger(double a, double b) { return a > b ? a : b; }
__LANZA_FN __lanza_pair __lanza_add_square(__lanza_pair sum, double x) {
  return __lanza_add(sum, __lanza_product(x, x));
}
struct __lanza_norm {
  __lanza_pair root;
  double scale;
  bool infinite, bad;
};
__LANZA_FN __lanza_norm __lanza_norm4(double a, double b, double c, double d) {
  a = __builtin_fabs(a), b = __builtin_fabs(b), c = __builtin_fabs(c), d = __builtin_fabs(d);
  double inf = __lanza_infinity();
  bool infinite = a == inf || b == inf || c == inf || d == inf;
  bool bad = a != a || b != b || c != c || d != d;
  double scale = __lanza_norm_scale(__lanza_larger(__lanza_larger(a, b), __lanza_larger(c, d)));
  __lanza_pair sum = __lanza_product(a * scale, a * scale);
  sum = __lanza_add_square(sum, b * scale);
  sum = __lanza_add_square(sum, c * scale);
  sum = __lanza_add_square(sum, d * scale);
  return {__lanza_square_root(sum), scale, infinite, bad};
}
__LANZA_FN double __lanza_norm_value(const __lanza_norm& n) {
  double y = (n.root.hi + n.root.lo) * (1.0 / n.scale);
  y = n.bad ? __lanza_nan() : y;
  return n.infinite ? __lanza_infinity() : y;
}
__LANZA_FN double __lanza_norm_inverse(const __lanza_norm& n) {
  __lanza_pair q = __lanza_divide(__lanza_pair{1.0, 0.0}, n.root);
  double y = n.root.hi == 0 ? __lanza_infinity() : (q.hi + q.lo) * n.scale;
  y = n.bad ? __lanza_nan() : y;
  return n.infinite ? 0.0 : y;
}
// The sum of the squares is rounded twice, the root halves that.
__LANZA_FN double __lanza_hypot(double x, double y) {
  double ax = __builtin_fabs(x), ay = __builtin_fabs(y);
  double large = ax > ay ? ax : ay, small = ax > ay ? ay : ax;
  if (large > 1e-150 && large < 1e150) return __builtin_sqrt(__builtin_fma(large, large, small * small));
  return __lanza_norm_value(__lanza_norm4(x, y, 0.0, 0.0));
}
__LANZA_FN double __lanza_rhypot(double x, double y) { return __lanza_norm_inverse(__lanza_norm4(x, y, 0.0, 0.0)); }
__LANZA_FN double __lanza_norm3d(double a, double b, double c) {
  return __lanza_norm_value(__lanza_norm4(a, b, c, 0.0));
}
__LANZA_FN double __lanza_rnorm3d(double a, double b, double c) {
  return __lanza_norm_inverse(__lanza_norm4(a, b, c, 0.0));
}
__LANZA_FN double __lanza_norm4d(double a, double b, double c, double d) {
  return __lanza_norm_value(__lanza_norm4(a, b, c, d));
}
__LANZA_FN double __lanza_rnorm4d(double a, double b, double c, double d) {
  return __lanza_norm_inverse(__lanza_norm4(a, b, c, d));
}
// Vectors of any length: the largest magnitude first, then the sum of the scaled squares.
__LANZA_FN __lanza_norm __lanza_norm_of(int count, const double* values) {
  double largest = 0.0;
  bool infinite = false, bad = false;
  for (int i = 0; i < count; ++i) {
    double a = __builtin_fabs(values[i]);
    infinite = infinite || a == __lanza_infinity();
    bad = bad || a != a;
    largest = __lanza_larger(a, largest);
  }
  double scale = __lanza_norm_scale(largest);
  __lanza_pair sum = {0.0, 0.0};
  for (int i = 0; i < count; ++i) sum = __lanza_add_square(sum, values[i] * scale);
  return {__lanza_square_root(sum), scale, infinite, bad};
}
__LANZA_FN double __lanza_norm_vector(int count, const double* values) {
  return __lanza_norm_value(__lanza_norm_of(count, values));
}
__LANZA_FN double __lanza_rnorm_vector(int count, const double* values) {
  return __lanza_norm_inverse(__lanza_norm_of(count, values));
}

// float, the reciprocals: the squares and their sum in double, which can do neither.
__LANZA_FN double __lanza_sum_squares_f(float a, float b, float c, float d) {
  double x = a, y = b, z = c, w = d;
  return __builtin_fma(x, x, __builtin_fma(y, y, __builtin_fma(z, z, w * w)));
}
__LANZA_FN bool __lanza_any_infinite_f(float a, float b, float c, float d) {
  float inf = __lanza_infinity_f();
  return __builtin_fabsf(a) == inf || __builtin_fabsf(b) == inf || __builtin_fabsf(c) == inf ||
         __builtin_fabsf(d) == inf;
}
__LANZA_FN float __lanza_rnorm4df(float a, float b, float c, float d) {
  float y = static_cast<float>(1.0 / __builtin_sqrt(__lanza_sum_squares_f(a, b, c, d)));
  return __lanza_any_infinite_f(a, b, c, d) ? 0.0f : y;
}
// float, the norms: a power of two brings the squares to where they neither overflow nor are denormal.
__LANZA_FN float __lanza_larger_f(float a, float b) { return a > b ? a : b; }
__LANZA_FN float __lanza_norm4df(float a, float b, float c, float d) {
  bool infinite = __lanza_any_infinite_f(a, b, c, d);
  a = __builtin_fabsf(a), b = __builtin_fabsf(b), c = __builtin_fabsf(c), d = __builtin_fabsf(d);
  float largest = __lanza_larger_f(__lanza_larger_f(a, b), __lanza_larger_f(c, d));
  bool large = largest > 1e18f, small = largest < 1e-15f;
  float scale = large ? 7.88860905e-31f : small ? 1.26765060e+30f : 1.0f;  // 2^-100, 2^100
  float inverse = large ? 1.26765060e+30f : small ? 7.88860905e-31f : 1.0f;
  a *= scale, b *= scale, c *= scale, d *= scale;
  float sum = __builtin_fmaf(a, a, __builtin_fmaf(b, b, __builtin_fmaf(c, c, d * d)));
  return infinite ? __lanza_infinity_f() : __builtin_sqrtf(sum) * inverse;
}
__LANZA_FN float __lanza_norm_vector_f(int count, const float* values) {
  double sum = 0.0;
  bool infinite = false;
  for (int i = 0; i < count; ++i) {
    double x = values[i];
    infinite = infinite || __builtin_fabs(x) == __lanza_infinity();
    sum = __builtin_fma(x, x, sum);
  }
  return infinite ? __lanza_infinity_f() : static_cast<float>(__builtin_sqrt(sum));
}
__LANZA_FN float __lanza_rnorm_vector_f(int count, const float* values) {
  double sum = 0.0;
  bool infinite = false;
  for (int i = 0; i < count; ++i) {
    double x = values[i];
    infinite = infinite || __builtin_fabs(x) == __lanza_infinity();
    sum = __builtin_fma(x, x, sum);
  }
  return infinite ? 0.0f : static_cast<float>(1.0 / __builtin_sqrt(sum));
}
