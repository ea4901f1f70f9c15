// The user's headers and conversions as PTX, for GPUs without NVRTC: nothing of the host in it, and NVIDIA's assembler
// takes it.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "compiler/plugin.hpp"

namespace lanza::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const char kSixteenBits[] = R"(
#include <cuda_bf16.h>
template <class T, class T2>
__device__ void use(T* a, T2* b, float* f, int i) {
  a[i] = a[i] * a[i + 1] + T(i) / a[i + 2] - __hfma(a[i], a[i], a[i]);
  b[i] = __hfma2(b[i], b[i + 1], b[i + 2]) * b[i];
  f[i] = float(hexp(a[i])) + float(hsqrt(a[i])) + float(__hmax(a[i], a[i + 1])) + (a[i] < a[i + 1]);
  atomicAdd(a, a[i]);
  atomicAdd(b, b[i]);
  a[i + 1] = __shfl_xor_sync(~0u, a[i], 1);
  b[i + 1] = __shfl_down_sync(~0u, b[i], 1);
}
extern "C" __global__ void k(__half* h, __half2* h2, __nv_bfloat16* b, __nv_bfloat162* b2, float* f) {
  use(h, h2, f, threadIdx.x);
  use(b, b2, f + 100, threadIdx.x);
})";

const char kLibrary[] = R"(
#include <cuComplex.h>
#include <cuda/std/algorithm>
#include <cuda/std/complex>
#include <cuda/std/optional>
#include <cuda/std/tuple>
extern "C" __global__ void k(cuFloatComplex* z, cuda::std::complex<double>* c, int* o) {
  const int i = threadIdx.x;
  z[i] = cuCfmaf(cuCdivf(z[i], z[i + 1]), z[i], make_cuComplex(cuCabsf(z[i]), 0));
  c[i] = cuda::std::exp(c[i]) / c[i + 1];
  cuda::std::sort(o + 10 * i, o + 10 * i + 10);
  cuda::std::optional<int> first;
  if (o[10 * i] > 0) first = o[10 * i];
  o[10 * i + 9] = cuda::std::apply([](int a, int b) { return a - b; }, cuda::std::make_tuple(first.value_or(3), i));
})";

class HeadersAsPtx : public ::testing::TestWithParam<std::pair<const char*, unsigned>> {};

TEST_P(HeadersAsPtx, IsTakenByTheAssembler) {
  const auto [source, capability] = GetParam();
  const CompileResult compiled = compile({.source = source});
  ASSERT_TRUE(compiled->ok) << view(compiled->log);
  const LanzaPtxRequest request = {.bitcode = compiled->bitcode, .compute_capability = capability, .ptx_version = 70};
  const std::unique_ptr<LanzaPtxResult, Free> ptx(plugin().emit_ptx(&request));
  ASSERT_TRUE(ptx->ok) << view(ptx->log);
  EXPECT_THAT(text(ptx->ptx), HasSubstr(".entry k("));
  EXPECT_THAT(text(ptx->ptx), Not(HasSubstr(".extern .func")));
  const char* assembler = "/usr/local/cuda/bin/ptxas";
  if (!std::filesystem::exists(assembler)) GTEST_SKIP() << assembler << " is not installed";
  const auto path = std::filesystem::temp_directory_path() / ("lanza-headers-" + std::to_string(getpid()) + ".ptx");
  std::ofstream(path) << view(ptx->ptx);
  const std::string command =
      std::string(assembler) + " -arch=sm_" + std::to_string(capability) + " " + path.string() + " -o /dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::filesystem::remove(path);
}

INSTANTIATE_TEST_SUITE_P(All, HeadersAsPtx,
                         ::testing::Values(std::pair{kSixteenBits, 75u}, std::pair{kSixteenBits, 80u},
                                           std::pair{kLibrary, 75u}, std::pair{kLibrary, 80u}));

std::string ptx_of(const char* source, std::vector<std::string> options = {}) {
  const CompileResult compiled = compile({.source = source, .options = std::move(options)});
  EXPECT_TRUE(compiled->ok) << view(compiled->log);
  const LanzaPtxRequest request = {.bitcode = compiled->bitcode, .compute_capability = 80, .ptx_version = 78};
  const std::unique_ptr<LanzaPtxResult, Free> ptx(plugin().emit_ptx(&request));
  EXPECT_TRUE(ptx->ok) << view(ptx->log);
  return text(ptx->ptx);
}

TEST(Warps, ReduceByOneInstructionAndFence) {
  const std::string ptx = ptx_of(R"(
extern "C" __global__ void k(unsigned* x, int* y) {
  x[threadIdx.x] = __reduce_xor_sync(~0u, x[threadIdx.x]);
  __threadfence();
  y[threadIdx.x] = __reduce_min_sync(~0u, y[threadIdx.x]);
})");
  for (const char* words : {"redux.sync.xor.b32", "membar.sys", "redux.sync.min.s32"})
    EXPECT_THAT(ptx, HasSubstr(words));
}

// Those of single precision; double has none.
TEST(Subnormals, AreFlushedByTheInstructions) {
  const std::string ptx = ptx_of(R"(
extern "C" __global__ void k(float* x, double* y) {
  x[0] = x[1] * x[2];
  x[3] = sqrtf(x[4]);
  y[0] = y[1] * y[2];
})",
                                 {"-ftz=true"});
  for (const char* words : {"mul.rn.ftz.f32", "sqrt.rn.ftz.f32", "mul.rn.f64"}) EXPECT_THAT(ptx, HasSubstr(words));
}

// Its conversions to integers saturate by themselves: nothing is compared. Of constants clang's own would be poison.
TEST(Conversions, AreOneInstructionOfPtx) {
  const std::string ptx = ptx_of(R"(
extern "C" __global__ void conversions(int* out, long long* wide, float* x, double* y) {
  out[0] = (int)x[0];
  out[1] = (unsigned)y[0];
  out[2] = (int)4294967295.0;
  wide[0] = (long long)x[1];
})");
  for (const char* words : {"cvt.rzi.s32.f32", "cvt.rzi.u32.f64", "cvt.rzi.s64.f32", "2147483647"})
    EXPECT_THAT(ptx, HasSubstr(words));
  for (const char* words : {"setp", "selp", "min.", "max."}) EXPECT_THAT(ptx, Not(HasSubstr(words)));
}

}  // namespace
}  // namespace lanza::test
