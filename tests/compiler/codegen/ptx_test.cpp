// PTX from the plug-in's own IR, checked by NVIDIA's assembler where it is installed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "compiler/codegen/ptx.hpp"
#include "kernel_fixture.hpp"

namespace lanza::compiler::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const char kEverything[] = R"(
__device__ int counter;
extern "C" __device__ unsigned long long __lanza_clock();
extern "C" __device__ void* malloc(unsigned long);
extern "C" __device__ void free(void*);
extern "C" __global__ void everything(long long* out, float* f, int n) {
  __shared__ float s[64];
  s[tid_x] = f[tid_x];
  __syncthreads();
  long long v = out[tid_x];
  v += __lanza_sync(2, 0, 0, v > 3, 0);
  __lanza_sync(3, 0, -1, 0, 0);
  v += __lanza_sync(4, 0, -1, v & 1, 0);
  v += __lanza_sync(5, 0, -1, v, tid_x ^ 1);
  v += __lanza_sync(6, 0, -1, v, 0);
  v += __lanza_sync(7, 0, -1, v, 0);
  v += __lanza_sync(8, 0, -1, (unsigned)v, 0);
  v += __lanza_sync(8, 0, -1, (unsigned)v, 4);
  v += __lanza_sync(11, 0, 0, 0, 0);
  __lanza_sync(1, 3, 0, 0, 32);
  __lanza_sync(9, 0, 0, 100, 0);
  v += __lanza_clock();
  if (n < 0) __lanza_fail(1, "n >= 0", "kernel.cu", 12, "everything");
  if (n == 77) __lanza_fail(0, nullptr, nullptr, 0, nullptr);
  int args[1] = {n};
  if (n > 5) vprintf("n is %d\n", args);
  void* p = malloc(16);
  free(p);
  __atomic_fetch_add(&counter, n, __ATOMIC_RELAXED);
  f[tid_x] = s[63 - tid_x] * 2.0f + f[tid_x];
  out[tid_x] = v + __lanza_reflect(0);
}
__global__ void another(float* x) { x[tid_x] += 1; }
)";

Ptx ptx_for(unsigned compute_capability, unsigned version) {
  const std::string bitcode = bitcode_of(kEverything);
  return emit_ptx(
      {.bitcode = {bitcode.data(), bitcode.size()}, .compute_capability = compute_capability, .ptx_version = version});
}

// Inline PTX stays as it was written.
TEST(EmitPtx, KeepsInlineAssembly) {
  const std::string bitcode = bitcode_of(R"(
extern "C" __global__ void assembly(unsigned* out, unsigned long long* barrier) {
  unsigned x, done;
  asm volatile("{ .reg .pred p; setp.gt.u32 p, %1, 3; selp.u32 %0, %1, 7, p; }" : "=r"(x) : "r"(out[tid_x]));
  asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(done) : "r"(x), "r"(~x));
  asm volatile("bar.sync 1, 64;" ::: "memory");
  asm volatile("mbarrier.arrive.b64 _, [%0];" :: "l"(barrier) : "memory");
  out[tid_x] = x + done;
}
)");
  const Ptx ptx = emit_ptx({.bitcode = {bitcode.data(), bitcode.size()}, .compute_capability = 80, .ptx_version = 78});
  ASSERT_TRUE(ptx.ok) << ptx.log;
  for (const char* text :
       {"setp.gt.u32 p, %r", "prmt.b32 %r", ", 0x5410;", "bar.sync 1, 64;", "mbarrier.arrive.b64 _, [%rd"})
    EXPECT_THAT(ptx.text, HasSubstr(text));
}

TEST(EmitPtx, LowersEveryOperation) {
  const Ptx ptx = ptx_for(90, 78);
  ASSERT_TRUE(ptx.ok) << ptx.log;
  for (const char* expected : {".version 7.8",
                               ".target sm_90",
                               ".entry everything(",
                               ".entry _Z7anotherPf(",
                               "bar.sync",
                               "bar.warp.sync",
                               "vote.sync.ballot",
                               "shfl.sync.idx",
                               "match.any.sync.b64",
                               "match.all.sync.b64",
                               "redux.sync.add",
                               "activemask",
                               "nanosleep.u32",
                               "%clock64",
                               "__assertfail",
                               "trap;",
                               "vprintf",
                               "malloc",
                               "free",
                               "fma.rn.f32"})
    EXPECT_THAT(ptx.text, HasSubstr(expected));
  EXPECT_THAT(ptx.text, Not(HasSubstr("__lanza")));
  EXPECT_THAT(ptx.text, Not(HasSubstr(", debug")));
}

TEST(EmitPtx, RefusesWhatItDoesNotKnow) {
  const Ptx ptx = ptx_for(20, 0);
  EXPECT_FALSE(ptx.ok);
  EXPECT_THAT(ptx.log, HasSubstr("2.0"));
  EXPECT_FALSE(emit_ptx({.bitcode = {"no bitcode", 10}, .compute_capability = 90}).ok);
}

class Assembled : public ::testing::TestWithParam<std::pair<unsigned, unsigned>> {};

TEST_P(Assembled, ByNvidia) {
  const char* assembler = "/usr/local/cuda/bin/ptxas";
  if (!std::filesystem::exists(assembler)) GTEST_SKIP() << assembler << " is not installed";
  const auto [capability, version] = GetParam();
  const Ptx ptx = ptx_for(capability, version);
  ASSERT_TRUE(ptx.ok) << ptx.log;
  const auto path = std::filesystem::temp_directory_path() /
                    ("lanza-ptx-" + std::to_string(capability) + "-" + std::to_string(version) + ".ptx");
  std::ofstream(path) << ptx.text;
  const std::string command =
      std::string(assembler) + " -arch=sm_" + std::to_string(capability) + " " + path.string() + " -o /dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0) << ptx.text;
  std::filesystem::remove(path);
}

// CUDA 13's assembler begins at compute capability 7.5, which has no redux.sync.
INSTANTIATE_TEST_SUITE_P(Targets, Assembled,
                         ::testing::Values(std::pair{75u, 63u}, std::pair{80u, 70u}, std::pair{90u, 78u},
                                           std::pair{90u, 0u}));

}  // namespace
}  // namespace lanza::compiler::testing
