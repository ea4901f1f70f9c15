// Ends launches whose time is over: one sleeping thread a process, so that running kernels never look at a clock.
#include "backend/cpu/watchdog.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "backend/cpu/interrupt.hpp"

namespace lanza::executor {
namespace {

// Never destroyed: it watches kernels that run while the process ends.
class Watchdog {
 public:
  static Watchdog& get() {
    static Watchdog& made = *new Watchdog;
    return made;
  }
  void add(const std::shared_ptr<GridRun>& run, std::chrono::milliseconds limit) {
    {
      std::lock_guard lock(mutex_);
      // Limits of years would overflow the clock.
      const auto bounded = std::min<std::chrono::milliseconds>(limit, std::chrono::hours(24 * 365));
      deadlines_.emplace(Clock::now() + bounded, Watched{run, limit});
    }
    changed_.notify_one();
  }
  void interrupt(const std::shared_ptr<GridRun>& run) {
    {
      std::lock_guard lock(mutex_);
      deadlines_.emplace(Clock::now(), Watched{run, {}});
    }
    changed_.notify_one();
  }
  void watch_callers() {
    {
      std::lock_guard lock(mutex_);
      deadlines_.emplace(Clock::now() + look, Watched{{}, {}, true});
    }
    changed_.notify_one();
  }

 private:
  struct Watched {
    std::weak_ptr<GridRun> run;
    std::chrono::milliseconds limit;
    bool callers = false;  // no run: a look at the callers of all
  };
  Watchdog() {
    std::thread([this] { loop(); }).detach();
  }
  void loop() {
    pthread_setname_np(pthread_self(), "lanza-watchdog");
    std::unique_lock lock(mutex_);
    for (;;) {
      if (deadlines_.empty()) {
        changed_.wait(lock);
      } else if (const auto first = deadlines_.begin(); first->first > Clock::now()) {
        const auto until = first->first;
        changed_.wait_until(lock, until);
      } else {
        const Watched watched = first->second;
        deadlines_.erase(first);
        end(watched);
      }
    }
  }
  void end(const Watched& watched) {
    if (watched.callers) {
      if (ask_callers()) deadlines_.emplace(Clock::now() + look, watched);
      return;
    }
    const auto run = watched.run.lock();
    if (!run) return;
    if (!run->stopped()) run->fail(fmt::format("timed out after {} ms", watched.limit.count()));
    if (run->interrupt()) deadlines_.emplace(Clock::now() + again, watched);
  }

  static constexpr auto again = std::chrono::milliseconds(2), look = std::chrono::milliseconds(20);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::multimap<Clock::time_point, Watched> deadlines_;
};

}  // namespace

void interrupt(const std::shared_ptr<GridRun>& run) noexcept {
  try {
    Watchdog::get().interrupt(run);
  } catch (const std::exception&) {
    // No memory, no thread: the run ends at its next yield or round.
  }
}

bool watch_callers() noexcept {
  try {
    Watchdog::get().watch_callers();
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

void watch(const std::shared_ptr<GridRun>& run, std::chrono::milliseconds limit) { Watchdog::get().add(run, limit); }

}  // namespace lanza::executor
