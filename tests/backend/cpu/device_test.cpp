// The CPU as a device: attributes, contexts, the settings of its compiler.
#include "backend/cpu/device.hpp"

#include <cstdlib>
#include <set>

#include "backend/cpu/code_settings.hpp"
#include "backend/cpu/segment.hpp"
#include "executor_fixture.hpp"

namespace lanza::testing {
namespace {

using Device = ExecutorTest;

TEST_F(Device, ThereIsOne) {
  EXPECT_EQ(backend::cpu().device_count(), 1);
  EXPECT_EQ(backend::cpu().why_none(), "");
  EXPECT_FALSE(device().name().empty());
  EXPECT_THROW(backend::cpu().device(1), InvalidArgument);
  EXPECT_THROW(backend::cpu().device(-1), InvalidArgument);
  EXPECT_GE(backend::cpu().diagnosis().size(), 1u);
}

TEST_F(Device, AttributesHaveCudasNames) {
  EXPECT_EQ(device().attribute("max_threads_per_block"), 1024);
  EXPECT_EQ(device().attribute("warp_size"), 32);
  EXPECT_EQ(device().attribute("max_grid_dim_x"), 2147483647);
  EXPECT_GE(device().attribute("multiprocessor_count"), 1);
  EXPECT_EQ(device().attribute("compute_capability_major"), device().compute_capability().first);
  EXPECT_NE(message_of<NotFound>([&] { device().attribute("horse_power"); }).find("horse_power"), std::string::npos);
  std::set<std::string> names;
  for (const auto& [name, value] : device().attributes()) {
    EXPECT_TRUE(names.insert(name).second) << name << " twice";
    EXPECT_EQ(device().attribute(name), value);
  }
}

TEST_F(Device, MemoryIsTheMachines) {
  const auto [free, total] = device().memory_info();
  EXPECT_GT(free, 0u);
  EXPECT_LE(free, total);
}

TEST_F(Device, ThePrimaryContextIsShared) {
  auto first = device().primary_context();
  EXPECT_EQ(first, device().primary_context());
  EXPECT_NE(first, device().create_context());
  std::weak_ptr<backend::Context> watched = first;
  first.reset();
  EXPECT_TRUE(watched.expired()) << "it lives as long as somebody holds it";
  EXPECT_NE(device().primary_context(), nullptr);
}

class Settings : public ::testing::Test {
 protected:
  void TearDown() override {
    for (const char* name : {"LANZA_CPU_MODE", "LANZA_CPU_LANES", "LANZA_CPU_TARGET"}) unsetenv(name);
  }
};

TEST_F(Settings, TheEnvironmentDecidesTheCode) {
  const auto base = backend::cpu().device(0).compiler_identity();
  EXPECT_EQ(backend::cpu().device(0).compiler_identity(), base);
  for (const auto& [name, value] : {std::pair("LANZA_CPU_MODE", "threads"), std::pair("LANZA_CPU_LANES", "16"),
                                    std::pair("LANZA_CPU_TARGET", "x86-64-v3")}) {
    setenv(name, value, 1);
    EXPECT_NE(backend::cpu().device(0).compiler_identity(), base) << name;
    unsetenv(name);
  }
}

TEST_F(Settings, AValueThatIsNoneIsRefused) {
  setenv("LANZA_CPU_MODE", "fast", 1);
  EXPECT_EQ(message_of<InvalidArgument>([] { executor::CodeSettings::from_environment(); }),
            "LANZA_CPU_MODE is 'fast'; it takes auto, threads, lanes or vector");
  unsetenv("LANZA_CPU_MODE");
  setenv("LANZA_CPU_LANES", "7", 1);
  EXPECT_THROW(executor::CodeSettings::from_environment(), InvalidArgument);
}

TEST(Segment, PointersInItAreRebased) {
  std::string data(32, '\0');
  data[16] = 8;  // a pointer to offset 8
  const executor::Segment segment(data, {16});
  char* pointer;
  std::memcpy(&pointer, segment.data() + 16, 8);
  EXPECT_EQ(pointer, segment.data() + 8);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(segment.data()) % 64, 0u);
  EXPECT_THROW(executor::Segment(data, {25}), Error);
  EXPECT_THROW(executor::Segment(data, {UINT64_MAX}), Error);
}

}  // namespace
}  // namespace lanza::testing
