// The code that few blocks of a grid run, by the weights of branches.
#pragma once

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// What version_blocks() and others leave to a hundredth of the blocks and less, found once: of blocks that are made
/// later it knows nothing. It need not be fast, but should be short: it is half of what is compiled of a kernel with
/// guards.
class SeldomCode {
 public:
  explicit SeldomCode(llvm::Function& run);

  bool contains(const llvm::BasicBlock* block) const { return blocks_.contains(block); }

 private:
  llvm::SmallPtrSet<const llvm::BasicBlock*, 32> blocks_;
};

}  // namespace lanza::compiler
