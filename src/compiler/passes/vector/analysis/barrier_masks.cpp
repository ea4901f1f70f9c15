#include "compiler/passes/vector/analysis/barrier_masks.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/group_form.hpp"
#include "compiler/passes/vector/widen/block_mask.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

bool calls(const Value* value, StringRef name) {
  auto* call = dyn_cast<CallInst>(value);
  return call && call->getCalledFunction() && call->getCalledFunction()->getName() == name;
}

/// Which masks have an active lane where.
class ActiveLanes {
 public:
  explicit ActiveLanes(Function& function) : dominators_(function) {}

  /// By a branch that asked, or because it has one on every way to here; so for loops by induction over their turns.
  bool in(BasicBlock* block, Value* mask) {
    if (auto* constant = dyn_cast<ConstantInt>(mask)) return constant->isOne();
    for (auto* node = dominators_.getNode(block); node && node->getIDom(); node = node->getIDom())
      if (BasicBlock* before = node->getBlock()->getSinglePredecessor(); before && says(before, node->getBlock(), mask))
        return true;
    auto* phi = dyn_cast<PHINode>(mask);
    if (!phi) return false;
    if (!assumed_.insert(phi).second) return true;
    return all_of(phi->incoming_values(), [&](Use& value) {
      BasicBlock* from = phi->getIncomingBlock(value);
      return says(from, phi->getParent(), value) || in(from, value);
    });
  }

 private:
  // The branch from `from` to `to` is taken when a lane of `mask` is active.
  static bool says(BasicBlock* from, BasicBlock* to, Value* mask) {
    auto* branch = dyn_cast<BranchInst>(from->getTerminator());
    if (!branch || branch->isUnconditional() || branch->getSuccessor(0) != to || branch->getSuccessor(1) == to)
      return false;
    auto* asked = branch->getCondition();
    return calls(asked, kAny) && cast<CallInst>(asked)->getArgOperand(0) == mask;
  }

  DominatorTree dominators_;
  SmallPtrSet<PHINode*, 8> assumed_;
};

}  // namespace

Reason why_empty_groups_meet(Function& linear) {
  ActiveLanes active(linear);
  for (BasicBlock& block : linear) {
    Value* mask = nullptr;
    for (Instruction& i : block) {
      if (calls(&i, kMask)) mask = i.getOperand(0);
      if (mask && as_block_sync(i) && !active.in(&block, mask))
        return {"groups whose threads have all left may come to a barrier", source_line(i)};
    }
  }
  return {};
}

}  // namespace lanza::compiler
