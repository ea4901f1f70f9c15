// Work that a margin of threads leaves to the others begins with the first lane of a group.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form whose blocks load a tile with its halo, a thread each, and compute what lies within:
///
///     __shared__ float tile[20][20]; ... __syncthreads();
///     if (x >= 2 && x < 18 && y >= 2 && y < 18) out[...] = what is around tile[y][x];
///
/// so that each row's work lies in two groups of 16, no lane of the second one busy but two. Out: thread `x` does the
/// work of thread `x + 2`, if `x < 16`. Only where fewer groups work then; where all threads come from a barrier to the
/// question (asked_together.hpp) and from the work to a barrier or the kernel's end, touching no memory on the way;
/// where what the work takes from before can be computed again for another thread; and where nobody hears who did it,
/// other than by a fault. True when something changed.
bool skip_margins(llvm::Function& kernel, const GroupShape& group);

}  // namespace lanza::compiler
