#include "compiler/passes/vector/run/shared_work.hpp"

#include <llvm/IR/Instructions.h>

using namespace llvm;

namespace lanza::compiler {

// Instructions: so many, if they are a sixth of all, or a few, if they are two thirds. Where there is less the loop
// over rows is as fast (a guarded plane in blocks of 4 x 64: 29 us by rows, 32 together).
constexpr unsigned kMany = 12, kFew = 5;

// Extensions and shuffles are parts of what they are for; conditions are bits.
static bool is_work(const Instruction& i) {
  if (isa<InsertElementInst, ShuffleVectorInst, PHINode, SExtInst, ZExtInst, TruncInst, BitCastInst, FreezeInst>(i))
    return false;
  const Type* type = i.getType();
  return i.mayReadOrWriteMemory() ||
         (type->isVectorTy() && !type->isPtrOrPtrVectorTy() && !type->isIntOrIntVectorTy(1));
}

bool shares_work(ArrayRef<BasicBlock*> blocks, const GroupWays& along) {
  unsigned all = 0, shared = 0;
  for (const BasicBlock* block : blocks)
    for (const Instruction& i : *block) {
      if (!is_work(i)) continue;
      ++all;
      shared += !along.differs(i);
    }
  return (shared >= kMany && shared * 6 >= all) || (shared >= kFew && shared * 3 >= all * 2);
}

bool shares_work(Function& kernel, ArrayRef<unsigned> axes) {
  SmallVector<BasicBlock*, 32> blocks;
  for (BasicBlock& block : kernel) blocks.push_back(&block);
  return any_of(axes, [&](unsigned axis) { return shares_work(blocks, GroupWays(kernel, axis)); });
}

}  // namespace lanza::compiler
