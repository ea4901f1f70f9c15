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

/// The blocks that nobody has begun. Either one ascending sequence, or a part for each worker: it runs its own part
/// first, the same at every launch, so that its cache may still have the data, and then takes from the others. Each
/// take is a fraction of what is left of a part, so that all end at about the same time.
class BlockTickets {
 public:
  explicit BlockTickets(std::uint64_t total) : total_(total) { one_.end = total; }

  /// Before anybody takes: takes of `most` blocks, in ascending order. Throws nothing.
  void keep_order(std::uint64_t most) noexcept { most_ = std::max<std::uint64_t>(1, most); }
  /// Before anybody takes: parts, the first of which is larger than the others by `head_start` where there are as many.
  /// Throws bad_alloc.
  void split(unsigned parts, std::uint64_t head_start = 0) {
    const std::uint64_t first = one_.next.load(std::memory_order_relaxed), count = total_ - std::min(first, total_);
    const std::uint64_t ahead = std::min(head_start, count), rest = count - ahead;
    parts_ = Parts(parts);
    least_ = std::max<std::uint64_t>(1, count / parts / 16);
    std::uint64_t next = first;
    for (unsigned i = 0; i < parts; ++i) {
      parts_[i].next.store(next, std::memory_order_relaxed);
      parts_[i].end = next = first + ahead + share(rest, i + 1, parts);
    }
    one_.next.store(total_, std::memory_order_relaxed);
  }
  /// Goes on where another, which was not split and which nobody takes from any more, has come to.
  void take_over(const BlockTickets& begun) noexcept {
    one_.next.store(begun.one_.next.load(std::memory_order_relaxed), std::memory_order_relaxed);
  }

  /// False: none is left. `worker`: whose part comes first.
  bool take(unsigned worker, BlockRange& range) noexcept {
    if (parts_.empty()) return take_in_order(range);
    const std::size_t home = worker % parts_.size();
    for (std::size_t i = home; i < parts_.size(); ++i)
      if (take_from(parts_[i], range)) return true;
    for (std::size_t i = 0; i < home; ++i)
      if (take_from(parts_[i], range)) return true;
    return false;
  }
  std::uint64_t left() const noexcept {
    std::uint64_t sum = left_of(one_);
    for (const Part& part : parts_) sum += left_of(part);
    return sum;
  }

 private:
  struct alignas(cache_line) Part {
    std::atomic<std::uint64_t> next{0};
    std::uint64_t end = 0;
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
  bool take_from(Part& part, BlockRange& range) const noexcept {
    range.first = part.next.load(std::memory_order_relaxed);
    do {
      if (range.first >= part.end) return false;
      range.last = std::min(part.end, range.first + std::max(least_, (part.end - range.first) / 2));
    } while (!part.next.compare_exchange_weak(range.first, range.last, std::memory_order_relaxed));
    return true;
  }

  Part one_;
  const std::uint64_t total_;
  std::uint64_t most_ = 1, least_ = 1;
  Parts parts_;
};

}  // namespace lanza::executor
