// Quotients and remainders of integers, lane by lane: CPUs divide vectors of floating-point numbers only.
#include "compiler/passes/vector/widen/widener.hpp"

using namespace llvm;

namespace lanza::compiler {

// A type that holds the integers and in which their quotients, cut off, are exact: a / b, where it is no integer, lies
// at least 1 / b below the next one, n, so apart by a part of 1 / (n b) > 1 / (a + b), far more than what rounding
// adds. Null: there is none.
static Type* exact_quotients(IRBuilder<>& b, unsigned bits) {
  if (bits <= 16) return b.getFloatTy();
  return bits <= 32 ? b.getDoubleTy() : nullptr;
}

// (a + 1/2) * (1 / b), cut off: what is added keeps it apart from integers by a part of 1 / (2 a + 1), which rounding
// twice does not reach.
Value* Widener::quotients_of_one(Value* dividends, Value* divisor, bool is_signed) {
  Type* each = dividends->getType()->getScalarType();
  Constant* half = ConstantFP::get(dividends->getType(), 0.5);
  Value* away = is_signed ? b_.CreateBinaryIntrinsic(Intrinsic::copysign, half, dividends) : half;
  Value* inverse = b_.CreateFDiv(ConstantFP::get(each, 1.0), divisor);
  return b_.CreateFMul(b_.CreateFAdd(dividends, away), splat(inverse));
}

// An inactive lane's divisor may be anything, and would stop the process or give no number.
void Widener::widen_division(BinaryOperator& i) {
  Value *dividend = vector(i.getOperand(0)), *divisor = vector(i.getOperand(1));
  Type* real = exact_quotients(b_, i.getType()->getIntegerBitWidth());
  const bool is_constant = isa<Constant>(divisor), is_one = shapes_.is_uniform(i.getOperand(1)) && real;
  Value* active = is_constant ? nullptr : mask();
  if (active && !is_one) divisor = b_.CreateSelect(active, divisor, ConstantInt::get(divisor->getType(), 1));
  if (is_constant || !real) return set(i, b_.CreateBinOp(i.getOpcode(), dividend, divisor));
  const bool is_signed = i.getOpcode() == Instruction::SDiv || i.getOpcode() == Instruction::SRem;
  const bool is_remainder = i.getOpcode() == Instruction::SRem || i.getOpcode() == Instruction::URem;
  auto as_real = [&](Value* v) {
    Type* type = v->getType()->isVectorTy() ? wide(real) : real;
    return is_signed ? b_.CreateSIToFP(v, type) : b_.CreateUIToFP(v, type);
  };
  Value* reals = as_real(dividend);
  Value* by = as_real(is_one ? scalar(i.getOperand(1)) : divisor);
  Value* ratio = is_one ? quotients_of_one(reals, by, is_signed) : b_.CreateFDiv(reals, by);
  Type* type = dividend->getType();
  Value* quotient = is_signed ? b_.CreateFPToSI(ratio, type) : b_.CreateFPToUI(ratio, type);
  if (active && is_one) quotient = b_.CreateFreeze(quotient);  // without any lane the divisor may be 0
  set(i, is_remainder ? b_.CreateSub(dividend, b_.CreateMul(quotient, divisor)) : quotient);
}

}  // namespace lanza::compiler
