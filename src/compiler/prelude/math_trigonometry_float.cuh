// sinf, cosf, tanf and their kind: reduction in floats below 2^17, in doubles above, then float polynomials.
#pragma once

struct __lanza_reduced_f {
  float r;         // the argument less n quarter or half turns
  unsigned int n;  // their number, modulo 4 at least
};
// |x| < 2^17 less its nearest multiple of pi/2 or pi, in three parts (Cody and Waite): the parts are rounded down, and
// the first difference is exact.
__LANZA_FN __lanza_reduced_f __lanza_reduce_quarters_f(float x) {
  float shifted = __builtin_fmaf(x, 0.636619747f, 12582912.0f);
  float n = shifted - 12582912.0f;
  float r = __builtin_fmaf(n, -1.57079625f, x);
  r = __builtin_fmaf(n, -7.54978942e-08f, r);
  return {__builtin_fmaf(n, -5.39030253e-15f, r), __lanza_bits(shifted)};
}
// The multiple is n - offset, because cos(x) = sin(x + pi/2).
__LANZA_FN __lanza_reduced_f __lanza_reduce_halves_f(float x, float offset) {
  float shifted = offset == 0 ? __builtin_fmaf(x, 0.318309873f, 12582912.0f)
                              : __builtin_fmaf(x, 0.318309873f, offset) + 12582912.0f;
  float n = (shifted - 12582912.0f) - offset;
  float r = __builtin_fmaf(n, -3.1415925f, x);
  r = __builtin_fmaf(n, -1.50995788e-07f, r);
  return {__builtin_fmaf(n, -1.07806051e-14f, r), __lanza_bits(shifted)};
}
__LANZA_FN bool __lanza_reduces_in_floats(float x) { return __builtin_fabsf(x) < 131072.0f; }
// Any x, after Payne and Hanek, without a table. x = t 2^s with s = 0 below 2^76, else 53, which leaves t an integer;
// 2^s / (2 pi) modulo 1 is the sum of three constants of 28 bits, whose products with t are exact, and a last one.
// Doubles hold what a cancellation leaves of their sum. `shift` is 1.5 2^52 times the part of a turn that n counts.
// Infinities come out as NaN.
__LANZA_FN __lanza_reduced_f __lanza_reduce_large_f(float x, double offset, double shift) {
  bool top = __builtin_fabsf(x) >= 7.555786372591432e+22f;
  double d1 = top ? 7.342738823155979e-17 : 0.15915494039654732;
  double d2 = top ? 2.7773570257824794e-25 : 2.6953480142255515e-09;
  double d3 = top ? 1.0046721373901103e-33 : 4.038449450981451e-18;
  double d4 = top ? 3.975028258922255e-42 : 1.924176216009893e-26;
  double t = static_cast<double>(x);
  double first = t * d1;
  double turns = __builtin_fma(t, d2, first - __builtin_rint(first));
  turns = turns - __builtin_rint(turns);
  double shifted = (__builtin_fma(t, d3, turns) + offset) + shift;
  double rest = __builtin_fma(t, d4, __builtin_fma(t, d3, turns - ((shifted - shift) - offset)));
  return {static_cast<float>(rest * 6.283185307179586), static_cast<unsigned int>(__lanza_bits(shifted))};
}
__LANZA_FN float __lanza_negate_if_f(unsigned int bit, float x) { return __lanza_float(__lanza_bits(x) ^ (bit << 31)); }

