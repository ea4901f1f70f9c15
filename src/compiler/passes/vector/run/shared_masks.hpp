// What groups with lanes of their own load from one address is loaded once.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Function.h>

#include "compiler/passes/vector/analysis/group_ways.hpp"

namespace lanza::compiler {

/// <lanes x i1> (<lanes x i1>, i32 axes), by the number of lanes: a lane that is on in one of the groups that walk
/// together along those axes, a bit each.
inline constexpr char kAnyLanes[] = "lanza.any-lanes.";

/// Whether it asks the groups along the axis.
bool asks_lanes_along(const llvm::Instruction& i, unsigned axis);

/// In: code that groups walk through together, and what is known of them along each axis. Out: loads and gathers of
/// addresses that neighbours share, by masks that they do not (`j <= i`, a row for each group), go by lanza.any-lanes.
/// Nothing is read that no group would read; what is loaded for lanes that are off nobody looks at.
void share_masks(llvm::ArrayRef<llvm::BasicBlock*> blocks, llvm::ArrayRef<GroupWays> ways);

/// Where no groups are left to be asked: the question is its operand.
void answer_any_lanes(llvm::Function& kernel);

}  // namespace lanza::compiler
