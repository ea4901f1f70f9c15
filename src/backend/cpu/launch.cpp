// Where a launch runs, decided by what the kernel took so far.
//
// - On the calling thread alone: a short kernel in an idle stream. Waking another thread would cost more; helpers that
//   are awake are worth it sooner.
// - On the calling thread with helpers: one of medium length, when the caller waits anyway or is not kept for long.
// - In the stream's queue: everything else. Its thread does it with helpers, or who waits for it, whichever comes
//   first; longer work its thread alone; the first launch too, so that who waits can still be interrupted.
// A kernel that takes much longer than it ever did moves to the stream's thread with the blocks that are left. One with
// loops that nobody can count is known only as that launch, with its grid and its scalar arguments: others may take any
// time.
#include "backend/cpu/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <new>
#include <optional>

#include "backend/cpu/cache_aligned.hpp"
#include "backend/cpu/child_launch.hpp"
#include "backend/cpu/fault_handler.hpp"
#include "backend/cpu/grid_run.hpp"
#include "backend/cpu/helpers.hpp"
#include "backend/cpu/services.hpp"
#include "backend/cpu/stream.hpp"
#include "backend/cpu/watchdog.hpp"
#include "backend/cpu/worker_pool.hpp"
#include "support/cpu.hpp"
#include "support/hash.hpp"

namespace lanza::executor {
namespace {

// Estimates, in nanoseconds of one core, up to which a launch is not worth
constexpr double shared_ns = 3e3;                          // helpers that are awake,
constexpr double woken_ns = 10e3, woken_waited_ns = 20e3;  // waking helpers or the stream's thread.
// How long the caller may be kept that way: it might have something else to do, or waits. With a single worker handing
// over shares no work and costs 5 to 16 us (saxpy of 256 Ki to 1 Mi elements).
constexpr double kept_ns = 50e3, kept_alone_ns = 200e3, kept_waited_ns = 5e6;
constexpr auto caller_limit = std::chrono::milliseconds(20);  // then the stream's thread takes over
// From the moment when the leader begins until a helper does that is awake.
constexpr double helper_lag_ns = 150;
// What one more helper costs all: to ask it, and to hear that it has done. So many threads are worth it that another
// would cost what it saves: sqrt(estimate / helper_ns).
constexpr double helper_ns = 150;
// How long a launch that works on memory alone may keep others waiting.
constexpr double alone_ns = 1e6;
// Of one core, together with others: it takes no longer than that to see what it takes alone.
constexpr double tried_alone_ns = 300e6;
// What is worth taking from another worker.
constexpr double grain_ns = 1e3;

// Launches too short to wake a helper for, but longer than what is worth sharing, are worth one that stays awake when
// they take so much of such a time.
constexpr double train_ns = 100e3, train_time_ns = 400e3;

enum class Place { Alone, Led, Queued };

struct Plan {
  Place place;
  Helpers helpers = Helpers::Any;
  bool brief = false;  ///< queued: who waits for it may run it
  Shares shares;
  unsigned team = ~0u;             ///< threads at most
  double wants_helpers_ns = 0;     ///< alone: what helpers that are awake would share
  std::uint64_t blocks_alone = 0;  ///< at most that many keep others waiting: see GridRun::may_be_alone()
};

// Of all streams: a guess, as several may count at once.
class Train {
 public:
  // True: helpers that stay awake would have had enough to do lately.
  bool grows(double nanoseconds, Clock::time_point now) noexcept {
    const double ticks = std::chrono::duration<double, std::nano>(now.time_since_epoch()).count();
    if (ticks - begin_.load(std::memory_order_relaxed) > train_time_ns) {
      begin_.store(ticks, std::memory_order_relaxed);
      sum_.store(0, std::memory_order_relaxed);
    }
    const double sum = sum_.load(std::memory_order_relaxed) + nanoseconds;
    sum_.store(sum < train_ns ? sum : 0, std::memory_order_relaxed);
    return sum >= train_ns;
  }

