// Launches in device code: what is rewritten, and what is left alone.
#include <gtest/gtest.h>

#include "compiler/frontend/launches.hpp"

namespace {

std::string rewrite_launches(const std::string& source) {
  lanza::compiler::EditedText text(source);
  lanza::compiler::rewrite_launches(text);
  return text.now();
}

// The rewritten text without spaces.
std::string dense(const std::string& source) {
  std::string text = rewrite_launches(source);
  std::erase(text, ' ');
  return text;
}

void expect_untouched(const std::string& source) { EXPECT_EQ(rewrite_launches(source), source); }

TEST(RewriteLaunches, Names) {
  EXPECT_EQ(dense("k<<<1, 2>>>(x);"), "[&]{k<<<1,2>>>(x);}();");
  EXPECT_EQ(dense("if (n) k<<<g, b, s, st>>>();"), "if(n)[&]{k<<<g,b,s,st>>>();}();");
  EXPECT_EQ(dense("a::b::k<<<1, 2>>>();"), "[&]{a::b::k<<<1,2>>>();}();");
  EXPECT_EQ(dense("; ::k<<<1, 2>>>();"), ";[&]{::k<<<1,2>>>();}();");
  EXPECT_EQ(dense("k /* why */ <<<1, 2>>> /* not */ (f(x), {1});"), "[&]{k/*why*/<<<1,2>>>/*not*/(f(x),{1});}();");
  EXPECT_EQ(dense("if (n) (k)<<<1, 2>>>();"), "if(n)[&]{(k)<<<1,2>>>();}();");
}

TEST(RewriteLaunches, Expressions) {
  EXPECT_EQ(dense("table[f(i)]<<<1, 2>>>();"), "[&]{table[f(i)]<<<1,2>>>();}();");
  EXPECT_EQ(dense("while (f(n)) { } (k)<<<1, 2>>>();"), "while(f(n)){}[&]{(k)<<<1,2>>>();}();");
  EXPECT_EQ(dense("x = NAME(k)<<<1, 2>>>();"), "x=[&]{NAME(k)<<<1,2>>>();}();");
  EXPECT_EQ(dense("; this->a.b[1]<<<1, 2>>>();"), ";[&]{this->a.b[1]<<<1,2>>>();}();");
  EXPECT_EQ(dense("(*p)(3)<<<1, 2>>>();"), "[&]{(*p)(3)<<<1,2>>>();}();");
}

TEST(RewriteLaunches, Templates) {
  EXPECT_EQ(dense("k<int><<<1, 2>>>();"), "[&]{k<int><<<1,2>>>();}();");
  EXPECT_EQ(dense("k<A<B<int>>><<<1, 2>>>();"), "[&]{k<A<B<int>>><<<1,2>>>();}();");
  EXPECT_EQ(dense("k<(8 >> 1), T><<<1, 2>>>();"), "[&]{k<(8>>1),T><<<1,2>>>();}();");
  EXPECT_EQ(dense("A<int>::template k<T><<<1, 2>>>();"), "[&]{A<int>::templatek<T><<<1,2>>>();}();");
  EXPECT_EQ(dense("k<<<f<int>(n), (n >> 3)>>>();"), "[&]{k<<<f<int>(n),(n>>3)>>>();}();");
}

TEST(RewriteLaunches, SeveralOfThem) {
  EXPECT_EQ(dense("a<<<1, 2>>>(); b<<<3, 4>>>();"), "[&]{a<<<1,2>>>();}();[&]{b<<<3,4>>>();}();");
  EXPECT_EQ(dense("a<<<1, 2>>>([=] { b<<<3, 4>>>(); });"), "[&]{a<<<1,2>>>([=]{[&]{b<<<3,4>>>();}();});}();");
}

TEST(RewriteLaunches, LinesStay) {
  EXPECT_EQ(rewrite_launches("  k\n    <<<1,\n       2>>>\n  (x);\n"), "  [&]{k\n    <<<1,\n       2>>>\n  (x);}();\n");
}

TEST(RewriteLaunches, WhatIsNoLaunchIsLeftAlone) {
  expect_untouched("// k<<<1, 2>>>();\n/* k<<<1, 2>>>(); */");
  expect_untouched("const char* s = \"k<<<1, 2>>>()\"; const char* r = R\"(k<<<1, 2>>>())\";");
  expect_untouched("int x = 1 << 3 >> 2; x <<= 2; A<B<C<int>>> y; char c = '<';");
  expect_untouched("k<<<1, 2;");
  expect_untouched("<<<1, 2>>>();");
  expect_untouched("k<<<1, 2>>>;");
  expect_untouched(">>> ( <<< ) >>> (");
}

}  // namespace
