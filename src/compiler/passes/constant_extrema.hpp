// Maxima with negative constants and minima with positive ones are comparisons.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: any code, before LLVM's InstCombine, denormals flushed where they are to be. Out: `x > c ? x : c` in place of
/// llvm.maxnum(x, c) where c is less than zero, and `x < c ? x : c` of llvm.minnum(x, c) where it is greater: the same
/// for NaN, which is c, and with no zeros whose signs matter. LLVM 19 takes the maximum of a value that has a known
/// sign or is NaN (`fabsf(x)`) and a negative number for not negative, which it is not if x is NaN.
struct ConstantExtremaPass : llvm::PassInfoMixin<ConstantExtremaPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
