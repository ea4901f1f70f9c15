#include "compiler/passes/fold_reflect.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/sync_kinds.h"

using namespace llvm;

namespace lanza::compiler {

unsigned module_flag(const Module& module, StringRef name, unsigned otherwise) {
  auto* flag = mdconst::extract_or_null<ConstantInt>(module.getModuleFlag(name));
  return flag ? static_cast<unsigned>(flag->getZExtValue()) : otherwise;
}

PreservedAnalyses FoldReflectPass::run(Module& module, ModuleAnalysisManager&) {
  Function* reflect = module.getFunction("__lanza_reflect");
  if (!reflect) return PreservedAnalyses::all();

  auto answer = [&](const Value* id) -> unsigned {
    auto* constant = dyn_cast<ConstantInt>(id);
    switch (constant ? constant->getZExtValue() : ~0ull) {
      case LANZA_REFLECT_PTX:
        return ptx;
      case LANZA_REFLECT_FTZ:
        return module_flag(module, "lanza.ftz", 0);
      case LANZA_REFLECT_PREC_DIV:
        return module_flag(module, "lanza.prec_div", 1);
      case LANZA_REFLECT_PREC_SQRT:
        return module_flag(module, "lanza.prec_sqrt", 1);
      case LANZA_REFLECT_FAST_MATH:
        return module_flag(module, "lanza.fast_math", 0);
      case LANZA_REFLECT_HALVES:
        return module_flag(module, kComputesHalves, 0);
      case LANZA_REFLECT_DIRECTED:
        return module_flag(module, kRoundsEachWay, 0);
      default:
        return 0;
    }
  };
  SmallPtrSet<Function*, 16> askers;
  for (User* user : make_early_inc_range(reflect->users())) {
    auto* call = cast<CallInst>(user);
    askers.insert(call->getFunction());
    call->replaceAllUsesWith(ConstantInt::get(call->getType(), answer(call->getArgOperand(0))));
    call->eraseFromParent();
  }
  reflect->eraseFromParent();
  // Branches on the answer: what only a GPU can do must not reach the host's code generator, not even unoptimised.
  for (Function* f : askers) {
    for (Instruction& i : instructions(*f))
      if (Constant* known = ConstantFoldInstruction(&i, module.getDataLayout())) i.replaceAllUsesWith(known);
    for (BasicBlock& block : *f) ConstantFoldTerminator(&block);
    removeUnreachableBlocks(*f);
  }
  return PreservedAnalyses::none();
}

}  // namespace lanza::compiler
