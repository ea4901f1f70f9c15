// Loops with more sums than registers become several loops, each with some of them.
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: a kernel in group form. Out: a loop of one block that writes nothing, and in which vectors go from turn to turn
/// independently of each other (a tile of sums a thread), becomes several loops where they take more than half of the
/// registers: for half of them each, or for a quarter, so that join_groups finds room for two rows. Between the loops
/// stand barriers, which are always allowed where another one is met: each is a region of its own and only its sums are
/// in registers. Sums that need the same operands stay together. True when something changed.
bool split_sums(llvm::Function& kernel, const llvm::TargetTransformInfo& host);

}  // namespace lanza::compiler
