// A compare-and-swap that has won is not asked again.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: simplified code. Out: loops that go by what a compare-and-swap found, whether it has won or not, and would end
/// if it found what they write, leave as soon as it has won:
///
///     while (value > old) old = swap(p, old, value);
///
/// That is what happens if nobody writes in between. Now such a loop is a retry (see lone_ends.hpp).
struct WonSwapsPass : llvm::PassInfoMixin<WonSwapsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
