// Calls helpers that wait, any number of them at once.
#pragma once

#include <sched.h>

#include <atomic>
#include <bit>
#include <cstdint>
#include <vector>

#include "backend/cpu/cache_aligned.hpp"
#include "backend/cpu/spin.hpp"
#include "backend/cpu/worker_pool.hpp"

namespace lanza::executor {

struct HelpRequest {
  PoolWork help = nullptr;
  void* context = nullptr;
  bool numbered = false;  ///< else the helper has the number of its slot
  unsigned number = 0;    ///< of the first of those that are called at once
  int core = -1;          ///< where the caller runs, if that matters
};

/// All helpers of a board look at one word, which calls those whose bits are set: the caller writes once and they read
/// it together, where a line for each takes 100 ns from one to the next. What a helper says stands in a line of its
/// own: that it waits, and which call it has settled. Whom a call calls has answered it, or was taken back, before the
/// board carries the next one. Thread-safe.
class CallBoard {
 public:
  static constexpr unsigned most_seats = 16;

  explicit CallBoard(unsigned seats) : seats_(seats) {}

  /// Calls up to `most` of those that wait: how many. The lowest first: the same as last time, whose caches know the
  /// data. Each answers, unless it is taken back.
  unsigned call(const HelpRequest& request, unsigned most) noexcept {
    const Hold hold(*this);
    const std::uint64_t last = called_.load(std::memory_order_relaxed);
    const std::uint32_t whom = is_settled(last) ? first_of(waiting(), most) : 0;
    if (whom) {
      request_ = request;
      called_.store(next_after(last) | whom, std::memory_order_release);
    }
    return static_cast<unsigned>(std::popcount(whom));
  }

  /// Those called with that context who have not answered will not: how many. To each is said that one who took it back
  /// runs on `core`.
  unsigned take_back(const void* context, int core) noexcept {
    const Hold hold(*this);
    unsigned count = 0;
    const std::uint64_t call = called_.load(std::memory_order_relaxed);
    for (std::uint32_t left = request_.context == context ? whom_of(call) : 0; left; left &= left - 1) {
      if (!settle(seat_of(left), call, read_of(call))) continue;
      seat_of(left).avoid.store(core, std::memory_order_relaxed);
      ++count;
    }
    return count;
  }

  /// The helper of a seat waits from now on, until it has an answer to give.
  void sit_down(unsigned seat) noexcept { seats_[seat].waits.store(true, std::memory_order_release); }
  /// It does not wait any more. True: somebody has called it before.
  bool get_up(unsigned seat, HelpRequest& request) noexcept {
    {
      const Hold hold(*this);
      seats_[seat].waits.store(false, std::memory_order_relaxed);
    }
    return answer(seat, request);
  }
  /// False: it was not called. True: it does not wait any more, and is to do what was asked.
  bool answer(unsigned index, HelpRequest& request) noexcept {
    const std::uint64_t call = called_.load(std::memory_order_acquire);
    const std::uint32_t me = std::uint32_t{1} << index;
    Seat& seat = seats_[index];
    if (!(whom_of(call) & me) || !settle(seat, call, answered_of(call))) return false;
    request = request_;
    request.number += static_cast<unsigned>(std::popcount(whom_of(call) & (me - 1)));
    seat.waits.store(false, std::memory_order_relaxed);
    seat.settled.store(read_of(call), std::memory_order_release);
    return true;
  }
  /// Where somebody was who took it back since the last time, or -1.
  int core_to_avoid(unsigned seat) noexcept {
    std::atomic<int>& avoid = seats_[seat].avoid;
    return avoid.load(std::memory_order_relaxed) < 0 ? -1 : avoid.exchange(-1, std::memory_order_relaxed);
  }

  unsigned count_waiting() const noexcept { return static_cast<unsigned>(std::popcount(waiting())); }

  /// In the child of a fork, which has none of the helpers.
  void forget() noexcept {
    for (Seat& seat : seats_) seat.waits.store(false, std::memory_order_relaxed);
    is_held_.store(false, std::memory_order_relaxed);
  }

 private:
  struct alignas(cache_line) Seat {
    std::atomic<bool> waits{false};
    // Twice the number of the last call to it that is settled; one more when it has read what is asked, or will not.
    std::atomic<std::uint64_t> settled{1};
    std::atomic<int> avoid{-1};
  };

  // Those who call, take back or leave are one at a time, for a moment.
  class Hold {
   public:
    explicit Hold(CallBoard& board) noexcept : held_(board.is_held_) {
      for (unsigned turn = 1; held_.exchange(true, std::memory_order_acquire); ++turn)
        turn % 64 ? spin_pause() : static_cast<void>(sched_yield());
    }
    ~Hold() { held_.store(false, std::memory_order_release); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    std::atomic<bool>& held_;
  };

  // A call: its number, and below it a bit for each seat. (A million calls a second have numbers for eight years.)
  static std::uint32_t whom_of(std::uint64_t call) noexcept { return call & ((1u << most_seats) - 1); }
  static std::uint64_t number_of(std::uint64_t call) noexcept { return call >> most_seats; }
  static std::uint64_t answered_of(std::uint64_t call) noexcept { return 2 * number_of(call); }
  static std::uint64_t read_of(std::uint64_t call) noexcept { return 2 * number_of(call) + 1; }
  static std::uint64_t next_after(std::uint64_t call) noexcept { return (number_of(call) + 1) << most_seats; }
  static std::uint32_t first_of(std::uint32_t seats, unsigned most) noexcept {
    std::uint32_t others = seats;
    for (unsigned i = 0; i < most && others; ++i) others &= others - 1;
    return seats & ~others;
  }

  Seat& seat_of(std::uint32_t seats) noexcept { return seats_[static_cast<std::size_t>(std::countr_zero(seats))]; }
  // False: it was already, or another of later was: then the board has changed since the call was read.
  static bool settle(Seat& seat, std::uint64_t call, std::uint64_t how) noexcept {
    std::uint64_t before = seat.settled.load(std::memory_order_relaxed);
    return before < answered_of(call) && seat.settled.compare_exchange_strong(before, how, std::memory_order_acq_rel);
  }
  bool is_settled(std::uint64_t call) noexcept {
    for (std::uint32_t left = whom_of(call); left; left &= left - 1)
      if (seat_of(left).settled.load(std::memory_order_acquire) != read_of(call)) return false;
    return true;
  }
  std::uint32_t waiting() const noexcept {
    std::uint32_t seats = 0;
    for (std::size_t i = 0; i < seats_.size(); ++i)
      seats |= std::uint32_t{seats_[i].waits.load(std::memory_order_relaxed)} << i;
    return seats;
  }

  alignas(cache_line) std::atomic<std::uint64_t> called_{0};
  HelpRequest request_;
  alignas(cache_line) std::atomic<bool> is_held_{false};
  std::vector<Seat, CacheAligned<Seat>> seats_;
};

}  // namespace lanza::executor
