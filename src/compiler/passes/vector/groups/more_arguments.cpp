#include "compiler/passes/vector/groups/more_arguments.hpp"

#include <llvm/ADT/STLExtras.h>

using namespace llvm;

namespace lanza::compiler {

Function* with_more_arguments(Function& kernel, unsigned more) {
  SmallVector<Type*, 8> types(kernel.getFunctionType()->params());
  types.append(more, Type::getInt32Ty(kernel.getContext()));
  auto* type = FunctionType::get(kernel.getReturnType(), types, false);
  Function* larger = Function::Create(type, kernel.getLinkage(), "", kernel.getParent());
  larger->takeName(&kernel);
  larger->copyAttributesFrom(&kernel);
  larger->setSubprogram(kernel.getSubprogram());
  kernel.setSubprogram(nullptr);
  larger->splice(larger->end(), &kernel);
  for (auto [old, argument] : zip(kernel.args(), larger->args())) old.replaceAllUsesWith(&argument);
  return larger;
}

}  // namespace lanza::compiler
