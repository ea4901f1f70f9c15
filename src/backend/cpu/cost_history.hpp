// How long a kernel took so far: decides whether its next launch is worth waking other threads.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace lanza::executor {

using Clock = std::chrono::steady_clock;

/// Thread-safe; a lost update costs nothing but precision.
class CostHistory {
 public:
  /// False until the kernel has run once.
  bool known() const noexcept { return nanoseconds_per_thread_.load(std::memory_order_relaxed) >= 0; }

  /// Nanoseconds of one core that so many CUDA threads will take.
  double estimate(std::uint64_t threads) const noexcept {
    return nanoseconds_per_thread_.load(std::memory_order_relaxed) * static_cast<double>(threads);
  }

  /// Follows a decrease at once and an increase slowly: fixed costs weigh most in small launches, where a guess matters
  /// least.
  void record(std::uint64_t threads, double nanoseconds) noexcept {
    const float now = static_cast<float>(nanoseconds / static_cast<double>(threads));
    const float old = nanoseconds_per_thread_.load(std::memory_order_relaxed);
    if (old < 0 || now < old) {
      nanoseconds_per_thread_.store(now, std::memory_order_relaxed);
    } else if (now > old * 1.25f) {
      nanoseconds_per_thread_.store(old + (now - old) / 8, std::memory_order_relaxed);
    }
  }

 private:
  std::atomic<float> nanoseconds_per_thread_{-1};
};

}  // namespace lanza::executor
