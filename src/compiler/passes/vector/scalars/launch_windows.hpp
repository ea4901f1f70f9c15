// Loops over a window that is cut at the edges, of a size that the launch decides.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Analysis/LoopInfo.h>

#include "compiler/passes/vector/scalars/launch_ranges.hpp"

namespace lanza::compiler {

/// Marks loops from `max(x - r, low)` to `min(x + r, high)`, where the launch's arguments make the window, `r` to
/// either side, for WindowLoopsPass (window_loops.hpp): turns beyond an edge find nothing to do there, so that the
/// launch is asked whether the window is small, or no larger than twice what lies between the edges. `require`: what a
/// range needs.
void mark_launch_windows(const llvm::LoopInfo& loops, LaunchRanges& ranges, LaunchTest& test,
                         llvm::function_ref<void(const KnownRange&)> require);

}  // namespace lanza::compiler
