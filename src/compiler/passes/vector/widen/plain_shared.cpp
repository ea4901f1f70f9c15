#include "compiler/passes/vector/widen/plain_shared.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/retarget.hpp"

using namespace llvm;

namespace lanza::compiler {

bool plain_shared(Function& kernel) {
  bool changed = false;
  auto make_plain = [&](auto* access) {
    if (!access || !access->isVolatile() || !is_shared_memory(access->getPointerOperand())) return;
    access->setVolatile(false);
    changed = true;
  };
  for (Instruction& i : instructions(kernel)) {
    make_plain(dyn_cast<LoadInst>(&i));
    make_plain(dyn_cast<StoreInst>(&i));
  }
  return changed;
}

}  // namespace lanza::compiler
