// Several groups of lanes walk through the code together, and share what is the same for all of them.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in group form, with groups of several lanes. Out: one call of the function runs several neighbours
/// along one axis or two, and lanza.group answers for the first of them; the shape that is returned says so. What does
/// not depend on the place along an axis is done once: a row of a shared tile that all of them multiply by, a weight of
/// a convolution. The rest stands there once for each, next to each other, so that what it has in common is found;
/// where ways part (Detour) one group goes after the other. Guards at the beginning are asked for all of them at once
/// (ask_together). Sums that live across barriers live in registers where all
/// groups of the block fit into one call.
///
/// Between two barriers the order of threads is nobody's business, but for what GroupWays refuses. The number of groups
/// is the largest that registers hold; the shape comes back unchanged where too little would be shared. On a wide core
/// (is_wide_core()) those that walk through memory in a loop gain by it anyway.
GroupShape join_groups(llvm::Function& kernel, const GroupShape& group, const llvm::TargetMachine& host);

/// Along which it has several.
llvm::SmallVector<unsigned, 3> joinable_axes(const GroupShape& group);

/// How many groups along each axis; no more than one: not worth it.
using JoinTimes = std::array<unsigned, 3>;
JoinTimes choose_join(llvm::Function& kernel, const GroupShape& group, llvm::SmallVector<unsigned, 3> axes,
                      const llvm::TargetMachine& host);

}  // namespace lanza::compiler
