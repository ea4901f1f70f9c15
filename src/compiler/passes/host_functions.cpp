#include "compiler/passes/host_functions.hpp"

#include "compiler/passes/called_functions.hpp"
#include "compiler/passes/directed_sums.hpp"
#include "compiler/passes/inverse_roots.hpp"

namespace lanza::compiler {

void name_host_functions(llvm::Module& module, const llvm::TargetMachine& host) {
  name_inverse_roots(module, host);
  name_directed_sums(module);
}

void lower_host_functions(llvm::Module& module) {
  lower_called_functions(module);
  lower_inverse_roots(module);
  lower_directed_sums(module);
}

}  // namespace lanza::compiler
