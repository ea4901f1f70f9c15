// Loops over a block's groups end with the last group that has work.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>

namespace lanza::compiler {

/// In: run form with loops in simplified and LCSSA form. Out, for loops over groups, or over rows
/// of one group each, that do nothing but
///
///     do { if (index < limit) body; } while (++group);
///
/// where the limit is the same for all groups: the loop ends where the next group would do nothing. Where the test is
/// `index == limit` only the group runs that has it. Which row is under way need not be said of one that does nothing.
/// True when something changed.
bool bound_lane_loops(llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution);

/// Loops over groups, or over rows of them, in which nothing is done any more go: to tell who is under way is nothing.
/// Not LLVM's loop-deletion: it takes a thread's endless loop for something that cannot happen.
bool drop_idle_lane_loops(llvm::DominatorTree& dominators, llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution);

}  // namespace lanza::compiler
