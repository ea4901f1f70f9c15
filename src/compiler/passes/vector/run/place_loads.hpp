// Loads stand in front of their first use.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/analysis/group_ways.hpp"

namespace lanza::compiler {

/// In: a kernel in group form. Out: loads, broadcasts and addresses stand in front of the first that uses them in their
/// block, as far as nothing between writes to memory, those that neighbouring groups share before those that differ;
/// all else keeps its order. Simplification leaves the loads of an unrolled loop together in front, in any order:
/// groups that walk together would hold a register for each of them.
void place_loads(llvm::Function& kernel, const GroupWays& ways);

}  // namespace lanza::compiler
