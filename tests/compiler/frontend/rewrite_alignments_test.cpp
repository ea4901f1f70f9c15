// Alignments of shared memory: which are moved.
#include <gtest/gtest.h>

#include "compiler/frontend/alignments.hpp"

namespace {

std::string rewrite_alignments(const std::string& source) {
  lanza::compiler::EditedText text(source);
  lanza::compiler::rewrite_alignments(text);
  return text.now();
}

TEST(RewriteAlignments, OfSharedMemoryStandInFront) {
  EXPECT_EQ(rewrite_alignments("{ __shared__ alignas(16) float s[4]; }"), "{  alignas(16) __shared__ float s[4]; }");
  EXPECT_EQ(rewrite_alignments("#define S __shared__\\\n alignas(f(T)) \n"),
            "#define S \\\n alignas(f(T)) __shared__ \n");
  EXPECT_EQ(rewrite_alignments("__shared__ alignas(4) int a; __shared__ alignas(8) int b;"),
            " alignas(4) __shared__ int a;  alignas(8) __shared__ int b;");
}

TEST(RewriteAlignments, OthersStay) {
  for (const char* text : {"extern __shared__ alignas(16) char s[];", "static __shared__ alignas(16) char s[4];",
                           "alignas(16) __shared__ int s;", "// __shared__ alignas(16)", "__shared__ alignas(16",
                           "__shared__ int s; alignas(8) int x;"})
    EXPECT_EQ(rewrite_alignments(text), text);
}

}  // namespace
