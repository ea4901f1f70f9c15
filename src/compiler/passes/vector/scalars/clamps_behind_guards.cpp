#include "compiler/passes/vector/scalars/clamps_behind_guards.hpp"

#include <map>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Utils/Local.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostSteps = 8;     // from an address to the clamp
constexpr unsigned kMostCopies = 400;  // instructions

bool is_step(const Instruction& i) {
  if (isa<MinMaxIntrinsic>(i)) return !i.getType()->isVectorTy();
  return isa<GetElementPtrInst, CastInst>(i) || (isa<BinaryOperator>(i) && !i.isIntDivRem());
}

bool holds_clamp(const Value& v, unsigned steps = kMostSteps) {
  auto* i = dyn_cast<Instruction>(&v);
  if (!i || steps == 0 || !is_step(*i)) return false;
  return isa<MinMaxIntrinsic>(i) ||
         any_of(i->operand_values(), [&](const Value* o) { return holds_clamp(*o, steps - 1); });
}

class Clamps {
 public:
  explicit Clamps(const DominatorTree& dominators) : dominators_(dominators) {}

  bool compute_behind_guard(Instruction& access) {
    const unsigned address = isa<StoreInst>(access) ? StoreInst::getPointerOperandIndex() : 0U;
    Value* before = access.getOperand(address);
    BasicBlock* guarded = guarded_block(*access.getParent());
    if (!guarded || !holds_clamp(*before) || copies_.size() > kMostCopies) return false;
    Value* here = copy(before, *guarded);
    if (here == before) return false;
    access.setOperand(address, here);
    replaced_.push_back(before);
    return true;
  }

  void erase_replaced() { RecursivelyDeleteTriviallyDeadInstructionsPermissive(replaced_); }

 private:
  // The innermost one around it that a question leads to, and nothing else.
  BasicBlock* guarded_block(BasicBlock& block) const {
    for (auto* node = dominators_.getNode(&block); node; node = node->getIDom()) {
      BasicBlock* from = node->getBlock()->getSinglePredecessor();
      auto* question = from ? dyn_cast<BranchInst>(from->getTerminator()) : nullptr;
      if (question && question->isConditional() && question->getSuccessor(0) != question->getSuccessor(1))
        return node->getBlock();
    }
    return nullptr;
  }

  // With what is clamped: the guard's range is one of numbers that are computed behind it.
  Value* copy(Value* v, BasicBlock& guarded, bool is_clamped = false) {
    auto* i = dyn_cast<Instruction>(v);
    if (!i || !is_step(*i) || dominators_.dominates(&guarded, i->getParent())) return v;
    if (!(is_clamped && isa<BinaryOperator>(i)) && !holds_clamp(*i)) return v;
    if (const auto known = copies_.find({i, &guarded}); known != copies_.end()) return known->second;
    Instruction* here = i->clone();
    for (Use& operand : here->operands()) operand.set(copy(operand, guarded, isa<MinMaxIntrinsic>(i)));
    Instruction*& last = last_[&guarded];
    here->insertInto(&guarded, last ? std::next(last->getIterator()) : guarded.getFirstInsertionPt());
    last = here;
    copies_[{i, &guarded}] = here;
    return here;
  }

  const DominatorTree& dominators_;
  std::map<std::pair<Instruction*, BasicBlock*>, Instruction*> copies_;
  DenseMap<BasicBlock*, Instruction*> last_;  ///< of the copies in a block: operands stand in front of it
  SmallVector<WeakTrackingVH, 32> replaced_;
};

}  // namespace

bool clamp_behind_guards(Function& kernel, const DominatorTree& dominators) {
  SmallVector<Instruction*, 32> accesses;
  for (Instruction& i : instructions(kernel))
    if (isa<LoadInst, StoreInst>(i)) accesses.push_back(&i);
  Clamps clamps(dominators);
  bool changed = false;
  for (Instruction* access : accesses) changed |= clamps.compute_behind_guard(*access);
  clamps.erase_replaced();
  return changed;
}

}  // namespace lanza::compiler
