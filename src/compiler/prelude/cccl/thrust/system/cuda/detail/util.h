// CCCL's. A template in it, which no kernel uses, calls a function of the host that is not declared here: NVRTC does
// not look, clang does.
#pragma once
#include <cub/config.cuh>
CUB_NAMESPACE_BEGIN
cudaError_t SyncStream(cudaStream_t);
CUB_NAMESPACE_END
#include_next <thrust/system/cuda/detail/util.h>
