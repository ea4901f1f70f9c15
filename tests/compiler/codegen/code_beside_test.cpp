// Kernels with barriers and guards: their code for blocks at the edges is made on a thread of its own.
#include "compiler/codegen/code_beside.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "compiler/guard.hpp"
#include "kernel_fixture.hpp"

namespace lanza::compiler::testing {
namespace {

using ::testing::HasSubstr;

// Each block turns its part of the array around.
const char kTurn[] = R"(
extern "C" __global__ void k(const int* in, int* out, int n) {
  __shared__ int s[64];
  int i = index_x;
  s[tid_x] = i < n ? in[i] : -1;
  __syncthreads();
  if (i < n) out[i] = s[63 - tid_x];
})";

std::string compiled(const std::string& bitcode = bitcode_of(kTurn)) {
  LanzaSpecialiseRequest request = request_for(bitcode, "k");
  request.block[0] = 64;
  request.block[1] = request.block[2] = 1;
  const Specialised result = specialise(request);
  if (!result.ok) throw std::runtime_error(result.log);
  return result.object;
}

std::vector<int> turned(LoadedKernel& kernel, int n, uint64_t first, uint64_t last) {
  std::vector<int> in(n), out(n, -7);
  std::iota(in.begin(), in.end(), 0);
  Arguments arguments = pack(in.data(), out.data(), n);
  const unsigned blocks = static_cast<unsigned>(n + 63) / 64;
  LoadedKernel::Launch launch{.grid = {blocks}, .block = {64}};
  launch.first = first;
  launch.last = std::min<uint64_t>(last, blocks);
  EXPECT_EQ(kernel.run(launch, arguments.data()), LANZA_DONE);
  return out;
}

TEST(CodeBeside, RunsEveryBlockOfARange) {
  LoadedKernel kernel(compiled());
  for (const int n : {64, 320, 321, 383, 10, 1}) {
    const uint64_t blocks = static_cast<uint64_t>(n + 63) / 64;
    for (uint64_t first = 0; first < blocks; ++first)
      for (uint64_t last = first; last <= blocks; ++last) {
        const std::vector<int> out = turned(kernel, n, first, last);
        for (int i = 0; i < n; ++i) {
          const uint64_t block = static_cast<uint64_t>(i) / 64;
          const int from = static_cast<int>(block) * 64 + 63 - i % 64;
          const int expected = block < first || block >= last ? -7 : from < n ? from : -1;
          ASSERT_EQ(out[i], expected) << i << " of " << n << ", blocks " << first << " to " << last;
        }
      }
  }
}

TEST(CodeBeside, IsTheSameEachTime) {
  const std::string bitcode = bitcode_of(kTurn);
  EXPECT_TRUE(compiled(bitcode) == compiled(bitcode));
}

TEST(CodeBeside, StandsBesideTheKernelsOtherCode) {
  const std::string object = compiled();
  EXPECT_EQ(undefined_symbols(object), "");
  for (const char* name : {"k.inside", "k.edges"}) EXPECT_THAT(object, HasSubstr(std::string(1, '\0') + name + '\0'));
  EXPECT_THAT(LoadedKernel(object).table().report, HasSubstr("\"engine\":\"vector\""));
}

TEST(GuardedWork, SaysHowItFailed) {
  GuardedWork good([] {}), bad([] { throw std::runtime_error("no such luck"); }), worse([] { ::raise(SIGSEGV); });
  EXPECT_EQ(good.wait(), "");
  EXPECT_THAT(bad.wait(), HasSubstr("no such luck"));
  EXPECT_THAT(worse.wait(), HasSubstr("segmentation fault"));
  EXPECT_EQ(bad.wait(), bad.wait());
}

TEST(GuardedWork, EndsBeforeWhoHasIt) {
  std::atomic<bool> is_done = false;
  {
    GuardedWork work([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      is_done = true;
    });
  }
  EXPECT_TRUE(is_done);
}

}  // namespace
}  // namespace lanza::compiler::testing
