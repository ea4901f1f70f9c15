// Launches in device code: what becomes of them, and what is said of those that cannot be.
#include <gmock/gmock.h>

#include "compiler/plugin.hpp"

using namespace lanza::test;
using ::testing::HasSubstr;

namespace {

TEST(Launches, LinesOfDiagnosticsStay) {
  const CompileResult r = compile({.source = "__global__ void child(int* p) {}\n"
                                             "__global__ void k(int* p) {\n"
                                             "  child<<<1,\n"
                                             "          2>>>(p);\n"
                                             "  p[0] = nothing;\n"
                                             "}\n"});
  ASSERT_TRUE(first_error(*r));
  EXPECT_EQ(first_error(*r)->line, 5u);
  EXPECT_EQ(first_error(*r)->column, 10u);
}

// What stands before, in and behind a launch, as the user wrote it.
TEST(Launches, ColumnsOfDiagnosticsStay) {
  const CompileResult r = compile({.source = "__global__ void child(int* p) {}\n"
                                             "__global__ void k(int* p) {\n"
                                             "  if (p) child<<<1, 2>>>(nothing); missing = 1;\n"
                                             "  child<<<1, 2>>>(p); child<<<none, 2>>>(p);\n"
                                             "}\n",
                                   .filename = "mine.cu"});
  EXPECT_EQ(view(r->log),
            "mine.cu:3:26: error: use of undeclared identifier 'nothing'\n"
            "    3 |   if (p) child<<<1, 2>>>(nothing); missing = 1;\n"
            "      |                          ^\n"
            "mine.cu:3:36: error: use of undeclared identifier 'missing'\n"
            "    3 |   if (p) child<<<1, 2>>>(nothing); missing = 1;\n"
            "      |                                    ^\n"
            "mine.cu:4:31: error: use of undeclared identifier 'none'\n"
            "    4 |   child<<<1, 2>>>(p); child<<<none, 2>>>(p);\n"
            "      |                               ^\n");
  ASSERT_EQ(r->diagnostic_count, 3u);
  EXPECT_EQ(r->diagnostics[0].column, 26u);
  EXPECT_EQ(r->diagnostics[1].column, 36u);
  EXPECT_EQ(r->diagnostics[2].column, 31u);
}

TEST(Launches, ColumnsStayInHeadersMacrosAndBehindLineDirectives) {
  const CompileResult r = compile({.source = "__global__ void child(int* p) {}\n"
                                             "#define ARGUMENT nothing\n"
                                             "#include \"launching.h\"\n"
                                             "#line 70 \"other.cu\"\n"
                                             "__global__ void k(int* p) { child<<<1, 2>>>(p); p = &unknown; }\n",
                                   .headers = {{"launching.h",
                                                "__device__ inline void start(int* p) {\n"
                                                "  child<<<1, 2>>>(p + missing); child<<<1, 2>>>(ARGUMENT);\n"
                                                "}\n"}}});
  ASSERT_GE(r->diagnostic_count, 3u);
  EXPECT_EQ(view(r->diagnostics[0].file), "launching.h");
  EXPECT_EQ(r->diagnostics[0].column, 23u);
  EXPECT_EQ(view(r->diagnostics[1].file), "launching.h");
  EXPECT_EQ(r->diagnostics[1].column, 49u);
  const LanzaDiagnostic& last = r->diagnostics[r->diagnostic_count - 1];
  EXPECT_EQ(view(last.file), "other.cu");
  EXPECT_EQ(last.line, 70u);
  EXPECT_EQ(last.column, 54u);
  EXPECT_THAT(text(r->log), HasSubstr("In file included from kernel.cu:3:"));
}

// An argument that is handed on from macro to macro, as libraries repeat things: a place is looked for once a macro.
TEST(Launches, MacrosInMacrosTakeNoTime) {
  std::string source = "__global__ void child(int* p) {}\n#define GIVE_0(x) x\n";
  for (int depth = 1; depth <= 60; ++depth)
    source += "#define GIVE_" + std::to_string(depth) + "(x) GIVE_" + std::to_string(depth - 1) + "(x)\n";
  source += "__global__ void k(int* p) { child<<<1, 2>>>(p); p = GIVE_60(none); }\n";
  const CompileResult r = compile({.source = source, .filename = "mine.cu"});
  EXPECT_THAT(text(r->log), HasSubstr("mine.cu:63:61: error: use of undeclared identifier 'none'\n"));
}

// A macro that launches, one that is used in a launch, and what stands behind either.
TEST(Launches, MacrosAreShownAsTheyWereWritten) {
  const CompileResult r = compile({.source = "__global__ void child(int* p) {}\n"
                                             "#define START(n, p) child<<<1, n>>>(p); child<<<1, n>>>(&nothing)\n"
                                             "#define TWO(a) (a + missing)\n"
                                             "__global__ void k(int* p) {\n"
                                             "  child<<<1, 2>>>(p); START(none, p); p = &unknown;\n"
                                             "  child<<<1, TWO(2)>>>(p);\n"
                                             "}\n",
                                   .filename = "mine.cu"});
  EXPECT_EQ(view(r->log),
            "mine.cu:5:29: error: use of undeclared identifier 'none'\n"
            "    5 |   child<<<1, 2>>>(p); START(none, p); p = &unknown;\n"
            "      |                             ^\n"
            "mine.cu:5:29: error: use of undeclared identifier 'none'\n"
            "mine.cu:5:23: error: use of undeclared identifier 'nothing'\n"
            "    5 |   child<<<1, 2>>>(p); START(none, p); p = &unknown;\n"
            "      |                       ^\n"
            "mine.cu:2:58: note: expanded from macro 'START'\n"
            "    2 | #define START(n, p) child<<<1, n>>>(p); child<<<1, n>>>(&nothing)\n"
            "      |                                                          ^\n"
            "mine.cu:5:44: error: use of undeclared identifier 'unknown'\n"
            "    5 |   child<<<1, 2>>>(p); START(none, p); p = &unknown;\n"
            "      |                                            ^\n"
            "mine.cu:6:14: error: use of undeclared identifier 'missing'\n"
            "    6 |   child<<<1, TWO(2)>>>(p);\n"
            "      |              ^\n"
            "mine.cu:3:21: note: expanded from macro 'TWO'\n"
            "    3 | #define TWO(a) (a + missing)\n"
            "      |                     ^\n");
}

// Ranges and what clang would change are of the user's text too; so are warnings.
TEST(Launches, RangesAndHintsStay) {
  const CompileResult r = compile({.source = "__global__ void child(int* p) {}\n"
                                             "__global__ void k(int* p) {\n"
                                             "  child<<<1, 2>>>(p); if (*p = 1) *p = 2;\n"
                                             "}\n"});
  EXPECT_TRUE(r->ok);
  EXPECT_THAT(text(r->log), HasSubstr("    3 |   child<<<1, 2>>>(p); if (*p = 1) *p = 2;\n"
                                      "      |                           ~~~^~~\n"));
  EXPECT_THAT(text(r->log), HasSubstr("      |                           (     )\n"));
}

TEST(Launches, AlignmentsOfSharedMemoryMoveNothing) {
  const CompileResult r =
      compile({.source = "__global__ void k(int* p) { __shared__ alignas(16) int s[4]; s[0] = none; *p = s[0]; }\n"});
  ASSERT_TRUE(first_error(*r));
  EXPECT_EQ(first_error(*r)->column, 69u);
}

TEST(Launches, ChildrenAreKernelsOfTheModule) {
  const CompileResult r = compile({.source = "template <class T> __global__ void child(T* p) {}\n"
                                             "__global__ void k(float* p) { child<<<1, 2>>>(p); }\n"});
  ASSERT_TRUE(r->ok) << view(r->log);
  ASSERT_EQ(r->kernel_count, 2u);
  EXPECT_EQ(view(r->kernels[0].name), "k");
  EXPECT_EQ(view(r->kernels[1].name), "child<float>");
}

TEST(Launches, SharedMemoryOfAChildIsItsOwn) {
  const CompileResult r =
      compile({.source = "__global__ void child(int* p) { __shared__ int s[9]; s[0] = *p; *p = s[0]; }\n"
                         "__global__ void k(int* p) { child<<<1, 2>>>(p); }\n"});
  ASSERT_TRUE(r->ok) << view(r->log);
  ASSERT_EQ(r->kernel_count, 2u);
  EXPECT_EQ(r->kernels[0].static_shared, 36u);
  EXPECT_EQ(r->kernels[1].static_shared, 0u);
}

TEST(Launches, HeadersGivenAsTextMayLaunch) {
  const CompileResult r = compile({.source = "#include \"child.h\"\n__global__ void k(int* p) { start(p); }\n",
                                   .headers = {{"child.h",
                                                "__global__ void child(int* p) {}\n"
                                                "__device__ inline void start(int* p) { child<<<1, 2>>>(p); }\n"}}});
  EXPECT_TRUE(r->ok) << view(r->log);
}

TEST(Launches, PtxIsRefused) {
  const CompileResult r = compile({.source = "__global__ void child(int* p) {}\n"
                                             "__global__ void k(int* p) { child<<<1, 2>>>(p); }\n"});
  ASSERT_TRUE(r->ok) << view(r->log);
  const LanzaPtxRequest request{.bitcode = r->bitcode, .compute_capability = 90};
  const std::unique_ptr<LanzaPtxResult, Free> ptx(plugin().emit_ptx(&request));
  EXPECT_FALSE(ptx->ok);
  EXPECT_THAT(text(ptx->log), HasSubstr("a kernel that launches kernels cannot be written as PTX"));
}

std::string log_of(const std::string& body, std::vector<std::string> options = {}) {
  const CompileResult r = compile({.source = "__global__ void child(int n) {}\n"
                                             "__device__ void function(int n) {}\n"
                                             "__global__ void referring(const int& n) {}\n"
                                             "#define CONFIGURED <<<1, 2>>>\n"
                                             "__global__ void k(int n) {\n" +
                                             body + "\n}\n",
                                   .options = std::move(options)});
  EXPECT_FALSE(r->ok) << body;
  return text(r->log);
}

TEST(Launches, WhatCannotBeLaunched) {
  EXPECT_THAT(log_of("missing<<<1, 2>>>(n);"), HasSubstr("undeclared identifier 'missing'"));
  EXPECT_THAT(log_of("function<<<1, 2>>>(n);"), HasSubstr("declare it __global__, or call it without <<<...>>>"));
  EXPECT_THAT(log_of("referring<<<1, 2>>>(n);"),
              HasSubstr("takes 'n' by reference: a kernel takes values and pointers"));
  EXPECT_THAT(log_of("child CONFIGURED(n);"), HasSubstr("device code can launch a kernel"));
  EXPECT_THAT(log_of("child(n);"), HasSubstr("but not call it"));
  EXPECT_THAT(log_of("void (*pointer)(int) = child;"), HasSubstr("nor take its address inside of a function"));
  EXPECT_THAT(log_of("child<<<1>>>(n);"), HasSubstr("expected at least 2, have 1"));
  EXPECT_THAT(log_of("child<<<1, 2>>>(n, 3);"), HasSubstr("too many arguments to function call"));
  EXPECT_THAT(log_of("child<<<1, 2>>>(&n);"), HasSubstr("parameter of type 'int' with an rvalue of type 'int *'"));
  EXPECT_THAT(log_of("cudaDeviceSynchronize();"), HasSubstr("cudaStreamTailLaunch"));
}

TEST(Launches, HostCodeDoesNotLaunch) {
  const CompileResult r = compile({.source = "__global__ void child(int n) {}\n"
                                             "template <class T> void host(T n) { child<<<1, 2>>>(n); }\n"
                                             "int main() { host(3); auto later = [] { child<<<3, 4>>>(5); }; }\n"});
  EXPECT_FALSE(r->ok);
  EXPECT_THAT(text(r->log), HasSubstr("kernel.cu:2:37: error: a kernel is launched in host code"));
  EXPECT_THAT(text(r->log), HasSubstr("kernel.cu:3:41: error: a kernel is launched in host code"));
}

TEST(Launches, OlderStandards) {
  const CompileResult r = compile({.source = "__global__ void child(int n) {}\n"
                                             "__global__ void k(int n) { child<<<1, 2>>>(n); }\n",
                                   .options = {"-std=c++11"}});
  EXPECT_TRUE(r->ok) << view(r->log);
}

}  // namespace
