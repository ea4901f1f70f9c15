// Loads from places that several branches chose are done by each of them.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form. Out, for loads through a phi of addresses, which LLVM makes of loads at the ends of
/// branches (`if (x == 0) v = west[y]; else if (x == 15) v = east[y]; else v = tile[y][x - 1];`):
///
///     way 1: v1 = *p1;   way 2: v2 = *p2;   v = phi v1, v2
///
/// where neighbours have neighbouring addresses on each way, or all the same, but not behind them: nobody gathers.
/// Nothing is written between the phi and the load, and each way leads there only. True when something changed.
bool load_by_ways(llvm::Function& kernel, const GroupShape& group);

}  // namespace lanza::compiler
