// A copy of blocks beside the originals, and what stands in it for a value.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace lanza::compiler {

/// The blocks, at the end of their function, named with the suffix; they use each other's values where the originals
/// did. No edge leads into them yet, and the phis behind them know nothing of them: join_exits.
class CopiedBlocks {
 public:
  CopiedBlocks(llvm::ArrayRef<llvm::BasicBlock*> originals, const char* suffix);

  /// What stands in the copy for a value: itself where it was not copied.
  llvm::Value* of(llvm::Value* value) const;
  llvm::BasicBlock* of(llvm::BasicBlock* original) const;
  llvm::ArrayRef<llvm::BasicBlock*> blocks() const { return copies_; }

  /// From now on `by` stands in the copy for `value`, wherever that is used.
  void replace(llvm::Value* value, llvm::Value* by);

  /// The copies leave to where the originals do, with the values that stand in them for theirs.
  void join_exits();

 private:
  llvm::SmallVector<llvm::BasicBlock*, 16> originals_, copies_;
  mutable llvm::ValueToValueMapTy map_;  // its look-up is not const
};

}  // namespace lanza::compiler
