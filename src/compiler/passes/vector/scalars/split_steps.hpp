// Indices that go up in loops around barriers are where the thread began and how far the block has come.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form, loops in simplified form, nothing to come that combines sums. Out: in loops with
/// synchronisation points, an index or a pointer that threads have of their own and that goes up by a step which all
/// share is no value of the loop any more: wherever an address is made of it stands the sum of its start, which a group
/// computes again (split_regions.hpp), and of the steps so far in 64 bits, which are kept once a block. Indices of 32
/// bits only where no sum wraps and all are extended, with a sign; others stay. True when something changed.
bool split_steps(llvm::Function& kernel, const GroupShape& group, const llvm::LoopInfo& loops);

}  // namespace lanza::compiler
