// What the compiler says, as text and as a list.
#include <gmock/gmock.h>

#include "compiler/plugin.hpp"

using namespace lanza::test;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

TEST(Diagnostics, ErrorsHaveAPlaceAndACaret) {
  const CompileResult r =
      compile({.source = "__global__ void k(int *p) {\n  p[0] = nothing;\n}\n", .filename = "mine.cu"});
  EXPECT_FALSE(r->ok);
  ASSERT_TRUE(first_error(*r));
  const LanzaDiagnostic& d = *first_error(*r);
  EXPECT_EQ(view(d.file), "mine.cu");
  EXPECT_EQ(d.line, 2u);
  EXPECT_EQ(d.column, 10u);
  EXPECT_EQ(view(d.message), "use of undeclared identifier 'nothing'");
  EXPECT_EQ(
      view(r->log),
      "mine.cu:2:10: error: use of undeclared identifier 'nothing'\n    2 |   p[0] = nothing;\n      |          ^\n");
  EXPECT_EQ(r->bitcode.size, 0u);
  EXPECT_EQ(r->kernel_count, 0u);
}

TEST(Diagnostics, WarningsAreKeptWhenAllIsWell) {
  const CompileResult r = compile({.source = "__device__ int f(int x) { if (x = 1) return 2; return 3; }"});
  EXPECT_TRUE(r->ok);
  ASSERT_GE(r->diagnostic_count, 1u);
  EXPECT_EQ(r->diagnostics[0].severity, static_cast<std::uint32_t>(LANZA_WARNING));
  EXPECT_EQ(r->diagnostics[0].line, 1u);
  EXPECT_THAT(text(r->log), HasSubstr("warning: using the result of an assignment as a condition"));
}

TEST(Diagnostics, NoiseOfCudaSourcesIsSilent) {
  const CompileResult r = compile({.source = R"(
#pragma once
#pragma nv_diag_suppress 177
__host__ __device__ inline int f(register int x) { return x; }
__global__ void k(volatile int *p, const unsigned n) {
  #pragma unroll 4
  for (int i = 0; i < 4; ++i) p[i] += f(i);
  int narrow[] = {(int)n};
  p[0] = narrow[0];
}
static __device__ int unused() { return 1; }
void host() {}
)"});
  EXPECT_TRUE(r->ok);
  EXPECT_EQ(view(r->log), "");
}

TEST(Diagnostics, LineDirectivesAndRequestHeaders) {
  const CompileResult a = compile({.source = "#line 70 \"other.cu\"\nint x = ;"});
  EXPECT_EQ(view(first_error(*a)->file), "other.cu");
  EXPECT_EQ(first_error(*a)->line, 70u);
  const CompileResult b = compile({.source = "#include \"mine.h\"", .headers = {{"mine.h", "\nint x = ;"}}});
  EXPECT_THAT(text(first_error(*b)->file), HasSubstr("mine.h"));
  EXPECT_EQ(first_error(*b)->line, 2u);
}

TEST(Diagnostics, ThePreludeIsNotShown) {
  const CompileResult r =
      compile({.source = "__global__ void k(float *p) { p[0] = atomicAdd(p, \"x\"); p[1] = fmaf(1, 2); }"});
  EXPECT_FALSE(r->ok);
  EXPECT_THAT(text(r->log), Not(HasSubstr("__lanza__/")));
}

TEST(Diagnostics, ManyErrorsEnd) {
  std::string source;
  for (int i = 0; i < 1000; ++i) source += "int x" + std::to_string(i) + " = nothing;\n";
  const CompileResult r = compile({.source = source});
  EXPECT_FALSE(r->ok);
  EXPECT_LT(r->diagnostic_count, 100u);
}

TEST(Diagnostics, OddSources) {
  EXPECT_TRUE(compile({.source = ""})->ok);
  EXPECT_TRUE(compile({.source = "\xef\xbb\xbf__global__ void k() {}"})->ok) << "byte order mark";
  EXPECT_TRUE(compile({.source = "// \xc3\xa9\xc3\xb1\n__global__ void k() {}\r\n"})->ok) << "UTF-8, CRLF";
  EXPECT_FALSE(compile({.source = std::string("\0\0\0int x = ;", 12)})->ok);
  EXPECT_FALSE(compile({.source = "\xff\xfe\x00"})->ok);
  EXPECT_FALSE(compile({.source = "#error stop here"})->ok);
  EXPECT_FALSE(compile({.source = "/* never closed"})->ok);
}

}  // namespace
