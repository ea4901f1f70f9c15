// The fast forms: __sinf and its kind, for float only. As accurate as the others where that costs nothing.
#pragma once

__LANZA_FN float __lanza_fast_sinf(float x) { return __lanza_sin_reduced_f(__lanza_reduce_halves_f(x, 0.0f)); }
__LANZA_FN float __lanza_fast_cosf(float x) { return __lanza_sin_reduced_f(__lanza_reduce_halves_f(x, 0.5f)); }
__LANZA_FN float __lanza_fast_tanf(float x) { return __lanza_tan_reduced_f(__lanza_reduce_quarters_f(x)); }
__LANZA_FN float __lanza_fast_powf(float x, float y) { return __lanza_exp2f(y * __lanza_log2f(x)); }

// As expf, without the rounding error of 1 + p.
__LANZA_FN float __lanza_fast_expf(float x) {
  float t = x > 89.0f ? 89.0f : x;
  __lanza_power_f power = __lanza_split_power_f(t, 1.44269502f);
  float r = __builtin_fmaf(power.n, -0.693145752f, t);
  r = __builtin_fmaf(power.n, -1.42860677e-06f, r);
  float p = __builtin_fmaf(r * r, __lanza_poly_expf(r), r);
  float y = (1.0f + p) * power.first * power.second;
  return x < -104.0f ? 0.0f : y;
}
