// Who works on a launch: those that are awake, those that have to be woken, and when they have ended.
#include <exception>
#include <memory>
#include <thread>

#include "backend/cpu/grid_run.hpp"
#include "backend/cpu/spin.hpp"
#include "backend/cpu/worker_pool.hpp"

namespace lanza::executor {
namespace {

// Pauses until helpers that have come would have ended, as a rule: half a microsecond.
constexpr int soon = 16;

}  // namespace

// First those that are awake, asked all at once. They count as inside before they come, which keeps the run alive for
// them: each writes what all share only once, as it leaves, for a line that a dozen cores write takes 50 to 100 ns from
// one to the next. Then the others, who have to be woken, each of which asks for two more.
void GridRun::gather(unsigned wanted) {
  const auto serve = [](void* run, unsigned number) { static_cast<GridRun*>(run)->help_inside(1 + number); };
  inside_.fetch_add(wanted, std::memory_order_relaxed);
  helpers_.fetch_add(wanted, std::memory_order_relaxed);
  const unsigned come = request_awake(serve, this, wanted);
  has_called_ = come != 0;
  had_team_ = come == wanted;
  if (come != wanted) {
    inside_.fetch_sub(wanted - come, std::memory_order_relaxed);
    helpers_.fetch_sub(wanted - come, std::memory_order_relaxed);
  }
  if (whom_ == Helpers::Awake || come == wanted) return;
  wanted_.store(static_cast<int>(wanted - come), std::memory_order_relaxed);
  summon();
}

void GridRun::summon() {
  for (int i = 0; i < 2; ++i) {
    if (wanted_.load(std::memory_order_relaxed) <= 0 || wanted_.fetch_sub(1, std::memory_order_relaxed) <= 0) return;
    if (tickets_.left() == 0 && !meeting_) return;
    if (!ask_for_helper(whom_)) return;
  }
}

// A new round of a grid that meets: those of the team who have left for want of work, for rounds took long.
void GridRun::call_team() noexcept {
  const std::uint32_t inside = inside_.load(std::memory_order_relaxed);
  const int missing = static_cast<int>(team_ - 1 - inside) - on_their_way_.load(std::memory_order_relaxed);
  if ((inside & closed) || missing <= 0) return;
  wanted_.store(missing, std::memory_order_relaxed);
  summon();
}

bool GridRun::ask_for_helper(Helpers whom) noexcept {
  try {
    auto run = std::make_unique<std::shared_ptr<GridRun>>(shared_from_this());
    const auto serve = [](void* context, unsigned slot) {
      const std::unique_ptr<std::shared_ptr<GridRun>> mine(static_cast<std::shared_ptr<GridRun>*>(context));
      (*mine)->help(1 + slot % (worker_count() - 1));
    };
    if (!request_helper(serve, run.get(), whom)) return false;
    on_their_way_.fetch_add(1, std::memory_order_relaxed);
    [[maybe_unused]] auto* theirs = run.release();
    return true;
  } catch (const std::exception&) {
    return false;  // no memory, no thread: the leader does it alone
  }
}

void GridRun::help(unsigned worker) noexcept {
  on_their_way_.fetch_sub(1, std::memory_order_relaxed);
  if (inside_.fetch_add(1, std::memory_order_acq_rel) & closed) return;  // it has ended: nobody counts any more
  helpers_.fetch_add(1, std::memory_order_relaxed);
  summon();
  help_inside(worker);
}

// What it reads of the run has just been written on another core: it asks for all lines at once.
void GridRun::help_inside(unsigned worker) noexcept {
  const auto* const end = reinterpret_cast<const std::byte*>(&inside_);
  for (const auto* at = reinterpret_cast<const std::byte*>(&launch_); at < end; at += cache_line)
    __builtin_prefetch(at);
  __builtin_prefetch(&waiting_count_);
  __builtin_prefetch(arguments_);
  {
    const WorkOn on_this(*this, WorkOn::For::Stream);
    if (work(never, worker) == Stop::Retire) ask_for_helper(Helpers::Later);  // comes back when others had their turn
  }
  auto* const inside = &inside_;
  inside->fetch_sub(1, std::memory_order_acq_rel);
  inside->notify_all();  // needs no more than the address: the run may be gone
}

// Helpers that were asked and have not come: their cores are busy, and nothing is left for them to do. True: there were
// such.
bool GridRun::dismiss() noexcept {
  const unsigned absent = take_back_requests(this);
  if (absent == 0) return false;
  inside_.fetch_sub(absent, std::memory_order_relaxed);
  helpers_.fetch_sub(absent, std::memory_order_relaxed);
  return true;
}

// Waits until the number of helpers has changed: briefly in a spin, as their last blocks end soon. False: `limit` has
// passed.
bool GridRun::await_helpers(std::uint32_t inside, Clock::time_point limit) noexcept {
  for (int i = 0; i < 1000; ++i) {
    if (inside_.load(std::memory_order_acquire) != inside) return true;
    if (i == soon && dismiss()) return true;
    spin_pause();
  }
  if (limit != never) {
    std::this_thread::yield();
    return Clock::now() < limit;
  }
  if (waits()) {
    std::this_thread::sleep_for(std::chrono::microseconds(20));  // a helper may put blocks aside that we can run
  } else {
    inside_.wait(inside, std::memory_order_acquire);
  }
  return true;
}

}  // namespace lanza::executor
