// sinf, cosf, tanf and their kind: as for double, with float polynomials.
#pragma once

struct __lanza_reduced_f {
  float r;  // between -pi/4 and pi/4
  unsigned int quadrant;
};
// |x| up to 2^16: n pi/2 in three parts.
__LANZA_FN __lanza_reduced_f __lanza_reduce_medium_f(float x) {
  __lanza_nearest_f n = __lanza_round_f(x * 0.636619747f);
  float r = __builtin_fmaf(n.value, -1.57079637f, x);
  r = __builtin_fmaf(n.value, 4.37113883e-08f, r);
  r = __builtin_fmaf(n.value, 1.71512451e-15f, r);
  return {r, static_cast<unsigned int>(n.integer)};
}
// x modulo 4 as a number between -2 and 2.
__LANZA_FN double __lanza_modulo4(double x) { return __builtin_fma(__builtin_rint(0.25 * x), -4.0, x); }
// Any |x| >= 2^16, after Payne and Hanek. x = t 2^s with s one of 0, 31, 69, so that t is an integer (if s is not 0)
// below 2^61; of 2^s 2/pi modulo 4 there are three constants of 29 bits, whose products with t are exact, and a last
// one. Selecting them needs no table.
__LANZA_FN __lanza_reduced_f __lanza_reduce_large_f(float x) {
  float a = __builtin_fabsf(x);
  bool middle = a >= 18014398509481984.0f, top = a >= 4.951760157141521e+27f;
  double scale = top ? 1.6940658945086007e-21 : middle ? 4.656612873077393e-10 : 1.0;
  double d1 = top ? 3.5192104652523994 : middle ? 3.152863174676895 : 0.6366197690367699;
  double d2 = top ? 7.136448654243566e-09 : middle ? 4.887694401989329e-09 : 3.3308114738561656e-09;
  double d3 = top ? 1.4866112199281976e-18 : middle ? 1.2629812481891702e-17 : 2.276010047810136e-18;
  double d4 = top ? 1.0192499287715441e-26 : middle ? 2.2219731351173257e-26 : 2.52682603558315e-26;
  double t = static_cast<double>(x) * scale;
  double p1 = __lanza_modulo4(t * d1), p2 = __lanza_modulo4(t * d2), p3 = t * d3, p4 = t * d4;
  __lanza_nearest n = __lanza_round((p1 + p2) + p3);
  double fraction = (((p1 - n.value) + p2) + p3) + p4;
  return {static_cast<float>(fraction * 1.5707963267948966), static_cast<unsigned int>(n.integer)};
}
__LANZA_FN __lanza_reduced_f __lanza_reduce_f(float x) {
  __lanza_reduced_f reduced = __lanza_reduce_medium_f(x);
  // A branch, so that scalar code skips what is rare; a vectoriser turns it into selects.
  if (!(__builtin_fabsf(x) < 65536.0f)) reduced = __lanza_reduce_large_f(x);
  return reduced;
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
  y = x == 0 ? x : y;
  return __lanza_not_finite_f(x) ? __builtin_nanf("") : y;
}
__LANZA_FN float __lanza_cosf(float x) {
  float y = __lanza_cos_reduced_f(__lanza_reduce_f(x));
  return __lanza_not_finite_f(x) ? __builtin_nanf("") : y;
}
__LANZA_FN void __lanza_sincosf(float x, float* sine, float* cosine) {
  __lanza_reduced_f reduced = __lanza_reduce_f(x);
  bool bad = __lanza_not_finite_f(x);
  *sine = bad ? __builtin_nanf("") : x == 0 ? x : __lanza_sin_reduced_f(reduced);
  *cosine = bad ? __builtin_nanf("") : __lanza_cos_reduced_f(reduced);
}
__LANZA_FN float __lanza_tanf(float x) {
  __lanza_reduced_f reduced = __lanza_reduce_f(x);
  __lanza_sine_cosine_f y = __lanza_sincos_octant_f(reduced.r);
  bool odd = (reduced.quadrant & 1u) != 0;
  float t = (odd ? -y.cosine : y.sine) / (odd ? y.sine : y.cosine);
  t = x == 0 ? x : t;
  return __lanza_not_finite_f(x) ? __builtin_nanf("") : t;
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
  float cosine = __builtin_fmaf(z, __lanza_poly_cospif(z), 1.0f);
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
