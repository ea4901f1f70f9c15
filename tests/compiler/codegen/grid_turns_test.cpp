// Kernels that stride with their grid say which grid has a thread for each turn.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "kernel_fixture.hpp"

namespace lanza::compiler::testing {
namespace {

constexpr unsigned kThreads = 256;

std::string object_of(const std::string& parameters, const std::string& body, const std::string& type = "int",
                      unsigned rows = 1) {
  const std::string source = "extern \"C\" __global__ void k(" + parameters + ") {\nfor (" + type +
                             " i = index_x; i < n; i += ntid_x * nctaid_x) {" + body + "}\n}";
  const std::string bitcode = bitcode_of(source), kernel = "k", target = "native";
  LanzaSpecialiseRequest request = request_for(bitcode, kernel, target);
  request.mode = LANZA_MODE_AUTO;
  request.block[0] = kThreads;
  request.block[1] = rows;
  request.block[2] = 1;
  const Specialised made = specialise(request);
  EXPECT_TRUE(made.ok) << made.log;
  return made.object;
}

class GridTurns : public ::testing::Test {
 protected:
  static uint32_t blocks(const LoadedKernel& code, uint32_t asked, Arguments arguments, uint32_t rows = 1) {
    const uint32_t grid[3] = {asked, rows, 1};
    return code.table().blocks(grid, arguments.data());
  }
  // Nothing is read behind them.
  static float* at(uintptr_t elements) { return reinterpret_cast<float*>((uintptr_t{1} << 32) + 4 * elements); }
};

TEST_F(GridTurns, HaveAThreadEachWhereTheyAreIndependent) {
  LoadedKernel code(object_of("const float* __restrict__ x, float* __restrict__ y, int n", "y[i] = x[i] * 2;"));
  ASSERT_NE(code.table().blocks, nullptr);
  auto of = [&](uint32_t asked, int n, uint32_t rows = 1) { return blocks(code, asked, pack(at(0), at(0), n), rows); };
  EXPECT_EQ(of(1, 1000), 4u);
  EXPECT_EQ(of(32, 1 << 20), 1u << 12);
  EXPECT_EQ(of(3, 3 * 256 + 1), 4u);
  EXPECT_EQ(of(8, 1000), 4u) << "blocks without a turn";
  EXPECT_EQ(of(7, 0), 7u);
  EXPECT_EQ(of(7, -5), 7u);
  EXPECT_EQ(of(7, 1 << 29), 1u << 21);
  EXPECT_EQ(of(7, (1 << 29) + 1), 7u) << "i + blockDim.x * gridDim.x may wrap";
  EXPECT_EQ(of(1, 1000, 2), 1u) << "a grid of two axes";
}

TEST_F(GridTurns, AskWhereArraysLie) {
  LoadedKernel code(object_of("const float* x, float* y, int n", "y[i] = x[i + 2] * 2;"));
  ASSERT_NE(code.table().blocks, nullptr);
  auto of = [&](uint32_t asked, float* x, float* y) { return blocks(code, asked, pack(x, y, 1000)); };
  EXPECT_EQ(of(1, at(5000), at(6002)), 4u);
  EXPECT_EQ(of(1, at(5000), at(6001)), 1u) << "the last turn reads what the first one writes";
  EXPECT_EQ(of(1, at(5998), at(5000)), 4u);
  EXPECT_EQ(of(1, at(5997), at(5000)), 1u);
  EXPECT_EQ(of(1, at(5000), at(5000)), 1u);
  EXPECT_EQ(of(5, at(5000), at(5000)), 4u) << "each thread has a turn at most";
}

TEST_F(GridTurns, AreCountedInAnyType) {
  for (const char* type : {"unsigned", "long", "unsigned long"}) {
    LoadedKernel code(object_of("float* __restrict__ y, const float* __restrict__ x, " + std::string(type) + " n",
                                "y[i] = x[i];", type));
    ASSERT_NE(code.table().blocks, nullptr) << type;
    EXPECT_EQ(blocks(code, 2, pack(at(0), at(0), uint64_t{10000})), 40u) << type;
    EXPECT_EQ(blocks(code, 2, pack(at(0), at(0), uint64_t{1} << 40)), 2u) << type;
  }
}

TEST_F(GridTurns, StayInOrderWhereOneMayReadWhatAnotherWrites) {
  for (const char* body : {"y[i] = y[i + 1];", "y[i / 2] = x[i];", "y[i] = x[k * i];"}) {
    LoadedKernel code(object_of("const float* x, float* y, int n, int k", body));
    ASSERT_NE(code.table().blocks, nullptr) << body;
    EXPECT_EQ(blocks(code, 1, pack(at(0), at(1 << 20), 1000, 3)), 1u) << body;
    EXPECT_EQ(blocks(code, 9, pack(at(0), at(1 << 20), 1000, 3)), 4u) << body;
  }
}

TEST_F(GridTurns, AreTheCallersWhereThreadsAreKnownOtherwise) {
  for (const char* body : {"y[i] = tid_x;", "y[i] = nctaid_x;", "y[i] = ctaid_x + x[i];"}) {
    LoadedKernel code(object_of("const float* __restrict__ x, float* __restrict__ y, int n", body));
    EXPECT_EQ(code.table().blocks, nullptr) << body;
  }
  LoadedKernel two_rows(object_of("float* __restrict__ y, int n", "y[i] = i;", "int", 2));
  EXPECT_EQ(two_rows.table().blocks, nullptr);
}

TEST_F(GridTurns, DoTheSameByThatGrid) {
  LoadedKernel code(object_of("const float* __restrict__ x, float* __restrict__ y, int n", "y[i] += x[i] * 2;"));
  std::vector<float> x(1000), y(1000, 1);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  Arguments arguments = pack(x.data(), y.data(), 1000);
  const uint32_t count = blocks(code, 1, arguments);
  ASSERT_EQ(count, 4u);
  EXPECT_EQ(code.run({.grid = {count}, .block = {kThreads}}, arguments.data()), LANZA_DONE);
  for (size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], 1 + 2 * static_cast<float>(i));
}

}  // namespace
}  // namespace lanza::compiler::testing
