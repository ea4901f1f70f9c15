// Clamped indices are computed behind the guards of what they address.
#pragma once

#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: SPMD form. Out: where a thread clamps the indices of its neighbours once (`W = max(tx - 1, first)`), and loads
/// from there behind guards (`if (tx >= i + 1 && tx <= 254 - i)`, in each step), each guarded block has address and
/// clamp of its own, where LLVM's ranges show that most of them do nothing: lanes load from neighbours, and gather
/// nothing. Those that are not needed any more are gone. True when something changed; the code is to be simplified with
/// "correlated-propagation".
bool clamp_behind_guards(llvm::Function& kernel, const llvm::DominatorTree& dominators);

}  // namespace lanza::compiler
