// Numbers that are clamped once they are integers.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: conversions guarded (SaturateConversionsPass) and simplified. Out, where the integer is clamped between
/// constants that the floating-point type has, as in `(unsigned char)min(max((int)x, 0), 255)`:
///
///     x is clamped, then converted: nothing beyond an integer's ends is left to guard
///
/// What a NaN gives stays: 0, or one of the ends. As conversion cuts off, and the ends are whole numbers, clamping
/// before or behind it is the same.
struct ClampConversionsPass : llvm::PassInfoMixin<ClampConversionsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
