// Helpers: tasks of oneTBB, which owns the threads, wakes them and puts them to sleep. A task that has helped does not
// end at once: it waits in its seat for the next request, first in a spin, then giving way to whoever wants the core,
// and ends when none comes. So an idle process burns nothing, and other users of oneTBB get its threads after
// `awake_time`.
//
// A bit for each seat says that a helper waits there. Who clears it may put one request into the seat; a helper that
// wants to leave clears its own, or else takes the request that is on its way. Who takes a request back, before the
// helper has taken it, sets the bit again.
#include "backend/cpu/helpers.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "backend/cpu/cache_aligned.hpp"
#include "backend/cpu/spin.hpp"

namespace lanza::executor {
namespace {

using Clock = std::chrono::steady_clock;

// As long as waking a thread may take: who waits in vain loses no more than that once.
constexpr auto awake_time = std::chrono::microseconds(100);
constexpr auto spin_time = std::chrono::microseconds(20);
constexpr auto give_way_pause = std::chrono::milliseconds(2);
constexpr std::size_t few_seats = 2;

struct Request {
  PoolWork help = nullptr;
  void* context = nullptr;
  bool numbered = false;  // else the helper has the number of its slot
  unsigned number = 0;
  int core = sched_getcpu();  // where the asker runs
};

// Requests that wait for a thread of the pool: nobody sits and waits while there are any.
std::atomic<int> asked_of_pool{0};
// Since when, and not before when an asker gives way to them again.
std::atomic<Clock::rep> asked_since{0}, give_way_from{0};
// The child of a fork has none of the pool's threads, and must not ask oneTBB for them: one of them may have held a
// lock of its own when the process was copied.
std::atomic<bool> is_forked{false};

class Seats {
 public:
  static Seats& get() {
    static Seats& made = *new Seats;  // never destroyed: threads may sit here while the process ends
    return made;
  }

  // How many were asked.
  unsigned ask(Request request, unsigned most) noexcept {
    unsigned asked = 0;
    for (std::size_t w = 0; w < waiting_.size() && asked < most; ++w) {
      for (std::uint64_t taken = take(waiting_[w], most - asked); taken; taken &= taken - 1) {
        Seat& seat = seats_[64 * w + static_cast<std::size_t>(std::countr_zero(taken))];
        request.number = asked++;
        seat.request = request;
        seat.asked_by.store(request.context ? request.context : &seat, std::memory_order_release);
      }
    }
    return asked;
  }

  // How many requests with that context, which is not null, nobody has taken yet: they are no more.
  unsigned take_back(void* context) noexcept {
    unsigned count = 0;
    const int core = sched_getcpu();
    for (std::size_t slot = 0; slot < seats_.size(); ++slot) {
      std::atomic<void*>& asked_by = seats_[slot].asked_by;
      void* expected = context;
      if (asked_by.load(std::memory_order_relaxed) != context) continue;
      // Another thread may have asked with the same context: what it wrote comes before the next request.
      if (!asked_by.compare_exchange_strong(expected, nullptr, std::memory_order_acquire)) continue;
      seats_[slot].avoid.store(core, std::memory_order_relaxed);
      waiting_[slot / 64].fetch_or(std::uint64_t{1} << slot % 64, std::memory_order_release);
      ++count;
    }
    return count;
  }

  unsigned waiting() const noexcept {
    int count = 0;
    for (const auto& word : waiting_) count += std::popcount(word.load(std::memory_order_relaxed));
    return static_cast<unsigned>(count);
  }

  // To a core where no other helper was. The system wakes a helper where its asker runs when both cores were busy a
  // moment ago, and may leave it there for long, with another core idle. Only of two: among more the system finds one
  // before a thread has moved itself (a launch of 256 Ki elements: 20 us with it on 8 and on 16 cores, 8 without).
  void leave_core(int core, unsigned slot) const noexcept {
    cpu_set_t allowed;
    if (seats_.size() > few_seats || core < 0 || sched_getcpu() != core ||
        sched_getaffinity(0, sizeof allowed, &allowed) != 0)
      return;
    cpu_set_t others = allowed;
    CPU_CLR(static_cast<unsigned>(core), &others);
    for (std::size_t i = 0; i < seats_.size(); ++i) {
      const int taken = seats_[i].core.load(std::memory_order_relaxed);
      if (i != slot && taken >= 0) CPU_CLR(static_cast<unsigned>(taken), &others);
    }
    if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others) != 0) return;
    sched_setaffinity(0, sizeof allowed, &allowed);
  }

  void serve(unsigned slot) {
    if (!workers_have_cores() || slot >= seats_.size()) return;
    Seat& seat = seats_[slot];
    std::atomic<std::uint64_t>& word = waiting_[slot / 64];
    const std::uint64_t bit = std::uint64_t{1} << slot % 64;
    for (;;) {
      word.fetch_or(bit, std::memory_order_release);
      while (!await(seat)) {
        if (word.fetch_and(~bit, std::memory_order_relaxed) & bit) return;
      }
      const Request request = seat.request;
      leave_core(request.core, slot);
      request.help(request.context, request.numbered ? request.number : slot);
    }
  }

