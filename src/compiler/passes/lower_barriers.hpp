// Barriers that arrive as intrinsics become synchronisation points.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: llvm.nvvm.barrier0 and its counting forms (clang's builtins behind __syncthreads, which cannot be redefined).
/// Out: none of them; each is a call of __lanza_sync of kind BARRIER or BARRIER_COUNT, barrier 0, all living threads.
struct LowerBarriersPass : llvm::PassInfoMixin<LowerBarriersPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

}  // namespace lanza::compiler
