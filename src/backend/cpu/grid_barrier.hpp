// Where the blocks of a cooperative launch meet.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "backend/cpu/block_state.hpp"
#include "backend/cpu/cache_aligned.hpp"

namespace lanza::executor {

/// Blocks come to it, with their state, and may go on when all that have not ended are there. Each waits with the
/// worker that ran it, who takes it up again: its caches have what the block works on. Who has none left takes others'.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): what all of them write shares no line with what they read
class GridBarrier {
 public:
  explicit GridBarrier(std::uint64_t blocks) : blocks_(blocks), places_(1) {}
  ~GridBarrier() {
    for (Place& place : places_)
      for (WaitingBlocks& list : place.lists)
        while (BlockState* state = list.pop()) BlockState::release(state);
  }
  GridBarrier(const GridBarrier&) = delete;
  GridBarrier& operator=(const GridBarrier&) = delete;

  /// Before anybody comes: so many workers. Throws bad_alloc.
  void has_team_of(unsigned workers) { places_ = Places(workers); }

  /// A block has come to it, run by `worker`. True: it was the last one, all go on.
  bool arrive(BlockState* state, unsigned worker) noexcept {
    Place& place = of(worker);
    {
      std::lock_guard lock(place.mutex);
      place.lists[(round() + 1) % 2].push(state);
    }
    return count();
  }
  /// A block has ended, and is waited for no more. True: the others go on.
  bool leave() noexcept {
    ended_.fetch_add(1, std::memory_order_relaxed);
    return count();
  }
  /// A block that may go on. Null: there is none now.
  BlockState* take(unsigned worker) noexcept {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      Place& place = of(worker + static_cast<unsigned>(i));
      std::lock_guard lock(place.mutex);
      if (BlockState* state = place.lists[round() % 2].pop()) return state;
    }
    return nullptr;
  }
  bool any() noexcept {
    for (Place& place : places_) {
      std::lock_guard lock(place.mutex);
      if (!place.lists[round() % 2].empty()) return true;
    }
    return false;
  }

  /// How often it has let all go on.
  std::uint64_t round() const noexcept { return round_.load(std::memory_order_acquire); }
  /// Nobody will come any more.
  bool is_over() const noexcept { return ended_.load(std::memory_order_relaxed) == blocks_; }

 private:
  // By turns one list has those who may go on, the other one those who come. Both change under the mutex alone: who
  // looks for blocks late finds the round that its lists are of.
  struct alignas(cache_line) Place {
    std::mutex mutex;
    WaitingBlocks lists[2];
  };
  using Places = std::vector<Place, CacheAligned<Place>>;

  Place& of(unsigned worker) noexcept { return places_[worker % places_.size()]; }

  // Between the last one that comes and the next round nobody runs.
  bool count() noexcept {
    if (here_.fetch_add(1, std::memory_order_acq_rel) + 1 != blocks_) return false;
    if (is_over()) return false;
    here_.store(ended_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    return true;
  }

  const std::uint64_t blocks_;
  Places places_;
  alignas(cache_line) std::atomic<std::uint64_t> here_{0};  // this round, with those that have ended
  std::atomic<std::uint64_t> ended_{0};
  alignas(cache_line) std::atomic<std::uint64_t> round_{0};
};

}  // namespace lanza::executor
