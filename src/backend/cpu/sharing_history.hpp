// Which way of sharing its blocks among a team suits a kernel: it is tried.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "backend/cpu/cost_history.hpp"

namespace lanza::executor {

/// Takes that grow smaller let workers help each other where some have more to do. But what a worker takes from another
/// lies in that one's cache, which has it back at the next launch, late, and is helped again: a launch that goes
/// through memory of its own pays more than twice for that, and each worker had better take its part whole. For each
/// size of a launch both ways are tried, and the one stays that takes less; the other has its turn again, ever more
/// rarely. A turn is several launches: the first finds its data where the other way has left it, and what takes that
/// grow smaller cost shows after some. Thread-safe; a lost update costs a turn.
class SharingHistory {
 public:
  /// Whether the next launch is to take whole parts.
  bool wants_whole(const Work& work) noexcept {
    Known& k = known(work);
    if (k.left_of_turn.load(std::memory_order_relaxed) == 0) k.begin_turn();
    return k.is_whole.load(std::memory_order_relaxed);
  }
  /// A launch, of workers all of whom were awake.
  void record(const Work& work, bool whole, double nanoseconds) noexcept {
    Known& k = known(work);
    const unsigned left = k.left_of_turn.load(std::memory_order_relaxed);
    if (left == 0 || whole != k.is_whole.load(std::memory_order_relaxed)) return;
    k.left_of_turn.store(left - 1, std::memory_order_relaxed);
    if (left != turn) follow(whole ? k.whole_ns : k.small_ns, static_cast<float>(nanoseconds));
  }

 private:
  static constexpr unsigned turn = 8, most_turns = 512;

  struct Known {
    std::atomic<std::uint64_t> key{0};
    std::atomic<float> whole_ns{0}, small_ns{0};  // 0: nobody knows
    std::atomic<bool> is_whole{false};
    std::atomic<unsigned> left_of_turn{0};
    std::atomic<unsigned> turns{0}, turns_of_other{1};  // so far; from one turn of the other way to the next

    void begin_turn() noexcept {
      // Where workers lose their cores it is safer if others can help.
      constexpr float clearly = 0.95f;
      const float whole = whole_ns.load(std::memory_order_relaxed), small = small_ns.load(std::memory_order_relaxed);
      bool next = whole < clearly * small;
      if (whole == 0 || small == 0) {
        next = whole == 0;
      } else if (turns.fetch_add(1, std::memory_order_relaxed) >= turns_of_other.load(std::memory_order_relaxed)) {
        next = !next;
        turns.store(0, std::memory_order_relaxed);
        turns_of_other.store(std::min(2 * turns_of_other.load(std::memory_order_relaxed), most_turns),
                             std::memory_order_relaxed);
      }
      is_whole.store(next, std::memory_order_relaxed);
      left_of_turn.store(turn, std::memory_order_relaxed);
    }
    void forget() noexcept {
      for (std::atomic<float>* ns : {&whole_ns, &small_ns}) ns->store(0, std::memory_order_relaxed);
      for (std::atomic<unsigned>* count : {&left_of_turn, &turns}) count->store(0, std::memory_order_relaxed);
      turns_of_other.store(1, std::memory_order_relaxed);
    }
  };

  // One launch that others kept waiting does not count for more than two.
  static void follow(std::atomic<float>& estimate, float now) noexcept {
    const float old = estimate.load(std::memory_order_relaxed);
    estimate.store(old == 0 ? now : old + (std::min(now, 2 * old) - old) / 4, std::memory_order_relaxed);
  }

  Known& known(const Work& work) noexcept {
    const std::uint64_t key = work.key ? work.key : 2 * work.threads + 1;
    for (Known& k : known_)
      if (k.key.load(std::memory_order_relaxed) == key) return k;
    Known& oldest = known_[next_.fetch_add(1, std::memory_order_relaxed) % known_.size()];
    oldest.forget();
    oldest.key.store(key, std::memory_order_relaxed);
    return oldest;
  }

  std::array<Known, 8> known_;
  std::atomic<unsigned> next_{0};
};

}  // namespace lanza::executor
