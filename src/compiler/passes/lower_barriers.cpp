#include "compiler/passes/lower_barriers.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/sync_calls.hpp"

using namespace llvm;

namespace lanza::compiler {

// popc counts the true predicates; `or` and `and` ask whether any and whether none is false.
static Value* counting_barrier(CallInst* call, Intrinsic::ID id) {
  IRBuilder<> b(call);
  Value* predicate = b.CreateIsNotNull(call->getArgOperand(0));
  if (id == Intrinsic::nvvm_barrier0_and) predicate = b.CreateNot(predicate);
  CallInst* point = emit_sync(call, LANZA_SYNC_BARRIER_COUNT, 0, b.CreateZExt(predicate, b.getInt64Ty()));
  Value* count = b.CreateTrunc(point, b.getInt32Ty());
  if (id == Intrinsic::nvvm_barrier0_popc) return count;
  Value* none = b.CreateIsNull(count);
  return b.CreateZExt(id == Intrinsic::nvvm_barrier0_and ? none : b.CreateNot(none), b.getInt32Ty());
}

PreservedAnalyses LowerBarriersPass::run(Module& module, ModuleAnalysisManager&) {
  bool changed = false;
  for (Intrinsic::ID id : {Intrinsic::nvvm_barrier0, Intrinsic::nvvm_barrier0_popc, Intrinsic::nvvm_barrier0_and,
                           Intrinsic::nvvm_barrier0_or}) {
    Function* intrinsic = module.getFunction(Intrinsic::getName(id));
    if (!intrinsic) continue;
    for (User* user : make_early_inc_range(intrinsic->users())) {
      auto* call = cast<CallInst>(user);
      if (id == Intrinsic::nvvm_barrier0)
        emit_sync(call, LANZA_SYNC_BARRIER, 0);
      else
        call->replaceAllUsesWith(counting_barrier(call, id));
      call->eraseFromParent();
    }
    intrinsic->eraseFromParent();
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace lanza::compiler
