// Kernels of many index sums that wrap in some lanes, which have a serial original (see outline_serial_loops()).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "kernel_fixture.hpp"

namespace lanza::compiler::testing {
namespace {

constexpr unsigned kThreads = 64, kLines = 60, kElements = 1 << 13;

// Adds at start + t + c * n, each time what it found as well.
std::string source() {
  std::string lines;
  for (unsigned c = 1; c <= kLines; ++c) {
    const std::string place = "out[start + tid_x + " + std::to_string(c) + " * n]";
    lines += "v += " + place + "; " + place + " += v * " + std::to_string(c) + ";\n";
  }
  return "extern \"C\" __global__ void k(unsigned* out, unsigned* sums, unsigned start, unsigned n) {\n"
         "unsigned v = tid_x;\n" +
         lines + "sums[tid_x] = v;\n}";
}

std::vector<uint32_t> expected(std::vector<uint32_t> out, uint32_t start, uint32_t n) {
  std::vector<uint32_t> sums;
  for (uint32_t t = 0; t < kThreads; ++t) {
    sums.push_back(t);
    for (uint32_t c = 1; c <= kLines; ++c) {
      uint32_t& at = out[start + t + c * n];
      sums.back() += at;
      at += sums.back() * c;
    }
  }
  out.insert(out.end(), sums.begin(), sums.end());
  return out;
}

TEST(WrappingSums, AreThoseOfEachThread) {
  const std::string bitcode = bitcode_of(source()), kernel = "k", target = "x86-64-v3";
  LanzaSpecialiseRequest request = request_for(bitcode, kernel, target);
  request.mode = LANZA_MODE_AUTO;
  request.block[0] = kThreads;
  request.block[1] = request.block[2] = 1;
  const Specialised made = specialise(request);
  ASSERT_TRUE(made.ok) << made.log;
  EXPECT_THAT(report_of(source(), kThreads, 1, target),
              ::testing::HasSubstr("the sums of many addresses may wrap here"));
  LoadedKernel code(made.object);
  // Nothing wraps, the sums of all threads do, `start + t` of some does.
  const std::vector<std::pair<uint32_t, uint32_t>> launches{{0, 64}, {-70u, 70}, {-90u, 100}, {-64u, 64}, {-10u, 64}};
  for (auto [start, n] : launches) {
    std::vector<uint32_t> out(kElements), sums(kThreads);
    std::iota(out.begin(), out.end(), 5u);
    const std::vector<uint32_t> wanted = expected(out, start, n);
    EXPECT_EQ(code.run({.block = {.x = kThreads}}, pack(out.data(), sums.data(), start, n).data()), LANZA_DONE);
    out.insert(out.end(), sums.begin(), sums.end());
    EXPECT_EQ(out, wanted) << "start " << start << ", n " << n;
  }
}

}  // namespace
}  // namespace lanza::compiler::testing
