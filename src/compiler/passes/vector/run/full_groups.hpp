// Groups of which all lanes are threads of the block need no masks for those that are not.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// Whether the last group of a block, whose threads fill no group, is to have code of its own in each of the `regions`
/// of `run`, not yet in loops over groups: where threads may wait for each other, so that no other pass has made a copy
/// for groups that lie inside, and where the code is not long.
bool parts_last_group(llvm::Function& run, const GroupShape& group, unsigned regions);

/// In: code of groups of `lanes` along x whose first lane's index is `lane0`, which is at most `last`. Out: comparisons
/// that ask whether this index, or those of all lanes, are below a limit which none of them reaches are true.
void settle_full_groups(llvm::BasicBlock& block, const llvm::Value& lane0, unsigned last, unsigned lanes);

}  // namespace lanza::compiler
