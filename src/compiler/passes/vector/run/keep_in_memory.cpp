#include "compiler/passes/vector/run/keep_in_memory.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

using namespace llvm;

namespace lanza::compiler {

Instruction* keep_in_memory(AllocaInst& variable) {
  IRBuilder<> b(variable.getNextNode());
  auto* type = FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false);
  auto* anchor = cast<Function>(variable.getModule()->getOrInsertFunction("lanza.memory", type).getCallee());
  anchor->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  anchor->addParamAttr(0, Attribute::NoCapture);
  anchor->addParamAttr(0, Attribute::ReadNone);
  anchor->setDoesNotThrow();
  anchor->setWillReturn();
  return b.CreateCall(anchor, &variable);
}

}  // namespace lanza::compiler