// (-1)^n sin(r) for r between -pi/2 and pi/2, where sin(r) = r + r w(r^2).
__LANZA_FN float __lanza_sin_reduced_f(__lanza_reduced_f reduced) {
  float r = reduced.r, z = r * r;
  float w = __builtin_fmaf(z, -0.166666597f, z * z * __lanza_poly_sinf(z));
  return __lanza_negate_if_f(reduced.n, __builtin_fmaf(w, r, r));
}
__LANZA_FN __lanza_reduced_f __lanza_reduce_large_sin_f(float a) {
  return __lanza_reduce_large_f(a, 0.0, 3377699720527872.0);
}
__LANZA_FN __lanza_reduced_f __lanza_reduce_large_cos_f(float a) {
  return __lanza_reduce_large_f(a, 0.25, 3377699720527872.0);
}
// Both of |x|, so that a zero keeps its sign.
__LANZA_FN float __lanza_sinf(float x) {
  float a = __builtin_fabsf(x);
  __lanza_reduced_f reduced = __lanza_reduce_halves_f(a, 0.0f);
  if (!__lanza_reduces_in_floats(x)) reduced = __lanza_reduce_large_sin_f(a);
  return __lanza_negate_if_f(__lanza_bits(x) >> 31, __lanza_sin_reduced_f(reduced));
}
__LANZA_FN float __lanza_cosf(float x) {
  float a = __builtin_fabsf(x);
  __lanza_reduced_f reduced = __lanza_reduce_halves_f(a, 0.5f);
  if (!__lanza_reduces_in_floats(x)) reduced = __lanza_reduce_large_cos_f(a);
  return __lanza_sin_reduced_f(reduced);
}
struct __lanza_sine_cosine_f {
  float sine, cosine;
};
// One question for both: large arguments have most of their work in common.
__LANZA_FN __lanza_sine_cosine_f __lanza_sine_and_cosine_f(float x) {
  float a = __builtin_fabsf(x);
  __lanza_reduced_f of_sine = __lanza_reduce_halves_f(a, 0.0f), of_cosine = __lanza_reduce_halves_f(a, 0.5f);
  if (!__lanza_reduces_in_floats(x)) {
    of_sine = __lanza_reduce_large_sin_f(a);
    of_cosine = __lanza_reduce_large_cos_f(a);
  }
  return {__lanza_negate_if_f(__lanza_bits(x) >> 31, __lanza_sin_reduced_f(of_sine)), __lanza_sin_reduced_f(of_cosine)};
}
__LANZA_FN void __lanza_sincosf(float x, float* sine, float* cosine) {
  __lanza_sine_cosine_f y = __lanza_sine_and_cosine_f(x);
  *sine = y.sine;
  *cosine = y.cosine;
}
// tan(r) or, of an odd number of quarter turns, -1 / tan(r).
__LANZA_FN float __lanza_tan_reduced_f(__lanza_reduced_f reduced) {
  float r = reduced.r, z = r * r;
  float t = __builtin_fmaf(z * __lanza_poly_tanf(z), r, r);
  return (reduced.n & 1u) != 0 ? -1.0f / t : t;
}
__LANZA_FN float __lanza_tanf(float x) {
  float a = __builtin_fabsf(x);
  __lanza_reduced_f reduced = __lanza_reduce_quarters_f(a);
  if (!__lanza_reduces_in_floats(x)) reduced = __lanza_reduce_large_f(a, 0.0, 1688849860263936.0);
  return __lanza_negate_if_f(__lanza_bits(x) >> 31, __lanza_tan_reduced_f(reduced));
}
__LANZA_FN bool __lanza_not_finite_f(float x) { return !(__builtin_fabsf(x) < __lanza_infinity_f()); }

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
  float chosen = (reduced.n & 1u) != 0 ? cosine : sine;
  return __lanza_negate_if_f(reduced.n >> 1 & 1u, chosen);
}
__LANZA_FN float __lanza_sinpif(float x) {
  float y = __lanza_sinpi_reduced_f(__lanza_reduce_pi_f(x));
  y = __builtin_truncf(x) == x ? __builtin_copysignf(0.0f, x) : y;
  return __lanza_not_finite_f(x) ? __builtin_nanf("") : y;
}
__LANZA_FN float __lanza_cospif(float x) {
  __lanza_reduced_f reduced = __lanza_reduce_pi_f(x);
  float y = __lanza_sinpi_reduced_f(__lanza_reduced_f{reduced.r, reduced.n + 1u});
  y = y == 0 ? 0.0f : y;
  return __lanza_not_finite_f(x) ? __builtin_nanf("") : y;
}
__LANZA_FN void __lanza_sincospif(float x, float* sine, float* cosine) {
  *sine = __lanza_sinpif(x);
  *cosine = __lanza_cospif(x);
}
