// Which arguments code may hold as numbers, when it is made, and whether it stays.
#include "backend/cpu/folded_arguments.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "backend/cpu/fold_trial.hpp"

namespace lanza::testing {
namespace {

using executor::FoldableParameters;
using executor::FoldHeat;
using executor::FoldReach;
using executor::FoldTrial;
using executor::KernelObject;

struct Arguments {
  const float* in;
  std::int32_t width;
  std::uint32_t threads;
  std::int64_t step;
  std::uint64_t length;
  float factor;
};

Parameter scalar(DType type, std::size_t offset) {
  return {.kind = Parameter::Kind::Scalar, .dtype = type, .offset = offset, .size = size_of(type)};
}

FoldableParameters parameters() {
  return FoldableParameters({.parameters = {{.kind = Parameter::Kind::Pointer, .offset = 0, .size = 8},
                                            scalar(DType::Int32, offsetof(Arguments, width)),
                                            scalar(DType::UInt32, offsetof(Arguments, threads)),
                                            scalar(DType::Int64, offsetof(Arguments, step)),
                                            scalar(DType::UInt64, offsetof(Arguments, length)),
                                            scalar(DType::Float32, offsetof(Arguments, factor))},
                             .bytes = sizeof(Arguments)});
}

constexpr Dim3 block{16, 8, 1};

TEST(FoldedArguments, AreSmallIntegersAndSizesOfTheBlock) {
  const Arguments arguments{nullptr, -64, 256, 65, 128, 2};
  const auto folded = parameters().of(FoldReach::Small, block, &arguments);
  ASSERT_EQ(folded.size(), 3u);
  EXPECT_EQ(folded[0].parameter, 1u);
  EXPECT_EQ(folded[0].value, -64);
  EXPECT_EQ(folded[1].parameter, 2u);
  EXPECT_EQ(folded[1].value, 256) << "twice the threads";
  EXPECT_EQ(folded[2].parameter, 4u);
  EXPECT_EQ(folded[2].value, 128) << "the threads";
}

TEST(FoldedArguments, AreAllOrTinyOnes) {
  const Arguments arguments{nullptr, -8, ~0u, 1 << 24, ~std::uint64_t{0}, 2};
  const auto all = parameters().of(FoldReach::All, block, &arguments);
  ASSERT_EQ(all.size(), 2u) << "but those by which indices may overflow";
  EXPECT_EQ(all[1].value, 1 << 24);
  const auto tiny = parameters().of(FoldReach::Tiny, block, &arguments);
  ASSERT_EQ(tiny.size(), 1u);
  EXPECT_EQ(tiny[0].value, -8);
  EXPECT_NE(parameters().key_of(FoldReach::All, block, &arguments),
            parameters().key_of(FoldReach::Small, block, &arguments));
}

TEST(FoldedArguments, GreatUnsignedNumbersAreNotNegative) {
  const Arguments arguments{nullptr, -65, ~0u, -(std::int64_t{1} << 40), ~std::uint64_t{0}, 2};
  EXPECT_TRUE(parameters().of(FoldReach::Small, block, &arguments).empty());
  EXPECT_EQ(parameters().key_of(FoldReach::Small, block, &arguments), 0u);
}

TEST(FoldedArguments, AreThoseOfALaunch) {
  Arguments arguments{nullptr, 3, 1000, -1, 1000, 2};
  const auto folded = parameters().of(FoldReach::Small, block, &arguments);
  ASSERT_EQ(folded.size(), 2u);
  const auto key = parameters().key_of(FoldReach::Small, block, &arguments);
  arguments.threads = 2000;
  EXPECT_TRUE(holds(folded, &arguments));
  EXPECT_EQ(parameters().key_of(FoldReach::Small, block, &arguments), key) << "what is not folded does not matter";
  EXPECT_NE(parameters().key_of(FoldReach::Small, {8, 16, 1}, &arguments), key);
  arguments.width = 4;
  EXPECT_FALSE(holds(folded, &arguments));
  EXPECT_NE(parameters().key_of(FoldReach::Small, block, &arguments), key);
  arguments.width = 3;
  arguments.step = (std::int64_t{1} << 32) - 1;  // the same in its low half
  EXPECT_FALSE(holds(folded, &arguments));
}

TEST(FoldedArguments, AreHotOnceTheyHaveTakenLongEnough) {
  FoldHeat heat;
  EXPECT_FALSE(heat.grows(1, 40, 100));
  EXPECT_FALSE(heat.grows(2, 99, 100));
  EXPECT_FALSE(heat.grows(1, 40, 100));
  EXPECT_TRUE(heat.grows(1, 40, 100));
  EXPECT_FALSE(heat.grows(1, 1000, 100)) << "only once";
  heat.cools(1);
  EXPECT_FALSE(heat.grows(1, 99, 100));
  EXPECT_TRUE(heat.grows(1, 1, 100));
  EXPECT_TRUE(heat.grows(2, 1, 100));
}

TEST(FoldedArguments, ThatChangeWithEachLaunchAreForgotten) {
  FoldHeat heat;
  for (std::uint64_t key = 1; key < 1000; ++key) EXPECT_FALSE(heat.grows(key, 60, 100)) << key;
  for (std::uint64_t key = 1; key < 900; ++key) EXPECT_FALSE(heat.grows(key, 60, 100)) << key;
}

unsigned turns_of(FoldTrial& trial, unsigned launches) {
  unsigned taken = 0;
  for (unsigned i = 0; i < launches; ++i) taken += trial.takes_turn();
  return taken;
}

TEST(FoldTrial, TheFasterCodeStays) {
  const LanzaKernelObject table{};
  const KernelObject other(table);
  for (const double folded_ns : {50.0, 99.0, 150.0}) {
    FoldTrial trial(&other);
    trial.compare(folded_ns, 100);
    EXPECT_FALSE(trial.is_over()) << "too early";
    EXPECT_EQ(turns_of(trial, 16), 8u);
    trial.compare(std::nullopt, 100);
    EXPECT_FALSE(trial.is_over());
    trial.compare(folded_ns, 100);
    EXPECT_TRUE(trial.is_over());
    EXPECT_EQ(trial.is_kept(), folded_ns < 98);
    EXPECT_EQ(turns_of(trial, 16), folded_ns < 98 ? 16u : 0u);
  }
}

TEST(FoldTrial, EndsWhereNothingIsKnown) {
  const LanzaKernelObject table{};
  const KernelObject other(table);
  FoldTrial trial(&other);
  turns_of(trial, 300);
  trial.compare(std::nullopt, std::nullopt);
  EXPECT_TRUE(trial.is_over());
  EXPECT_FALSE(trial.is_kept());
}

TEST(FoldTrial, EndsWhereItsLaunchesNoLongerCome) {
  const LanzaKernelObject table{};
  const KernelObject other(table);
  FoldTrial trial(&other);
  turns_of(trial, 3);
  for (int i = 0; i < 4096; ++i) trial.compare(1, 100);
  EXPECT_FALSE(trial.is_over());
  trial.compare(1, 100);
  EXPECT_TRUE(trial.is_over());
  EXPECT_FALSE(trial.is_kept());
}

TEST(FoldTrial, WithNothingToCompareWithItStays) {
  FoldTrial trial(nullptr);
  EXPECT_TRUE(trial.is_kept());
  EXPECT_EQ(turns_of(trial, 3), 3u);
}

}  // namespace
}  // namespace lanza::testing
