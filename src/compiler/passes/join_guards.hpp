// Code behind the same question, asked one time after the other, stands behind one question.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: simplified code. Out: `if (c) a; if (c) b;` is `if (c) { a; b; }`, also where values come of it, as of
/// `v[0] = c ? p[0] : 0; v[1] = c ? p[1] : 0; ...` once a loop over a private array is unrolled. What stands between
/// moves in front of the question, if it can be computed there and touches no memory. Synchronisation points stay where
/// they are.
struct JoinGuardsPass : llvm::PassInfoMixin<JoinGuardsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
