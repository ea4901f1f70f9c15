#include "compiler/passes/vector/run/place_loads.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

// What is made for one user: it may wait until that one comes.
bool may_wait(const Instruction& i) {
  if (auto* load = dyn_cast<LoadInst>(&i)) return load->isSimple();
  if (isa<GetElementPtrInst, CastInst, InsertElementInst>(i)) return true;
  if (auto* shuffle = dyn_cast<ShuffleVectorInst>(&i)) return shuffle->isZeroEltSplat();
  return isa<BinaryOperator>(i) && i.getType()->isIntegerTy() && !i.isIntDivRem();
}

bool writes(const Instruction& i) {
  auto* call = dyn_cast<IntrinsicInst>(&i);
  return i.mayWriteToMemory() && !(call && call->getIntrinsicID() == Intrinsic::prefetch);
}

bool has_user_in_block(const Instruction& i) {
  return any_of(i.users(), [&](const User* user) {
    return cast<Instruction>(user)->getParent() == i.getParent() && !isa<PHINode>(user);
  });
}

/// Puts the instructions of a block in order anew.
class LoadPlaces {
 public:
  LoadPlaces(BasicBlock& block, const GroupWays& ways) : block_(block), ways_(ways) {}

  void run() {
    for (Instruction& i : block_) {
      if (isa<PHINode>(i)) continue;
      if (may_wait(i) && has_user_in_block(i)) {
        waiting_.insert(&i);
        if (i.mayReadFromMemory()) loads_.push_back(&i);
        continue;
      }
      if (writes(i)) {
        for (Instruction* load : loads_) place(*load);
        loads_.clear();
      }
      place_operands(i);
      order_.push_back(&i);
    }
    for (Instruction* i : order_) i->moveBefore(block_, block_.end());
  }

 private:
  void place(Instruction& i) {
    if (!waiting_.erase(&i)) return;
    place_operands(i);
    order_.push_back(&i);
  }

  void place_operands(Instruction& i) {
    for (const bool differ : {false, true})
      for (Use& operand : i.operands())
        if (auto* value = dyn_cast<Instruction>(operand); value && ways_.differs(*value) == differ) place(*value);
  }

  BasicBlock& block_;
  const GroupWays& ways_;
  SmallPtrSet<Instruction*, 32> waiting_;
  SmallVector<Instruction*, 32> loads_, order_;
};

}  // namespace

void place_loads(Function& kernel, const GroupWays& ways) {
  for (BasicBlock& block : kernel) LoadPlaces(block, ways).run();
}

}  // namespace lanza::compiler
