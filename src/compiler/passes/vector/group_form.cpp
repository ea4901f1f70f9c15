#include "compiler/passes/vector/group_form.hpp"

#include <llvm/IR/Module.h>

using namespace llvm;

namespace lanza::compiler {

CallInst* emit_group_index(IRBuilderBase& b, unsigned axis) {
  FunctionCallee callee = b.GetInsertBlock()->getModule()->getOrInsertFunction(kGroup, b.getInt32Ty(), b.getInt32Ty());
  auto* function = cast<Function>(callee.getCallee());
  function->setMemoryEffects(MemoryEffects::none());
  function->setDoesNotThrow();
  function->setWillReturn();
  return b.CreateCall(callee, b.getInt32(axis));
}

// Convergent: a pass that moved the call under a condition would ask fewer lanes.
CallInst* emit_collective(IRBuilderBase& b, const char* name, Value* condition) {
  FunctionCallee callee = b.GetInsertBlock()->getModule()->getOrInsertFunction(name, b.getInt1Ty(), b.getInt1Ty());
  auto* function = cast<Function>(callee.getCallee());
  function->setMemoryEffects(MemoryEffects::none());
  function->setDoesNotThrow();
  function->setWillReturn();
  function->setConvergent();
  return b.CreateCall(callee, condition);
}

}  // namespace lanza::compiler
