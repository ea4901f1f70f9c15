// Places in small tables, said to lie in them.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: one thread's code, nvptx64 form, loops unrolled. Out: `bounds[k]` of a variable of up to 256 bytes, where `k`
/// was found (by a search, in memory) rather than counted or made of the thread's index, is `bounds[k & 31]`: 31 is the
/// least such number that lets all 21 places through, and others are none of the program's. `costs[k][j]` of four rows
/// of four is element `4 * k + j & 15`. Lanes that are known to read from so few places take their elements out of
/// registers (permute_tables()), where a gather would be.
struct BoundTablesPass : llvm::PassInfoMixin<BoundTablesPass> {
  static llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
