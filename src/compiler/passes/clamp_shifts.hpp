// Shifts beyond the width as PTX's: they clamp.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: any shift. Out: shifts whose amount is below the width; `shl` and `lshr` by more give 0, `ashr` the sign. In
/// LLVM they would be poison, on x86 the amount would wrap. Amounts that are known to be in range cost nothing.
struct ClampShiftsPass : llvm::PassInfoMixin<ClampShiftsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
