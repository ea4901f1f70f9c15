#include "compiler/passes/vector/groups/single_lane.hpp"

#include <llvm/IR/Instructions.h>

#include "compiler/passes/vector/group_form.hpp"

using namespace llvm;

namespace lanza::compiler {

void ask_single_lanes(Module& module) {
  for (const char* name : {kAll, kAny}) {
    Function* collective = module.getFunction(name);
    if (!collective) continue;
    for (User* user : make_early_inc_range(collective->users())) {
      auto* call = cast<CallInst>(user);
      call->replaceAllUsesWith(call->getArgOperand(0));
      call->eraseFromParent();
    }
    collective->eraseFromParent();
  }
}

}  // namespace lanza::compiler
