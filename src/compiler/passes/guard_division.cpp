#include "compiler/passes/guard_division.hpp"

#include <optional>

#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

static bool is_signed(const BinaryOperator& i) {
  return i.getOpcode() == Instruction::SDiv || i.getOpcode() == Instruction::SRem;
}
static bool is_remainder(const BinaryOperator& i) {
  return i.getOpcode() == Instruction::SRem || i.getOpcode() == Instruction::URem;
}

static bool is_safe(const BinaryOperator& i) {
  const APInt* divisor;
  if (!match(i.getOperand(1), m_APInt(divisor))) return false;
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

// What n is where x is in a range; null: it does not follow from x and constants.
static std::optional<ConstantRange> range_where(const Value* n, const Value* x, const ConstantRange& of_x,
                                                unsigned depth = 0) {
  constexpr unsigned kDeepest = 4;
  if (n == x) return of_x;
  auto* i = dyn_cast<Instruction>(n);
  if (!i || depth == kDeepest || !isa<BinaryOperator, CastInst, FreezeInst>(i)) return std::nullopt;
  std::optional<ConstantRange> from = range_where(i->getOperand(0), x, of_x, depth + 1);
  if (!from || isa<FreezeInst>(i)) return from;
  if (auto* cast = dyn_cast<CastInst>(i))
    return cast->isIntegerCast() ? std::optional(from->castOp(cast->getOpcode(), i->getType()->getIntegerBitWidth()))
                                 : std::nullopt;
  const APInt* by;
  if (!match(i->getOperand(1), m_APInt(by))) return std::nullopt;
  return from->binaryOp(cast<BinaryOperator>(i)->getOpcode(), ConstantRange(*by));
}

// Whether n is 0, -1 or 1 where it is true. LLVM asks for what n was made of, if it can.
static bool asks_for_zero(const Value* condition, const Value* n) {
  const Value *a, *b, *x;
  if (match(condition, m_LogicalOr(m_Value(a), m_Value(b)))) return asks_for_zero(a, n) && asks_for_zero(b, n);
  if (match(condition, m_LogicalAnd(m_Value(a), m_Value(b)))) return asks_for_zero(a, n) || asks_for_zero(b, n);
  ICmpInst::Predicate predicate;
  const APInt *limit, *more;
  if (!match(condition, m_ICmp(predicate, m_Value(x), m_APInt(limit)))) return false;
  ConstantRange where = ConstantRange::makeExactICmpRegion(predicate, *limit);
  auto range = range_where(n, x, where);
  if (!range && match(x, m_Add(m_Value(a), m_APInt(more)))) range = range_where(n, a, where.subtract(*more));
  return range && !range->isEmptySet() && range->getSignedMin().sge(-1) && range->getSignedMax().sle(1);
}

Value* unguarded_divisor(Value* divisor) {
  Value *base, *condition;
  if (match(divisor, m_UMax(m_Value(base), m_One()))) return base;
  const bool is_choice = match(divisor, m_Select(m_Value(condition), m_One(), m_Value(base)));
  return is_choice && asks_for_zero(condition, base) ? base : divisor;
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
