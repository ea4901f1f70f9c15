// Maxima and minima whose sign LLVM mistakes where an operand is NaN are comparisons.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: any code, before LLVM's InstCombine, denormals flushed where they are to be. Out: `x > c ? x : c` in place of
/// llvm.maxnum(x, c) where the number c is less than zero, and `x >= y ? x : y` of llvm.maxnum(x, y) where x's sign is
/// known to be clear, also if it is NaN, and y is known to be no NaN; llvm.minnum likewise, with the signs the other
/// way round. The same for NaN, which is c or y, and for zeros of either sign. LLVM 19 takes the maximum of a value
/// that has a known sign or is NaN (`fabsf(x)`) and a negative number for not negative, which it is not if x is NaN.
struct ChooseExtremaPass : llvm::PassInfoMixin<ChooseExtremaPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
