// What widening wants of the code of one thread.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: SPMD form of a kernel for one blockDim. Out: structs by value that a thread changes are its own copies; lane and
/// warp numbers are computed from thread indices; there are no vectors. Variables come first in the first block, so
/// that they are there to stay when others split it.
void prepare_lanes(llvm::Function& function, const GroupShape& group);

}  // namespace lanza::compiler
