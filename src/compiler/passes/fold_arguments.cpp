#include "compiler/passes/fold_arguments.hpp"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/fold_reflect.hpp"

using namespace llvm;

namespace lanza::compiler {

static bool may_change_results(const Module& module) {
  return module_flag(module, "lanza.debug", 0) != 0 || module_flag(module, "lanza.fast_math", 0) != 0 ||
         module_flag(module, "lanza.prec_div", 1) == 0;
}

const char* fold_arguments(Function& kernel, const LanzaSpecialiseRequest& request) {
  const ArrayRef values(request.folded, request.folded_count);
  if (values.empty()) return nullptr;
  if (may_change_results(*kernel.getParent())) return "arguments are not folded with fast arithmetic or -G";
  for (const LanzaArgumentValue& value : values)
    if (value.parameter >= kernel.arg_size() || !kernel.getArg(value.parameter)->getType()->isIntegerTy())
      return "an argument to be folded is no integer of the kernel";
  for (const LanzaArgumentValue& value : values) {
    Argument& argument = *kernel.getArg(value.parameter);
    argument.replaceAllUsesWith(ConstantInt::getSigned(argument.getType(), value.value));
  }
  return nullptr;
}

}  // namespace lanza::compiler
