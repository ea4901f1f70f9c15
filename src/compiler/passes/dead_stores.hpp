// Stores that nobody reads are removed, in time that many stores to computed addresses do not square.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: any code. Out: as LLVM's elimination of dead stores leaves it; that compares each store with all before it, and
/// a product of tiles has hundreds at addresses that are long sums. Where memory that outlives the function is never
/// written twice at one base and constant distance, only what the function keeps to itself is looked at: the other
/// stores are taken out meanwhile. What alias analysis alone would find dead among those stays.
struct DeadStoresPass : llvm::PassInfoMixin<DeadStoresPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