 private:
  std::atomic<double> begin_{0}, sum_{0};
};

// It does nothing, and waits for the next launches then.
void wake_helper() noexcept {
  try {
    request_helper([](void*, unsigned) {}, nullptr, Helpers::Later);
  } catch (const std::bad_alloc&) {
    return;  // the launches do without
  }
}

constexpr std::size_t most_scalar_bytes = 128;

// Of the grid and of all arguments but pointers, whose memory is not looked at. Nothing where they are too long.
std::optional<std::uint64_t> key_of(const KernelRecord& kernel, const backend::Launch& launch) {
  struct {
    Dim3 grid, block;
    std::uint64_t shared;
    std::byte scalars[most_scalar_bytes];
  } same = {launch.grid, launch.block, launch.shared, {}};
  std::size_t filled = 0;
  for (const Parameter& p : kernel.info.signature.parameters) {
    if (p.kind == Parameter::Kind::Pointer) continue;
    if (filled + p.size > most_scalar_bytes) return std::nullopt;
    std::memcpy(same.scalars + filled, static_cast<const std::byte*>(launch.arguments) + p.offset, p.size);
    filled += p.size;
  }
  const std::size_t bytes = offsetof(decltype(same), scalars) + filled;
  return hash128({reinterpret_cast<const char*>(&same), bytes}).low | 1;
}

// Nothing where the time that a launch took tells nothing of others.
std::optional<Work> work_of(const KernelRecord& kernel, const KernelObject& object, const backend::Launch& launch) {
  const Work work{launch.grid.count() * launch.block.count()};
  if (!(object.table().flags & LANZA_KERNEL_UNBOUNDED)) return work;
  const auto key = key_of(kernel, launch);
  return key ? std::optional(Work{work.threads, *key}) : std::nullopt;
}

// What a kernel whose atomic operations need not be atomic where nobody works beside it is to be run by: a team, if
// need be of one worker, which is alone then; or by one worker in any case, where that takes no longer than a team. To
// tell, both ways are tried by turns at first, and the other one now and then where it is not far off.
enum class Way { Team, TeamNotAlone, Alone };

Way way_of(const KernelObject& object, const Work& work, double together_ns, double team) {
  constexpr unsigned tries = 4, now_and_then = 256;
  constexpr double far_off = 4;
  if (!(object.table().flags & LANZA_KERNEL_ALONE)) return Way::Team;
  if (team == 1) return Way::Alone;
  const unsigned launch = object.launches().fetch_add(1, std::memory_order_relaxed);
  const std::optional<double> known = object.cost_alone().estimate(work);
  if (!known) return together_ns <= tried_alone_ns ? Way::Alone : Way::Team;
  if (launch < tries) return launch % 2 == 0 ? Way::Alone : Way::TeamNotAlone;
  const double ratio = *known * team / together_ns;
  const bool turns = launch % now_and_then == 0 && ratio < far_off && ratio * far_off > 1;
  return (ratio <= 1) != turns ? Way::Alone : turns ? Way::TeamNotAlone : Way::Team;
}

Plan plan_for(const KernelObject& object, const backend::Launch& launch, const std::optional<Work>& work) {
  constexpr auto not_here = LANZA_KERNEL_BLOCKING | LANZA_KERNEL_GRID_SYNC | LANZA_KERNEL_LAUNCHES;
  if ((object.table().flags & not_here) || launch.cooperative || launch.timeout.count() > 0 || !work)
    return {Place::Queued};
  const std::optional<double> known = object.cost().estimate(*work);
  if (!known) return {Place::Queued};
  const auto blocks = launch.grid.count();
  const auto workers = static_cast<double>(std::min<std::uint64_t>(worker_count(), blocks));
  const Way way = way_of(object, *work, *known, workers);
  const bool alone = way == Way::Alone;
  const double estimate = alone ? object.cost_alone().estimate(*work).value_or(*known) : *known;
  const auto blocks_alone = [&] {
    const double part = way == Way::TeamNotAlone ? 0 : std::min(1.0, alone_ns / estimate);
    return static_cast<std::uint64_t>(part * static_cast<double>(blocks));
  };
  if (estimate <= shared_ns) return {.place = Place::Alone, .blocks_alone = blocks_alone()};
  const auto team = alone ? 1 : static_cast<double>(std::min<std::uint64_t>(1 + awake_helpers(), blocks));
  const auto most = alone ? 1 : static_cast<unsigned>(std::min(std::sqrt(estimate / helper_ns), 1e6));
  const auto blocks_in = [&](double ns) {
    return static_cast<std::uint64_t>(std::llround(static_cast<double>(blocks) * ns / estimate));
  };
  const Shares shares{team > 1 ? blocks_in(helper_lag_ns) : 0, blocks_in(grain_ns)};
  const bool waits = launch.caller_waits;
  const bool brief = estimate <= kept_waited_ns * (alone ? 1 : workers);
  if (estimate <= (waits ? woken_waited_ns : woken_ns))
    return team > 1 ? Plan{Place::Led, Helpers::Awake, brief, shares, most}
                    : Plan{.place = Place::Alone,
                           .wants_helpers_ns = blocks > 1 && !alone ? estimate : 0,
                           .blocks_alone = blocks_alone()};
  const bool here = waits ? brief : estimate <= (worker_count() == 1 || alone ? kept_alone_ns : kept_ns * team);
  return {here ? Place::Led : Place::Queued, Helpers::Any, brief, shares, most, 0, blocks_alone()};
}

// Blocks that wait for the grid keep what they have in memory, all of them at once: better an error than a process that
// is killed for it. A launch that needs little is not worth the question how much there is.
void check_cooperative(const KernelRecord& kernel, const KernelObject& object, const backend::Launch& launch) {
  constexpr std::uint64_t little = std::uint64_t{1} << 30;
  const LanzaKernelObject& code = object.table();
  if (!(code.flags & LANZA_KERNEL_GRID_SYNC)) return;
  const std::uint64_t bytes =
      code.shared_bytes + launch.shared + code.context_bytes + code.frame_bytes * launch.block.count();
  const std::uint64_t blocks = launch.grid.count();
  if (blocks <= little / std::max<std::uint64_t>(bytes, 1)) return;
  const std::uint64_t most = host_memory().free / bytes;
  if (blocks > most)
    throw InvalidArgument(fmt::format(
        "{}: a cooperative grid of {} blocks does not fit: all of them wait in memory, {} bytes for each block of "
        "{} threads, and what is free of this machine's memory holds {}",
        kernel.info.name, blocks, bytes, launch.block.count(), most));
}

LanzaLaunch describe(const KernelRecord& kernel, const backend::Launch& launch) {
  const Dim3 &g = launch.grid, &b = launch.block;
  return {.grid = {g.x, g.y, g.z},
          .block = {b.x, b.y, b.z},
          .dynamic_shared = static_cast<std::uint32_t>(launch.shared),
          .flags = launch.cooperative ? std::uint32_t{LANZA_LAUNCH_COOPERATIVE} : 0,
          .globals = kernel.module->segment.data(),
          .services = &services,
          .executor = nullptr};
}

void record_cost(const KernelObject& object, GridRun& run, const std::optional<Work>& work, Clock::duration elapsed) {
  if (!work || run.stopped()) return;
  const double nanoseconds = std::chrono::duration<double, std::nano>(elapsed).count();
  (run.was_alone() ? object.cost_alone() : object.cost()).record(*work, nanoseconds * run.workers());
}

// What a run leaves in its stream.
void finish(GridRun& run, const std::string& kernel, StreamQueue& queue) {
  run.output().finish();
  if (const auto why = run.failure()) queue.fail(LaunchError(fmt::format("{}: {}", kernel, *why), kernel));
}

// A launch that outlives the call: it holds kernel, code, variables and a copy of the arguments.
class LaunchTask final : public Task {
 public:
  LaunchTask(std::shared_ptr<KernelRecord> kernel, const KernelObject& object, const backend::Launch& launch,
             StreamQueue& queue, Plan plan, std::optional<Work> work)
      : plan_(plan),
        work_(work),
        kernel_(std::move(kernel)),
        object_(object),
        arguments_(copy(launch)),
        timeout_(launch.timeout),
        run_(std::allocate_shared<GridRun>(CacheAligned<GridRun>(), describe(*kernel_, launch), object.table(),
                                           arguments_.get(), launch.cooperative)) {
    run_->output().to(queue.printer().get());
    run_->allocates_on(queue.memory().heap);
    Shares shares = plan.shares;
    shares.backwards = queue.turns() && !(object.table().flags & LANZA_KERNEL_IN_ORDER);
    run_->shares(shares);
    run_->has_team_of(plan.team);
    run_->may_be_alone(plan.blocks_alone);
    if (object.table().flags & LANZA_KERNEL_LAUNCHES) run_->launches_at(0);
  }

