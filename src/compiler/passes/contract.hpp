// Contraction: multiply and add become one fused operation, once, before anything splits the code.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: floating-point code; fmul, fadd, fsub with the `contract` flag may fuse. Out: llvm.fma where NVRTC's -fmad=true
/// would fuse, and no `contract` flag nor llvm.fmuladd any more, so that no later stage fuses by its own taste and
/// every engine computes the same bits. With `fmad` off nothing is fused. Where both operands of an addition are
/// products, the first is fused.
struct ContractPass : llvm::PassInfoMixin<ContractPass> {
  bool fmad = true;

  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
