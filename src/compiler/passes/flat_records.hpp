// Variables of small records become a variable for each member, in time that thousands of them do not square.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: code straight from clang, inlined, where each call by value has left variables of its parameters (`__half`,
/// `float2`). Out: in functions with thousands of variables those of numbers, and of records of at most eight numbers
/// without gaps, that are read, written and copied number by number or as a whole are in registers. LLVM's own
/// promotion goes through its list of what is left for each variable that it takes apart: it gets the others, and all
/// of shorter functions.
struct FlatRecordsPass : llvm::PassInfoMixin<FlatRecordsPass> {
  size_t least = 2000;  ///< variables; of fewer LLVM chooses the types, which is what small kernels are tuned with

  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

/// The same, of functions that are about to be copied to each of their many calls, however few variables they have. Not
/// of functions with shifts, quotients, extrema or conversions to integers: LLVM folds what it copies, before passes
/// have said what those are on a GPU. To be asked where denormals are kept.
void flatten_copied_functions(llvm::Module& module, unsigned many_calls = 64);

}  // namespace lanza::compiler
