// The first error of a log.
#include "backend/cuda/compile_log.hpp"

#include <gtest/gtest.h>

namespace lanza::cuda_backend {
namespace {

TEST(CompileLog, PositionAndCaret) {
  const FirstError e = first_error(
      "a.h(2): warning #177-D: variable \"x\" was declared but never referenced\n  int x;\n      ^\n\n"
      "dir (1)/kernel.cu(12): error: identifier \"y\" is undefined\n  \ty = 1;\n  \t^\n\nkernel.cu(13): error: "
      "expected a \";\"\n\n2 errors\n");
  EXPECT_EQ(e.file, "dir (1)/kernel.cu");
  EXPECT_EQ(e.line, 12u);
  EXPECT_EQ(e.column, 2u);
  EXPECT_EQ(e.message, "identifier \"y\" is undefined");
  EXPECT_EQ(e.shown, "\n  \ty = 1;\n  \t^");
  EXPECT_EQ(e.count, 2u);
}

TEST(CompileLog, OtherSeverities) {
  EXPECT_EQ(first_error("k.cu(1): catastrophic error: could not open source file \"x.h\"\n").message,
            "could not open source file \"x.h\"");
  EXPECT_EQ(first_error("k.cu(7): error #20: bad\n").line, 7u);
}

TEST(CompileLog, WithoutAPosition) {
  const FirstError e = first_error("ptxas error   : Entry function 'k' uses too much shared data\n");
  EXPECT_EQ(e.message, "Entry function 'k' uses too much shared data");
  EXPECT_EQ(e.line, 0u);
  EXPECT_EQ(first_error("nvrtc: error: invalid value for --gpu-architecture (-arch)\n").message,
            "invalid value for --gpu-architecture (-arch)");
  EXPECT_EQ(first_error("ptxas fatal   : Unresolved extern function 'f'\n").message, "Unresolved extern function 'f'");
}

TEST(CompileLog, AnythingElse) {
  EXPECT_EQ(first_error("it broke\nbadly\n").message, "it broke");
  EXPECT_EQ(first_error("").message, "");
  EXPECT_EQ(first_error("k.cu(): error: x\n").count, 0u);
  EXPECT_EQ(first_error("k.cu(99999999999999999999): error: x\n").count, 0u);
}

}  // namespace
}  // namespace lanza::cuda_backend
