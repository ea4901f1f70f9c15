// Long code in stretches: blocks that follow on each other, entered in one place and left in one.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

namespace lanza::compiler {

/// While it lives, long blocks of `run` are cut in pieces where few values are handed on. Out: whatever of them still
/// follows on each other is one block again, in whichever function it is.
class CutBlocks {
 public:
  explicit CutBlocks(llvm::Function& run);
  CutBlocks(const CutBlocks&) = delete;
  CutBlocks& operator=(const CutBlocks&) = delete;
  ~CutBlocks();

 private:
  llvm::SmallVector<llvm::BasicBlock*, 16> pieces_;  ///< but the first ones of their blocks
};

struct Stretch {
  llvm::SmallVector<llvm::BasicBlock*, 16> blocks;  ///< the first one is where it is entered
  unsigned size = 0;                                ///< instructions
};

/// Parts of a loop's turn of `least` to `most` instructions. They may overlap. None has the loop's first or last block.
std::vector<Stretch> stretches_of(const llvm::Loop& loop, const llvm::DominatorTree& dominators, unsigned least,
                                  unsigned most);

}  // namespace lanza::compiler
