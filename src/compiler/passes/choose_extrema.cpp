#include "compiler/passes/choose_extrema.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/DomConditionCache.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {
namespace {

bool is_extremum(const Instruction& i) {
  auto* call = dyn_cast<IntrinsicInst>(&i);
  return call && (call->getIntrinsicID() == Intrinsic::maxnum || call->getIntrinsicID() == Intrinsic::minnum);
}

/// Whether a maximum with it may be less than zero, a minimum greater.
bool is_beyond_zero(const Value* v, bool is_maximum) {
  auto* number = dyn_cast<ConstantFP>(v);
  return number && !number->isZero() && !number->isNaN() && number->isNegative() == is_maximum;
}

/// Whether LLVM would take the extremum of x and y for one of x's sign, though it is y where x is NaN.
bool hides_sign(const Value* x, const Value* y, bool is_maximum, const SimplifyQuery& query) {
  const KnownFPClass of_x = computeKnownFPClass(x, fcAllFlags, 0, query);
  if (!of_x.SignBit || *of_x.SignBit == is_maximum || of_x.isKnownNeverNaN()) return false;
  const KnownFPClass of_y = computeKnownFPClass(y, fcAllFlags, 0, query);
  return of_y.isKnownNeverNaN() && of_y.SignBit != of_x.SignBit;
}

Value* choose(IntrinsicInst& extremum, const SimplifyQuery& query) {
  const bool is_maximum = extremum.getIntrinsicID() == Intrinsic::maxnum;
  Value *x = extremum.getArgOperand(0), *y = extremum.getArgOperand(1);
  IRBuilder<> b(&extremum);
  for (int turn = 0; turn < 2; ++turn, std::swap(x, y)) {
    if (is_beyond_zero(y, is_maximum))
      return b.CreateSelect(is_maximum ? b.CreateFCmpOGT(x, y) : b.CreateFCmpOLT(x, y), x, y);
    if (hides_sign(x, y, is_maximum, query))
      return b.CreateSelect(is_maximum ? b.CreateFCmpOGE(x, y) : b.CreateFCmpOLE(x, y), x, y);
  }
  return nullptr;
}

/// Whether the value is x or y.
bool is_either(Value* value, Value* x, Value* y) {
  Value *a, *b;
  if (auto* extremum = dyn_cast<IntrinsicInst>(value); extremum && is_extremum(*extremum)) {
    a = extremum->getArgOperand(0);
    b = extremum->getArgOperand(1);
  } else if (!match(value, m_Select(m_Value(), m_Value(a), m_Value(b)))) {
    return false;
  }
  return (a == x && b == y) || (a == y && b == x);
}

bool drop_choices_of_zeros(Function& function) {
  bool changed = false;
  for (Instruction& i : make_early_inc_range(instructions(function))) {
    auto* choice = dyn_cast<SelectInst>(&i);
    if (!choice) continue;
    const auto [x, y] = as_equal_numbers(*choice);
    if (!x || !(match(x, m_NonZeroFP()) || match(y, m_NonZeroFP()))) continue;
    if (!is_either(choice->getFalseValue(), x, y)) continue;
    choice->replaceAllUsesWith(choice->getFalseValue());
    choice->eraseFromParent();
    changed = true;
  }
  return changed;
}

}  // namespace

std::pair<Value*, Value*> as_equal_numbers(SelectInst& choice) {
  Value *x, *y;
  CmpInst::Predicate asks;
  if (!match(choice.getCondition(), m_FCmp(asks, m_Value(x), m_Value(y))) || asks != CmpInst::FCMP_OEQ) return {};
  auto bits_of = [](Value* bits, Value* number) {
    if (auto* constant = dyn_cast<Constant>(number)) return ConstantExpr::getBitCast(constant, bits->getType()) == bits;
    return match(bits, m_BitCast(m_Specific(number)));
  };
  Value *same = choice.getTrueValue(), *a, *b;
  if (same == x || same == y) return {x, y};
  if (!match(same, m_BitCast(m_CombineOr(m_And(m_Value(a), m_Value(b)), m_Or(m_Value(a), m_Value(b)))))) return {};
  const bool is_equals = (bits_of(a, x) && bits_of(b, y)) || (bits_of(a, y) && bits_of(b, x));
  return is_equals ? std::pair(x, y) : std::pair<Value*, Value*>();
}

PreservedAnalyses ChooseExtremaPass::run(Function& function, FunctionAnalysisManager& analyses) {
  bool changed = drop_choices_of_zeros(function);
  if (none_of(instructions(function), is_extremum))
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  DomConditionCache conditions;
  for (BasicBlock& block : function)
    if (auto* branch = dyn_cast<BranchInst>(block.getTerminator()); branch && branch->isConditional())
      conditions.registerBranch(branch);
  const SimplifyQuery query(function.getDataLayout(), nullptr, &analyses.getResult<DominatorTreeAnalysis>(function),
                            &analyses.getResult<AssumptionAnalysis>(function), nullptr, true, true, &conditions);
  for (Instruction& i : make_early_inc_range(instructions(function))) {
    if (!is_extremum(i)) continue;
    Value* choice = choose(cast<IntrinsicInst>(i), query.getWithInstruction(&i));
    if (!choice) continue;
    i.replaceAllUsesWith(choice);
    i.eraseFromParent();
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace lanza::compiler
