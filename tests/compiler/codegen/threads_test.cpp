// Kernels with synchronisation points, from CUDA C++ to a result: the thread engine under the tests' own scheduler.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "kernel_fixture.hpp"

namespace lanza::compiler::testing {
namespace {

using ::testing::HasSubstr;

std::string compiled(const std::string& cuda, const std::string& kernel, const std::string& flags = "") {
  const std::string bitcode = bitcode_of(cuda, flags);
  Specialised result = specialise(request_for(bitcode, kernel));
  EXPECT_TRUE(result.ok) << result.log;
  return result.object;
}

const char kReduce[] = R"(
extern "C" __global__ void reduce(const float* in, float* out) {
  __shared__ float s[256];
  unsigned t = tid_x;
  s[t] = in[index_x];
  __syncthreads();
  for (unsigned k = 128; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) out[ctaid_x] = s[0];
})";

TEST(Threads, ReduceThroughSharedMemory) {
  LoadedKernel kernel(compiled(kReduce, "reduce"));
  EXPECT_EQ(kernel.table().lanes, 0u);
  EXPECT_EQ(kernel.table().shared_bytes, 1024u);
  EXPECT_THAT(kernel.table().report, HasSubstr("\"engine\":\"threads\""));
  std::vector<float> in(1024), out(4);
  std::iota(in.begin(), in.end(), 0.0f);
  Arguments arguments = pack(in.data(), out.data());
  ASSERT_EQ(kernel.run({.grid = {4}, .block = {256}}, arguments.data()), LANZA_DONE);
  for (int b = 0; b < 4; ++b) EXPECT_EQ(out[b], 256.0f * 256 * b + 255 * 128);
}

TEST(Threads, KeepFramesSmall) {
  LoadedKernel kernel(compiled(kReduce, "reduce"));
  EXPECT_LE(kernel.table().frame_bytes, 64u);
}

TEST(Threads, ReturnBeforeABarrier) {
  LoadedKernel kernel(compiled(R"(
extern "C" __global__ void early(int* out) {
  if (tid_x >= 20) return;
  __shared__ int s[32];
  s[tid_x] = tid_x * 3;
  __syncthreads();
  out[tid_x] = s[19 - tid_x];
})",
                               "early"));
  std::vector<int> out(32, -1);
  Arguments arguments = pack(out.data());
  ASSERT_EQ(kernel.run({.grid = {1}, .block = {32}}, arguments.data()), LANZA_DONE);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 20 ? (19 - i) * 3 : -1);
}

TEST(Threads, Move64BitsBetweenLanes) {
  LoadedKernel kernel(compiled(R"(
extern "C" __global__ void shuffle(long long* out) {
  long long v = 0x100000000ll * tid_x + 7;
  out[tid_x] = __lanza_sync(5, 0, -1, v, (tid_x + 1) & 31);
})",
                               "shuffle"));
  std::vector<int64_t> out(64);
  Arguments arguments = pack(out.data());
  ASSERT_EQ(kernel.run({.grid = {1}, .block = {64}}, arguments.data()), LANZA_DONE);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(out[i], 0x100000000ll * ((i & 32) + ((i + 1) & 31)) + 7);
}

TEST(Threads, RecursionWithABarrierIsANestedCoroutine) {
  LoadedKernel kernel(compiled(R"(
__shared__ int total[8];
__device__ int climb(int depth) {
  if (depth == 0) return 1;
  int below = climb(depth - 1);
  __syncthreads();
  if (tid_x == 0) total[depth] = below;
  __syncthreads();
  return below + total[depth];
}
extern "C" __global__ void recurse(int* out) { out[tid_x] = climb(5); })",
                               "recurse"));
  std::vector<int> out(64);
  Arguments arguments = pack(out.data());
  ASSERT_EQ(kernel.run({.grid = {1}, .block = {64}}, arguments.data()), LANZA_DONE);
  EXPECT_THAT(out, ::testing::Each(32));
}

TEST(Threads, ReportAFullFrameStack) {
  LoadedKernel kernel(compiled(R"(
__device__ int climb(int depth) {
  if (depth == 0) return 1;
  __syncthreads();
  return climb(depth - 1) + 1;
}
extern "C" __global__ void recurse(int* out) { out[tid_x] = climb(100000); })",
                               "recurse"));
  std::vector<int> out(64);
  Arguments arguments = pack(out.data());
  ASSERT_EQ(kernel.run({.grid = {1}, .block = {64}}, arguments.data()), LANZA_FAILED);
  EXPECT_EQ(kernel.failure.kind, unsigned(LANZA_FAIL_STACK_OVERFLOW));
}

