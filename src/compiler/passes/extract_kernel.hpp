// One kernel of a module, with all that it calls inlined.
#pragma once

#include <string>

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: a module with many kernels. Out: the kernel named and what it reaches; every call that is not recursive, marked
/// kOutOfLine, kept (called_functions.hpp) or without a body is inlined; other functions are internal, but for those
/// that are kept. Unused functions and globals are gone.
struct ExtractKernelPass : llvm::PassInfoMixin<ExtractKernelPass> {
  std::string kernel;

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

/// An attribute of functions that are not worth copies.
inline constexpr char kOutOfLine[] = "lanza-out-of-line";

/// Drops aliases, and the lists that keep every kernel and variable alive.
void drop_keepers(llvm::Module& module);

}  // namespace lanza::compiler
