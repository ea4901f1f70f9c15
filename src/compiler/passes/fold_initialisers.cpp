#include "compiler/passes/fold_initialisers.hpp"

using namespace llvm;

namespace lanza::compiler {

static constexpr unsigned kConstant = 4;  // address space of nvptx64

static bool has_pointers(const Type* type) {
  return type->isPointerTy() || any_of(type->subtypes(), [](const Type* part) { return has_pointers(part); });
}

void fold_initialisers(Module& module) {
  for (GlobalVariable& g : module.globals()) {
    if (g.getAddressSpace() != kConstant || !g.isExternallyInitialized() || !g.hasInitializer()) continue;
    if (g.getInitializer()->isNullValue() || has_pointers(g.getValueType())) continue;
    g.setExternallyInitialized(false);
    g.setConstant(true);
  }
}

}  // namespace lanza::compiler
