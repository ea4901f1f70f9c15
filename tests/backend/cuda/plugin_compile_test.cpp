// PTX by the compiler plug-in, where NVRTC is missing.
#include "backend/cuda/plugin_compile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/loader.hpp"
#include "needs_compiler.hpp"

namespace lanza::cuda_backend {
namespace {

using testing::HasSubstr;

class PluginCompile : public testing::Test {
 protected:
  void SetUp() override { LANZA_NEEDS_COMPILER(); }
};

TEST_F(PluginCompile, MakesPtxWithASignature) {
  const backend::CompileResult r = compile_with_plugin(
      {.source =
           "__constant__ float k[4]; __global__ void mul(float* d, const float* a, int n) { d[n] = a[n] * k[1]; }"},
      {9, 0}, 13000);
  EXPECT_EQ(r.code.kind, "ptx");
  EXPECT_THAT(r.code.image, HasSubstr(".entry _Z3mulPfPKfi"));
  EXPECT_THAT(r.code.image, HasSubstr(".target sm_90"));
  ASSERT_EQ(r.code.kernels.size(), 1u);
  EXPECT_EQ(to_string("mul", r.code.kernels[0].signature), "mul(float* d, const float* a, int n)");
  ASSERT_EQ(r.code.variables.size(), 1u);
  EXPECT_EQ(r.code.variables[0].name, "k");
}

TEST_F(PluginCompile, PtxIsNotNewerThanTheDriver) {
  EXPECT_THAT(compile_with_plugin({.source = "__global__ void k() {}"}, {8, 0}, 11080).code.image,
              HasSubstr(".version 7.8"));
}

TEST_F(PluginCompile, ErrorsHaveAPosition) {
  try {
    compile_with_plugin({.source = "__global__ void k() {\n  nada();\n}", .filename = "mi.cu"}, {9, 0}, 13000);
    ADD_FAILURE();
  } catch (const CompileError& e) {
    EXPECT_EQ(e.details().file, "mi.cu");
    EXPECT_EQ(e.details().line, 2u);
    EXPECT_THAT(e.what(), HasSubstr("nada"));
  }
}

}  // namespace
}  // namespace lanza::cuda_backend
