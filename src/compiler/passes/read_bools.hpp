// A bool in memory is true for every byte but zero, as GPUs have it.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: loads of bytes that clang says are 0 or 1, cut to a bit (a bool of C++). Out: loads of any byte, compared with
/// zero: masks come from outside, with 255 for true, and LLVM would compute with the number itself. Must run before
/// LLVM's passes have seen the range.
struct ReadBoolsPass : llvm::PassInfoMixin<ReadBoolsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
