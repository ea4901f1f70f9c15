// How much memory launches and modules take on the CPU device.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <lanza/lanza.hpp>
#include <string>
#include <vector>

#include "needs_compiler.hpp"

namespace lanza {
namespace {

std::size_t status_kilobytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind(field + ":", 0) == 0) return std::stoul(line.substr(field.size() + 1));
  ADD_FAILURE() << field << " is not in /proc/self/status";
  return 0;
}

/// By how much resident memory goes up at most while `f` runs.
template <class F>
std::size_t peak_growth_kilobytes(F f) {
  std::ofstream("/proc/self/clear_refs") << 5;  // the peak begins here
  const std::size_t before = status_kilobytes("VmRSS");
  f();
  return std::max(status_kilobytes("VmHWM"), before) - before;  // the kernel counts them at different times
}

class CpuMemory : public testing::Test {
 protected:
  void SetUp() override { LANZA_NEEDS_COMPILER(); }
  void TearDown() override { unsetenv("LANZA_CPU_MODE"); }
  Device device_{"cpu"};
  Current current_{device_};
};

// 10^9 threads: were each to keep a byte, it would be a gigabyte.
TEST_F(CpuMemory, AGridOfAMillionBlocksTakesThatOfWhatRuns) {
  constexpr unsigned blocks = 1'000'000, threads = 1024;
  for (const char* mode : {"threads", "auto"}) {
    setenv("LANZA_CPU_MODE", mode, 1);
    const Module module = compile(R"(
__global__ void plain(unsigned* last) {
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 1) *last = blockIdx.x;
}
__global__ void waits(unsigned* last) {
  if (threadIdx.x >= 2) return;
  __shared__ unsigned block;
  if (threadIdx.x == 0) block = blockIdx.x;
  __syncthreads();
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 1) *last = block;
})",
                                  {.device = device_});
    for (const char* name : {"plain", "waits"}) {
      const Kernel kernel = module.kernel(name);
      std::vector<unsigned> last(1);
      // Workers and their stacks are there, and the compiler is done: the first launch may run beside it, on one
      // worker.
      for (int warm = 0; warm < 2; ++warm) kernel({.grid = 100, .block = threads}, out(last));
      const std::size_t grown = peak_growth_kilobytes([&] { kernel({.grid = blocks, .block = threads}, out(last)); });
      EXPECT_EQ(last[0], blocks - 1);
      EXPECT_LE(grown, 8 << 10) << name << ", " << mode;
    }
  }
}

TEST_F(CpuMemory, AnArrayOfZerosIsNotInTheCacheAndTakesNoMemoryUntilItIsWritten) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "lanza-zeros-XXXXXX";
  std::string name = folder.string();
  ASSERT_TRUE(mkdtemp(name.data()));
  const char* old = getenv("LANZA_CACHE_DIR");
  const std::string before = old ? old : "";
  setenv("LANZA_CACHE_DIR", name.c_str(), 1);
  const auto program = [&](bool cached) {
    const Module module = compile(R"(
__device__ int first = 7;
__device__ int zeros[64 << 20];
__device__ int* pointer = &zeros[1 << 20];
__global__ void count(int* out) {
  zeros[12345] += first;
  out[0] = zeros[12345];
  out[1] = *pointer;
  out[2] = zeros[(64 << 20) - 1];
})",
                                  {.device = device_});
    EXPECT_EQ(module.cached(), cached);
    std::vector<int> result(3, -1);
    module.kernel("count")({.block = 1}, out(result));
    EXPECT_EQ(result, (std::vector<int>{7, 0, 0}));
  };
  EXPECT_LE(peak_growth_kilobytes([&] { program(false); }), 128 << 10) << "the compiler takes some";
  EXPECT_LE(peak_growth_kilobytes([&] { program(true); }), 16 << 10);
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(name))
    if (entry.is_regular_file()) bytes += entry.file_size();
  EXPECT_LE(bytes, 256u << 10);
  std::filesystem::remove_all(name);
  old ? setenv("LANZA_CACHE_DIR", before.c_str(), 1) : unsetenv("LANZA_CACHE_DIR");
}

}  // namespace
}  // namespace lanza
