// Synchronisation points that the source does not name: warp-synchronous volatile code and loops that wait for other
// threads.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: nvptx64 IR after SROA and infer-address-spaces. Out:
/// - a LOCKSTEP point before each volatile access to shared memory, its place counted in program order (reverse post
/// order): before Volta the
///   lanes of a warp went through such code in lock step, and much code relies on it;
/// - ACTIVEMASK points numbered in the same order;
/// - a YIELD on the back edges of each loop that spins (see blocking_loops.hpp). On the edge, not in the latch block:
/// there it would also run on the way out, with a spin lock just taken.
/// Functions with a loop that waits for others, spinning or not, get the attribute "lanza-blocking", which is "joins"
/// where one does not spin; those with a
/// loop whose trip count is not known when it begins "lanza-unbounded".
struct ImplicitPointsPass : llvm::PassInfoMixin<ImplicitPointsPass> {
  /// Unoptimised code: address spaces are not known, every generic volatile access counts as one to shared memory.
  bool generic = false;

  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

inline constexpr char kBlockingAttribute[] = "lanza-blocking";
inline constexpr char kUnboundedAttribute[] = "lanza-unbounded";

}  // namespace lanza::compiler
