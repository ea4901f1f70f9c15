// Kernels that launch kernels: what the front end makes of k<<<grid, block, shared, stream>>>(arguments).
#pragma once

#include "child_launch.h"

#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaStreamLegacy (reinterpret_cast<cudaStream_t>(0x1))
#define cudaStreamPerThread (reinterpret_cast<cudaStream_t>(0x2))
#define cudaStreamTailLaunch (reinterpret_cast<cudaStream_t>(0x3))
#define cudaStreamFireAndForget (reinterpret_cast<cudaStream_t>(0x4))

extern "C" {
// The last error of a thread's launches; `clear` forgets it.
__attribute__((device)) unsigned int __lanza_launch_error(unsigned long long block, unsigned int thread,
                                                          unsigned int clear);
}

__LANZA_FN unsigned int __lanza_thread_in_block() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__LANZA_FN unsigned long long __lanza_block_in_grid() {
  return blockIdx.x + gridDim.x * (blockIdx.y + static_cast<unsigned long long>(gridDim.y) * blockIdx.z);
}

__LANZA_FN cudaError_t cudaGetLastError() {
  return static_cast<cudaError_t>(__lanza_launch_error(__lanza_block_in_grid(), __lanza_thread_in_block(), 1));
}
__LANZA_FN cudaError_t cudaPeekAtLastError() {
  return static_cast<cudaError_t>(__lanza_launch_error(__lanza_block_in_grid(), __lanza_thread_in_block(), 0));
}

// A stream of a block: its children run in the order in which they are launched, as those of the default stream do.
__LANZA_FN cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  if (!stream || flags != cudaStreamNonBlocking) return cudaErrorInvalidValue;
  *stream = reinterpret_cast<cudaStream_t>(0x100);
  return cudaSuccess;
}
__LANZA_FN cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }

// clang calls this with what stands in <<<...>>>, and then the kernel if the answer is 0. The front end gives `launch`
// its memory, and puts a call of __lanza_launch_child in place of the kernel's.
extern "C" __LANZA_FN int cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr,
                                            LanzaChildLaunch* launch = nullptr) {
  *launch = {{grid.x, grid.y, grid.z},
             {block.x, block.y, block.z},
             shared,
             reinterpret_cast<unsigned long long>(stream),
             nullptr,
             0,
             __lanza_thread_in_block(),
             __lanza_block_in_grid()};
  return 0;
}
