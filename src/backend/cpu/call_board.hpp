// Calls helpers that wait, any number of them at once.
#pragma once

#include <sched.h>

#include <array>
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
/// it together, where a line for each takes 100 ns from one to the next. A helper says in a line of its own which call
/// it has settled; nobody reads it as long as all come. Who waits the callers know: those who are here and were not
/// called, or were released after that. Whom a call calls has answered it, or was taken back, before the board carries
/// the next one. Thread-safe.
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
      set(busy_, whom);
      for_each(whom, [&](unsigned seat) { busy_for_[seat] = request.context; });
      request_ = request;
      called_.store(next_after(last) | whom, std::memory_order_release);
    }
    return static_cast<unsigned>(std::popcount(whom));
  }

  /// Those called with that context who have not answered will not: how many. To each is said that one who took it back
  /// runs on `core`.
  unsigned take_back(const void* context, int core) noexcept {
    const Hold hold(*this);
    std::uint32_t absent = 0;
    const std::uint64_t call = called_.load(std::memory_order_relaxed);
    for_each(request_.context == context ? whom_of(call) : 0, [&](unsigned seat) {
      if (!settle(seats_[seat], call, read_of(call))) return;
      seats_[seat].avoid.store(core, std::memory_order_relaxed);
      absent |= bit_of(seat);
    });
    clear(busy_, absent);
    return static_cast<unsigned>(std::popcount(absent));
  }

  /// Others may call them: those called with that context, all of whom have answered or were taken back,
  void release(const void* context) noexcept {
    const Hold hold(*this);
    std::uint32_t released = 0;
    for_each(busy_.load(std::memory_order_relaxed), [&](unsigned seat) {
      if (busy_for_[seat] == context) released |= bit_of(seat);
    });
    clear(busy_, released);
  }
  /// or the helper of a seat, who has answered.
  void release_seat(unsigned seat) noexcept {
    const Hold hold(*this);
    clear(busy_, bit_of(seat));
  }

  /// The helper of a seat comes, to wait for calls and answer them.
  void arrive(unsigned seat) noexcept {
    const Hold hold(*this);
    set(here_, bit_of(seat));
  }
  /// It goes. False: it does not, for it has been called.
  bool leave(unsigned seat) noexcept {
    const Hold hold(*this);
    if (is_called(seat, called_.load(std::memory_order_relaxed))) return false;
    clear(here_, bit_of(seat));
    return true;
  }
  /// False: it was not called.
  bool answer(unsigned seat, HelpRequest& request) noexcept {
    const std::uint64_t call = called_.load(std::memory_order_acquire);
    if (!is_called(seat, call) || !settle(seats_[seat], call, answered_of(call))) return false;
    request = request_;
    request.number += static_cast<unsigned>(std::popcount(whom_of(call) & (bit_of(seat) - 1)));
    seats_[seat].settled.store(read_of(call), std::memory_order_release);
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
    here_.store(0, std::memory_order_relaxed);
    is_held_.store(false, std::memory_order_relaxed);
  }

 private:
  struct alignas(cache_line) Seat {
    // Twice the number of the last call to it that is settled; one more when it has read what is asked, or will not.
    std::atomic<std::uint64_t> settled{1};
    std::atomic<int> avoid{-1};
  };

  // Those who call, come or go are one at a time, for a moment.
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

  // By who holds the board; others may read.
  static void set(std::atomic<std::uint32_t>& seats, std::uint32_t bits) noexcept {
    seats.store(seats.load(std::memory_order_relaxed) | bits, std::memory_order_relaxed);
  }
  static void clear(std::atomic<std::uint32_t>& seats, std::uint32_t bits) noexcept {
    seats.store(seats.load(std::memory_order_relaxed) & ~bits, std::memory_order_relaxed);
  }
  static std::uint32_t bit_of(unsigned seat) noexcept { return std::uint32_t{1} << seat; }
  template <class F>
  static void for_each(std::uint32_t seats, F f) noexcept {
    for (; seats; seats &= seats - 1) f(static_cast<unsigned>(std::countr_zero(seats)));
  }
  static std::uint32_t first_of(std::uint32_t seats, unsigned most) noexcept {
    std::uint32_t others = seats;
    for (unsigned i = 0; i < most && others; ++i) others &= others - 1;
    return seats & ~others;
  }

  std::uint32_t waiting() const noexcept {
    return here_.load(std::memory_order_relaxed) & ~busy_.load(std::memory_order_relaxed);
  }
  bool is_called(unsigned seat, std::uint64_t call) const noexcept {
    return (whom_of(call) & bit_of(seat)) && seats_[seat].settled.load(std::memory_order_relaxed) < answered_of(call);
  }
  // False: it was already, or another of later was: then the board has changed since the call was read.
  static bool settle(Seat& seat, std::uint64_t call, std::uint64_t how) noexcept {
    std::uint64_t before = seat.settled.load(std::memory_order_relaxed);
    return before < answered_of(call) && seat.settled.compare_exchange_strong(before, how, std::memory_order_acq_rel);
  }
  // Those who were released need not be looked at.
  bool is_settled(std::uint64_t call) const noexcept {
    bool settled = true;
    for_each(whom_of(call) & busy_.load(std::memory_order_relaxed),
             [&](unsigned seat) { settled &= seats_[seat].settled.load(std::memory_order_acquire) == read_of(call); });
    return settled;
  }

  alignas(cache_line) std::atomic<std::uint64_t> called_{0};
  HelpRequest request_;
  // Changed by who holds the board.
  alignas(cache_line) std::atomic<bool> is_held_{false};
  std::atomic<std::uint32_t> here_{0}, busy_{0};
  std::array<const void*, most_seats> busy_for_{};
  std::vector<Seat, CacheAligned<Seat>> seats_;
};

}  // namespace lanza::executor
