#include "compiler/passes/fold_reflect.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

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
      default:
        return 0;
    }
  };
  for (User* user : make_early_inc_range(reflect->users())) {
    auto* call = cast<CallInst>(user);
    call->replaceAllUsesWith(ConstantInt::get(call->getType(), answer(call->getArgOperand(0))));
    call->eraseFromParent();
  }
  reflect->eraseFromParent();
  return PreservedAnalyses::none();
}

}  // namespace lanza::compiler