  void run(StreamQueue& queue) override {
    if (timeout_.count() > 0) watch(run_, timeout_);
    lead(Clock::now(), GridRun::never);
    if (run_->children()) run_children(*kernel_, *run_);
    finish(*run_, kernel_->info.name, queue);
  }
  void cancel() noexcept override {
    run_->fail("cancelled");
    interrupt(run_);
  }

  bool suits_caller() const noexcept override { return plan_.brief; }
  bool run_on_caller(StreamQueue& queue) override {
    const auto start = Clock::now();
    arm_fault_handlers_now_and_then(start);
    if (!lead(start, start + caller_limit)) return false;
    finish(*run_, kernel_->info.name, queue);
    return true;
  }
  // Goes on with what has taken so long already.
  void take_over(GridRun& begun, Clock::duration elapsed) {
    run_->take_over(begun);
    elapsed_ = elapsed;
  }

 private:
  // False when `limit` has passed.
  bool lead(Clock::time_point start, Clock::time_point limit) {
    const bool ended = run_->lead(limit, plan_.helpers);
    elapsed_ += Clock::now() - start;
    if (ended) record_cost(object_, *run_, work_, elapsed_);
    return ended;
  }

  struct Free {
    void operator()(std::byte* p) const noexcept { CacheAligned<std::byte>().deallocate(p, 0); }
  };
  static std::unique_ptr<std::byte, Free> copy(const backend::Launch& launch) {
    if (!launch.argument_bytes) return nullptr;
    std::unique_ptr<std::byte, Free> bytes(CacheAligned<std::byte>().allocate(launch.argument_bytes));
    std::memcpy(bytes.get(), launch.arguments, launch.argument_bytes);
    return bytes;
  }

