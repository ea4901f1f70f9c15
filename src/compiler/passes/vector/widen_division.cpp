// Quotients and remainders of integers, lane by lane: CPUs divide vectors of floating-point numbers only.
#include "compiler/passes/vector/widener.hpp"

using namespace llvm;

namespace lanza::compiler {

// A type whose quotients, cut off, are those of the integers; null: there is none. a / b, where it is no integer, lies
// at least 1 / b below the next one, n, so apart by a part of 1 / (n b) > 1 / (a + b): more than what rounding adds.
static Type* exact_quotients(IRBuilder<>& b, unsigned bits) {
  if (bits <= 16) return b.getFloatTy();
  return bits <= 32 ? b.getDoubleTy() : nullptr;
}

// An inactive lane's divisor may be anything, and would stop the process or give no number.
void Widener::widen_division(BinaryOperator& i) {
  Value *dividend = vector(i.getOperand(0)), *divisor = vector(i.getOperand(1));
  if (Value* active = mask(); active && !isa<Constant>(divisor))
    divisor = b_.CreateSelect(active, divisor, ConstantInt::get(divisor->getType(), 1));
  Type* real = exact_quotients(b_, i.getType()->getIntegerBitWidth());
  if (isa<Constant>(divisor) || !real) return set(i, b_.CreateBinOp(i.getOpcode(), dividend, divisor));
  const bool is_signed = i.getOpcode() == Instruction::SDiv || i.getOpcode() == Instruction::SRem;
  const bool is_remainder = i.getOpcode() == Instruction::SRem || i.getOpcode() == Instruction::URem;
  auto as_real = [&](Value* v) { return is_signed ? b_.CreateSIToFP(v, wide(real)) : b_.CreateUIToFP(v, wide(real)); };
  Value* ratio = b_.CreateFDiv(as_real(dividend), as_real(divisor));
  Type* type = dividend->getType();
  Value* quotient = is_signed ? b_.CreateFPToSI(ratio, type) : b_.CreateFPToUI(ratio, type);
  set(i, is_remainder ? b_.CreateSub(dividend, b_.CreateMul(quotient, divisor)) : quotient);
}

}  // namespace lanza::compiler
