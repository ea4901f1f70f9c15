// Index arithmetic that barriers separate from the accesses that it is for stands behind them, too.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form. Where places are made of a stride that the block shares (SharedStride) in front of a
/// barrier, and used behind it,
///
///     int low = t & (s - 1), i = 2 * (t - low) + low;
///     __syncthreads();
///     float a = x[i], b = x[i + s];
///
/// they are made again behind it. version_strides() then finds all that depends on the stride between two barriers, and
/// nothing waits in the block's memory that is cheaply made. True when something changed.
bool follow_barriers(llvm::Function& kernel, const GroupShape& group);

}  // namespace lanza::compiler
