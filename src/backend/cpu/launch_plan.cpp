#include "backend/cpu/launch_plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "backend/cpu/worker_pool.hpp"
#include "support/hash.hpp"

namespace lanza::executor {
namespace {

// Estimates, in nanoseconds of one core, up to which a launch is not worth
constexpr double shared_ns = 3e3;                          // helpers that are awake,
constexpr double woken_ns = 10e3, woken_waited_ns = 20e3;  // waking helpers or the stream's thread.
// How long the caller may be kept that way: it might have something else to do, or waits. With a single worker handing
// over shares no work and costs 5 to 16 us (saxpy of 256 Ki to 1 Mi elements).
constexpr double kept_ns = 50e3, kept_alone_ns = 200e3, kept_waited_ns = 5e6;
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
// A part that may be taken whole: no worker keeps the others waiting longer than that, should it lose its core.
constexpr double whole_ns = 200e3;

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

}  // namespace

std::optional<Work> work_of(const KernelRecord& kernel, const KernelObject& object, const backend::Launch& launch) {
  const Work work{launch.grid.count() * launch.block.count()};
  if (!(object.table().flags & LANZA_KERNEL_UNBOUNDED)) return work;
  const auto key = key_of(kernel, launch);
  return key ? std::optional(Work{work.threads, *key}) : std::nullopt;
}

Plan plan_for(const KernelObject& object, const backend::Launch& launch, const std::optional<Work>& work) {
  constexpr auto not_here = LANZA_KERNEL_BLOCKING | LANZA_KERNEL_LAUNCHES;
  const bool meets = object.table().flags & LANZA_KERNEL_GRID_SYNC;  // blocks that have met cannot be left behind
  if ((object.table().flags & not_here) || launch.cooperative != meets || launch.timeout.count() > 0 || !work)
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
  if (estimate <= shared_ns && !meets) return {.place = Place::Alone, .blocks_alone = blocks_alone()};
  const auto team = alone ? 1 : static_cast<double>(std::min<std::uint64_t>(1 + awake_helpers(), blocks));
  const auto most = alone ? 1 : static_cast<unsigned>(std::min(std::sqrt(estimate / helper_ns), 1e6));
  const auto blocks_in = [&](double ns) {
    return static_cast<std::uint64_t>(std::llround(static_cast<double>(blocks) * ns / estimate));
  };
  const bool whole = team > 1 && estimate <= whole_ns * team && object.sharing().wants_whole(*work);
  const Shares shares{
      .head_start = team > 1 ? blocks_in(helper_lag_ns) : 0, .grain = blocks_in(grain_ns), .whole = whole};
  const bool waits = launch.caller_waits;
  const bool brief = estimate <= kept_waited_ns * (alone ? 1 : workers);
  if (estimate <= (waits ? woken_waited_ns : woken_ns))
    return team > 1 || meets ? Plan{Place::Led, Helpers::Awake, brief, shares, most}
                             : Plan{.place = Place::Alone,
                                    .wants_helpers_ns = blocks > 1 && !alone ? estimate : 0,
                                    .blocks_alone = blocks_alone()};
  const bool here = waits ? brief : estimate <= (worker_count() == 1 || alone ? kept_alone_ns : kept_ns * team);
  return {here ? Place::Led : Place::Queued, Helpers::Any, brief, shares, most, 0, blocks_alone()};
}

}  // namespace lanza::executor
