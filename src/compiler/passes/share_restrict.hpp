// `__restrict__` says nothing of other threads.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: code as clang gives it, __syncthreads() a call (lower_barriers.hpp). Out, where functions of it synchronise: a
/// parameter that is `__restrict__` and that is both read and written is an ordinary pointer. For LLVM nobody else
/// would write what only it leads to: what was read in front of a barrier would still be there behind it, whatever
/// other threads have written by that very pointer. What is only read, or only written, stays as it is.
struct ShareRestrictPass : llvm::PassInfoMixin<ShareRestrictPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

}  // namespace lanza::compiler
