// Which way of sharing its blocks among a team suits a kernel: it is tried.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>

#include "backend/cpu/cost_history.hpp"

namespace lanza::executor {

/// Takes that grow smaller let workers help each other where some have more to do. But what a worker takes from another
/// lies in that one's cache, which has it back at the next launch, late, and is helped again: a launch that goes
/// through memory of its own pays more than twice for that, and each worker had better take its part whole. For each
/// size of a launch both ways are tried by turns, some launches of each in a row, as the first finds its data where the
/// other way has left it; then the one stays whose best was less, until both are tried anew. Thread-safe; a lost update
/// costs a try.
class SharingHistory {
 public:
  /// Whether the next launch is to take whole parts.
  bool wants_whole(const Work& work) noexcept {
    Known& k = known(work);
    const unsigned period = k.period.load(std::memory_order_relaxed);
    if (k.launches.fetch_add(1, std::memory_order_relaxed) >= period) k.forget(std::min(2 * period, most_period));
    const unsigned tried = k.tried.load(std::memory_order_relaxed);
    if (tried < tries) return tried / in_a_row % 2 == 0;
    // Where workers lose their cores it is safer if others can help.
    constexpr float clearly = 0.95f;
    return k.whole_ns.load(std::memory_order_relaxed) < clearly * k.small_ns.load(std::memory_order_relaxed);
  }
  /// A launch, of workers all of whom were awake.
  void record(const Work& work, bool whole, double nanoseconds) noexcept {
    Known& k = known(work);
    std::atomic<float>& least = whole ? k.whole_ns : k.small_ns;
    const auto now = static_cast<float>(nanoseconds);
    if (now < least.load(std::memory_order_relaxed)) least.store(now, std::memory_order_relaxed);
    const unsigned tried = k.tried.load(std::memory_order_relaxed);
    if (tried < tries) k.tried.store(tried + 1, std::memory_order_relaxed);
  }

 private:
  static constexpr unsigned in_a_row = 4, tries = 8 * in_a_row, first_period = 4 * tries, most_period = 256 * tries;

  struct Known {
    std::atomic<std::uint64_t> key{0};
    std::atomic<unsigned> launches{0}, period{first_period}, tried{0};
    std::atomic<float> whole_ns{INFINITY}, small_ns{INFINITY};

    void forget(unsigned next_period) noexcept {
      period.store(next_period, std::memory_order_relaxed);
      for (std::atomic<unsigned>* count : {&launches, &tried}) count->store(0, std::memory_order_relaxed);
      for (std::atomic<float>* least : {&whole_ns, &small_ns}) least->store(INFINITY, std::memory_order_relaxed);
    }
  };

  Known& known(const Work& work) noexcept {
    const std::uint64_t key = work.key ? work.key : 2 * work.threads + 1;
    for (Known& k : known_)
      if (k.key.load(std::memory_order_relaxed) == key) return k;
    Known& oldest = known_[next_.fetch_add(1, std::memory_order_relaxed) % known_.size()];
    oldest.forget(first_period);
    oldest.key.store(key, std::memory_order_relaxed);
    return oldest;
  }

  std::array<Known, 8> known_;
  std::atomic<unsigned> next_{0};
};

}  // namespace lanza::executor
