// Questions about the order of neighbours' indices are asked of one lane.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: run form, behind InstCombine. Out: whether all indices of a group, or any, are below a limit that its lanes
/// share, or above it, is one comparison of its last lane's index, or its first lane's. widen() asks so where all lanes
/// are active; where a block's threads fill no group it has to ask under a mask, of which nothing is left in the groups
/// that are full. bound_lane_loops() ends loops over groups by it. True when something changed.
bool ask_end_lanes(llvm::Function& run);

}  // namespace lanza::compiler
