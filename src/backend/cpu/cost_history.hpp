// How long a kernel took so far: decides whether its next launch is worth waking other threads.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace lanza::executor {

using Clock = std::chrono::steady_clock;

/// What one launch has to do.
struct Work {
  std::uint64_t threads = 0;
  /// Of kernels with loops that nobody can count, whose time is not a matter of the number of threads: equal for
  /// launches that do the same as far as grid and scalar arguments tell. 0: the threads tell.
  std::uint64_t key = 0;
};

/// Thread-safe; a lost update costs nothing but precision.
class CostHistory {
 public:
  /// Nanoseconds of one core that the work will take; nothing before its like has run once.
  std::optional<double> estimate(const Work& work) const noexcept {
    if (work.key != 0) return estimate_known(work.key);
    const float each = nanoseconds_per_thread_.load(std::memory_order_relaxed);
    if (each < 0) return std::nullopt;
    return each * static_cast<double>(work.threads);
  }

  /// Of launches that the number of threads tells; nothing before one of them has run.
  std::optional<double> nanoseconds_per_thread() const noexcept { return estimate({.threads = 1}); }

  /// As if nothing had run yet.
  void forget() noexcept {
    nanoseconds_per_thread_.store(-1, std::memory_order_relaxed);
    for (Known& k : known_) k.key.store(0, std::memory_order_relaxed);
  }

  void record(const Work& work, double nanoseconds) noexcept {
    if (work.key != 0) return record_known(work.key, static_cast<float>(nanoseconds));
    follow(nanoseconds_per_thread_, static_cast<float>(nanoseconds / static_cast<double>(work.threads)));
  }

 private:
  struct Known {
    std::atomic<std::uint64_t> key{0};
    std::atomic<float> nanoseconds{-1};
  };

  // A decrease at once and an increase slowly: fixed costs weigh most in small launches, where a guess matters least.
  static void follow(std::atomic<float>& estimate, float now) noexcept {
    const float old = estimate.load(std::memory_order_relaxed);
    if (old < 0 || now < old) {
      estimate.store(now, std::memory_order_relaxed);
    } else if (now > old * 1.25f) {
      estimate.store(old + (now - old) / 8, std::memory_order_relaxed);
    }
  }

  std::optional<double> estimate_known(std::uint64_t key) const noexcept {
    for (const Known& k : known_)
      if (k.key.load(std::memory_order_relaxed) == key) return k.nanoseconds.load(std::memory_order_relaxed);
    return std::nullopt;
  }

  void record_known(std::uint64_t key, float nanoseconds) noexcept {
    for (Known& k : known_)
      if (k.key.load(std::memory_order_relaxed) == key) return follow(k.nanoseconds, nanoseconds);
    Known& oldest = known_[next_.fetch_add(1, std::memory_order_relaxed) % known_.size()];
    oldest.nanoseconds.store(nanoseconds, std::memory_order_relaxed);
    oldest.key.store(key, std::memory_order_relaxed);
  }

  std::atomic<float> nanoseconds_per_thread_{-1};
  std::array<Known, 8> known_;
  std::atomic<unsigned> next_{0};
};

}  // namespace lanza::executor
