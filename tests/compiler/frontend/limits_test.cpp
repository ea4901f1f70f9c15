// Pathological sources are errors, and soon.
#include <gmock/gmock.h>

#include <chrono>

#include "compiler/plugin.hpp"

using namespace lanza::test;
using ::testing::AnyOf;
using ::testing::HasSubstr;

namespace {

std::string log_of(const std::string& source) {
  const auto start = std::chrono::steady_clock::now();
  const CompileResult r = compile({.source = source});
  EXPECT_FALSE(r->ok) << source.substr(0, 200);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(100));
  return text(r->log);
}

TEST(Limits, EndlessTemplates) {
  EXPECT_THAT(
      log_of("template <int N> struct T { static constexpr int v = T<N + 1>::v; }; __device__ int x = T<0>::v;"),
      HasSubstr("recursive template instantiation exceeded maximum depth"));
}

TEST(Limits, EnormousTemplates) {
  EXPECT_THAT(
      log_of("template <int N, long M> struct T { static constexpr long v = T<N - 1, 2 * M>::v + T<N - 1, 2 * M + "
             "1>::v; };\n"
             "template <long M> struct T<0, M> { static constexpr long v = 1; };\n__device__ long x = T<40, 0>::v;"),
      HasSubstr("the source is too large: it needs more than"));
}

// Each operator tries hundreds of conversions, which instantiate nothing.
TEST(Limits, ManyOperators) {
  std::string source = "#include <cuda_fp16.h>\n__global__ void k(__half* a) {\n  __half x = a[0], y = a[1];\n";
  for (int i = 0; i < 500; ++i) source += "  y = x * y;\n";
  EXPECT_TRUE(compile({.source = source + "  a[2] = y;\n}\n"})->ok);
}

TEST(Limits, EndlessConstantExpressions) {
  EXPECT_THAT(log_of("constexpr int f(int n) { while (true) ++n; return n; }\nconstexpr int x = f(0);"),
              HasSubstr("constexpr"));
  EXPECT_THAT(log_of("constexpr int f(int n) { return f(n + 1); }\nconstexpr int x = f(0);"), HasSubstr("constexpr"));
}

TEST(Limits, MacrosThatDouble) {
  std::string source = "#define A0 1 +\n";
  for (int i = 1; i < 40; ++i)
    source += "#define A" + std::to_string(i) + " A" + std::to_string(i - 1) + " A" + std::to_string(i - 1) + "\n";
  EXPECT_THAT(log_of(source + "__device__ int x = A39 1;"),
              AnyOf(HasSubstr("the source is too large"), HasSubstr("out of stack")));
}

TEST(Limits, EndlessIncludes) {
  const CompileResult r =
      compile({.source = "#include \"self.h\"\n", .headers = {{"self.h", "#include \"self.h\"\n"}}});
  EXPECT_FALSE(r->ok);
  EXPECT_THAT(text(r->log), HasSubstr("nested too deeply"));
  const CompileResult twice = compile(
      {.source = "#include \"self.h\"\n",
       .headers = {{"self.h", "#if __INCLUDE_LEVEL__ < 40\n#include \"self.h\"\n#include \"self.h\"\n#endif\n"}}});
  EXPECT_FALSE(twice->ok);
  EXPECT_THAT(text(twice->log), HasSubstr("the source is too large"));
}

TEST(Limits, DeepNesting) {
  EXPECT_THAT(log_of("__device__ int x = " + std::string(100'000, '(') + "1" + std::string(100'000, ')') + ";"),
              HasSubstr("bracket nesting level exceeded"));
  std::string chain = "__device__ int f(int x) { return x";
  for (int i = 0; i < 200'000; ++i) chain += " + x";
  const CompileResult r = compile({.source = chain + "; }"});
  if (!r->ok) {
    EXPECT_THAT(text(r->log), AnyOf(HasSubstr("out of stack"), HasSubstr("stack nearly exhausted")));
  }
}

TEST(Limits, LargeButSoundSourcesCompile) {
  std::string source;
  for (int i = 0; i < 500; ++i)
    source += "template <class T> __device__ T f" + std::to_string(i) + "(T x) { return x * T(" + std::to_string(i) +
              "); }\n__global__ void k" + std::to_string(i) + "(float *p) { p[0] = f" + std::to_string(i) +
              "(p[1]); }\n";
  const CompileResult r = compile({.source = source});
  EXPECT_TRUE(r->ok) << view(r->log);
  EXPECT_EQ(r->kernel_count, 500u);
}

}  // namespace
