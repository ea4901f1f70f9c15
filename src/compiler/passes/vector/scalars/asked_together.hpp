// Questions that all threads of a block ask, with nothing between a barrier and them: anybody may do what they lead to.
#pragma once

#include <llvm/Analysis/PostDominators.h>

#include "compiler/passes/vector/analysis/block_uniformity.hpp"

namespace lanza::compiler {

/// Whether all threads come to the block's end, each from a barrier, without touching memory on the way. What a thread
/// does behind it, up to the next barrier, another may do instead.
bool is_asked_together(llvm::BasicBlock& block, const BlockUniformity& uniformity, const llvm::PostDominatorTree& ends);

/// Adds the parts of a question that all must hold; or, with `all` false, of which none may.
void split_question(llvm::Value& question, bool all, llvm::SmallVectorImpl<llvm::Value*>& parts);

}  // namespace lanza::compiler
