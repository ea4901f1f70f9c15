// What both ways store at one place is stored where they meet.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: any code. Out: where two ways that meet end with stores to the same address, as in
///
///     if (i < n) tile[t] = a[i]; else tile[t] = 0;
///
/// one store of either value stands behind them, as in `tile[t] = i < n ? a[i] : 0`: all lanes store then, and what is
/// known of a tile that is filled so is known of this one. Where others come to the same place without a store, two
/// ways meet before it.
struct JoinStoresPass : llvm::PassInfoMixin<JoinStoresPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
