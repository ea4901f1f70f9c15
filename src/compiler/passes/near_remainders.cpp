#include "compiler/passes/near_remainders.hpp"

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

// By a constant that is no power of two: those are masks and shifts. 0: it is none.
uint64_t divisor_of(const Instruction& i) {
  const auto* divisor = i.isIntDivRem() ? dyn_cast<ConstantInt>(i.getOperand(1)) : nullptr;
  if (!divisor || divisor->getBitWidth() > 64 || !divisor->getValue().isStrictlyPositive()) return 0;
  return divisor->getValue().isPowerOf2() ? 0 : divisor->getZExtValue();
}

/// How often the divisor fits into the least number and into the greatest; of any number, where nothing is known.
struct Turns {
  uint64_t first = 0, last = UINT64_MAX;
};

Turns turns_of(Instruction& i, uint64_t divisor, LazyValueInfo& values) {
  const ConstantRange range = values.getConstantRangeAtUse(i.getOperandUse(0), /*UndefAllowed=*/false);
  if (range.isEmptySet() || range.getSignedMin().isNegative()) return {};
  return {range.getUnsignedMin().getZExtValue() / divisor, range.getUnsignedMax().getZExtValue() / divisor};
}

// `(x + 1) % n` and `(x + n - 1) % n`.
bool is_step(const Value& sum, uint64_t divisor) {
  const APInt* by;
  if (!match(&sum, m_AddLike(m_Value(), m_APInt(by)))) return false;
  const uint64_t step = by->getZExtValue() % divisor;
  return by->isAllOnes() || step == 1 || step == divisor - 1;
}

bool is_column(const Instruction& remainder) {
  return any_of(remainder.getOperand(0)->users(), [&](const User* user) {
    auto* quotient = dyn_cast<BinaryOperator>(user);
    return quotient && quotient->getOperand(1) == remainder.getOperand(1) &&
           (quotient->getOpcode() == Instruction::UDiv || quotient->getOpcode() == Instruction::SDiv);
  });
}

// Null: it stays. An undefined number would be another one at each of the places of a choice.
Value* without_division(Instruction& i, LazyValueInfo& values) {
  const uint64_t divisor = divisor_of(i);
  if (divisor == 0) return nullptr;
  const auto [first, last] = turns_of(i, divisor, values);
  Value* x = i.getOperand(0);
  if (last - first > 1) return nullptr;
  const bool is_quotient = i.getOpcode() == Instruction::UDiv || i.getOpcode() == Instruction::SDiv;
  const auto constant = [&](uint64_t number) { return ConstantInt::get(i.getType(), number); };
  IRBuilder<> b(&i);
  const auto less = [&](uint64_t turn, bool is_never_negative) -> Value* {
    return turn == 0 ? x : b.CreateSub(x, constant(turn * divisor), "", is_never_negative, /*HasNSW=*/true);
  };
  if (first == last) return is_quotient ? constant(first) : less(first, true);
  if (is_quotient || is_step(*x, divisor) || is_column(i)) return nullptr;
  if (!isGuaranteedNotToBeUndef(x, nullptr, &i)) return nullptr;
  Value* is_before = b.CreateICmpULT(x, constant(last * divisor));
  return b.CreateSelect(is_before, less(first, true), less(last, false));
}

}  // namespace

PreservedAnalyses NearRemaindersPass::run(Function& function, FunctionAnalysisManager& analyses) {
  if (none_of(instructions(function), [](const Instruction& i) { return divisor_of(i) != 0; }))
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
