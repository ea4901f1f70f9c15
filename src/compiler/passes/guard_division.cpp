#include "compiler/passes/guard_division.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;

namespace lanza::compiler {

static bool is_signed(const BinaryOperator& i) {
  return i.getOpcode() == Instruction::SDiv || i.getOpcode() == Instruction::SRem;
}
static bool is_remainder(const BinaryOperator& i) {
  return i.getOpcode() == Instruction::SRem || i.getOpcode() == Instruction::URem;
}

static bool is_safe(const BinaryOperator& i) {
  const APInt* divisor;
  if (!PatternMatch::match(i.getOperand(1), PatternMatch::m_APInt(divisor))) return false;
  return !divisor->isZero() && !(is_signed(i) && divisor->isAllOnes());
}

// What a GPU gives for x / 0 and x % 0 (observed on sm_90): all ones; of 64 bits, it divides those that fit into 32 as
// such.
static Value* by_zero(IRBuilder<>& b, Value* dividend) {
  Type* type = dividend->getType();
  Value* ones = Constant::getAllOnesValue(type);
  if (type->getScalarSizeInBits() != 64) return ones;
  Constant* word = ConstantInt::get(type, 0xffffffff);
  return b.CreateSelect(b.CreateICmpULE(dividend, word), word, ones);
}

// x / y  ->  y == 0 ? by_zero(x) : y == -1 ? -x : x / safe(y), where safe(y) is y, or 1 where the branch is not taken.
static void guard(BinaryOperator& division) {
  IRBuilder<> b(&division);
  Type* type = division.getType();
  Value* dividend = division.getOperand(0);
  Value* divisor = b.CreateFreeze(division.getOperand(1));
  Value* ones = Constant::getAllOnesValue(type);
  Value* zero = b.CreateIsNull(divisor);
  Value* unsafe = zero;
  Value* minus_one = nullptr;
  if (is_signed(division)) {
    minus_one = b.CreateICmpEQ(divisor, ones);
    unsafe = b.CreateOr(zero, minus_one);
  }
  Value* safe = b.CreateSelect(unsafe, ConstantInt::get(type, 1), divisor);
  Value* result = b.CreateBinOp(division.getOpcode(), dividend, safe);
  if (minus_one)
    result = b.CreateSelect(minus_one, is_remainder(division) ? Constant::getNullValue(type) : b.CreateNeg(dividend),
                            result);
  result = b.CreateSelect(zero, by_zero(b, dividend), result);
  division.replaceAllUsesWith(result);
  division.eraseFromParent();
}

PreservedAnalyses GuardDivisionPass::run(Function& function, FunctionAnalysisManager&) {
  SmallVector<BinaryOperator*, 16> work;
  for (Instruction& i : instructions(function))
    if (auto* division = dyn_cast<BinaryOperator>(&i); division && division->isIntDivRem() && !is_safe(*division))
      work.push_back(division);
  for (BinaryOperator* division : work) guard(*division);
  return work.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

}  // namespace lanza::compiler
