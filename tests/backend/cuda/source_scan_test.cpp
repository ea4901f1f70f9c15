// Kernels and type names found in source text.
#include "backend/cuda/source_scan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lanza::cuda_backend {
namespace {

using testing::ElementsAre;

std::vector<std::string> names(const SourceSummary& s, std::string_view kernel, std::size_t count) {
  std::vector<std::string> result;
  if (const SourceKernel* k = s.find(kernel, count))
    for (const SourceParameter& p : k->parameters) result.push_back(p.name);
  return result;
}

TEST(SourceScan, ParametersHaveNamesAndTypes) {
  const SourceSummary s = scan_source(
      "extern \"C\" __global__ void k(const float * __restrict__ a, unsigned int n, float b[16], struct P p) {}");
  EXPECT_THAT(names(s, "k", 4), ElementsAre("a", "n", "b", "p"));
  const SourceKernel* k = s.find("k", 4);
  EXPECT_THAT(k->parameters[0].type, ElementsAre("const", "float", "*", "__restrict__"));
  EXPECT_THAT(k->parameters[1].type, ElementsAre("unsigned", "int"));
  EXPECT_THAT(k->parameters[2].type, ElementsAre("float", "*"));
}

TEST(SourceScan, AttributesStandBeforeTheName) {
  const SourceSummary s = scan_source(
      "__global__ void __launch_bounds__(256, (2)) a(int x) {}\nvoid __global__ __launch_bounds__(N) b(int y);");
  EXPECT_THAT(names(s, "a", 1), ElementsAre("x"));
  EXPECT_THAT(names(s, "b", 1), ElementsAre("y"));
}

TEST(SourceScan, TemplatesAndDefaults) {
  const SourceSummary s =
      scan_source("template<class T, int N> __global__ void k(P<T, N> p, T v = T(3), int (*f)(int)) {}");
  const SourceKernel* k = s.find("k", 3);
  ASSERT_NE(k, nullptr);
  EXPECT_EQ(k->parameters[0].name, "p");
  EXPECT_EQ(k->parameters[1].name, "v");
  EXPECT_FALSE(k->readable);
}

TEST(SourceScan, UnnamedAndVoid) {
  EXPECT_THAT(names(scan_source("__global__ void k(float*, int, const unsigned) {}"), "k", 3), ElementsAre("", "", ""));
  EXPECT_NE(scan_source("__global__ void k(void) {}").find("k", 0), nullptr);
  EXPECT_NE(scan_source("__global__ void k() {}").find("k", 0), nullptr);
}

TEST(SourceScan, CommentsStringsAndInactiveTextDoNotCount) {
  const SourceSummary s = scan_source(R"src(
    // __global__ void a(int x) {}
    /* __global__ void b(int x) {} */
    const char* t = "__global__ void c(int x) {}";
    const char* r = R"x(__global__ void d(int x) {})x";
    __global__ /* kernel */ void e( // first
        int x /* y */) {}
  )src");
  ASSERT_EQ(s.kernels.size(), 1u);
  EXPECT_EQ(s.kernels[0].name, "e");
  EXPECT_EQ(s.kernels[0].parameters[0].name, "x");
}

TEST(SourceScan, OverloadsAreAmbiguousUnlessTheCountTells) {
  const SourceSummary s =
      scan_source("__global__ void k(int a); __global__ void k(float b) {} __global__ void k(int a, int c) {}");
  EXPECT_EQ(s.find("k", 1), nullptr);
  EXPECT_THAT(names(s, "k", 2), ElementsAre("a", "c"));
  EXPECT_NE(scan_source("__global__ void k(int a); __global__ void k(int a) {}").find("k", 1), nullptr);
}

TEST(SourceScan, Aliases) {
  SourceSummary s = scan_source(
      "typedef unsigned char byte;\nusing real = double;\n#define REAL float // why\n#define F(x) int\n#define N 4\n"
      "#define DOS int\n#define DOS float\n");
  add_macro(s, "T=long long");
  EXPECT_THAT(s.aliases.at("byte"), ElementsAre("unsigned", "char"));
  EXPECT_THAT(s.aliases.at("real"), ElementsAre("double"));
  EXPECT_THAT(s.aliases.at("REAL"), ElementsAre("float"));
  EXPECT_THAT(s.aliases.at("T"), ElementsAre("long", "long"));
  EXPECT_EQ(s.aliases.count("F"), 0u);
  EXPECT_EQ(s.aliases.count("N"), 0u);
  EXPECT_TRUE(s.aliases.at("DOS").empty());
}

TEST(SourceScan, EveryPrefixIsRead) {
  const std::string text =
      "#define A \\\n B\ntypedef int x; using y = z;\n__global__ void __launch_bounds__(3) k(int a[4], P<T> b = "
      "\"x\\\"\", char c='\\'') { R\"q(x)q\"; }";
  for (std::size_t n = 0; n <= text.size(); ++n) scan_source(text.substr(0, n));
  for (std::size_t n = 0; n <= text.size(); ++n) scan_source(text.substr(n));
}

}  // namespace
}  // namespace lanza::cuda_backend
