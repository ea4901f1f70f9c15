// Conversions from floating point to integer as PTX's cvt.rzi: they saturate.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: fptosi, fptoui (poison out of range) and their .sat forms. Out: conversions in range only, with selects around
/// them: values beyond the range give its end, NaN gives 0, or only the top bit where source or result has 64 bits (PTX
/// ISA, cvt). Targets below 32 bits go through 32. LLVM's own .sat intrinsics would be scalarised on x86; compares and
/// selects vectorise.
struct SaturateConversionsPass : llvm::PassInfoMixin<SaturateConversionsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

/// The .sat forms as fptosi and fptoui, for PTX, whose instructions saturate by themselves. Those of constants stay:
/// they fold to the value, the plain ones to poison.
struct PlainConversionsPass : llvm::PassInfoMixin<PlainConversionsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
