#include "compiler/passes/clamp_choices.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/kept_analyses.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

static Value* as_extremum(IntrinsicInst& difference, const DataLayout& layout) {
  if (difference.getType()->isVectorTy() || difference.getType()->getIntegerBitWidth() < 32) return nullptr;
  Value *x = difference.getArgOperand(0), *by = difference.getArgOperand(1);
  const bool is_natural = isKnownNonNegative(x, layout) && isKnownNonNegative(by, layout);
  IRBuilder<> b(&difference);
  Value* most = b.CreateBinaryIntrinsic(is_natural ? Intrinsic::smax : Intrinsic::umax, x, by);
  if (const APInt * number; match(by, m_APInt(number)))  // as LLVM writes it
    return b.CreateAdd(most, ConstantInt::get(by->getType(), -*number), "", /*HasNUW=*/false, is_natural);
  return b.CreateSub(most, by, "", /*HasNUW=*/true, is_natural);
}

// Where `n - 1` wraps, n is the least number of all, and no index is less: it is what is chosen there, too.
static Value* as_extremum(SelectInst& choice) {
  Value *index, *size;
  Value* last = choice.getFalseValue();
  ICmpInst::Predicate asks;
  if (choice.getType()->isVectorTy() || !match(choice.getCondition(), m_ICmp(asks, m_Value(index), m_Value(size))))
    return nullptr;
  if (ICmpInst::isGT(asks)) {
    std::swap(index, size);
    asks = ICmpInst::getSwappedPredicate(asks);
  }
  if (!ICmpInst::isLT(asks) || choice.getTrueValue() != index) return nullptr;
  const bool is_signed = ICmpInst::isSigned(asks);
  const bool is_last = is_signed ? match(last, m_NSWAdd(m_Specific(size), m_AllOnes()))
                                 : match(size, m_NUWAdd(m_Specific(last), m_One()));
  if (!is_last) return nullptr;
  return IRBuilder<>(&choice).CreateBinaryIntrinsic(is_signed ? Intrinsic::smin : Intrinsic::umin, index, last);
}

PreservedAnalyses ClampChoicesPass::run(Function& function, FunctionAnalysisManager&) {
  const DataLayout& layout = function.getParent()->getDataLayout();
  bool changed = false;
  for (Instruction& i : make_early_inc_range(instructions(function))) {
    Value* extremum = nullptr;
    if (match(&i, m_Intrinsic<Intrinsic::usub_sat>()))
      extremum = as_extremum(cast<IntrinsicInst>(i), layout);
    else if (auto* choice = dyn_cast<SelectInst>(&i))
      extremum = as_extremum(*choice);
    if (!extremum) continue;
    i.replaceAllUsesWith(extremum);
    i.eraseFromParent();
    changed = true;
  }
  return keeps_control_flow(changed);
}

}  // namespace lanza::compiler
