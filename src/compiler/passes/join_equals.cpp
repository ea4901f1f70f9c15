#include "compiler/passes/join_equals.hpp"

#include <llvm/IR/Instructions.h>

using namespace llvm;

namespace lanza::compiler {

static bool is_cheap(const Value* v) {
  auto* binary = dyn_cast<BinaryOperator>(v);
  if (binary) return binary->getType()->isIntegerTy() && !binary->isIntDivRem();
  return isa<CastInst, GetElementPtrInst, ICmpInst>(v);
}

bool same_value(const Value* a, const Value* b, unsigned depth) {
  if (a == b) return true;
  auto *x = dyn_cast<Instruction>(a), *y = dyn_cast<Instruction>(b);
  if (!x || !y || depth == 0 || !is_cheap(x) || !x->isSameOperationAs(y)) return false;
  for (unsigned k = 0; k < x->getNumOperands(); ++k)
    if (!same_value(x->getOperand(k), y->getOperand(k), depth - 1)) return false;
  return true;
}

static bool joins_equals(const PHINode& phi) {
  const Value* first = phi.getIncomingValue(0);
  if (phi.getNumIncomingValues() < 2 || !is_cheap(first)) return false;
  return all_of(drop_begin(phi.incoming_values()), [&](const Use& other) { return same_value(first, other); });
}

Value* compute_at(Instruction* at, ArrayRef<Value*> values) {
  if (all_equal(values)) return values.front();
  Instruction* copy = cast<Instruction>(values.front())->clone();
  for (unsigned k = 0; k < copy->getNumOperands(); ++k) {
    SmallVector<Value*, 4> operands;
    for (Value* value : values) operands.push_back(cast<Instruction>(value)->getOperand(k));
    copy->setOperand(k, compute_at(at, operands));
  }
  for (Value* value : drop_begin(values)) copy->andIRFlags(value);
  copy->insertBefore(at);
  return copy;
}

PreservedAnalyses JoinEqualsPass::run(Function& function, FunctionAnalysisManager&) {
  bool changed = false;
  for (BasicBlock& block : function)
    for (PHINode& phi : make_early_inc_range(block.phis())) {
      if (!joins_equals(phi)) continue;
      const SmallVector<Value*, 4> values(phi.incoming_values());
      phi.replaceAllUsesWith(compute_at(&*block.getFirstInsertionPt(), values));
      phi.eraseFromParent();
      changed = true;
    }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace lanza::compiler
