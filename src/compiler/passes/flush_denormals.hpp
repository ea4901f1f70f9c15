// -ftz=true: subnormal floats are zero, operation by operation.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: float arithmetic. Out: the same with subnormal operands and results of every float operation (add, subtract,
/// multiply, divide, fma, sqrt, min, max, comparison, conversions from and to float) replaced by zero of the same sign.
/// Doubles are left alone, which the CPU's own FTZ mode could not do.
struct FlushDenormalsPass : llvm::PassInfoMixin<FlushDenormalsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
