// What every kernel sees without an #include: CUDA C++'s built-in names, for nvptx64 IR that becomes host code or PTX.
// Names of the implementation begin with __lanza or __LANZA, so that they never meet a user's.
#pragma once

#include "atomics.cuh"
#include "bits.cuh"
#include "integer_functions.cuh"
#include "integers.cuh"
#include "keywords.cuh"
#include "memory.cuh"
#include "services.cuh"
#include "synchronisation.cuh"
#include "thread_index.cuh"
#include "vector_types.cuh"
#include "warp.cuh"
