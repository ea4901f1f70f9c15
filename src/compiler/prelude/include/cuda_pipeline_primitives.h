// Asynchronous copies into shared memory, CUDA's primitives for C. A copy ends where it is issued: nobody waits.
#pragma once
#include <cuda_awbarrier_primitives.h>

// 4, 8 or 16 bytes, the last `zeros` of which are 0.
__LANZA_FN void __pipeline_memcpy_async(void* __restrict__ shared, const void* __restrict__ global, size_t bytes,
                                        size_t zeros = 0) {
  if ((bytes != 4 && bytes != 8 && bytes != 16) || zeros > bytes) __trap();
  if (zeros == 0 && bytes == 4)
    *static_cast<unsigned int*>(shared) = *static_cast<const unsigned int*>(global);
  else if (zeros == 0 && bytes == 8)
    *static_cast<uint2*>(shared) = *static_cast<const uint2*>(global);
  else if (zeros == 0)
    *static_cast<uint4*>(shared) = *static_cast<const uint4*>(global);
  else
    for (size_t i = 0; i < bytes; ++i)
      static_cast<char*>(shared)[i] = i < bytes - zeros ? static_cast<const char*>(global)[i] : 0;
}
__LANZA_FN void __pipeline_commit() {}
__LANZA_FN void __pipeline_wait_prior(size_t) {}
// The barrier waits for the copies, and for as many threads as before.
__LANZA_FN void __pipeline_arrive_on(__mbarrier_t*) {}
