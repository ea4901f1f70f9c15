// Lanza's own calls become PTX's operations: the way of the IR to a GPU.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: nvptx64 IR as clang emits it. Out: no call of __lanza_sync, __lanza_fail, __lanza_clock and
/// __lanza_global_timer: bar.sync, bar.warp.sync, vote.ballot, shfl.sync (64 bits as two halves), match.sync,
/// redux.sync (before compute capability 8.0 a loop of shuffles), activemask, nanosleep; trap and __assertfail. printf,
/// malloc and free are CUDA's device runtime's own and stay.
struct LowerPtxPass : llvm::PassInfoMixin<LowerPtxPass> {
  unsigned compute_capability = 0;

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

}  // namespace lanza::compiler
