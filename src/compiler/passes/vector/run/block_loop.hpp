// The loop over the blocks of a call of `run`.
#pragma once

#include <array>

#include <llvm/IR/Module.h>

#include "compiler/passes/thread_context.hpp"

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

/// Which blocks follow each other.
struct BlockOrder {
  /// blockDim.x where a turn does as many blocks of a row as are left (see whole_rows.hpp), and 0 where it does one, or
  /// two at the most where `most` is 2.
  unsigned whole_rows = 0;
  unsigned most = 0;  ///< so many blocks of a row at the most; 0: any number
  /// A power of two; so many columns of a layer's blocks are done before the next ones, row by row; 0: all at once.
  unsigned strip = 0;
  unsigned fastest = 0;  ///< the axis of the grid that counts up first; not x only without all of the above
};

BlockLoop make_block_loop(llvm::Module& module, const AbiTypes& types, const BlockOrder& order);

}  // namespace lanza::compiler
