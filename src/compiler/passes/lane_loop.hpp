// A kernel without synchronisation points becomes a loop over blocks and threads.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: host IR (after RetargetPass) of a kernel without synchronisation points; `kernel` is emptied. Out: the object's
/// `run` function, named "run": for the blocks [next, end) of the LanzaBlock, for the threads z, y, x innermost.
/// Uniform values (arguments, grid, blockDim, addresses) are loaded once before the loops; inside, under the kernel's
/// own `if (i < n)`, they would be gathered. `hidden_context`: functions that were not inlined take a LanzaRecord*
/// first; each thread fills one.
llvm::Function* make_lane_loop(llvm::Function& kernel);

/// Atomics for one thread in loops of the kernel's own, which no loop over threads is part of, become plain operations:
/// a thread's turns may be vectors (`atomicAdd(&sums[k * n + j], x[i * n + j])`), while threads take turns.
void lower_inner_atomics(llvm::Function& run);

/// Marks the innermost loop parallel and asks LLVM's LoopVectorizer for vectors of `lanes` threads. Call it after SROA:
/// where private arrays remain, threads share their memory and nothing is marked.
void mark_lanes_parallel(llvm::Function& run, unsigned lanes);

/// After the LoopVectorizer: whether it did what it was asked for.
bool lanes_are_vectors(const llvm::Function& run);

}  // namespace lanza::compiler
