#include "compiler/passes/fold_initialisers.hpp"

using namespace llvm;

namespace lanza::compiler {

static constexpr unsigned kConstant = 4;  // address space of nvptx64

static bool is_of_integers(const Type* type) {
  if (type->isIntegerTy()) return true;
  return !type->subtypes().empty() && all_of(type->subtypes(), is_of_integers);
}

void fold_initialisers(Module& module) {
  for (GlobalVariable& g : module.globals()) {
    if (g.getAddressSpace() != kConstant || !g.isExternallyInitialized() || !g.hasInitializer()) continue;
    if (g.getInitializer()->isNullValue() || !is_of_integers(g.getValueType())) continue;
    g.setExternallyInitialized(false);
    g.setConstant(true);
  }
}

}  // namespace lanza::compiler
