// How names find kernels and variables.
#include "runtime/names.hpp"

#include <gtest/gtest.h>

#include "runtime/fake_backend.hpp"

namespace lanza::detail {
namespace {

const Parameter floats = fake::pointer("a", DType::Float32), ints = fake::pointer("a", DType::Int32);

std::vector<backend::KernelInfo> kernels() {
  auto instance = fake::kernel("ns::axpy<float>", {floats});
  instance.expression = "ns::axpy<float >";
  auto overload1 = fake::kernel("scale", {floats, fake::scalar("n", DType::Int32)});
  auto overload2 = fake::kernel("scale", {ints});
  overload1.symbol = "_Z5scalePfi";
  overload2.symbol = "_Z5scalePi";
  return {instance,
          overload1,
          overload2,
          fake::kernel("multiplicar", {floats}),
          fake::kernel("other::suma", {}),
          fake::kernel("pair<int>", {}),
          fake::kernel("pair<unsigned int>", {})};
}

template <class F>
std::string message(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no exception";
}

TEST(Names, CanonicalSpacing) {
  EXPECT_EQ(canonical_name("  axpy< unsigned   int , 4 > "), "axpy<unsigned int,4>");
  EXPECT_EQ(canonical_name("& ::ns :: k"), "ns::k");
  EXPECT_EQ(canonical_name(" "), "");
}

TEST(Names, FindsByNameSymbolAndExpression) {
  const auto list = kernels();
  EXPECT_EQ(find_kernel(list, "multiplicar", "k.cu"), 3u);
  EXPECT_EQ(find_kernel(list, "_multiplicar", "k.cu"), 3u);
  EXPECT_EQ(find_kernel(list, "ns::axpy<float>", "k.cu"), 0u);
  EXPECT_EQ(find_kernel(list, "::ns::axpy< float >", "k.cu"), 0u);
  EXPECT_EQ(find_kernel(list, "axpy<double>", "k.cu"), std::nullopt);
  EXPECT_EQ(find_kernel(list, "pair<unsigned  int>", "k.cu"), 6u);
  EXPECT_EQ(find_kernel(list, "", "k.cu"), std::nullopt);
}

TEST(Names, LeavesOutWhatOnlyOneKernelHas) {
  const auto list = kernels();
  EXPECT_EQ(find_kernel(list, "axpy", "k.cu"), 0u);
  EXPECT_EQ(find_kernel(list, "suma", "k.cu"), 4u);
  EXPECT_EQ(find_kernel(list, "uma", "k.cu"), std::nullopt);
}

TEST(Names, OverloadsAreToldApartByTheirTypes) {
  const auto list = kernels();
  EXPECT_EQ(find_kernel(list, "scale(float*, int)", "k.cu"), 1u);
  EXPECT_EQ(find_kernel(list, "scale( int * )", "k.cu"), 2u);
  EXPECT_EQ(find_kernel(list, "_Z5scalePi", "k.cu"), 2u);
  EXPECT_EQ(message([&] { find_kernel(list, "scale", "k.cu"); }),
            "'scale' is ambiguous in k.cu; it may be: scale(float*, int), scale(int*)");
  EXPECT_EQ(message([&] { find_kernel(list, "pair", "k.cu"); }),
            "'pair' is ambiguous in k.cu; it may be: pair<int>(), pair<unsigned int>()");
}

TEST(Names, WhatThereIsInstead) {
  EXPECT_EQ(message([] { throw_no_kernel({fake::kernel("multiplicar", {})}, "sumar", "kernel.cu"); }),
            "no kernel 'sumar' in kernel.cu; it has: multiplicar");
  EXPECT_EQ(
      message([] { throw_no_kernel({}, "sumar", "kernel.cu"); }),
      "no kernel 'sumar' in kernel.cu; it has no kernels; templates need names = \"sumar<...>\" when it is compiled");
  backend::VariableInfo variable;
  variable.name = "tabla";
  EXPECT_EQ(message([&] { throw_no_variable({variable}, "table", "kernel.cu"); }),
            "no variable 'table' in kernel.cu; it has: tabla");
  EXPECT_EQ(find_variable({variable}, "tabla", "kernel.cu"), 0u);
}

}  // namespace
}  // namespace lanza::detail
