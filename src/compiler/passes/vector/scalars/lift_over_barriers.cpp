#include "compiler/passes/vector/scalars/lift_over_barriers.hpp"

#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/passes/sync_calls.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr size_t kMostLifted = 16;    // instructions for one result: a maximum with its zeros has seven
constexpr size_t kLongestIndex = 16;  // what is made of indices in so many steps is computed again
// Behind a barrier that are looked at: of 850 barriers in a kernel each would look at all code (0.6 s of 3.4).
constexpr size_t kFarthest = 1000;

bool is_arithmetic(const Instruction& i) {
  if (isa<CastInst, CmpInst, SelectInst>(i)) return true;
  if (isa<BinaryOperator>(i))
    return !i.isIntDivRem() && i.getOpcode() != Instruction::FDiv && i.getOpcode() != Instruction::FRem;
  switch (auto* call = dyn_cast<IntrinsicInst>(&i); call ? call->getIntrinsicID() : Intrinsic::not_intrinsic) {
    case Intrinsic::maxnum:
    case Intrinsic::minnum:
    case Intrinsic::fma:
    case Intrinsic::fabs:
    case Intrinsic::smax:
    case Intrinsic::smin:
    case Intrinsic::umax:
    case Intrinsic::umin:
      return true;
    default:
      return false;
  }
}

// Made of indices and arguments alone: no slot keeps it.
bool is_recomputed(const Instruction& value) {
  SmallSetVector<const Instruction*, 16> steps;
  steps.insert(&value);
  for (size_t k = 0; k < steps.size(); ++k) {
    if (steps.size() > kLongestIndex) return false;
    const Instruction& i = *steps[k];
    if (isa<CallInst>(i) && i.getNumOperands() == 1 && !i.mayReadOrWriteMemory()) continue;  // a special register
    if (!is_arithmetic(i) && !isa<GetElementPtrInst>(i)) return false;
    for (const Value* operand : i.operands())
      if (auto* from = dyn_cast<Instruction>(operand)) steps.insert(from);
  }
  return true;
}

/// The code that only one barrier leads to, of which arithmetic may move to `before`, in front of it.
class Lift {
 public:
  Lift(BasicBlock& barrier, BasicBlock& before, const DominatorTree& dominators)
      : barrier_(barrier), before_(before), dominators_(dominators) {}

  bool run() {
    find_liftable();
    bool changed = false;
    const SmallVector<Instruction*, 32> results(liftable_.begin(), liftable_.end());
    for (Instruction* result : results)
      if (is_result(*result)) changed |= lift(*result);
    return changed;
  }

 private:
  using Instructions = SmallSetVector<Instruction*, 16>;

  void find_liftable() {
    size_t seen = 0;
    for (const DomTreeNode* node : depth_first(dominators_.getNode(&barrier_)))
      for (Instruction& i : *node->getBlock()) {
        if (++seen > kFarthest) return;
        if (is_arithmetic(i) && isSafeToSpeculativelyExecute(&i) &&
            all_of(i.operands(), [&](const Use& from) { return may_lift(from) || is_there(from); }))
          liftable_.insert(&i);
      }
  }

  bool is_behind(const BasicBlock& block) const { return dominators_.dominates(&barrier_, &block); }
  bool may_lift(const Value* v) const { return liftable_.contains(dyn_cast<Instruction>(const_cast<Value*>(v))); }
  bool is_there(const Value* v) const {
    auto* i = dyn_cast<Instruction>(v);
    return !i || dominators_.dominates(i, before_.getTerminator());
  }
  bool is_result(const Instruction& i) const {
    return any_of(i.users(), [&](const User* user) { return !may_lift(user); });
  }

  // Whether it is wanted behind the barrier by others than these.
  bool is_wanted(const Instruction& value, const Instructions& lifted) const {
    return any_of(value.uses(), [&](const Use& use) {
      auto* user = cast<Instruction>(use.getUser());
      auto* phi = dyn_cast<PHINode>(user);
      return !lifted.contains(user) && is_behind(phi ? *phi->getIncomingBlock(use) : *user->getParent());
    });
  }

  bool lift(Instruction& result) {
    Instructions lifted, waiting;
    lifted.insert(&result);
    for (size_t k = 0; k < lifted.size(); ++k) {
      if (lifted.size() > kMostLifted) return false;
      for (Value* operand : lifted[k]->operands()) {
        auto* from = dyn_cast<Instruction>(operand);
        if (from && !is_there(from)) lifted.insert(from);
        if (from && is_there(from)) waiting.insert(from);
      }
    }
    const auto spared = count_if(waiting, [&](Instruction* i) { return !is_wanted(*i, lifted) && !is_recomputed(*i); });
    const auto added = count_if(lifted, [&](Instruction* i) { return is_wanted(*i, lifted); });
    if (spared <= added) return false;
    for (Instruction* i : liftable_)
      if (lifted.contains(i)) i->moveBefore(before_.getTerminator());
    liftable_.remove_if([&](Instruction* i) { return lifted.contains(i); });
    return true;
  }

  BasicBlock &barrier_, &before_;
  const DominatorTree& dominators_;
  SetVector<Instruction*> liftable_;  ///< each behind those that it is made of
};

}  // namespace

bool lift_over_barriers(Function& kernel) {
  const DominatorTree dominators(kernel);
  bool changed = false;
  for (BasicBlock& block : kernel) {
    BasicBlock* before = block.getSinglePredecessor();
    if (as_block_sync(block.front()) && before && before->getSingleSuccessor() && dominators.getNode(&block))
      changed |= Lift(block, *before, dominators).run();
  }
  return changed;
}

}  // namespace lanza::compiler
