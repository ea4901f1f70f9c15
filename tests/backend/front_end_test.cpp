// The plug-in's results in the terms of backend.hpp.
#include "backend/front_end.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "needs_compiler.hpp"

namespace lanza::backend {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class FrontEnd : public testing::Test {
 protected:
  void SetUp() override { LANZA_NEEDS_COMPILER(); }
};

TEST_F(FrontEnd, GivesCodeWithSignaturesVariablesAndDependencies) {
  const CompileResult r =
      compile_to_bitcode({.source = "#include \"n.h\"\n__device__ int v[2] = {7, 8};\n"
                                    "__global__ void __launch_bounds__(64) k(float* out, int n) { out[n] = v[1] + N; }",
                          .headers = {{"n.h", "#define N 3"}}});
  EXPECT_EQ(r.code.kind, "bitcode");
  EXPECT_THAT(r.code.image, StartsWith("BC"));
  ASSERT_EQ(r.code.kernels.size(), 1u);
  EXPECT_EQ(to_string("k", r.code.kernels[0].signature), "k(float* out, int n)");
  EXPECT_EQ(r.code.kernels[0].max_threads, 64u);
  ASSERT_EQ(r.code.variables.size(), 1u);
  EXPECT_EQ(r.code.variables[0].size, 8u);
  EXPECT_THAT(r.code.compiler, HasSubstr("clang"));
}

TEST_F(FrontEnd, AnErrorIsTheFirstOneWithItsPlaceTheLogAndTheOptions) {
  try {
    compile_to_bitcode(
        {.source = "__global__ void k() {\n  nada();\n  nunca();\n}", .filename = "mi.cu", .options = {"-DA=1"}});
    FAIL() << "compiled";
  } catch (const CompileError& e) {
    EXPECT_STREQ(e.what(),
                 "mi.cu:2:3: error: use of undeclared identifier 'nada'\n"
                 "    2 |   nada();\n"
                 "      |   ^\n"
                 "(and 1 more: the log has all)");
    EXPECT_EQ(e.details().file, "mi.cu");
    EXPECT_EQ(e.details().line, 2u);
    EXPECT_EQ(e.details().column, 3u);
    EXPECT_EQ(e.details().options, "-DA=1");
    EXPECT_THAT(e.details().log, HasSubstr("nunca"));
  }
}

TEST_F(FrontEnd, AnErrorSaysWhatToDo) {
  try {
    compile_to_bitcode(
        {.source = "__global__ void k(float* p) {\n  int unused;\n  cudaMalloc(&p, 4);\n}", .options = {"-Wunused"}});
    FAIL() << "compiled";
  } catch (const CompileError& e) {
    EXPECT_THAT(e.what(), StartsWith("kernel.cu:3:3: error: use of undeclared identifier 'cudaMalloc'\n"));
    EXPECT_THAT(e.what(), HasSubstr("allocate and copy through Lanza's C++ or Python API"));
    EXPECT_THAT(e.what(), Not(HasSubstr("unused")));
  }
}

TEST_F(FrontEnd, AFatalErrorIsShownToo) {
  try {
    compile_to_bitcode({.source = "#include \"nowhere.h\"\n", .filename = "mi.cu"});
    FAIL() << "compiled";
  } catch (const CompileError& e) {
    EXPECT_STREQ(e.what(),
                 "mi.cu:1:10: error: 'nowhere.h' file not found\n"
                 "    1 | #include \"nowhere.h\"\n"
                 "      |          ^~~~~~~~~~~");
  }
}

}  // namespace
}  // namespace lanza::backend
