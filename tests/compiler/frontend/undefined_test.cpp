// What is used must be defined in the source.
#include <gmock/gmock.h>

#include "compiler/plugin.hpp"

using namespace lanza::test;
using ::testing::HasSubstr;

namespace {

TEST(Undefined, FunctionsAndVariables) {
  const CompileResult f =
      compile({.source = "namespace ns { __device__ int f(int); }\n__global__ void k(int *p) { p[0] = ns::f(1); }"});
  EXPECT_FALSE(f->ok);
  EXPECT_THAT(text(f->log), HasSubstr("kernel.cu:1:31: error: 'ns::f' is used, but this source does not define it"));
  const CompileResult v = compile({.source = "extern __device__ int v;\n__global__ void k(int *p) { p[0] = v; }"});
  EXPECT_FALSE(v->ok);
  EXPECT_THAT(text(v->log), HasSubstr("kernel.cu:1:23: error: 'v' is used"));
}

TEST(Undefined, WhatTheRuntimeHasAndWhatIsNotUsedIsNoMatter) {
  const CompileResult r = compile({.source = R"(
__device__ int never(int);
extern __device__ int nowhere;
extern __shared__ float dynamic[];
__global__ void k(float *p, int n) {
  dynamic[threadIdx.x] = p[0];
  __syncthreads();
  printf("%d\n", n);
  void *m = malloc(16);
  memcpy(m, p, 16);
  free(m);
  assert(n > 0);
  p[0] = dynamic[0] + __shfl_sync(0xffffffffu, n, 0) + clock64();
  if (n == 7) __trap();
})"});
  EXPECT_TRUE(r->ok) << view(r->log);
}

}  // namespace
