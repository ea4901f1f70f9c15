// The words that CUDA adds to C++.
#pragma once

// What NVRTC defines and sources ask for.
#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
#define __LANZA__ 1
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 800
#endif
#define CUDART_VERSION 13000
#define CUDA_VERSION 13000
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ \
  _Static_assert(0, "__managed__ variables are not supported by Lanza: use __device__ and Module::variable");
#define __grid_constant__
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __maxnreg__(...)
// An alignment is an expression where nothing else can be checked; clang's error gets its hint (hint_for).
#define __cluster_dims__(...) __attribute__((aligned(__lanza_cluster<__VA_ARGS__>::of_one_block)))
template <bool one>
struct __lanza_cluster_size {};
template <>
struct __lanza_cluster_size<true> {
  static constexpr int of_one_block = 16;
};
template <unsigned int x, unsigned int y = 1, unsigned int z = 1>
struct __lanza_cluster : __lanza_cluster_size<x * y * z == 1> {};
#define __forceinline__ inline __attribute__((always_inline))
// A function-like __noinline__ would break __attribute__((__noinline__)): clang 19 takes both spellings as a keyword in
// CUDA mode.
#define __inline_hint__ inline
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __NV_BUILTIN_INITIALIZER_LIST 1  // std::initializer_list is there, asks newer CCCL
// Around uses of deprecated vector types in the toolkit's headers.
#define __NV_SILENCE_DEPRECATION_BEGIN
#define __NV_SILENCE_DEPRECATION_END
#define __NV_SILENCE_HOST_DEPRECATION_BEGIN
#define __NV_SILENCE_HOST_DEPRECATION_END

// The prelude's own functions.
#define __LANZA_FN inline __attribute__((device))
#define __LANZA_HD inline __attribute__((host)) __attribute__((device))
