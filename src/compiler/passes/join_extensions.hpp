// A number and its extension that meet on the same ways are one number behind them.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: any code. Out: no phi joins what on each way is another number of its block, extended by zeros or by the sign,
/// or that number's bits: it is the extension of that number, or its bits, behind both. LLVM's elimination of partial
/// redundancies leaves such phis where what one of two ways has chosen goes to a shuffle, which takes 64 bits: a warp's
/// greatest float and its place would be chosen as a float, as bits, and twice as numbers of 64 bits.
struct JoinExtensionsPass : llvm::PassInfoMixin<JoinExtensionsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
