// Options with values, in every spelling.
#include "backend/cuda/compile_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanza/error.hpp>

namespace lanza::cuda_backend {
namespace {

using testing::ElementsAre;

TEST(CompileOptions, ValuesJoinedAndApart) {
  const CompileOptions o = read_options(
      {"-Ia", "-I", "b", "--include-path=c", "--include-path", "d", "-DN=4", "-D", "M", "--define-macro=K=1"});
  EXPECT_THAT(o.include_dirs, ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(o.macros, ElementsAre("N=4", "M", "K=1"));
  EXPECT_THAT(o.passed, ElementsAre("--include-path=a", "--include-path=b", "--include-path=c", "--include-path=d",
                                    "--define-macro=N=4", "--define-macro=M", "--define-macro=K=1"));
}

TEST(CompileOptions, WhatOthersAskFor) {
  const CompileOptions o = read_options({"-arch=sm_90a", "-std=c++20", "-include", "x.h", "--use_fast_math", "-dlto"});
  EXPECT_EQ(o.architecture, "sm_90a");
  EXPECT_TRUE(o.has_standard);
  EXPECT_THAT(o.pre_includes, ElementsAre("x.h"));
  EXPECT_THAT(o.passed,
              ElementsAre("--gpu-architecture=sm_90a", "--std=c++20", "--pre-include=x.h", "--use_fast_math", "-dlto"));
}

TEST(CompileOptions, AMissingValueIsNamed) { EXPECT_THROW(read_options({"-DN", "-I"}), InvalidArgument); }

}  // namespace
}  // namespace lanza::cuda_backend
