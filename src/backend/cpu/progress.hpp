// How far a stream has come: what others wait for and compare with, also after the stream is gone.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace lanza::executor {

/// Work is counted when it is submitted and, in the same order, when it is done. Thread-safe.
class Progress {
 public:
  std::uint64_t submitted() const noexcept { return submitted_.load(std::memory_order_acquire); }
  bool reached(std::uint64_t count) const noexcept { return done_.load(std::memory_order_acquire) >= count; }
  bool idle() const noexcept { return reached(submitted()); }

  void wait(std::uint64_t count);
  /// False: not reached in time.
  bool wait_for(std::uint64_t count, std::chrono::nanoseconds limit);

 private:
  friend class StreamQueue;  // which counts, under mutex_
  std::atomic<std::uint64_t> submitted_{0}, done_{0};
  std::mutex mutex_;
  std::condition_variable changed_;  // done_ grew
};

}  // namespace lanza::executor
