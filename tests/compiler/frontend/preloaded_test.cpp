// Headers that come from a PCH are as if they were parsed where they stand.
#include <gmock/gmock.h>

#include "compiler/plugin.hpp"

using namespace lanza::test;

namespace {

std::string problem_of(const std::string& source, const std::vector<std::string>& options = {}) {
  const CompileResult r = compile({.source = source, .options = options});
  return r->ok ? "" : text(r->log);
}

const std::string use = "__global__ void k(__half* h) { h[0] = h[1] + h[2]; }\n";
const std::string own_plus = "__device__ __half operator+(const __half& a, const __half& b) { return a; }\n" + use;

TEST(Preloaded, AHeaderIsThereOnce) {
  EXPECT_EQ(problem_of("#include <cuda_fp16.h>\n#include <cuda_fp16.h>\n" + use), "");
  EXPECT_EQ(problem_of("#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n" + use), "");
  for (const char* standard : {"-std=c++14", "-std=c++17", "-std=c++20"})
    EXPECT_EQ(problem_of("#include <cuda_runtime.h>\n#include <cuda_fp16.h>\n" + use, {standard}), "") << standard;
}

TEST(Preloaded, WhatIsNotIncludedIsNotThere) {
  const std::string own = "struct __half { int x; };\n";
  EXPECT_EQ(problem_of("#if 0\n#include <cuda_fp16.h>\n#endif\n" + own), "");
  EXPECT_EQ(problem_of("// #include <cuda_fp16.h>\n/*\n#include <cuda_fp16.h>\n*/\n" + own), "");
  EXPECT_EQ(problem_of("const char* const text = R\"(\n#include <cuda_fp16.h>\n)\";\n" + own), "");
  EXPECT_EQ(problem_of("#include <cuda_fp16.h>\nstruct __nv_bfloat16 { int x; };\n"), "");
  EXPECT_NE(problem_of("#include <cuda_fp16.h>\n" + own), "");
}

TEST(Preloaded, PartsCanBeSwitchedOff) {
  EXPECT_EQ(problem_of("#define __CUDA_NO_HALF_OPERATORS__\n#include <cuda_fp16.h>\n" + own_plus), "");
  EXPECT_EQ(problem_of("#include <cuda_fp16.h>\n" + own_plus, {"-D__CUDA_NO_HALF_OPERATORS__"}), "");
  EXPECT_EQ(problem_of("#if 1\n#define __CUDA_NO_HALF_OPERATORS__\n#endif\n#include <cuda_fp16.h>\n" + own_plus), "");
  EXPECT_NE(problem_of("#include <cuda_fp16.h>\n" + own_plus), "");
}

}  // namespace
