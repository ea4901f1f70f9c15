// Values that branches compute alike are computed where the branches meet.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: any code. Out: no phi joins values that are the same cheap arithmetic of the same operands, as LLVM's
/// elimination of partial redundancies leaves them behind `if (threadIdx.x == 0) ...`; the arithmetic stands behind the
/// phis instead. What comes from branches that threads take differently would count as different for each of them: an
/// index of neighbours would be one of anything.
struct JoinEqualsPass : llvm::PassInfoMixin<JoinEqualsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
