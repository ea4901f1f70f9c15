// Mangled names of kernels, as GCC, clang and NVRTC write them.
#include "backend/cuda/demangle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace lanza::cuda_backend {
namespace {

using testing::ElementsAre;

std::string name_of(std::string_view symbol) {
  const auto d = demangle(symbol);
  return d ? d->name : "?";
}

std::vector<std::string> parameters_of(std::string_view symbol) {
  std::vector<std::string> result;
  if (const auto d = demangle(symbol))
    for (const CppType& t : d->parameters) result.push_back(to_string(t));
  return result;
}

TEST(Demangle, PlainFunctions) {
  EXPECT_EQ(name_of("_Z11multiplicarPfPKfi"), "multiplicar");
  EXPECT_THAT(parameters_of("_Z11multiplicarPfPKfi"), ElementsAre("float*", "const float*", "int"));
  EXPECT_THAT(parameters_of("_Z1kv"), ElementsAre());
  EXPECT_THAT(parameters_of("_ZL1ks"), ElementsAre("short"));
}

TEST(Demangle, EveryBuiltin) {
  EXPECT_THAT(parameters_of("_Z1kwbcahstijlmxynofd"),
              ElementsAre("wchar_t", "bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int",
                          "unsigned int", "long", "unsigned long", "long long", "unsigned long long", "__int128",
                          "unsigned __int128", "float", "double"));
}

TEST(Demangle, Substitutions) {
  EXPECT_THAT(parameters_of("_Z1kPfS_S_"), ElementsAre("float*", "float*", "float*"));
  EXPECT_THAT(parameters_of("_Z1kPKfS0_PfS1_"), ElementsAre("const float*", "const float*", "float*", "float*"));
  EXPECT_THAT(parameters_of("_Z1kP6__halfS_S0_"), ElementsAre("__half*", "__half", "__half*"));
  EXPECT_THAT(parameters_of("_ZN1n1kENS_1EENS_1SEPK6float26float4bclyPvPKPKiPA4_iPKfS1_"),
              ElementsAre("n::E", "n::S", "const float2*", "float4", "bool", "char", "long", "unsigned long long",
                          "void*", "const int*const*", "int (*)[4]", "const float*", "n::S"));
}

TEST(Demangle, Templates) {
  EXPECT_EQ(name_of("_Z4axpyIfEvPT_PKS0_S0_"), "axpy<float>");
  EXPECT_THAT(parameters_of("_Z4axpyIfEvPT_PKS0_S0_"), ElementsAre("float*", "const float*", "float"));
  EXPECT_EQ(name_of("_Z4axpyIfLi3EEvPT_"), "axpy<float, 3>");
  EXPECT_EQ(name_of("_Z1kIfLb1ELj4ELl5ELin2EEvPT_"), "k<float, true, 4u, 5l, -2>");
  EXPECT_EQ(name_of("_ZN2ns1kI4PairIifEEEvT_"), "ns::k<Pair<int, float> >");
  EXPECT_THAT(parameters_of("_ZN2ns1kI4PairIifEEEvT_"), ElementsAre("Pair<int, float>"));
  EXPECT_THAT(parameters_of("_Z1kI5ColorLS0_2EEvT_"), ElementsAre("Color"));
}

TEST(Demangle, ParameterPacks) {
  EXPECT_EQ(name_of("_Z6variosIJiPfEEvDpT_"), "varios<int, float*>");
  EXPECT_THAT(parameters_of("_Z6variosIJiPfEEvDpT_"), ElementsAre("int", "float*"));
  EXPECT_THAT(parameters_of("_Z6variosIJEEvDpT_"), ElementsAre());
  EXPECT_THAT(parameters_of("_Z6variosIJifEEvDpPT_"), ElementsAre("int*", "float*"));
}

TEST(Demangle, AnonymousNamespacesAreLeftOut) {
  EXPECT_EQ(name_of("_ZN36_GLOBAL__N__00000000_9_kernel_cu_mul2anEi"), "an");
  EXPECT_EQ(name_of("_ZN12_GLOBAL__N_12anEi"), "an");
}

TEST(Demangle, StandardLibrary) {
  EXPECT_THAT(parameters_of("_Z1kSt4pairIifE"), ElementsAre("std::pair<int, float>"));
  EXPECT_THAT(parameters_of("_Z1kN4cuda3std5tupleIJidEEE"), ElementsAre("cuda::std::tuple<int, double>"));
}

TEST(Demangle, FunctionPointersAndVendorTypes) {
  EXPECT_THAT(parameters_of("_Z1kPFfffE"), ElementsAre("float (*)(float, float)"));
  EXPECT_THAT(parameters_of("_Z1ku6__bf16DF16_"), ElementsAre("__bf16", "_Float16"));
}

TEST(Demangle, Variables) {
  EXPECT_EQ(name_of("_ZN1n1qE"), "n::q");
  EXPECT_EQ(name_of("_Z2tvIiE"), "tv<int>");
}

TEST(Demangle, WhatIsNotReadIsNothing) {
  for (const char* symbol : {"", "k", "multiplicar", "_Z", "_ZN", "_Z1", "_Z9k", "_Z1kS_", "_Z1kT_",
                             "_ZZ1kvENKUlvE_clEv", "_Z1kDTcl1fEE", "_Z1kM1Sf", "_Z99999999999999999999999k"})
    EXPECT_FALSE(demangle(symbol)) << symbol;
}

TEST(Demangle, NestingAndGrowthAreBounded) {
  EXPECT_FALSE(demangle("_Z1k" + std::string(100000, 'P') + "f"));
  std::string doubling = "_Z1k1AIffE";  // each substitution holds the one before twice
  for (int i = 0; i < 200; ++i) doubling += "1AIS_S_E";
  EXPECT_NO_THROW(demangle(doubling));
  std::string growing = "_Z1k1AIiE";
  for (char c = '0'; c < '9'; ++c) growing += std::string("1AIS") + c + "_S" + c + "_E";
  EXPECT_NO_THROW(demangle(growing));
}

/// Random changes of real symbols: any answer is fine, none may crash, hang or grow without bound.
TEST(Demangle, NeverCrashes) {
  const std::vector<std::string> seeds = {"_ZN1n1kENS_1EENS_1SEPK6float26float4bclyPvPKPKiPA4_iPKfS1_",
                                          "_Z6variosIJiPfEEvDpT_", "_ZN2ns1kI4PairIifELi3EEEvT_PT_PKS3_",
                                          "_Z1kN4cuda3std5tupleIJidEEEPFfffE"};
  const std::string alphabet = "_ZNSTEIJLKPRVOADFMUurtdfijlmxyvbc0123456789";
  std::mt19937 random(7);
  for (int round = 0; round < 50000; ++round) {
    std::string s = seeds[random() % seeds.size()];
    for (unsigned edits = random() % 6; edits-- > 0;) {
      const std::size_t at = 2 + random() % (s.size() - 2);
      switch (random() % 4) {
        case 0:
          s[at] = alphabet[random() % alphabet.size()];
          break;
        case 1:
          s.insert(at, 1, alphabet[random() % alphabet.size()]);
          break;
        case 2:
          s.erase(at, 1 + random() % 3);
          break;
        default:
          s.insert(at, s.substr(2 + random() % (s.size() - 2), random() % 12));
      }
      if (s.size() < 4) break;
    }
    const auto d = demangle(s);
    for (const CppType& t : d ? d->parameters : std::vector<CppType>()) {
      ASSERT_LT(to_string(t).size(), 1u << 20) << s;
    }
  }
}

}  // namespace
}  // namespace lanza::cuda_backend
