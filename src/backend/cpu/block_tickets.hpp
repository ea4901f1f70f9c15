// Who runs which blocks of a grid.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "backend/cpu/cache_aligned.hpp"

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
/// last two grains of its part. A launch that goes through the parts backwards, after one that did not, begins with
/// what that has left in the caches; it takes no more at once than they hold.
class BlockTickets {
 public:
  explicit BlockTickets(std::uint64_t total) : total_(total) { one_.end = total; }

  /// Before anybody takes: takes of `most` blocks, in ascending order. Throws nothing.
  void keep_order(std::uint64_t most) noexcept { most_ = std::max<std::uint64_t>(1, most); }
  /// Before anybody takes: parts, the first of which is larger than the others by the head start where there are as
  /// many. Throws bad_alloc.
  void split(unsigned parts, const Shares& shares = {}) {
    const std::uint64_t first = one_.next.load(std::memory_order_relaxed), count = total_ - std::min(first, total_);
    const std::uint64_t ahead = std::min(shares.head_start, count), rest = count - ahead;
    parts_ = Parts(parts);
    grain_ = shares.grain;
    backwards_ = shares.backwards;
    least_ = std::max<std::uint64_t>(1, grain_ ? grain_ : count / parts / 16);
    least_own_ = shares.whole ? total_ : std::max(least_, 4 * grain_);
    most_own_ = backwards_ ? std::max(least_own_, count / parts / 16) : any_number;
    std::uint64_t next = first;
    for (unsigned i = 0; i < parts; ++i) {
      parts_[i].next.store(next, std::memory_order_relaxed);
      parts_[i].first = next;
      parts_[i].end = next = first + ahead + share(rest, i + 1, parts);
    }
    one_.next.store(total_, std::memory_order_relaxed);
  }
  /// Goes on where another, which was not split and which nobody takes from any more, has come to.
  void take_over(const BlockTickets& begun) noexcept {
    one_.next.store(begun.one_.next.load(std::memory_order_relaxed), std::memory_order_relaxed);
  }

  /// False: none is left. `worker`: whose part comes first. `patient`: or only what others are about to take.
  bool take(unsigned worker, BlockRange& range, bool patient = false) noexcept {
    if (parts_.empty()) return take_in_order(range);
    const std::size_t home = worker % parts_.size();
    Part& own = parts_[home];
    if (take_from(own, least_own_, most_own_, range)) {
      if (!own.begun.load(std::memory_order_relaxed)) own.begun.store(true, std::memory_order_relaxed);
      return true;
    }
    for (std::size_t i = 1; i < parts_.size(); ++i) {
      Part& part = parts_[(home + i) % parts_.size()];
      if (patient && left_of(part) < 2 * grain_ && part.begun.load(std::memory_order_relaxed)) continue;
      if (take_from(part, least_, any_number, range)) return true;
    }
    return false;
  }
  /// True: some are left.
  bool any() const noexcept {
    return left_of(one_) != 0 || std::any_of(parts_.begin(), parts_.end(), [](const Part& p) { return left_of(p); });
  }
  std::uint64_t left() const noexcept {
    std::uint64_t sum = left_of(one_);
    for (const Part& part : parts_) sum += left_of(part);
    return sum;
  }

 private:
  static constexpr std::uint64_t any_number = ~std::uint64_t{0};
  struct alignas(cache_line) Part {
    std::atomic<std::uint64_t> next{0};  // backwards: as far from the end as it is from the beginning
    std::uint64_t first = 0, end = 0;
    std::atomic<bool> begun{false};  // its worker has come
  };
  using Parts = std::vector<Part, CacheAligned<Part>>;

  static std::uint64_t share(std::uint64_t count, std::uint64_t i, std::uint64_t parts) noexcept {
    return count / parts * i + std::min(i, count % parts);
  }
  static std::uint64_t left_of(const Part& part) noexcept {
    return part.end - std::min(part.end, part.next.load(std::memory_order_relaxed));
  }
  bool take_in_order(BlockRange& range) noexcept {
    if (left_of(one_) == 0) return false;
    range.first = one_.next.fetch_add(most_, std::memory_order_relaxed);
    range.last = std::min(range.first + most_, total_);
    return range.first < total_;
  }
  bool take_from(Part& part, std::uint64_t least, std::uint64_t most, BlockRange& range) const noexcept {
    range.first = part.next.load(std::memory_order_relaxed);
    do {
      if (range.first >= part.end) return false;
      const std::uint64_t left = part.end - range.first;
      range.last = 2 * left <= 3 * least ? part.end : range.first + std::max(least, std::min(left / 2, most));
    } while (!part.next.compare_exchange_weak(range.first, range.last, std::memory_order_relaxed));
    if (backwards_) range = {part.first + part.end - range.last, part.first + part.end - range.first};
    return true;
  }

  Part one_;
  const std::uint64_t total_;
  std::uint64_t most_ = 1, least_ = 1, least_own_ = 1, most_own_ = any_number, grain_ = 0;
  bool backwards_ = false;
  Parts parts_;
};

}  // namespace lanza::executor
