// What is known of groups in a block whose threads fill no group: each has a thread, and all but the last one are full.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel of groups, not in rows of blocks. Out: comparisons that ask whether a group's first lane is a thread of
/// the block are true: no group leaves there. Else each region would ask first which groups are left: sums of the
/// squares of 1000 numbers by a tree took four times as long.
void settle_begun_groups(llvm::Function& kernel, const GroupShape& group);

/// Whether the last group of a block, whose threads fill no group, is to have code of its own in each of the `regions`
/// of `run`, not yet in loops over groups: where threads may wait for each other, so that no other pass has made a copy
/// for groups that lie inside, and where the code is not long.
bool parts_last_group(llvm::Function& run, const GroupShape& group, unsigned regions);

/// In: code of groups of `lanes` along x whose first lane's index is `lane0`, which is at most `last`. Out: comparisons
/// that ask whether this index, or those of all lanes, are below a limit which none of them reaches are true.
void settle_full_groups(llvm::BasicBlock& block, const llvm::Value& lane0, unsigned last, unsigned lanes);

}  // namespace lanza::compiler
