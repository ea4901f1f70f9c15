// The prelude's mathematical functions, compiled for the host. GCC does not know clang's pragmas: build with
// -Wno-unknown-pragmas and -ffp-contract=off.
#pragma once
#define __LANZA_FN [[maybe_unused]] static inline
#include "compiler/prelude/math_implementation.cuh"
