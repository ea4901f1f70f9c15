#include "compiler/passes/drop_expectations.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace lanza::compiler {

PreservedAnalyses DropExpectationsPass::run(Function& function, FunctionAnalysisManager&) {
  bool changed = false;
  for (Instruction& i : make_early_inc_range(instructions(function))) {
    auto* call = dyn_cast<IntrinsicInst>(&i);
    if (!call) continue;
    const Intrinsic::ID id = call->getIntrinsicID();
    if (id != Intrinsic::expect && id != Intrinsic::expect_with_probability) continue;
    call->replaceAllUsesWith(call->getArgOperand(0));
    call->eraseFromParent();
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace lanza::compiler
