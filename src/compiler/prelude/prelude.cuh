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
#include "bits.cuh"
#include "synchronisation.cuh"
#include "warp.cuh"
#include "atomics.cuh"
#include "memory.cuh"
#include "integer_functions.cuh"
// clang-format on
