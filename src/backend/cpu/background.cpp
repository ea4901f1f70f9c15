// Work beside the program: threads of their own, counted.
#include "backend/cpu/background.hpp"

#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "backend/cpu/worker_pool.hpp"

namespace lanza::executor {
namespace {

// Never destroyed: the last thread may still be about to leave when the process ends.
class UnderWay {
 public:
  static UnderWay& get() {
    static UnderWay& made = *[] {
      auto* u = new UnderWay;
      // Whoever registers last is called first: what the work uses has been loaded by then, and goes behind it.
      std::atexit([] { get().end(); });
      pthread_atfork([] { get().hold(); }, [] { get().mutex_.unlock(); }, [] { get().mutex_.unlock(); });
      return u;
    }();
    return made;
  }

  bool enter() noexcept {
    const unsigned cores = worker_count();
    std::lock_guard lock(mutex_);
    if (ending_ || count_ + 1 > std::max(1u, cores / 2)) return false;
    ++count_;
    return true;
  }
  void leave() noexcept {
    std::lock_guard lock(mutex_);
    --count_;
    none_.notify_all();
  }

 private:
  void end() {
    hold();
    ending_ = true;
    mutex_.unlock();
  }
  // Until nothing is under way, and nothing begins.
  void hold() {
    std::unique_lock lock(mutex_);
    none_.wait(lock, [this] { return count_ == 0; });
    lock.release();
  }

  std::mutex mutex_;
  std::condition_variable none_;
  unsigned count_ = 0;
  bool ending_ = false;
};

}  // namespace

bool begin_in_background(std::function<void()> work) noexcept {
  UnderWay& under_way = UnderWay::get();
  if (!under_way.enter()) return false;
  try {
    std::thread([work = std::move(work), &under_way]() mutable {
      work();
      work = nullptr;  // what it holds goes while the process waits for it
      under_way.leave();
    }).detach();
    return true;
  } catch (const std::exception&) {
    under_way.leave();
    return false;
  }
}

}  // namespace lanza::executor
