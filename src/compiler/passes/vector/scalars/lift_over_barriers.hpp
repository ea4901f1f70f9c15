// What LLVM has moved behind a barrier, to where its result is used, moves back where less waits for it then.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: a kernel in SPMD form, its points isolated. LLVM brings what has one use next to it, also over barriers:
///
///     v += __shfl_xor_sync(-1, v, 1);          v of before and the shuffle's result wait,
///     __syncthreads();                         each in a slot of each group,
///     if (lane == 0) s[warp] = v;              for the sum, which is in this branch
///
/// Out: such arithmetic stands in front of the barrier where fewer values live across it then, not counting what is
/// cheaply computed again; of the thousand instructions behind it, so that many barriers take no more than their time.
/// share_butterflies() finds the last steps of reductions there. True when something changed.
bool lift_over_barriers(llvm::Function& kernel);

}  // namespace lanza::compiler
