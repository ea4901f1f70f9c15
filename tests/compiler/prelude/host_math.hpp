// The prelude's mathematical functions, compiled for the host. GCC does not know clang's pragmas: build with
// -Wno-unknown-pragmas and -ffp-contract=off.
#pragma once
#include "compiler/sync_kinds.h"

#define __LANZA_FN [[maybe_unused]] static inline
// As in code for PTX: conversions of a C++ compiler for the host do not saturate by themselves, as those of a kernel
// do.
__LANZA_FN bool __lanza_reflect(unsigned what) { return what == LANZA_REFLECT_PTX; }
__LANZA_FN double __nvvm_rsqrt_approx_d(double x) { return 1 / __builtin_sqrt(x); }
#include "compiler/prelude/math_implementation.cuh"
