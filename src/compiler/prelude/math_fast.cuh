// The fast forms: __sinf and its kind, for float only. As accurate as the others where that costs nothing.
#pragma once

__LANZA_FN float __lanza_fast_sinf(float x) { return __lanza_sin_reduced_f(__lanza_reduce_halves_f(x, 0.0f)); }
__LANZA_FN float __lanza_fast_cosf(float x) { return __lanza_sin_reduced_f(__lanza_reduce_halves_f(x, 0.5f)); }
__LANZA_FN float __lanza_fast_tanf(float x) { return __lanza_tan_reduced_f(__lanza_reduce_quarters_f(x)); }
__LANZA_FN float __lanza_fast_powf(float x, float y) { return __lanza_exp2f(y * __lanza_log2f(x)); }
