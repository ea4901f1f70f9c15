#include "compiler/passes/vector/group_form.hpp"

#include <llvm/IR/Module.h>

using namespace llvm;

namespace lanza::compiler {

// What is the same wherever it is asked within a group.
static Function* pure_function(IRBuilderBase& b, const char* name, FunctionType* type) {
  auto* function = cast<Function>(b.GetInsertBlock()->getModule()->getOrInsertFunction(name, type).getCallee());
  function->setMemoryEffects(MemoryEffects::none());
  function->setDoesNotThrow();
  function->setWillReturn();
  return function;
}

CallInst* emit_block_count(IRBuilderBase& b) {
  return b.CreateCall(pure_function(b, kBlocks, FunctionType::get(b.getInt32Ty(), false)));
}

CallInst* emit_scratch(IRBuilderBase& b) {
  return b.CreateCall(pure_function(b, kScratch, FunctionType::get(b.getPtrTy(), false)));
}

void lower_scratch(Function& run) {
  Function* function = run.getParent()->getFunction(kScratch);
  if (!function) return;
  IRBuilder<> b(&*run.getEntryBlock().begin());
  Value* scratch = b.CreateAlloca(ArrayType::get(b.getInt64Ty(), 64), nullptr, "scratch");
  for (User* user : make_early_inc_range(function->users())) {
    user->replaceAllUsesWith(scratch);
    cast<Instruction>(user)->eraseFromParent();
  }
  function->eraseFromParent();
}

CallInst* emit_lane(IRBuilderBase& b) {
  return b.CreateCall(pure_function(b, kLane, FunctionType::get(b.getInt32Ty(), false)));
}

CallInst* emit_group_index(IRBuilderBase& b, unsigned axis) {
  auto* type = FunctionType::get(b.getInt32Ty(), {b.getInt32Ty()}, false);
  return b.CreateCall(pure_function(b, kGroup, type), b.getInt32(axis));
}

// Convergent: a pass that moved the call under a condition would ask fewer lanes.
CallInst* emit_collective(IRBuilderBase& b, const char* name, Value* condition) {
  Function* function = pure_function(b, name, FunctionType::get(b.getInt1Ty(), {b.getInt1Ty()}, false));
  function->setConvergent();
  return b.CreateCall(function, condition);
}

}  // namespace lanza::compiler