TEST(Threads, VolatileTailRunsInLockStep) {
  LoadedKernel kernel(compiled(R"(
extern "C" __global__ void tail(const int* in, int* out) {
  __shared__ volatile int s[64];
  s[tid_x] = in[tid_x];
  __syncthreads();
  if (tid_x < 32) {
    s[tid_x] = s[tid_x] + s[tid_x + 32];
    s[tid_x] = s[tid_x] + s[tid_x + 16];
    s[tid_x] = s[tid_x] + s[tid_x + 8];
    s[tid_x] = s[tid_x] + s[tid_x + 4];
    s[tid_x] = s[tid_x] + s[tid_x + 2];
    s[tid_x] = s[tid_x] + s[tid_x + 1];
  }
  if (tid_x == 0) *out = s[0];
})",
                               "tail"));
  std::vector<int> in(64), out(1);
  std::iota(in.begin(), in.end(), 1);
  Arguments arguments = pack(in.data(), out.data());
  ASSERT_EQ(kernel.run({.grid = {1}, .block = {64}}, arguments.data()), LANZA_DONE);
  EXPECT_EQ(out[0], 65 * 32);
}

TEST(Threads, SpinLoopsYield) {
  LoadedKernel kernel(compiled(R"(
extern "C" __global__ void handover(int* flag, int* out) {
  if (tid_x == 0) {
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0) {}
    *out = 42;
  } else if (tid_x == 40) {
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
  }
})",
                               "handover"));
  EXPECT_TRUE(kernel.table().flags & LANZA_KERNEL_BLOCKING);
  int flag = 0, out = 0;
  Arguments arguments = pack(&flag, &out);
  ASSERT_EQ(kernel.run({.grid = {1}, .block = {64}}, arguments.data()), LANZA_DONE);
  EXPECT_EQ(out, 42);
}

TEST(Threads, DynamicSharedMemoryFollowsStatic) {
  LoadedKernel kernel(compiled(R"(
extern __shared__ int dynamic[];
extern "C" __global__ void both(int* out) {
  __shared__ int fixed[3];
  if (tid_x < 3) fixed[tid_x] = -1;
  dynamic[tid_x] = tid_x;
  __syncthreads();
  out[tid_x] = dynamic[31 - tid_x] + fixed[tid_x % 3];
})",
                               "both"));
  EXPECT_EQ(kernel.table().shared_bytes, 64u);
  std::vector<int> out(32);
  Arguments arguments = pack(out.data());
  ASSERT_EQ(kernel.run({.grid = {1}, .block = {32}, .dynamic_shared = 128}, arguments.data()), LANZA_DONE);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(out[i], 30 - i);
}

TEST(Threads, EveryModeGivesTheSameResult) {
  const std::string bitcode = bitcode_of(R"(
extern "C" __global__ void mix(int n, const float* x, float* y) {
  int i = index_x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k <= i % 7; ++k) sum += x[i] * k + y[i];
  y[i] = sum;
})");
  std::vector<std::vector<float>> results;
  for (uint32_t mode : {LANZA_MODE_LANES, LANZA_MODE_THREADS, LANZA_MODE_VECTOR}) {
    LanzaSpecialiseRequest request = request_for(bitcode, "mix");
    const std::string name = "mix", target = "native";
    request.kernel = {name.data(), name.size()};
    request.target = {target.data(), target.size()};
    request.mode = mode;
    Specialised result = specialise(request);
    ASSERT_TRUE(result.ok) << result.log;
    LoadedKernel kernel(result.object);
    EXPECT_EQ(kernel.table().lanes == 0, mode == LANZA_MODE_THREADS);
    std::vector<float> x(100), y(100);
    for (int i = 0; i < 100; ++i) x[i] = 1.0f / (i + 1), y[i] = i * 0.1f;
    Arguments arguments = pack(100, x.data(), y.data());
    ASSERT_EQ(kernel.run({.grid = {4}, .block = {32}}, arguments.data()), LANZA_DONE);
    results.push_back(y);
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(Threads, DebugCodeIsNotOptimised) {
  const std::string cuda = std::string(kReduce) + "\n";
  const std::string bitcode = bitcode_of(cuda, "-O0 -debug-info-kind=constructor");
  Specialised result = specialise(request_for(bitcode, "reduce"));
  ASSERT_TRUE(result.ok) << result.log;
  LoadedKernel kernel(result.object);
  std::vector<float> in(256, 1.0f), out(1);
  Arguments arguments = pack(in.data(), out.data());
  ASSERT_EQ(kernel.run({.grid = {1}, .block = {256}}, arguments.data()), LANZA_DONE);
  EXPECT_EQ(out[0], 256.0f);
}

}  // namespace
}  // namespace lanza::compiler::testing
