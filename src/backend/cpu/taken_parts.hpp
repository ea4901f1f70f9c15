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
  struct alignas(cache_line) Part {
    std::atomic<std::uint64_t> taken{0};  // the launch's number above, how many below
    std::atomic<std::uint64_t> begun{0};  // the number of the launch that its worker has come to
  };
  static constexpr unsigned count_bits = 48;

 public:
  static constexpr std::uint64_t most = (std::uint64_t{1} << count_bits) - 1;

  /// Of one launch, as long as its parts are not begun anew. All that workers need, to be held where they read anyway.
  class Launch {
   public:
    Launch() = default;

    std::uint64_t taken_of(std::size_t part) const noexcept {
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
      } while (!taken.compare_exchange_weak(before, number_ << count_bits | after, std::memory_order_relaxed));
      return true;
    }
    /// The worker of the part has come.
    void note_begun(std::size_t part) noexcept {
      if (!is_begun(part)) parts_[part].begun.store(number_, std::memory_order_relaxed);
    }
    bool is_begun(std::size_t part) const noexcept {
      return parts_[part].begun.load(std::memory_order_relaxed) == number_;
    }

   private:
    friend class TakenParts;
    Launch(Part* parts, std::uint64_t number) : parts_(parts), number_(number) {}
    std::uint64_t count_in(std::uint64_t taken) const noexcept {
      return taken >> count_bits == number_ ? taken & most : 0;
    }

    Part* parts_ = nullptr;
    std::uint64_t number_ = 0;
  };

  /// Throws bad_alloc.
  explicit TakenParts(std::size_t parts) : parts_(parts) {}

  std::size_t size() const noexcept { return parts_.size(); }
  /// Nothing is taken of any part.
  Launch begin() noexcept {
    if (++number_ >> (64 - count_bits)) {
      for (Part& part : parts_) {
        part.taken.store(0, std::memory_order_relaxed);
        part.begun.store(0, std::memory_order_relaxed);
      }
      number_ = 1;
    }
    return {parts_.data(), number_};
  }

 private:
  std::vector<Part, CacheAligned<Part>> parts_;
  std::uint64_t number_ = 0;
};

}  // namespace lanza::executor
