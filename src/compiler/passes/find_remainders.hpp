// Remainders that a program computes by hand are remainders.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: values in registers. Out: `i - i / 34 * 34` is `i % 34`, as other passes know the columns of a flat index by;
/// InstCombine would make a sum with `i / 34 * -34` of it, and spread that over others. Not where the quotient
/// is guarded: by 0 both are other numbers (guard_division.hpp).
struct FindRemaindersPass : llvm::PassInfoMixin<FindRemaindersPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
