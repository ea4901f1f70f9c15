// Vectors that are folded into a number each are folded together.
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: run form, straight code of several groups, lanes narrowed (narrow_lanes.hpp). Out: vectors of a register that
/// are folded into one number each by the same steps (fold_trees.hpp; the sums or maxima of a block's warps) are folded
/// together: two vectors' halves lie side by side after a step, four vectors' quarters after two, and what is left of
/// all is a register, not of each. Each number is made of the same operations on the same operands. Of eight sums of 16
/// lanes 16 shuffles and 8 additions are left of 39 and 32, which also wait for each other (in bare C++, on Zen 4, from
/// the first cache, 9 ns instead of 13). What leads from the numbers to the first use in memory goes behind them all.
/// True when something changed.
bool join_trees(llvm::Function& run, const llvm::TargetTransformInfo& costs);

}  // namespace lanza::compiler
