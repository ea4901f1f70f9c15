// CCCL's, without its static assertions: one computes an offset in a way that is a constant for NVRTC only.
#pragma once
#pragma push_macro("static_assert")
#define static_assert(...) static_assert(true)
#include_next <cuda/__barrier/barrier_block_scope.h>
#pragma pop_macro("static_assert")
