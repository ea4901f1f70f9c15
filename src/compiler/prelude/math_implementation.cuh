// The mathematical functions under private names: __lanza_sin, __lanza_sinf. They need only __LANZA_FN, so that tests
// compile them for the host too. Contraction is off: it would break error-free sums; every fma is written out.
#pragma once

#pragma clang fp contract(off)
// clang-format off
#include "math_base.cuh"
#include "math_polynomials.cuh"
#include "math_exponential.cuh"
#include "math_logarithm.cuh"
#include "math_power.cuh"
#include "math_trigonometry.cuh"
#include "math_trigonometry_float.cuh"
#include "math_hyperbolic.cuh"
#include "math_inverse_trigonometry.cuh"
#include "math_roots.cuh"
#include "math_error_function.cuh"
#include "math_gamma.cuh"
#include "math_bessel_tables.cuh"
#include "math_bessel.cuh"
#include "math_manipulation.cuh"
#include "math_directed.cuh"
#include "math_fast.cuh"
// clang-format on
#pragma clang fp contract(fast)
