// Loops whose turns do something only where something is a multiple go from one such turn to the next.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: loops in simplified form whose condition stands at their head, with constant ends. Out: where a turn begins with
/// the question whether what lies between a number and the counter is a multiple of a constant, and goes on with the
/// quotient, as in the filter of a transposed convolution,
///
///     for (k = 0; k < 4; ++k) {
///       if ((x - k) % 2 != 0) continue;
///       ... in[(x - k) / 2] ...
///
/// only those that do are left:
///
///     for (j = 0; j < 4; j += 2) {
///       k = j + x % 2;
///       ... in[x / 2 - j / 2] ...
///
/// Neighbours that would take turns, each waiting for the others, do something in all of them.
struct ResidueTurnsPass : llvm::PassInfoMixin<ResidueTurnsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
