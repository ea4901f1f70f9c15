// The report of a kernel: its JSON, and what a compilation writes into it.
#include "compiler/codegen/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel_fixture.hpp"

namespace lanza::compiler::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Report, LeavesOutWhatSaysNothing) {
  EXPECT_EQ(report_json("k", {.engine = "threads", .why = {"asked for"}, .lanes = 0, .frame_bytes = 56}),
            R"({"kernel":"k","engine":"threads","why":"asked for","lanes":0,"frame_bytes":56})");
}

TEST(Report, HoldsAllThatPassesFill) {
  Report report{.engine = "vector",
                .why = {"every barrier is met by all threads together"},
                .lanes = 16,
                .lane_axis = 1,
                .block = {64, 2, 1},
                .spilled_values = 3,
                .context_bytes = 1536};
  report.regions = {{.line = 4,
                     .vectorised = true,
                     .gathers = 2,
                     .scatters = 1,
                     .costs = {{"gather", "far", 7}, {"sum", "in order"}}},
                    {.line = 9, .why = {"calls a \"function\"", 11}, .lane_by_lane = 5}};
  EXPECT_EQ(report_json("k", report),
            R"({"kernel":"k","engine":"vector","why":"every barrier is met by all threads together","lanes":16,)"
            R"("lanes_along":"y","block":[64,2,1],"spilled_values":3,"context_bytes":1536,"regions":[)"
            R"({"line":4,"vectorised":true,"gathers":2,"scatters":1,"costs":[)"
            R"({"what":"gather","why":"far","line":7},{"what":"sum","why":"in order"}]},)"
            R"({"line":9,"vectorised":false,"why":"calls a \"function\"","why_line":11,"lane_by_lane":5}]})");
}

TEST(Report, HasCostsByLinesAndOneOfAKindALine) {
  std::vector<Cost> costs;
  for (const Cost& cost :
       {Cost{"gather", "far", 9}, {"scatter", "far", 4}, {"gather", "again", 9}, {"rows", "each", 9}})
    add_cost(costs, cost);
  std::string order;
  for (const Cost& cost : costs) order += cost.what + " " + cost.why + ", ";
  EXPECT_EQ(order, "scatter far, gather far, rows each, ");
}

const char kFactorial[] = R"(
__device__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1) % 1000; }
extern "C" __global__ void k(int* out) { out[tid_x] = factorial(out[tid_x]) + factorial(tid_x); })";

const char kTwoRegions[] = R"(
extern "C" __global__ void k(const int* from, int* out) {
  __shared__ int s[64];
  s[tid_x] = out[from[tid_x]];
  __syncthreads();
  out[tid_x] = s[63 - tid_x];
})";

TEST(Report, TellsOfEachRegionOfVectorCode) {
  const std::string report = report_of(kTwoRegions);
  EXPECT_THAT(report, HasSubstr("\"engine\":\"vector\",\"why\":\"threads that wait for each other come together\""));
  EXPECT_THAT(
      report,
      HasSubstr(R"("vectorised":true,"gathers":1,"costs":[{"what":"gather","why":"the index comes from memory")"));
}

TEST(Report, SaysThatAKernelRecurses) {
  const std::string bitcode = bitcode_of(kFactorial);
  const Specialised result = specialise(request_for(bitcode, "k"));
  ASSERT_TRUE(result.ok) << result.log;
  EXPECT_THAT(LoadedKernel(result.object).table().report, HasSubstr("\"recurses\":true"));
}

TEST(Report, HasTheTimesOfThePhasesBesideTheObject) {
  const std::string bitcode = bitcode_of("extern \"C\" __global__ void k(int* out) { out[tid_x] = 1; }");
  const Specialised result = specialise(request_for(bitcode, "k"));
  ASSERT_TRUE(result.ok) << result.log;
  double sum = 0;
  for (const auto& [phase, milliseconds] : result.phases) sum += milliseconds;
  EXPECT_GT(sum, 0);
  EXPECT_LE(sum, result.seconds * 1000 + 1e-3);
  EXPECT_THAT(LoadedKernel(result.object).table().report, Not(HasSubstr("recurses")));
  EXPECT_EQ(to_json(Phases{{"read", 0.5}, {"link", 2}}), R"({"read":0.5,"link":2})");
}

}  // namespace
}  // namespace lanza::compiler::testing
