// Blocks of short rows whose threads number themselves through.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: SPMD form, where nothing is asked for a whole block any more. Out, where a group is several whole rows of a
/// block: `threadIdx.y * blockDim.x + threadIdx.x`, by which kernels copy their tiles, is the number of the group's
/// first thread and the lane. So it is known to be consecutive, which neither part is. True when something changed.
bool number_flat_threads(llvm::Function& kernel, const GroupShape& group);

}  // namespace lanza::compiler
