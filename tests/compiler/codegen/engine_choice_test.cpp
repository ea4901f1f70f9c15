// Which engine the automatic choice takes for a kernel, as its report says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel_fixture.hpp"

namespace lanza::compiler::testing {
namespace {

using ::testing::HasSubstr;

TEST(EngineChoice, LeavesStraightCodeToTheLoopOverThreads) {
  const char* source = R"(
extern "C" __global__ void k(const float* x, float* y, int n) {
  const int i = ctaid_x * ntid_x + tid_x;
  if (i < n) y[i] += 2 * x[i];
})";
  EXPECT_THAT(report_of(source),
              HasSubstr("\"engine\":\"lanes\",\"why\":\"the kernel has no synchronisation points\""));
}

TEST(EngineChoice, TakesSeveralLanesWhereThatLoopWouldGather) {
  const char* source = R"(
extern "C" __global__ void k(const float* x, float* y, int n) {
  const int i = ctaid_x * ntid_x + tid_x;
  if (i < n) y[i] += x[i == n - 1 ? 0 : i + 1];
})";
  EXPECT_THAT(report_of(source), HasSubstr("\"engine\":\"vector\",\"why\":\"as a loop over threads it would gather"));
}

TEST(EngineChoice, TakesSeveralLanesForLoops) {
  const char* source = R"(
extern "C" __global__ void k(const float* x, float* y, int n) {
  float sum = 0;
  for (int i = tid_x; i < n; i += ntid_x) sum += x[i];
  y[tid_x] = sum;
})";
  EXPECT_THAT(report_of(source), HasSubstr("\"engine\":\"vector\",\"why\":\"the kernel has loops\""));
}

}  // namespace
}  // namespace lanza::compiler::testing
