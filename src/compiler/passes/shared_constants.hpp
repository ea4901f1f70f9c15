// Constants that hold addresses of shared memory.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: nvptx64 IR. clang makes a constant of the initialiser of a local array, `int* p[] = {a, b}` with `a` and `b`
/// __shared__. Out: no constant that is used by code holds an address of shared memory, which is another one in each
/// block: each function that uses one fills a local copy at its entry.
struct SharedConstantsPass : llvm::PassInfoMixin<SharedConstantsPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

}  // namespace lanza::compiler
