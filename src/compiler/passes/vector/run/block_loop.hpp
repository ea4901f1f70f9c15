// The loop over the blocks of a call of `run`.
#pragma once

#include <array>

#include <llvm/IR/Module.h>

#include "compiler/passes/thread_context.hpp"
#include "compiler/passes/vector/run/block_order.hpp"

namespace lanza::compiler {

/// The object's function `run` with a loop over the blocks [next, end) of its LanzaBlock. What a block does is the
/// caller's: from `body`, which wants a terminator, to `next`.
struct BlockLoop {
  llvm::Function* run = nullptr;
  llvm::Instruction* once = nullptr;  ///< in front of the loop: for values that all blocks share
  llvm::BasicBlock *body = nullptr, *next = nullptr;
  std::array<llvm::Value*, 3> index{}, grid{};  ///< blockIdx, gridDim
  llvm::Value* number = nullptr;                ///< i64: the block's, as LanzaBlock::next counts
  llvm::Value* count = nullptr;  ///< i32: how many blocks of the row, from `index` on, `body` has to do at once
};

BlockLoop make_block_loop(llvm::Module& module, const AbiTypes& types, const BlockOrder& order);

}  // namespace lanza::compiler
