#include "compiler/passes/cycle_ways.hpp"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>

using namespace llvm;

namespace lanza::compiler {

bool CycleWays::end_well(const BasicBlock* block, const Known& known, bool again) {
  if (--budget_ < 0) return false;
  const Instruction* end = block->getTerminator();
  if (auto* branch = dyn_cast<BranchInst>(end); branch && branch->isConditional()) {
    auto* truth = dyn_cast_or_null<ConstantInt>(evaluate(branch->getCondition(), known, again));
    if (truth) return goes_well(block, branch->getSuccessor(truth->isOne() ? 0 : 1), known, again);
  }
  if (auto* ways = dyn_cast<SwitchInst>(end))
    if (auto* value = dyn_cast_or_null<ConstantInt>(evaluate(ways->getCondition(), known, again)))
      return goes_well(block, ways->findCaseValue(value)->getCaseSuccessor(), known, again);
  return all_of(successors(end), [&](const BasicBlock* next) { return goes_well(block, next, known, again); });
}

bool CycleWays::goes_well(const BasicBlock* from, const BasicBlock* next, const Known& known, bool again) {
  if (!cycle_.contains(next)) return true;
  if (next == goal_) return is_goal_good_;
  if (is_contained(cycle_.getEntries(), next)) {
    if (is_goal_good_ || again) return false;
    again = true;
  }
  Known there = known;
  for (const PHINode& phi : next->phis()) {
    there.erase(&phi);
    if (const Value* v = evaluate(phi.getIncomingValueForBlock(from), known, again)) there[&phi] = v;
  }
  return end_well(next, there, again);
}

// Null: not known. In the next turn what is not computed from what is known has another value than it had.
const Value* CycleWays::evaluate(const Value* v, const Known& known, bool again, unsigned depth) const {
  if (isa<Constant>(v)) return v;
  if (const Value* found = known.lookup(v)) return found;
  auto* i = dyn_cast<Instruction>(v);
  if (!i || !cycle_.contains(i->getParent())) return v;
  const Value* unknown = again ? nullptr : v;
  if (depth == 0 || isa<PHINode>(i)) return unknown;
  auto operand = [&](unsigned k) { return evaluate(i->getOperand(k), known, again, depth - 1); };
  if (isa<SelectInst>(i)) {
    auto* truth = dyn_cast_or_null<ConstantInt>(operand(0));
    return truth ? operand(truth->isOne() ? 1 : 2) : unknown;
  }
  if (!isa<CmpInst, BinaryOperator, CastInst, FreezeInst>(i)) return unknown;
  SmallVector<const Value*, 2> operands;
  for (unsigned k = 0; k < i->getNumOperands(); ++k) operands.push_back(operand(k));
  const Value* result = folded(*i, operands);
  return result ? result : unknown;
}

// Of operands, of which each may be null, that are not known.
const Value* CycleWays::folded(const Instruction& i, ArrayRef<const Value*> operands) const {
  auto* compare = dyn_cast<CmpInst>(&i);
  if (isa<ICmpInst>(i) && operands[0] && operands[0] == operands[1])
    return ConstantInt::getBool(i.getType(), compare->isTrueWhenEqual());
  if (isa<ICmpInst>(i) && compare->isEquality() && are_different(operands[0], operands[1]))
    return ConstantInt::getBool(i.getType(), compare->isFalseWhenEqual());
  SmallVector<Constant*, 2> constants;
  for (const Value* v : operands)
    if (auto* c = dyn_cast_or_null<Constant>(v)) constants.push_back(const_cast<Constant*>(c));
  if (isa<BinaryOperator>(i) && i.getType()->isIntegerTy(1))
    for (Constant* c : constants) {
      if (i.getOpcode() == Instruction::Or && c->isOneValue()) return c;
      if (i.getOpcode() == Instruction::And && c->isNullValue()) return c;
    }
  if (constants.size() != operands.size()) return nullptr;
  if (isa<FreezeInst>(i)) return constants[0];
  const DataLayout& layout = i.getModule()->getDataLayout();
  if (compare) return ConstantFoldCompareInstOperands(compare->getPredicate(), constants[0], constants[1], layout);
  return ConstantFoldInstOperands(const_cast<Instruction*>(&i), constants, layout);
}

bool CycleWays::are_different(const Value* a, const Value* b) const {
  return a && b && ((a == differ_.first && b == differ_.second) || (b == differ_.first && a == differ_.second));
}

}  // namespace lanza::compiler
