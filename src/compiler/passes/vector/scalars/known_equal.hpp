// Behind `if (threadIdx.x == 0)` the index is the constant 0.
#pragma once

#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: SPMD form. Out: where a branch has found an index, or a sum, to equal a constant, the constant stands for it:
/// what the only thread left reads and writes there (`out[blockIdx.x] = s[threadIdx.x]`) has one address, not one a
/// lane. True when something changed.
bool use_known_equals(llvm::Function& kernel, llvm::DominatorTree& dominators);

}  // namespace lanza::compiler
