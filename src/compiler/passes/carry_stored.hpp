// What a turn of a loop stores and the next one loads stays in a register.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: loops in simplified and LCSSA form. Out: a load at the head of a loop from where the turn before has stored
/// (`row[j] = f(row[j - 1])`, `out[y * w + x] = out[(y - 1) * w + x] + in[y * w + x]`) is that turn's value, and that
/// of the first turn is loaded in front of the loop. Nothing else in the loop may write there, for other threads may
/// not without a barrier. LLVM's GVN does so where both indices are extended alike.
struct CarryStoredPass : llvm::PassInfoMixin<CarryStoredPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
