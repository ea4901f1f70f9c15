// Name expressions.
#include "compiler/plugin.hpp"

#include <gmock/gmock.h>

using namespace lanza::test;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

constexpr const char* source = R"(
template <class T> __global__ void axpy(T a, const T *x, T *y) { y[threadIdx.x] += a * x[threadIdx.x]; }
namespace ns { template <int N, class T> __global__ void fill(T *p) { p[0] = N; } __global__ void plain(int *p) { p[0] = 1; } }
__global__ void over(int *) {}
__global__ void over(float *) {}
__device__ float table[4] = {1, 2, 3, 4};
static __constant__ int hidden = 5;
template <class T> __device__ T generic = T(7);
__device__ int helper() { return 1; }
)";

std::string symbol(const LanzaCompileResult& r, const char* name) {
  const LanzaKernelInfo* k = find_kernel(r, name);
  return k ? text(k->symbol) : "none";
}

TEST(Names, InstantiateTemplates) {
  const CompileResult r =
      compile({.source = source, .names = {"axpy<float>", "axpy< double >", "ns::fill<3, long long>", "ns::plain"}});
  ASSERT_TRUE(r->ok) << view(r->log);
  EXPECT_EQ(symbol(*r, "axpy<float>"), "_Z4axpyIfEvT_PKS0_PS0_");
  EXPECT_EQ(symbol(*r, "axpy< double >"), "_Z4axpyIdEvT_PKS0_PS0_");
  EXPECT_EQ(view(find_kernel(*r, "axpy< double >")->name), "axpy<double>");
  EXPECT_EQ(symbol(*r, "ns::fill<3, long long>"), "_ZN2ns4fillILi3ExEEvPT0_");
  EXPECT_EQ(view(find_kernel(*r, "ns::plain")->expression), "ns::plain");
  EXPECT_EQ(r->kernel_count, 4u + 2u);  // and the two overloads
  EXPECT_EQ(view(r->log), "");
}

TEST(Names, OverloadsByCastAndWithAddressOf) {
  const CompileResult r = compile({.source = source, .names = {"(void (*)(float *))over", "&axpy<int>"}});
  ASSERT_TRUE(r->ok) << view(r->log);
  EXPECT_EQ(symbol(*r, "(void (*)(float *))over"), "_Z4overPf");
  EXPECT_EQ(symbol(*r, "&axpy<int>"), "_Z4axpyIiEvT_PKS0_PS0_");
}

TEST(Names, OfVariables) {
  const CompileResult r =
      compile({.source = source, .names = {"&table", "table", "&hidden", "generic<double>", "&generic<int>"}});
  ASSERT_TRUE(r->ok) << view(r->log);
  for (const char* name : {"&table", "table", "&hidden", "generic<double>", "&generic<int>"}) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(find_variable(*r, name));
  }
  EXPECT_EQ(find_variable(*r, "&table")->size, 16u);
  EXPECT_EQ(find_variable(*r, "&table")->offset, find_variable(*r, "table")->offset);
  EXPECT_EQ(find_variable(*r, "&hidden")->constant, 1u);
  EXPECT_EQ(find_variable(*r, "generic<double>")->size, 8u);
}

TEST(Names, TheSameKernelTwice) {
  const CompileResult r = compile({.source = source, .names = {"ns::plain", "&ns::plain"}});
  ASSERT_TRUE(r->ok) << view(r->log);
  EXPECT_EQ(symbol(*r, "ns::plain"), symbol(*r, "&ns::plain"));
  EXPECT_NE(symbol(*r, "ns::plain"), "none");
}

TEST(Names, LeaveNoTraceInTheModule) {
  const CompileResult r = compile({.source = source, .names = {"&table", "axpy<float>"}});
  ASSERT_TRUE(r->ok) << view(r->log);
  for (std::size_t i = 0; i < r->variable_count; ++i)
    EXPECT_THAT(text(r->variables[i].name), Not(HasSubstr("__lanza")));
  EXPECT_EQ(r->data.size, 16u);
}

TEST(Names, AWrongOneIsQuoted) {
  const std::pair<const char*, const char*> cases[] = {{"axpy<flot>", "undeclared identifier 'flot'"},
                                                       {"nothing", "undeclared identifier 'nothing'"},
                                                       {"over", "names several functions"},
                                                       {"axpy", "give all template arguments"},
                                                       {"helper", "neither a __global__ function nor a"},
                                                       {"1 + 2", "neither a __global__ function nor a"},
                                                       {"ns::plain)", "extraneous ')'"},
                                                       {"", "expected expression"},
                                                       {"ns::plain // comment", ""}};
  for (const auto& [expression, said] : cases) {
    SCOPED_TRACE(expression);
    const CompileResult r = compile({.source = source, .names = {"axpy<float>", expression}});
    if (!*said) {
      EXPECT_TRUE(r->ok) << view(r->log);
      continue;
    }
    EXPECT_FALSE(r->ok);
    EXPECT_THAT(text(r->log), HasSubstr(std::string("error: name expression '") + expression + "': "));
    EXPECT_THAT(text(r->log), HasSubstr(said));
    EXPECT_THAT(text(r->log), Not(HasSubstr("__lanza")));
    ASSERT_TRUE(first_error(*r));
    EXPECT_THAT(text(first_error(*r)->message), HasSubstr(expression));
  }
}

// An error at the end of the source is the source's, though the expressions stand behind it.
TEST(Names, DoNotHideErrorsOfTheSource) {
  const CompileResult r =
      compile({.source = "template <class T> __global__ void k(T *p) { p[0] = 1;", .names = {"k<int>"}});
  EXPECT_FALSE(r->ok);
  ASSERT_TRUE(first_error(*r));
  EXPECT_EQ(view(first_error(*r)->file), "kernel.cu");
  EXPECT_THAT(text(r->log), Not(HasSubstr("name expression")));
}

TEST(Names, BodyThatDoesNotFitTheType) {
  const CompileResult r =
      compile({.source = "template <class T> __global__ void k(T *p) {\n  p->x = 1;\n}", .names = {"k<int>"}});
  EXPECT_FALSE(r->ok);
  EXPECT_THAT(text(r->log), HasSubstr("kernel.cu:2:4: error:"));
}

}  // namespace
