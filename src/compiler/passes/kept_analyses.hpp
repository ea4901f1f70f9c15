// What stays known behind a pass that leaves blocks and branches as they are.
#pragma once

#include <llvm/IR/Analysis.h>

namespace lanza::compiler {

/// Dominators, loops and what else is of the control flow; all, where nothing changed.
inline llvm::PreservedAnalyses keeps_control_flow(bool changed) {
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

}  // namespace lanza::compiler
