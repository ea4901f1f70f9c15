// Indices that a choice or a saturating difference keeps within bounds are extrema.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: any code, the arithmetic of indices marked as not wrapping. Out: `x > c ? x - c : 0`, of which LLVM makes
/// usub.sat(x, c), is max(x, c) - c where it has 32 or 64 bits, and `x < n ? x : n - 1` is min(x, n - 1). As such they
/// are edges to passes that look for them, and processors have no saturating differences of that width.
struct ClampChoicesPass : llvm::PassInfoMixin<ClampChoicesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
