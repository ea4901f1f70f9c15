// Quotients and remainders of integers, lane by lane: CPUs divide vectors of floating-point numbers only.
#include "compiler/passes/vector/scalars/fold_rings.hpp"
#include "compiler/passes/vector/widen/widener.hpp"

using namespace llvm;

namespace lanza::compiler {

static constexpr uint64_t kLargestRing = 1 << 29;

// A type that holds the integers and in which their quotients, cut off, are exact: a / b, where it is no integer, lies
// at least 1 / b below the next one, n, so apart by a part of 1 / (n b) > 1 / (a + b), far more than what rounding
// adds. Null: there is none.
static Type* exact_quotients(IRBuilder<>& b, unsigned bits) {
  if (bits <= 16) return b.getFloatTy();
  return bits <= 32 ? b.getDoubleTy() : nullptr;
}

Value* Widener::as_real(Value* integers, Type* type, bool is_signed) {
  return is_signed ? b_.CreateSIToFP(integers, type) : b_.CreateUIToFP(integers, type);
}

Value* Widener::as_integers(Value* reals, Type* type, bool is_signed) {
  return is_signed ? b_.CreateFPToSI(reals, type) : b_.CreateFPToUI(reals, type);
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

// Whether all lanes' are of 22 bits, so that floats do (exact_quotients()): one division of 16 lanes instead of two of
// 8 that take twice as long each.
Value* Widener::are_short(Value* dividends, Value* divisors, bool is_signed) {
  Type* type = dividends->getType();
  auto magnitude = [&](Value* v) {
    return is_signed ? b_.CreateXor(v, b_.CreateAShr(v, ConstantInt::get(type, 31))) : v;
  };
  Value* bits = b_.CreateOr(magnitude(dividends), magnitude(divisors));
  Value* fits = b_.CreateICmpULT(bits, ConstantInt::get(type, 1 << 22));
  return b_.CreateICmpEQ(b_.CreateBitCast(fits, bits_type()), Constant::getAllOnesValue(bits_type()));
}

Value* Widener::quotients(Value* dividends, Value* divisors, Type* real, bool is_signed) {
  Value* ratios = b_.CreateFDiv(as_real(dividends, wide(real), is_signed), as_real(divisors, wide(real), is_signed));
  return as_integers(ratios, dividends->getType(), is_signed);
}

Value* Widener::quotients_by_size(Value* dividends, Value* divisors, bool is_signed) {
  const auto [small, large, after] = branch_on(are_short(dividends, divisors, is_signed));
  Value* of_small = quotients(dividends, divisors, b_.getFloatTy(), is_signed);
  b_.CreateBr(after);
  b_.SetInsertPoint(large);
  Value* of_large = quotients(dividends, divisors, b_.getDoubleTy(), is_signed);
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
  PHINode* result = b_.CreatePHI(dividends->getType(), 2);
  result->addIncoming(of_small, small);
  result->addIncoming(of_large, large);
  return result;
}

// Of a place beside its ring (`(x + n - 1) % n`), which n is taken off twice at most: an unsigned minimum does where
// there is something to take off. Others are divided, at once where one of the active lanes' is.
Value* Widener::remainders_beside(Value* dividends, Value* divisor, Value* active, bool is_signed,
                                  function_ref<Value*()> divided) {
  Value *n = splat(divisor), *rest = dividends;
  for (unsigned k = 0; k < 2; ++k) rest = b_.CreateBinaryIntrinsic(Intrinsic::umin, rest, b_.CreateSub(rest, n));
  Value* beyond = b_.CreateICmpUGE(rest, n);
  if (active) beyond = b_.CreateSelect(active, beyond, Constant::getNullValue(beyond->getType()));
  Value* is_beside = b_.CreateIsNull(b_.CreateBitCast(beyond, bits_type()));
  if (is_signed) {  // then numbers below 0 are beyond
    Value* before = b_.CreateSub(divisor, ConstantInt::get(divisor->getType(), 1));
    is_beside = b_.CreateAnd(is_beside, b_.CreateICmpULT(before, ConstantInt::get(divisor->getType(), kLargestRing)));
  }
  const auto known = here_;
  const auto [beside, far, after] = branch_on(b_.CreateFreeze(is_beside));
  b_.CreateBr(after);
  b_.SetInsertPoint(far);
  Value* remainders = divided();
  b_.CreateBr(after);
  here_ = known;
  b_.SetInsertPoint(after);
  PHINode* result = b_.CreatePHI(dividends->getType(), 2);
  result->addIncoming(rest, beside);
  result->addIncoming(remainders, far);
  return result;
}

// An inactive lane's divisor may be anything, and would stop the process or give no number.
void Widener::widen_division(BinaryOperator& i) {
  Value *dividend = vector(i.getOperand(0)), *divisor = vector(i.getOperand(1));
  const unsigned bits = i.getType()->getIntegerBitWidth();
  Type *type = dividend->getType(), *real = exact_quotients(b_, bits);
  const bool is_constant = isa<Constant>(divisor), is_one = shapes_.is_uniform(i.getOperand(1)) && real;
  Value* active = is_constant ? nullptr : mask();
  if (active && !is_one) divisor = b_.CreateSelect(active, divisor, ConstantInt::get(divisor->getType(), 1));
  if (is_constant || !real) return set(i, b_.CreateBinOp(i.getOpcode(), dividend, divisor));
  const bool is_signed = i.getOpcode() == Instruction::SDiv || i.getOpcode() == Instruction::SRem;
  const bool is_remainder = i.getOpcode() == Instruction::SRem || i.getOpcode() == Instruction::URem;
  if (is_one) {
    Value* by = scalar(i.getOperand(1));
    auto quotient = [&] {
      Value* reals = as_real(dividend, wide(real), is_signed);
      Value* whole = as_integers(quotients_of_one(reals, as_real(by, real, is_signed), is_signed), type, is_signed);
      return active ? b_.CreateFreeze(whole) : whole;  // without any lane the divisor may be 0
    };
    if (!is_remainder) return set(i, quotient());
    auto remainder = [&] { return b_.CreateSub(dividend, b_.CreateMul(quotient(), divisor)); };
    if (bits != 32 || !wraps_neighbour(i)) return set(i, remainder());
    dividend = b_.CreateFreeze(dividend);
    return set(i, remainders_beside(dividend, by, active, is_signed, remainder));
  }
  Value* quotient =
      bits == 32 ? quotients_by_size(dividend, divisor, is_signed) : quotients(dividend, divisor, real, is_signed);
  set(i, is_remainder ? b_.CreateSub(dividend, b_.CreateMul(quotient, divisor)) : quotient);
}

}  // namespace lanza::compiler
