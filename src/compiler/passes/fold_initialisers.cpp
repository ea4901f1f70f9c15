#include "compiler/passes/fold_initialisers.hpp"

using namespace llvm;

namespace lanza::compiler {

static constexpr unsigned kConstant = 4;  // address space of nvptx64

static bool is_of_integers(const Type* type) {
  if (type->isIntegerTy()) return true;
  return !type->subtypes().empty() && all_of(type->subtypes(), is_of_integers);
}

bool is_folded(const GlobalVariable& g) {
  return g.getAddressSpace() == kConstant && g.isExternallyInitialized() && g.hasInitializer() &&
         !g.getInitializer()->isNullValue() && is_of_integers(g.getValueType());
}

void fold_initialisers(Module& module) {
  for (GlobalVariable& g : module.globals()) {
    if (!is_folded(g)) continue;
    g.setExternallyInitialized(false);
    g.setConstant(true);
  }
}

}  // namespace lanza::compiler
