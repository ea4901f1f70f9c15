// Work beside the program: where it runs, how much of it there is at a time, and who waits for it.
#include "backend/cpu/background.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "backend/cpu/worker_pool.hpp"

namespace lanza::testing {
namespace {

using executor::begin_in_background;

TEST(Background, WorkIsDoneOnAThreadOfItsOwn) {
  std::promise<std::thread::id> where;
  ASSERT_TRUE(begin_in_background([&] { where.set_value(std::this_thread::get_id()); }));
  EXPECT_NE(where.get_future().get(), std::this_thread::get_id());
}

TEST(Background, NoMoreIsBegunThanThereAreCoresToSpare) {
  std::promise<void> end;
  std::shared_future<void> ended = end.get_future().share();
  std::atomic<unsigned> done{0};
  const unsigned most = std::max(1u, executor::worker_count() / 2);
  // The last of the tests before may be about to leave.
  unsigned begun = 0;
  while (begun < most) begun += begin_in_background([&, ended] { ended.wait(), ++done; });
  EXPECT_FALSE(begin_in_background([] {}));
  end.set_value();
  while (done != most) std::this_thread::yield();
  while (!begin_in_background([] {})) std::this_thread::yield();
}

TEST(Background, ForkWaitsForIt) {
  std::atomic<bool> done{false};
  while (!begin_in_background([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    done = true;
  }))
    std::this_thread::yield();
  const pid_t child = ::fork();
  if (child == 0) ::_exit(done ? 0 : 1);
  EXPECT_TRUE(done);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace lanza::testing
