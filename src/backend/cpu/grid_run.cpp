// One launch while it runs: tickets, and blocks that wait.
#include "backend/cpu/grid_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "backend/cpu/alone.hpp"
#include "backend/cpu/spin.hpp"
#include "backend/cpu/worker_pool.hpp"

namespace lanza::executor {
namespace {

// A helper that met so many blocks in a row that only wait lets other launches have the thread.
constexpr unsigned retire_after = 64;
// As long as two grains take.
constexpr auto patience = std::chrono::microseconds(2);
constexpr unsigned leader = 0;  // among the workers of a grid
constexpr std::uint64_t crowd = 8192;
// That long for the other blocks of a round, the first part of it without letting go of the core.
constexpr std::chrono::microseconds round_patience{1000}, spin_time{20};
// Without memory for another block: that long none came further, because they wait for those that cannot begin.
constexpr std::chrono::seconds memory_patience{5};

std::uint64_t blocks_of(const LanzaLaunch& launch) noexcept {
  return std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
}

}  // namespace

GridRun::GridRun(const LanzaLaunch& launch, const LanzaKernelObject& code, const void* arguments, bool cooperative)
    : launch_(launch),
      code_(code),
      arguments_(arguments),
      total_(blocks_of(launch)),
      cooperative_(cooperative),
      meeting_(cooperative && (code.flags & LANZA_KERNEL_GRID_SYNC) ? std::make_unique<GridBarrier>(total_) : nullptr),
      tickets_(total_) {
  launch_.executor = this;
}

GridRun::~GridRun() {
  leave_others();
  if (has_called_) release_helpers(this);
  while (BlockState* state = waiting_.pop()) BlockState::release(state);
}

std::uint64_t GridRun::threads() const noexcept {
  return total_ * launch_.block[0] * launch_.block[1] * launch_.block[2];
}

bool GridRun::run_here(Clock::time_point limit, std::uint64_t at_a_time, WorkOn::For whom) {
  const WorkOn on_this(*this, whom);
  tickets_.keep_order(at_a_time);
  decide_who_counts(1);
  decide_who_is_beside(1);
  bool ended = true;
  while (work(limit, leader) == Stop::TimeUp) {
    // States of blocks that wait refer to this run: they end here.
    if (!waiting_.empty() || meeting_) continue;
    ended = false;
    break;
  }
  leave_others();
  return ended;
}

bool GridRun::lead(Clock::time_point limit, Helpers helpers) {
  const WorkOn on_this(*this, limit == never ? WorkOn::For::Stream : WorkOn::For::Caller);
  if (!std::exchange(led_, true)) {
    whom_ = helpers;
    if (const unsigned team = hand_out(); team > 1) gather(team - 1);
  }
  for (;;) {
    if (work(limit, leader) == Stop::TimeUp) return false;
    std::uint32_t inside = inside_.load(std::memory_order_acquire);
    if (inside != 0) {
      if (!await_helpers(inside, limit)) return false;
    } else if (!left() && inside_.compare_exchange_strong(inside, closed, std::memory_order_acq_rel)) {
      leave_others();
      return true;
    }
  }
}

// Blocks that may wait for earlier ones begin in ascending order, one at a time (decision D14); so do those whose
// output is kept until that of the earlier ones is there. Those that only meet all others need no order: each worker
// has neighbours. How many threads are to work on them.
unsigned GridRun::hand_out() {
  const std::uint64_t left = tickets_.left();
  const auto team = static_cast<unsigned>(std::min<std::uint64_t>(std::min(worker_count(), most_workers_), left));
  team_ = team;
  if (meeting_) meeting_->has_team_of(team);
  const bool only_meets = meeting_ && !(code_.flags & (LANZA_KERNEL_BLOCKING | LANZA_KERNEL_PRINTS));
  decide_who_is_beside(team);
  if (tries_alone_) {
    tickets_.keep_order(most_alone_);
  } else if (!only_meets && (waits() || cooperative_ || (code_.flags & LANZA_KERNEL_PRINTS))) {
    tickets_.keep_order(waits() ? 1 : left / (8 * std::uint64_t{team}));
  } else {
    shares_.whole |= (code_.flags & LANZA_KERNEL_GRID_STRIDES) && launch_.launched_blocks == 0;
    tickets_.split(team, shares_);
  }
  decide_who_counts(team);
  return team;
}

// To fill and to empty a table takes as long as some thousand atomic additions, for a few kilobytes.
void GridRun::decide_who_counts(unsigned team) noexcept {
  counts_ = code_.counter_bytes != 0 && 2 * threads() >= std::uint64_t{team} * code_.counter_bytes;
}

// Who works alone asks again at each call of the kernel.
void GridRun::decide_who_is_beside(unsigned team) noexcept {
  if (!(code_.flags & LANZA_KERNEL_IN_ORDER)) return;
  tries_alone_ = (code_.flags & LANZA_KERNEL_ALONE) && team == 1 && most_alone_ != 0 && !waits() && !cooperative_;
  if (tries_alone_) return;
  beside::enter();
  is_beside_ = true;
}

void GridRun::leave_others() noexcept {
  if (std::exchange(is_beside_, false)) beside::leave();
}

std::int32_t GridRun::call(BlockState* state) noexcept {
  if (!tries_alone_) return state->call();
  const bool is_alone = alone::try_enter();
  if (!is_alone) {
    was_beside_ = true;
    beside::enter();
  }
  state->block.alone = is_alone;
  const auto status = state->call();
  is_alone ? alone::leave() : beside::leave();
  return status;
}

void GridRun::take_over(GridRun& begun) {
  tickets_.take_over(begun.tickets_);
  output_.take_over(begun.output_);
}

std::optional<std::string> GridRun::failure() {
  if (!stopped()) return std::nullopt;
  std::lock_guard lock(mutex_);
  return failure_;
}

void GridRun::fail(std::string_view what) noexcept {
  std::lock_guard lock(mutex_);
  if (!failure_) {
    try {
      failure_.emplace(what);
    } catch (const std::bad_alloc&) {
      failure_.emplace();
    }
  }
  stop_.store(true, std::memory_order_relaxed);
  if (stand_in_) stand_in_->fail(what);
}

bool GridRun::interrupt() noexcept {
  std::shared_ptr<GridRun> child;
  {
    std::lock_guard lock(mutex_);
    child = stand_in_;
  }
  const bool inside = interrupt_threads(*this);
  return (child && child->interrupt()) || inside;
}

void GridRun::stand_in(std::shared_ptr<GridRun> child) noexcept {
  std::lock_guard lock(mutex_);
  stand_in_.swap(child);
  if (stand_in_ && failure_) stand_in_->fail(*failure_);
}

void GridRun::fail_for_memory(std::uint64_t bytes, unsigned threads) noexcept {
  try {
    fail(fmt::format("out of memory: {} bytes for the {} threads of a block", bytes, threads));
  } catch (const std::exception&) {
    fail("out of memory");
  }
}

// ---- the work of one thread
// ------------------------------------------------------------------------------------------

GridRun::Stop GridRun::work(Clock::time_point limit, unsigned worker) {
  BlockState* state = nullptr;
  const Stop why = work(limit, worker, state);
  if (state) give_back(state);
  return why;
}

GridRun::Stop GridRun::work(Clock::time_point limit, unsigned worker, BlockState*& state) {
  std::uint64_t idle_turns = 0;  // in a row, in which a block only went on waiting
  bool patient = true;
  for (unsigned turn = 0; !stopped(); ++turn) {
    BlockRange range;
    const std::uint64_t round = meeting_ ? meeting_->round() : 0;
    BlockState* waiting = prefer_waiting(turn) ? take_waiting() : nullptr;
    if (!waiting && take(worker, range, patient)) {
      run_range(range, worker, state);
      idle_turns = 0;
    } else {
      if (!waiting && meeting_) waiting = meeting_->take(worker);
      if (!waiting) waiting = take_waiting();
      if (!waiting && meeting_ && await_round(round)) continue;
      if (!waiting) return Stop::NothingLeft;
      idle_turns = run_waiting(waiting, worker) ? 0 : idle_turns + 1;
      rest(idle_turns);
    }
    if (worker != leader && idle_turns >= retire_after) return Stop::Retire;
    if (limit != never && Clock::now() >= limit && left()) return Stop::TimeUp;
  }
  return Stop::NothingLeft;
}

// Others get time to take what little they have left.
bool GridRun::take(unsigned worker, BlockRange& range, bool& patient) noexcept {
  if (tickets_.take(worker, range, patient)) return true;
  if (!patient || tickets_.left() == 0) return false;
  for (const auto end = Clock::now() + patience; Clock::now() < end;) {
    for (int i = 0; i < 4; ++i) spin_pause();
    if (tickets_.left() == 0) return false;
  }
  patient = false;
  return tickets_.take(worker, range);
}

// Once all that wait were tried in vain, they wait for something that another stream or the host does: let it have the
// core, later sleep.
void GridRun::rest(std::uint64_t idle_turns) const noexcept {
  const auto waiting = std::max<std::uint64_t>(1, waiting_count_.load(std::memory_order_relaxed));
  if (idle_turns == 0 || idle_turns % waiting != 0) return;
  if (idle_turns / waiting < 1000) {
    std::this_thread::yield();
  } else {
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

// All blocks that are left wait at the barrier of the grid, or others run them. False: they take long.
bool GridRun::await_round(std::uint64_t round) const noexcept {
  const auto start = Clock::now();
  for (auto waited = Clock::duration::zero(); waited < round_patience; waited = Clock::now() - start) {
    for (int i = 0; i < 32; ++i) {
      if (meeting_->round() != round || waiting_count_.load(std::memory_order_relaxed) != 0) return true;
      spin_pause();
    }
    if (stopped() || meeting_->is_over()) return false;
    if (waited > spin_time) std::this_thread::yield();
  }
  return false;
}

// New blocks first, until as many wait as keep every thread busy; then by turns, so that few states are held.
bool GridRun::prefer_waiting(unsigned turn) const noexcept {
  const auto waiting = waiting_count_.load(std::memory_order_relaxed);
  return waiting != 0 && waiting >= 2 * std::uint64_t{worker_count()} && turn % 2 == 0;
}

// What a worker has counted for itself is added first. The counters of a launch that failed are lost.
void GridRun::give_back(BlockState* state) noexcept {
  if (counts_ && !stopped()) {
    state->block.next = state->block.end;
    if (const auto status = call(state); status != LANZA_DONE) return settle(state, status);
  }
  BlockState::release(state);
}

// For a block that begins. Of a crowd as no GPU has at a time all are asked first: each has a stack, of which the
// system gives some 30000.
BlockState* GridRun::acquire(unsigned worker) {
  ask_crowd(worker);
  BlockState* state = try_acquire();
  return state ? state : acquire_later(worker);
}

// Null: there is no memory for it now.
BlockState* GridRun::try_acquire() noexcept {
  try {
    return BlockState::acquire(*this);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

// Once the system gives no more, those that have begun go on, here or on other workers, until one has ended.
BlockState* GridRun::acquire_later(unsigned worker) {
  struct Starving {
    explicit Starving(std::atomic<unsigned>& all) : all_(all) { all_.fetch_add(1); }
    ~Starving() { all_.fetch_sub(1); }
    std::atomic<unsigned>& all_;
  } const starving(starving_);
  std::uint64_t seen = progress();
  for (auto since = Clock::now(); !stopped() && Clock::now() - since <= memory_patience;) {
    if (BlockState* waiting = take_waiting()) {
      run_waiting(waiting, worker);
    } else if (starving_.load() > (inside_.load(std::memory_order_relaxed) & ~closed) &&
               !(meeting_ && meeting_->any())) {
      break;  // none of the workers has a block
    } else {
      std::this_thread::yield();
    }
    if (BlockState* state = try_acquire()) return state;
    if (const std::uint64_t now = progress(); std::exchange(seen, now) != now) since = Clock::now();
  }
  throw std::bad_alloc();
}

// Changes with every block that begins, or comes further than another yield.
std::uint64_t GridRun::progress() const noexcept {
  return came_further_.load(std::memory_order_relaxed) - tickets_.left();
}

void GridRun::ask_crowd(unsigned worker) noexcept {
  const auto all = waiting_count_.load(std::memory_order_relaxed);
  if (all < crowd) return;
  for (std::uint64_t asked = 0; asked < all && !stopped(); ++asked) {
    BlockState* waiting = take_waiting();
    if (!waiting) return;
    run_waiting(waiting, worker);
  }
}

// The state is kept for the next range.
void GridRun::run_range(BlockRange range, unsigned worker, BlockState*& state) {
  const bool many = (code_.flags & LANZA_KERNEL_RANGES) && !cooperative_;
  try {
    while (range.first < range.last && !stopped()) {
      if (!state) state = acquire(worker);
      state->worker = worker;
      state->block.next = range.first;
      state->block.end = range.first = many ? range.last : range.first + 1;
      const auto status = call(state);
      if (status != LANZA_DONE) {
        settle(std::exchange(state, nullptr), status);
      } else {
        state->flush_print();
        block_ended();
      }
    }
  } catch (const std::bad_alloc&) {
    const std::uint64_t stack = code_.flags & LANZA_KERNEL_OWN_STACK ? OwnStack::bytes : 0;
    fail_for_memory(code_.shared_bytes + launch_.dynamic_shared + code_.context_bytes + stack,
                    launch_.block[0] * launch_.block[1] * launch_.block[2]);
  }
}

// True: the block has come further than another yield.
bool GridRun::run_waiting(BlockState* state, unsigned worker) noexcept {
  state->worker = worker;
  const auto status = state->call();
  settle(state, status);
  return status != LANZA_YIELDED;
}

// A block has come to a cut or to its end.
void GridRun::settle(BlockState* state, std::int32_t status) noexcept {
  if (status == LANZA_GRID_BARRIER && !meeting_) {
    fail("waits at a barrier of the grid, which only a cooperative launch has (cooperative = true)");
    status = LANZA_FAILED;
  }
  if (status == LANZA_YIELDED) {
    std::lock_guard lock(mutex_);
    waiting_.push(state);
    waiting_count_.store(waiting_.size(), std::memory_order_relaxed);
    return;
  }
  came_further_.fetch_add(1, std::memory_order_relaxed);
  if (status == LANZA_GRID_BARRIER) {
    if (meeting_->arrive(state, state->worker)) call_team();
    return;
  }
  if (status != LANZA_DONE) fail("failed");  // says nothing if the reason is known
  try {
    state->flush_print();
  } catch (const std::bad_alloc&) {
    fail("out of memory for the output of printf");
  }
  BlockState::release(state);
  block_ended();
}

// Blocks that have ended are waited for no more.
void GridRun::block_ended() noexcept {
  if (meeting_ && meeting_->leave()) call_team();
}

BlockState* GridRun::take_waiting() noexcept {
  if (waiting_count_.load(std::memory_order_relaxed) == 0) return nullptr;
  std::lock_guard lock(mutex_);
  BlockState* state = waiting_.pop();
  waiting_count_.store(waiting_.size(), std::memory_order_relaxed);
  return state;
}

bool GridRun::left() const noexcept {
  return !stopped() &&
         (tickets_.any() || waiting_count_.load(std::memory_order_relaxed) != 0 || (meeting_ && meeting_->any()));
}

}  // namespace lanza::executor
