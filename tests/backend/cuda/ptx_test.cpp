// Kernels, parameter layouts and variables out of PTX.
#include "backend/cuda/ptx.hpp"

#include <gtest/gtest.h>

namespace lanza::cuda_backend {
namespace {

constexpr const char* text = R"(
//
// .entry in a comment
.version 9.0
.target sm_90
.address_size 64
.extern .func  (.param .b32 func_retval0) vprintf ( .param .b64 vprintf_param_0, .param .b64 vprintf_param_1 ) ;
.extern .global .align 4 .u32 elsewhere;
.const .align 4 .b8 k[16] = {1, 2, 3};
.visible .global .align 8 .f64 _ZN1n1qE = 0d3FF0000000000000;
.global .align 1 .b8 $str[3] = {37, 100, 0};
.extern .shared .align 16 .b8 dynamic[];
.visible .entry mul(
	.param .u64 .ptr .global .align 16 mul_param_0,
	.param .u8 mul_param_1,
	.param .align 8 .b8 mul_param_2[24],
	.param .f32 mul_param_3
)
.maxntid 32, 4, 2
.minnctapersm 2
{
	.reg .b32 	%r<2>;
	.shared .align 4 .b8 s1[128];
	.shared .align 8 .f64 s2;
	{ // a call sequence
	}
	ret;
}
.weak .entry empty()
{
	ret;
}
.func (.param .b32 r) helper(.param .b32 a) { ret; }
)";

TEST(Ptx, KernelsAndTheirLayout) {
  const PtxSummary s = summarise_ptx(text);
  ASSERT_EQ(s.kernels.size(), 2u);
  const PtxKernel& k = s.kernels[0];
  EXPECT_EQ(k.symbol, "mul");
  ASSERT_EQ(k.parameters.size(), 4u);
  EXPECT_EQ(k.parameters[0].type, "u64");
  EXPECT_EQ(k.parameters[0].offset, 0u);
  EXPECT_EQ(k.parameters[1].offset, 8u);
  EXPECT_EQ(k.parameters[1].size, 1u);
  EXPECT_EQ(k.parameters[2].offset, 16u);
  EXPECT_EQ(k.parameters[2].size, 24u);
  EXPECT_TRUE(k.parameters[2].aggregate);
  EXPECT_EQ(k.parameters[3].offset, 40u);
  EXPECT_EQ(k.bytes, 44u);
  EXPECT_EQ(k.max_threads, 256u);
  EXPECT_EQ(k.static_shared, 136u);
  EXPECT_EQ(s.kernels[1].symbol, "empty");
  EXPECT_EQ(s.kernels[1].bytes, 0u);
}

TEST(Ptx, Variables) {
  const PtxSummary s = summarise_ptx(text);
  ASSERT_EQ(s.variables.size(), 2u);
  EXPECT_EQ(s.variables[0].symbol, "k");
  EXPECT_EQ(s.variables[0].size, 16u);
  EXPECT_TRUE(s.variables[0].constant);
  EXPECT_EQ(s.variables[1].symbol, "_ZN1n1qE");
  EXPECT_EQ(s.variables[1].size, 8u);
  EXPECT_FALSE(s.variables[1].constant);
}

TEST(Ptx, EveryPrefixIsRead) {
  const std::string whole = text;
  for (std::size_t n = 0; n < whole.size(); ++n) summarise_ptx(std::string_view(whole).substr(0, n));
  EXPECT_TRUE(summarise_ptx("no PTX at all {{{ [").kernels.empty());
}

}  // namespace
}  // namespace lanza::cuda_backend
