// Helpers: tasks of oneTBB, which owns the threads, wakes them and puts them to sleep. A task that has helped does not
// end at once: it waits in its seat for the next call (call_board.hpp), first in a spin, then giving way to whoever
// wants the core, and ends when none comes. So an idle process burns nothing, and other users of oneTBB get its threads
// after `awake_time`.
#include "backend/cpu/helpers.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <memory>

#include "backend/cpu/call_board.hpp"
#include "backend/cpu/spin.hpp"

namespace lanza::executor {
namespace {

using Clock = std::chrono::steady_clock;

// As long as waking a thread may take: who waits in vain loses no more than that once.
constexpr auto awake_time = std::chrono::microseconds(100);
constexpr auto spin_time = std::chrono::microseconds(20);
constexpr auto give_way_pause = std::chrono::milliseconds(2);
constexpr unsigned few_seats = 2;

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
  unsigned ask(HelpRequest request, unsigned most) noexcept {
    request.core = current_core();
    unsigned asked = 0;
    for (CallBoard& board : boards_) {
      if (asked == most) break;
      request.number = asked;
      asked += board.call(request, most - asked);
    }
    return asked;
  }

  unsigned take_back(const void* context) noexcept {
    unsigned count = 0;
    for (CallBoard& board : boards_) count += board.take_back(context, current_core());
    return count;
  }

  void release(const void* context) noexcept {
    for (CallBoard& board : boards_) board.release(context);
  }

  unsigned waiting() const noexcept {
    unsigned count = 0;
    for (const CallBoard& board : boards_) count += board.count_waiting();
    return count;
  }

  // Where the calling thread runs, if helpers are to keep away from there.
  int current_core() const noexcept { return seats_ > few_seats ? -1 : sched_getcpu(); }

  // To a core where no other helper was. The system wakes a helper where its asker runs when both cores were busy a
  // moment ago, and may leave it there for long, with another core idle. Only of two: among more the system finds one
  // before a thread has moved itself (a launch of 256 Ki elements: 20 us with it on 8 and on 16 cores, 8 without).
  void leave_core(int core, unsigned slot) const noexcept {
    cpu_set_t allowed;
    if (seats_ > few_seats || core < 0 || sched_getcpu() != core || sched_getaffinity(0, sizeof allowed, &allowed) != 0)
      return;
    cpu_set_t others = allowed;
    CPU_CLR(static_cast<unsigned>(core), &others);
    for (unsigned i = 0; i < few_seats; ++i) {
      const int taken = cores_[i].load(std::memory_order_relaxed);
      if (i != slot && taken >= 0) CPU_CLR(static_cast<unsigned>(taken), &others);
    }
    if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others) != 0) return;
    sched_setaffinity(0, sizeof allowed, &allowed);
  }

  void serve(unsigned slot) {
    if (!workers_have_cores() || slot >= seats_) return;
    CallBoard& board = boards_[slot / CallBoard::most_seats];
    const unsigned seat = slot % CallBoard::most_seats;
    HelpRequest request;
    board.arrive(seat);
    for (;;) {
      while (!await(board, slot, request))
        if (board.leave(seat)) return;
      leave_core(request.core, slot);
      request.help(request.context, request.numbered ? request.number : slot);
      if (!request.numbered) board.release_seat(seat);
    }
  }

 private:
  Seats() {
    for (unsigned first = 0; first < seats_; first += CallBoard::most_seats)
      boards_.emplace_back(std::min(CallBoard::most_seats, seats_ - first));
    pthread_atfork(nullptr, nullptr, [] {
      is_forked.store(true, std::memory_order_relaxed);
      for (CallBoard& board : get().boards_) board.forget();
      asked_of_pool.store(0, std::memory_order_relaxed);
    });
  }

  // Takes a request. False: there was none for too long, some wait for the thread outside, or the process ends.
  bool await(CallBoard& board, unsigned slot, HelpRequest& request) noexcept {
    const unsigned seat = slot % CallBoard::most_seats;
    leave_core(board.core_to_avoid(seat), slot);
    if (seats_ <= few_seats) cores_[slot].store(sched_getcpu(), std::memory_order_relaxed);
    const auto start = Clock::now();
    for (auto waited = Clock::duration::zero(); waited < awake_time; waited = Clock::now() - start) {
      for (int i = 0; i < 32; ++i) {
        if (board.answer(seat, request)) return true;
        spin_pause();
      }
      if (asked_of_pool.load(std::memory_order_relaxed) > 0 || process_ends()) return false;
      if (waited > spin_time) sched_yield();
    }
    return false;
  }

  const unsigned seats_ = std::max(2u, worker_count());
  std::deque<CallBoard> boards_;
  std::array<std::atomic<int>, few_seats> cores_{-1, -1};  // where few helpers were
};

// What crosses oneTBB. `ready` makes it visible to the other thread (and to ThreadSanitizer).
struct Waking {
  HelpRequest request;
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
  if (which != Helpers::Later && seats.ask({.help = help, .context = context}, 1)) return true;
  if (which == Helpers::Awake) return false;
  auto waking = std::make_unique<Waking>();
  waking->request = {.help = help, .context = context, .core = seats.current_core()};
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
  return Seats::get().ask({.help = help, .context = context, .numbered = true}, most);
}

unsigned take_back_requests(void* context) noexcept { return Seats::get().take_back(context); }

void release_helpers(const void* context) noexcept { Seats::get().release(context); }

unsigned awake_helpers() noexcept { return worker_count() < 2 ? 0 : Seats::get().waiting(); }

}  // namespace lanza::executor
