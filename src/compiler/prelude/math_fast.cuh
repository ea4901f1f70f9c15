// The fast forms: __sinf and its kind, for float only. As accurate as the others where that costs nothing.
#pragma once

__LANZA_FN float __lanza_fast_sinf(float x) { return __lanza_sin_reduced_f(__lanza_reduce_medium_f(x)); }
__LANZA_FN float __lanza_fast_cosf(float x) { return __lanza_cos_reduced_f(__lanza_reduce_medium_f(x)); }
__LANZA_FN float __lanza_fast_tanf(float x) {
  __lanza_reduced_f reduced = __lanza_reduce_medium_f(x);
  return __lanza_sin_reduced_f(reduced) / __lanza_cos_reduced_f(reduced);
}
__LANZA_FN float __lanza_fast_powf(float x, float y) { return __lanza_exp2f(y * __lanza_log2f(x)); }
