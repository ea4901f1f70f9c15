// Helpers that stay awake.
#include "backend/cpu/helpers.hpp"

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "backend/cpu/grid_run.hpp"
#include "backend/cpu/worker_pool.hpp"
#include "executor_fixture.hpp"

namespace lanza::testing {
namespace {

using namespace std::chrono_literals;
using executor::Helpers;

bool wait_until(const auto& condition) {
  const auto end = std::chrono::steady_clock::now() + 10s;
  while (std::chrono::steady_clock::now() < end) {
    if (condition()) return true;
    std::this_thread::sleep_for(100us);
  }
  return false;
}

// Without a sleep, as long as a thread may take to wake up and come: helpers stay awake for less than a sleep takes.
bool happens_soon(const auto& condition, std::chrono::steady_clock::duration patience = 5ms) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < end)
    if (condition()) return true;
  return false;
}

void count(void* context, unsigned) { ++*static_cast<std::atomic<int>*>(context); }
void count_unsigned(void* context, unsigned) { ++*static_cast<std::atomic<unsigned>*>(context); }

TEST(Helper, EveryRequestIsServedOnce) {
  if (executor::worker_count() < 2) GTEST_SKIP() << "one worker has no helpers";
  std::atomic<int> served{0};
  std::atomic<int> asked{0};
  std::vector<std::thread> askers;
  for (int t = 0; t < 3; ++t) {
    askers.emplace_back([&, t] {
      for (int i = 0; i < 3000; ++i) {
        // Now and then a pause, in which helpers go to sleep.
        if (i % 500 == 100 * t) std::this_thread::sleep_for(1ms);
        asked += executor::request_helper(count, &served, i % 3 ? Helpers::Any : Helpers::Later);
        asked += executor::request_helper(count, &served, Helpers::Awake);
      }
    });
  }
  for (auto& asker : askers) asker.join();
  EXPECT_GE(asked, 9000);
  EXPECT_TRUE(wait_until([&] { return served == asked; })) << served << " of " << asked;
  std::this_thread::sleep_for(1ms);
  EXPECT_EQ(served, asked);
}

TEST(Helper, EveryRequestIsServedOrTakenBack) {
  if (executor::worker_count() < 2 || !executor::workers_have_cores()) GTEST_SKIP() << "no helper stays awake";
  static std::atomic<unsigned> served[2], woken;
  std::atomic<unsigned> asked{0};
  // On a busy machine it may take a while until a helper has woken.
  const auto end = std::chrono::steady_clock::now() + 10s;
  const auto none_has_come = [&] { return asked == 0 && std::chrono::steady_clock::now() < end; };
  std::vector<std::thread> askers;
  for (unsigned t = 0; t < 2; ++t) {
    served[t] = 0;
    askers.emplace_back([&, t] {
      for (unsigned i = 0, expected = 0; i < 5000 || none_has_come(); ++i) {
        if (i % 1000 == 100 * t) executor::request_helper(count_unsigned, &woken, Helpers::Any);
        const unsigned come = executor::request_awake(count_unsigned, &served[t], 63);
        asked += come;
        expected += come;
        if (i % 3 != t) expected -= executor::take_back_requests(&served[t]);
        ASSERT_TRUE(happens_soon([&] { return served[t] == expected; }, 10s)) << served[t] << " of " << expected;
        EXPECT_EQ(executor::take_back_requests(&served[t]), 0u);
        executor::release_helpers(&served[t]);
      }
    });
  }
  for (auto& asker : askers) asker.join();
  EXPECT_GT(asked, 0u);
}

// Each of those that were asked at once has a number of its own, and none is asked twice.
TEST(Helper, AllThatAreAwakeAreAskedAtOnce) {
  if (executor::worker_count() < 2 || !executor::workers_have_cores()) GTEST_SKIP() << "no helper stays awake";
  struct Calls {
    std::atomic<unsigned> count{0};
    std::atomic<std::uint64_t> numbers{0};
  };
  static Calls calls;
  calls.count = 0;
  calls.numbers = 0;
  const auto note = [](void* context, unsigned number) {
    auto& noted = *static_cast<Calls*>(context);
    noted.numbers |= std::uint64_t{1} << number;
    ++noted.count;
  };
  static std::atomic<int> woken{0};
  unsigned asked = 0;
  const auto ask_awake = [&] {
    executor::request_helper(count, &woken, Helpers::Any);
    return happens_soon([&] { return (asked = executor::request_awake(note, &calls, 63)) > 0; });
  };
  EXPECT_EQ(executor::request_awake(note, &calls, 0), 0u);
  ASSERT_TRUE(wait_until(ask_awake));
  EXPECT_LT(asked, executor::worker_count());
  EXPECT_TRUE(wait_until([&] { return calls.count == asked; })) << calls.count << " of " << asked;
  EXPECT_EQ(calls.numbers, (std::uint64_t{1} << asked) - 1);
  executor::release_helpers(&calls);
}

double processor_seconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

TEST(Helper, OneThatIsAwakeAnswersAndAnIdleProcessHasNone) {
  if (executor::worker_count() < 2) GTEST_SKIP() << "one worker has no helpers";
  static std::atomic<int> served{0};  // requests may be served after the test
  const auto someone_awake = [&] {
    executor::request_helper(count, &served, Helpers::Any);
    return happens_soon([] { return executor::awake_helpers() > 0; });
  };
  if (executor::workers_have_cores()) {
    EXPECT_TRUE(wait_until(someone_awake));
  } else {
    EXPECT_FALSE(someone_awake()) << "there is no core that it might keep awake for us";
  }
  EXPECT_TRUE(wait_until([] { return executor::awake_helpers() == 0; }));
  EXPECT_FALSE(executor::request_helper(count, &served, Helpers::Awake));
  std::this_thread::sleep_for(20ms);  // oneTBB puts the threads to sleep
  const double before = processor_seconds();
  std::this_thread::sleep_for(300ms);
  EXPECT_LT(processor_seconds() - before, 0.1) << "threads burn the processor";
}

void write_index(ThreadContext t) { t.argument<std::uint64_t*>()[t.block->index[0]] += 1 + t.block->index[0]; }

class ForkedHelper : public ExecutorTest {};

// The child has none of its parent's threads, awake or not.
TEST_F(ForkedHelper, AChildRunsItsGridsAlone) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer knows no threads after a fork";
#endif
  std::vector<std::uint64_t> out(4096);
  const std::tuple<std::uint64_t*> arguments(out.data());
  const auto lead = [&] {
    const LanzaLaunch launch{{4096, 1, 1}, {1, 1, 1}, 0, 0, nullptr, nullptr, nullptr};
    auto run = std::make_shared<executor::GridRun>(launch, loop_kernel<write_index>, &arguments, false);
    return run->lead();
  };
  static std::atomic<int> served{0};
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(lead());  // helpers are awake
  const pid_t child = fork();
  if (child == 0) {
    bool right = executor::awake_helpers() == 0 && !executor::request_helper(count, &served, Helpers::Any) && lead();
    for (std::uint64_t i = 0; i < out.size(); ++i) right = right && out[i] == 21 * (i + 1);
    _exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace lanza::testing
