// Lines of the user's own source for code that comes from the prelude.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: a function into which the prelude's functions are inlined. Out: each of its instructions that came from the
/// prelude stands at the place in the user's code from where it was called, and the prelude's variables are gone from
/// the debug information: faults name the user's line, and a debugger steps over the prelude. A call of __lanza_fail
/// without a file (a trap) gets the file and line of its place, so that traps of different lines stay different calls.
/// What has no place in the user's code keeps the one it has.
struct UserLocationsPass : llvm::PassInfoMixin<UserLocationsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
