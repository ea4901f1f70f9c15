#include "compiler/passes/near_remainders.hpp"

#include <optional>

#include <llvm/Analysis/LazyValueInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/kept_analyses.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

// By a constant that is no power of two: those are masks and shifts.
const APInt* divisor_of(const Instruction& i) {
  const APInt* divisor;
  if (!i.isIntDivRem() || !match(i.getOperand(1), m_APInt(divisor)) || i.getType()->isVectorTy()) return nullptr;
  return divisor->isStrictlyPositive() && !divisor->isPowerOf2() ? divisor : nullptr;
}

/// How often the divisor fits into the least number and into the greatest.
struct Turns {
  APInt first, last;
};

std::optional<Turns> turns_of(Instruction& i, const APInt& divisor, LazyValueInfo& values) {
  const ConstantRange range = values.getConstantRangeAtUse(i.getOperandUse(0), /*UndefAllowed=*/false);
  if (range.isEmptySet() || range.getSignedMin().isNegative()) return std::nullopt;
  return Turns{range.getUnsignedMin().udiv(divisor), range.getUnsignedMax().udiv(divisor)};
}

// `(x + 1) % n` and `(x + n - 1) % n`.
bool is_step(const Value& sum, const APInt& divisor) {
  const APInt* by;
  if (!match(&sum, m_AddLike(m_Value(), m_APInt(by)))) return false;
  return by->isOne() || by->isAllOnes() || by->urem(divisor) == 1 || by->urem(divisor) == divisor - 1;
}

bool is_column(const Instruction& remainder) {
  return any_of(remainder.getOperand(0)->users(), [&](const User* user) {
    auto* quotient = dyn_cast<BinaryOperator>(user);
    return quotient && quotient->getOperand(1) == remainder.getOperand(1) &&
           (quotient->getOpcode() == Instruction::UDiv || quotient->getOpcode() == Instruction::SDiv);
  });
}

// Null: it stays. What nobody computed is another number wherever it is looked at.
Value* without_division(Instruction& i, LazyValueInfo& values) {
  const APInt* divisor = divisor_of(i);
  const auto turns = divisor ? turns_of(i, *divisor, values) : std::nullopt;
  Value* x = i.getOperand(0);
  if (!turns || (turns->last - turns->first).ugt(1)) return nullptr;
  const bool is_quotient = i.getOpcode() == Instruction::UDiv || i.getOpcode() == Instruction::SDiv;
  const auto constant = [&](const APInt& number) { return ConstantInt::get(i.getType(), number); };
  IRBuilder<> b(&i);
  const auto less = [&](const APInt& turn, bool is_never_negative) -> Value* {
    return turn.isZero() ? x : b.CreateSub(x, constant(turn * *divisor), "", is_never_negative, /*HasNSW=*/true);
  };
  if (turns->first == turns->last) return is_quotient ? constant(turns->first) : less(turns->first, true);
  if (is_quotient || is_step(*x, *divisor) || is_column(i)) return nullptr;
  if (!isGuaranteedNotToBeUndef(x, nullptr, &i)) return nullptr;
  Value* is_before = b.CreateICmpULT(x, constant(turns->last * *divisor));
  return b.CreateSelect(is_before, less(turns->first, true), less(turns->last, false));
}

}  // namespace

PreservedAnalyses NearRemaindersPass::run(Function& function, FunctionAnalysisManager& analyses) {
  if (none_of(instructions(function), [](const Instruction& i) { return divisor_of(i); }))
    return PreservedAnalyses::all();
  LazyValueInfo& values = analyses.getResult<LazyValueAnalysis>(function);
  bool changed = false;
  for (Instruction& i : make_early_inc_range(instructions(function))) {
    Value* result = without_division(i, values);
    if (!result) continue;
    i.replaceAllUsesWith(result);
    i.eraseFromParent();
    changed = true;
  }
  return keeps_control_flow(changed);
}

}  // namespace lanza::compiler
