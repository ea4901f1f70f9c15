// Behind `if (threadIdx.x == k)` the one lane's places are all lanes' places.
#pragma once

#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: SPMD form, loops in simplified form. Out: where a branch has found a value that differs from lane to lane to
/// equal one that is the same for all of them (`if (j == k) a[k][k] = sqrt(a[k][k])`), addresses of accesses are made
/// of that one, where that makes them the same for all lanes: one scalar access. LLVM likes to write it the other way
/// round, as a[j][j], which lanes would gather. True when something changed.
bool use_uniform_places(llvm::Function& kernel, const GroupShape& group, const llvm::DominatorTree& dominators);

/// The same behind `if (threadIdx.x == 31)` and the like, for what the one lane asks, too (`x < nx - 1 ? a[at + 1] :
/// 0`): a branch and a scalar access, not a mask, a masked vector and the search for its lane. Comes behind
/// split_steps(), which wants sums that differ from thread to thread by their start alone.
bool use_known_places(llvm::Function& kernel, const GroupShape& group, const llvm::DominatorTree& dominators);

}  // namespace lanza::compiler
