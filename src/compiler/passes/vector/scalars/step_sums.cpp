#include "compiler/passes/vector/scalars/step_sums.hpp"

#include <algorithm>
#include <iterator>

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include "compiler/passes/vector/analysis/extensions.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

// From one end of such an index to the other no address wraps: both are accessed.
bool is_of_32_bits(const Value& index) {
  auto* wide = dyn_cast<CastInst>(&index);
  return wide && wide->getSrcTy()->isIntegerTy() && wide->getSrcTy()->getIntegerBitWidth() <= 32;
}

bool is_exact_counter(const PHINode& phi, const Loop& outer) {
  const BinaryOperator* step = step_of_counter(phi);
  return step && step->hasNoSignedWrap() && all_of(phi.incoming_values(), [&](const Use& value) {
           return value.get() == step || outer.isLoopInvariant(value);
         });
}

}  // namespace

BinaryOperator* step_of_counter(const PHINode& phi) {
  for (const Use& value : phi.incoming_values()) {
    auto* step = dyn_cast<BinaryOperator>(value);
    if (step && step->getOpcode() == Instruction::Add && step->getOperand(0) == &phi &&
        isa<ConstantInt>(step->getOperand(1)))
      return step;
  }
  return nullptr;
}

bool is_sum_of_steps(const Value& value, const Loop& outer, ArrayRef<const BasicBlock*> headers) {
  auto is_sum = [&](const Value& part) { return is_sum_of_steps(part, outer, headers); };
  if (outer.isLoopInvariant(&value)) return true;
  if (auto* phi = dyn_cast<PHINode>(&value))
    return is_contained(headers, phi->getParent()) && is_exact_counter(*phi, outer);
  if (auto* place = dyn_cast<GEPOperator>(&value))
    return place->getNumIndices() == 1 && (place->isInBounds() || is_of_32_bits(*place->idx_begin()->get())) &&
           is_sum(*place->getPointerOperand()) && is_sum(*place->idx_begin()->get());
  if (auto* wide = dyn_cast<CastInst>(&value)) return extends_sign(*wide) && is_sum(*wide->getOperand(0));
  if (auto* bits = dyn_cast<PossiblyDisjointInst>(&value))  // nothing is carried
    return bits->isDisjoint() && is_sum(*bits->getOperand(0)) && is_sum(*bits->getOperand(1));
  auto* i = dyn_cast<OverflowingBinaryOperator>(&value);
  if (!i || !i->hasNoSignedWrap()) return false;
  const Value *x = i->getOperand(0), *y = i->getOperand(1);
  if (i->getOpcode() == Instruction::Mul && outer.isLoopInvariant(x)) std::swap(x, y);
  const bool adds = i->getOpcode() == Instruction::Add || i->getOpcode() == Instruction::Sub;
  if (i->getOpcode() == Instruction::Shl && !isa<ConstantInt>(y)) return false;
  return is_sum(*x) && (adds ? is_sum(*y) : outer.isLoopInvariant(y));
}

Value* computed_at(Value* value, const Loop& outer, KnownValues& known, IRBuilder<>& b) {
  if (outer.isLoopInvariant(value)) return value;
  if (Value* made = known.lookup(value)) return made;
  Instruction* copy = cast<Instruction>(value)->clone();
  copy->dropPoisonGeneratingAnnotations();
  for (Use& operand : copy->operands()) operand.set(computed_at(operand, outer, known, b));
  b.Insert(copy);
  return known[value] = copy;
}

}  // namespace lanza::compiler
