// Groups at the ends of a block may have lanes that are no thread of it.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form. Out: where groups overhang the block, threads beyond it leave at once. A guard like any
/// other, in front of all others: version_guards() makes of it code for groups that lie within. True when something
/// changed.
bool leave_beyond_block(llvm::Function& kernel, const GroupShape& group);

}  // namespace lanza::compiler
