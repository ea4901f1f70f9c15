// Compiles as a whole: several at once, and what holds for each.
#include <gmock/gmock.h>

#include <filesystem>
#include <thread>

#include "compiler/ir.hpp"
#include "compiler/plugin.hpp"

using namespace lanza::test;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

std::string source_of(int number) {
  const std::string n = std::to_string(number);
  return "__device__ int v" + n + " = " + n + ";\n__global__ void k" + n +
         "(float *p, int i) { __shared__ float s[32]; s[threadIdx.x] = p[i]; __syncthreads(); p[i] = s[0] * " + n +
         "; }\n";
}

TEST(Compile, FourThreadsAtOnce) {
  std::vector<std::string> expected;
  for (int i = 0; i < 16; ++i) expected.push_back(text(compile({.source = source_of(i)})->bitcode));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 16; ++i) {
        const CompileResult r = compile({.source = source_of(i)});
        EXPECT_TRUE(r->ok) << view(r->log);
        EXPECT_EQ(text(r->bitcode), expected[static_cast<std::size_t>(i)]);
        EXPECT_FALSE(compile({.source = source_of(i) + "int x = ;"})->ok);
      }
    });
  for (std::thread& t : threads) t.join();
}

TEST(Compile, ModulesAreForTheGpuAndUnoptimised) {
  const CompileResult r = compile({.source = source_of(7)});
  const std::string ir = disassemble(view(r->bitcode));
  EXPECT_THAT(ir, HasSubstr("target triple = \"nvptx64-nvidia-cuda\""));
  EXPECT_THAT(ir, HasSubstr("llvm.nvvm.barrier0"));
  EXPECT_THAT(ir, HasSubstr("addrspace(3)"));
  EXPECT_THAT(ir, Not(HasSubstr("optnone")));
  EXPECT_THAT(ir, Not(HasSubstr("!tbaa")));
}

TEST(Compile, TheWorkingFolderIsNoPartOfTheResult) {
  const std::filesystem::path before = std::filesystem::current_path();
  const std::string here = text(compile({.source = source_of(1)})->bitcode);
  std::filesystem::current_path("/");
  const std::string there = text(compile({.source = source_of(1)})->bitcode);
  std::filesystem::current_path(before);
  EXPECT_EQ(here, there);
}

TEST(Compile, PrintfBecomesVprintf) {
  const CompileResult r = compile({.source = "__global__ void k(float x) { printf(\"%d %f\\n\", threadIdx.x, x); }"});
  ASSERT_TRUE(r->ok) << view(r->log);
  EXPECT_THAT(disassemble(view(r->bitcode)), HasSubstr("@vprintf("));
}

TEST(Compile, PlacesInTheSourceAreValues) {
  const CompileResult r =
      compile({.source = "#include <cuda/std/source_location>\n"
                         "#include <cuda/std/version>\n"
                         "constexpr auto at = cuda::std::source_location::current();\n"
                         "static_assert(at.line() == 3 && __cccl_lib_source_location);\n"
                         "static_assert(at.file_name()[0] == 'm' && at.function_name()[0] == 0);\n"
                         "__global__ void k(int* o) { *o = std::source_location::current().line(); }",
               .options = {"-std=c++20"},
               .filename = "mine.cu"});
  ASSERT_TRUE(r->ok) << view(r->log);
  EXPECT_THAT(disassemble(view(r->bitcode)), HasSubstr("i32 6"));
}

}  // namespace
