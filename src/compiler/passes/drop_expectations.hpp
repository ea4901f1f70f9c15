// What the source expects of a condition is not kept.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: __builtin_expect and __builtin_expect_with_probability. Out: their first operands. Nobody asks for expectations
/// here, and a call that passes know nothing of would be made for one lane after the other.
struct DropExpectationsPass : llvm::PassInfoMixin<DropExpectationsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
