// What every kernel sees without an #include: CUDA C++'s built-in names, for nvptx64 IR that becomes host code or PTX.
// Names of the implementation begin with __lanza or __LANZA, so that they never meet a user's.
#pragma once

// Each needs those before it.
// clang-format off
#include "keywords.cuh"
#include "integers.cuh"
#include "vector_types.cuh"
#include "thread_index.cuh"
#include "services.cuh"
#include "allocation.cuh"
#include "moves.cuh"
#include "runtime_types.cuh"
#include "child_launch.cuh"
#include <initializer_list>
#include "bits.cuh"
#include "synchronisation.cuh"
#include "warp.cuh"
#include "atomics.cuh"
#include "memory.cuh"
#include "address_spaces.cuh"
#include "integer_functions.cuh"
#include "simd_in_word.cuh"
#include "dynamic_programming.cuh"
#include "math_implementation.cuh"
#pragma clang fp contract(off)
#include "conversions.cuh"
#include "arithmetic.cuh"
#include "math.cuh"
#include "rounding_argument.cuh"
#include "math_std.cuh"
// The state of the pragma goes into the PCH and from there to users' code, which contracts unless -fmad=false; that is a flag of the
// module for the passes.
#pragma clang fp contract(fast)
// clang-format on