 private:
  struct alignas(64) Seat {
    std::atomic<void*> asked_by{nullptr};  // not null: there is a request that nobody has taken yet, with that context
    Request request;
    std::atomic<int> core{-1};   // where the helper was
    std::atomic<int> avoid{-1};  // where somebody was who took a request back
  };

  Seats() : seats_(std::max(2u, worker_count())), waiting_((seats_.size() + 63) / 64) {
    pthread_atfork(nullptr, nullptr, [] {
      is_forked.store(true, std::memory_order_relaxed);
      for (auto& word : get().waiting_) word.store(0, std::memory_order_relaxed);
      asked_of_pool.store(0, std::memory_order_relaxed);
    });
  }

  // Up to `most` of those that wait, whose bits are then clear. The lowest first: the same helpers as last time, whose
  // caches know the data.
  static std::uint64_t take(std::atomic<std::uint64_t>& waiting, unsigned most) noexcept {
    std::uint64_t bits = waiting.load(std::memory_order_relaxed), left;
    do {
      left = bits;
      for (unsigned i = 0; i < most && left; ++i) left &= left - 1;
    } while (bits && !waiting.compare_exchange_weak(bits, left, std::memory_order_acquire, std::memory_order_relaxed));
    return bits & ~left;
  }

  // Takes a request. False: there was none for too long, some wait for the thread outside, or the process ends.
  bool await(Seat& seat) const noexcept {
    if (const int core = seat.avoid.load(std::memory_order_relaxed); core >= 0) {
      seat.avoid.store(-1, std::memory_order_relaxed);
      leave_core(core, static_cast<unsigned>(&seat - seats_.data()));
    }
    const int core = sched_getcpu();
    if (core != seat.core.load(std::memory_order_relaxed)) seat.core.store(core, std::memory_order_relaxed);
    const auto start = Clock::now();
    for (auto waited = Clock::duration::zero(); waited < awake_time; waited = Clock::now() - start) {
      for (int i = 0; i < 32; ++i) {
        if (seat.asked_by.load(std::memory_order_relaxed) && seat.asked_by.exchange(nullptr, std::memory_order_acquire))
          return true;
        spin_pause();
      }
      if (asked_of_pool.load(std::memory_order_relaxed) > 0 || process_ends()) return false;
      if (waited > spin_time) sched_yield();
    }
    return false;
  }

  std::vector<Seat> seats_;
  std::vector<std::atomic<std::uint64_t>, CacheAligned<std::atomic<std::uint64_t>>> waiting_;
};

// What crosses oneTBB. `ready` makes it visible to the other thread (and to ThreadSanitizer).
struct Waking {
  Request request;
  std::atomic<bool> ready{false};
};

// A thread that should be awake by now may wait for the core of the one that asks: it takes the core, and moves
// (Seats::leave_core).
void note_request() noexcept {
  const auto now = Clock::now().time_since_epoch();
  if (asked_of_pool.fetch_add(1, std::memory_order_relaxed) == 0) {
    asked_since.store(now.count(), std::memory_order_relaxed);
    return;
  }
  if (now - Clock::duration(asked_since.load(std::memory_order_relaxed)) < awake_time) return;
  if (now.count() < give_way_from.load(std::memory_order_relaxed)) return;
  give_way_from.store((now + give_way_pause).count(), std::memory_order_relaxed);
  sched_yield();
}

void wake_up(void* context, unsigned slot) {
  asked_of_pool.fetch_sub(1, std::memory_order_relaxed);
  {
    const std::unique_ptr<Waking> waking(static_cast<Waking*>(context));
    if (waking->ready.load(std::memory_order_acquire)) {
      Seats::get().leave_core(waking->request.core, slot);
      waking->request.help(waking->request.context, slot);
    }
  }
  Seats::get().serve(slot);
}

}  // namespace

bool request_helper(PoolWork help, void* context, Helpers which) {
  if (worker_count() < 2) return false;
  Seats& seats = Seats::get();
  if (is_forked.load(std::memory_order_relaxed)) return false;
  if (which != Helpers::Later && seats.ask({help, context}, 1)) return true;
  if (which == Helpers::Awake) return false;
  auto waking = std::make_unique<Waking>();
  waking->request = {help, context};
  waking->ready.store(true, std::memory_order_release);
  note_request();
  if (!wake_worker(wake_up, waking.get())) {
    asked_of_pool.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  [[maybe_unused]] auto* theirs = waking.release();
  return true;
}

unsigned request_awake(PoolWork help, void* context, unsigned most) noexcept {
  if (worker_count() < 2 || is_forked.load(std::memory_order_relaxed)) return 0;
  return Seats::get().ask({help, context, true}, most);
}

unsigned take_back_requests(void* context) noexcept { return Seats::get().take_back(context); }

unsigned awake_helpers() noexcept { return worker_count() < 2 ? 0 : Seats::get().waiting(); }

}  // namespace lanza::executor
