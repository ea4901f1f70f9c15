// Kernels without synchronisation points, from CUDA C++ to a result.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "kernel_fixture.hpp"

namespace lanza::compiler::testing {
namespace {

using ::testing::HasSubstr;

const char kSaxpy[] = R"(
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = index_x;
  if (i < n) y[i] = a * x[i] + y[i];
})";

void expect_saxpy(const std::string& object) {
  LoadedKernel kernel(object);
  std::vector<float> x(1000), y(1024, 1.0f);
  std::iota(x.begin(), x.end(), 0.0f);
  Arguments arguments = pack(1000, 2.0f, x.data(), y.data());
  EXPECT_EQ(kernel.run({.grid = {4}, .block = {256}}, arguments.data()), LANZA_DONE);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(y[i], 2.0f * i + 1) << i;
  for (int i = 1000; i < 1024; ++i) ASSERT_EQ(y[i], 1.0f) << i;
}

TEST(Lanes, RunAKernel) {
  const std::string bitcode = bitcode_of(kSaxpy);
  Specialised result = specialise(request_for(bitcode, "saxpy"));
  ASSERT_TRUE(result.ok) << result.log;
  EXPECT_TRUE(result.generic);
  LoadedKernel kernel(result.object);
  EXPECT_EQ(kernel.table().abi, unsigned(LANZA_KERNEL_ABI));
  EXPECT_EQ(kernel.table().flags, unsigned(LANZA_KERNEL_RANGES));
  EXPECT_EQ(kernel.table().frame_bytes, 0u);
  EXPECT_THAT(kernel.table().report, HasSubstr("\"engine\":\"lanes\""));
  expect_saxpy(result.object);
}

TEST(Lanes, HaveNoUndefinedSymbols) {
  const std::string bitcode = bitcode_of(kSaxpy);
  Specialised result = specialise(request_for(bitcode, "saxpy"));
  ASSERT_TRUE(result.ok) << result.log;
  EXPECT_EQ(undefined_symbols(result.object), "");
}

}  // namespace
}  // namespace lanza::compiler::testing
