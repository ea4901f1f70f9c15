// How far the workers of a grid have come, each with its own part.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "backend/cpu/cache_aligned.hpp"

namespace lanza::executor {

/// What is taken of each worker's part, a line for each, which stays in that worker's cache from launch to launch:
/// nobody clears it, a new launch has a new number, and what bears an older one counts as nothing.
class TakenParts {
 public:
  static constexpr unsigned count_bits = 48;
  static constexpr std::uint64_t most = (std::uint64_t{1} << count_bits) - 1;

  /// Of no launch. Throws bad_alloc.
  explicit TakenParts(std::size_t parts) : parts_(parts) {}

  std::size_t size() const noexcept { return parts_.size(); }
  /// Nothing is taken of any part.
  void begin() noexcept {
    if (++launch_ < std::uint64_t{1} << (64 - count_bits)) return;
    for (Part& part : parts_) {
      part.taken.store(0, std::memory_order_relaxed);
      part.begun.store(0, std::memory_order_relaxed);
    }
    launch_ = 1;
  }
  std::uint64_t of(std::size_t part) const noexcept {
    return count_in(parts_[part].taken.load(std::memory_order_relaxed));
  }
  /// `choose` says from how many that are taken up to how many are; no more: none is left. False: so it said.
  template <class Choose>
  bool take(std::size_t part, Choose choose) noexcept {
    std::atomic<std::uint64_t>& taken = parts_[part].taken;
    std::uint64_t before = taken.load(std::memory_order_relaxed);
    std::uint64_t after;
    do {
      const std::uint64_t count = count_in(before);
      after = choose(count);
      if (after <= count) return false;
    } while (!taken.compare_exchange_weak(before, launch_ << count_bits | after, std::memory_order_relaxed));
    return true;
  }
  /// The worker of the part has come.
  void note_begun(std::size_t part) noexcept {
    if (!is_begun(part)) parts_[part].begun.store(launch_, std::memory_order_relaxed);
  }
  bool is_begun(std::size_t part) const noexcept {
    return parts_[part].begun.load(std::memory_order_relaxed) == launch_;
  }

 private:
  struct alignas(cache_line) Part {
    std::atomic<std::uint64_t> taken{0};  // the launch's number above, how many below
    std::atomic<std::uint64_t> begun{0};
  };
  std::uint64_t count_in(std::uint64_t taken) const noexcept {
    return taken >> count_bits == launch_ ? taken & most : 0;
  }

  std::vector<Part, CacheAligned<Part>> parts_;
  std::uint64_t launch_ = 0;
};

}  // namespace lanza::executor
