#include "compiler/passes/constant_extrema.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace lanza::compiler {

PreservedAnalyses ConstantExtremaPass::run(Function& function, FunctionAnalysisManager&) {
  bool changed = false;
  for (Instruction& i : make_early_inc_range(instructions(function))) {
    auto* call = dyn_cast<IntrinsicInst>(&i);
    const bool is_maximum = call && call->getIntrinsicID() == Intrinsic::maxnum;
    if (!is_maximum && !(call && call->getIntrinsicID() == Intrinsic::minnum)) continue;
    Value *x = call->getArgOperand(0), *bound = call->getArgOperand(1);
    if (isa<ConstantFP>(x)) std::swap(x, bound);
    auto* number = dyn_cast<ConstantFP>(bound);
    if (!number || number->isZero() || number->isNaN() || number->isNegative() != is_maximum) continue;
    IRBuilder<> b(call);
    Value* is_beyond = is_maximum ? b.CreateFCmpOGT(x, number) : b.CreateFCmpOLT(x, number);
    call->replaceAllUsesWith(b.CreateSelect(is_beyond, x, number));
    call->eraseFromParent();
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace lanza::compiler
