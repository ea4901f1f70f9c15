// What all turns of a short loop ask alike is asked in front of it.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: rotated loops. Out: a loop of few turns with a question that is the same in all of them, and of which both ways
/// work on memory (`for (c = 0; c < 3; c++) if (border) out[c] = in[c]; else out[c] = filtered(c);`), is two loops, of
/// which the question in front of them chooses. Unrolled, each is straight code, in which the members of a record are
/// seen to go through the same operations, and lanes part once instead of in each turn.
struct AskInFrontPass : llvm::PassInfoMixin<AskInFrontPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
