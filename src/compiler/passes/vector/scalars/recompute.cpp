#include "compiler/passes/vector/scalars/recompute.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace lanza::compiler {

bool Recomputer::is_there(const Value* value) const {
  auto* i = dyn_cast<Instruction>(value);
  return !i || dominators_.dominates(i, &*builder.GetInsertPoint());
}

bool Recomputer::can(const Value* value, unsigned depth) const {
  if (Value* index = replaced_.lookup(value)) return depth != 0 && can(index, depth - 1);
  if (is_there(value)) return true;
  auto* i = cast<Instruction>(value);
  if (depth == 0 || isa<PHINode>(i) || i->mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(i)) return false;
  if (auto* call = dyn_cast<CallInst>(i); call && (!isa<IntrinsicInst>(call) || call->isConvergent())) return false;
  return all_of(i->operands(), [&](const Use& operand) { return isa<Function>(operand) || can(operand, depth - 1); });
}

bool keeps_sum(const Instruction& i, Recomputer::Extension extension) {
  if (auto* parts = dyn_cast<PossiblyDisjointInst>(&i)) return parts->isDisjoint();
  auto* sum = dyn_cast<OverflowingBinaryOperator>(&i);
  return sum && (extension == Recomputer::Extension::Sign ? sum->hasNoSignedWrap() : sum->hasNoUnsignedWrap());
}

Recomputer::Sum Recomputer::split(Value* value, Extension extension) const {
  Sum sum{value, 0};
  while (sum.base) {
    if (Value* index = replaced_.lookup(sum.base)) {
      sum.base = index;
      continue;
    }
    auto* i = dyn_cast<Instruction>(sum.base);
    const bool adds = i && (i->getOpcode() == Instruction::Add || i->getOpcode() == Instruction::Or);
    auto* constant = dyn_cast<ConstantInt>(adds ? i->getOperand(1) : sum.base);
    if (!constant || (adds && !keeps_sum(*i, extension))) break;
    sum.offset +=
        extension == Extension::Sign ? constant->getSExtValue() : static_cast<int64_t>(constant->getZExtValue());
    sum.base = adds ? i->getOperand(0) : nullptr;
  }
  return sum;
}

Value* Recomputer::copy(Value* value) {
  if (Value* index = replaced_.lookup(value)) return copy(index);
  if (is_there(value)) return value;
  if (Value* before = copies_.lookup(value)) return before;
  Instruction* result = cast<Instruction>(value)->clone();
  for (Use& operand : result->operands()) operand.set(copy(operand));
  result->dropPoisonGeneratingFlags();
  return copies_[value] = builder.Insert(result);
}

Value* Recomputer::wide(Value* value, Extension extension) {
  if (Value* index = replaced_.lookup(value)) return wide(index, extension);
  if (auto* i = dyn_cast<Instruction>(value))
    if (Value* result = wide_operation(*i, extension)) return result;
  Type* i64 = builder.getInt64Ty();
  return extension == Extension::Sign ? builder.CreateSExt(copy(value), i64) : builder.CreateZExt(copy(value), i64);
}

// Null: the operation is defined for all its operands, or has no counterpart.
Value* Recomputer::wide_operation(Instruction& i, Extension extension) {
  if (auto* clamp = dyn_cast<MinMaxIntrinsic>(&i)) {
    if (clamp->isSigned() != (extension == Extension::Sign)) return nullptr;
    Value* left = wide(i.getOperand(0), extension);
    return builder.CreateBinaryIntrinsic(clamp->getIntrinsicID(), left, wide(i.getOperand(1), extension));
  }
  if (!keeps_sum(i, extension) || i.getOpcode() == Instruction::Shl) return nullptr;
  if (isa<PossiblyDisjointInst>(i) && is_there(&i)) return nullptr;
  // A sum of such products fits into 64 bits.
  auto* factor = dyn_cast<ConstantInt>(i.getOperand(1));
  if (i.getOpcode() == Instruction::Mul && (!factor || factor->getValue().abs().uge(1 << 16))) return nullptr;
  Value *left = wide(i.getOperand(0), extension), *right = wide(i.getOperand(1), extension);
  return isa<OverflowingBinaryOperator>(i)
             ? builder.CreateBinOp(static_cast<Instruction::BinaryOps>(i.getOpcode()), left, right)
             : builder.CreateAdd(left, right);
}

}  // namespace lanza::compiler
