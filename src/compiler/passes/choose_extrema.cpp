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

}  // namespace

PreservedAnalyses ChooseExtremaPass::run(Function& function, FunctionAnalysisManager& analyses) {
  if (none_of(instructions(function), is_extremum)) return PreservedAnalyses::all();
  DomConditionCache conditions;
  for (BasicBlock& block : function)
    if (auto* branch = dyn_cast<BranchInst>(block.getTerminator()); branch && branch->isConditional())
      conditions.registerBranch(branch);
  const SimplifyQuery query(function.getDataLayout(), nullptr, &analyses.getResult<DominatorTreeAnalysis>(function),
                            &analyses.getResult<AssumptionAnalysis>(function), nullptr, true, true, &conditions);
  bool changed = false;
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
