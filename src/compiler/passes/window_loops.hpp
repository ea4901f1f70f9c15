// Loops over a window that is cut at the edges go over all of it, and ask.
#pragma once

#include <optional>
#include <utility>

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// On a loop's first branch: its window is of a size that suits the launch (launch_windows.hpp).
inline constexpr char kLaunchWindow[] = "lanza.window";

/// The size of a window that is no constant: a sum, of numbers that some are taken off.
struct LaunchWindow {
  llvm::SmallVector<std::pair<llvm::Value*, bool>, 4> terms;  ///< true: taken off
  int64_t constant = 0;
  llvm::Value *low = nullptr, *high = nullptr;  ///< the edges; null: there is none
};

/// Of a loop that would be one if all threads had the same for each term. Changes nothing.
std::optional<LaunchWindow> launch_window(llvm::Loop& loop);

/// In: loops in simplified form whose condition stands at their head. Out: what goes from `max(x, low)` to
/// `min(x + 3, high)`, as pooling and filters at the edge of an image do, is
///
///     for (k = 0; k < 3; ++k)
///       if (x + k >= low && x + k < high) ...
///
/// so that threads with more of the window than others make the same turns: lanes stay neighbours, and few turns are
/// unrolled. Either end may be a plain one. The window's size is a constant, and small, or that of a marked loop;
/// nothing in the loop waits for other threads, and nobody asks where the loop ended.
struct WindowLoopsPass : llvm::PassInfoMixin<WindowLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
