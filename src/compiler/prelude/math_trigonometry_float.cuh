// sinf, cosf, tanf and their kind: as for double, with float polynomials.
#pragma once

struct __lanza_reduced_f {
  float r;  // between -pi/4 and pi/4
  unsigned int quadrant;
};
// |x| up to 2^16, for the fast forms: n pi/2 in three parts (Cody and Waite).
__LANZA_FN __lanza_reduced_f __lanza_reduce_medium_f(float x) {
  __lanza_nearest_f n = __lanza_round_f(x * 0.636619747f);
  float r = __builtin_fmaf(n.value, -1.57079637f, x);
  r = __builtin_fmaf(n.value, 4.37113883e-08f, r);
  r = __builtin_fmaf(n.value, 1.71512451e-15f, r);
  return {r, static_cast<unsigned int>(n.integer)};
}
// Any x, after Payne and Hanek, without a table or a branch, which would cost vector code more than this. x = t 2^s
// with s = 0 below 2^76, else 53, which leaves t an integer; 2^s / (2 pi) modulo 1 is the sum of three constants of 28
// bits, whose products with t are exact, and a last one. Doubles hold what a cancellation leaves of their sum.
// Infinities come out as NaN.
__LANZA_FN __lanza_reduced_f __lanza_reduce_f(float x) {
  bool top = __builtin_fabsf(x) >= 7.555786372591432e+22f;
  double d1 = top ? 7.342738823155979e-17 : 0.15915494039654732;
  double d2 = top ? 2.7773570257824794e-25 : 2.6953480142255515e-09;
  double d3 = top ? 1.0046721373901103e-33 : 4.038449450981451e-18;
  double d4 = top ? 3.975028258922255e-42 : 1.924176216009893e-26;
  double t = static_cast<double>(x);
  double first = t * d1;
  double turns = __builtin_fma(t, d2, first - __builtin_rint(first));
  // The nearest quarter: as __lanza_round, with a last place of 1/4.
  double shifted = __builtin_fma(t, d3, turns) + 1688849860263936.0;
  double rest = __builtin_fma(t, d4, __builtin_fma(t, d3, turns - (shifted - 1688849860263936.0)));
  return {static_cast<float>(rest * 6.283185307179586), static_cast<unsigned int>(__lanza_bits(shifted))};
}
struct __lanza_sine_cosine_f {
  float sine, cosine;
};
__LANZA_FN __lanza_sine_cosine_f __lanza_sincos_octant_f(float r) {
  float z = r * r;
  float sine = __builtin_fmaf(z * r, __lanza_poly_sinf(z), r);
  float cosine = __builtin_fmaf(z * z, __lanza_poly_cosf(z), __builtin_fmaf(z, -0.5f, 1.0f));
  return {sine, cosine};
}
__LANZA_FN float __lanza_negate_if_f(unsigned int bit, float x) { return __lanza_float(__lanza_bits(x) ^ (bit << 31)); }
__LANZA_FN float __lanza_sin_reduced_f(__lanza_reduced_f reduced) {
  __lanza_sine_cosine_f y = __lanza_sincos_octant_f(reduced.r);
  float chosen = (reduced.quadrant & 1u) != 0 ? y.cosine : y.sine;
  return __lanza_negate_if_f(reduced.quadrant >> 1 & 1u, chosen);
}
__LANZA_FN float __lanza_cos_reduced_f(__lanza_reduced_f reduced) {
  return __lanza_sin_reduced_f(__lanza_reduced_f{reduced.r, reduced.quadrant + 1u});
}
__LANZA_FN bool __lanza_not_finite_f(float x) { return !(__builtin_fabsf(x) < __lanza_infinity_f()); }

__LANZA_FN float __lanza_sinf(float x) {
  float y = __lanza_sin_reduced_f(__lanza_reduce_f(x));
  return x == 0 ? x : y;
}
__LANZA_FN float __lanza_cosf(float x) { return __lanza_cos_reduced_f(__lanza_reduce_f(x)); }
__LANZA_FN void __lanza_sincosf(float x, float* sine, float* cosine) {
  __lanza_reduced_f reduced = __lanza_reduce_f(x);
  *sine = x == 0 ? x : __lanza_sin_reduced_f(reduced);
  *cosine = __lanza_cos_reduced_f(reduced);
}
__LANZA_FN float __lanza_tanf(float x) {
  __lanza_reduced_f reduced = __lanza_reduce_f(x);
  __lanza_sine_cosine_f y = __lanza_sincos_octant_f(reduced.r);
  bool odd = (reduced.quadrant & 1u) != 0;
  float t = (odd ? -y.cosine : y.sine) / (odd ? y.sine : y.cosine);
  return x == 0 ? x : t;
}
// Half turns: the reduction is exact: x = n / 2 + r. From 2^24 on every float is even.
__LANZA_FN __lanza_reduced_f __lanza_reduce_pi_f(float x) {
  float t = __builtin_fabsf(x) < 16777216.0f ? x : 0.0f;
  float n = __builtin_rintf(t + t);
  float r = __builtin_fmaf(n, -0.5f, t);
  float quarter = n - 4.0f * __builtin_rintf(0.25f * n);
  return {r, static_cast<unsigned int>(__lanza_round_f(quarter).integer)};
}
// sin(pi r) or cos(pi r), by the quadrant
__LANZA_FN float __lanza_sinpi_reduced_f(__lanza_reduced_f reduced) {
  float r = reduced.r, z = r * r;
  float sine = __builtin_fmaf(r, 3.14159274f, __builtin_fmaf(r * z, __lanza_poly_sinpif(z), r * -8.74227766e-08f));
  // The square and pi^2 / 2 in two parts each: at 1/4 one rounding of either would cost half an ulp.
  float z_lo = __builtin_fmaf(r, r, -z);
  float tail = __builtin_fmaf(z_lo, -4.93480206f, __builtin_fmaf(z * z, __lanza_poly_cospif(z), z * -1.45185794e-07f));
  float cosine = 1.0f + __builtin_fmaf(z, -4.93480206f, tail);
  float chosen = (reduced.quadrant & 1u) != 0 ? cosine : sine;
  return __lanza_negate_if_f(reduced.quadrant >> 1 & 1u, chosen);
}
__LANZA_FN float __lanza_sinpif(float x) {
  float y = __lanza_sinpi_reduced_f(__lanza_reduce_pi_f(x));
  y = __builtin_truncf(x) == x ? __builtin_copysignf(0.0f, x) : y;
  return __lanza_not_finite_f(x) ? __builtin_nanf("") : y;
}
__LANZA_FN float __lanza_cospif(float x) {
  __lanza_reduced_f reduced = __lanza_reduce_pi_f(x);
  float y = __lanza_sinpi_reduced_f(__lanza_reduced_f{reduced.r, reduced.quadrant + 1u});
  y = y == 0 ? 0.0f : y;
  return __lanza_not_finite_f(x) ? __builtin_nanf("") : y;
}
__LANZA_FN void __lanza_sincospif(float x, float* sine, float* cosine) {
  *sine = __lanza_sinpif(x);
  *cosine = __lanza_cospif(x);
}
