// One kernel of a module, with all that it calls inlined.
#pragma once

#include <string>

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: a module with many kernels. Out: the kernel named and what it reaches; every call that is not recursive,
/// indirect or without a body is inlined; other functions are internal. Unused functions and globals are gone.
struct ExtractKernelPass : llvm::PassInfoMixin<ExtractKernelPass> {
  std::string kernel;

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

}  // namespace lanza::compiler
