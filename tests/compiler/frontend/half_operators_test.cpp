// Which operator is taken between halves: the prelude's where it is the best, whatever else converts.
#include <gmock/gmock.h>

#include "compiler/plugin.hpp"

using namespace lanza::test;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

// The first error of a kernel with these lines; empty when there is none.
std::string error_of(const std::string& before, const std::string& lines, std::vector<std::string> options = {}) {
  const std::string head = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n";
  const std::string same =
      "template <class A, class B> constexpr bool same = false;\ntemplate <class A> constexpr bool same<A, A> = "
      "true;\n";
  const CompileResult r =
      compile({.source = head + same + before + "\n__global__ void k(__half* p, __nv_bfloat16* q, float* x) {\n" +
                         lines + "\n}",
               .options = std::move(options)});
  const LanzaDiagnostic* error = first_error(*r);
  return error ? text(error->message) : std::string();
}

TEST(HalfOperators, GiveHalvesAndTruths) {
  EXPECT_THAT(error_of("", R"(
  __half a = p[0], b = p[1];
  const __half c = a;
  static_assert(same<decltype(a * b), __half> && same<decltype(c + c), __half> && same<decltype(a / c), __half>);
  static_assert(same<decltype(a < b), bool> && same<decltype(c == c), bool> && same<decltype(a += c), __half&>);
  static_assert(same<decltype(q[0] - q[1]), __nv_bfloat16> && same<decltype(a * b + c * __half(1.0f)), __half>);
  a = b = c;
  p[0] = a * b - c;
  q[0] *= q[1];)"),
              IsEmpty());
}

TEST(HalfOperators, HiddenConversionsAreThereAfterwards) {
  EXPECT_THAT(error_of("",
                       "  float f = p[0] * p[1];\n  int i = p[0] + p[1];\n  if (p[0] * p[1]) x[0] = f + i;\n  x[1] = "
                       "(p[0] * p[1]) ? float(p[2]) : 0.0f;"),
              IsEmpty());
}

TEST(HalfOperators, ConstantsAreNotAssigned) {
  EXPECT_THAT(error_of("", "  const __half c = p[0];\n  c += p[1];"), HasSubstr("no viable overloaded '+='"));
  EXPECT_THAT(error_of("", "  const __half c = p[0];\n  c = p[1];"), HasSubstr("no viable overloaded '='"));
}

TEST(HalfOperators, WhatIsNoneIsRefused) {
  EXPECT_THAT(error_of("", "  p[0] = p[1] .* p[2];"), HasSubstr("pointer-to-member"));
  EXPECT_THAT(error_of("", "  p[0] = p[1] % p[2];"), HasSubstr("ambiguous"));
}

TEST(HalfOperators, WithoutThemNumbersAreComputed) {
  const std::vector<std::string> none{"-D__CUDA_NO_HALF_OPERATORS__"};
  EXPECT_THAT(error_of("__device__ __half operator*(__half a, __half b) { return a; }",
                       "  static_assert(same<decltype(p[0] * p[1]), __half>);", none),
              IsEmpty());
  EXPECT_THAT(error_of("", "  static_assert(same<decltype(p[0] * p[1]), __half>);", none), HasSubstr("ambiguous"));
}

TEST(HalfOperators, TheUsersOwnTakePart) {
  const std::string convertible = R"(
template <class T> constexpr auto f_of(T t, int) -> decltype(float(t), true) { return true; }
template <class T> constexpr bool f_of(T t, long) { return false; }
template <bool> struct If {};
template <> struct If<true> { typedef float type; };
struct Scale { float s; };
template <class T> __device__ typename If<f_of(T(), 0) || true>::type operator*(T t, Scale s) { return float(t) * s.s; })";
  EXPECT_THAT(error_of(convertible,
                       "  static_assert(same<decltype(p[0] * Scale{2.0f}), float>);\n  "
                       "static_assert(same<decltype(p[0] * p[1]), __half>);"),
              IsEmpty());
  EXPECT_THAT(error_of("namespace user { struct V { float v; }; __device__ V operator*(V a, __half b) { return a; } }",
                       "  static_assert(same<decltype(user::V{1.0f} * p[0]), user::V>);"),
              IsEmpty());
}

TEST(HalfOperators, AClassOfThatNameElsewhereIsTheUsers) {
  EXPECT_THAT(
      error_of(R"(
namespace user {
struct __half { float v; __device__ operator float() const { return v; } };
})",
               "  user::__half a{1.0f}, b{2.0f};\n  static_assert(same<decltype(a * b), float>);\n  x[0] = a * b;"),
      IsEmpty());
}

}  // namespace
