// Variables of small records become a variable for each member, in time that thousands of them do not square.
#pragma once

#include <llvm/IR/Dominators.h>
#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: code straight from clang, inlined, where each call by value has left variables of its parameters (`__half`,
/// `float2`). Out: in functions with thousands of variables those of numbers, and of records of at most 16 numbers
/// without gaps, that are read, written and copied number by number or as a whole are in registers. LLVM's own
/// promotion goes through its list of what is left for each variable that it takes apart: it gets the others, and all
/// of shorter functions.
struct FlatRecordsPass : llvm::PassInfoMixin<FlatRecordsPass> {
  size_t least = 2000;  ///< variables; of fewer LLVM chooses the types, which is what small kernels are tuned with
  /// Only variables of few members, and such to which whole records come from several places. With `least` 1 for what
  /// LLVM leaves: it takes no variable apart of which no member is used, as in `float4 v = zero; if (inside)
  /// v = from[i]; tile[j] = v;`.
  bool only_pays = false;

  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

/// The same of one function with at least so many such variables. False: nothing changed.
bool flatten_records(llvm::Function& function, llvm::DominatorTree& tree, size_t least, bool only_pays = false);

}  // namespace lanza::compiler
