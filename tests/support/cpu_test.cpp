// The processor: what can be compared with the kernel's own answers.
#include "support/cpu.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <lanza/error.hpp>
#include <thread>

#include "support/scoped_environment.hpp"

namespace lanza {
namespace {

TEST(Cpu, has_a_name_and_a_stable_digest) {
  EXPECT_FALSE(cpu_name().empty());
  EXPECT_EQ(cpu_digest().size(), 32u);
  EXPECT_EQ(cpu_digest(), cpu_digest());
}

TEST(Cpu, threads_follow_the_affinity_mask) {
  const test::ScopedEnvironment none("LANZA_CPU_THREADS", nullptr);
  EXPECT_GE(cpu_threads(), 1u);
  EXPECT_LE(cpu_threads(), static_cast<unsigned>(::sysconf(_SC_NPROCESSORS_CONF)));
  unsigned in_narrow_thread = 0;
  std::thread([&] {  // the mask is the thread's own
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(::sched_getcpu(), &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
    in_narrow_thread = cpu_threads();
  })
      .join();
  EXPECT_EQ(in_narrow_thread, 1u);
}

TEST(Cpu, threads_from_the_environment) {
  const test::ScopedEnvironment seven("LANZA_CPU_THREADS", "7");
  EXPECT_EQ(cpu_threads(), 7u);
}

TEST(Cpu, a_wrong_number_of_threads_is_named) {
  for (const char* text : {"0", "-1", "two", "3x", "99999999999"}) {
    const test::ScopedEnvironment wrong("LANZA_CPU_THREADS", text);
    EXPECT_THROW(cpu_threads(), InvalidArgument) << text;
  }
  const test::ScopedEnvironment wrong("LANZA_CPU_THREADS", "two");
  EXPECT_THAT([] { cpu_threads(); }, testing::ThrowsMessage<InvalidArgument>(
                                         "LANZA_CPU_THREADS: expected a number of threads from 1, got 'two'"));
}

TEST(Cpu, memory_is_what_sysconf_says) {
  const HostMemory memory = host_memory();
  const auto total =
      static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  EXPECT_NEAR(static_cast<double>(memory.total), static_cast<double>(total), 0.01 * static_cast<double>(total));
  EXPECT_GT(memory.free, 0u);
  EXPECT_LE(memory.free, memory.total);
}

}  // namespace
}  // namespace lanza
