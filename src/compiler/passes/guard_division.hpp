// Integer division as NVIDIA's: it never traps.
#pragma once

#include <llvm/IR/PassManager.h>
#include <llvm/IR/Value.h>

namespace lanza::compiler {

/// In: any integer division or remainder. Out: none that can trap on x86. Division by zero gives all ones (quotient and
/// remainder, as NVIDIA's code does; of 64 bits only 32 ones where the dividend has no more than 32); the smallest
/// integer by -1 gives itself, remainder 0. Divisors that are known not to be 0 or -1 cost nothing.
struct GuardDivisionPass : llvm::PassInfoMixin<GuardDivisionPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

/// The divisor behind such a guard against 0 and -1, whatever LLVM has made of that; or itself. A choice of the user's
/// between 1 and something (`f ? 1 : n`) is none.
llvm::Value* unguarded_divisor(llvm::Value* divisor);

}  // namespace lanza::compiler
