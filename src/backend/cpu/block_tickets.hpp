// Who runs which blocks of a grid.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "backend/cpu/cache_aligned.hpp"
#include "backend/cpu/taken_parts.hpp"

namespace lanza::executor {

struct BlockRange {
  std::uint64_t first, last;
};

/// How blocks that take as long as before are shared out.
struct Shares {
  std::uint64_t head_start = 0;  ///< blocks that the leader has run when its helpers begin: it gets as many more
  std::uint64_t grain = 0;       ///< fewer are not worth taking from another; 0: nobody knows
  bool backwards = false;        ///< each part from its end
  bool whole = false;            ///< each worker takes its part at once
};

/// The blocks that nobody has begun. Either one ascending sequence, or a part for each worker: it runs its own part
/// first, the same at every launch, so that its cache may still have the data, and then takes from the others. Each
/// take is a fraction of what is left of a part, so that all end at about the same time; a grain at least, and several
/// grains of its own, for each costs the kernel its beginning and its end. What a worker takes from another comes from
/// that one's cache, and the next launch wants it back there: so it is patient at first with one that has come to the
/// last two grains of its part, or to its last eighth. A launch that goes through the parts backwards, after one that
/// did not, begins with what that has left in the caches; it takes no more at once than they hold.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): what all of them write shares no line with what they read
class BlockTickets {
 public:
  explicit BlockTickets(std::uint64_t total) : total_(total) {}
  ~BlockTickets() {
    if (memory_) spare() = std::move(memory_);
  }
  BlockTickets(const BlockTickets&) = delete;
  BlockTickets& operator=(const BlockTickets&) = delete;

  /// Before anybody takes: takes of `most` blocks, in ascending order. Throws nothing.
  void keep_order(std::uint64_t most) noexcept { most_ = std::max<std::uint64_t>(1, most); }
  /// Before anybody takes: parts, the first of which is larger than the others by the head start where there are as
  /// many. Throws bad_alloc.
  void split(unsigned parts, const Shares& shares = {}) {
    first_ = std::min(next_.load(std::memory_order_relaxed), total_);
    const std::uint64_t count = total_ - first_;
    if (count > TakenParts::most) return keep_order(count / parts / 16);
    memory_ = std::move(spare());
    if (!memory_ || memory_->size() < parts) memory_ = std::make_unique<TakenParts>(parts);
    parts_ = memory_->begin();
    team_ = parts;
    ahead_ = std::min(shares.head_start, count);
    each_ = (count - ahead_) / parts;
    larger_ = (count - ahead_) % parts;
    grain_ = shares.grain;
    backwards_ = shares.backwards;
    least_ = std::max<std::uint64_t>(1, grain_ ? grain_ : count / parts / 16);
    least_own_ = shares.whole ? total_ : std::max(least_, 4 * grain_);
    few_ = std::max(2 * grain_, count / parts / 8);
    most_own_ = backwards_ ? std::max(least_own_, count / parts / 16) : any_number;
  }
  /// Goes on where another, which was not split and which nobody takes from any more, has come to.
  void take_over(const BlockTickets& begun) noexcept {
    next_.store(begun.next_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  }

  /// False: none is left. `worker`: whose part comes first. `patient`: or only what others are about to take.
  bool take(unsigned worker, BlockRange& range, bool patient = false) noexcept {
    if (team_ == 0) return take_in_order(range);
    const unsigned home = worker % team_;
    if (take_from(home, least_own_, most_own_, range)) {
      parts_.note_begun(home);
      return true;
    }
    for (unsigned i = 1; i < team_; ++i) {
      const unsigned part = (home + i) % team_;
      if (patient && left_of(part) < few_ && parts_.is_begun(part)) continue;
      if (take_from(part, least_, any_number, range)) return true;
    }
    return false;
  }
  /// True: some are left.
  bool any() const noexcept { return left() != 0; }
  std::uint64_t left() const noexcept {
    if (team_ == 0) return total_ - std::min(total_, next_.load(std::memory_order_relaxed));
    std::uint64_t sum = 0;
    for (unsigned part = 0; part < team_; ++part) sum += left_of(part);
    return sum;
  }

 private:
  static constexpr std::uint64_t any_number = ~std::uint64_t{0};

  // Of the thread, for the next launch.
  static std::unique_ptr<TakenParts>& spare() noexcept {
    static thread_local std::unique_ptr<TakenParts> kept;
    return kept;
  }

  std::uint64_t first_of(unsigned part) const noexcept {
    return first_ + (part ? ahead_ : 0) + each_ * part + std::min<std::uint64_t>(part, larger_);
  }
  std::uint64_t size_of(unsigned part) const noexcept { return (part ? 0 : ahead_) + each_ + (part < larger_); }
  std::uint64_t left_of(unsigned part) const noexcept { return size_of(part) - parts_.taken_of(part); }

  bool take_in_order(BlockRange& range) noexcept {
    if (next_.load(std::memory_order_relaxed) >= total_) return false;
    range.first = next_.fetch_add(most_, std::memory_order_relaxed);
    range.last = std::min(range.first + most_, total_);
    return range.first < total_;
  }
  bool take_from(unsigned part, std::uint64_t least, std::uint64_t most, BlockRange& range) noexcept {
    const std::uint64_t size = size_of(part), first = first_of(part);
    return parts_.take(part, [&](std::uint64_t taken) {
      const std::uint64_t left = size - taken;
      const std::uint64_t last = 2 * left <= 3 * least ? size : taken + std::max(least, std::min(left / 2, most));
      range =
          backwards_ ? BlockRange{first + size - last, first + size - taken} : BlockRange{first + taken, first + last};
      return last;
    });
  }

  alignas(cache_line) std::atomic<std::uint64_t> next_{0};  // in order: all workers write it
  alignas(cache_line) const std::uint64_t total_;
  std::uint64_t most_ = 1, least_ = 1, least_own_ = 1, most_own_ = any_number, grain_ = 0, few_ = 0;
  std::uint64_t first_ = 0, ahead_ = 0, each_ = 0, larger_ = 0;
  unsigned team_ = 0;
  bool backwards_ = false;
  TakenParts::Launch parts_;
  std::unique_ptr<TakenParts> memory_;  // of parts_
};

}  // namespace lanza::executor
