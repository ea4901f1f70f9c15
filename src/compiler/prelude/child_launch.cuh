// Kernels that launch kernels. The front end turns k<<<g, b, s, st>>>(a...) into __lanza_launch<k>(g, b, s, st)(a...).
#pragma once

#include "child_launch.h"

#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaStreamLegacy (reinterpret_cast<cudaStream_t>(0x1))
#define cudaStreamPerThread (reinterpret_cast<cudaStream_t>(0x2))
#define cudaStreamTailLaunch (reinterpret_cast<cudaStream_t>(0x3))
#define cudaStreamFireAndForget (reinterpret_cast<cudaStream_t>(0x4))

extern "C" {
// LanzaChildError. The front end replaces the kernel's address by its symbol, and fills in its name and its
// __launch_bounds__ (0: none).
__attribute__((device)) unsigned int __lanza_launch_child(const void* kernel, const char* name,
                                                          unsigned int max_threads, const LanzaChildLaunch* launch);
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

#if __cplusplus >= 201703L  // a kernel of any type as a template argument

template <auto Kernel, class Type>
class __lanza_launcher;

// Only an initialiser outside of functions may name a kernel in device code.
template <class Type, Type Kernel>
struct __lanza_kernel_address {
  static constexpr Type value = Kernel;
};

template <auto Kernel, class... P>
class __lanza_launcher<Kernel, void (*)(P...)> {
  static_assert((... && !__is_reference(P)), "a kernel that is launched by another one cannot take references");

 public:
  __LANZA_FN __lanza_launcher(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
      : launch_{{grid.x, grid.y, grid.z},
                {block.x, block.y, block.z},
                shared,
                reinterpret_cast<unsigned long long>(stream),
                nullptr,
                0,
                __lanza_thread_in_block(),
                __lanza_block_in_grid()} {}

  __LANZA_FN void operator()(P... arguments) {
    alignas(16) char block[bytes() + 1];
    unsigned int offset = 0;
    (..., pack(block, offset, arguments));
    launch_.arguments = block;
    launch_.argument_bytes = bytes();
    __lanza_launch_child(reinterpret_cast<const void*>(__lanza_kernel_address<void (*)(P...), Kernel>::value), nullptr,
                         0, &launch_);
  }

 private:
  static constexpr unsigned int end_after(unsigned int offset, unsigned int size, unsigned int align) {
    return (offset + align - 1) / align * align + size;
  }
  // Laid out as the members of a struct are.
  static constexpr unsigned int bytes() {
    unsigned int end = 0;
    (..., (end = end_after(end, sizeof(P), alignof(P))));
    return end;
  }
  template <class A>
  static __LANZA_FN void pack(char* block, unsigned int& offset, const A& argument) {
    offset = end_after(offset, sizeof(A), alignof(A));
    __builtin_memcpy(block + offset - sizeof(A), &argument, sizeof(A));
  }

  LanzaChildLaunch launch_;
};

template <auto Kernel>
__LANZA_FN __lanza_launcher<Kernel, decltype(Kernel)> __lanza_launch(dim3 grid, dim3 block, size_t shared = 0,
                                                                     cudaStream_t stream = nullptr) {
  return {grid, block, shared, stream};
}

#endif