  const Plan plan_;
  const std::optional<Work> work_;
  std::shared_ptr<KernelRecord> kernel_;
  const KernelObject& object_;  // the record's
  std::unique_ptr<std::byte, Free> arguments_;
  std::chrono::milliseconds timeout_;
  std::shared_ptr<GridRun> run_;
  Clock::duration elapsed_{0};
};

// The stream's thread goes on with what the caller has begun; without such a thread the caller does.
void hand_over(StreamQueue& queue, const std::shared_ptr<LaunchTask>& task) {
  try {
    queue.hand_over(task);
  } catch (const Error&) {
    task->run(queue);
    queue.end();
  }
}

void run_alone(StreamQueue& queue, const std::shared_ptr<KernelRecord>& kernel, const KernelObject& object,
               const backend::Launch& launch, const std::optional<Work>& work, const Plan& plan) {
  static constinit Train train;
  GridRun run(describe(*kernel, launch), object.table(), launch.arguments, false);
  run.may_be_alone(plan.blocks_alone);
  run.output().to(queue.printer().get());
  run.allocates_on(queue.memory().heap);
  const auto start = Clock::now();
  arm_fault_handlers_now_and_then(start);
  if (plan.wants_helpers_ns != 0 && train.grows(plan.wants_helpers_ns, start)) wake_helper();
  queue.runs_alone(run);
  const bool ended = run.run_alone(start + caller_limit);
  const auto elapsed = Clock::now() - start;
  if (ended) {
    record_cost(object, run, work, elapsed);
    finish(run, kernel->info.name, queue);
    queue.end();
    return;
  }
  try {
    auto task = std::make_shared<LaunchTask>(kernel, object, launch, queue, Plan{Place::Queued}, work);
    task->take_over(run, elapsed);
    hand_over(queue, task);
  } catch (const std::bad_alloc&) {
    queue.fail(LaunchError(fmt::format("{}: out of memory", kernel->info.name), kernel->info.name));
    queue.end();
  }
}

}  // namespace

void launch_kernel(Stream& stream, const std::shared_ptr<KernelRecord>& kernel, const KernelObject& object,
                   const backend::Launch& launch) {
  if (launch.cooperative) check_cooperative(*kernel, object, launch);
  const std::optional<Work> work = work_of(*kernel, object, launch);
  const Plan plan = plan_for(object, launch, work);
  if (plan.place == Place::Alone && stream.try_begin())
    return run_alone(stream.queue(), kernel, object, launch, work, plan);
  auto task = std::make_shared<LaunchTask>(kernel, object, launch, stream.queue(), plan, work);
  if (plan.place == Place::Led && stream.run_here(task)) return;
  if (plan.place == Place::Led || plan.brief) {
    arm_fault_handlers_now_and_then(Clock::now());
  } else {
    arm_fault_handlers();
  }
  stream.submit(std::move(task));
}

}  // namespace lanza::executor
