// Inline PTX that the CPU device cannot run is an error of the compilation, at its line, with the instruction.
#include <gmock/gmock.h>

#include "compiler/plugin.hpp"

using namespace lanza::test;
using ::testing::AllOf;
using ::testing::HasSubstr;

namespace {

// `statement` is the argument of asm, on line 3.
std::string log_of(const std::string& statement) {
  const CompileResult r = compile(
      {.source = "__global__ void k(unsigned *p) {\n  unsigned x = 0; unsigned long long y = 0;\n  asm volatile(" +
                 statement + ");\n  p[0] = x + y;\n}"});
  EXPECT_FALSE(r->ok) << statement;
  return text(r->log);
}

bool accepts(const std::string& statement) {
  const CompileResult r = compile(
      {.source = "__global__ void k(unsigned *p) { unsigned x = 0; asm volatile(" + statement + "); p[0] = x; }"});
  return r->ok;
}

TEST(InlineAsm, AnInstructionThatIsNotSupportedIsQuotedWithItsLine) {
  EXPECT_THAT(
      log_of(R"("frobnicate.u32 %0, %%laneid;" : "=r"(x))"),
      AllOf(HasSubstr("kernel.cu:3:"),
            HasSubstr("error: inline PTX \"frobnicate.u32 %0, %laneid;\": the instruction frobnicate is not "
                      "supported; the CPU device cannot run it: use CUDA C++, or run the kernel on a CUDA device")));
}

TEST(InlineAsm, TheLineOfTheInstructionIsTold) {
  EXPECT_THAT(
      log_of("\"mov.u32 %0, 1;\\n\"\n    \"add.s32 %0, %0, 1;\\n\"\n    \"vadd.s32.s32.s32 %0, %0, %0;\"\n    : "
             "\"+r\"(x)"),
      AllOf(HasSubstr("kernel.cu:5:"), HasSubstr("the video instructions are not supported")));
}

TEST(InlineAsm, WhatIsWrongWithAnInstructionIsSaid) {
  EXPECT_THAT(log_of(R"("add.u64 %0, %0, 1;" : "+r"(x))"),
              HasSubstr("operand %0 has 32 bits, the instruction takes 64"));
  EXPECT_THAT(log_of(R"("mov.u32 %0, missing;" : "=r"(x))"), HasSubstr("'missing' is neither a register of this asm"));
  EXPECT_THAT(log_of(R"("mov.u32 %0, %%pm0;" : "=r"(x))"),
              HasSubstr("%pm0 is neither declared nor a special register"));
  EXPECT_THAT(log_of(R"("add.u32.wide %0, %0, 1;" : "+r"(x))"), HasSubstr(".wide is no type"));
  EXPECT_THAT(log_of(R"("add.loud.u32 %0, %0, 1;" : "+r"(x))"),
              HasSubstr("the modifier .loud of add is not supported"));
  EXPECT_THAT(log_of(R"("add.u32 %0, %0;" : "+r"(x))"), HasSubstr("add takes 3 operands, not 2"));
  EXPECT_THAT(log_of(R"("add.u32 %0, %0, 1.5;" : "+r"(x))"), HasSubstr("a floating-point constant stands where"));
  EXPECT_THAT(log_of(R"("lop3.b32 %0, %0, %0, %0, %0;" : "+r"(x))"), HasSubstr("operand 5 must be a constant"));
  EXPECT_THAT(log_of(R"("shfl.up.b32 %0, %0, 1, 0;" : "+r"(x))"), HasSubstr("use its .sync form"));
  EXPECT_THAT(log_of(R"("ld.global.u32 %0, [%0];" : "+r"(x))"), HasSubstr("a generic or global address has 64 bits"));
  EXPECT_THAT(log_of(R"("ld.param.u32 %0, [%1];" : "=r"(x) : "l"(p))"),
              HasSubstr("kernel parameters cannot be reached"));
  EXPECT_THAT(log_of(R"("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 %0, %0, %0, %0;" : "+r"(x))"),
              HasSubstr("tensor cores are not supported"));
  EXPECT_THAT(log_of(R"("call f;" : "+r"(x))"),
              HasSubstr("call is not supported: an asm statement cannot leave itself"));
}

TEST(InlineAsm, WhatOnlyNewGpusHaveIsNamed) {
  const std::pair<const char*, const char*> refused[] = {
      {"barrier.cluster.arrive;", "clusters of blocks are not supported"},
      {"ld.shared::cluster.u32 %0, [%1];", "clusters of blocks are not supported"},
      {"mapa.u64 %1, %1, 0;", "the instruction mapa is not supported"},
      {"cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%1, {%0}], [%1];", "cp.async"},
      {"mbarrier.arrive.expect_tx.shared.b64 _, [%1], %0;", "asynchronous copies that a barrier counts"},
      {"bar.arrive 1;", "operands"},
      {"setmaxnreg.down.sync.aligned.u32 24;", "the modifier .down of setmaxnreg is not supported"},
      {"cvt.rna.tf32.f32 %0, %0;", "tf32"},
      {"cvt.rn.satfinite.e4m3x2.f32 %0, %0, %0;", "e4m3x2"},
      {"tcgen05.alloc.cta_group::1.sync.aligned.b32 [%1], 32;", "tensor cores are not supported"},
      {"wgmma.fence.sync.aligned;", "tensor cores are not supported"}};
  for (const auto& [instruction, why] : refused) {
    const std::string log = log_of("\"" + std::string(instruction) + "\" : \"+r\"(x) : \"l\"(p)");
    EXPECT_THAT(log, AllOf(HasSubstr("error: inline PTX \""), HasSubstr(why),
                           HasSubstr("use CUDA C++, or run the kernel on a CUDA device")))
        << instruction;
  }
}

TEST(InlineAsm, MalformedTextIsAnError) {
  EXPECT_THAT(log_of(R"("add.u32 %0, %0 1;" : "+r"(x))"), HasSubstr("';' is missing before '1'"));
  EXPECT_THAT(log_of(R"("{ mov.u32 %0, 1;" : "=r"(x))"), HasSubstr("'{' without '}'"));
  EXPECT_THAT(log_of(R"("mov.u32 %0, 1; }" : "=r"(x))"), HasSubstr("'}' without '{'"));
  EXPECT_THAT(log_of(R"("bra nowhere;" : "=r"(x))"), HasSubstr("the label nowhere does not exist"));
  EXPECT_THAT(log_of(R"("l: l: mov.u32 %0, 1;" : "=r"(x))"), HasSubstr("the label l is there twice"));
  EXPECT_THAT(log_of(R"("/* mov.u32 %0, 1;" : "=r"(x))"), HasSubstr("a comment does not end"));
  EXPECT_THAT(log_of(R"("mov.f32 %0, 0f3F8;" : "=r"(x))"), HasSubstr("has 8 digits"));
  EXPECT_THAT(log_of(R"(".reg .b32 r<99999>;" : "=r"(x))"), HasSubstr("1 to 4096 registers"));
  EXPECT_THAT(log_of(R"(".shared .b32 s;" : "=r"(x))"), HasSubstr("the directive .shared is not supported"));
  EXPECT_THAT(log_of(R"("mov.u32 %0, 5 / (3 - 3);" : "=r"(x))"), HasSubstr("a constant is divided by zero"));
}

TEST(InlineAsm, OperandsAreChecked) {
  EXPECT_THAT(log_of(R"("mov.u32 %0, 1;" : "=r"(y))"), HasSubstr("an operand of 64 bits stands under the constraint"));
  EXPECT_THAT(log_of(R"("mov.u32 %0, 1;" : "=m"(x))"), HasSubstr("kernel.cu:3:"));
}

TEST(InlineAsm, GotoIsRefused) {
  EXPECT_THAT(log_of("\"bra %l0;\" :::: out); out: asm volatile(\"\""), HasSubstr("kernel.cu:3:"));
}

TEST(InlineAsm, WhatIsAccepted) {
  EXPECT_TRUE(accepts(R"("mov.u32 %0, %%laneid;" : "=r"(x))"));
  EXPECT_TRUE(accepts(R"("mov.u32 %[r], %[a];" : [r] "=r"(x) : [a] "r"(3))"));
  EXPECT_TRUE(accepts(R"("shl.b32 %0, %1, 1;" : "=r"(x) : "0"(x))"));
  EXPECT_TRUE(accepts(R"(" " : "+r"(x))"));
  EXPECT_TRUE(accepts(R"("" ::: "memory")"));
  EXPECT_TRUE(accepts(R"("mov.u32 %0, 1" : "=r"(x))"));  // the last ';' may be left out
}

TEST(InlineAsm, InFunctionsThatAreNotEmittedItIsNoMatter) {
  EXPECT_TRUE(compile({.source = "inline __device__ int f() { int x; asm(\"nonsense %0;\" : \"=r\"(x)); return x; } "
                                 "__global__ void k(int *p) { p[0] = 1; }"})
                  ->ok);
}

}  // namespace
