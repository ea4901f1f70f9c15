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
#pragma once

#include <cstdint>
#include <optional>

#include "backend/cpu/cost_history.hpp"
#include "backend/cpu/grid_run.hpp"
#include "backend/cpu/helpers.hpp"
#include "backend/cpu/kernel.hpp"

namespace lanza::executor {

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

/// What a launch has to do, as far as that tells how long others will take. Nothing where it does not.
std::optional<Work> work_of(const KernelRecord& kernel, const KernelObject& object, const backend::Launch& launch);

Plan plan_for(const KernelObject& object, const backend::Launch& launch, const std::optional<Work>& work);

}  // namespace lanza::executor
