// Counters of loops that must end do not wrap.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>

namespace lanza::compiler {

/// In: a kernel in SPMD form. Out: `i += step` of a loop that goes on while `i < n` (or `i <= n`), and ends no other
/// way, has nsw, or nuw where the comparison has no sign, if the step is a power of two: one that wrapped would come by
/// the same numbers again and again, all below n, and a loop that neither ends nor does anything that others see has no
/// meaning in C++. `i += blockDim.x` is unsigned, and needs that where it does not start at a multiple of the lanes
/// (`for (int i = start[row] + tid; i < start[row + 1]; i += blockDim.x)`): without it, nothing says that neighbouring
/// threads have neighbouring addresses. True when something changed.
bool prove_counters(llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution);

}  // namespace lanza::compiler
