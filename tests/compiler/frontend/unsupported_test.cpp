// Each feature that is not there yet is named.
#include <gmock/gmock.h>

#include "compiler/plugin.hpp"

using namespace lanza::test;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

std::string log_of(const std::string& source) {
  const CompileResult r = compile({.source = source});
  EXPECT_FALSE(r->ok) << source;
  EXPECT_TRUE(first_error(*r)) << source;
  return text(r->log);
}

TEST(Unsupported, Headers) {
  EXPECT_THAT(
      log_of("#include <cuda_fp8.h>\n"),
      HasSubstr("kernel.cu:1:10: error: cuda_fp8.h: 8-bit floating point is not supported on the CPU device yet"));
  EXPECT_THAT(log_of("\n#include \"mma.h\"\n"),
              HasSubstr("kernel.cu:2:10: error: mma.h: tensor cores (wmma) are not supported"));
  for (const char* header : {"curand_mtgp32_kernel.h", "mma.h", "cub/cub.cuh", "thrust/sort.h", "texture_types.h"})
    EXPECT_THAT(log_of(std::string("#include <") + header + ">\n"), HasSubstr(std::string(header) + ": ")) << header;
  EXPECT_THAT(log_of("#include <vector>\n"), HasSubstr("the host's C++ standard library is not available in kernels"));
}

TEST(Unsupported, WarpOperationsWithoutAMask) {
  EXPECT_THAT(log_of("__global__ void k(float *p) { p[0] = __shfl_down(p[0], 1); }"),
              HasSubstr("CUDA has __shfl_down_sync instead"));
  EXPECT_THAT(log_of("__global__ void k(int *p) { p[0] = __any(p[1]); }"), HasSubstr("CUDA has __any_sync instead"));
}

TEST(Unsupported, AUsersOwnHeaderOfThatNameIsTaken) {
  const CompileResult r = compile({.source = "#include <cuda_fp16.h>\n__device__ int v = VALUE;",
                                   .headers = {{"cuda_fp16.h", "#define VALUE 1\n"}}});
  EXPECT_TRUE(r->ok) << view(r->log);
}

TEST(Unsupported, Identifiers) {
  EXPECT_THAT(log_of("__global__ void k(float *p, cudaTextureObject_t t) { p[0] = 1; }"),
              HasSubstr("textures and surfaces are not supported"));
  EXPECT_THAT(log_of("__global__ void k(float *p) { p[0] = tex2D<float>(0, 1, 2); }"),
              HasSubstr("textures and surfaces are not supported"));
  EXPECT_THAT(log_of("__global__ void k() { wmma::fragment f; }"), HasSubstr("tensor cores (wmma) are not supported"));
  EXPECT_THAT(log_of("__global__ void k(curandStateMtgp32 *s) {}"), HasSubstr("cuRAND's MTGP32 is not supported"));
}

TEST(Unsupported, AHeaderThatIsForgottenIsNamed) {
  EXPECT_THAT(log_of("__global__ void k(__half *p) { p[0] = 1; }"),
              HasSubstr("it is declared in cuda_fp16.h: add #include <cuda_fp16.h>"));
  EXPECT_THAT(log_of("__global__ void k(half *p) { p[0] = 1; }"), HasSubstr("add #include <cuda_fp16.h>"));
  EXPECT_THAT(log_of("__global__ void k(float *p) { p[0] = __float2bfloat16(1); }"),
              HasSubstr("add #include <cuda_bf16.h>"));
  EXPECT_THAT(log_of("__global__ void k(cuFloatComplex *p) {}"), HasSubstr("add #include <cuComplex.h>"));
  EXPECT_THAT(log_of("__global__ void k() { auto g = cooperative_groups::this_thread_block(); }"),
              HasSubstr("add #include <cooperative_groups.h>"));
  EXPECT_THAT(log_of("__global__ void k(curandState *s) {}"), HasSubstr("add #include <curand_kernel.h>"));
  EXPECT_THAT(log_of("__global__ void k() { int x = halfway; }"), Not(HasSubstr("#include")));
}

TEST(Unsupported, LaunchesInSources) {
  EXPECT_THAT(log_of("__global__ void a() {}\nint main() { a<<<1, 1>>>(); }"),
              HasSubstr("launch the kernel through Lanza"));
}

TEST(Unsupported, HostFunctionsInKernels) {
  EXPECT_THAT(log_of("int f() { return 1; }\n__global__ void k(int *p) { p[0] = f(); }"),
              HasSubstr("declare it __device__, or compile with -default-device"));
}

TEST(Unsupported, Clusters) {
  EXPECT_THAT(log_of("__global__ void __cluster_dims__(2, 1, 1) k(int *p) { p[0] = 1; }"),
              HasSubstr("clusters of more than one block are not supported"));
  EXPECT_TRUE(compile({.source = "__global__ void __cluster_dims__(1, 1, 1) k(int *p) { p[0] = 1; }"})->ok);
}

TEST(Unsupported, HeadersOfTheHost) {
  const CompileResult r =
      compile({.source = "#include <cub/device/device_reduce.cuh>\n",
               .headers = {{"cub/device/device_reduce.cuh", "cudaLaunchAttribute x;\nint y = z;\n"}}});
  const std::string log = text(r->log);
  const auto at = log.find("are for host code, and NVRTC refuses them too");
  ASSERT_NE(at, std::string::npos) << log;
  EXPECT_EQ(log.find("are for host code", at + 1), std::string::npos) << log;  // once
}

TEST(Unsupported, Exceptions) {
  EXPECT_THAT(log_of("__global__ void k(int *p) { if (p[0]) throw 1; }"), HasSubstr("cannot use 'throw'"));
}

TEST(Unsupported, WhatToDoInstead) {
  EXPECT_THAT(log_of("__global__ void k(int *p) { __nv_atomic_add(p, 1, __NV_ATOMIC_RELAXED); }"),
              HasSubstr("not supported on the CPU device yet: use atomicAdd and its kin"));
  EXPECT_THAT(log_of("template <class T> concept Any = true;\n"), HasSubstr("compile with the option -std=c++20"));
  EXPECT_THAT(log_of("__global__ void k(int *p) { try { p[0] = 1; } catch (...) {} }"), HasSubstr("use assert"));
}

}  // namespace
