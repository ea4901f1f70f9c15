// Loops over a window that is cut at the edges go over all of it, and ask.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: loops in simplified form whose condition stands at their head. Out: what goes from `max(x, low)` to
/// `min(x + 3, high)`, as pooling and filters at the edge of an image do, is
///
///     for (k = 0; k < 3; ++k)
///       if (x + k >= low && x + k < high) ...
///
/// so that threads with more of the window than others make the same turns: lanes stay neighbours, and few turns are
/// unrolled. Either end may be a plain one. The window's size is a constant, and small; nothing in the loop waits for
/// other threads, and nobody asks where the loop ended.
struct WindowLoopsPass : llvm::PassInfoMixin<WindowLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
