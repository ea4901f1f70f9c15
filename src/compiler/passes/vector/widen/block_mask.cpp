#include "compiler/passes/vector/widen/block_mask.hpp"

using namespace llvm;

namespace lanza::compiler {

CallInst* mask_of(BasicBlock& block) {
  for (Instruction& i : block)
    if (auto* call = dyn_cast<CallInst>(&i); call && call->getCalledFunction())
      if (call->getCalledFunction()->getName() == kMask) return call;
  return nullptr;
}

}  // namespace lanza::compiler
