// The proof that the threads of a block meet at their barriers.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/codegen/report.hpp"
#include "compiler/passes/vector/analysis/block_uniformity.hpp"

namespace lanza::compiler {

/// Gives every synchronisation point but those of warps a basic block of its own. What follows wants it so.
void isolate_points(llvm::Function& kernel);

/// Why the threads of a block might not meet at every synchronisation point of `kernel` but those of warps; no words
/// when it is proved that they do: that all that live come to the same barrier next, whichever way they take. Threads
/// that part ways must come together again before the next barrier, at the latest in it; those that can meet no barrier
/// any more do not count. Only barriers of the whole block, and of the grid, are known here: other points are a
/// reason.
Reason why_barriers_diverge(llvm::Function& kernel, const BlockUniformity& uniformity);

/// Why the threads of a group cannot go on together where some of them leave the kernel before a barrier that others
/// come to; no words: they can. In CUDA who leaves does what is left for it to do before the others pass the barrier;
/// in a group it goes along, masked, to the end. So nothing must be left for it to do.
Reason why_leaving_matters(llvm::Function& kernel, const BlockUniformity& uniformity);

/// The blocks from whose branch a thread may leave the kernel while others of its block still come to a barrier.
llvm::SmallVector<llvm::BasicBlock*, 4> blocks_with_early_exits(llvm::Function& kernel,
                                                                const BlockUniformity& uniformity);

}  // namespace lanza::compiler
