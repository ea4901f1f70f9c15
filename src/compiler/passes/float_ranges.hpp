// Comparisons of floating-point values whose range is known.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: any code, conversions guarded (SaturateConversionsPass), extrema chosen (ChooseExtremaPass). Out: comparisons
/// whose answer follows from the ranges of what they compare are constants, so that a value that was clamped is
/// converted to an integer without guards: `(char)fminf(fmaxf(rintf(x), -128), 127)`. What converts to an unsigned
/// integer and fits a signed one as well is converted to that, which is one instruction on every host.
///
/// A range also says that the value is no NaN. It comes from constants, from integers, and from extrema with such, and
/// goes through operations that round: they never turn two values round.
struct FloatRangesPass : llvm::PassInfoMixin<FloatRangesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
