#include "compiler/passes/vector/lanes/short_divisions.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kBits = 22;

bool is_signed(const Instruction& i) {
  return i.getOpcode() == Instruction::SDiv || i.getOpcode() == Instruction::SRem;
}

bool is_remainder(const Instruction& i) {
  return i.getOpcode() == Instruction::URem || i.getOpcode() == Instruction::SRem;
}

// The constant that it divides by, where both are small; by powers of two it shifts.
const APInt* short_divisor(const Instruction& i) {
  const APInt* divisor;
  if (!i.isIntDivRem() || !i.getType()->isVectorTy() || i.getType()->getScalarSizeInBits() != 32) return nullptr;
  if (!match(i.getOperand(1), m_APInt(divisor)) || divisor->isPowerOf2() || divisor->getActiveBits() > kBits)
    return nullptr;
  const DataLayout& layout = i.getDataLayout();
  const bool fits = computeKnownBits(i.getOperand(0), layout).countMaxActiveBits() <= kBits ||
                    (is_signed(i) && ComputeMaxSignificantBits(i.getOperand(0), layout) <= kBits);
  return fits ? divisor : nullptr;
}

Constant* inverse(const APInt& divisor, Type* type) {
  APFloat result(APFloat::IEEEsingle(), 1), by(APFloat::IEEEsingle());
  by.convertFromAPInt(divisor, /*IsSigned=*/false, APFloat::rmNearestTiesToEven);
  result.divide(by, APFloat::rmTowardPositive);
  return ConstantFP::get(type, result);
}

void shorten(Instruction& i, const APInt& divisor) {
  IRBuilder<> b(&i);
  Value* dividend = i.getOperand(0);
  Type* type = i.getType()->getWithNewType(b.getFloatTy());
  Value* product = b.CreateFMul(b.CreateSIToFP(dividend, type), inverse(divisor, type));
  Value* result = b.CreateFPToSI(product, i.getType());
  if (is_remainder(i)) result = b.CreateSub(dividend, b.CreateMul(result, i.getOperand(1)));
  i.replaceAllUsesWith(result);
  i.eraseFromParent();
}

}  // namespace

bool shorten_divisions(Function& run) {
  bool changed = false;
  for (Instruction& i : make_early_inc_range(instructions(run)))
    if (const APInt* divisor = short_divisor(i)) {
      shorten(i, *divisor);
      changed = true;
    }
  return changed;
}

}  // namespace lanza::compiler
