// Index arithmetic that cannot wrap says so.
#pragma once

#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: a kernel in SPMD form. Out: sums, differences and products whose operands' ranges show that they cannot wrap
/// have nsw or nuw, and extensions of what is never negative nneg; so do differences behind a guard
/// that keeps them above zero (`if (tid >= d) v = s[tid - d]`). Unsigned sums such as `threadIdx.x + 8 + k` need
/// that: without it, nothing says that neighbouring threads have neighbouring addresses. Only of what addresses,
/// comparisons, extensions, quotients and calls are made of. True when something changed.
bool prove_no_wrap(llvm::Function& kernel, llvm::ScalarEvolution& evolution, const llvm::DominatorTree& dominators);

/// The same of what stands before an index in a whole row by a constant (`x - 1`; kIndexInRow): a guard asks for it
/// without flags, and the same behind the guard has lost its own to that.
bool prove_steps_back(llvm::Function& kernel);

}  // namespace lanza::compiler
