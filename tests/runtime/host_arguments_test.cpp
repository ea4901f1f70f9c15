// Host ranges on a device that works on host memory: in place where no result depends on it, else as on a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanza/lanza.hpp>

#include <vector>

#include "runtime/fake_backend.hpp"

namespace lanza {
namespace {

class HostArgumentsTest : public testing::Test {
 protected:
  HostArgumentsTest() {
    world().compile = [](const backend::CompileRequest&) {
      return fake::result(
          {fake::kernel("k", {fake::pointer("dest", DType::Float32), fake::pointer("a", DType::Float32, true),
                              fake::pointer("b", DType::Float32)})});
    };
    world().kernels["_k"] = [this](const backend::Launch& launch) {
      for (std::size_t i = 0; i < 3; ++i) seen_[i] = fake::argument<float*>(launch, i * 8);
      if (run_) run_(seen_);
    };
  }
  Kernel kernel() { return compile("k", {.device = Device("cpu"), .cache = false}).kernel("k"); }
  fake::World& world() { return *scope_.world; }

  fake::Scope scope_;
  float* seen_[3] = {};
  std::function<void(float* const*)> run_;
  alignas(16) float x_[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  alignas(16) float y_[8] = {2, 2, 2, 2, 2, 2, 2, 2};
  alignas(16) float z_[8] = {3, 3, 3, 3, 3, 3, 3, 3};
};

TEST_F(HostArgumentsTest, UsedInPlace) {
  kernel()({.block = 1}, out(x_), in(y_), inout(z_));
  EXPECT_EQ(seen_[0], x_);
  EXPECT_EQ(seen_[1], y_);
  EXPECT_EQ(seen_[2], z_);
  EXPECT_EQ(world().count_of("allocate"), 0);
  EXPECT_EQ(world().count_of("synchronize"), 1);
  EXPECT_TRUE(world().launches.back().caller_waits);
}

TEST_F(HostArgumentsTest, InForWritablePointerIsCopied) {
  run_ = [](float* const* p) { p[2][0] = 99; };
  kernel()({.block = 1}, out(x_), in(y_), in(z_));
  EXPECT_NE(seen_[2], z_);
  EXPECT_EQ(z_[0], 3);
  EXPECT_EQ(world().live["memory"], 0);
}

TEST_F(HostArgumentsTest, OverlappingRangesBehaveAsCopies) {
  run_ = [](float* const* p) {
    p[0][0] = 50;
    EXPECT_EQ(p[1][0], 1);  // what `in` had before the launch
    p[2][0] = 60;
  };
  kernel()({.block = 1}, inout(x_), in(x_), inout(x_));
  EXPECT_EQ(x_[0], 60);  // results come back in the order of the arguments
  EXPECT_EQ(world().live["memory"], 0);
}

TEST_F(HostArgumentsTest, PartialOverlapInAnyOrder) {
  run_ = [](float* const* p) {
    for (int i = 0; i < 4; ++i) p[0][i] = 10;
    for (int i = 0; i < 4; ++i) p[2][i] = 20;
  };
  kernel()({.block = 1}, inout(std::span(x_).subspan(4)), in(y_), inout(std::span(x_).first(6)));
  EXPECT_THAT(x_, testing::ElementsAre(20, 20, 20, 20, 1, 1, 10, 10));
}

TEST_F(HostArgumentsTest, TwoReadersShareTheirMemory) {
  world().compile = [](const backend::CompileRequest&) {
    return fake::result(
        {fake::kernel("k", {fake::pointer("dest", DType::Float32), fake::pointer("a", DType::Float32, true),
                            fake::pointer("b", DType::Float32, true)})});
  };
  kernel()({.block = 1}, out(x_), in(y_), in(y_));
  EXPECT_EQ(seen_[1], y_);
  EXPECT_EQ(seen_[2], y_);
}

TEST_F(HostArgumentsTest, UnalignedRangesAreCopied) {
  run_ = [](float* const* p) { p[0][0] = 7; };
  kernel()({.block = 1}, out(std::span(x_).subspan(1)), in(std::span(y_).subspan(4)), inout(z_));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(seen_[0]) % 256, 0u);
  EXPECT_EQ(x_[1], 7);
  EXPECT_EQ(seen_[1], y_ + 4);
}

TEST_F(HostArgumentsTest, WithoutWaitWhatIsReadIsCopied) {
  kernel()({.block = 1, .wait = false}, out(x_), in(y_), inout(z_));
  EXPECT_EQ(seen_[0], x_);
  EXPECT_NE(seen_[1], y_);
  EXPECT_EQ(world().count_of("synchronize"), 0);
}

TEST_F(HostArgumentsTest, ReadersInPlaceAreWaitedFor) {
  const Buffer<float> buffer(8, Device("cpu"));
  kernel()({.block = 1}, buffer, in(y_), buffer);
  EXPECT_EQ(seen_[1], y_);
  EXPECT_EQ(world().count_of("synchronize"), 1);
}

TEST_F(HostArgumentsTest, AFailedCopyBackWaitsForTheKernelFirst) {
  const Kernel k = kernel();
  run_ = [this](float* const*) { world().fail_at = world().calls + 1; };
  EXPECT_THROW(k({.block = 1}, out(x_), in(y_), inout(x_)), DriverError);
  const auto& trace = world().trace;
  EXPECT_THAT(std::vector(trace.end() - 4, trace.end()),
              testing::ElementsAre("launch", "to host", "synchronize", "release"));
}

}  // namespace
}  // namespace lanza
